// Regroup.h -- zipped, tiled and flat forms of what divides and products make.
#pragma once

#include "cutwork/Layout/Tiler.h"

namespace cutwork::cute {

enum class Grouping : std::uint8_t { Zipped, Tiled, Flat };

/// Regroups `pairs`, in which each layout of the tiler has made a pair (first, second): all firsts
/// in the profile of the tiler, then all seconds and the modes that the tiler does not reach. A
/// hole takes its mode for such a pair.
Expected<Layout> regroup(LayoutView pairs, const Tiler& tiler, Grouping grouping);

}  // namespace cutwork::cute

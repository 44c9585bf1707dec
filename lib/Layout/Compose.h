// Compose.h -- composition without the wording of refusals, for the functions built on it.
#pragma once

#include "cutwork/Layout/ComposedLayout.h"
#include "cutwork/Layout/Tiler.h"

namespace cutwork::cute {

Expected<Layout> compose(LayoutView a, LayoutView b);
Expected<Layout> compose(LayoutView a, const Tiler& b);

/// (A o tile, A o rest), where a step of `rest` that does not divide an extent of A is rounded up,
/// so that the last tile runs beyond it.
Expected<Layout> composePair(LayoutView a, LayoutView tile, LayoutView rest);

/// The swizzle S' with S'(L(x)) = L(S(x)) for every x of L's domain: L must map the bits that S
/// reads and writes to consecutive bits, each group in order.
Expected<Swizzle> swizzleThrough(const Swizzle& swizzle, LayoutView layout);

}  // namespace cutwork::cute

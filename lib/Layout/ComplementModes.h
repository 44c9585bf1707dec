// ComplementModes.h -- the gaps of a list of modes, for complement and the functions built on it.
#pragma once

#include "FlatModes.h"

namespace cutwork::cute {

/// The modes in the order of their strides. Refuses negative strides, and dynamic ones beside
/// others.
Expected<FlatModes> sortedByStride(const FlatModes& modes);

/// The gaps of filtered modes in the order of their strides, without those of extent 1, and last
/// the mode that continues behind them, ceil_div(cotarget, end) : end, whatever its extent; a tuple
/// of extents is divided from the left, each rounded up. All modes have the basis `basis`.
Expected<FlatModes> gaps(const FlatModes& modes, IntTupleView cotarget, BasisPath basis);

/// complement(layout, cotarget) without the wording of refusals.
Expected<Layout> complementOf(LayoutView layout, IntTupleView cotarget);

}  // namespace cutwork::cute

// cutwork/Layout/Coalesce.h -- the same function of the linear coordinate, written shorter.
//
// Definition. R = coalesce(L) has size(R) = size(L), R(i) = L(i) for 0 <= i < size(L), and depth at
// most 1. Modes of extent 1 are dropped and neighbours merged where the second continues the first:
//
//     s0:d0, s1:d1  ->  s0*s1 : d0      where s0*d0 = d1
//
// Only what is proved is merged: the first extent and both strides are static. So a dynamic extent
// keeps its neighbours on the right, and a dynamic stride both, apart:
//
//     coalesce((2,(1,6)):(1,(6,2)))            = 12:1
//     coalesce((4,5,?,3,2):(1,4,?,1,3))        = (20,?,6):(1,?,1)
//     coalesce((2,(1,6)):(1,(?,2)))            = 12:1       an extent of 1 needs no stride
#pragma once

#include "cutwork/Layout/ComposedLayout.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

Expected<Layout> coalesce(const Layout& layout);
Expected<AnyLayout> coalesce(const AnyLayout& layout);

/// By mode where `profile` is a tuple, whole at its leaves; modes beyond its rank stay. Refuses a
/// profile that is deeper or longer than the layout.
///     coalesce((2,(1,6)):(1,(6,2)), (1,1)) = (2,6):(1,2)
Expected<Layout> coalesce(const Layout& layout, const IntTuple& profile);
Expected<AnyLayout> coalesce(const AnyLayout& layout, const IntTuple& profile);

/// Extent 1 wherever the stride is 0: one coordinate for each value.
///     filter_zeros((5,2,9):(1,5,0)) = (5,2,1):(1,5,0)
Expected<Layout> filter_zeros(const Layout& layout);
/// Extent 1 wherever `profile` is 0; a leaf of the profile speaks for a whole mode.
Expected<Layout> filter_zeros(const Layout& layout, const IntTuple& profile);
/// coalesce(filter_zeros(L)): no stride 0, no extent 1 but for a layout of one value.
///     filter((2,4,8):(8,1,0)) = (2,4):(8,1)
Expected<Layout> filter(const Layout& layout);
Expected<AnyLayout> filter_zeros(const AnyLayout& layout);
Expected<AnyLayout> filter(const AnyLayout& layout);

/// All leaves in one flat tuple; a layout of one leaf mode is unchanged.
///     flatten(((16,20),128):((1,16),320)) = (16,20,128):(1,16,320)
Expected<Layout> flatten(const Layout& layout);
Expected<AnyLayout> flatten(const AnyLayout& layout);

}  // namespace cutwork::cute

#pragma GCC visibility pop

// cutwork/Layout/Inverse.h -- from values back to coordinates.
//
// Definitions. R = right_inverse(L) is the longest layout with
//
//     L(R(i)) = i          for 0 <= i < size(R).
//
// It follows the modes of L whose strides continue one another from 1: of (2,4,6):(4,1,8) first
// 4:1, then 2:4, then 6:8, so R = (4,2,6):(2,1,8). R = left_inverse(L), for a layout that is
// injective but for modes of stride 0, has
//
//     R(L(i)) = i          where L is injective, and L(R(L(i))) = L(i) else.
//
//     left_inverse((4,2):(1,10)) = (10,2):(1,4)
//
// With basis strides L's values are coordinates, and the inverse takes them: its mode i belongs to
// coordinate mode i.
//     right_inverse((4,5):(1@1,1@0)) = (5,4):(4,1)
#pragma once

#include "cutwork/Layout/ComposedLayout.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// What to do where a dynamic leaf decides how far the inverse goes.
enum class WhenUnknown {
  Refuse,  ///< an error that names the stride
  Stop,    ///< end there: L(R(i)) = i holds, on a domain that may be shorter than it could be
};

/// Of a swizzled layout with offset 0: the swizzle moved behind the inverse of the outer layout,
/// where it maps bits to bits; otherwise refused.
Expected<Layout> right_inverse(const Layout& layout, WhenUnknown unknown = WhenUnknown::Refuse);
Expected<AnyLayout> right_inverse(const AnyLayout& layout);

/// Refuses negative strides, strides that do not divide one another in the order of their size, and
/// dynamic strides beside others.
Expected<Layout> left_inverse(const Layout& layout);
Expected<AnyLayout> left_inverse(const AnyLayout& layout);

/// The coordinates that L maps to 0, as a layout into L's linear coordinates: L(N(i)) = 0, of the
/// modes whose stride is 0.
///     nullspace((7,5,16):(3,1,0)) = 16:35
Expected<Layout> nullspace(const Layout& layout);
Expected<Layout> nullspace(const AnyLayout& layout);

}  // namespace cutwork::cute

#pragma GCC visibility pop

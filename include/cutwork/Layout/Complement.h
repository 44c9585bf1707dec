// cutwork/Layout/Complement.h -- what a layout leaves out.
//
// Definition. For a layout L that is injective but for modes of stride 0, and a cotarget M,
// C = complement(L, M) has increasing values, the sums of a value of L and one of C are all
// different, and there are enough of them to count to M: (different values of L) * size(C) >= M,
// with no more repetitions of L's period than that takes.
//
//     complement((2,2):(4,1), 24) = (2,3):(2,8)     L = {0,1,4,5}, C = {0,2} + {0,8,16}
//     complement(4:2, 16)         = (2,2):(1,8)
//
// How it is found. Sort L's modes by stride. Between the end of one mode, s*d, and the stride d' of
// the next lies a gap, floor(d'/(s*d)) : s*d; behind the last, ceil(M/(s*d)) : s*d. Where each s*d
// divides d', L and C together take every integer below M once; a rest of d' is left out. Refused:
// modes that overlap (d' < s*d), negative strides, and dynamic strides beside others, whose order
// is not known.
//
// Basis strides. The complement is taken in each coordinate mode for itself; M is then a shape.
//     complement(2:64@0, (128,64)) = (64,64):(1@0,1@1)
#pragma once

#include "cutwork/Layout/ComposedLayout.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// complement(L, 1), where the continuing mode behind the last is kept even with extent 1:
///     complement((2,2):(4,1)) = (2,1):(2,8)
Expected<Layout> complement(const Layout& layout);
/// `cotarget` is M: an integer, or a shape whose size is meant (with basis strides: by mode).
Expected<Layout> complement(const Layout& layout, const IntTuple& cotarget);
/// Of the outer layout.
Expected<Layout> complement(const AnyLayout& layout);
Expected<Layout> complement(const AnyLayout& layout, const IntTuple& cotarget);

}  // namespace cutwork::cute

#pragma GCC visibility pop

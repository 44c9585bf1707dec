// cutwork/Layout/Slice.h -- part of a coordinate fixed.
//
// A coordinate with holes splits a tuple into the modes at the holes (slice) and the others (dice).
// Of a layout, the modes at the holes are a layout again, and the fixed part of the coordinate is
// an offset: with (S, offset) = slice_and_offset(c, L),
//
//     L(c with the holes filled by d) = offset + S(d)
//
//     slice(((0,_),(_,0)), ((2,4),(2,2)):((1,8),(2,4)))   = (4,2):(8,2)
//     slice_and_offset((_,3), (4,8):(1,4))                 = (4):(1) ; 12
#pragma once

#include "cutwork/Layout/ComposedLayout.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// The modes at the holes, flattened to one tuple; a hole alone is everything, as it is.
Expected<IntTuple> slice(const IntTuple& coord, const IntTuple& t);
/// Of a composed layout: slice_and_offset without its offset.
Expected<AnyLayout> slice(const IntTuple& coord, const AnyLayout& layout);
/// The modes not at the holes.
///     dice((_,1,_), (2,3,4)) = (3)
Expected<IntTuple> dice(const IntTuple& coord, const IntTuple& t);
Expected<AnyLayout> dice(const IntTuple& coord, const AnyLayout& layout);

/// A layout and the integer or coordinate that is added to its values.
struct OffsetLayout {
  AnyLayout layout;
  IntTuple offset;
};

/// Of a swizzled layout S o o1 o L with static leaves, where the swizzle has become affine on what
/// is left (of each pair of a bit that is read and the bit it is XORed into, at most one still
/// varies), a plain layout and the offset S(o1 + fixed):
///     slice_and_offset((_,16), S<3,4,4> o 0 o (64,128):(1,64)) = (64):(1) ; 1088
/// Elsewhere the fixed part is added under the swizzle, S o (o1 + fixed) o L', but for bits that
/// the swizzle does not touch, which stay outside as the offset:
///     slice_and_offset((32,_), S<3,4,4> o 0 o (64,128):(1,64)) = S<3,4,4> o 32 o (128):(64) ; 0
Expected<OffsetLayout> slice_and_offset(const IntTuple& coord, const AnyLayout& layout);

/// The layout as it is, seen from `coord`: the offset is L(coord); of a composed layout coord's
/// part is added under the inner function and the offset is 0.
///     domain_offset((1,2), (4,8):(1,4)) = (4,8):(1,4) ; 9
Expected<OffsetLayout> domain_offset(const IntTuple& coord, const AnyLayout& layout);

}  // namespace cutwork::cute

#pragma GCC visibility pop

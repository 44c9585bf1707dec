// cutwork/Layout/Composition.h -- A after B: a layout seen through another one's coordinates.
//
// Definition. R = composition(A, B) has a shape that B's shape is compatible with (every coordinate
// of B is one of R), and
//
//     R(c) = A(B(c))        for every coordinate c of B.
//
// B's value is a linear coordinate of A; where B has basis strides, a coordinate tuple of A.
//
//     A = (6,2):(8,2), B = (4,3):(3,1)         A o B = ((2,2),3):((24,2),8)
//
// How it is found. Take a mode n:e of B and A's coalesced modes s0:d0, s1:d1, ... The values
// 0, e, 2e, ... walk through A's modes. In a mode with e a multiple of its extent, nothing moves
// and e becomes e/s. Where e < s the mode holds s/e of them, one piece (s/e : e*d); what is left of
// n goes on with step 1 in the next mode. So 4:3 above walks through 6:8 as 2:24 and through 2:2 as
// 2:2. The last mode of A takes all the rest: beyond its size A continues along its last mode.
//
// That gives the function only where the walk is regular. Refused:
//
//     - a step that neither divides an extent nor is a multiple of it, unless n ends first:
//       (4,6,8):(2,3,5) o 6:3 has the values 0,6,7,8,9,15
//     - pieces that together overflow a mode of A, so that adding them carries into the next:
//       (4,2):(1,100) o (4,4):(1,2)
//     - a negative step through several modes
//
// Dynamic leaves. Nothing needs to be known where A (or the mode of A that a basis stride names) is
// one mode, the usual case of a tiled tensor. Elsewhere a condition that is not known is handed to
// the evaluator's assume() with its wording, and the walk goes on with min and ceil_div at run
// time: the pieces that a static walk would drop stay, with an extent that may turn out 1.
//
//     (?,?):(?,?) o (5,4):(1,5) = ((?,?),(?,?)):((?,?),(?{div=5},?))
#pragma once

#include "cutwork/Layout/ComposedLayout.h"
#include "cutwork/Layout/Tiler.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

Expected<Layout> composition(const Layout& a, const Layout& b);
/// A hole leaves A as it is; modes are composed one by one, and A's modes beyond the tiler's rank
/// are dropped.
///     composition((12,(4,8)):(59,(13,1)), (3,8)) = (3,(4,2)):(59,(13,1))
Expected<Layout> composition(const Layout& a, const Tiler& b);
/// (A o offset o outer) o B = A o offset o (outer o B). A plain layout A after a swizzled B whose
/// offset is 0 moves the swizzle through A, where A maps bits to bits; otherwise that is refused.
Expected<AnyLayout> composition(const AnyLayout& a, const Tiler& b);
Expected<AnyLayout> composition(const AnyLayout& a, const ComposedLayout& b);

}  // namespace cutwork::cute

#pragma GCC visibility pop

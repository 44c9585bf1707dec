// cutwork/Layout/Product.h -- repetitions of a layout.
//
// Definition. For a block A and a tiler layout B,
//
//     logical_product(A, B) = (A, composition(complement(A), B))
//
// Mode 0 is the block; mode 1 repeats it, in the order and spacing that B gives, into the places
// that A leaves free. For a compact A mode 1 is j -> size(A) * B(j). By mode for a tiler by mode.
// zipped, tiled and flat regroup as for divides (Divide.h). Two more pair the modes of block and
// tiler, both first made of one rank with 1:0:
//
//     blocked   ((a0,b0),(a1,b1),...)     blocks stand side by side
//     raked     ((b0,a0),(b1,a1),...)     blocks are interleaved; each mode is coalesced
//
//     logical_product((2,2):(4,1), 6:1)              = ((2,2),(2,3)):((4,1),(2,8))
//     zipped_product((2,5):(5,1), (3,4):(1,3))       = ((2,5),(3,4)):((5,1),(10,30))
//     tiled_product((2,5):(5,1), (3,4):(1,3))        = ((2,5),3,4):((5,1),10,30)
//     flat_product((2,5):(5,1), (3,4):(1,3))         = (2,5,3,4):(5,1,10,30)
//     blocked_product((2,5):(5,1), (3,4):(1,3))      = ((2,3),(5,4)):((5,10),(1,30))
//     raked_product((2,5):(5,1), (3,4):(1,3))        = ((3,2),(4,5)):((10,5),(30,1))
//
// Refused: a block that has no complement (Complement.h), and a tiler that cannot walk through it.
#pragma once

#include "cutwork/Layout/ComposedLayout.h"
#include "cutwork/Layout/Tiler.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

Expected<Layout> logical_product(const Layout& block, const Tiler& tiler);
Expected<Layout> zipped_product(const Layout& block, const Tiler& tiler);
Expected<Layout> tiled_product(const Layout& block, const Tiler& tiler);
Expected<Layout> flat_product(const Layout& block, const Tiler& tiler);
Expected<AnyLayout> logical_product(const AnyLayout& block, const Tiler& tiler);
Expected<AnyLayout> zipped_product(const AnyLayout& block, const Tiler& tiler);
Expected<AnyLayout> tiled_product(const AnyLayout& block, const Tiler& tiler);
Expected<AnyLayout> flat_product(const AnyLayout& block, const Tiler& tiler);

/// Refuses an integer tiler n:1 on a block that is a tuple of one mode: whether the mode or the
/// whole is meant cannot be told from the result's profile; write (n):(1).
Expected<Layout> blocked_product(const Layout& block, const Layout& tiler);
Expected<Layout> raked_product(const Layout& block, const Layout& tiler);
Expected<AnyLayout> blocked_product(const AnyLayout& block, const Layout& tiler);
Expected<AnyLayout> raked_product(const AnyLayout& block, const Layout& tiler);

/// The block repeated until mode i has the size of target mode i, the repetitions in `order` (first
/// mode first by default; see make_ordered_layout). Refuses a target that the block does not
/// divide.
///     tile_to_shape((2,2):(1,2), (8,8)) = ((2,4),(2,4)):((1,4),(2,16))
Expected<Layout> tile_to_shape(const Layout& block, const IntTuple& target);
Expected<Layout> tile_to_shape(const Layout& block, const IntTuple& target, const IntTuple& order);
Expected<AnyLayout> tile_to_shape(const AnyLayout& block, const IntTuple& target);
Expected<AnyLayout> tile_to_shape(const AnyLayout& block, const IntTuple& target,
                                  const IntTuple& order);

}  // namespace cutwork::cute

#pragma GCC visibility pop

// cutwork/Layout/Partition.h -- tiles of a tensor's layout, threads' parts of a tile.
//
// These are the layout arithmetic behind the tensor functions of the same names: they return a
// layout and the offset of its first element.
#pragma once

#include "cutwork/Layout/Slice.h"
#include "cutwork/Layout/Tiler.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// Tile number `coord` of the layout tiled by `tiler`: of zipped_divide(L, tiler) the tile modes
/// and, behind them, the rest modes where `coord` has a hole. A shorter coordinate is filled with
/// holes; an integer counts tiles colexicographically.
///     local_tile((8,6):(6,1), (4,3), (1,_))  = (4,3,2):(6,1,3) ; 24
Expected<OffsetLayout> local_tile(const AnyLayout& layout, const Tiler& tiler,
                                  const IntTuple& coord);
/// Only the modes i of tiler and coord where projection mode i is not a hole; the GEMM operands A,
/// B, C of tiler (M,N,K) have projections (1,_,1), (_,1,1), (1,1,_).
Expected<OffsetLayout> local_tile(const AnyLayout& layout, const Tiler& tiler,
                                  const IntTuple& coord, const IntTuple& projection);

/// The part of thread `index` where the threads are laid out by `threads`: the layout is tiled by
/// the size of each of its modes, and the thread takes from every tile the element at its
/// coordinate.
///     local_partition((8,8):(1,8), (2,4):(1,2), 3) = (4,2):(2,32) ; 9
Expected<OffsetLayout> local_partition(const AnyLayout& layout, const Layout& threads, Int index);
Expected<OffsetLayout> local_partition(const AnyLayout& layout, const Layout& threads, Int index,
                                       const IntTuple& projection);

/// A tile and who has which of its elements.
struct TiledTV {
  IntTuple tiler;  ///< (M,N): extents of the tile
  Layout tv;       ///< (thread, value) -> linear coordinate in the tile, first mode fastest
};
/// The thread-value layout of threads laid out by `threads`, each with values laid out by `values`;
/// both compact bijections of (m,n).
///     make_layout_tv((4,32):(32,1), (1,8):(8,1)) = (4,256) ; ((32,4),8):((32,1),4)
/// Refuses layouts that are not.
Expected<TiledTV> make_layout_tv(const Layout& threads, const Layout& values);

/// Bit L(c) set for every coordinate c that differs from `coord` in mode `mode` only. The source of
/// multicast masks. Refuses values outside 0 .. 62 and a dynamic mode.
///     make_layout_image_mask((2,4):(1,2), (1,2), 1) = 170
Expected<Int> make_layout_image_mask(const Layout& layout, const IntTuple& coord, int mode);

}  // namespace cutwork::cute

#pragma GCC visibility pop

// cutwork/Layout/Divide.h -- the tiles of a layout.
//
// Definition. For a layout B,
//
//     logical_divide(A, B) = composition(A, (B, complement(B, size(A))))
//
// Mode 0 is the tile, A(B(i)); mode 1 runs over the tiles. By mode for a tiler by mode, holes and
// modes beyond the tiler's rank as they are. The other three regroup the logical one:
//
//     logical   ((tile0,rest0),(tile1,rest1),...)
//     zipped    ((tile0,tile1,...),(rest0,rest1,...))
//     tiled     ((tile0,tile1,...),rest0,rest1,...)
//     flat      (tile0,tile1,...,rest0,rest1,...)
//
// Where an extent is not a multiple of the tile, the rest is rounded up: the last tile runs beyond
// A, and predicates are the user's job. Where A has several modes that are not even, each extent is
// rounded up for itself, as long as the walk (Composition.h) is regular; otherwise it is refused.
//
//     logical_divide((6,8):(8,1), (3,4))        = ((3,2),(4,2)):((8,24),(1,4))
//     logical_divide((6,8):(8,1), (3,4):(1,3))  = ((3,(2,2)),4):((8,(24,1)),2)
//     zipped_divide((6,8):(8,1), (3,4))         = ((3,4),(2,2)):((8,1),(24,4))
//     tiled_divide((6,8):(8,1), (3,4))          = ((3,4),2,2):((8,1),24,4)
//     flat_divide((6,8):(8,1), (3,4))           = (3,4,2,2):(8,1,24,4)
//
// A hole in a zipped, tiled or flat divide: the mode counts as divided already, with its mode 0 as
// tile and the others as rest; a mode that is no pair of tile and rest is refused.
#pragma once

#include <concepts>

#include "cutwork/Layout/ComposedLayout.h"
#include "cutwork/Layout/Tiler.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

Expected<Layout> logical_divide(const Layout& a, const Tiler& tiler);
Expected<Layout> zipped_divide(const Layout& a, const Tiler& tiler);
Expected<Layout> tiled_divide(const Layout& a, const Tiler& tiler);
Expected<Layout> flat_divide(const Layout& a, const Tiler& tiler);
Expected<AnyLayout> logical_divide(const AnyLayout& a, const Tiler& tiler);
Expected<AnyLayout> zipped_divide(const AnyLayout& a, const Tiler& tiler);
Expected<AnyLayout> tiled_divide(const AnyLayout& a, const Tiler& tiler);
Expected<AnyLayout> flat_divide(const AnyLayout& a, const Tiler& tiler);

/// Whether the tiles of `tiler` cover `shape` exactly. A tiler deeper or longer than the shape does
/// not.
///     evenly_divides((9,(8,8)), (3)) = true;  evenly_divides(16, 12) = false
Truth evenly_divides(const IntTuple& shape, const Tiler& tiler);
Expected<IntTuple> ceilDivByTiler(const IntTuple& shape, const Tiler& tiler);
/// ceil_div by a tiler: by the number of different coordinates of each of its layouts.
///     ceil_div((16,16), [4:1, 8:1]) = (4,2)
Expected<IntTuple> ceil_div(const IntTuple& shape, const std::same_as<Tiler> auto& tiler) {
  return ceilDivByTiler(shape, tiler);
}

}  // namespace cutwork::cute

#pragma GCC visibility pop

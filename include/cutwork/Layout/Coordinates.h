// cutwork/Layout/Coordinates.h -- coordinates to values and back.
#pragma once

#include <functional>
#include <vector>

#include "cutwork/Layout/ComposedLayout.h"
#include "cutwork/Layout/Layout.h"
#include "cutwork/Support/Status.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// L(coord): the layout as a function (Layout.h). The coordinate is weakly congruent to the shape;
/// a hole counts as 0. An integer where the shape has a tuple is split colexicographically.
///     crd2idx((1,2), (4,8):(1,4)) = 9;   crd2idx(9, (4,8):(1,4)) = 9
///     crd2idx((1,2), (4,8):(1@1,1@0)) = (2,1)
/// A result of integer strides that depends on a dynamic integer is computed in 64 bits, whatever
/// the widths of coordinate and strides; a coordinate tuple keeps the wider width of its terms.
/// Refuses a coordinate of another profile and a negative static one that would have to be split.
Expected<IntTuple> crd2idx(const IntTuple& coord, const Layout& layout);
Expected<IntTuple> crd2idx(const IntTuple& coord, const AnyLayout& layout);
/// The linear coordinate: the value of the compact layout of `shape`, first mode fastest.
///     crd2idx((1,2), (4,8)) = 9
Expected<IntTuple> crd2idx(const IntTuple& coord, const IntTuple& shape);

/// The natural coordinate of a linear one, the inverse of crd2idx(coord, shape) for
/// 0 <= index < size. A tuple of indices is split mode by mode.
///     idx2crd(11, (5,4)) = (1,2)
Expected<IntTuple> idx2crd(const IntTuple& index, const IntTuple& shape);
/// The coordinate at which shape:stride has the value `index`, leaf by leaf: (index / stride) mod
/// extent, and 0 where the stride is 0. The inverse of crd2idx where shape:stride is compact.
///     idx2crd(7, (1,(2,2)), (0,(1,2))) = (0,(1,1))
Expected<IntTuple> idx2crd(const IntTuple& index, const IntTuple& shape, const IntTuple& stride);

/// The next coordinate in colexicographic order, congruent to `coord`; after the last one, the last
/// mode runs on. `coord` is congruent to `shape`.
///     increment_coord((2,2,2), (3,3,3)) = (0,0,3)
Expected<IntTuple> increment_coord(const IntTuple& coord, const IntTuple& shape);

/// Calls `visit` with the values at the linear coordinates 0 .. size-1 in order. Refuses dynamic
/// layouts and more than kMaxVisited values.
inline constexpr std::int64_t kMaxVisited = 1 << 20;
Status for_each_value(const AnyLayout& layout, const std::function<void(const IntTuple&)>& visit);
/// The same as a list, of at most kMaxEvaluated values (a tuple takes more than a kilobyte).
inline constexpr std::int64_t kMaxEvaluated = 1 << 16;
Expected<std::vector<IntTuple>> evaluate(const AnyLayout& layout);

}  // namespace cutwork::cute

#pragma GCC visibility pop

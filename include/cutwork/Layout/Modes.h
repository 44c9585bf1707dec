// cutwork/Layout/Modes.h -- picking modes of tuples and layouts, and grouping them anew.
//
// Each works on an IntTuple (a shape, a coordinate) and on a layout, where it works on shape and
// strides alike. Modes count from 0. A selection keeps the wrapping of a tuple:
// select((2,(3,4)),{1}) is ((3,4)); get drops it: get((2,(3,4)),{1}) is (3,4).
#pragma once

#include <initializer_list>
#include <span>

#include "cutwork/Layout/ComposedLayout.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// A list of mode numbers.
using ModeList = std::initializer_list<int>;

/// The modes `modes`, in that order, as a tuple.
///     select((2,3,5), {2,0}) = (5,2)
Expected<IntTuple> select(const IntTuple& t, std::span<const int> modes);
Expected<Layout> select(const Layout& t, std::span<const int> modes);
inline Expected<IntTuple> select(const IntTuple& t, ModeList modes) {
  return select(t, std::span<const int>(modes.begin(), modes.size()));
}
inline Expected<Layout> select(const Layout& t, ModeList modes) {
  return select(t, std::span<const int>(modes.begin(), modes.size()));
}

/// The mode reached by the path `path` downwards; an empty path is the whole.
///     get((2,(3,5)), {1,0}) = 3
Expected<IntTuple> get(const IntTuple& t, std::span<const int> path);
Expected<Layout> get(const Layout& t, std::span<const int> path);
inline Expected<IntTuple> get(const IntTuple& t, ModeList path) {
  return get(t, std::span<const int>(path.begin(), path.size()));
}
inline Expected<Layout> get(const Layout& t, ModeList path) {
  return get(t, std::span<const int>(path.begin(), path.size()));
}

/// The modes [begin, end) as a tuple.
///     take((2,3,5), 1, 3) = (3,5)
Expected<IntTuple> take(const IntTuple& t, int begin, int end);
Expected<Layout> take(const Layout& t, int begin, int end);

/// The modes [begin, end) made one mode.
///     group((2,3,5,7), 1, 3) = (2,(3,5),7)
Expected<IntTuple> group(const IntTuple& t, int begin, int end);
Expected<Layout> group(const Layout& t, int begin, int end);

/// One more mode at the end (append) or the start (prepend); with a rank, `element` as often as it
/// takes to reach it, none if it is reached. A leaf becomes a tuple first. A layout's new mode
/// keeps the strides that `element` has.
///     append((8,8):(1,8), (2):(1)) = (8,8,(2)):(1,8,(1));  prepend(9:1, 5:4, 3) = (5,5,9):(4,4,1)
Expected<IntTuple> append(const IntTuple& t, const IntTuple& element);
Expected<Layout> append(const Layout& t, const Layout& element);
Expected<IntTuple> append(const IntTuple& t, const IntTuple& element, int rank);
Expected<Layout> append(const Layout& t, const Layout& element, int rank);
Expected<IntTuple> prepend(const IntTuple& t, const IntTuple& element);
Expected<Layout> prepend(const Layout& t, const Layout& element);
Expected<IntTuple> prepend(const IntTuple& t, const IntTuple& element, int rank);
Expected<Layout> prepend(const Layout& t, const Layout& element, int rank);

}  // namespace cutwork::cute

#pragma GCC visibility pop

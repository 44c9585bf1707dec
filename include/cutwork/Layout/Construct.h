// cutwork/Layout/Construct.h -- layouts from shapes.
//
// The default is compact with the first mode fastest (column-major, "left"): strides are the
// running products of the extents. A mode of extent 1 gets stride 0, since no coordinate uses it.
#pragma once

#include <initializer_list>
#include <span>

#include "cutwork/Layout/Layout.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// The compact layout of `shape`, first mode fastest; a layout unchanged.
///     make_layout((4,8)) = (4,8):(1,4)
Expected<Layout> make_layout(const IntTuple& shape);
/// shape:stride (Layout::make).
Expected<Layout> make_layout(const IntTuple& shape, const IntTuple& stride);
/// The layout whose modes are these layouts.
///     make_layout({4:1, (2,3):(8,16)}) = (4,(2,3)):(1,(8,16))
Expected<Layout> make_layout(std::initializer_list<LayoutView> modes);
Expected<Layout> make_layout(std::span<const Layout> modes);

/// Compact, first mode fastest: make_layout(shape).
///     make_layout_left((2,(3,4))) = (2,(3,4)):(1,(2,6))
Expected<Layout> make_layout_left(const IntTuple& shape);
/// Compact, last mode fastest (row-major).
///     make_layout_right((4,8)) = (4,8):(8,1)
Expected<Layout> make_layout_right(const IntTuple& shape);

/// The mode with the smallest order is fastest: a mode's stride is the product of the extents of
/// all modes of smaller order. So different orders make it compact, and modes of equal order start
/// at the same stride, as in CuTe C++. `order` is weakly congruent to `shape`: an integer orders
/// the whole mode, which is compact inside, first mode fastest.
///     make_ordered_layout((32,16,8), (2,0,1)) = (32,16,8):(128,1,16)
Expected<Layout> make_ordered_layout(const IntTuple& shape, const IntTuple& order);

/// Compact with the shape of `layout` and the order of its strides, equal ones from left to right;
/// stride 0 stays 0. Dynamic strides
/// come after all static ones, from left to right. Refuses basis strides.
///     make_layout_like((2,3,4,5):(0,42,1,0)) = (2,3,4,5):(0,4,1,0)
Expected<Layout> make_layout_like(LayoutView layout);

/// The layout that maps every natural coordinate to itself.
///     make_identity_layout((4,(2,3))) = (4,(2,3)):(1@0,(1@0@1,1@1@1));  of 4: 4:1
Expected<Layout> make_identity_layout(const IntTuple& shape);

}  // namespace cutwork::cute

#pragma GCC visibility pop

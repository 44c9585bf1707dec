// cutwork/Layout/Tiler.h -- what tiles a layout: a layout, a shape, or tilers by mode.
//
// Definition. A tiler is one of
//
//     layout    s:d, which applies to all coordinates of the tiled layout at once; n means n:1
//     by mode   one tiler for each mode from the first on, written (a,_,b) when its entries are
//               integers and [a, _, [b, c]] otherwise. It may have fewer modes than the layout
//     hole      _, which leaves its mode as it is
//
// These are three different things: (3,4) tiles mode 0 by 3 and mode 1 by 4; (3,4):(1,3) is a
// layout that takes 12 consecutive elements through both modes.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "cutwork/Layout/Layout.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

class Tiler {
 public:
  enum class Kind { Layout, ByMode, Hole };

  Tiler(Layout layout) : layout_(std::move(layout)) {}
  Tiler(LayoutView view) : layout_(view) {}
  /// n:1; 1 is 1:0.
  Tiler(Int n) : layout_(Layout::leaf(n, IntTuple(n.is(1) ? 0 : 1))) {}
  Tiler(std::int64_t n) : Tiler(Int(n)) {}
  Tiler(int n) : Tiler(Int(n)) {}
  /// By mode: {3, 4}, {layout, Tiler::hole()}.
  Tiler(std::initializer_list<Tiler> modes)
      : Tiler(byMode(std::vector<Tiler>(modes.begin(), modes.end()))) {}
  static Tiler byMode(std::vector<Tiler> modes);
  static Tiler hole();
  /// A shape, by mode; an integer n is n:1. Refuses basis elements and extents that are not
  /// positive.
  static Expected<Tiler> fromShape(IntTupleView shape);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool isLayout() const { return kind_ == Kind::Layout; }
  [[nodiscard]] bool isByMode() const { return kind_ == Kind::ByMode; }
  [[nodiscard]] bool isHole() const { return kind_ == Kind::Hole; }
  /// Precondition: isLayout().
  [[nodiscard]] const Layout& layout() const { return layout_; }
  /// Precondition: isByMode().
  [[nodiscard]] const std::vector<Tiler>& modes() const { return modes_; }
  /// `(3,_,4)`, `[2:1, _]`, `8:1`.
  [[nodiscard]] std::string text() const;

 private:
  Tiler() = default;
  [[nodiscard]] bool isShape() const;
  Kind kind_ = Kind::Layout;
  Layout layout_;
  std::vector<Tiler> modes_;
};

/// The shape of a tiler: of each mode its shape, holes stay holes.
///     tiler_shape([2:1, _]) = (2,_)
Expected<IntTuple> tiler_shape(const Tiler& tiler);

/// A layout that composes with any layout as the tiler does: modes become basis strides.
///     tiler_to_layout((4,5,(6,7))) = (4,5,(6,7)):(1@0,1@1,(1@0@2,1@1@2))
/// Refuses a tiler with holes.
Expected<Layout> tiler_to_layout(const Tiler& tiler);

}  // namespace cutwork::cute

#pragma GCC visibility pop

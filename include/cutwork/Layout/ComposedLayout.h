// cutwork/Layout/ComposedLayout.h -- a function after an offset after a layout: A o offset o B.
//
// Definition. (A o offset o B)(c) = A(offset + B(c)), where A is a swizzle or a layout.
// Coordinates, shape, size and all of the algebra are B's: an operation changes B and keeps A and
// the offset, so a swizzled shared-memory layout is divided, sliced and composed like its outer
// layout B.
//
//     S<3,4,3> o 0 o (32,8):(1,32)     its value at (0,4) is S(128) = 128 ^ 16 = 144
#pragma once

#include <string>
#include <variant>

#include "cutwork/Layout/Layout.h"
#include "cutwork/Layout/Swizzle.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

class ComposedLayout {
 public:
  using Inner = std::variant<Swizzle, Layout>;

  /// inner o offset o outer. Refuses an offset that the inner function cannot take (a swizzle wants
  /// an integer) and an outer layout whose values it cannot take.
  static Expected<ComposedLayout> make(Inner inner, IntTuple offset, Layout outer);

  [[nodiscard]] const Inner& inner() const { return inner_; }
  [[nodiscard]] const IntTuple& offset() const { return offset_; }
  [[nodiscard]] const Layout& outer() const { return outer_; }
  [[nodiscard]] const Swizzle* swizzle() const { return std::get_if<Swizzle>(&inner_); }
  /// Shape and strides of the outer layout, for size, rank, depth.
  operator LayoutView() const { return outer_.view(); }
  /// The same with another outer layout.
  [[nodiscard]] ComposedLayout withOuter(Layout outer) const;
  /// `S<3,4,3> o 0 o (32,8):(1,32)`.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const ComposedLayout&, const ComposedLayout&) = default;

 private:
  ComposedLayout(Inner inner, IntTuple offset, Layout outer);
  Inner inner_;
  IntTuple offset_;
  Layout outer_;
};

/// ComposedLayout::make by its CuTe name.
Expected<ComposedLayout> make_composed_layout(ComposedLayout::Inner inner, IntTuple offset,
                                              Layout outer);

/// A plain layout or a composed one; what most operations take.
class AnyLayout {
 public:
  AnyLayout(Layout layout) : value_(std::move(layout)) {}
  AnyLayout(ComposedLayout layout) : value_(std::move(layout)) {}
  explicit AnyLayout(LayoutView view) : value_(Layout(view)) {}

  /// The layout if it is plain, else null.
  [[nodiscard]] const Layout* plain() const { return std::get_if<Layout>(&value_); }
  [[nodiscard]] const ComposedLayout* composed() const {
    return std::get_if<ComposedLayout>(&value_);
  }
  /// The layout whose coordinates and shape these are: itself, or the outer one.
  [[nodiscard]] const Layout& outer() const { return plain() ? *plain() : composed()->outer(); }
  operator LayoutView() const { return outer().view(); }
  /// The same function of other coordinates: itself becomes `outer`, or its outer layout does.
  [[nodiscard]] AnyLayout withOuter(Layout outer) const;
  /// `f` applied to the outer layout.
  template <class F>
  [[nodiscard]] Expected<AnyLayout> map(F&& f) const {
    Expected<Layout> changed = f(outer());
    if (!changed) return std::move(changed).takeError();
    return withOuter(*std::move(changed));
  }
  [[nodiscard]] std::string text() const { return plain() ? plain()->text() : composed()->text(); }
  friend bool operator==(const AnyLayout&, const AnyLayout&) = default;

 private:
  std::variant<Layout, ComposedLayout> value_;
};

}  // namespace cutwork::cute

#pragma GCC visibility pop

// Composition.cpp -- A after B, by layout and by mode, and composed layouts.
#include "cutwork/Layout/Composition.h"

#include "ComplementModes.h"
#include "Compose.h"
#include "FlatModes.h"
#include "Refusal.h"
#include "Walk.h"

namespace cutwork::cute {

namespace {

Status composeInto(LayoutBuilder& out, Walker& walker, LayoutView b,
                   Rounding rounding = Rounding::Exact) {
  if (b.isLeaf())
    return walker.walk(out, {b.shape.value(), b.stride.value(), b.stride.basis()}, rounding);
  out.open();
  for (int i = 0; i < b.rank(); ++i) {
    auto done = composeInto(out, walker, b[i], rounding);
    if (!done) return inMode(std::move(done).takeError(), i);
  }
  out.close();
  return Success{};
}

Status composeInto(LayoutBuilder& out, LayoutView a, const Tiler& b) {
  if (b.isHole()) {
    out.append(a);
    return Success{};
  }
  if (b.isLayout()) {
    Walker walker(a);
    CW_DO(composeInto(out, walker, b.layout().view()));
    return walker.finish();
  }
  int rank = static_cast<int>(b.modes().size());
  if (rank > a.rank()) return refuse("the tiler {} has more modes than {}", b.text(), a.text());
  out.open();
  for (int i = 0; i < rank; ++i) {
    auto done = composeInto(out, a[i], b.modes()[static_cast<std::size_t>(i)]);
    if (!done) return inMode(std::move(done).takeError(), i);
  }
  out.close();
  return Success{};
}

}  // namespace

Expected<Layout> compose(LayoutView a, LayoutView b) {
  LayoutBuilder out;
  Walker walker(a);
  CW_DO(composeInto(out, walker, b));
  CW_DO(walker.finish());
  return out.finish();
}

Expected<Layout> compose(LayoutView a, const Tiler& b) {
  LayoutBuilder out;
  CW_DO(composeInto(out, a, b));
  return out.finish();
}

// Whether some integers between the modes of a tile are left to other tiles.
static bool hasGapInside(LayoutView tile) {
  auto sorted = sortedByStride(filteredModes(tile));
  if (!sorted) return true;
  for (std::size_t i = 0; i + 1 < sorted->size(); ++i) {
    const FlatMode& mode = (*sorted)[i];
    if (equal(mode.stride * mode.extent, (*sorted)[i + 1].stride) != Truth::Yes) return true;
  }
  return false;
}

Expected<Layout> composePair(LayoutView a, LayoutView tile, LayoutView rest) {
  LayoutBuilder out;
  Walker walker(a);
  out.open();
  auto done = composeInto(out, walker, tile);
  if (!done) return std::move(done).takeError().within("the tile: ");
  done = composeInto(out, walker, rest, Rounding::Up);
  if (!done) return std::move(done).takeError().within("the tiles: ");
  if (walker.roundedUp() && hasGapInside(tile)) {
    return refuse(
        "the tile {} has a gap and does not divide {} evenly, so that elements would be left out",
        tile.text(), a.text());
  }
  CW_DO(walker.finish());
  out.close();
  return out.finish();
}

Expected<Layout> composition(const Layout& a, const Layout& b) {
  return named(compose(a.view(), b.view()), "composition", a, b);
}

Expected<Layout> composition(const Layout& a, const Tiler& b) {
  return named(compose(a.view(), b), "composition", a, b);
}

Expected<AnyLayout> composition(const AnyLayout& a, const Tiler& b) {
  auto result = a.map([&](const Layout& outer) { return compose(outer.view(), b); });
  return named(std::move(result), "composition", a, b);
}

Expected<AnyLayout> composition(const AnyLayout& a, const ComposedLayout& b) {
  auto compute = [&]() -> Expected<AnyLayout> {
    if (!a.plain() || b.swizzle() == nullptr || !(b.offset() == IntTuple(0))) {
      return refuse("only a plain layout after a swizzled one with offset 0 is supported");
    }
    CW_TRY(Int reach, cosize(b.outer().view()));
    Truth inside = lessEqualPositive(reach, size(a.plain()->view()));
    if (inside != Truth::Yes) {
      return refuse(
          "{} {}beyond the size of {}, where a swizzle can not move through it", b.outer().text(),
          inside == Truth::No ? "reaches " : "is not known not to reach ", a.plain()->text());
    }
    CW_TRY(Swizzle moved, swizzleThrough(*b.swizzle(), *a.plain()));
    CW_TRY(Layout outer, compose(a.plain()->view(), b.outer().view()));
    CW_TRY(ComposedLayout made, ComposedLayout::make(moved, 0, std::move(outer)));
    return AnyLayout(std::move(made));
  };
  return named(compute(), "composition", a, b);
}

}  // namespace cutwork::cute

// ComposedLayout.cpp -- a swizzle or layout after an offset after a layout.
#include "cutwork/Layout/ComposedLayout.h"

#include "Refusal.h"

namespace cutwork::cute {

ComposedLayout::ComposedLayout(Inner inner, IntTuple offset, Layout outer)
    : inner_(std::move(inner)), offset_(std::move(offset)), outer_(std::move(outer)) {}

Expected<ComposedLayout> ComposedLayout::make(Inner inner, IntTuple offset, Layout outer) {
  ComposedLayout composed(std::move(inner), std::move(offset), std::move(outer));
  if (composed.swizzle() != nullptr) {
    if (!composed.offset_.isInt()) {
      return refuse("make_composed_layout: a swizzle takes integers, not the offset {} [{}]",
                    composed.offset_.text(), composed.text());
    }
    if (hasBasisStrides(composed.outer_)) {
      return refuse(
          "make_composed_layout: a swizzle takes integers, not the coordinates of {} [{}]",
          composed.outer_.text(), composed.text());
    }
  }
  for (const Node& node : composed.offset_.view().nodes()) {
    if (node.kind == NodeKind::Hole || node.basis.depth() != 0) {
      return refuse("make_composed_layout: the offset is made of integers [{}]", composed.text());
    }
  }
  return composed;
}

ComposedLayout ComposedLayout::withOuter(Layout outer) const {
  return ComposedLayout(inner_, offset_, std::move(outer));
}

std::string ComposedLayout::text() const {
  std::string inner = swizzle() ? swizzle()->text() : std::get<Layout>(inner_).text();
  return inner + " o " + offset_.text() + " o " + outer_.text();
}

Expected<ComposedLayout> make_composed_layout(ComposedLayout::Inner inner, IntTuple offset,
                                              Layout outer) {
  return ComposedLayout::make(std::move(inner), std::move(offset), std::move(outer));
}

AnyLayout AnyLayout::withOuter(Layout outer) const {
  if (plain()) return AnyLayout(std::move(outer));
  return AnyLayout(composed()->withOuter(std::move(outer)));
}

}  // namespace cutwork::cute

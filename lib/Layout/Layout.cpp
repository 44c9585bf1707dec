// Layout.cpp -- what a layout may be, its size and cosize.
#include "cutwork/Layout/Layout.h"

#include "CoordinateSum.h"
#include "Refusal.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

Expected<IntTuple> checkExtents(IntTuple shape) {
  for (const Node& node : shape.view().nodes()) {
    if (node.kind == NodeKind::Tuple) continue;
    if (node.kind == NodeKind::Hole || node.basis.depth() != 0) {
      return refuse("the shape {} has an entry that is no integer", shape.text());
    }
    if (node.integer.isStatic() && node.integer.value() <= 0) {
      return refuse("extents are positive, but the shape is {}", shape.text());
    }
  }
  return checked(std::move(shape));
}

Expected<IntTuple> checkStrides(IntTuple stride) {
  for (const Node& node : stride.view().nodes()) {
    if (node.kind == NodeKind::Hole) return refuse("the stride {} has a hole", stride.text());
  }
  return checked(std::move(stride));
}

Expected<Layout> makeLayout(IntTuple shape, IntTuple stride) {
  CW_TRY(IntTuple extents, checkExtents(std::move(shape)));
  CW_TRY(IntTuple strides, checkStrides(std::move(stride)));
  if (!congruent(extents, strides)) {
    return refuse("shape {} and stride {} have different profiles", extents.text(), strides.text());
  }
  return Layout::fromParts(std::move(extents), std::move(strides));
}

}  // namespace

Expected<Layout> Layout::make(IntTuple shape, IntTuple stride) {
  auto layout = makeLayout(std::move(shape), std::move(stride));
  if (!layout) return std::move(layout).takeError().within("make_layout: ");
  return layout;
}

Expected<Layout> Layout::fromParts(Expected<IntTuple> shape, Expected<IntTuple> stride) {
  if (!shape) return std::move(shape).takeError();
  if (!stride) return std::move(stride).takeError();
  return Layout(Checked(), *std::move(shape), *std::move(stride));
}

Int size(LayoutView layout) { return product(layout.shape); }

bool hasBasisStrides(LayoutView layout) {
  for (const Node& node : layout.stride.nodes()) {
    if (node.kind == NodeKind::Integer && node.basis.depth() != 0) return true;
  }
  return false;
}

bool isStatic(IntTupleView tuple) {
  for (const Node& node : tuple.nodes()) {
    if (node.kind == NodeKind::Integer && node.integer.isDynamic()) return false;
  }
  return true;
}

bool isStatic(LayoutView layout) { return isStatic(layout.shape) && isStatic(layout.stride); }

Truth equal(LayoutView a, LayoutView b) {
  return std::min(equal(a.shape, b.shape), equal(a.stride, b.stride));
}

namespace {

// The sum of (s-1)*|d| by basis, plus one at each leaf.
Expected<IntTuple> extentOfValues(LayoutView layout) {
  CoordinateSum sum;
  std::span<const Node> shape = layout.shape.nodes();
  std::span<const Node> stride = layout.stride.nodes();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].kind != NodeKind::Integer) continue;
    sum.add(stride[i].basis, (shape[i].integer - 1) * abs(stride[i].integer));
  }
  return sum.finish(1);
}

}  // namespace

Expected<IntTuple> coshape(LayoutView layout) {
  return named(extentOfValues(layout), "coshape", layout);
}

Expected<Int> cosize(LayoutView layout) {
  auto extents = extentOfValues(layout);
  if (!extents) return named(std::move(extents).takeError(), "cosize", layout);
  return named(checked(product(*extents)), "cosize", layout);
}

}  // namespace cutwork::cute

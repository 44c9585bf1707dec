// Construct.cpp -- compact layouts from shapes and orders, identity layouts.
#include "cutwork/Layout/Construct.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "Refusal.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

Int strideFor(Int extent, Int running) { return extent.is(1) ? Int(0) : running; }

// Strides of the leaves of `shape` in order, starting from `running`, which they move on.
void compactStrides(IntTupleBuilder& out, IntTupleView shape, Int& running) {
  if (shape.isTuple()) {
    out.open();
    for (IntTupleView mode : shape) compactStrides(out, mode, running);
    out.close();
    return;
  }
  out.leaf(strideFor(shape.value(), running));
  running = running * shape.value();
}

// One integer for each node of `shape`, written at its leaves.
IntTuple withLeaves(IntTupleView shape, const std::vector<Int>& values) {
  IntTupleBuilder out;
  const Node* first = shape.nodes().data();
  auto write = [&](auto& self, IntTupleView t) -> void {
    if (t.isLeaf()) return out.leaf(values[static_cast<std::size_t>(t.nodes().data() - first)]);
    out.open();
    for (IntTupleView mode : t) self(self, mode);
    out.close();
  };
  write(write, shape);
  return out.take();
}

// Compact strides with the last leaf fastest.
IntTuple suffixStrides(IntTupleView shape) {
  std::span<const Node> nodes = shape.nodes();
  std::vector<Int> strides(nodes.size());
  Int running = 1;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].kind != NodeKind::Integer) continue;
    strides[i] = strideFor(nodes[i].integer, running);
    running = running * nodes[i].integer;
  }
  return withLeaves(shape, strides);
}

// A part of the shape with one place in the order.
struct Ordered {
  IntTupleView shape;
  std::int64_t order;
  std::size_t position;
};

Status collectOrder(std::vector<Ordered>& parts, IntTupleView shape, IntTupleView order) {
  if (order.isLeaf()) {
    if (!order.isInt() || !order.value().isStatic())
      return refuse("the order {} is not a static integer", order.text());
    parts.push_back({shape, order.value().value(), parts.size()});
    return Success{};
  }
  if (shape.isLeaf() || shape.rank() != order.rank()) {
    return refuse("the order {} does not fit the shape {}", order.text(), shape.text());
  }
  for (int i = 0; i < order.rank(); ++i) {
    auto done = collectOrder(parts, shape[i], order[i]);
    if (!done) return inMode(std::move(done).takeError(), i);
  }
  return Success{};
}

// By order, then from left to right.
void sortByOrder(std::vector<Ordered>& parts) {
  std::sort(parts.begin(), parts.end(), [](const Ordered& a, const Ordered& b) {
    return std::tie(a.order, a.position) < std::tie(b.order, b.position);
  });
}

// Compact strides given to the parts by their order, written in the profile of `shape`.
Expected<IntTuple> stridesInOrder(IntTupleView shape, std::vector<Ordered> parts) {
  sortByOrder(parts);
  std::span<const Node> nodes = shape.nodes();
  std::vector<Int> strides(nodes.size());
  Int running = 1;
  Int next = 1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && parts[i].order != parts[i - 1].order) running = next;
    Int place = running;
    for (const Node& node : parts[i].shape.nodes()) {
      if (node.kind != NodeKind::Integer) continue;
      strides[static_cast<std::size_t>(&node - nodes.data())] = strideFor(node.integer, place);
      place = place * node.integer;
      next = next * node.integer;
    }
  }
  CW_TRY([[maybe_unused]] Int total, checked(next));
  return checked(withLeaves(shape, strides));
}

Expected<Layout> orderedLayout(const IntTuple& shape, const IntTuple& order) {
  std::vector<Ordered> parts;
  CW_DO(collectOrder(parts, shape, order));
  CW_TRY(IntTuple strides, stridesInOrder(shape, std::move(parts)));
  return Layout::make(shape, std::move(strides));
}

Expected<Layout> layoutLike(LayoutView layout) {
  std::vector<Ordered> parts;
  std::span<const Node> shape = layout.shape.nodes();
  std::span<const Node> stride = layout.stride.nodes();
  constexpr std::int64_t kAfterAll = INT64_MAX;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].kind != NodeKind::Integer || stride[i].integer.is(0)) continue;
    if (stride[i].basis.depth() != 0)
      return refuse("the stride {} is a coordinate", layout.stride.text());
    Int magnitude = abs(stride[i].integer);
    IntTupleView leaf(&shape[i]);
    parts.push_back({leaf, magnitude.isStatic() ? magnitude.value() : kAfterAll, parts.size()});
  }
  // Equal strides follow one another, so that the result is compact.
  sortByOrder(parts);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].order = static_cast<std::int64_t>(i);
  CW_TRY(IntTuple strides, stridesInOrder(layout.shape, std::move(parts)));
  return Layout::fromParts(IntTuple(layout.shape), std::move(strides));
}

Status identityStrides(IntTupleBuilder& out, IntTupleView shape, BasisPath path) {
  if (shape.isLeaf()) {
    out.leaf(1, path);
    return Success{};
  }
  if (path.depth() == BasisPath::kMaxDepth || shape.rank() > BasisPath::kMaxMode + 1) {
    return refuse("basis strides reach {} levels of nesting and {} modes", BasisPath::kMaxDepth,
                  BasisPath::kMaxMode + 1);
  }
  out.open();
  for (int i = 0; i < shape.rank(); ++i) {
    BasisPath inner = path;
    inner.push(i);
    CW_DO(identityStrides(out, shape[i], inner));
  }
  out.close();
  return Success{};
}

Expected<Layout> identityLayout(const IntTuple& shape) {
  IntTupleBuilder strides;
  CW_DO(identityStrides(strides, shape, {}));
  return Layout::make(shape, strides.take());
}

Expected<Layout> concatenate(std::span<const LayoutView> modes) {
  LayoutBuilder out;
  out.open();
  for (const LayoutView& mode : modes) out.append(mode);
  out.close();
  return out.finish();
}

}  // namespace

Expected<Layout> make_layout_left(const IntTuple& shape) {
  IntTupleBuilder strides;
  Int running = 1;
  compactStrides(strides, shape, running);
  if (auto total = checked(running); !total)
    return named(std::move(total).takeError(), "make_layout", shape);
  return Layout::make(shape, strides.take());
}

Expected<Layout> make_layout(const IntTuple& shape) { return make_layout_left(shape); }

Expected<Layout> make_layout(const IntTuple& shape, const IntTuple& stride) {
  return Layout::make(shape, stride);
}

Expected<Layout> make_layout(std::initializer_list<LayoutView> modes) {
  return concatenate({modes.begin(), modes.size()});
}

Expected<Layout> make_layout(std::span<const Layout> modes) {
  std::vector<LayoutView> views(modes.begin(), modes.end());
  return concatenate(views);
}

Expected<Layout> make_layout_right(const IntTuple& shape) {
  auto total = checked(product(shape));
  if (!total) return named(std::move(total).takeError(), "make_layout_right", shape);
  return Layout::make(shape, suffixStrides(shape));
}

Expected<Layout> make_ordered_layout(const IntTuple& shape, const IntTuple& order) {
  return named(orderedLayout(shape, order), "make_ordered_layout", shape, order);
}

Expected<Layout> make_layout_like(LayoutView layout) {
  return named(layoutLike(layout), "make_layout_like", layout);
}

Expected<Layout> make_identity_layout(const IntTuple& shape) {
  return named(identityLayout(shape), "make_identity_layout", shape);
}

}  // namespace cutwork::cute

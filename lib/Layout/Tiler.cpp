// Tiler.cpp -- making and printing tilers, and tilers as layouts with basis strides.
#include "cutwork/Layout/Tiler.h"

#include "Refusal.h"

namespace cutwork::cute {

Tiler Tiler::byMode(std::vector<Tiler> modes) {
  Tiler t;
  t.kind_ = Kind::ByMode;
  t.modes_ = std::move(modes);
  return t;
}

Tiler Tiler::hole() {
  Tiler t;
  t.kind_ = Kind::Hole;
  return t;
}

Expected<Tiler> Tiler::fromShape(IntTupleView shape) {
  if (shape.isHole()) return Tiler::hole();
  if (shape.isBasis()) return refuse("the tiler entry {} is no extent", shape.text());
  if (shape.isLeaf()) {
    if (shape.value().isStatic() && shape.value().value() <= 0) {
      return refuse("the tiler entry {} is not positive", shape.text());
    }
    return Tiler(shape.value());
  }
  std::vector<Tiler> modes;
  for (IntTupleView entry : shape) {
    CW_TRY(Tiler mode, fromShape(entry));
    modes.push_back(std::move(mode));
  }
  return byMode(std::move(modes));
}

bool Tiler::isShape() const {
  if (isByMode())
    return std::all_of(modes_.begin(), modes_.end(), [](const Tiler& m) { return m.isShape(); });
  if (isHole()) return true;
  Int unit = layout_.shape().isInt() && layout_.shape().value().is(1) ? 0 : 1;
  return layout_.shape().isLeaf() && layout_.stride() == IntTuple(unit);
}

std::string Tiler::text() const {
  if (isHole()) return "_";
  if (isLayout()) return layout_.text();
  bool shape = isShape();
  std::string out = shape ? "(" : "[";
  for (const Tiler& mode : modes_) {
    if (out.size() > 1) out += shape ? "," : ", ";
    out += shape && mode.isLayout() ? mode.layout().shape().text() : mode.text();
  }
  return out + (shape ? ")" : "]");
}

namespace {

void shapeInto(IntTupleBuilder& out, const Tiler& tiler) {
  if (tiler.isHole()) return out.hole();
  if (tiler.isLayout()) return out.append(tiler.layout().shape());
  out.open();
  for (const Tiler& mode : tiler.modes()) shapeInto(out, mode);
  out.close();
}

void scaleByBasis(LayoutBuilder& out, LayoutView layout, BasisPath outer) {
  if (layout.isLeaf()) {
    BasisPath path = outer;
    for (int i = 0; i < layout.stride.basis().depth(); ++i) path.push(layout.stride.basis()[i]);
    return out.leaf(layout.shape.value(), layout.stride.value(), path);
  }
  out.open();
  for (int i = 0; i < layout.rank(); ++i) scaleByBasis(out, layout[i], outer);
  out.close();
}

Status layoutInto(LayoutBuilder& out, const Tiler& tiler, BasisPath path) {
  if (tiler.isHole()) return refuse("a hole has no layout");
  if (tiler.isLayout()) {
    scaleByBasis(out, tiler.layout(), path);
    return Success{};
  }
  if (path.depth() == BasisPath::kMaxDepth ||
      static_cast<std::int64_t>(tiler.modes().size()) > BasisPath::kMaxMode) {
    return refuse("the tiler is nested or long beyond what basis strides can name");
  }
  out.open();
  int index = 0;
  for (const Tiler& mode : tiler.modes()) {
    BasisPath inner = path;
    inner.push(index++);
    CW_DO(layoutInto(out, mode, inner));
  }
  out.close();
  return Success{};
}

}  // namespace

Expected<IntTuple> tiler_shape(const Tiler& tiler) {
  IntTupleBuilder out;
  shapeInto(out, tiler);
  return out.finish();
}

Expected<Layout> tiler_to_layout(const Tiler& tiler) {
  LayoutBuilder out;
  auto done = layoutInto(out, tiler, {});
  if (!done) return named(std::move(done).takeError(), "tiler_to_layout", tiler);
  return named(out.finish(), "tiler_to_layout", tiler);
}

}  // namespace cutwork::cute

// Remap.cpp -- the leaves of tuples, layouts and tensors.
#include "cutwork/DSL/Remap.h"

#include "DSL/Trace.h"

namespace cutwork::cute {

Numeric remap(Remap& r, const Numeric& x) { return x.isConstant() ? x : r.numeric(x); }
Pointer remap(Remap& r, const Pointer& x) { return r.pointer(x); }
Int remap(Remap& r, Int x) { return x.isDynamic() ? r.integer(x) : x; }

IntTuple remap(Remap& r, const IntTuple& x) {
  if (isStatic(x.view())) return x;
  if (x.isTuple()) {
    std::vector<IntTuple> modes;
    for (IntTupleView mode : x) modes.push_back(remap(r, IntTuple(mode)));
    return IntTuple(std::span<const IntTuple>(modes));
  }
  return IntTuple::basis(r.integer(x.value()), x.view().basis());
}

Layout remap(Remap& r, const Layout& x) {
  IntTuple shape = remap(r, x.shape());
  return Layout::fromParts(std::move(shape), remap(r, x.stride())).value();
}

ComposedLayout remap(Remap& r, const ComposedLayout& x) {
  ComposedLayout::Inner inner = x.inner();
  if (const auto* layout = std::get_if<Layout>(&x.inner())) inner = remap(r, *layout);
  IntTuple offset = remap(r, x.offset());
  return ComposedLayout::make(std::move(inner), std::move(offset), remap(r, x.outer())).value();
}

AnyLayout remap(Remap& r, const AnyLayout& x) {
  if (x.plain()) return remap(r, *x.plain());
  return remap(r, *x.composed());
}

Tensor remap(Remap& r, const Tensor& x) {
  if (x.isCoordinate()) {
    IntTuple start = remap(r, x.start());
    return {start, remap(r, x.layout())};
  }
  Pointer pointer = remap(r, x.iterator());
  return {pointer, remap(r, x.layout())};
}

Tiler remap(Remap& r, const Tiler& x) {
  if (x.isLayout()) return remap(r, x.layout());
  if (x.isHole()) return x;
  std::vector<Tiler> modes;
  for (const Tiler& mode : x.modes()) modes.push_back(remap(r, mode));
  return Tiler::byMode(std::move(modes));
}

}  // namespace cutwork::cute

// Tensor.cpp -- tensors: slicing, loads and stores, the algebra on their layouts.
#include "cutwork/DSL/Tensor.h"

#include <fmt/format.h>

#include "DSL/Arithmetic.h"
#include "DSL/Pointers.h"
#include "DSL/Vectors.h"
#include "cutwork/DSL/Control.h"
#include "cutwork/Layout/Coalesce.h"
#include "cutwork/Layout/Composition.h"
#include "cutwork/Layout/Construct.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/Divide.h"
#include "cutwork/Layout/Modes.h"
#include "cutwork/Layout/Partition.h"
#include "cutwork/Layout/Recast.h"
#include "cutwork/Layout/Slice.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

// Locates the algebra's ops, where a trace runs; host layouts need none.
void locate(Where where) {
  if (Trace* trace = Trace::find()) trace->locate(where);
}

Tensor moved(const Tensor& t, const IntTuple& offset, AnyLayout layout, Where where) {
  if (t.isCoordinate()) {
    bool nothing = offset.isInt() && offset.value().is(0);
    IntTuple start = nothing ? t.start() : orRefuse(tuple_add(t.start(), offset), where);
    return {start, std::move(layout)};
  }
  if (!offset.isInt()) {
    refuse(fmt::format("the layout {} gives coordinates, not offsets into memory", layout.text()),
           where);
  }
  return {advance(Trace::at(where), t.iterator(), offset.value(), where), std::move(layout)};
}

Tensor relaid(const Tensor& t, Expected<AnyLayout> layout, Where where) {
  AnyLayout made = orRefuse(std::move(layout), where);
  if (t.isCoordinate()) return {t.start(), std::move(made)};
  return {t.iterator(), std::move(made)};
}

void checkStatic(const Tensor& t, std::string_view what, Where where) {
  if (t.isCoordinate()) {
    refuse(
        fmt::format("{}: {} is a coordinate tensor, it has no elements in memory", what, t.text()),
        where);
  }
  checkVectorShape(what, t.shape(), where);
}

// A coordinate of an element has no _ in it.
void checkWhole(const IntTuple& coord, Where where) {
  auto isHole = [](const Node& node) { return node.kind == NodeKind::Hole; };
  if (std::ranges::none_of(coord.view().nodes(), isHole)) return;
  refuse(fmt::format("the coordinate {} keeps modes, which makes a sub-tensor and no element: "
                     "use t.slice(coord), or give _ as an argument of its own",
                     coord.text()),
         where);
}

// Registers beyond the last are other registers, or none.
void checkRegister(const Tensor& t, const IntTuple& coord, const IntTuple& offset, Where where) {
  if (t.memspace() != AddressSpace::rmem || t.layout().plain() == nullptr) return;
  if (!offset.value().isStatic()) return;
  std::int64_t count = orRefuse(cosize(*t.layout().plain()), where).value();
  if (offset.value().value() >= 0 && offset.value().value() < count) return;
  refuse(fmt::format("the register tensor of layout {} has no element {}", t.layout().text(),
                     coord.text()),
         where);
}

// Of a composed layout too: its value, not the offset that slicing keeps inside.
Pointer addressOf(const Tensor& t, const IntTuple& coord, Where where) {
  Trace& trace = Trace::at(where);
  checkWhole(coord, where);
  IntTuple offset = orRefuse(crd2idx(coord, t.layout()), where);
  if (!offset.isInt()) refuse("the layout gives coordinates, not offsets into memory", where);
  checkRegister(t, coord, offset, where);
  return advance(trace, t.iterator(), offset.value(), where);
}

}  // namespace

Tensor Tensor::slice(const IntTuple& coord, Where where) const {
  locate(where);
  OffsetLayout part = orRefuse(slice_and_offset(coord, layout_), where);
  return moved(*this, part.offset, std::move(part.layout), where);
}

const Pointer& Tensor::iterator() const {
  if (pointer_) return *pointer_;
  refuse(fmt::format("{} is a coordinate tensor, it has no elements in memory", text()),
         lastPlace());
}

TensorSSA Tensor::load(Where where) const {
  checkStatic(*this, "load", where);
  Trace& trace = Trace::at(where);
  mlir::Value vector;
  if (const Layout* plain = layout_.plain()) {
    vector = loadVector(trace, iterator(), *plain, where);
  } else {
    llvm::SmallVector<mlir::Value> elements;
    for (std::int64_t i = 0; i < size(*this).value(); ++i) {
      mlir::Value one = loadVector(trace, addressOf(*this, IntTuple(i), where),
                                   Layout::leaf(1, IntTuple(0)), where);
      elements.push_back(elementOf(trace, one, 0));
    }
    vector = makeVector(trace, elements);
  }
  return {element_type(), shape(), trace.wrap(fromStorage(trace, vector, element_type()))};
}

void Tensor::store(const VectorOperand& value) const {
  Where where = value.where();
  checkStatic(*this, "store", where);
  const TensorSSA& x = value.value();
  if (x.type() != element_type()) {
    refuse(fmt::format("store: a vector of {} to elements of {}; convert it first: x.to({})",
                       name(x.type()), name(element_type()), name(element_type())),
           where);
  }
  if (x.size() != size(*this).value()) {
    refuse(fmt::format("store: a vector of shape {} ({} elements) to a tensor of shape {} ({})",
                       x.shape().text(), x.size(), shape().text(), size(*this).text()),
           where);
  }
  Trace& trace = Trace::at(where);
  mlir::Value vector = toStorage(trace, trace.use(x.value(), where), element_type());
  if (const Layout* plain = layout_.plain()) {
    storeVector(trace, vector, iterator(), *plain, where);
    return;
  }
  for (std::int64_t i = 0; i < x.size(); ++i) {
    storeVector(trace, makeVector(trace, {elementOf(trace, vector, i)}),
                addressOf(*this, IntTuple(i), where), Layout::leaf(1, IntTuple(0)), where);
  }
}

void Tensor::fill(const Arg& value) const {
  Where where = value.where();
  // Of memory more than a vector has, one element after the other.
  bool many = !isCoordinate() && memspace() != AddressSpace::rmem && isStatic(shape().view()) &&
              size(*this).value() > kMostVectorElements;
  if (many) {
    for_(Arg(0, where), Arg(size(*this), where),
         [&](const Numeric& i) { Element(*this, IntTuple(i.toInt(where)), where).store(value); });
    return;
  }
  checkStatic(*this, "fill", value.where());
  store(VectorOperand(full(shape(), value, element_type()), value.where()));
}

std::string Tensor::text() const {
  return fmt::format("tensor<{} o {}>", pointer_ ? pointer_->text() : start_.text(),
                     layout_.text());
}

Numeric Element::load(Where where) const {
  if (tensor_.isCoordinate()) return Arg(coordinate(where), where).value();
  return addressOf(tensor_, coord_, where).load(where);
}

void Element::store(const Arg& value) const {
  Where where = value.where();
  if (tensor_.isCoordinate()) refuse("a coordinate tensor cannot be written", where);
  addressOf(tensor_, coord_, where).store(value);
}

IntTuple Element::coordinate(Where where) const {
  locate(where);
  if (!tensor_.isCoordinate()) return IntTuple(load(where).toInt(where));
  checkWhole(coord_, where);
  IntTuple at = orRefuse(crd2idx(coord_, tensor_.layout()), where);
  return orRefuse(tuple_add(tensor_.start(), at), where);
}

Arg::Arg(const Element& element, Where where) : value_(element.load(where)), where_(where) {}

Boolean elem_less(const Coordinate& a, const Coordinate& b) {
  Where where = a.where();
  locate(where);
  Int less = orRefuse(elemLess(a.value(), b.value()), where);
  return Arg(less, where);
}

Tensor make_tensor(const Pointer& pointer, const AnyLayout& layout) { return {pointer, layout}; }

Tensor make_tensor(const Pointer& pointer, const Layout& layout) { return {pointer, layout}; }
Tensor make_tensor(const Pointer& pointer, const ComposedLayout& layout) {
  return {pointer, layout};
}

Tensor make_identity_tensor(const Coordinate& shape) {
  locate(shape.where());
  Layout layout = orRefuse(make_identity_layout(shape.value()), shape.where());
  IntTuple zero = orRefuse(repeat_like(0, shape.value()), shape.where());
  return {zero, layout};
}

Tensor make_rmem_tensor(const AnyLayout& layout, DType type, Where where) {
  LayoutView view = layout;
  if (!isStatic(view)) {
    refuse(fmt::format("make_rmem_tensor: registers have a static layout, not {}", layout.text()),
           where);
  }
  if (const Layout* plain = layout.plain()) {
    for (const Node& node : plain->stride().view().nodes()) {
      if (node.kind == NodeKind::Tuple || node.integer.divisor() == 0) continue;
      if (node.basis.depth() != 0 || node.integer.value() < 0) {
        refuse(fmt::format("make_rmem_tensor: strides of registers are not negative, and no "
                           "coordinates; the layout is {}",
                           layout.text()),
               where);
      }
    }
  }
  Trace& trace = Trace::at(where);
  std::int64_t count = std::max<std::int64_t>(orRefuse(cosize(view), where).value(), 1);
  constexpr std::int64_t kAlignment = 32;
  mlir::Value slot = makeSlot(trace, storageType(trace, type), count, kAlignment);
  return {wrapPointer(trace, slot, type, AddressSpace::rmem), layout};
}

Tensor make_rmem_tensor(const Layout& layout, DType type, Where where) {
  return make_rmem_tensor(AnyLayout(layout), type, where);
}

Tensor make_rmem_tensor(const IntTuple& shape, DType type, Where where) {
  return make_rmem_tensor(AnyLayout(orRefuse(make_layout(shape), where)), type, where);
}

Tensor make_fragment_like(const Tensor& like, DType type, Where where) {
  if (!isStatic(like.shape().view())) {
    refuse(fmt::format("make_fragment_like: registers have a static shape, not {}",
                       like.shape().text()),
           where);
  }
  // Dynamic strides and coordinates have no order: the shape alone decides then.
  const Layout& outer = like.layout().outer();
  bool ordered = isStatic(outer.view()) && !hasBasisStrides(outer);
  Layout layout = orRefuse(ordered ? make_layout_like(outer) : make_layout(outer.shape()), where);
  return make_rmem_tensor(AnyLayout(layout), type, where);
}

Tensor make_fragment_like(const Tensor& like, Where where) {
  if (like.isCoordinate()) {
    refuse("make_fragment_like: a coordinate tensor has no element type; name one", where);
  }
  return make_fragment_like(like, like.element_type(), where);
}

Tensor recast_tensor(const Tensor& t, DType type, Where where) {
  if (t.isCoordinate()) refuse("recast_tensor: a coordinate tensor has no elements", where);
  AnyLayout layout =
      orRefuse(recast_layout(storageBits(type), storageBits(t.element_type()), t.layout()), where);
  return {t.iterator().recast(type, where), layout};
}

Tensor logical_divide(const Tensor& t, const Tiler& tiler, Where where) {
  locate(where);
  return relaid(t, logical_divide(t.layout(), tiler), where);
}
Tensor zipped_divide(const Tensor& t, const Tiler& tiler, Where where) {
  locate(where);
  return relaid(t, zipped_divide(t.layout(), tiler), where);
}
Tensor tiled_divide(const Tensor& t, const Tiler& tiler, Where where) {
  locate(where);
  return relaid(t, tiled_divide(t.layout(), tiler), where);
}
Tensor flat_divide(const Tensor& t, const Tiler& tiler, Where where) {
  locate(where);
  return relaid(t, flat_divide(t.layout(), tiler), where);
}
Tensor composition(const Tensor& t, const Tiler& tiler, Where where) {
  locate(where);
  return relaid(t, composition(t.layout(), tiler), where);
}
Tensor coalesce(const Tensor& t, Where where) {
  locate(where);
  return relaid(t, coalesce(t.layout()), where);
}
Tensor group_modes(const Tensor& t, int begin, int end, Where where) {
  locate(where);
  return relaid(t, t.layout().map([&](const Layout& l) { return group(l, begin, end); }), where);
}

Tensor domain_offset(const IntTuple& coord, const Tensor& t, Where where) {
  locate(where);
  OffsetLayout part = orRefuse(domain_offset(coord, t.layout()), where);
  return moved(t, part.offset, std::move(part.layout), where);
}
Tensor local_tile(const Tensor& t, const Tiler& tiler, const IntTuple& coord, Where where) {
  locate(where);
  OffsetLayout part = orRefuse(local_tile(t.layout(), tiler, coord), where);
  return moved(t, part.offset, std::move(part.layout), where);
}
Tensor local_tile(const Tensor& t, const Tiler& tiler, const IntTuple& coord, const IntTuple& proj,
                  Where where) {
  locate(where);
  OffsetLayout part = orRefuse(local_tile(t.layout(), tiler, coord, proj), where);
  return moved(t, part.offset, std::move(part.layout), where);
}
Tensor local_partition(const Tensor& t, const Layout& threads, const Arg& index, Where where) {
  locate(where);
  Int at = index.value().toInt(where);
  Int count = size(threads);
  if (at.isStatic() && count.isStatic() && (at.value() < 0 || at.value() >= count.value())) {
    refuse(
        fmt::format("local_partition: there is no thread {} among {}", at.value(), threads.text()),
        where);
  }
  OffsetLayout part = orRefuse(local_partition(t.layout(), threads, at), where);
  return moved(t, part.offset, std::move(part.layout), where);
}

}  // namespace cutwork::cute

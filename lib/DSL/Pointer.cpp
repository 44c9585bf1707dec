// Pointer.cpp -- pointer arithmetic, loads and stores.
#include "cutwork/DSL/Pointer.h"

#include <fmt/format.h>

#include <bit>
#include <numeric>

#include "DSL/Arithmetic.h"
#include "DSL/Pointers.h"
#include "DSL/Vectors.h"
#include "cutwork/Layout/Layout.h"

namespace cutwork::cute {

namespace {

// The largest power of two that divides both.
std::int64_t commonAlignment(std::int64_t a, std::int64_t b) {
  std::int64_t common = std::gcd(a, b);
  return common & -common;
}

Pointer recastAs(const Pointer& p, DType type, std::int64_t alignment, const Swizzle& swizzle,
                 Where where) {
  Trace& trace = Trace::at(where);
  mlir::Value value = trace.use(p.value(), where);
  mlir::Type to = pointerType(trace, type, p.space(), alignment, swizzle);
  if (to != value.getType()) {
    value = ir::Recast::create(trace.builder(), trace.here(), to, value);
  }
  return {trace.wrap(value), type, p.space(), alignment, swizzle};
}

bool isShared(AddressSpace space) {
  return space == AddressSpace::smem || space == AddressSpace::dsmem;
}

Layout one() { return Layout::leaf(1, IntTuple(0)); }

}  // namespace

std::string_view name(AddressSpace space) {
  constexpr std::string_view kNames[] = {"generic", "gmem", "smem", "rmem", "dsmem"};
  return kNames[static_cast<std::size_t>(space)];
}

ir::Space spaceOf(AddressSpace space) {
  switch (space) {
    case AddressSpace::gmem: return ir::Space::Gmem;
    case AddressSpace::smem: return ir::Space::Smem;
    case AddressSpace::rmem: return ir::Space::Rmem;
    case AddressSpace::dsmem: return ir::Space::Dsmem;
    default: return ir::Space::Generic;
  }
}

ir::PtrType pointerType(Trace& trace, DType type, AddressSpace space, std::int64_t alignment,
                        const Swizzle& swizzle) {
  mlir::Type element = storageType(trace, type);
  if (swizzle.isIdentity()) {
    return ir::PtrType::get(&trace.context(), element, spaceOf(space), alignment);
  }
  return ir::PtrType::get(&trace.context(), element, spaceOf(space), alignment, swizzle.bits(),
                          swizzle.base(), swizzle.shift());
}

Pointer wrapPointer(Trace& trace, mlir::Value value, DType type, AddressSpace space) {
  return {trace.wrap(value), type, space, mlir::cast<ir::PtrType>(value.getType()).getAlignment()};
}

llvm::SmallVector<mlir::Value> dynamicLeaves(Trace& trace, const Layout& layout, Where where) {
  llvm::SmallVector<mlir::Value> values;
  for (const IntTuple* tuple : {&layout.shape(), &layout.stride()}) {
    for (const Node& node : tuple->view().nodes()) {
      if (node.kind == NodeKind::Tuple || !node.integer.isDynamic()) continue;
      values.push_back(trace.use(node.integer, node.integer.width(), where));
    }
  }
  return values;
}

void checkReachable(Trace& trace, const Pointer& pointer, Where where) {
  bool ofDevice = pointer.space() == AddressSpace::gmem || isShared(pointer.space());
  if (trace.kernel() != nullptr || !ofDevice) return;
  refuse(fmt::format("the host function cannot read or write {} memory (here of {}); do it in a "
                     "kernel, or pass an array on the host",
                     name(pointer.space()), pointer.text()),
         where);
}

mlir::Value loadVector(Trace& trace, const Pointer& pointer, const Layout& layout, Where where) {
  checkReachable(trace, pointer, where);
  mlir::Value address = trace.use(pointer.value(), where);
  auto leaves = dynamicLeaves(trace, layout, where);
  auto type = mlir::VectorType::get({size(layout).value()}, storageType(trace, pointer.type()));
  return ir::Load::create(trace.builder(), trace.here(), type, address, layout.text(), leaves,
                          mlir::Value());
}

void storeVector(Trace& trace, mlir::Value vector, const Pointer& pointer, const Layout& layout,
                 Where where) {
  checkReachable(trace, pointer, where);
  mlir::Value address = trace.use(pointer.value(), where);
  auto leaves = dynamicLeaves(trace, layout, where);
  ir::Store::create(trace.builder(), trace.here(), vector, address, layout.text(), leaves,
                    mlir::Value());
}

Pointer advance(Trace& trace, const Pointer& p, Int elements, Where where) {
  if (elements.is(0)) return p;
  std::int64_t alignment = p.alignment();
  if (elements.divisor() != 0) {
    alignment = commonAlignment(alignment, elements.divisor() * elementBytes(p.type()));
  }
  bool wide = p.space() == AddressSpace::gmem || p.space() == AddressSpace::generic ||
              elements.width() == Width::I64;
  mlir::Value base = trace.use(p.value(), where);
  mlir::Value offset = trace.use(elements, wide ? Width::I64 : Width::I32, where);
  mlir::Type type = pointerType(trace, p.type(), p.space(), alignment, p.swizzle());
  mlir::Value moved = ir::AddOffset::create(trace.builder(), trace.here(), type, base, offset);
  return {trace.wrap(moved), p.type(), p.space(), alignment, p.swizzle()};
}

Pointer Pointer::align(std::int64_t bytes, Where where) const {
  if (bytes <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(bytes))) {
    refuse(fmt::format("align: an alignment is a power of two, not {}", bytes), where);
  }
  return recastAs(*this, type_, std::max(bytes, alignment_), swizzle_, where);
}

Pointer Pointer::recast(DType type, Where where) const {
  return recastAs(*this, type, alignment_, swizzle_, where);
}

Pointer Pointer::withSwizzle(Swizzle swizzle, Where where) const {
  if (!swizzle.isIdentity() && std::int64_t{1} << swizzle.base() < elementBytes(type_)) {
    refuse(
        fmt::format("the swizzle {} keeps {} bytes together, an element of {} has {}: the base "
                    "of a pointer's swizzle is in bytes",
                    swizzle.text(), std::int64_t{1} << swizzle.base(), text(), elementBytes(type_)),
        where);
  }
  return recastAs(*this, type_, alignment_, swizzle, where);
}

Numeric Pointer::load(Where where) const {
  Trace& trace = Trace::at(where);
  mlir::Value vector = loadVector(trace, *this, one(), where);
  mlir::Value element = elementOf(trace, vector, 0);
  return {type_, trace.wrap(fromStorage(trace, element, type_))};
}

Numeric asElement(const Arg& value, DType type) {
  const bool sameKind = isFloat(value.type()) == isFloat(type);
  const bool narrows =
      !value.isWeak() && value.type() != type && (!sameKind || width(value.type()) > width(type));
  if (narrows) {
    refuse(fmt::format("a {} is stored to an element of type {}; convert it first: x.to({})",
                       name(value.type()), name(type), name(type)),
           value.where());
  }
  return value.fit(type);
}

void Pointer::store(const Arg& value) const {
  Where where = value.where();
  Trace& trace = Trace::at(where);
  mlir::Value element = toStorage(trace, trace.use(asElement(value, type_), where), type_);
  storeVector(trace, makeVector(trace, {element}), *this, one(), where);
}

Numeric Pointer::toint(Where where) const {
  Trace& trace = Trace::at(where);
  bool wide =
      space_ == AddressSpace::generic || space_ == AddressSpace::gmem || trace.kernel() == nullptr;
  mlir::Type type = trace.builder().getIntegerType(wide ? 64 : 32);
  mlir::Value value =
      ir::PtrToInt::create(trace.builder(), trace.here(), type, trace.use(value_, where));
  return {wide ? DType::Int64 : DType::Int32, trace.wrap(value)};
}

std::string Pointer::text() const {
  std::string align =
      alignment_ == elementBytes(type_) ? "" : fmt::format(", align<{}>", alignment_);
  std::string swizzle = swizzle_.isIdentity() ? "" : ", " + swizzle_.text();
  return fmt::format("ptr<{}, {}{}{}>", shortName(type_), name(space_), align, swizzle);
}

Pointer operator+(const Pointer& pointer, const Arg& elements) {
  Trace& trace = Trace::at(elements.where());
  return advance(trace, pointer, elements.value().toInt(elements.where()), elements.where());
}

Pointer operator-(const Pointer& pointer, const Arg& elements) {
  Trace& trace = Trace::at(elements.where());
  return advance(trace, pointer, -elements.value().toInt(elements.where()), elements.where());
}

Pointer make_ptr(DType type, const Arg& address, AddressSpace space, std::int64_t alignment) {
  Where where = address.where();
  Trace& trace = Trace::at(where);
  if (alignment == 0) alignment = elementBytes(type);
  if (alignment < 0 || !std::has_single_bit(static_cast<std::uint64_t>(alignment))) {
    refuse(fmt::format("make_ptr: an alignment is a power of two, not {}", alignment), where);
  }
  if (isFloat(address.type())) {
    refuse(fmt::format("make_ptr: an address is an integer, not {}", address.value().text()),
           where);
  }
  if (space == AddressSpace::rmem) refuse("make_ptr: registers have no address", where);
  DType wide = isShared(space) ? DType::Int32 : DType::Int64;
  mlir::Value number = trace.use(address.to(wide), where);
  mlir::Value value = ir::IntToPtr::create(trace.builder(), trace.here(),
                                           pointerType(trace, type, space, alignment, {}), number);
  return {trace.wrap(value), type, space, alignment};
}

}  // namespace cutwork::cute

// MemoryOps.cpp -- verification of the ops that move data.
#include "IR/CopyVerifier.h"
#include "IR/Cute.h"
#include "IR/LayoutText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#define GET_OP_CLASSES
#include "IR/MemoryOps.cpp.inc"

namespace cutwork::ir {

namespace {

// What cute.load and cute.store have in common.
mlir::LogicalResult verifyAccess(mlir::Operation* op, PtrType pointer, llvm::StringRef layout,
                                 std::size_t dynamicOperands, mlir::VectorType vector) {
  auto shape = readLayoutText({layout.data(), layout.size()});
  if (!shape)
    return op->emitOpError() << "layout \"" << layout << "\": " << shape.error().message();
  if (shape->dynamicLeaves != dynamicOperands) {
    return op->emitOpError() << "layout \"" << layout << "\" has " << shape->dynamicLeaves
                             << " dynamic leaves, but there are " << dynamicOperands
                             << " operands for them";
  }
  if (vector.getRank() != 1 || vector.getNumElements() != shape->size) {
    return op->emitOpError() << "layout \"" << layout << "\" has " << shape->size
                             << " elements, the vector is " << vector;
  }
  if (vector.getElementType() != pointer.getElement()) {
    return op->emitOpError() << "the vector's elements are " << vector.getElementType()
                             << ", the pointer's " << pointer.getElement();
  }
  return mlir::success();
}

}  // namespace

mlir::LogicalResult AddOffset::verify() {
  PtrType from = getSource().getType();
  PtrType to = getResult().getType();
  bool same = from.getElement() == to.getElement() && from.getSpace() == to.getSpace() &&
              from.getBits() == to.getBits() && from.getBase() == to.getBase() &&
              from.getShift() == to.getShift();
  if (!same) {
    return emitOpError() << "an offset keeps element, space and swizzle: " << from << " became "
                         << to;
  }
  if (to.getAlignment() > from.getAlignment()) {
    return emitOpError() << "an offset adds no alignment: " << from.getAlignment() << " became "
                         << to.getAlignment();
  }
  return mlir::success();
}

mlir::OpFoldResult Recast::fold(FoldAdaptor /*operands*/) {
  return getSource().getType() == getType() ? getSource() : mlir::Value();
}

mlir::LogicalResult Recast::verify() {
  PtrType from = getSource().getType();
  PtrType to = getResult().getType();
  if (from.getSpace() == to.getSpace()) return mlir::success();
  return emitOpError() << "a recast keeps the memory space: " << from << " became " << to;
}

namespace {

mlir::LogicalResult verifyAddress(mlir::Operation* op, Space space, mlir::Type number) {
  bool small = space == Space::Smem || space == Space::Rmem || space == Space::Dsmem;
  if (number.isInteger(64) || (small && number.isInteger(32))) return mlir::success();
  return op->emitOpError() << "an address in " << stringifySpace(space) << " has "
                           << (small ? "32 or 64" : "64") << " bits, not "
                           << number.getIntOrFloatBitWidth();
}

}  // namespace

mlir::LogicalResult PtrToInt::verify() {
  return verifyAddress(*this, getSource().getType().getSpace(), getResult().getType());
}

mlir::LogicalResult IntToPtr::verify() {
  Space space = getResult().getType().getSpace();
  if (space == Space::Rmem) return emitOpError() << "registers have no address";
  return verifyAddress(*this, space, getSource().getType());
}

mlir::LogicalResult SmemBase::verify() {
  constexpr std::int64_t kAlignment = 1024;
  PtrType type = getResult().getType();
  if (type.getSpace() != Space::Smem) {
    return emitOpError() << "dynamic shared memory is in smem, not "
                         << stringifySpace(type.getSpace());
  }
  if (type.getAlignment() <= kAlignment) return mlir::success();
  return emitOpError() << "dynamic shared memory is aligned to " << kAlignment << " bytes, not to "
                       << type.getAlignment();
}

namespace {

mlir::LogicalResult verifyName(mlir::Operation* op, llvm::StringRef what, llvm::StringRef name,
                               llvm::ArrayRef<llvm::StringRef> known) {
  if (llvm::is_contained(known, name)) return mlir::success();
  return op->emitOpError() << what << " is one of " << llvm::join(known, ", ") << ", not " << name;
}

mlir::LogicalResult verifyAtomic(mlir::Operation* op, PtrType pointer, mlir::Type value,
                                 llvm::StringRef order, llvm::StringRef scope) {
  if (pointer.getElement() != value) {
    return op->emitOpError() << "the value is " << value << ", the pointer's elements are "
                             << pointer.getElement();
  }
  if (pointer.getSpace() == Space::Rmem) {
    return op->emitOpError() << "registers are of one thread: there are no atomics on rmem";
  }
  if (mlir::failed(verifyName(op, "an order", order, {"relaxed", "acquire", "release", "acq_rel"})))
    return mlir::failure();
  return verifyName(op, "a scope", scope, {"cta", "cluster", "gpu", "sys"});
}

}  // namespace

mlir::LogicalResult Copy::verify() { return verifyCopy(*this); }

mlir::LogicalResult AtomicRmw::verify() {
  if (mlir::failed(verifyName(*this, "a kind", getKind(),
                              {"add", "fadd", "and", "or", "xor", "xchg", "max", "min", "umax",
                               "umin", "fmax", "fmin"})))
    return mlir::failure();
  mlir::Type value = getValue().getType();
  bool forFloats = getKind().starts_with("f");
  if (getKind() != "xchg" && forFloats != mlir::isa<mlir::FloatType>(value)) {
    return emitOpError() << getKind() << " is for " << (forFloats ? "floats" : "integers")
                         << ", not " << value;
  }
  return verifyAtomic(*this, getPointer().getType(), value, getOrder(), getScope());
}

mlir::LogicalResult AtomicCas::verify() {
  if (!getValue().getType().isInteger())
    return emitOpError() << "compares integers, not " << getValue().getType();
  return verifyAtomic(*this, getPointer().getType(), getValue().getType(), getOrder(), getScope());
}

mlir::LogicalResult Alloca::verify() {
  if (getResult().getType().getSpace() != Space::Rmem) {
    return emitOpError() << "a slot is in rmem, not "
                         << stringifySpace(getResult().getType().getSpace());
  }
  if (getCount() == 0 || static_cast<std::int64_t>(getCount()) < 0)
    return emitOpError() << "a slot has at least one element";
  return mlir::success();
}

mlir::LogicalResult Load::verify() {
  return verifyAccess(*this, getPointer().getType(), getLayout(), getDynamic().size(),
                      mlir::cast<mlir::VectorType>(getResult().getType()));
}

mlir::LogicalResult Store::verify() {
  return verifyAccess(*this, getPointer().getType(), getLayout(), getDynamic().size(),
                      mlir::cast<mlir::VectorType>(getValue().getType()));
}

}  // namespace cutwork::ir

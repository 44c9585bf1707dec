// MemoryOps.cpp -- verification of the ops that move data.
#include "IR/Cute.h"
#include "IR/LayoutText.h"

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
  if (from.getElement() != to.getElement() || from.getSpace() != to.getSpace()) {
    return emitOpError() << "an offset keeps element and space: " << from << " became " << to;
  }
  if (to.getAlignment() > from.getAlignment()) {
    return emitOpError() << "an offset adds no alignment: " << from.getAlignment() << " became "
                         << to.getAlignment();
  }
  return mlir::success();
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

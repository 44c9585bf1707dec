// HostOps.cpp -- verification of the ops of host functions.
#include "IR/Cute.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define GET_OP_CLASSES
#include "IR/HostOps.cpp.inc"

namespace cutwork::ir {

mlir::LogicalResult Argument::verify() {
  auto function = getOperation()->getParentOfType<mlir::FunctionOpInterface>();
  if (!function || function.getNumArguments() != 2) {
    return emitOpError() << "stands in a host function, which has a context and its slots";
  }
  return mlir::success();
}

mlir::LogicalResult Launch::verify() {
  if (getExtents().size() == 9) return mlir::success();
  return emitOpError() << "a launch has nine extents, not " << getExtents().size();
}

mlir::LogicalResult Print::verify() {
  for (mlir::Type type : getValues().getTypes()) {
    if (type.isInteger(32) || type.isInteger(64) || type.isF64()) continue;
    return emitOpError() << "prints values of type i32, i64 and f64, not " << type;
  }
  return mlir::success();
}

}  // namespace cutwork::ir

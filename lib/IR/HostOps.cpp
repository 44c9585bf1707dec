// HostOps.cpp -- verification of the ops of host functions.
#include "IR/Cute.h"
#include "IR/FormatText.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define GET_OP_CLASSES
#include "IR/HostOps.cpp.inc"

namespace cutwork::ir {

namespace {

mlir::LogicalResult verifyHostFunction(mlir::Operation* op) {
  auto function = op->getParentOfType<mlir::FunctionOpInterface>();
  bool isKernel = function && function->getName().getStringRef() == "gpu.func";
  if (function && !isKernel && function.getNumArguments() == 2) return mlir::success();
  return op->emitOpError() << "stands in a host function, which has a context and its slots";
}

mlir::LogicalResult verifyConversion(mlir::Operation* op, std::string_view conversion,
                                     mlir::Type type) {
  auto takes = [&](llvm::StringRef wanted) {
    return op->emitOpError() << "\"" << conversion << "\" takes an " << wanted << ", not " << type;
  };
  Converted kind = kindOf(conversion);
  if (kind == Converted::Nothing) {
    return op->emitOpError() << "has a conversion that is none, \"" << conversion << "\"";
  }
  if (kind == Converted::Float) return type.isF64() ? mlir::success() : takes("f64");
  bool wide = isWide(conversion);
  return type.isInteger(wide ? 64 : 32) ? mlir::success() : takes(wide ? "i64" : "i32");
}

}  // namespace

mlir::LogicalResult Argument::verify() {
  if (mlir::failed(verifyHostFunction(*this))) return mlir::failure();
  if (auto slot = static_cast<std::int64_t>(getSlot()); slot < 0) {
    return emitOpError() << "a slot is counted from 0, not " << slot;
  }
  return mlir::success();
}

mlir::LogicalResult Launch::verify() {
  if (mlir::failed(verifyHostFunction(*this))) return mlir::failure();
  if (getExtents().size() == 9) return mlir::success();
  return emitOpError() << "a launch has nine extents, not " << getExtents().size();
}

mlir::LogicalResult Print::verify() {
  for (mlir::Type type : getValues().getTypes()) {
    if (type.isInteger(32) || type.isInteger(64) || type.isF64()) continue;
    return emitOpError() << "prints values of type i32, i64 and f64, not " << type;
  }
  auto conversions = conversionsOf({getFormat().data(), getFormat().size()});
  for (auto [conversion, type] : llvm::zip(conversions, getValues().getTypes())) {
    if (mlir::failed(verifyConversion(*this, conversion, type))) return mlir::failure();
  }
  if (conversions.size() == getValues().size()) return mlir::success();
  return emitOpError() << "the format has " << conversions.size() << " conversions, but there are "
                       << getValues().size() << " values";
}

}  // namespace cutwork::ir

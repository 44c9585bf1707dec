// Cute.cpp -- registration of the dialect, its types and their verification.
#include "IR/Cute.h"

#include <llvm/ADT/TypeSwitch.h>
#include <llvm/Support/MathExtras.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/DialectImplementation.h>

#include "IR/CuteDialect.cpp.inc"
#include "IR/CuteEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "IR/CuteTypes.cpp.inc"

namespace cutwork::ir {

void CuteDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "IR/CuteTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "IR/MemoryOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "IR/NumericOps.cpp.inc"
      >();
}

llvm::LogicalResult PtrType::verify(llvm::function_ref<mlir::InFlightDiagnostic()> error,
                                    mlir::Type element, Space /*space*/, std::int64_t alignment) {
  if (!element.isIntOrFloat()) return error() << "a pointer points to numbers, not to " << element;
  if (alignment <= 0 || !llvm::isPowerOf2_64(static_cast<std::uint64_t>(alignment))) {
    return error() << "an alignment is a power of two, not " << alignment;
  }
  return llvm::success();
}

}  // namespace cutwork::ir

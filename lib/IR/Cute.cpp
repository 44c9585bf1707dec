// Cute.cpp -- registration of the dialect, its types and their verification.
#include "IR/Cute.h"

#include <llvm/ADT/TypeSwitch.h>
#include <llvm/Support/MathExtras.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/DialectImplementation.h>

#include "cutwork/Layout/Swizzle.h"

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
  addOperations<
#define GET_OP_LIST
#include "IR/TileOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "IR/HostOps.cpp.inc"
      >();
}

llvm::LogicalResult PtrType::verify(llvm::function_ref<mlir::InFlightDiagnostic()> error,
                                    mlir::Type element, Space /*space*/, std::int64_t alignment,
                                    std::int64_t bits, std::int64_t base, std::int64_t shift) {
  if (!element.isIntOrFloat()) return error() << "a pointer points to numbers, not to " << element;
  if (alignment <= 0 || !llvm::isPowerOf2_64(static_cast<std::uint64_t>(alignment))) {
    return error() << "an alignment is a power of two, not " << alignment;
  }
  if (bits == 0) return llvm::success();
  auto swizzle = cute::Swizzle::make(bits, base, shift);
  if (!swizzle) return error() << swizzle.error().message();
  return llvm::success();
}

void requirePtx(mlir::Operation* module, int version) {
  constexpr llvm::StringLiteral kName = "cutwork.ptx";
  auto known = module->getAttrOfType<mlir::IntegerAttr>(kName);
  if (known && known.getInt() >= version) return;
  module->setAttr(kName, mlir::Builder(module->getContext()).getI32IntegerAttr(version));
}

}  // namespace cutwork::ir

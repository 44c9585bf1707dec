// CutePatterns.h -- the parts of the lowering of cute ops: types, and patterns by family.
#pragma once

#include <mlir/Transforms/DialectConversion.h>

namespace cutwork::transforms {

/// Pointers to LLVM's: in kernels by memory space (register data is on the stack, which LLVM
/// addresses generically), in host functions all the same.
class CuteTypeConverter : public mlir::TypeConverter {
 public:
  explicit CuteTypeConverter(bool host, int widestGlobal);
  /// Bits of the widest access to global memory.
  [[nodiscard]] int widestGlobal() const { return widestGlobal_; }

 private:
  int widestGlobal_;
};

void populateMemoryPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types);
void populatePointerPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types);
void populateCopyPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types);
void populateCopyAsyncPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types);
void populateGemmPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types);
void populateAtomicPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types);
void populateHostPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types);
void populatePrintPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types,
                           bool host);

}  // namespace cutwork::transforms

// Passes.h -- the passes from the cute dialect to LLVM, vector and arith ops.
#pragma once

#include <memory>

namespace mlir {
class Pass;
}

namespace cutwork::transforms {

/// cute ops but return_if to LLVM and vector ops, cute types to LLVM's, within gpu.module.
std::unique_ptr<mlir::Pass> createLowerCutePass();
/// cute.return_if to a branch to the exit block. Run on llvm.func without scf ops.
std::unique_ptr<mlir::Pass> createLowerReturnsPass();

}  // namespace cutwork::transforms

// KernelFunctions.h -- the pass that turns gpu.func into llvm.func.
#pragma once

#include <memory>

namespace mlir {
class Pass;
}

namespace cutwork::codegen {

/// gpu.func and gpu.return to llvm.func and llvm.return; kernels get nvvm.kernel, and their launch
/// bounds and argument attributes stay. Argument types must be LLVM's by now. MLIR's own
/// convert-gpu-to-nvvm would do it too, but first simplifies with a rewriter that merges equal
/// blocks.
std::unique_ptr<mlir::Pass> createKernelFunctionsPass();

}  // namespace cutwork::codegen

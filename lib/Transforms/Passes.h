// Passes.h -- the passes from the cute dialect to LLVM, vector and arith ops.
#pragma once

#include <memory>

#include "cutwork/Support/Target.h"

namespace mlir {
class Pass;
}

namespace cutwork::transforms {

/// cute ops but return_if to LLVM and vector ops, cute types to LLVM's, within gpu.module: with
/// accesses as wide as `target` has.
std::unique_ptr<mlir::Pass> createLowerCutePass(const Target& target = {80});
/// scf.for with static bounds unrolled fully where it asks for that, or indexes registers by its
/// counter. Before the cute ops are lowered.
std::unique_ptr<mlir::Pass> createUnrollLoopsPass();
/// llvm.loop_annotation of loops, on the branches that they became, to where it has an effect. Run
/// when all is in the LLVM dialect.
std::unique_ptr<mlir::Pass> createLoopAnnotationsPass();
/// cute.return_if to a branch to the exit block. Run on llvm.func without scf ops.
std::unique_ptr<mlir::Pass> createLowerReturnsPass();

/// math ops, and the arith ops that MLIR and LLVM do not lower rightly, to arith, scf and LLVM ops
/// within gpu.module (docs/math.md). Fails on a math op that it does not know.
std::unique_ptr<mlir::Pass> createLowerMathPass();
/// The same outside gpu.module, on the module: to LLVM ops and calls of libm.
std::unique_ptr<mlir::Pass> createLowerHostMathPass();

/// cute.convert, and arith.extf and truncf of f8, to arith and LLVM ops within gpu.module: with the
/// conversions that `target` has, else in integers.
std::unique_ptr<mlir::Pass> createLowerConvertPass(const Target& target = {80});
/// The same outside gpu.module, on the module, for a CPU.
std::unique_ptr<mlir::Pass> createLowerHostConvertPass();

}  // namespace cutwork::transforms

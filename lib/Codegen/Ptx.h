// Ptx.h -- a module of NVVM and LLVM dialect kernels to PTX: passes, translation, optimisation,
// text.
#pragma once

#include <string>

#include "cutwork/Support/Error.h"
#include "cutwork/Support/Target.h"

namespace mlir {
class DialectRegistry;
class ModuleOp;
class OpPassManager;
}  // namespace mlir

namespace cutwork::codegen {

struct PtxOptions {
  Target target;
  int optimisation = 3;   ///< LLVM's -O level, 0 to 3
  int ptxVersion = 0;     ///< 78 for 7.8; 0: the lowest that the target and the module need
  bool keepLlvm = false;  ///< also return the LLVM IR
};

struct PtxResult {
  std::string ptx;
  std::string llvm;                  ///< LLVM IR after optimisation, if asked for
  std::vector<std::string> remarks;  ///< what costs speed, `file:line: text`
};

/// Registers what lowering needs: the dialects, their translations and conversion interfaces.
void registerDeviceDialects(mlir::DialectRegistry& registry);

/// The passes from gpu, scf, arith, vector, memref and nvvm ops in gpu.module to LLVM dialect with
/// line information. Run on the builtin module. Conversions use what `target` has; without one,
/// what every target has.
void addDevicePasses(mlir::OpPassManager& passes, const Target& target = {80});

/// PTX of the one gpu.module in `module`, which addDevicePasses has lowered. An attribute
/// `cutwork.ptx` of it is the least PTX version that its instructions need. Every inline-assembly
/// call and every function is made convergent after translation: MLIR has no such flag, and without
/// it LLVM merges, copies and moves warp-synchronous instructions. LLVM's fatal errors come back as
/// errors.
Expected<PtxResult> emitPtx(mlir::ModuleOp module, const PtxOptions& options);

}  // namespace cutwork::codegen

// DevicePasses.cpp -- the passes from gpu and nvvm ops to the LLVM dialect.
#include <mlir/Conversion/ArithToLLVM/ArithToLLVM.h>
#include <mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h>
#include <mlir/Conversion/ConvertToLLVM/ToLLVMPass.h>
#include <mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h>
#include <mlir/Conversion/IndexToLLVM/IndexToLLVM.h>
#include <mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h>
#include <mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h>
#include <mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h>
#include <mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h>
#include <mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/ControlFlow/IR/ControlFlow.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/LLVMIR/NVVMDialect.h>
#include <mlir/Dialect/LLVMIR/Transforms/Passes.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/DialectRegistry.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h>
#include <mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h>
#include <mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h>
#include <mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>
#include <mlir/Transforms/Passes.h>

#include "IR/Cute.h"
#include "KernelFunctions.h"
#include "Ptx.h"
#include "Transforms/Passes.h"

namespace cutwork::codegen {

void registerDeviceDialects(mlir::DialectRegistry& registry) {
  registry.insert<ir::CuteDialect, mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  mlir::func::FuncDialect, mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect,
                  mlir::NVVM::NVVMDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
  // Without these convert-gpu-to-nvvm leaves the other dialects' ops as they are.
  mlir::arith::registerConvertArithToLLVMInterface(registry);
  mlir::cf::registerConvertControlFlowToLLVMInterface(registry);
  mlir::registerConvertFuncToLLVMInterface(registry);
  mlir::registerConvertMemRefToLLVMInterface(registry);
  mlir::registerConvertNVVMToLLVMInterface(registry);
  mlir::vector::registerConvertVectorToLLVMInterface(registry);
  mlir::index::registerConvertIndexToLLVMInterface(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
}

namespace {

// The canonicalizer's default merges blocks with equal operations. That would make one elect.sync
// of two that stand in the arms of a branch (seen; LLVM's convergent attribute comes too late for
// it).
std::unique_ptr<mlir::Pass> canonicalizer() {
  mlir::GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Normal);
  return mlir::createCanonicalizerPass(config);
}

}  // namespace

void addDevicePasses(mlir::OpPassManager& passes, const Target& target) {
  passes.addPass(canonicalizer());
  passes.addPass(mlir::createCSEPass());
  auto& device = passes.nest<mlir::gpu::GPUModuleOp>();
  device.addPass(transforms::createUnrollLoopsPass());
  device.addPass(transforms::createLowerConvertPass(target));
  device.addPass(transforms::createLowerCutePass(target));
  device.addPass(createKernelFunctionsPass());
  device.addPass(transforms::createLowerMathPass());
  device.addPass(mlir::createSCFToControlFlowPass());
  device.nest<mlir::LLVM::LLVMFuncOp>().addPass(transforms::createLowerReturnsPass());
  // By the dialects' interfaces: a dialect conversion, which leaves blocks as they are.
  device.addPass(mlir::createConvertToLLVMPass());
  device.addPass(mlir::createReconcileUnrealizedCastsPass());
  device.addPass(transforms::createLoopAnnotationsPass());
  device.addPass(canonicalizer());
  device.addPass(mlir::createCSEPass());
  // Directives only: the other kinds make ptxas turn optimisation off. Restricted to the outer
  // module.
  mlir::LLVM::DIScopeForLLVMFuncOpPassOptions lines;
  lines.emissionKind = mlir::LLVM::DIEmissionKind::DebugDirectivesOnly;
  passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass(lines));
}

}  // namespace cutwork::codegen

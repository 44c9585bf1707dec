// main.cpp -- cutwork-opt: passes on IR text, and with --emit-ptx=TARGET the PTX of a module.
//
//     cutwork-opt --cutwork-device-passes kernel.mlir
//     cutwork-opt --emit-ptx=sm_90a kernel.mlir
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/InitLLVM.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Pass/PassRegistry.h>
#include <mlir/Tools/mlir-opt/MlirOptMain.h>
#include <mlir/Transforms/Passes.h>

#include "Codegen/Ptx.h"
#include "Transforms/Passes.h"

namespace {

using namespace cutwork;

// `--emit-ptx=sm_90a FILE`: lowers FILE and prints its PTX.
int emitPtx(std::string_view targetName, const char* path) {
  auto target = Target::parse(targetName);
  if (!target) {
    llvm::errs() << "cutwork-opt: " << target.error().text() << '\n';
    return 2;
  }
  mlir::DialectRegistry registry;
  codegen::registerDeviceDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
  if (!module) return 2;
  mlir::PassManager passes(&context);
  codegen::addDevicePasses(passes, *target);
  if (mlir::failed(passes.run(*module))) return 70;
  codegen::PtxOptions options;
  options.target = *target;
  auto result = codegen::emitPtx(*module, options);
  if (!result) {
    llvm::errs() << "cutwork-opt: " << result.error().text() << '\n';
    return 70;
  }
  llvm::outs() << result->ptx;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::string_view kEmit = "--emit-ptx=";
  if (argc == 3 && std::string_view(argv[1]).starts_with(kEmit)) {
    return emitPtx(std::string_view(argv[1]).substr(kEmit.size()), argv[2]);
  }
  mlir::DialectRegistry registry;
  codegen::registerDeviceDialects(registry);
  registry.insert<mlir::func::FuncDialect>();
  mlir::registerTransformsPasses();
  mlir::registerPass([] { return transforms::createLowerCutePass(); });
  mlir::registerPass([] { return transforms::createLowerConvertPass(); });
  mlir::registerPass([] { return transforms::createLowerMathPass(); });
  mlir::registerPass([] { return transforms::createLowerHostConvertPass(); });
  mlir::registerPass([] { return transforms::createLowerHostMathPass(); });
  mlir::registerPass([] { return transforms::createLowerReturnsPass(); });
  mlir::registerPass([] { return transforms::createUnrollLoopsPass(); });
  mlir::registerPass([] { return transforms::createLoopAnnotationsPass(); });
  mlir::PassPipelineRegistration<> device(
      "cutwork-device-passes", "gpu, scf, arith and nvvm ops to the LLVM dialect",
      [](mlir::OpPassManager& passes) { codegen::addDevicePasses(passes); });
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Cutwork's passes\n", registry));
}

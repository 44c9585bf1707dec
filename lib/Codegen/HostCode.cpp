// HostCode.cpp -- host functions compiled by LLJIT.
#include "Codegen/HostCode.h"

#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/TargetSelect.h>
#include <mlir/Conversion/ConvertToLLVM/ToLLVMPass.h>
#include <mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h>
#include <mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Target/LLVMIR/Export.h>

#include <mutex>

#include "Transforms/Passes.h"

namespace cutwork::codegen {

namespace {

namespace orc = llvm::orc;

Error ofLlvm(std::string_view what, llvm::Error error) {
  return internalError(std::string(what) + ": " + llvm::toString(std::move(error)));
}

void initialiseOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

Expected<std::unique_ptr<orc::LLJIT>> makeJit() {
  auto machine = orc::JITTargetMachineBuilder::detectHost();
  if (!machine) return ofLlvm("this host's processor is not known to LLVM", machine.takeError());
  machine->setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  auto jit = orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*machine)).create();
  if (!jit) return ofLlvm("the host compiler cannot start", jit.takeError());
  // Failures come back from lookup; LLVM would write them to standard error as well.
  (*jit)->getExecutionSession().setErrorReporter(
      [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  return std::move(*jit);
}

llvm::Error defineSymbols(orc::LLJIT& jit, std::span<const HostSymbol> symbols) {
  orc::SymbolMap map;
  const auto add = [&](const HostSymbol& symbol) {
    map[jit.mangleAndIntern({symbol.name.data(), symbol.name.size()})] = {
        orc::ExecutorAddr::fromPtr(symbol.address), llvm::JITSymbolFlags::Exported};
  };
  for (const HostSymbol& symbol : mathSymbols()) add(symbol);
  for (const HostSymbol& symbol : symbols) add(symbol);
  return jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(map)));
}

}  // namespace

struct HostCode::Impl {
  std::unique_ptr<orc::LLJIT> jit;
};

HostCode::HostCode(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HostCode::HostCode(HostCode&&) noexcept = default;
HostCode& HostCode::operator=(HostCode&&) noexcept = default;
HostCode::~HostCode() = default;

void addHostPasses(mlir::OpPassManager& passes) {
  passes.addPass(transforms::createLowerHostMathPass());
  passes.addPass(transforms::createLowerHostConvertPass());
  passes.addPass(transforms::createLowerCutePass());
  passes.addPass(mlir::createSCFToControlFlowPass());
  passes.addPass(mlir::createConvertToLLVMPass());
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
}

Expected<HostCode> HostCode::compile(mlir::ModuleOp module, std::span<const HostSymbol> symbols) {
  initialiseOnce();
  CW_TRY(std::unique_ptr<orc::LLJIT> jit, makeJit());
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(module, *context);
  if (!translated) return internalError("the host module could not be translated to LLVM IR");
  translated->setDataLayout(jit->getDataLayout());
  translated->setTargetTriple(jit->getTargetTriple());
  if (auto error = defineSymbols(*jit, symbols)) return ofLlvm("host symbols", std::move(error));
  if (auto error =
          jit->addIRModule(orc::ThreadSafeModule(std::move(translated), std::move(context)))) {
    return ofLlvm("host code", std::move(error));
  }
  auto impl = std::make_unique<Impl>();
  impl->jit = std::move(jit);
  return HostCode(std::move(impl));
}

Expected<void*> HostCode::lookup(const std::string& name) const {
  auto address = impl_->jit->lookup(name);
  if (!address) return ofLlvm("host function '" + name + "'", address.takeError());
  return address->toPtr<void*>();
}

}  // namespace cutwork::codegen

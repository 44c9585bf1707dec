// HostCode.cpp -- host functions compiled by LLJIT.
#include "Codegen/HostCode.h"

#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
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

Expected<orc::JITTargetMachineBuilder> hostMachine() {
  initialiseOnce();
  auto machine = orc::JITTargetMachineBuilder::detectHost();
  if (!machine) return ofLlvm("this host's processor is not known to LLVM", machine.takeError());
  machine->setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  return std::move(*machine);
}

Expected<std::unique_ptr<orc::LLJIT>> makeJit() {
  CW_TRY(orc::JITTargetMachineBuilder machine, hostMachine());
  auto jit = orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(machine)).create();
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

const std::string& hostProcessor() {
  static const std::string* const text = [] {
    Expected<orc::JITTargetMachineBuilder> machine = hostMachine();
    if (!machine.ok()) return new std::string("unknown");
    return new std::string(machine->getTargetTriple().str() + " " + machine->getCPU() + " " +
                           machine->getFeatures().getString());
  }();
  return *text;
}

Expected<std::string> HostCode::object(mlir::ModuleOp module) {
  CW_TRY(orc::JITTargetMachineBuilder builder, hostMachine());
  auto machine = builder.createTargetMachine();
  if (!machine) return ofLlvm("the host compiler cannot start", machine.takeError());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(module, context);
  if (!translated) return internalError("the host module could not be translated to LLVM IR");
  translated->setDataLayout((*machine)->createDataLayout());
  translated->setTargetTriple((*machine)->getTargetTriple());
  auto buffer = orc::SimpleCompiler(**machine)(*translated);
  if (!buffer) return ofLlvm("host code", buffer.takeError());
  return (*buffer)->getBuffer().str();
}

Expected<HostCode> HostCode::load(const std::string& object, std::span<const HostSymbol> symbols) {
  CW_TRY(std::unique_ptr<orc::LLJIT> jit, makeJit());
  if (auto error = defineSymbols(*jit, symbols)) return ofLlvm("host symbols", std::move(error));
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, "host");
  if (auto error = jit->addObjectFile(std::move(buffer))) {
    return ofLlvm("host code", std::move(error));
  }
  auto impl = std::make_unique<Impl>();
  impl->jit = std::move(jit);
  return HostCode(std::move(impl));
}

Expected<HostCode> HostCode::compile(mlir::ModuleOp module, std::span<const HostSymbol> symbols) {
  CW_TRY(const std::string made, object(module));
  return load(made, symbols);
}

Expected<void*> HostCode::lookup(const std::string& name) const {
  auto address = impl_->jit->lookup(name);
  if (!address) return ofLlvm("host function '" + name + "'", address.takeError());
  return address->toPtr<void*>();
}

}  // namespace cutwork::codegen

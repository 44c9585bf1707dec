// EmitPtx.cpp -- LLVM dialect to LLVM IR to PTX, with warp-synchronous code kept in its place.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Target/LLVMIR/Export.h>

#include <mutex>

#include "LoadGaps.h"
#include "LocalMemory.h"
#include "Ptx.h"

namespace cutwork::codegen {

namespace {

// What LLVM calls instead of aborting the process. LLVM's frames have unwind tables, so the
// exception passes through them.
struct LlvmFatal {
  std::string message;
};

void initialiseOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    llvm::install_fatal_error_handler(
        [](void*, const char* message, bool) { throw LlvmFatal{message}; });
  });
}

Expected<mlir::gpu::GPUModuleOp> onlyGpuModule(mlir::ModuleOp module) {
  mlir::gpu::GPUModuleOp found;
  for (auto candidate : module.getOps<mlir::gpu::GPUModuleOp>()) {
    if (found) return internalError("there are several gpu.module ops");
    found = candidate;
  }
  if (!found) return internalError("there is no gpu.module op");
  return found;
}

// LLVM must not duplicate, merge or move what warps do together. An intrinsic that touches no
// memory at all (ex2.approx, mul.hi) is no such thing unless LLVM says so.
void markConvergent(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isIntrinsic() || !function.doesNotAccessMemory()) function.setConvergent();
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call != nullptr && call->isInlineAsm()) call->setConvergent();
    }
  }
}

std::unique_ptr<llvm::TargetMachine> targetMachine(const PtxOptions& options, int needed,
                                                   std::string& error) {
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return nullptr;
  int version = std::max({options.ptxVersion, options.target.leastPtx(), needed});
  std::string features = "+ptx" + std::to_string(version);
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, options.target.name(), features, llvm::TargetOptions(),
                                  std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine, int level) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  const std::array kLevels{llvm::OptimizationLevel::O1, llvm::OptimizationLevel::O2,
                           llvm::OptimizationLevel::O3};
  llvm::ModulePassManager passes =
      level <= 0 ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                 : builder.buildPerModuleDefaultPipeline(
                       kLevels[static_cast<std::size_t>(std::min(level, 3) - 1)]);
  passes.run(module, modules);
}

Expected<std::string> textOf(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
    return internalError("the NVPTX back end cannot write assembly");
  }
  passes.run(module);
  return std::string(buffer);
}

Expected<std::unique_ptr<llvm::Module>> toLlvm(mlir::gpu::GPUModuleOp device,
                                               llvm::LLVMContext& context) {
  std::string why;
  mlir::ScopedDiagnosticHandler handler(device.getContext(),
                                        [&](mlir::Diagnostic& d) { why += "\n" + d.str(); });
  std::unique_ptr<llvm::Module> module = mlir::translateModuleToLLVMIR(device, context);
  if (module) return module;
  return internalError("the device module could not be translated to LLVM IR" + why);
}

Expected<PtxResult> translate(mlir::gpu::GPUModuleOp device, const PtxOptions& options) {
  llvm::LLVMContext context;
  CW_TRY(std::unique_ptr<llvm::Module> module, toLlvm(device, context));
  std::string error;
  int needed = 0;
  if (auto attribute = device->getAttrOfType<mlir::IntegerAttr>("cutwork.ptx"))
    needed = static_cast<int>(attribute.getInt());
  std::unique_ptr<llvm::TargetMachine> machine = targetMachine(options, needed, error);
  if (!machine) return internalError("LLVM has no NVPTX target: " + error);
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  markConvergent(*module);
  optimise(*module, *machine, options.optimisation);
  keepLoadsWithin(*module);
  PtxResult result;
  if (options.optimisation > 0) result.remarks = localMemoryRemarks(*module);
  if (options.keepLlvm) {
    llvm::raw_string_ostream stream(result.llvm);
    module->print(stream, nullptr);
  }
  CW_TRY(result.ptx, textOf(*module, *machine));
  return result;
}

}  // namespace

Expected<PtxResult> emitPtx(mlir::ModuleOp module, const PtxOptions& options) {
  initialiseOnce();
  CW_TRY(mlir::gpu::GPUModuleOp device, onlyGpuModule(module));
  constexpr int kHighestPtx = 90;  // a higher one LLVM 22 would ignore
  if (options.ptxVersion > kHighestPtx) {
    return userError("PTX " + std::to_string(options.ptxVersion) +
                     " is not known: the highest is 90");
  }
  try {
    return translate(device, options);
  } catch (const LlvmFatal& fatal) {
    return internalError("LLVM: " + fatal.message);
  }
}

}  // namespace cutwork::codegen

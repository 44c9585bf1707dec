// Pipeline.cpp -- a finished trace through the passes, LLVM and the host compiler.
#include "Compiler/Pipeline.h"

#include <fmt/format.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/IR/Verifier.h>
#include <mlir/Pass/PassManager.h>

#include "Codegen/HostCode.h"
#include "Codegen/Ptx.h"
#include "DSL/HostTraceImpl.h"
#include "cutwork/Support/Knobs.h"
#include "cutwork/Support/Log.h"

namespace cutwork::compiler {

namespace {

// MLIR's messages become the error of what was running.
class Diagnostics {
 public:
  explicit Diagnostics(mlir::MLIRContext* context)
      : handler_(context, [this](mlir::Diagnostic& d) {
          if (d.getSeverity() != mlir::DiagnosticSeverity::Error) return;
          if (!text_.empty()) text_ += '\n';
          text_ += d.str();
          if (place_.known()) return;
          if (auto at = mlir::dyn_cast<mlir::FileLineColLoc>(d.getLocation())) {
            place_ = {at.getFilename().str(), at.getLine(), at.getColumn(), {}};
          }
        }) {}
  [[nodiscard]] Error error(std::string_view stage) const {
    return internalError(fmt::format("{}: {}", stage, text_.empty() ? "failed" : text_), place_);
  }

 private:
  std::string text_;
  SourcePlace place_;
  mlir::ScopedDiagnosticHandler handler_;
};

std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

void printIr(std::string_view name, std::string_view stage, std::string_view text) {
  fmt::print(stderr, "// {}, {}\n{}\n", name, stage, text);
}

template <class Op>
mlir::OwningOpRef<mlir::ModuleOp> without(mlir::ModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  for (Op op : llvm::make_early_inc_range(copy->getOps<Op>())) op.erase();
  return copy;
}

Status lowerDevice(mlir::ModuleOp module, const CompileOptions& options, Artefacts& made) {
  for (auto kernels : module.getOps<mlir::gpu::GPUModuleOp>()) {
    for (auto function : kernels.getOps<mlir::gpu::GPUFuncOp>()) {
      if (function.isKernel()) made.kernels.push_back(function.getName().str());
    }
  }
  if (made.kernels.empty()) return Success{};
  auto device = without<mlir::func::FuncOp>(module);
  {
    StageTimer timer("lower");
    Diagnostics diagnostics(module.getContext());
    mlir::PassManager passes(module.getContext());
    passes.enableVerifier(false);
    codegen::addDevicePasses(passes, made.target);
    if (mlir::failed(passes.run(*device))) return diagnostics.error("lowering");
    if (mlir::failed(mlir::verify(*device))) return diagnostics.error("lowering");
  }
  made.lowered = textOf(*device);
  StageTimer timer("llvm");
  codegen::PtxOptions ptx;
  ptx.target = made.target;
  ptx.optimisation = options.optimisation;
  ptx.keepLlvm = true;
  CW_TRY(codegen::PtxResult result, codegen::emitPtx(*device, ptx));
  made.ptx = std::move(result.ptx);
  made.llvm = std::move(result.llvm);
  std::ranges::move(result.remarks, std::back_inserter(made.remarks));
  return Success{};
}

Status lowerHost(mlir::ModuleOp module, Artefacts& made) {
  StageTimer timer("host");
  auto host = without<mlir::gpu::GPUModuleOp>(module);
  Diagnostics diagnostics(module.getContext());
  mlir::PassManager passes(module.getContext());
  passes.enableVerifier(false);
  codegen::addHostPasses(passes);
  if (mlir::failed(passes.run(*host))) return diagnostics.error("host code");
  auto object = codegen::HostCode::object(*host);
  if (!object) return diagnostics.error(object.error().message());
  made.hostObject = *std::move(object);
  return loadHost(made);
}

}  // namespace

Status loadHost(Artefacts& made) {
  CW_TRY(codegen::HostCode code, codegen::HostCode::load(made.hostObject, {}));
  auto kept = std::make_shared<codegen::HostCode>(std::move(code));
  CW_TRY(void* const address, kept->lookup("host"));
  made.host = reinterpret_cast<std::int32_t (*)(void*, const std::uint64_t*)>(address);
  made.hostCode = std::move(kept);
  return Success{};
}

Status show(const Artefacts& made) {
  const Knobs& wanted = knobs();
  if (wanted.printIr) {
    printIr(made.name, "as traced", made.mlir);
    printIr(made.name, "as lowered", made.lowered);
  }
  if (wanted.keepIr) {
    CW_DO(keep(made.name, "mlir", made.mlir));
    CW_DO(keep(made.name, "lowered.mlir", made.lowered));
    CW_DO(keep(made.name, "ll", made.llvm));
  }
  if (wanted.keepPtx && !made.ptx.empty()) CW_DO(keep(made.name, "ptx", made.ptx));
  return Success{};
}

Status keepPlaces(HostTrace::Impl& impl) {
  if (!knobs().keepIrPlaces) return Success{};
  std::string text;
  llvm::raw_string_ostream stream(text);
  impl.trace.module().print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  return keep(impl.trace.name(), "debug.mlir", text);
}

Expected<Artefacts> traced(HostTrace::Impl& impl) {
  cute::Trace& trace = impl.trace;
  Artefacts made;
  made.name = trace.name();
  made.target = trace.target;
  made.remarks = trace.remarks;
  mlir::ModuleOp module = trace.module();
  {
    Diagnostics diagnostics(module.getContext());
    if (mlir::failed(mlir::verify(module))) return diagnostics.error("the traced IR is malformed");
  }
  made.mlir = textOf(module);
  return made;
}

Expected<Artefacts> lower(HostTrace::Impl& impl, const CompileOptions& options) {
  CW_TRY(Artefacts made, traced(impl));
  mlir::ModuleOp module = impl.trace.module();
  mlir::DialectRegistry registry;
  codegen::registerDeviceDialects(registry);
  module.getContext()->appendDialectRegistry(registry);
  CW_DO(lowerDevice(module, options, made));
  CW_DO(lowerHost(module, made));
  CW_DO(show(made));
  return made;
}

}  // namespace cutwork::compiler

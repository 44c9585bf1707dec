// RunKernel.cpp -- text, passes, PTX and the simulated device for one elementwise kernel.
#include "RunKernel.h"

#include <fmt/format.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassManager.h>

#include <cstring>

#include "Codegen/HostCode.h"
#include "Codegen/Ptx.h"
#include "cutwork/Simulator/Simulator.h"
#include "cutwork/Support/Status.h"

namespace cutwork::test {

namespace {

constexpr unsigned kThreads = 256;

std::string kernelText(const std::string& body, std::span<const std::string> operands,
                       const std::string& result) {
  std::string parameters;
  std::string loads;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    parameters += fmt::format("%p{}: !llvm.ptr<1>, ", i);
    loads += fmt::format(
        "    %a{0} = llvm.getelementptr %p{0}[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {1}\n"
        "    %x{0} = llvm.load %a{0} : !llvm.ptr<1> -> {1}\n",
        i, operands[i]);
  }
  return fmt::format(
      "gpu.module @m {{\n"
      "  gpu.func @k({}%out: !llvm.ptr<1>) kernel {{\n"
      "    %tid = nvvm.read.ptx.sreg.tid.x : i32\n"
      "    %block = nvvm.read.ptx.sreg.ctaid.x : i32\n"
      "    %threads = arith.constant {} : i32\n"
      "    %first = arith.muli %block, %threads : i32\n"
      "    %i = arith.addi %first, %tid : i32\n"
      "{}{}\n"
      "    %to = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {}\n"
      "    llvm.store %r, %to : {}, !llvm.ptr<1>\n"
      "    gpu.return\n  }}\n}}\n",
      parameters, kThreads, loads, body, result, result);
}

}  // namespace

Expected<std::string> elementwisePtx(const std::string& body, std::span<const std::string> operands,
                                     const std::string& result, const std::string& target) {
  mlir::DialectRegistry registry;
  codegen::registerDeviceDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  const std::string text = kernelText(body, operands, result);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) return internalError("the kernel is not MLIR:\n" + text);
  mlir::PassManager passes(&context);
  codegen::PtxOptions options;
  CW_TRY(options.target, Target::parse(target));
  codegen::addDevicePasses(passes, options.target);
  if (mlir::failed(passes.run(*module))) return internalError("the passes failed");
  CW_TRY(codegen::PtxResult made, codegen::emitPtx(*module, options));
  return made.ptx;
}

Expected<std::vector<std::byte>> runElementwise(const std::string& ptx,
                                                std::span<const Operand> operands,
                                                std::size_t resultBytes, std::size_t count,
                                                const std::string& target) {
  CW_TRY(auto device, sim::SimulatedDevice::create(target, true));
  CW_TRY(auto* module, device->loadModule(ptx, "k.ptx"));
  std::vector<std::uint64_t> addresses;
  for (const Operand& operand : operands) {
    CW_TRY(std::uint64_t address, device->allocate(operand.bytes.size(), operand.type));
    CW_DO(device->write(address, operand.bytes.data(), operand.bytes.size()));
    addresses.push_back(address);
  }
  CW_TRY(std::uint64_t out, device->allocate(resultBytes * count, "result"));
  addresses.push_back(out);
  sim::LaunchConfig config;
  config.grid = {static_cast<std::uint32_t>(count / kThreads), 1, 1};
  config.block = {kThreads, 1, 1};
  CW_TRY(sim::LaunchResult run,
         device->launch(module, "k", config, std::as_bytes(std::span(addresses))));
  if (run.fault) return internalError(run.fault->text);
  std::vector<std::byte> bytes(resultBytes * count);
  CW_DO(device->read(out, bytes.data(), bytes.size()));
  return bytes;
}

Status runOnHost(const std::string& body, const Operand& operand, const std::string& result,
                 std::span<std::byte> results, std::size_t count) {
  const std::string text = fmt::format(
      "llvm.func @f(%in: !llvm.ptr, %out: !llvm.ptr, %n: i64) {{\n"
      "  %zero = arith.constant 0 : i64\n"
      "  %one = arith.constant 1 : i64\n"
      "  scf.for %i = %zero to %n step %one : i64 {{\n"
      "    %a0 = llvm.getelementptr %in[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {0}\n"
      "    %x0 = llvm.load %a0 : !llvm.ptr -> {0}\n"
      "{1}\n"
      "    %to = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {2}\n"
      "    llvm.store %r, %to : {2}, !llvm.ptr\n"
      "  }}\n  llvm.return\n}}\n",
      operand.type, body, result);
  mlir::DialectRegistry registry;
  codegen::registerDeviceDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) return internalError("the function is not MLIR:\n" + text);
  mlir::PassManager passes(&context);
  codegen::addHostPasses(passes);
  if (mlir::failed(passes.run(*module))) return internalError("the passes failed");
  CW_TRY(codegen::HostCode code, codegen::HostCode::compile(*module, {}));
  CW_TRY(void* const address, code.lookup("f"));
  auto* function = reinterpret_cast<void (*)(const void*, void*, std::int64_t)>(address);
  function(operand.bytes.data(), results.data(), static_cast<std::int64_t>(count));
  return Success{};
}

}  // namespace cutwork::test

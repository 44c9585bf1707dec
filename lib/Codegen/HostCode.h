// HostCode.h -- host functions: passes to the LLVM dialect, and a just-in-time compiler for them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cutwork/Support/Error.h"

namespace mlir {
class ModuleOp;
class OpPassManager;
}  // namespace mlir

namespace cutwork::codegen {

/// The passes from func, scf, arith, math, memref and vector ops to the LLVM dialect. Run on the
/// builtin module.
void addHostPasses(mlir::OpPassManager& passes);

/// A C function that compiled host code may call by name.
struct HostSymbol {
  std::string_view name;
  void* address;
};

/// The functions of libm that addHostPasses and LLVM make calls of, and the conversions of f16 and
/// bf16 for processors that have no instruction for them.
std::span<const HostSymbol> mathSymbols();

/// The processor that host code is compiled for: its name and features. An object runs only there.
const std::string& hostProcessor();

/// Compiled host functions. They stay callable as long as this lives.
class HostCode {
 public:
  /// Compiles all functions of `module`, which addHostPasses has lowered; undefined ones are looked
  /// up in `symbols`, then in mathSymbols(), and in nothing else. Code generation is unoptimised:
  /// compiling costs more than running.
  static Expected<HostCode> compile(mlir::ModuleOp module, std::span<const HostSymbol> symbols);
  /// The same without the code's loading: an object file for this processor, and its loading.
  static Expected<std::string> object(mlir::ModuleOp module);
  static Expected<HostCode> load(const std::string& object, std::span<const HostSymbol> symbols);

  HostCode(HostCode&&) noexcept;
  HostCode& operator=(HostCode&&) noexcept;
  HostCode(const HostCode&) = delete;
  HostCode& operator=(const HostCode&) = delete;
  ~HostCode();

  /// The address of a function. Refuses a name that is not there.
  [[nodiscard]] Expected<void*> lookup(const std::string& name) const;

 private:
  struct Impl;
  explicit HostCode(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cutwork::codegen

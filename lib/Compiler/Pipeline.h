// Pipeline.h -- from a finished trace to PTX and host code.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cutwork/Compiler/Compile.h"

namespace cutwork::compiler {

/// What a compilation leaves behind.
struct Artefacts {
  std::string name;
  Target target;
  std::string mlir;
  std::string lowered;
  std::string llvm;
  std::string ptx;
  std::vector<std::string> kernels;
  std::vector<std::string> remarks;
  std::shared_ptr<void> hostCode;  ///< keeps `host` callable
  /// (context, slots) -> 0, or what the runtime returned for a failure.
  std::int32_t (*host)(void*, const std::uint64_t*) = nullptr;
};

Expected<Artefacts> lower(HostTrace::Impl& impl, const CompileOptions& options);

/// Writes `text` to NAME.ENDING in the dump folder.
Status keep(const std::string& name, std::string_view ending, std::string_view text);

}  // namespace cutwork::compiler

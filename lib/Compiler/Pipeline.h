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
  std::string hostObject;          ///< the host function as an object file for this processor
  std::string key;                 ///< of its entry in the kernel store; empty: it has none
  std::shared_ptr<void> hostCode;  ///< keeps `host` callable
  /// (context, slots) -> 0, or what the runtime returned for a failure.
  std::int32_t (*host)(void*, const std::uint64_t*) = nullptr;
};

/// Compiles, or takes from the kernel store what was compiled of the same trace.
Expected<Artefacts> lowerOrFind(HostTrace::Impl& impl, const CompileOptions& options);
Expected<Artefacts> lower(HostTrace::Impl& impl, const CompileOptions& options);
/// What there is of a trace before it is compiled: the IR, verified.
Expected<Artefacts> traced(HostTrace::Impl& impl);
/// Writes the IR with the program's lines, if a knob asks for it.
Status keepPlaces(HostTrace::Impl& impl);
/// Makes `host` of `hostObject`.
Status loadHost(Artefacts& made);
/// Prints and writes what the knobs ask for.
Status show(const Artefacts& made);
/// Assembles, or takes from the kernel store what was assembled of the same artefacts.
Expected<Assembled> assembleOrFind(const Artefacts& made, const AssembleOptions& options);

/// Writes `text` to NAME.ENDING in the dump folder.
Status keep(const std::string& name, std::string_view ending, std::string_view text);

}  // namespace cutwork::compiler

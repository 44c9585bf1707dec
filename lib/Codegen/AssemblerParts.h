// AssemblerParts.h -- the parts of the assembler: where tools are, running them, reading what they
// say.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cutwork/Codegen/Assembler.h"

namespace cutwork::assembler {

/// What came of one tool.
struct Done {
  std::vector<std::byte> cubin;
  std::string log;
  std::string tool;  ///< with version and path
};
struct Refused {  ///< the PTX is wrong
  std::string log;
  std::string tool;
};
struct Unusable {  ///< the tool is not there, or cannot take this PTX
  std::string reason;
};
using Outcome = std::variant<Done, Refused, Unusable>;

Outcome runNvJitLink(const std::string& ptx, const Target& target, const AssembleOptions& options);
Outcome runPtxas(const std::string& ptx, const Target& target, const AssembleOptions& options);

/// The first of its kind that works, or why none does.
AssemblerTool findNvJitLink(const AssembleOptions& options);
AssemblerTool findPtxas(const AssembleOptions& options);

/// Names of the nvJitLink library, and of the ptxas program, in the order to try them; empty: the
/// knob says not to use it.
std::vector<std::string> nvJitLinkNames(const AssembleOptions& options);
std::vector<std::string> ptxasNames(const AssembleOptions& options);
/// The same of the nvdisasm program; no knob.
std::vector<std::string> nvdisasmNames();

/// A refusal that another version of the tool may not make: its PTX version, or the target.
bool isTooOld(std::string_view log);

/// Fills entries and remarks from a log.
void readLog(std::string_view ptx, std::string_view log, Assembled& assembled);

/// The error of a refused PTX.
Error refusal(std::string_view ptx, const Refused& refused);

}  // namespace cutwork::assembler

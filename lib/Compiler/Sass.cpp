// Sass.cpp -- the machine code of a compiled function as text.
#include "cutwork/Codegen/Disassembler.h"
#include "cutwork/Compiler/Compile.h"

namespace cutwork {

Expected<std::string> CompiledFunction::sass(const std::vector<std::string>& options) const {
  CW_TRY(const std::vector<std::byte> bytes, cubin());
  return disassemble(bytes, options);
}

}  // namespace cutwork

// cutwork/Codegen/Disassembler.h -- a cubin as SASS text, where the nvdisasm program is found.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cutwork/Support/Error.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// The code of all kernels, with the program's lines where the cubin has them. Errors (User): there
/// is no nvdisasm in the Python environment that is active or in PATH, with what was tried; it does
/// not take the cubin or `options`, which are put before the cubin's name, with what it says.
Expected<std::string> disassemble(std::span<const std::byte> cubin,
                                  const std::vector<std::string>& options = {});

}  // namespace cutwork

#pragma GCC visibility pop

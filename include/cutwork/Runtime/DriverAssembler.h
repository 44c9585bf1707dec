// cutwork/Runtime/DriverAssembler.h -- PTX to cubin by the CUDA driver: the last resort of an
// assembler.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cutwork/Runtime/Device.h"

#pragma GCC visibility push(default)

namespace cutwork {

struct DriverAssembly {
  std::vector<std::byte> cubin;
  std::string log;  ///< registers, spills, remarks, as ptxas -v writes them
};

/// Assembles PTX for `device`, which must be a CUDA device, with line information. Errors (User):
/// PTX that is refused, with the assembler's lines; a device of another kind.
Expected<DriverAssembly> assembleWithDriver(const Device& device, const std::string& ptx,
                                            int optimizationLevel = 3);

}  // namespace cutwork

#pragma GCC visibility pop

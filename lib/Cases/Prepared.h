// Prepared.h -- a case that is compiled and has its arrays on the device.
#pragma once

#include "cutwork/Cases/DeviceRun.h"

namespace cutwork {

struct PreparedCase {
  CaseArrays arrays;
  CompiledFunction function;
  DeviceRun run;
};

/// Compiles for `compile`'s target, or else the device's.
Expected<PreparedCase> prepareCase(const Case& which, const CaseShape& shape, const Device& device,
                                   CompileOptions compile, std::uint64_t seed);

}  // namespace cutwork

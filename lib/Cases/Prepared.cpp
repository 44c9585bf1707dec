// Prepared.cpp -- a case that is compiled and has its arrays on the device.
#include "Prepared.h"

namespace cutwork {

Expected<PreparedCase> prepareCase(const Case& which, const CaseShape& shape, const Device& device,
                                   CompileOptions compile, std::uint64_t seed) {
  CW_TRY(compile.target, targetFor(compile, &device));
  CaseArrays arrays = which.get_inputs(shape, seed);
  for (const HostArray& array : arrays.all()) compile.argumentNames.push_back(array.name());
  CompiledFunction function = which.kernel_fn(compile, arrays.specs());
  CW_TRY(DeviceRun run, DeviceRun::make(arrays, device));
  return PreparedCase{std::move(arrays), std::move(function), std::move(run)};
}

}  // namespace cutwork

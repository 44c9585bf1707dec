// CudaModule.h -- what a CUDA device keeps of a loaded module and of its functions.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "CudaDriver.h"
#include "cutwork/Runtime/DeviceInterface.h"

namespace cutwork::cuda {

struct LoadedFunction {
  LoadedFunction(Function function, std::string kernelName, std::int64_t shared, bool cluster)
      : native(function),
        name(std::move(kernelName)),
        staticShared(shared),
        clusterMustBeSet(cluster) {}

  Function native;
  const std::string name;
  const std::int64_t staticShared;
  const bool clusterMustBeSet;
  // What was allowed so far; two threads that allow the same thing do no harm.
  std::atomic<bool> largeShared{false};
  std::atomic<bool> largeCluster{false};
};

struct LoadedModule {
  explicit LoadedModule(Module module) : native(module) {}

  Module native;
  std::mutex mutex;
  std::map<std::string, LoadedFunction, std::less<>> functions;
};

inline LoadedModule& loaded(ModuleHandle module) {
  return *reinterpret_cast<LoadedModule*>(module);
}
inline LoadedFunction& loaded(FunctionHandle function) {
  return *reinterpret_cast<LoadedFunction*>(function);
}

}  // namespace cutwork::cuda

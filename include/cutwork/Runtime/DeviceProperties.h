// cutwork/Runtime/DeviceProperties.h -- what a device and a function on it are like: names, limits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cutwork/Support/Target.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// Three extents or coordinates. 64 bits, so that no value is cut off before it is checked.
struct Dim3 {
  std::int64_t x = 1;
  std::int64_t y = 1;
  std::int64_t z = 1;

  /// `(2,4,1)`.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

/// What a launch may ask for. Sizes are bytes.
struct DeviceLimits {
  std::int64_t threadsPerBlock = 1024;
  Dim3 block{1024, 1024, 64};
  Dim3 grid{2147483647, 65535, 65535};
  std::int64_t staticSharedMemory = 49152;  ///< of one block without the opt-in
  std::int64_t sharedMemoryPerBlock = 0;    ///< static and dynamic of one block, with the opt-in
  std::int64_t sharedMemoryPerMultiprocessor = 0;
  std::int64_t reservedSharedMemoryPerBlock = 0;  ///< the driver's own
  std::int64_t registersPerBlock = 65536;
  std::int64_t registersPerMultiprocessor = 65536;
  std::int64_t threadsPerMultiprocessor = 0;
  std::int64_t blocksPerMultiprocessor = 0;
  std::int64_t clusterSize = 1;          ///< blocks in one cluster, with the non-portable opt-in
  std::int64_t portableClusterSize = 1;  ///< that every device of this generation has
  bool cooperativeLaunch = false;
  std::int64_t parameterBytes = 4096;  ///< of one kernel (32764 from 7.0 with driver 12.1 on)
};

struct DeviceProperties {
  std::string name;  ///< as Device::open takes it: `cuda:0`
  std::string card;  ///< `NVIDIA H200`
  Target target;     ///< what to compile for, with the suffix: sm_90a
  DeviceLimits limits;
  std::int64_t multiprocessors = 1;
  std::int64_t warpSize = 32;
  std::int64_t memoryBytes = 0;
  std::int64_t l2Bytes = 0;
  std::int64_t clockKHz = 0;
  std::int64_t memoryClockKHz = 0;
  std::int64_t memoryBusBits = 0;
  int driverVersion = 0;  ///< 13000 for 13.0; 0 if there is no driver
  bool simulated = false;
  std::int32_t dlpackType = 0;  ///< DLDeviceType of its memory (DLPack.h)
  std::int32_t dlpackId = 0;
};

/// One parameter of a kernel: where it is in the parameter space, in bytes.
struct KernelParameter {
  std::int64_t offset = 0;
  std::int64_t size = 0;
};

/// What the assembler made of a kernel. Sizes are bytes.
struct FunctionProperties {
  std::int64_t registers = 0;  ///< of one thread
  std::int64_t staticSharedMemory = 0;
  std::int64_t localMemory = 0;  ///< of one thread
  std::int64_t constantMemory = 0;
  std::int64_t maxThreadsPerBlock = 1024;  ///< .maxntid, .reqntid or what the registers allow
  Dim3 requiredCluster{0, 0, 0};           ///< .reqnctapercluster; zeros: none
  bool clusterMustBeSet = false;           ///< .explicitcluster without a size
  bool parametersKnown = false;            ///< old drivers do not tell
  std::vector<KernelParameter> parameters;
};

}  // namespace cutwork

#pragma GCC visibility pop

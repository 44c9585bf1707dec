// cutwork/Runtime/LaunchConfig.h -- how a kernel is launched, and the check of it against the
// limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cutwork/Runtime/DeviceProperties.h"
#include "cutwork/Support/Status.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// What the device calls a stream or an event; null is the default stream. A CUDA device's handles
/// are the driver's CUstream and CUevent, so those of another library can be used as they are.
using StreamHandle = struct OpaqueStream*;
using EventHandle = struct OpaqueEvent*;

struct LaunchConfig {
  Dim3 grid{};     ///< blocks
  Dim3 block{};    ///< threads of a block
  Dim3 cluster{};  ///< blocks of a cluster; (1,1,1): what the kernel says, if anything
  std::int64_t sharedMemory = 0;  ///< dynamic shared memory of a block, bytes
  StreamHandle stream = nullptr;
  bool cooperative = false;   ///< all blocks are resident together: grid-wide barriers work
  bool programmatic = false;  ///< may start before its predecessor ends (griddepcontrol; PDL)
  /// A larger cluster to use where it fits; `cluster` is then the least. Zeros: none. sm_100 on.
  Dim3 preferredCluster{0, 0, 0};
  /// Percent of the shared memory and L1 that is shared memory; -1: the driver decides.
  std::int32_t sharedMemoryCarveout = -1;
};

/// Refuses a launch that a device cannot run, with what was asked and what is allowed. `parameters`
/// is how many are passed, -1 if that is not known. `kernel` is named in messages.
Status checkLaunch(const DeviceProperties& device, const FunctionProperties& function,
                   std::string_view kernel, const LaunchConfig& config, std::int64_t parameters);

}  // namespace cutwork

#pragma GCC visibility pop

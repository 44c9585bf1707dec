// cutwork/Runtime/Occupancy.h -- how many blocks of a kernel a multiprocessor holds at once, by the
// rules of the architecture; and how many clusters a device.
#pragma once

#include <cstdint>
#include <string_view>

#include "cutwork/Runtime/Device.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// What one block takes.
struct BlockNeeds {
  std::int64_t threads = 1;
  std::int64_t registers = 0;     ///< of a thread; 0: not counted
  std::int64_t sharedMemory = 0;  ///< bytes, static and dynamic, without the driver's own
};

struct Occupancy {
  std::int64_t blocks = 0;     ///< of one multiprocessor; 0: a block does not fit
  std::int64_t warps = 0;      ///< of these
  std::int64_t mostWarps = 0;  ///< that the multiprocessor can hold
  /// What allows no more: threads, blocks, registers or shared memory. The first of them in this
  /// order where several do.
  std::string_view limitedBy;

  /// Warps of those that are possible, 0 to 1.
  [[nodiscard]] double fraction() const {
    return mostWarps == 0 ? 0 : static_cast<double>(warps) / static_cast<double>(mostWarps);
  }
};

/// Registers are given to warps in units of 256, in four partitions of the multiprocessor; shared
/// memory to blocks in units of 128 bytes, with what the driver reserves (CUDA C++ Best Practices
/// Guide, section 10.2.7; CUDA Programming Guide, "Technical specifications per compute
/// capability").
Occupancy occupancy(const DeviceLimits& limits, const BlockNeeds& needs);

/// How many clusters of `blocks` blocks the device holds at once where each block has a
/// multiprocessor's shared memory to itself, as in persistent kernels. On a GPU the driver says it.
/// Errors (User): a size that the device does not have.
Expected<int> mostActiveClusters(const Device& device, std::int64_t blocks);

}  // namespace cutwork

#pragma GCC visibility pop

// cutwork/Runtime/Buffer.h -- memory of a device that is given back when its last owner goes.
#pragma once

#include <cstdint>
#include <memory>

#include "cutwork/Runtime/Device.h"

#pragma GCC visibility push(default)

namespace cutwork {

namespace detail {
struct Allocation;
}

/// Copies share the memory. Giving it back waits for the work that was launched on the device. An
/// empty buffer has address 0.
class Buffer {
 public:
  [[nodiscard]] DevicePointer address() const { return address_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  /// Copies from the start of the buffer that wait. Error (User): more than bytes().
  [[nodiscard]] Status copyFrom(const void* host, std::int64_t bytes) const;
  [[nodiscard]] Status copyTo(void* host, std::int64_t bytes) const;

 private:
  friend class Device;
  Buffer(std::shared_ptr<const detail::Allocation> memory, DevicePointer address,
         std::int64_t bytes)
      : memory_(std::move(memory)), address_(address), bytes_(bytes) {}

  std::shared_ptr<const detail::Allocation> memory_;
  DevicePointer address_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace cutwork

#pragma GCC visibility pop

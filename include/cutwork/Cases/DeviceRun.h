// cutwork/Cases/DeviceRun.h -- a case's arrays on a device, ready to run.
#pragma once

#include "cutwork/Cases/Case.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// The arrays of a run on a device. On one that is not simulated each has guards of 1,024 bytes
/// around it; the simulated device itself reports what is written beside an array.
class DeviceRun {
 public:
  static constexpr std::int64_t kGuardBytes = 1024;
  /// Copies the inputs; fills the outputs with poison and the guards with 0xcc.
  static Expected<DeviceRun> make(const CaseArrays& arrays, const Device& device);

  /// One call, queued in the default stream.
  [[nodiscard]] Status call(const CompiledFunction& function) const;
  /// Copies array i over its partner on the host.
  [[nodiscard]] Status fetch(std::size_t i, const HostArray& to) const;
  /// How many bytes of the guards of array i are not as they were.
  [[nodiscard]] Expected<std::int64_t> changedGuardBytes(std::size_t i) const;

 private:
  struct Guarded {
    Array memory;  ///< the array between its guards
    Array array;
  };
  explicit DeviceRun(const Device& device) : device_(device) {}
  [[nodiscard]] Expected<Guarded> place(const HostArray& array) const;

  Device device_;
  std::vector<Guarded> arrays_;
};

}  // namespace cutwork

#pragma GCC visibility pop

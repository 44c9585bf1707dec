// cutwork/Simulator/HostMemory.h -- the simulated memory as the host sees it, and captures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cutwork/Runtime/Device.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// The one range of memory that all `sim` devices of the process have: a kernel's address `device +
/// n` is the host's `host + n`.
struct SimulatedMemory {
  void* host = nullptr;
  DevicePointer device = 0;
  std::int64_t bytes = 0;
};

/// Reserves it, if that is still to be done. Error (Device): the host gives no address space.
Expected<SimulatedMemory> simulatedMemory();

/// What kernels call this place of the host; 0 if it is not in simulated memory.
DevicePointer simulatedAddress(const void* host) noexcept;

/// Says that the host wrote these bytes by itself, for the check of values that were never written.
/// Error (User): they are not within one live allocation.
Status markSimulatedWritten(DevicePointer address, std::int64_t bytes);

/// Launches that are kept while a stream is captured, as a CUDA graph keeps them. Parameters are
/// those of the launch; what they point to is read when the launch is run.
class SimulatedLaunches {
 public:
  SimulatedLaunches();

  /// Launches in that stream are kept here, and not run, until `stop`. Error (User): the device is
  /// not simulated.
  Status keepFrom(const Device& device, StreamHandle stream);
  static Status stop(const Device& device, StreamHandle stream);

  [[nodiscard]] std::size_t size() const;
  /// Runs the launches [begin, end) in order. Errors: those of a launch.
  [[nodiscard]] Status run(std::size_t begin, std::size_t end) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace cutwork

#pragma GCC visibility pop

// cutwork/Simulator/Runs.h -- what launches on a simulated Device did: counters, and a fault.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cutwork/Runtime/Device.h"
#include "cutwork/Simulator/Simulator.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// What the launches of one kernel did, together (Profile.h).
struct ProfiledKernel {
  sim::Profile profile;
  std::string ptx;  ///< of its module
  std::uint64_t launches = 0;
};

struct SimulatedRuns {
  std::uint64_t launches = 0;
  sim::Counters counters;                 ///< of all launches together
  std::optional<sim::FaultReport> fault;  ///< of the last launch that had one, the first
  std::vector<ProfiledKernel> profiles;   ///< while profileSimulatedRuns(true); in order of launch
};

/// What the launches on the device did since this was last asked. Nothing for a device that is not
/// simulated.
std::optional<SimulatedRuns> takeSimulatedRuns(const Device& device);

/// An address in a buffer of a device, and what faults call the buffer: `argument x`.
struct NamedAddress {
  DevicePointer address = 0;
  std::string name;
};
/// Gives buffers of a simulated device these names in reports, and takes away those that were given
/// before. A buffer with several has all of them. Nothing happens on other devices.
void nameSimulatedBuffers(const Device& device, std::span<const NamedAddress> names);

/// What ends launches on all simulated devices of the process with ExitCode::Limit: so many
/// instructions of warps (0: what CUTWORK_SIM_MAX_INSTRUCTIONS says), and `stop` (null: nothing)
/// becoming true. `stop` lives as long as launches are made.
void limitSimulatedRuns(std::uint64_t maxInstructions, const std::atomic<bool>* stop);

/// From now on launches on all simulated devices of the process are counted by instruction, or no
/// more. They take several times as long, and give the same.
void profileSimulatedRuns(bool on);

}  // namespace cutwork

#pragma GCC visibility pop

// cutwork/Simulator/Runs.h -- what launches on a simulated Device did: counters, and a fault.
#pragma once

#include <optional>

#include "cutwork/Runtime/Device.h"
#include "cutwork/Simulator/Simulator.h"

#pragma GCC visibility push(default)

namespace cutwork {

struct SimulatedRuns {
  std::uint64_t launches = 0;
  sim::Counters counters;                 ///< of all launches together
  std::optional<sim::FaultReport> fault;  ///< of the last launch that had one
};

/// What the launches on the device did since this was last asked. Nothing for a device that is not
/// simulated.
std::optional<SimulatedRuns> takeSimulatedRuns(const Device& device);

}  // namespace cutwork

#pragma GCC visibility pop

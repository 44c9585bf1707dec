// Scheduler.h -- runs a launch: clusters in turn, their CTAs together, warps and groups in
// rotation.
#pragma once

#include "Exec/Machine.h"

namespace cutwork::sim {

/// Runs all blocks of the launch, or until its fault is set. Adds to `counters`.
void runLaunch(Launch& launch, Counters& counters);

}  // namespace cutwork::sim

// Scheduler.h -- runs a launch: clusters in turn, their CTAs together, warps and groups in
// rotation.
#pragma once

#include <atomic>
#include <span>

#include "Exec/Machine.h"

namespace cutwork::sim {

/// What the threads that run one launch share.
struct ClusterQueue {
  std::atomic<std::uint64_t> next{0};          ///< the cluster that is started next
  std::atomic<std::uint64_t> instructions{0};  ///< of warps, for the launch's limit
  std::atomic<bool> ended{false};              ///< by a fault
};

/// Runs all blocks of the launch, or until its fault is set. Adds to `counters`.
void runLaunch(Launch& launch, Counters& counters);
/// The same for clusters that the queue still has.
void runClusters(Launch& launch, Counters& counters, ClusterQueue& queue);

/// How a launch on several host threads ended.
enum class Spread {
  Held,   ///< it did what one thread does
  Met,    ///< clusters of two threads accessed the same memory
  Ended,  ///< by a fault, or the limit; or it was not begun, for want of memory
};

/// Runs the launch on several host threads, one for each checker (null ones: races are not
/// checked). If it did not hold, what was written has been taken back, so that runLaunch says what
/// one thread finds.
Spread runLaunchOn(Launch& launch, Counters& counters, std::span<RaceChecker* const> checkers,
                   MemoryCopy& before);

}  // namespace cutwork::sim

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

/// Runs the launch on several host threads, one for each checker (null ones: races are not
/// checked). False: a cluster had a fault, the limit was met, or clusters accessed the same memory;
/// what was written has been taken back then, so that runLaunch says what one thread finds.
bool runLaunchOn(Launch& launch, Counters& counters, std::span<RaceChecker* const> checkers,
                 MemoryCopy& before);

}  // namespace cutwork::sim

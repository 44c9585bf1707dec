// Scheduler.h -- runs a launch: clusters in turn, their CTAs together, warps and groups in
// rotation.
#pragma once

#include <atomic>
#include <span>

#include "Exec/Machine.h"

namespace cutwork::sim {

/// What the threads that run one launch share.
class ClusterQueue {
 public:
  ClusterQueue(std::uint64_t clusters, std::uint64_t threads)
      : clusters_(clusters), threads_(threads) {}
  /// Clusters that follow each other, for a thread that has none left.
  struct Chunk {
    std::uint64_t next = 0;
    std::uint64_t end = 0;
    [[nodiscard]] bool empty() const { return next == end; }
  };
  /// Large ones at first, so that threads are apart in memory, then smaller ones, so that they end
  /// together; one thread gets all. Empty: there are no more.
  Chunk take();
  [[nodiscard]] bool empty() const { return taken_.load(std::memory_order_relaxed) == clusters_; }

  std::atomic<std::uint64_t> instructions{0};  ///< of warps, where the launch has a limit
  std::atomic<bool> ended{false};              ///< by a fault

 private:
  std::uint64_t clusters_;
  std::uint64_t threads_;
  std::atomic<std::uint64_t> taken_{0};
};

/// Clusters of the launch's grid.
std::uint64_t clustersOf(const LaunchConfig& config);

/// Runs all blocks of the launch, or until its fault is set. Adds to `counters`.
void runLaunch(Launch& launch, Counters& counters);
/// The same for the clusters of a chunk, and then those that the queue still has.
void runClusters(Launch& launch, Counters& counters, ClusterQueue& queue,
                 ClusterQueue::Chunk first);

/// Runs the launch on several host threads, one for each checker (null ones: races are not
/// checked). False: a cluster had a fault, the limit was met, or clusters accessed the same memory;
/// what was written has been taken back then, so that runLaunch says what one thread finds.
bool runLaunchOn(Launch& launch, Counters& counters, std::span<RaceChecker* const> checkers,
                 Undo& undo);

}  // namespace cutwork::sim

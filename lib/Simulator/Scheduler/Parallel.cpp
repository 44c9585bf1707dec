// Parallel.cpp -- a launch on several host threads.
//
// Clusters that cannot tell in which order they run (Program::ordered is empty) are given out to
// threads. Each thread has its own race checker; behind the run their notes are compared, since
// clusters of two threads may have met in memory. Then, and after any fault, memory is put back as
// it was, and the launch is left to one thread: its results and its report are what counts.
#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "Counters.h"
#include "Decode/Program.h"
#include "Scheduler.h"

namespace cutwork::sim {
namespace {

/// Calls `work` with each number below `count`, each on its own thread, the last on this one, and
/// those for which the host has no thread. `work` does not throw.
template <class Work>
void onThreads(std::size_t count, const Work& work) {
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    try {
      threads.emplace_back([&work, i] { work(i); });
    } catch (const std::system_error&) {
      work(i);
    }
  }
  work(count - 1);
  for (std::thread& one : threads) one.join();
}

class Speculation {
 public:
  Speculation(Launch& launch, std::span<RaceChecker* const> checkers)
      : launch_(launch), checkers_(checkers), parts_(checkers.size()) {}

  void run() {
    onThreads(parts_.size(), [this](std::size_t i) { runPart(i); });
  }

  /// Whether it is what one thread would have done.
  [[nodiscard]] bool holds() {
    std::uint64_t made = 0;
    for (const Part& part : parts_) {
      if (part.launch.fault.any() || part.failed != nullptr) return false;
      made += part.launch.instructions;
    }
    const std::uint64_t limit = launch_.config.maxInstructions;
    if (limit != 0 && made >= limit) return false;
    return checkers_[0] == nullptr || !met();
  }

  void addTo(Counters& counters) {
    for (const Part& part : parts_) {
      add(counters, part.counters);
      launch_.instructions += part.launch.instructions;
    }
  }

  /// An exception of a thread (no memory, say) is one of the launch.
  void rethrow() {
    for (const Part& part : parts_) {
      if (part.failed != nullptr) std::rethrow_exception(part.failed);
    }
  }

 private:
  struct Part {
    Launch launch;
    Counters counters;
    std::exception_ptr failed;
  };

  void runPart(std::size_t i) {
    Part& part = parts_[i];
    try {
      part.launch = launch_;
      part.launch.race = checkers_[i];
      part.launch.config.stopAtFirst = true;  // whose reports count is the run on one thread
      runClusters(part.launch, part.counters, queue_);
    } catch (...) {
      part.failed = std::current_exception();
    }
    if (part.launch.fault.any() || part.failed != nullptr) {
      queue_.ended.store(true, std::memory_order_relaxed);
    }
  }

  /// Whether two threads accessed the same memory, and one of them wrote.
  bool met() {
    const std::uint64_t granules = launch_.extent / 4 + 1;
    std::vector<char> found(parts_.size(), 0);
    onThreads(parts_.size(), [&](std::size_t i) {
      const std::uint64_t each = granules / parts_.size() + 1;
      const std::uint64_t end = std::min(granules, (i + 1) * each);
      found[i] = RaceChecker::meet(checkers_, i * each, end) ? 1 : 0;
    });
    return std::find(found.begin(), found.end(), 1) != found.end();
  }

  Launch& launch_;
  std::span<RaceChecker* const> checkers_;
  std::vector<Part> parts_;
  ClusterQueue queue_;
};

}  // namespace

bool runLaunchOn(Launch& launch, Counters& counters, std::span<RaceChecker* const> checkers,
                 MemoryCopy& before) {
  const bool shadow = launch.program->checked;
  if (!launch.memory->save(before, shadow)) return false;
  Speculation speculation(launch, checkers);
  speculation.run();
  if (speculation.holds()) {
    speculation.addTo(counters);
    return true;
  }
  launch.memory->restore(before, shadow);
  speculation.rethrow();
  return false;
}

}  // namespace cutwork::sim

// Parallel.cpp -- a launch on several host threads.
//
// Clusters that cannot tell in which order they run (Program::ordered is empty) are given out to
// threads. Each thread has its own race checker; behind the run their notes are compared, since
// clusters of two threads may have met in memory: where both accessed one page (Memory/Page.h), and
// one of them wrote. If they met, and after any fault, memory is put back as it was, and the launch
// is left to one thread: its results and its report are what counts.
#include <algorithm>
#include <new>
#include <thread>
#include <vector>

#include "Counters.h"
#include "Decode/Program.h"
#include "Scheduler.h"

namespace cutwork::sim {
namespace {

/// Looking at these takes no longer than starting threads.
constexpr std::size_t kFewPages = 64;

/// Calls `work` with each number below `count`, each on its own thread, the last on this one, and
/// those for which the host has no thread, or no memory. `work` does not throw.
template <class Work>
void onThreads(std::size_t count, const Work& work) {
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    try {
      threads.emplace_back([&work, i] { work(i); });
    } catch (...) {
      work(i);
    }
  }
  work(count - 1);
  for (std::thread& one : threads) one.join();
}

class Speculation {
 public:
  Speculation(Launch& launch, std::span<RaceChecker* const> checkers, Undo& undo)
      : launch_(launch),
        checkers_(checkers),
        undo_(undo),
        parts_(checkers.size()),
        queue_(clustersOf(launch.config), checkers.size()) {
    for (Part& part : parts_) part.first = queue_.take();
  }

  void run() {
    onThreads(parts_.size(), [this](std::size_t i) { runPart(i); });
  }

  /// Whether it is what one thread would have done; without memory to see that, it is not.
  [[nodiscard]] bool holds() noexcept try {
    std::uint64_t made = 0;
    for (const Part& part : parts_) {
      if (part.launch.fault.any() || part.failed) return false;
      made += part.launch.instructions;
    }
    const std::uint64_t limit = launch_.config.maxInstructions;
    if (limit != 0 && made >= limit) return false;
    return checkers_[0] == nullptr || !met();
  } catch (const std::bad_alloc&) {
    return false;
  }

  void addTo(Counters& counters) {
    for (const Part& part : parts_) {
      add(counters, part.counters);
      launch_.instructions += part.launch.instructions;
    }
  }

 private:
  /// What one thread writes all the time, apart from what others do.
  struct alignas(128) Part {
    ClusterQueue::Chunk first;  ///< of each launch of a grid the same, so near its caches
    Launch launch;
    Counters counters;
    bool failed = false;  ///< by an exception (no memory, say): one thread will have it, or not
  };

  void runPart(std::size_t i) {
    Part& part = parts_[i];
    try {
      part.launch = launch_;
      part.launch.race = checkers_[i];
      part.launch.undo = &undo_.log(i);
      part.launch.config.stopAtFirst = true;  // whose reports count is the run on one thread
      runClusters(part.launch, part.counters, queue_, part.first);
    } catch (...) {
      part.failed = true;
    }
    UndoLog::close();
    if (part.launch.fault.any() || part.failed) {
      queue_.ended.store(true, std::memory_order_relaxed);
    }
  }

  /// Whether two threads accessed the same memory, and one of them wrote.
  bool met() {
    const std::vector<std::uint64_t> pages = RaceChecker::sharedPages(checkers_);
    if (pages.size() < kFewPages) return RaceChecker::meet(checkers_, pages);
    std::vector<char> found(parts_.size(), 0);
    onThreads(parts_.size(), [&](std::size_t i) {
      const std::size_t begin = pages.size() * i / parts_.size();
      const std::size_t end = pages.size() * (i + 1) / parts_.size();
      const std::span mine = std::span(pages).subspan(begin, end - begin);
      found[i] = RaceChecker::meet(checkers_, mine) ? 1 : 0;
    });
    return std::find(found.begin(), found.end(), 1) != found.end();
  }

  Launch& launch_;
  std::span<RaceChecker* const> checkers_;
  Undo& undo_;
  std::vector<Part> parts_;
  ClusterQueue queue_;
};

}  // namespace

bool runLaunchOn(Launch& launch, Counters& counters, std::span<RaceChecker* const> checkers,
                 Undo& undo) {
  try {
    undo.start(checkers.size(), launch.data, launch.program->checked ? launch.shadow : nullptr,
               launch.extent);
  } catch (const std::bad_alloc&) {
    return false;
  }
  Speculation speculation(launch, checkers, undo);
  speculation.run();
  if (!speculation.holds()) {
    undo.putBack();
    return false;
  }
  undo.forget();
  speculation.addTo(counters);
  return true;
}

}  // namespace cutwork::sim

// Interrupt.cpp -- a handler of SIGINT, for as long as any thread runs a simulated kernel.
#include "Interrupt.h"

#include <atomic>
#include <csignal>
#include <mutex>

#include "cutwork/Simulator/Runs.h"

namespace cutwork::python {

namespace {

std::atomic<bool> interrupted{false};

void onInterrupt(int) {
  interrupted.store(true, std::memory_order_relaxed);
  std::signal(SIGINT, SIG_DFL);
}

/// How many are there, and whose handler was there before them.
struct Installed {
  std::mutex mutex;
  int count = 0;
  struct sigaction before{};
};
Installed& installed() {
  static auto* const it = new Installed;
  return *it;
}

}  // namespace

Interruptible::Interruptible(bool simulated) : active_(simulated) {
  if (!active_) return;
  Installed& all = installed();
  const std::lock_guard lock(all.mutex);
  if (all.count++ != 0) return;
  interrupted.store(false, std::memory_order_relaxed);
  limitSimulatedRuns(0, &interrupted);
  struct sigaction ours{};
  ours.sa_handler = onInterrupt;
  sigaction(SIGINT, nullptr, &all.before);
  if (all.before.sa_handler != SIG_IGN) sigaction(SIGINT, &ours, nullptr);  // nohup, or `&`
}

Interruptible::~Interruptible() {
  if (!active_) return;
  Installed& all = installed();
  const std::lock_guard lock(all.mutex);
  if (--all.count == 0) sigaction(SIGINT, &all.before, nullptr);
}

bool Interruptible::raised() const {
  return active_ && interrupted.load(std::memory_order_relaxed);
}

}  // namespace cutwork::python

// cutwork/Cases/Bench.h -- how long a case takes: on a GPU against a copy of the same bytes.
#pragma once

#include <optional>

#include "cutwork/Cases/Case.h"
#include "cutwork/Simulator/Simulator.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// Seconds of single runs.
struct Timing {
  int runs = 0;
  double median = 0;
  double low = 0;   ///< a tenth of the runs took less
  double high = 0;  ///< a tenth took more
  double least = 0;
};
/// Of at least one run.
Timing timingOf(std::vector<double> seconds);

struct BenchOptions {
  int iterations = 0;  ///< timed runs; 0: as many as take about half a second, 20 to 1000
  std::uint64_t seed = 0;
  CompileOptions compile = {};
  /// What the case is compared with: nothing, a device's copy of the same bytes, another case.
  enum class Versus { Nothing, Copy, Case } versus = Versus::Copy;
  const cutwork::Case* other = nullptr;  ///< for Versus::Case; runs the same shape
};

// Initialised in words, for designated initialisers that leave members out.
// NOLINTBEGIN(readability-redundant-member-init)
struct BenchReport {
  CaseShape shape = {};
  double bytes = 0;    ///< that one run moves
  double flops = 0;    ///< of one run; 0: not counted
  Timing timing = {};  ///< on a simulated device one run of the host's time
  std::optional<Timing> versus = {};
  double versusBytes = 0;
  std::optional<sim::Counters> counters = {};  ///< of the one run on a simulated device
};
// NOLINTEND(readability-redundant-member-init)

/// On a GPU: warm-up, then single runs between events, each after the L2 cache has been
/// overwritten, in turn with those of the other. On a simulated device: one run. Errors: what the
/// case's functions throw; a fault of the device.
Expected<BenchReport> benchCase(const Case& which, const CaseShape& shape, const Device& device,
                                const BenchOptions& options = {});

}  // namespace cutwork

#pragma GCC visibility pop

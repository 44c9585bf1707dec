// Bench.cpp -- timing a case: events and a flushed cache on a GPU, one run on a simulated device.
#include "cutwork/Cases/Bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "Prepared.h"
#include "cutwork/Runtime/Buffer.h"
#include "cutwork/Simulator/Runs.h"

namespace cutwork {

namespace {

using Clock = std::chrono::steady_clock;
using Work = std::function<Status()>;

constexpr double kWarmUpSeconds = 0.1;
constexpr double kTimedSeconds = 0.5;
constexpr int kLeastRuns = 20;
constexpr int kMostRuns = 1000;
constexpr std::int64_t kLeastFlush = std::int64_t{64} << 20;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A case that can be run, and the bytes that it moves.
struct Prepared {
  CompiledFunction function;
  DeviceRun run;
  double bytes;
};

Expected<Prepared> prepare(const Case& which, const CaseShape& shape, const Device& device,
                           const BenchOptions& options) {
  CW_TRY(PreparedCase ready, prepareCase(which, shape, device, options.compile, options.seed));
  const double bytes = which.bytes ? which.bytes(shape) : static_cast<double>(ready.arrays.bytes());
  return Prepared{std::move(ready.function), std::move(ready.run), bytes};
}

// Runs work on a GPU and takes its time.
class Stopwatch {
 public:
  static Expected<Stopwatch> make(const Device& device) {
    CW_TRY(Event start, device.createEvent());
    CW_TRY(Event end, device.createEvent());
    const std::int64_t bytes = std::max(2 * device.properties().l2Bytes, kLeastFlush);
    CW_TRY(Buffer flush, device.allocate(bytes));
    return Stopwatch(device, std::move(start), std::move(end), std::move(flush));
  }

  /// Seconds of one run after the L2 cache has been filled with other data.
  [[nodiscard]] Expected<double> time(const Work& work) const {
    CW_DO(device_.fill(flush_.address(), 0, 4, flush_.bytes() / 4));
    CW_DO(start_.record(stream_));
    CW_DO(work());
    CW_DO(end_.record(stream_));
    CW_DO(end_.synchronize());
    CW_TRY(const float milliseconds, start_.millisecondsTo(end_));
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  Stopwatch(const Device& device, Event start, Event end, Buffer flush)
      : device_(device),
        stream_(Stream::borrowed(device, nullptr)),
        start_(std::move(start)),
        end_(std::move(end)),
        flush_(std::move(flush)) {}
  Device device_;
  Stream stream_;
  Event start_;
  Event end_;
  Buffer flush_;
};

// Runs until the clocks of the device are up; how many timed runs are to follow.
Expected<int> warmUp(const Stopwatch& watch, const std::vector<Work>& all) {
  const Clock::time_point start = Clock::now();
  int runs = 0;
  do {
    for (const Work& work : all) {
      CW_TRY([[maybe_unused]] const double seconds, watch.time(work));
    }
    ++runs;
  } while (secondsSince(start) < kWarmUpSeconds);
  const double each = secondsSince(start) / runs;
  return std::clamp(static_cast<int>(kTimedSeconds / each), kLeastRuns, kMostRuns);
}

// A timing for each; their runs take turns.
Expected<std::vector<Timing>> timeAll(const Device& device, const std::vector<Work>& all,
                                      int iterations) {
  CW_TRY(const Stopwatch watch, Stopwatch::make(device));
  CW_TRY(const int runs, warmUp(watch, all));
  std::vector<std::vector<double>> seconds(all.size());
  for (int i = 0; i < (iterations > 0 ? iterations : runs); ++i) {
    for (std::size_t which = 0; which < all.size(); ++which) {
      CW_TRY(const double one, watch.time(all[which]));
      seconds[which].push_back(one);
    }
  }
  std::vector<Timing> timings;
  timings.reserve(seconds.size());
  for (std::vector<double>& one : seconds) timings.push_back(timingOf(std::move(one)));
  return timings;
}

Expected<BenchReport> benchSimulated(const Prepared& prepared, const Device& device) {
  takeSimulatedRuns(device);
  const Clock::time_point start = Clock::now();
  CW_DO(prepared.run.call(prepared.function));
  CW_DO(device.synchronize());
  BenchReport report{.timing = timingOf({secondsSince(start)})};
  if (const auto runs = takeSimulatedRuns(device)) report.counters = runs->counters;
  return report;
}

// A plain copy that reads half of the bytes and writes half.
Expected<Work> copyOf(const Device& device, double bytes) {
  const auto half = static_cast<std::int64_t>(bytes / 2);
  CW_TRY(const Buffer from, device.allocate(half));
  CW_TRY(const Buffer to, device.allocate(half));
  return Work([device, from, to, half] {
    return device.copyOnDeviceAsync(to.address(), from.address(), half, nullptr);
  });
}

Expected<BenchReport> benchReal(const Prepared& prepared, const CaseShape& shape,
                                const Device& device, const BenchOptions& options) {
  BenchReport report;
  std::vector<Work> all{[&] { return prepared.run.call(prepared.function); }};
  std::optional<Prepared> other;
  if (options.versus == BenchOptions::Versus::Copy) {
    CW_TRY(Work copy, copyOf(device, prepared.bytes));
    all.push_back(std::move(copy));
    report.versusBytes = prepared.bytes;
  } else if (options.versus == BenchOptions::Versus::Case) {
    CW_TRY(other, prepare(*options.other, shape, device, options));
    all.emplace_back([&other] { return other->run.call(other->function); });
    report.versusBytes = other->bytes;
  }
  CW_TRY(const std::vector<Timing> timings, timeAll(device, all, options.iterations));
  report.timing = timings[0];
  if (timings.size() > 1) report.versus = timings[1];
  return report;
}

Expected<BenchReport> benched(const Case& which, const CaseShape& shape, const Device& device,
                              const BenchOptions& options) {
  CW_TRY(const Prepared prepared, prepare(which, shape, device, options));
  CW_TRY(BenchReport report, device.properties().simulated
                                 ? benchSimulated(prepared, device)
                                 : benchReal(prepared, shape, device, options));
  report.shape = shape;
  report.bytes = prepared.bytes;
  report.flops = which.flops ? which.flops(shape) : 0;
  return report;
}

}  // namespace

Timing timingOf(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  const std::size_t count = seconds.size();
  // The value that the fraction `at` of the runs does not exceed.
  const auto quantile = [&](double at) {
    return seconds[static_cast<std::size_t>(std::lround(at * static_cast<double>(count - 1)))];
  };
  const double median = (seconds[(count - 1) / 2] + seconds[count / 2]) / 2;
  return {static_cast<int>(count), median, quantile(0.1), quantile(0.9), seconds.front()};
}

Expected<BenchReport> benchCase(const Case& which, const CaseShape& shape, const Device& device,
                                const BenchOptions& options) {
  try {
    return benched(which, shape, device, options);
  } catch (const Exception& thrown) {
    return thrown.error();
  }
}

}  // namespace cutwork

// Bench.cpp -- how fast the simulated device is: lane instructions a second, checked and not, on
// one host thread and on several; how long a run takes to start; what memory a large grid takes.
//
// bench_sim [SECONDS [THREADS [KERNEL]]]: each kernel of kernels.ptx (or KERNEL alone) in each mode
// for at least so long; tables in Markdown. What each kernel computed is compared with the host's
// result first. For counts of the host's instructions: valgrind --tool=callgrind bench_sim 0 1 add.
// Results: bench/results.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "cutwork/Simulator/Simulator.h"

namespace cutwork::sim {
namespace {

using Clock = std::chrono::steady_clock;
using Floats = std::vector<float>;

struct Case {
  const char* kernel;
  std::uint32_t n;
  std::uint64_t elements;  ///< of each of three arrays
  std::array<std::uint32_t, 3> grid;
  std::uint32_t block;
  Floats (*expected)(const Floats& in, std::uint32_t n);
};

Floats twice(const Floats& in, std::uint32_t) {
  Floats out(in);
  for (float& x : out) x += x;
  return out;
}

Floats product(const Floats& in, std::uint32_t n) {
  Floats out(std::size_t{n} * n, 0.0F);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) out[i * n + j] += in[i * n + k] * in[k * n + j];
    }
  }
  return out;
}

Floats softmax(const Floats& in, std::uint32_t n) {
  Floats out(in);
  for (auto row = out.begin(); row != out.end(); row += n) {
    float all = 0;
    for (auto x = row; x != row + n; ++x) all += * x = std::exp(*x - 6);  // the greatest is 6
    for (auto x = row; x != row + n; ++x) *x /= all;
  }
  return out;
}

Floats sums(const Floats& in, std::uint32_t) {
  Floats out(in);
  for (std::size_t i = 0; i < in.size() / 4096; ++i) {
    out[i] = 0;
    for (std::size_t k = 0; k < 4096; ++k) out[i] += in[i * 4096 + k];
  }
  return out;
}

Floats sorted(const Floats& in, std::uint32_t) {
  Floats out(in);
  for (auto at = out.begin(); at != out.end(); at += 1024) std::sort(at, at + 1024);
  return out;
}

/// Bits of integers, on top of what the array held.
Floats histogram(const Floats& in, std::uint32_t) {
  Floats out(in);
  for (std::size_t v = 0; v < 256; ++v) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &out[v], 4);
    const auto is = [&](float x) { return x == static_cast<float>(v); };
    bits += static_cast<std::uint32_t>(std::count_if(in.begin(), in.end(), is));
    std::memcpy(&out[v], &bits, 4);
  }
  return out;
}

std::vector<Case> cases() {
  return {{"add", 1U << 20, 1U << 20, {2048, 1, 1}, 128, twice},
          {"sgemm", 256, 65536, {4, 4, 1}, 256, product},
          {"sgemm_scalar", 256, 65536, {2, 256, 1}, 128, product},
          {"softmax", 1024, 1U << 18, {256, 1, 1}, 256, softmax},
          {"reduction", 0, 1U << 20, {256, 1, 1}, 256, sums},
          {"sort", 0, 1U << 16, {64, 1, 1}, 256, sorted},
          {"histogram", 1U << 18, 1U << 18, {64, 1, 1}, 256, histogram}};
}

/// A case on a device, with its arrays.
struct Prepared {
  std::unique_ptr<SimulatedDevice> device;
  SimulatedModule* module = nullptr;
  LaunchConfig config;
  std::vector<std::byte> parameters;
  std::uint64_t output = 0;
  Floats values;
};

Expected<Prepared> prepare(const Case& item, Checks checks, const std::string& ptx) {
  Prepared made;
  CW_TRY(made.device, SimulatedDevice::create("sm_90", checks));
  CW_TRY(made.module, made.device->loadModule(ptx, "kernels.ptx"));
  made.config.grid = item.grid;
  made.config.block = {item.block, 1, 1};
  made.parameters.resize(28);
  made.values.resize(item.elements);
  for (std::size_t i = 0; i < made.values.size(); ++i) {
    made.values[i] = static_cast<float>(i % 7);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    CW_TRY(made.output, made.device->allocate(item.elements * 4, "array"));
    CW_DO(made.device->write(made.output, made.values.data(), item.elements * 4));
    std::memcpy(&made.parameters[8 * i], &made.output, 8);
  }
  std::memcpy(&made.parameters[24], &item.n, 4);
  return made;
}

Expected<LaunchResult> run(const Case& item, Prepared& made) {
  CW_TRY(auto result, made.device->launch(made.module, item.kernel, made.config, made.parameters));
  if (result.fault) return userError(result.fault->text);
  return result;
}

Status compare(const Case& item, Prepared& made) {
  Floats got(item.elements);
  CW_DO(made.device->read(made.output, got.data(), item.elements * 4));
  const Floats want = item.expected(made.values, item.n);
  for (std::size_t i = 0; i < want.size(); ++i) {
    const float error = std::abs(got[i] - want[i]);
    if (!(error <= 1e-5F * std::max(1.0F, std::abs(want[i])))) {
      return userError(
          fmt::format("{}: element {} is {}, expected {}", item.kernel, i, got[i], want[i]));
    }
  }
  return Success{};
}

struct Speed {
  double lanesASecond = 0;
  std::uint64_t lanes = 0;
  unsigned threads = 1;
};

/// The best of the runs within so many seconds; one at least, beside the first.
Expected<Speed> measure(const Case& item, Checks checks, unsigned threads, const std::string& ptx,
                        double seconds) {
  CW_TRY(Prepared made, prepare(item, checks, ptx));
  made.config.threads = threads;
  CW_TRY([[maybe_unused]] const LaunchResult first, run(item, made));
  CW_DO(compare(item, made));
  Speed speed;
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    CW_TRY(const LaunchResult result, run(item, made));
    const std::chrono::duration<double> took = Clock::now() - start;
    speed.lanes = result.counters.laneInstructions;
    speed.threads = result.threads;
    speed.lanesASecond =
        std::max(speed.lanesASecond, static_cast<double>(speed.lanes) / took.count());
  } while (std::chrono::duration<double>(Clock::now() - begin).count() < seconds);
  return speed;
}

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

/// How many times as long a run takes with one check alone.
Status eachCheck(const Case& item, const Speed& plain, double seconds, const std::string& ptx) {
  for (bool Checks::* const one : {&Checks::memory, &Checks::race, &Checks::sync, &Checks::init}) {
    Checks alone = Checks::none();
    alone.*one = true;
    CW_TRY(const Speed speed, measure(item, alone, 1, ptx, seconds));
    print(fmt::format(" {:.1f} |", plain.lanesASecond / speed.lanesASecond));
  }
  return Success{};
}

Status speeds(double seconds, unsigned threads, const std::string& only, const std::string& ptx) {
  print(
      "| kernel | lane instructions | unchecked, a second | checked | ratio | memory alone | race "
      "| sync | init |");
  if (threads > 1) print(fmt::format(" unchecked, {0} threads | checked, {0} threads |", threads));
  print(threads > 1 ? "\n|---|---|---|---|---|---|---|---|---|---|---|\n"
                    : "\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Case& item : cases()) {
    if (!only.empty() && only != item.kernel) continue;
    CW_TRY(const Speed plain, measure(item, false, 1, ptx, seconds));
    CW_TRY(const Speed checked, measure(item, true, 1, ptx, seconds));
    print(fmt::format("| {} | {:.1f} M | {:.2f} G | {:.2f} G | {:.1f} |", item.kernel,
                      static_cast<double>(plain.lanes) / 1e6, plain.lanesASecond / 1e9,
                      checked.lanesASecond / 1e9, plain.lanesASecond / checked.lanesASecond));
    CW_DO(eachCheck(item, plain, seconds, ptx));
    for (const bool check : {false, true}) {
      if (threads <= 1) break;
      CW_TRY(const Speed many, measure(item, check, threads, ptx, seconds));
      const double times = many.lanesASecond / (check ? checked : plain).lanesASecond;
      print(many.threads == 1
                ? " runs on one |"
                : fmt::format(" {:.2f} G, {:.2f} times |", many.lanesASecond / 1e9, times));
    }
    print("\n");
  }
  return Success{};
}

/// A device, the module read, a buffer, a launch of one block.
Status start(const std::string& ptx) {
  double least = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto begin = Clock::now();
    Case item = cases()[0];
    item.elements = 512;
    item.n = 512;
    item.grid = {1, 1, 1};
    CW_TRY(Prepared made, prepare(item, true, ptx));
    CW_TRY([[maybe_unused]] const LaunchResult result, run(item, made));
    least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  print(
      fmt::format("\nStart of a run (device, module of {} lines, buffers, one block), checked: "
                  "{:.2f} ms\n",
                  std::count(ptx.begin(), ptx.end(), '\n'), least * 1e3));
  return Success{};
}

Status bench(int argc, char** argv) {
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 1.0;
  const auto threads = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 1U;
  std::ifstream file(CUTWORK_SIM_KERNELS, std::ios::binary);
  const std::string ptx((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  CW_DO(speeds(seconds, threads, argc > 3 ? argv[3] : "", ptx));
  return start(ptx);
}

}  // namespace
}  // namespace cutwork::sim

int main(int argc, char** argv) {
  const auto done = cutwork::sim::bench(argc, argv);
  if (done.ok()) return 0;
  std::fputs((done.error().text() + "\n").c_str(), stderr);
  return 1;
}

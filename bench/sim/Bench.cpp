// Bench.cpp -- how fast the simulated device is: lane instructions a second on one core.
//
// bench_sim [seconds]: each kernel of kernels.ptx, unchecked and checked, for at least so long; a
// table in Markdown. Results: bench/results.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "cutwork/Simulator/Simulator.h"

namespace cutwork::sim {
namespace {

struct Case {
  const char* kernel;
  std::uint32_t n;
  std::uint64_t elements;  ///< of each of three arrays
  LaunchConfig config;
};

std::vector<Case> cases() {
  LaunchConfig add;
  add.grid = {2048, 1, 1};
  add.block = {128, 1, 1};
  LaunchConfig sgemm;
  sgemm.grid = {4, 4, 1};
  sgemm.block = {256, 1, 1};
  LaunchConfig scalar;
  scalar.grid = {2, 256, 1};
  scalar.block = {128, 1, 1};
  return {{"add", 1U << 20, 1U << 20, add},
          {"sgemm", 256, 65536, sgemm},
          {"sgemm_scalar", 256, 65536, scalar}};
}

Expected<bool> measure(const Case& item, bool checked, const std::string& ptx, double seconds) {
  CW_TRY(auto device, SimulatedDevice::create("sm_90", checked));
  CW_TRY(SimulatedModule * module, device->loadModule(ptx, "kernels.ptx"));
  std::vector<std::byte> parameters(28);
  std::vector<float> values(item.elements);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7);
  for (std::size_t i = 0; i < 3; ++i) {
    CW_TRY(const std::uint64_t address, device->allocate(item.elements * 4, "array"));
    CW_DO(device->write(address, values.data(), item.elements * 4));
    std::memcpy(&parameters[8 * i], &address, 8);
  }
  std::memcpy(&parameters[24], &item.n, 4);
  double best = 0;
  std::uint64_t lanes = 0;
  const auto begin = std::chrono::steady_clock::now();
  std::chrono::duration<double> all{};
  while (all.count() < seconds) {
    const auto start = std::chrono::steady_clock::now();
    CW_TRY(const auto result, device->launch(module, item.kernel, item.config, parameters));
    const auto end = std::chrono::steady_clock::now();
    if (result.fault) return userError(result.fault->text);
    const std::chrono::duration<double> took = end - start;
    lanes = result.counters.laneInstructions;
    best = std::max(best, static_cast<double>(lanes) / took.count());
    all = end - begin;
  }
  std::fputs(
      fmt::format("| {} | {} | {:.1f} M | {:.2f} G |\n", item.kernel,
                  checked ? "checked" : "unchecked", static_cast<double>(lanes) / 1e6, best / 1e9)
          .c_str(),
      stdout);
  return true;
}

int run(int argc, char** argv) {
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 1.0;
  std::ifstream file(CUTWORK_SIM_KERNELS, std::ios::binary);
  const std::string ptx((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::fputs("| kernel | mode | lane instructions | a second |\n| --- | --- | --- | --- |\n",
             stdout);
  for (const Case& item : cases()) {
    for (const bool checked : {false, true}) {
      const auto done = measure(item, checked, ptx, seconds);
      if (!done.ok()) {
        std::fputs((done.error().text() + "\n").c_str(), stderr);
        return 1;
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace cutwork::sim

int main(int argc, char** argv) { return cutwork::sim::run(argc, argv); }

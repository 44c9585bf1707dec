// FuzzSim.cpp -- libFuzzer: launches of PTX modules on the simulated device; no crash, no hang.
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cutwork/Simulator/Simulator.h"

namespace {

void runAll(std::string_view text, bool checked) {
  auto device = cutwork::sim::SimulatedDevice::create("sm_90a", checked);
  if (!device.ok()) return;
  auto module = (*device)->loadModule(text, "fuzz.ptx");
  if (!module.ok()) return;
  const auto buffer = (*device)->allocate(4096, "buffer");
  if (!buffer.ok()) return;
  const std::vector<std::uint8_t> zeros(4096);
  [[maybe_unused]] const auto written = (*device)->write(buffer.value(), zeros.data(), 4096);
  std::vector<std::uint64_t> parameters(512, buffer.value());
  const auto* bytes = reinterpret_cast<const std::byte*>(parameters.data());
  for (const std::string& kernel : (*device)->kernels(*module)) {
    cutwork::sim::LaunchConfig config;
    config.block = {40, 1, 1};
    config.maxInstructions = 20'000;
    [[maybe_unused]] const auto result =
        (*device)->launch(*module, kernel, config, {bytes, parameters.size() * 8});
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  runAll(text, true);
  runAll(text, false);
  return 0;
}

// Targets.cpp -- the simulated devices by target.
#include "Targets.h"

#include <fmt/format.h>

#include <charconv>

#include "cutwork/Support/Target.h"

namespace cutwork::sim {
namespace {

/// What a multiprocessor holds (CUDA C++ Programming Guide, table "Technical specifications per
/// compute capability").
struct Multiprocessor {
  int sharedKilobytes;  ///< of one block, its static part included
  int threads;
  int blocks;
};
Multiprocessor multiprocessorOf(int capability) {
  switch (capability) {
    case 80: return {163, 2048, 32};
    case 86: return {99, 1536, 16};
    case 89:
    case 120:
    case 121: return {99, 1536, 24};
    default: return {227, 2048, 32};
  }
}

}  // namespace

std::span<const std::string_view> deviceTargets() { return knownTargets(); }

bool runsOn(std::string_view module, std::string_view device) {
  const auto have = Target::parse(device);
  if (!have) return false;
  if (const auto wanted = Target::parse(module)) return wanted->ptxRunsOn(have->capability);
  // sm_70 and other old ones, which have no features of their own that were dropped.
  if (!module.starts_with("sm_")) return false;
  int number = 0;
  const auto [end, error] =
      std::from_chars(module.data() + 3, module.data() + module.size(), number);
  return error == std::errc() && end == module.data() + module.size() && number < have->capability;
}

DeviceProperties deviceProperties(std::string_view target) {
  DeviceProperties p;
  p.name = fmt::format("sim:{}", target);
  p.card = fmt::format("simulated {}", target);
  p.target = Target::parse(target).value();
  p.simulated = true;
  p.multiprocessors = 132;
  p.memoryBytes = std::int64_t{64} << 30;
  p.l2Bytes = std::int64_t{50} << 20;
  p.clockKHz = 1'500'000;
  p.memoryClockKHz = 2'000'000;
  p.memoryBusBits = 4096;
  p.dlpackType = 1;  // kDLCPU: its memory is the host's, at other addresses
  DeviceLimits& limits = p.limits;
  const Multiprocessor has = multiprocessorOf(p.target.capability);
  limits.sharedMemoryPerBlock = std::int64_t{1024} * has.sharedKilobytes;
  limits.sharedMemoryPerMultiprocessor = limits.sharedMemoryPerBlock + 1024;
  limits.reservedSharedMemoryPerBlock = 1024;
  limits.threadsPerMultiprocessor = has.threads;
  limits.blocksPerMultiprocessor = has.blocks;
  const bool clusters = p.target.capability >= 90;
  limits.clusterSize = clusters ? 16 : 1;
  limits.portableClusterSize = clusters ? 8 : 1;
  limits.cooperativeLaunch = true;
  limits.parameterBytes = p.target.capability >= 70 ? 32764 : 4096;
  return p;
}

}  // namespace cutwork::sim

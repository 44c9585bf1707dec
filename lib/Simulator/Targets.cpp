// Targets.cpp -- the simulated devices by target.
#include "Targets.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace cutwork::sim {
namespace {

/// What Cutwork compiles for, and what else runs PTX of these ISAs.
constexpr std::array<std::string_view, 23> kTargets = {
    "sm_75",   "sm_80",   "sm_86",   "sm_87",   "sm_88",   "sm_89",   "sm_90",  "sm_90a",
    "sm_100",  "sm_100a", "sm_100f", "sm_103",  "sm_103a", "sm_103f", "sm_110", "sm_110a",
    "sm_110f", "sm_120",  "sm_120a", "sm_120f", "sm_121",  "sm_121a", "sm_121f"};

/// What a multiprocessor holds (CUDA C++ Programming Guide, table "Technical specifications per
/// compute capability"; 8.8 is not in it, and is taken to be as 8.6).
struct Multiprocessor {
  int sharedKilobytes;  ///< of one block, its static part included
  int threads;
  int blocks;
};
Multiprocessor multiprocessorOf(int capability) {
  switch (capability) {
    case 75: return {64, 1024, 16};
    case 80: return {163, 2048, 32};
    case 86:
    case 88: return {99, 1536, 16};
    case 87: return {163, 1536, 16};
    case 89:
    case 120:
    case 121: return {99, 1536, 24};
    case 110: return {227, 1536, 24};
    default: return {227, 2048, 32};
  }
}

}  // namespace

std::span<const std::string_view> deviceTargets() { return kTargets; }

std::optional<Target> targetNamed(std::string_view name) {
  if (!name.starts_with("sm_")) return std::nullopt;
  name.remove_prefix(3);
  Target target;
  if (name.ends_with('a')) target.suffix = Target::Suffix::Architecture;
  if (name.ends_with('f')) target.suffix = Target::Suffix::Family;
  if (target.suffix != Target::Suffix::None) name.remove_suffix(1);
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), target.capability);
  const bool isNumber = error == std::errc() && end == name.data() + name.size();
  if (!isNumber || target.capability < 10 || target.capability > 999) return std::nullopt;
  return target;
}

unsigned leastVersion(std::string_view target) {
  if (const auto known = Target::parse(target)) return static_cast<unsigned>(known->leastPtx());
  const auto other = targetNamed(target);
  if (!other) return 0;
  switch (other->capability) {
    case 75: return 63;
    case 87: return 74;
    case 88:
    case 110: return 90;
    default: return 0;
  }
}

bool runsOn(std::string_view module, std::string_view device) {
  const auto have = targetNamed(device);
  const auto wanted = targetNamed(module);
  return have && wanted && wanted->ptxRunsOn(have->capability);
}

DeviceProperties deviceProperties(std::string_view target) {
  DeviceProperties p;
  p.name = fmt::format("sim:{}", target);
  p.card = fmt::format("simulated {}", target);
  if (const auto named = targetNamed(target)) p.target = *named;  // what is no target has no device
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

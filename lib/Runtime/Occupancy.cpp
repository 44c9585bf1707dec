// Occupancy.cpp -- the rules by which blocks share a multiprocessor.
#include "cutwork/Runtime/Occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "cutwork/Runtime/Module.h"

namespace cutwork {

namespace {

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kRegisterUnit = 256;  ///< of a warp
constexpr std::int64_t kPartitions = 4;
constexpr std::int64_t kSharedUnit = 128;  ///< bytes
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

std::int64_t inUnits(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::int64_t byRegisters(const DeviceLimits& limits, const BlockNeeds& needs, std::int64_t warps) {
  if (needs.registers <= 0) return kNoLimit;
  const std::int64_t ofWarp = inUnits(needs.registers * kWarp, kRegisterUnit);
  // A block's warps go to the partitions in turn; one that has none left to take refuses the block.
  if (ofWarp * inUnits(warps, kPartitions) > limits.registersPerBlock) return 0;
  const std::int64_t perPartition = limits.registersPerMultiprocessor / kPartitions / ofWarp;
  return perPartition * kPartitions / warps;
}

std::int64_t bySharedMemory(const DeviceLimits& limits, const BlockNeeds& needs) {
  if (needs.sharedMemory > limits.sharedMemoryPerBlock) return 0;
  const std::int64_t ofBlock =
      inUnits(needs.sharedMemory + limits.reservedSharedMemoryPerBlock, kSharedUnit);
  return ofBlock == 0 ? kNoLimit : limits.sharedMemoryPerMultiprocessor / ofBlock;
}

// A kernel that does nothing, for questions that take a kernel.
std::string emptyKernel(const Target& target) {
  const int version = std::max(target.leastPtx(), 78);
  return fmt::format(
      ".version {}.{}\n.target {}\n.address_size 64\n.visible .entry nothing()\n{{\n  ret;\n}}\n",
      version / 10, version % 10, target.name());
}

}  // namespace

Occupancy occupancy(const DeviceLimits& limits, const BlockNeeds& needs) {
  Occupancy result;
  result.mostWarps = limits.threadsPerMultiprocessor / kWarp;
  if (needs.threads < 1 || needs.threads > limits.threadsPerBlock) {
    result.limitedBy = "threads";
    return result;
  }
  const std::int64_t warps = (needs.threads + kWarp - 1) / kWarp;
  struct Bound {
    std::string_view name;
    std::int64_t blocks;
  };
  const std::array<Bound, 4> bounds = {{{"threads", result.mostWarps / warps},
                                        {"blocks", limits.blocksPerMultiprocessor},
                                        {"registers", byRegisters(limits, needs, warps)},
                                        {"shared memory", bySharedMemory(limits, needs)}}};
  const Bound& least = *std::ranges::min_element(bounds, {}, &Bound::blocks);
  result.blocks = least.blocks;
  result.warps = least.blocks * warps;
  result.limitedBy = least.name;
  return result;
}

Expected<int> mostActiveClusters(const Device& device, std::int64_t blocks) {
  const DeviceProperties& p = device.properties();
  if (blocks < 1 || blocks > p.limits.clusterSize) {
    return userError(fmt::format("clusters of {} blocks: {} has clusters of 1 to {}", blocks,
                                 p.name, p.limits.clusterSize));
  }
  CW_TRY(const Module module, device.loadModule(Image::fromPtx(emptyKernel(p.target))));
  CW_TRY(const Function function, module.function("nothing"));
  LaunchConfig config;
  config.block = {128, 1, 1};
  config.sharedMemory = p.limits.sharedMemoryPerBlock;
  if (blocks == 1) {
    CW_TRY(const int each, function.activeBlocks(config));
    return static_cast<int>(each * p.multiprocessors);
  }
  config.cluster = {blocks, 1, 1};
  config.grid = {blocks * p.multiprocessors, 1, 1};
  return function.activeClusters(config);
}

}  // namespace cutwork

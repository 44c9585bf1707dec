// OccupancyTest.cpp -- blocks of a multiprocessor, against numbers that were computed by hand.
#include "cutwork/Runtime/Occupancy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cutwork {
namespace {

constexpr std::int64_t kKilobyte = 1024;

DeviceLimits limitsOf(std::int64_t threads, std::int64_t blocks, std::int64_t sharedKilobytes) {
  DeviceLimits limits;
  limits.threadsPerMultiprocessor = threads;
  limits.blocksPerMultiprocessor = blocks;
  limits.sharedMemoryPerMultiprocessor = sharedKilobytes * kKilobyte;
  limits.sharedMemoryPerBlock = (sharedKilobytes - 1) * kKilobyte;
  limits.reservedSharedMemoryPerBlock = kKilobyte;
  return limits;
}
const DeviceLimits kSm80 = limitsOf(2048, 32, 164);
const DeviceLimits kSm86 = limitsOf(1536, 16, 100);
const DeviceLimits kSm90 = limitsOf(2048, 32, 228);

struct Row {
  const DeviceLimits& limits;
  BlockNeeds needs;
  std::int64_t blocks;
  std::int64_t warps;
  std::string_view limitedBy;
};

TEST(Occupancy, IsWhatTheRulesGive) {
  const Row rows[] = {
      // 8 warps a block: 64 / 8. Registers would allow the same: 16384 / 1024 = 16 warps each.
      {kSm90, {256, 32, 0}, 8, 64, "threads"},
      // 40 registers are 1280 of a warp: 12 warps of a partition, 48 in all.
      {kSm90, {256, 40, 0}, 6, 48, "registers"},
      // 41 are 1312, in units of 256 1536: 10 warps of a partition.
      {kSm90, {256, 41, 0}, 5, 40, "registers"},
      // 2048 of a warp: 8 of a partition, 32 in all, one block.
      {kSm90, {1024, 64, 0}, 1, 32, "registers"},
      // 2304 of a warp: 32 warps are more than the registers of a block.
      {kSm90, {1024, 65, 0}, 0, 0, "registers"},
      // 8192 of a warp: 2 of a partition, 8 in all; blocks of 3 warps.
      {kSm90, {96, 255, 0}, 2, 6, "registers"},
      // 49152 + 1024 bytes, three times in 164 KiB.
      {kSm80, {128, 24, 48 * kKilobyte}, 3, 12, "shared memory"},
      // 100 + 1024 bytes are 9 units of 128: 1152, which is 145 times in 164 KiB.
      {kSm80, {32, 16, 100}, 32, 32, "blocks"},
      {kSm86, {32, 16, 0}, 16, 16, "blocks"},
      {kSm86, {1024, 32, 0}, 1, 32, "threads"},
      // 99 KiB and what the driver reserves are all there is.
      {kSm86, {64, 32, 99 * kKilobyte}, 1, 2, "shared memory"},
      {kSm86, {64, 32, 99 * kKilobyte + 1}, 0, 0, "shared memory"},
      {kSm90, {2048, 32, 0}, 0, 0, "threads"},
      {kSm90, {0, 32, 0}, 0, 0, "threads"},
      // Nothing known of registers.
      {kSm90, {512, 0, 0}, 4, 64, "threads"},
  };
  for (const Row& row : rows) {
    const Occupancy found = occupancy(row.limits, row.needs);
    SCOPED_TRACE(::testing::Message() << row.needs.threads << " threads, " << row.needs.registers
                                      << " registers, " << row.needs.sharedMemory << " bytes");
    EXPECT_EQ(found.blocks, row.blocks);
    EXPECT_EQ(found.warps, row.warps);
    EXPECT_EQ(found.limitedBy, row.limitedBy);
  }
}

TEST(Occupancy, TheFractionIsOfTheWarps) {
  EXPECT_DOUBLE_EQ(occupancy(kSm90, {256, 40, 0}).fraction(), 0.75);
  EXPECT_DOUBLE_EQ(occupancy(kSm86, {1024, 32, 0}).fraction(), 32.0 / 48);
  EXPECT_DOUBLE_EQ(occupancy(kSm90, {4096, 32, 0}).fraction(), 0);
}

}  // namespace
}  // namespace cutwork

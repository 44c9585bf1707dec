// Memory.cpp -- global memory: allocations, their shadow, and where an address is said to be.
#include "Memory/Global.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "Targets.h"
#include "cutwork/Simulator/Simulator.h"

namespace cutwork::sim {
namespace {

/// What copies tells its memory from the host's by the address.
TEST(GlobalMemory, HasNoAddressOfTheHost) {
  GlobalMemory memory;
  ASSERT_TRUE(memory.allocate(100, "a").ok());
  std::ifstream maps("/proc/self/maps");
  std::size_t ranges = 0;
  for (std::string line; std::getline(maps, line); ++ranges) {
    const std::uint64_t start = std::stoull(line, nullptr, 16);
    const std::uint64_t end = std::stoull(line.substr(line.find('-') + 1), nullptr, 16);
    EXPECT_FALSE(start < GlobalMemory::kBase + memory.reserved() && end > GlobalMemory::kBase)
        << line;
  }
  EXPECT_GT(ranges, 5U);
}

TEST(GlobalMemory, AllocatesApartAndAligned) {
  GlobalMemory memory;
  const std::uint64_t a = memory.allocate(100, "a").value();
  const std::uint64_t b = memory.allocate(1 << 20, "b").value();
  EXPECT_EQ(a % 1024, 0U);
  EXPECT_EQ(b % 1024, 0U);
  EXPECT_GE(b, a + 100 + 1024);
  EXPECT_EQ(memory.shadow()[a - GlobalMemory::kBase], kLive);
  EXPECT_EQ(memory.shadow()[a - GlobalMemory::kBase + 100], 0);
  std::vector<std::uint8_t> bytes(100, 7);
  ASSERT_TRUE(memory.write(a, bytes.data(), 100).ok());
  EXPECT_EQ(memory.shadow()[a - GlobalMemory::kBase + 99], kLive | kWritten);
  std::vector<std::uint8_t> back(100);
  ASSERT_TRUE(memory.read(a, back.data(), 100).ok());
  EXPECT_EQ(back, bytes);
  EXPECT_FALSE(memory.write(a + 1, bytes.data(), 100).ok());
  EXPECT_FALSE(memory.read(a - 1, back.data(), 1).ok());
}

TEST(GlobalMemory, FreesOnce) {
  GlobalMemory memory;
  const std::uint64_t a = memory.allocate(10'000, "a").value();
  EXPECT_FALSE(memory.free(a + 1).ok());
  EXPECT_TRUE(memory.free(a).ok());
  EXPECT_FALSE(memory.free(a).ok());
  std::uint8_t byte = 0;
  EXPECT_FALSE(memory.read(a, &byte, 1).ok());
  EXPECT_NE(memory.allocate(10'000, "b").value(), a);
}

TEST(GlobalMemory, SaysWhereAnAddressIs) {
  GlobalMemory memory;
  const std::uint64_t a = memory.allocate(16, "buffer a").value();
  EXPECT_EQ(memory.describe(0), "a null pointer, or nearly");
  EXPECT_NE(memory.describe(a + 4).find("byte 4 of buffer a (16 bytes"), std::string::npos);
  EXPECT_NE(memory.describe(a + 16).find("just after the end of buffer a"), std::string::npos);
  EXPECT_NE(memory.describe(a + 20).find("4 bytes after the end of buffer a"), std::string::npos);
  EXPECT_NE(memory.describe(a - 1).find("1 byte before buffer a"), std::string::npos);
  EXPECT_EQ(memory.describe(0x1234'5678), "in no allocation");
}

TEST(Targets, RunTheirOwnAndLowerModules) {
  EXPECT_TRUE(runsOn("sm_70", "sm_80"));
  EXPECT_TRUE(runsOn("sm_90", "sm_100"));
  EXPECT_TRUE(runsOn("sm_90a", "sm_90a"));
  EXPECT_FALSE(runsOn("sm_90a", "sm_100a"));
  EXPECT_TRUE(runsOn("sm_100f", "sm_103"));
  EXPECT_FALSE(runsOn("sm_100f", "sm_120"));
  EXPECT_FALSE(runsOn("sm_100", "sm_90"));
  EXPECT_FALSE(runsOn("compute_90", "sm_90"));
  EXPECT_FALSE(SimulatedDevice::create("sm_42").ok());
}

}  // namespace
}  // namespace cutwork::sim

// Seeds.cpp -- the order of blocks and warps by a seed: what depends on it shows, and repeats.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "Programs.h"
#include "Scheduler/Order.h"

// Each test has asked for the fault before it looks into it.
namespace cutwork::sim {
namespace {

LaunchConfig seeded(std::uint64_t seed) {
  LaunchConfig config;
  config.seed = seed;
  return config;
}

TEST(Seeds, AnOrderHasEveryBlockOnce) {
  for (const std::uint64_t count : {1, 2, 3, 7, 64, 100, 1000, 4097}) {
    for (const std::uint64_t seed : {0, 1, 2, 99}) {
      const BlockOrder order(count, seed);
      std::set<std::uint64_t> seen;
      bool moved = false;
      for (std::uint64_t i = 0; i < count; ++i) {
        seen.insert(order.at(i));
        moved = moved || order.at(i) != i;
        EXPECT_LT(order.at(i), count);
      }
      EXPECT_EQ(seen.size(), count) << seed;
      if (seed == 0) EXPECT_FALSE(moved);
      if (seed != 0 && count >= 64) EXPECT_TRUE(moved) << count;
    }
  }
}

/// Each thread takes a ticket: what it gets depends on who comes first.
std::string tickets(const std::string& launch) {
  return programOf(launch, 2,
                   "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmad.lo.u32 %r3, %r1, %r2, %r0;\n"
                   "atom.global.add.u32 %r4, [%rd0], 1;\nmad.wide.u32 %rd2, %r3, 4, %rd1;\n"
                   "st.global.u32 [%rd2], %r4;");
}

TEST(Seeds, DependenceOnTheOrderShows) {
  for (const char* launch : {"block=256 args=in:4,in:1024", "grid=8 block=32 args=in:4,in:1024",
                             "grid=8 cluster=2 block=32 args=in:4,in:1024"}) {
    const std::string ptx = tickets(launch);
    const Outcome plain = runProgram(ptx, true);
    EXPECT_EQ(textOf(plain), "");
    std::set<std::vector<std::uint8_t>> results;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const Outcome once = runProgram(ptx, true, seeded(seed));
      const Outcome again = runProgram(ptx, true, seeded(seed));
      EXPECT_EQ(textOf(once), "");
      EXPECT_EQ(once.buffers, again.buffers) << launch << seed;
      if (seed == 0) EXPECT_EQ(once.buffers, plain.buffers);
      results.insert(once.buffers[1]);
    }
    EXPECT_GE(results.size(), 4U) << launch;
  }
}

TEST(Seeds, ASeedHasItsReport) {
  // Each block stores its number to one place.
  const std::string ptx = programOf("grid=16 block=1 args=in:4", 1,
                                    "mov.u32 %r1, %ctaid.x;\nst.global.u32 [%rd0], %r1;");
  std::set<std::string> reports;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Outcome once = runProgram(ptx, true, seeded(seed));
    ASSERT_TRUE(once.fault.has_value());
    EXPECT_EQ(once.fault->code, ExitCode::Race);
    EXPECT_EQ(once.fault->count, 15U);
    EXPECT_EQ(textOf(once), textOf(runProgram(ptx, true, seeded(seed))));
    // The blocks that are named are those that stored what is said.
    EXPECT_EQ(once.fault->value, "wrote " + std::to_string(once.fault->block[0]) + " (u32)");
    EXPECT_EQ(once.fault->other->value,
              "wrote " + std::to_string(once.fault->other->block[0]) + " (u32)");
    reports.insert(textOf(once));
  }
  EXPECT_GE(reports.size(), 3U);
}

TEST(Seeds, WhatWaitsForOthersEnds) {
  // A barrier of the whole grid, by a counter: blocks wait for blocks.
  const std::string ptx = programOf(
      "grid=32 block=64 args=in:4", 1,
      "bar.sync 0;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra E;\n"
      "atom.acq_rel.gpu.global.add.u32 %r1, [%rd0], 1;\nW: ld.acquire.gpu.global.u32 %r1, [%rd0];\n"
      "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra W;\nE: bar.sync 0;");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(textOf(runProgram(ptx, true, seeded(seed))), "") << seed;
  }
}

TEST(Seeds, AProgramThatDependsOnNothingIsTheSame) {
  const std::string ptx = programOf(
      "grid=4 block=128 args=in:2048", 1,
      "mov.u32 %r1, buf;\nmad.lo.u32 %r2, %r0, 4, %r1;\nst.shared.u32 [%r2], %r0;\nbar.sync 0;\n"
      "xor.b32 %r3, %r0, 96;\nmad.lo.u32 %r3, %r3, 4, %r1;\nld.shared.u32 %r4, [%r3];\n"
      "mov.u32 %r5, %ctaid.x;\nmad.lo.u32 %r6, %r5, 128, %r0;\nmad.wide.u32 %rd2, %r6, 4, %rd0;\n"
      "st.global.u32 [%rd2], %r4;",
      ".shared .align 4 .b8 buf[512];");
  const Outcome plain = runProgram(ptx, true);
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    const Outcome other = runProgram(ptx, true, seeded(seed));
    EXPECT_EQ(textOf(other), "");
    EXPECT_EQ(other.buffers, plain.buffers);
    EXPECT_EQ(other.counters.laneInstructions, plain.counters.laneInstructions);
  }
}

}  // namespace
}  // namespace cutwork::sim

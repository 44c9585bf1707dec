// Flow.cpp -- where the parts of a divergent branch meet, as Decode/Flow.h finds it.
#include "Decode/Flow.h"

#include <gtest/gtest.h>

#include "Programs.h"

namespace cutwork::sim {
namespace {

using Blocks = std::vector<Block>;

TEST(Flow, AnIfMeetsBehindIt) {
  const Blocks blocks = {{{1, 2}, false}, {{2}, false}, {{}, true}};
  EXPECT_EQ(meetingPoints(blocks), (std::vector<std::uint32_t>{2, 2, kNowhere}));
}

TEST(Flow, EndsThatAreNeverComeToDoNotCount) {
  const Blocks blocks = {{{1, 2}, false}, {{2}, false}, {{}, true}, {{4}, false}, {{}, true}};
  const auto meet = meetingPoints(blocks);
  EXPECT_EQ(meet[0], 2U);
  EXPECT_EQ(meet[1], 2U);
}

// 0: bounds; 4: what an assertion calls, behind everything as LLVM puts it; 1 to 3: an if.
TEST(Flow, AnAssertionIsNotWhereTheKernelEnds) {
  const Blocks blocks = {{{4, 1}, false}, {{2, 3}, false}, {{3}, false}, {{}, true}, {{}, true}};
  const auto meet = meetingPoints(blocks);
  EXPECT_EQ(meet[0], 1U);
  EXPECT_EQ(meet[1], 3U);
}

TEST(Flow, AnEarlyReturnIsNotWaitedFor) {
  const Blocks blocks = {{{1, 2}, false}, {{}, true}, {{3, 4}, false}, {{4}, false}, {{}, true}};
  const auto meet = meetingPoints(blocks);
  EXPECT_EQ(meet[0], 2U);
  EXPECT_EQ(meet[2], 4U);
}

TEST(Flow, NoEndAndNoBlocks) {
  EXPECT_TRUE(meetingPoints({}).empty());
  EXPECT_EQ(meetingPoints({{{1}, false}, {{0}, false}}),
            (std::vector<std::uint32_t>{kNowhere, kNowhere}));
}

// Many ends: the time stays linear.
TEST(Flow, ManyEnds) {
  Blocks blocks(40'001);
  for (std::uint32_t i = 0; i < 40'000; i += 2) {
    blocks[i].next = {i + 1, i + 2};
    blocks[i + 1].ends = true;
  }
  blocks.back().ends = true;
  EXPECT_EQ(meetingPoints(blocks)[0], 2U);
}

// A block that only some lanes are in skips a barrier, in what a compiler writes with lines.
constexpr std::string_view kSkipped = R"(// launch: block=32 args=out:128
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  setp.gt.u32 %p2, %r1, 1000;
  @%p2 bra $L_bad;
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra $L_done;
  bar.sync 0;
$L_done:
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
$L_bad:
  trap;
$L_end:
})";

TEST(Flow, SkippedBarriersAreSeenInCompiledCode) {
  const Outcome found = runProgram(std::string(kSkipped), true, {});
  ASSERT_TRUE(found.fault.has_value()) << found.problem;
  EXPECT_EQ(found.fault->code, ExitCode::Barrier) << textOf(found);
}

}  // namespace
}  // namespace cutwork::sim

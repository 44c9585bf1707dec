// SyncMasks.cpp -- every instruction with a member mask: a mask without the own lane is reported,
// and one that fits is not. Shuffles that read a lane which does not take part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "Programs.h"

// Each test has asked for the fault before it looks into it.
namespace cutwork::sim {
namespace {

using testing::HasSubstr;

/// With MASK for the member mask; %r0 is the thread, %p0 true of all, %rd3 its number.
const char* const kInstructions[] = {
    "shfl.sync.idx.b32 %r1, %r0, 0, 31, MASK;",
    "shfl.sync.up.b32 %r1, %r0, 1, 0, MASK;",
    "shfl.sync.down.b32 %r1, %r0, 1, 31, MASK;",
    "shfl.sync.bfly.b32 %r1|%p1, %r0, 1, 31, MASK;",
    "vote.sync.all.pred %p1, %p0, MASK;",
    "vote.sync.any.pred %p1, %p0, MASK;",
    "vote.sync.uni.pred %p1, %p0, MASK;",
    "vote.sync.ballot.b32 %r1, %p0, MASK;",
    "match.any.sync.b32 %r1, %r0, MASK;",
    "match.any.sync.b64 %r1, %rd3, MASK;",
    "match.all.sync.b32 %r1|%p1, %r0, MASK;",
    "match.all.sync.b64 %r1|%p1, %rd3, MASK;",
    "redux.sync.add.u32 %r1, %r0, MASK;",
    "redux.sync.min.s32 %r1, %r0, MASK;",
    "redux.sync.max.u32 %r1, %r0, MASK;",
    "redux.sync.and.b32 %r1, %r0, MASK;",
    "redux.sync.or.b32 %r1, %r0, MASK;",
    "redux.sync.xor.b32 %r1, %r0, MASK;",
    "elect.sync %r1|%p1, MASK;",
    "bar.warp.sync MASK;",
};

std::string withMask(std::string instruction, const std::string& mask) {
  return instruction.replace(instruction.find("MASK"), 4, mask);
}

std::string program(const std::string& instruction, const std::string& launch = "block=32") {
  return programOf(launch, 0, "setp.ge.u32 %p0, %r0, 0;\ncvt.u64.u32 %rd3, %r0;\n" + instruction);
}

TEST(SyncMasks, AMaskHasTheOwnLane) {
  for (const char* instruction : kInstructions) {
    const std::string bad = withMask(instruction, "0xffff");
    const Outcome found = runProgram(program(bad), true);
    ASSERT_EQ(found.problem, "") << instruction;
    ASSERT_EQ(found.faults.size(), 1U) << instruction << textOf(found);
    EXPECT_EQ(found.faults[0].code, ExitCode::SyncMask) << instruction;
    EXPECT_EQ(found.faults[0].message, "the member mask 0x0000ffff has not the executing lane 16");
    EXPECT_EQ(found.faults[0].thread[0], 16U);
    EXPECT_EQ(found.faults[0].count, 16U) << instruction;
    Checks others = true;
    others.sync = false;
    EXPECT_EQ(textOf(runProgram(program(bad), others)), "") << instruction;
  }
}

TEST(SyncMasks, AMaskThatFitsIsSilent) {
  for (const char* instruction : kInstructions) {
    EXPECT_EQ(textOf(runProgram(program(withMask(instruction, "-1")), true)), "") << instruction;
    const std::string guarded =
        "setp.lt.u32 %p2, %r0, 16;\n@%p2 " + withMask(instruction, "0xffff");
    EXPECT_EQ(textOf(runProgram(program(guarded), true)), "") << instruction;
    // Lanes that do not exist, and lanes that have ended, may be in it.
    EXPECT_EQ(textOf(runProgram(program(withMask(instruction, "-1"), "block=20"), true)), "")
        << instruction;
    const std::string ended = "setp.ge.u32 %p2, %r0, 24;\n@%p2 exit;\n";
    EXPECT_EQ(textOf(runProgram(program(ended + withMask(instruction, "-1")), true)), "")
        << instruction;
  }
}

TEST(SyncMasks, AMaskWasWritten) {
  for (const char* instruction : kInstructions) {
    const Outcome found = runProgram(program(withMask(instruction, "%r9")), true);
    ASSERT_TRUE(found.fault.has_value()) << instruction;
    EXPECT_EQ(found.fault->message, "the member mask was never written in this thread");
  }
}

/// The lanes above 20 go elsewhere; the others read by a shuffle, and store what they got.
std::string shuffles(const std::string& shuffle, const std::string& behind) {
  return programOf("block=32 args=in:128", 1,
                   "setp.ge.u32 %p0, %r0, 20;\nmul.wide.u32 %rd2, %r0, 4;\n"
                   "add.u64 %rd2, %rd2, %rd0;\n@%p0 bra E;\n" +
                       shuffle + "\n" + behind + "\nE:");
}

TEST(SyncMasks, AShuffleReadsLanesThatTakePart) {
  const char* const stray[] = {
      "shfl.sync.down.b32 %r1, %r0, 4, 31, 0xfffff;",
      "shfl.sync.idx.b32 %r1, %r0, 25, 31, 0xfffff;",
      "shfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xfffff;",
  };
  for (const char* shuffle : stray) {
    const std::string ptx = shuffles(shuffle, "st.global.u32 [%rd2], %r1;");
    const Outcome found = runProgram(ptx, true);
    ASSERT_EQ(found.faults.size(), 1U) << shuffle;
    EXPECT_EQ(found.faults[0].code, ExitCode::Uninitialised);
    EXPECT_THAT(found.faults[0].text, HasSubstr("by the shuffle at kernel.ptx:" +
                                                std::to_string(lineOf(ptx, "shfl.sync"))));
    EXPECT_THAT(found.faults[0].text, HasSubstr("which did not execute it"));
    // What nobody uses is no fault: a reduction of a warp that is not full.
    EXPECT_EQ(textOf(runProgram(shuffles(shuffle, "st.global.u32 [%rd2], 1;"), true)), "");
    const std::string selected =
        "setp.lt.u32 %p1, %r0, 4;\nselp.u32 %r1, 0, 0, %p1;\nst.global.u32 [%rd2], %r1;";
    EXPECT_EQ(textOf(runProgram(shuffles(shuffle, selected), true)), "");
  }
  const char* const fine[] = {
      "shfl.sync.up.b32 %r1, %r0, 4, 0, 0xfffff;",
      "shfl.sync.idx.b32 %r1, %r0, 19, 31, 0xfffff;",
      "shfl.sync.bfly.b32 %r1, %r0, 3, 31, 0xfffff;",
      "shfl.sync.down.b32 %r1, %r0, 4, 19, 0xfffff;",
  };
  for (const char* shuffle : fine) {
    EXPECT_EQ(textOf(runProgram(shuffles(shuffle, "st.global.u32 [%rd2], %r1;"), true)), "")
        << shuffle;
  }
}

TEST(SyncMasks, ABarrierOfABlockIsOneInstructionOfAWarp) {
  const std::string apart =
      "setp.lt.u32 %p0, %r0, 16;\n@%p0 bra A;\nbar.sync 0;\nbra E;\nA: bar.sync 0;\nE:";
  const Outcome found = runProgram(program(apart), true);
  ASSERT_EQ(found.faults.size(), 1U) << textOf(found);
  EXPECT_EQ(found.faults[0].code, ExitCode::Barrier);
  EXPECT_THAT(found.faults[0].message, HasSubstr("divergent: other lanes of the warp came to"));
  // Warps may; so may lanes with barrier.sync, which is not .aligned.
  const std::string warps =
      "setp.lt.u32 %p0, %r0, 32;\n@%p0 bra A;\nbar.sync 0;\nbra E;\nA: bar.sync 0;\nE:";
  EXPECT_EQ(textOf(runProgram(program(warps, "block=64"), true)), "");
  const std::string loose =
      "setp.lt.u32 %p0, %r0, 16;\n@%p0 bra A;\nbarrier.sync 0;\nbra E;\nA: barrier.sync 0;\nE:";
  EXPECT_EQ(textOf(runProgram(program(loose), true)), "");
  const std::string early = "setp.lt.u32 %p0, %r0, 16;\n@%p0 exit;\nbar.sync 0;";
  EXPECT_EQ(textOf(runProgram(program(early), true)), "");
}

}  // namespace
}  // namespace cutwork::sim

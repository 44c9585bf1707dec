// Faults.cpp -- several faults of one run: which go on, how they are listed, what a race had.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "Programs.h"

// Each test has asked for the fault before it looks into it.
namespace cutwork::sim {
namespace {

using testing::HasSubstr;

constexpr const char* kShared = ".shared .align 16 .b8 buf[1024];";

/// Two warps: each stores its thread's number and reads the other's, at `store` and `load`.
std::string racy(const std::string& store, const std::string& load) {
  return programOf("block=64 args=in:256", 1,
                   "mov.u32 %r1, buf;\nmad.lo.u32 %r2, %r0, 8, %r1;\nxor.b32 %r3, %r0, 32;\n"
                   "mad.lo.u32 %r3, %r3, 8, %r1;\nmul.wide.u32 %rd2, %r0, 4;\n"
                   "add.u64 %rd2, %rd2, %rd0;\nst.shared.u64 [%r2], 0;\nbar.sync 0;\n" +
                       store + "\n" + load + "\nst.global.u32 [%rd2], %r5;",
                   kShared);
}

TEST(Faults, ARaceHasTheValuesOfBothAccesses) {
  struct Case {
    std::string store;
    std::string load;
    std::string stored;  ///< by the second warp
    std::string loaded;  ///< by the first, before that
  };
  const Case cases[] = {
      {"add.u32 %r4, %r0, 7;\nst.shared.u32 [%r2], %r4;", "ld.shared.u32 %r5, [%r3];",
       "wrote 39 (u32)", "read 0 (u32)"},
      {"mov.f32 %f0, 0f3fc00000;\nst.shared.f32 [%r2], %f0;", "ld.shared.b32 %r5, [%r3];",
       "wrote 1.5 (f32)", "read 0x00000000 (b32; f32 0, s32 0)"},
      {"mov.u16 %h0, 0xfffe;\nst.shared.s16 [%r2], %h0;", "ld.shared.u8 %r5, [%r3];",
       "wrote -2 (s16)", "read 0 (u8)"},
      {"mov.f32 %f0, 0f40000000;\nst.shared.v2.f32 [%r2], {%f1, %f0};",
       "ld.shared.u32 %r5, [%r3+4];", "wrote 2 (f32)", "read 0 (u32)"},
      {"atom.shared.add.u32 %r4, [%r2], 5;", "ld.shared.u32 %r5, [%r3];", "met 0 (u32)",
       "read 0 (u32)"},
  };
  for (const Case& one : cases) {
    const Outcome outcome = runProgram(racy(one.store, one.load), true);
    EXPECT_EQ(outcome.problem, "");
    ASSERT_TRUE(outcome.fault.has_value()) << one.store;
    const FaultReport& fault = *outcome.fault;
    EXPECT_EQ(fault.code, ExitCode::Race) << fault.text;
    ASSERT_TRUE(fault.other.has_value());
    EXPECT_EQ(fault.value, one.stored) << fault.text;
    EXPECT_EQ(fault.other->value, one.loaded) << fault.text;
    EXPECT_THAT(fault.text, HasSubstr("  which " + one.stored + "\n"));
    EXPECT_THAT(fault.text, HasSubstr("  which " + one.loaded + "\n"));
  }
}

TEST(Faults, AReadOfWhatAnotherWroteHasItsValue) {
  const std::string ptx = racy(
      "add.u32 %r4, %r0, 7;\nst.shared.u32 [%r2], %r4;\nbar.sync 0;\n"
      "setp.ge.u32 %p0, %r0, 32;\n@!%p0 st.shared.u32 [%r2], 99;",
      "@%p0 ld.shared.u32 %r5, [%r3];\n@!%p0 mov.u32 %r5, 0;");
  const Outcome outcome = runProgram(ptx, true);
  ASSERT_EQ(outcome.faults.size(), 1U) << textOf(outcome);
  EXPECT_EQ(outcome.fault->value, "read 99 (u32)");
  EXPECT_EQ(outcome.fault->other->value, "wrote 99 (u32)");
}

/// Of several lanes that read, one that did: not the warp's first, and not the storing one itself.
TEST(Faults, ARaceNamesALaneThatRead) {
  const auto other = [](const std::string& writer) {
    const Outcome outcome = runProgram(
        programOf("block=64 args=in:8", 1,
                  "setp.eq.u32 %p0, %r0, 5;\nsetp.eq.or.u32 %p0, %r0, 9, %p0;\n@!%p0 bra L;\n"
                  "ld.global.u32 %r2, [%rd0];\nL: setp.ne.u32 %p1, %r0, " +
                      writer + ";\n@%p1 bra M;\nst.global.u32 [%rd0], 1;\nM: ret;"),
        true);
    return outcome.fault && outcome.fault->other ? outcome.fault->other->thread[0] : 99U;
  };
  EXPECT_EQ(other("40"), 5U);
  EXPECT_EQ(other("5"), 9U);
  EXPECT_EQ(other("9"), 5U);
}

TEST(Faults, BothStoresOfOneInstructionHaveTheirOwnValue) {
  const std::string ptx = programOf("block=32 args=in:4", 1, "st.global.u32 [%rd0], %r0;");
  const Outcome outcome = runProgram(ptx, true);
  ASSERT_TRUE(outcome.fault.has_value());
  EXPECT_EQ(outcome.fault->value, "wrote 1 (u32)") << outcome.fault->text;
  EXPECT_EQ(outcome.fault->other->value, "wrote 0 (u32)") << outcome.fault->text;
  EXPECT_EQ(outcome.fault->count, 31U);
  EXPECT_THAT(outcome.fault->text, HasSubstr("31 times at this place"));
}

/// A race, a load out of bounds, a value that nobody wrote, and trap.
std::string four() {
  return programOf(
      "block=64 args=in:256,un:256", 2,
      "mov.u32 %r1, buf;\nst.shared.u32 [%r1], %r0;\nmul.wide.u32 %rd2, %r0, 8;\n"
      "add.u64 %rd3, %rd2, %rd0;\nld.global.u32 %r2, [%rd3];\nmul.wide.u32 %rd4, %r0, 4;\n"
      "add.u64 %rd5, %rd4, %rd1;\nld.global.u32 %r3, [%rd5];\nadd.u64 %rd6, %rd4, %rd0;\n"
      "st.global.u32 [%rd6], %r3;\nbar.sync 0;\ntrap;",
      kShared);
}

std::string kindsOf(const Outcome& outcome) {
  std::string kinds;
  for (const FaultReport& fault : outcome.faults) {
    kinds += fault.text.substr(0, fault.text.find(':')) + " ";
  }
  return kinds;
}

TEST(Faults, ARunGoesOnWhereItCan) {
  const std::string ptx = four();
  const Outcome outcome = runProgram(ptx, true);
  EXPECT_EQ(kindsOf(outcome), "race uninitialised race bounds trap ");
}

TEST(Faults, TheFirstOneEndsTheRunIfThatIsAsked) {
  LaunchConfig config;
  config.stopAtFirst = true;
  const Outcome outcome = runProgram(four(), true, config);
  EXPECT_EQ(kindsOf(outcome), "race ");
  EXPECT_EQ(outcome.fault->count, 1U);
}

TEST(Faults, EveryKindOfCheckGoesOnByItself) {
  Checks only = Checks::none();
  only.memory = true;
  EXPECT_EQ(kindsOf(runProgram(four(), only)), "bounds trap ");
  only = Checks::none();
  only.init = true;
  EXPECT_EQ(kindsOf(runProgram(four(), only)), "uninitialised trap ");
}

TEST(Faults, WhatHasNoMemoryLoadsZeros) {
  const std::string ptx =
      programOf("block=32 args=in:64,in:128", 2,
                "mul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd3, %rd2, %rd0;\nadd.u64 %rd4, %rd2, %rd1;\n"
                "st.global.u32 [%rd3], 7;\nld.global.u32 %r1, [%rd3];\nadd.u32 %r1, %r1, 1;\n"
                "st.global.u32 [%rd4], %r1;");
  const Outcome outcome = runProgram(ptx, true);
  ASSERT_EQ(outcome.faults.size(), 2U) << kindsOf(outcome);
  EXPECT_EQ(outcome.faults[0].ptx.line, lineOf(ptx, "st.global.u32 [%rd3], 7;"));
  EXPECT_EQ(outcome.faults[0].count, 16U);
  EXPECT_EQ(outcome.faults[1].ptx.line, lineOf(ptx, "ld.global.u32 %r1"));
  EXPECT_EQ(outcome.faults[1].count, 16U);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(outcome.buffers[1][std::size_t{4} * i], i < 16 ? 8 : 1) << i;
}

TEST(Faults, AnAddressThatNobodyWroteIsNotUsed) {
  for (const char* access : {"ld.global.u32 %r1, [%rd5];", "ld.global.v2.u32 {%r1, %r2}, [%rd5];",
                             "st.global.u32 [%rd5], %r0;", "atom.global.add.u32 %r1, [%rd5], 1;",
                             "ld.u32 %r1, [%rd5];"}) {
    const std::string ptx =
        programOf("block=32 args=in:128", 1,
                  "setp.lt.u32 %p0, %r0, 20;\n@%p0 mad.wide.u32 %rd5, %r0, 8, %rd0;\n"
                  "@%p0 mov.u64 %rd5, %rd0;\n@%p0 mad.wide.u32 %rd5, %r0, 4, %rd0;\n" +
                      std::string(access == std::string("ld.global.v2.u32 {%r1, %r2}, [%rd5];")
                                      ? "@%p0 mad.wide.u32 %rd5, 8, 1, %rd0;\n"
                                      : "") +
                      access + "\nst.global.u32 [%rd0], 1;");
    const Outcome outcome = runProgram(ptx, [] {
      Checks checks = Checks::none();
      checks.init = checks.memory = true;
      return checks;
    }());
    ASSERT_EQ(kindsOf(outcome), "uninitialised ") << access << textOf(outcome);
    EXPECT_EQ(outcome.faults[0].count, 12U);
    EXPECT_EQ(outcome.faults[0].thread[0], 20U);
  }
}

TEST(Faults, AValueIsReportedOnce) {
  // The condition decides four branches; the same register is stored twice.
  const std::string ptx =
      programOf("block=1 args=in:8", 1,
                "@%p1 bra A;\nA: @%p1 bra B;\nB: @%p1 bra C;\nC:\nst.global.u32 [%rd0], %r9;\n"
                "st.global.u32 [%rd0+4], %r9;");
  const Outcome outcome = runProgram(ptx, true);
  ASSERT_EQ(kindsOf(outcome), "uninitialised uninitialised ");
  EXPECT_EQ(outcome.faults[0].ptx.line, lineOf(ptx, "@%p1 bra A"));
  EXPECT_EQ(outcome.faults[1].ptx.line, lineOf(ptx, "st.global.u32 [%rd0], %r9"));
}

TEST(Faults, PlacesAreListedUpToAHundred) {
  std::string statements;
  for (unsigned i = 0; i < 130; ++i) {
    statements += "ld.global.u32 %r1, [%rd0+" + std::to_string(4 + 4 * i) + "];\n";
  }
  const Outcome outcome = runProgram(programOf("block=2 args=in:4", 1, statements), true);
  EXPECT_EQ(outcome.faults.size(), 100U);
  EXPECT_EQ(outcome.unlisted, 60U);
  for (std::size_t i = 0; i < outcome.faults.size(); ++i) {
    EXPECT_EQ(outcome.faults[i].count, 2U);
    if (i > 0) EXPECT_GT(outcome.faults[i].ptx.line, outcome.faults[i - 1].ptx.line);
  }
}

/// Whatever has been reported before: why a run ended is said, with its place.
TEST(Faults, WhatEndsTheRunIsListed) {
  std::string statements;
  for (unsigned i = 0; i < 110; ++i) {
    statements += "ld.global.u32 %r1, [%rd0+" + std::to_string(4 + 4 * i) + "];\n";
  }
  // %r9 was never written.
  const std::string ptx =
      programOf("block=1 args=in:4", 1,
                statements + "T: .branchtargets A, B;\nbrx.idx %r9, T;\nA: ret;\nB: ret;");
  const Outcome outcome = runProgram(ptx, true);
  ASSERT_EQ(outcome.faults.size(), 101U);
  EXPECT_EQ(outcome.unlisted, 10U);
  EXPECT_EQ(outcome.faults.back().code, ExitCode::Uninitialised);
  EXPECT_EQ(outcome.faults.back().ptx.line, lineOf(ptx, "brx.idx"));
  EXPECT_THAT(outcome.faults.back().text, HasSubstr("the run cannot go on"));
}

TEST(Faults, ARunThatWaitsForWhatAFaultLostEnds) {
  // The flag is stored out of bounds, and everyone waits for it.
  const std::string ptx =
      programOf("block=1 args=in:4", 1,
                "st.global.u32 [%rd0+64], 1;\nW: ld.volatile.global.u32 %r1, [%rd0];\n"
                "setp.eq.u32 %p0, %r1, 0;\n@%p0 bra W;");
  const Outcome outcome = runProgram(ptx, true);
  ASSERT_EQ(kindsOf(outcome), "bounds limit ");
  EXPECT_THAT(outcome.faults[1].message, HasSubstr("instructions behind its first fault"));
}

TEST(Faults, TextOfSeveral) {
  LaunchResult result;
  EXPECT_EQ(faultsText(result), "");
  FaultReport one;
  one.text = "race: a\n  at k.ptx:3\n";
  result.faults = {one};
  EXPECT_EQ(faultsText(result), "race: a\n  at k.ptx:3");
  FaultReport two;
  two.text = "bounds: b\n  in kernel k\n";
  two.ptx = {"k.ptx", 9, 0, {}};
  two.count = 3;
  result.faults.push_back(two);
  result.unlisted = 5;
  EXPECT_EQ(faultsText(result),
            "race: a\n  at k.ptx:3\n  1 further fault:\n  bounds: b, at k.ptx:9, 3 times\n  and 5 "
            "at other places");
}

}  // namespace
}  // namespace cutwork::sim

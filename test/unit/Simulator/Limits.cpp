// Limits.cpp -- launches that ask too much are refused; what waits for ever says who waits where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "Programs.h"

// Each test has asked for the fault before it looks into it.
namespace cutwork::sim {
namespace {

using testing::HasSubstr;

struct Asked {
  LaunchConfig config;
  std::string message;
  const char* directives = "";
  const char* target = "sm_90";
};

LaunchConfig asking(std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
                    std::array<std::uint32_t, 3> cluster = {1, 1, 1}, std::uint32_t shared = 0) {
  LaunchConfig config;
  config.grid = grid;
  config.block = block;
  config.cluster = cluster;
  config.dynamicShared = shared;
  return config;
}

TEST(Limits, OfALaunch) {
  using Three = std::array<std::uint32_t, 3>;
  const Three one{1, 1, 1};
  const Asked cases[] = {
      {asking({0, 1, 1}, one), "grid.x is 0: allowed are 1 to 2147483647"},
      {asking({0x80000000U, 1, 1}, one), "grid.x is 2147483648: allowed are 1 to 2147483647"},
      {asking({1, 65536, 1}, one), "grid.y is 65536: allowed are 1 to 65535"},
      {asking({1, 1, 65536}, one), "grid.z is 65536: allowed are 1 to 65535"},
      {asking(one, {0, 1, 1}), "block.x is 0: allowed are 1 to 1024"},
      {asking(one, {1025, 1, 1}), "block.x is 1025: allowed are 1 to 1024"},
      {asking(one, {1, 1025, 1}), "block.y is 1025: allowed are 1 to 1024"},
      {asking(one, {1, 1, 65}), "block.z is 65: allowed are 1 to 64"},
      {asking(one, {32, 32, 2}), "has 2048 threads: allowed are 1024"},
      {asking(one, {256, 1, 1}), "has 256 threads: this kernel allows 128", ".maxntid 128, 1, 1"},
      {asking(one, {64, 1, 1}), "this kernel requires (128,1,1)", ".reqntid 128, 1, 1"},
      {asking(one, one, one, 232448 - 1024 + 1),
       "231425 bytes of dynamic shared memory: allowed are 231424 (232448 less the 1024"},
      {asking(one, one, one, 0xffffffffU), "4294967295 bytes of dynamic shared memory"},
      {asking(one, one, one, 166912 - 1024 + 1),
       "165889 bytes of dynamic shared memory: allowed are 165888 (166912 less the 1024", "",
       "sm_80"},
      {asking({17, 1, 1}, one, {17, 1, 1}), "cluster.x is 17: allowed are 1 to 16"},
      {asking({8, 4, 1}, one, {8, 4, 1}), "has 32 blocks: allowed are 16"},
      {asking({3, 1, 1}, one, {2, 1, 1}), "is no multiple of cluster"},
      {asking({4, 1, 1}, one, {4, 1, 1}), "the kernel was compiled for (2,1,1)",
       ".reqnctapercluster 2, 1, 1"},
      {asking({3, 1, 1}, one), "is no multiple of the kernel's cluster",
       ".reqnctapercluster 2, 1, 1"},
      {asking({2, 1, 1}, one, {2, 1, 1}), "has no clusters", "", "sm_80"},
  };
  for (const Asked& asked : cases) {
    const std::string target = asked.target;
    const std::string ptx = ".version 8.0\n.target " + target +
                            "\n.address_size 64\n.shared .align 16 .b8 s[1024];\n.visible .entry "
                            "k()\n" +
                            asked.directives +
                            "\n{\n.reg .b32 %r;\nld.shared.u32 %r, [s];\nret;\n}\n";
    const Outcome outcome = runProgram(ptx, true, asked.config, asked.target);
    EXPECT_THAT(outcome.problem, HasSubstr("launch of 'k': "));
    EXPECT_THAT(outcome.problem, HasSubstr(asked.message));
    EXPECT_FALSE(outcome.fault.has_value());
  }
}

TEST(Limits, AtTheLimitALaunchIsMade) {
  const std::string ptx = programOf("block=1", 0, "");
  EXPECT_EQ(runProgram(ptx, true, asking({2, 2, 2}, {16, 16, 4})).problem, "");
  EXPECT_EQ(runProgram(ptx, true, asking({16, 1, 1}, {1, 1, 1}, {16, 1, 1})).problem, "");
  EXPECT_EQ(runProgram(ptx, true, asking({1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 232448)).problem, "");
}

struct Waiting {
  const char* launch;
  const char* statements;
  std::vector<std::string> says;  ///< parts of the report
};

TEST(Deadlock, SaysWhoWaitsWhere) {
  const Waiting cases[] = {
      // A barrier for more threads than there are.
      {"block=64",
       "barrier.sync 3, 96;",
       {"nothing can go on: threads wait at barriers that others do not come to",
        "warp 0 lanes 0xffffffff at kernel.ptx:", "wait for barrier 3, where 64 of 96 threads",
        "warp 1 lanes 0xffffffff"}},
      // Two barriers, each with half of the block.
      {"block=64",
       "setp.lt.u32 %p0, %r0, 32;\n@%p0 bra A;\nbarrier.sync 1;\nbra E;\nA: barrier.sync 2;\nE:",
       {"wait for barrier 2, where 32 of 64 threads",
        "wait for barrier 1, where 32 of 64 threads"}},
      // Lanes of a mask that wait elsewhere.
      {"block=32",
       "setp.lt.u32 %p0, %r0, 8;\n@%p0 bra A;\nshfl.sync.idx.b32 %r1, %r0, 0, 31, -1;\nbra E;\n"
       "A: bar.warp.sync -1;\nE:",
       {"lanes wait for others of their warp that do not come",
        "lanes 0xffffff00 at kernel.ptx:", "wait for lanes of its mask",
        "lanes 0x000000ff at kernel.ptx:", "wait for lanes of its mask at bar.warp.sync"}},
      // An mbarrier for one arrival more than comes.
      {"block=32",
       "setp.eq.u32 %p0, %r0, 0;\nmov.u32 %r1, b;\n@%p0 mbarrier.init.shared.b64 [%r1], 33;\n"
       "bar.sync 0;\nmbarrier.arrive.shared.b64 %rd1, [%r1];\n"
       "W: mbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n@!%p1 bra W;",
       {"threads wait at an mbarrier whose phase does not end", "mbarrier", "phase 0",
        "needs 1 of 33 arrivals"}},
      // A block of a cluster that waits for itself.
      {"grid=2 cluster=2 block=32",
       "mov.u32 %r1, %cluster_ctarank;\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 barrier.sync 1, 64;\n"
       "barrier.cluster.arrive;\nbarrier.cluster.wait;",
       {"block (0,0,0) warp 0 lanes 0xffffffff", "wait for barrier 1, where 32 of 64 threads",
        "block (1,0,0) warp 0 lanes 0xffffffff",
        "wait for the cluster's barrier, where 32 of 64 threads have arrived"}},
  };
  for (const Waiting& one : cases) {
    const std::string ptx = programOf(one.launch, 0, one.statements, ".shared .align 8 .b64 b;");
    for (const bool checked : {true, false}) {
      const Outcome outcome = runProgram(ptx, checked);
      ASSERT_TRUE(outcome.fault.has_value()) << one.statements;
      EXPECT_EQ(outcome.fault->code, ExitCode::Deadlock) << textOf(outcome);
      for (const std::string& part : one.says) EXPECT_THAT(textOf(outcome), HasSubstr(part));
    }
  }
}

TEST(Deadlock, ALockThatNobodyGivesBackIsALimit) {
  // A thread takes a lock and never returns it: the others spin, and are said to.
  const std::string ptx =
      programOf("block=2 args=in:4", 1,
                "W: atom.global.cas.b32 %r1, [%rd0], 0, 1;\nsetp.ne.u32 %p0, %r1, 0;\n@%p0 bra W;");
  LaunchConfig config;
  config.maxInstructions = 200'000;
  const Outcome outcome = runProgram(ptx, true, config);
  ASSERT_TRUE(outcome.fault.has_value());
  EXPECT_EQ(outcome.fault->code, ExitCode::Limit);
  EXPECT_THAT(outcome.fault->message, HasSubstr("the limit of 200000 instructions was reached"));
  EXPECT_GE(outcome.fault->ptx.line, lineOf(ptx, "W: atom"));
  EXPECT_LE(outcome.fault->ptx.line, lineOf(ptx, "@%p0 bra W"));
}

LaunchConfig atMost(std::uint64_t instructions, std::uint64_t threads = 1) {
  LaunchConfig config;
  config.maxInstructions = instructions;
  config.threads = threads;
  return config;
}

TEST(InstructionLimit, IsThatOfTheWholeRun) {
  // Without a branch backwards a turn is the whole warp, and the last one is the last of the run.
  std::string straight;
  for (int i = 0; i < 1000; ++i) straight += "add.u32 %r1, %r0, 1;\n";
  for (const char* const shape : {"block=32", "block=96", "grid=3 block=64", "grid=40 block=32"}) {
    for (const std::uint64_t threads : {1, 4}) {
      const std::string ptx = programOf(shape, 0, straight);
      const std::uint64_t made = runProgram(ptx, true).counters.warpInstructions;
      ASSERT_GT(made, 1000U);
      const Outcome fits = runProgram(ptx, true, atMost(made, threads));
      EXPECT_FALSE(fits.fault) << textOf(fits);
      EXPECT_EQ(fits.counters.warpInstructions, made);
      for (const std::uint64_t limit : {std::uint64_t{1}, std::uint64_t{500}, made / 2, made - 1}) {
        const Outcome outcome = runProgram(ptx, true, atMost(limit, threads));
        ASSERT_TRUE(outcome.fault) << shape << ' ' << limit;
        EXPECT_EQ(outcome.fault->code, ExitCode::Limit);
        EXPECT_EQ(outcome.counters.warpInstructions, limit) << shape;
      }
    }
  }
}

TEST(InstructionLimit, NamesTheNextInstruction) {
  const std::string ptx = programOf("block=32", 0, "add.u32 %r1, %r0, 1;\nadd.u32 %r2, %r0, 2;");
  const Outcome outcome = runProgram(ptx, true, atMost(2));
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->ptx.line, lineOf(ptx, "add.u32 %r2"));
}

TEST(InstructionLimit, SaysWhereTheThreadsAre) {
  // Eight lanes of a block's first warp spin, and the others are parked where they would meet; its
  // second warp is at a barrier; and there are more blocks than are started together.
  const std::string ptx =
      programOf("grid=300 block=64 args=in:4", 1,
                "setp.lt.u32 %p0, %r0, 8;\n@!%p0 bra B;\n"
                "W: ld.volatile.global.u32 %r1, [%rd0];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra W;\n"
                "B: barrier.sync 1;");
  const Outcome outcome = runProgram(ptx, false, atMost(3000));
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->code, ExitCode::Limit);
  const std::string text = textOf(outcome);
  const auto at = [&](const char* part) { return std::to_string(lineOf(ptx, part)) + ": "; };
  const std::string parked = "waiting at kernel.ptx:" + at("B: barrier");
  EXPECT_THAT(text, HasSubstr("threads " + parked + "for other lanes of their warp\n"));
  EXPECT_THAT(text, HasSubstr("threads " + parked + "barrier.sync 1;\n"));
  EXPECT_THAT(text, HasSubstr(" threads at kernel.ptx:"));
  EXPECT_THAT(text, HasSubstr("blocks had not started\n"));
  EXPECT_LT(text.find(parked), text.find(" threads at kernel.ptx:" + at("W: ld"))) << text;
  EXPECT_EQ(outcome.counters.warpInstructions, 3000U);
  EXPECT_GT(outcome.counters.globalLoads, 0U);
  EXPECT_GT(outcome.counters.blocks, 0U);
}

TEST(InstructionLimit, ListsSixteenPlaces) {
  std::string spin;
  for (int i = 0; i < 32; ++i) {
    const std::string n = std::to_string(i);
    spin += "setp.ne.u32 %p0, %r0, " + n + ";\n@%p0 bra N" + n + ";\nW" + n + ": bra W" + n +
            ";\nN" + n + ":\n";
  }
  const Outcome outcome = runProgram(programOf("block=32", 0, spin), true, atMost(10'000'000));
  const std::string text = textOf(outcome);
  EXPECT_THAT(text, HasSubstr("  and others at "));
  const std::string lines = text.substr(text.find("  1 thread at"));
  EXPECT_EQ(std::ranges::count(lines, '\n'), 17) << text;
}

TEST(Counters, OfARunThatAFaultEnds) {
  // Three turns of a loop, then what ends the run.
  const std::string loop =
      "mov.u32 %r1, 0;\nW: ld.global.u32 %r2, [%rd0];\nadd.u32 %r1, %r1, 1;\n"
      "setp.lt.u32 %p0, %r1, 3;\n@%p0 bra W;\n";
  for (const char* const end : {"trap;", "ld.global.u32 %r2, [%rd0+1];", "barrier.sync 1, 64;"}) {
    const Outcome outcome = runProgram(programOf("block=32 args=in:8", 1, loop + end), true);
    ASSERT_TRUE(outcome.fault) << end;
    EXPECT_GE(outcome.counters.globalLoads, 3U) << textOf(outcome);
    EXPECT_GE(outcome.counters.warpInstructions, 15U) << end;
    EXPECT_EQ(outcome.counters.blocks, 1U) << end;
  }
}

}  // namespace
}  // namespace cutwork::sim

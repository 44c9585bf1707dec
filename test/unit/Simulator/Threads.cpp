// Threads.cpp -- launches on several host threads: the bits, counters and reports of one; and how
// much memory a large grid takes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define CUTWORK_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CUTWORK_ASAN 1
#endif
#endif
#ifdef CUTWORK_ASAN
#include <sanitizer/allocator_interface.h>
#endif

#include "cutwork/Simulator/Simulator.h"

// NOLINTBEGIN(bugprone-suspicious-missing-comma)
namespace cutwork::sim {
namespace {

std::string kernel(const std::string& body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .u64 x, .param .u64 y)\n{\n"
         ".reg .b64 %a, %x, %y;\n.reg .b32 %b, %t, %i, %v, %n;\n.reg .pred %p;\n"
         ".shared .align 4 .b8 tile[512];\n"
         "ld.param.u64 %x, [x];\nld.param.u64 %y, [y];\nmov.u32 %b, %ctaid.x;\nmov.u32 %t, "
         "%tid.x;\n"
         "mad.lo.u32 %i, %b, 128, %t;\nmad.wide.u32 %a, %i, 4, %x;\n" +
         body + "\nret;\n}\n";
}

struct Outcome {
  LaunchResult result;
  std::vector<std::uint32_t> x;
  std::vector<std::uint32_t> y;
};

constexpr std::uint32_t kBlocks = 64;
constexpr std::size_t kCount = std::size_t{kBlocks} * 128;

Outcome launch(const std::string& ptx, Checks checks, unsigned threads,
               LaunchConfig config = {.grid = {kBlocks, 1, 1}, .block = {128, 1, 1}}) {
  auto device = SimulatedDevice::create("sm_90a", checks).value();
  SimulatedModule* module = device->loadModule(ptx, "k.ptx").value();
  Outcome outcome;
  outcome.x.resize(kCount);
  outcome.y.resize(kCount);
  for (std::size_t i = 0; i < kCount; ++i)
    outcome.x[i] = static_cast<std::uint32_t>(i * 2654435761);
  const std::uint64_t addresses[] = {device->allocate(kCount * 4, "x").value(),
                                     device->allocate(kCount * 4, "y").value()};
  EXPECT_TRUE(device->write(addresses[0], outcome.x.data(), kCount * 4).ok());
  EXPECT_TRUE(device->write(addresses[1], outcome.y.data(), kCount * 4).ok());
  config.threads = threads;
  const auto* bytes = reinterpret_cast<const std::byte*>(addresses);
  outcome.result = device->launch(module, "k", config, {bytes, sizeof addresses}).value();
  EXPECT_TRUE(device->read(addresses[0], outcome.x.data(), kCount * 4).ok());
  EXPECT_TRUE(device->read(addresses[1], outcome.y.data(), kCount * 4).ok());
  return outcome;
}

void expectTheSame(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(std::memcmp(&a.result.counters, &b.result.counters, sizeof(Counters)), 0);
  EXPECT_EQ(a.result.fault.has_value(), b.result.fault.has_value());
  if (a.result.fault && b.result.fault) EXPECT_EQ(a.result.fault->text, b.result.fault->text);
}

/// In place, through shared memory: x[i] = 3 x[neighbour] + block.
const char* const kInPlace =
    "ld.global.u32 %v, [%a];\nmov.u32 %n, tile;\nmad.lo.u32 %n, %t, 4, %n;\nst.shared.u32 [%n], "
    "%v;\n"
    "bar.sync 0;\nxor.b32 %n, %t, 1;\nmad.lo.u32 %n, %n, 4, 0;\nmov.u32 %v, tile;\nadd.u32 %n, %n, "
    "%v;\n"
    "ld.shared.u32 %v, [%n];\nmad.lo.u32 %v, %v, 3, %b;\nst.global.u32 [%a], %v;";

TEST(Threads, GiveTheBitsAndCountersOfOne) {
  for (const bool checked : {false, true}) {
    const Outcome one = launch(kernel(kInPlace), checked, 1);
    ASSERT_FALSE(one.result.fault) << one.result.fault->text;
    for (const unsigned threads : {2U, 3U, 5U}) {
      const Outcome many = launch(kernel(kInPlace), checked, threads);
      EXPECT_EQ(many.result.threads, threads) << many.result.oneThread;
      expectTheSame(one, many);
    }
  }
}

TEST(Threads, AreNoMoreThanClusters) {
  LaunchConfig config{.grid = {6, 1, 1}, .block = {128, 1, 1}, .cluster = {2, 1, 1}};
  const Outcome many = launch(kernel(kInPlace), true, 8, config);
  EXPECT_EQ(many.result.threads, 3U);
  expectTheSame(launch(kernel(kInPlace), true, 1, config), many);
}

/// The first block of these has to run before others to be what is reported.
TEST(Threads, ReportWhatOneReports) {
  const std::vector<std::string> faulty = {
      // Out of bounds in some blocks, after others have written in place.
      "ld.global.u32 %v, [%a];\nadd.u32 %v, %v, 7;\nst.global.u32 [%a], %v;\n"
      "setp.lt.u32 %p, %b, 9;\n@%p bra L;\nst.global.u32 [%a+1048576], %v;\nL:",
      // A branch on the value that was there before the run: put back before the second try.
      "ld.global.u32 %v, [%a];\nst.global.u32 [%a], 0;\nsetp.ne.u32 %p, %v, 0;\n@!%p bra L;\n"
      "and.b32 %v, %v, 1023;\nsetp.ne.u32 %p, %v, 5;\n@%p bra L;\ntrap;\nL:",
#if !defined(__has_feature) || !__has_feature(thread_sanitizer)  // it would see them too
      // Blocks race: with a store and a load of the same word.
      "setp.ne.u32 %p, %t, 0;\n@%p bra L;\nst.global.u32 [%y], %b;\nL:\nld.global.u32 %v, [%y];\n"
      "st.global.u32 [%a], %v;",
      // A byte of a word each.
      "setp.ne.u32 %p, %t, 0;\n@%p bra L;\nshr.u32 %n, %b, 1;\ncvt.u64.u32 %a, %n;\nadd.u64 %a, "
      "%a, %y;\n"
      "st.global.u8 [%a], %b;\nL:",
#endif
      // A barrier that half of a block does not come to.
      "setp.lt.u32 %p, %t, 32;\nsetp.lt.or.u32 %p, %b, 40, %p;\n@!%p bra L;\nbar.sync 1, 128;\nL:",
  };
  for (const std::string& body : faulty) {
    const Outcome one = launch(kernel(body), true, 1);
    ASSERT_TRUE(one.result.fault) << body;
    for (int i = 0; i < 3; ++i) {
      const Outcome many = launch(kernel(body), true, 4);
      EXPECT_EQ(many.result.threads, 1U);
      EXPECT_NE(many.result.oneThread, "");
      expectTheSame(one, many);
    }
  }
}

/// Bytes beside each other in a word are no race, nor are reads.
TEST(Threads, BlocksMayShareWords) {
  const std::string body =
      "ld.global.u32 %v, [%y];\nadd.u64 %y, %y, 4096;\nsetp.ne.u32 %p, %t, 0;\n@%p bra L;\n"
      "cvt.u64.u32 %a, %b;\nadd.u64 %a, %a, %y;\nst.global.u8 [%a], %b;\nL:";
  const Outcome many = launch(kernel(body), true, 3);
  EXPECT_EQ(many.result.threads, 3U) << many.result.oneThread;
  expectTheSame(launch(kernel(body), true, 1), many);
}

TEST(Threads, KernelsThatCanTellTheOrderRunOnOne) {
  for (const char* const body :
       {"atom.global.add.u32 %v, [%y], 1;\nst.global.u32 [%a], %v;",
        "red.global.add.f32 [%y], 0f3f800000;", "mov.u32 %v, %clock;\nst.global.u32 [%a], %v;",
        "st.volatile.global.u32 [%a], %b;", "ld.relaxed.gpu.global.u32 %v, [%a];",
        "atom.add.u32 %v, [%y], 1;"}) {
    const Outcome one = launch(kernel(body), true, 1);
    const Outcome many = launch(kernel(body), true, 4);
    EXPECT_EQ(many.result.threads, 1U) << body;
    EXPECT_TRUE(many.result.oneThread.starts_with("line 16: ")) << many.result.oneThread;
    expectTheSame(one, many);
  }
  // Those of shared memory stay within the block.
  const Outcome shared = launch(kernel("mov.u32 %n, tile;\nst.shared.u32 [%n], 1;\nbar.sync "
                                       "0;\natom.shared.add.u32 %v, [%n], 1;"),
                                Checks::none(), 4);
  EXPECT_EQ(shared.result.threads, 4U) << shared.result.oneThread;
}

TEST(Threads, TheLimitIsMetAtTheSamePlace) {
  const std::string body =
      "mov.u32 %n, 100;\nL:\nsub.u32 %n, %n, 1;\nsetp.ne.u32 %p, %n, 0;\n@%p bra L;";
  LaunchConfig config{.grid = {kBlocks, 1, 1}, .block = {128, 1, 1}};
  config.maxInstructions = 20'000;
  const Outcome one = launch(kernel(body), true, 1, config);
  ASSERT_TRUE(one.result.fault && one.result.fault->code == ExitCode::Limit);
  expectTheSame(one, launch(kernel(body), true, 4, config));
  config.maxInstructions = 1'000'000;
  EXPECT_EQ(launch(kernel(body), true, 4, config).result.threads, 4U);
}

/// Bytes of this process that are in memory; under ASan, which keeps what was freed: that are held.
std::uint64_t resident() {
#ifdef CUTWORK_ASAN
  return __sanitizer_get_current_allocated_bytes();
#else
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
#endif
}

/// A launch of `blocks` empty blocks, behind one of a thousand; and by how much the process grew.
std::pair<LaunchResult, std::uint64_t> growth(Checks checks, std::uint32_t blocks) {
  auto device = SimulatedDevice::create("sm_90a", checks).value();
  SimulatedModule* module = device->loadModule(kernel(""), "k.ptx").value();
  const std::uint64_t none[2] = {};
  const std::span parameters(reinterpret_cast<const std::byte*>(none), sizeof none);
  LaunchConfig config{.grid = {1000, 1, 1}, .block = {32, 1, 1}};
  EXPECT_FALSE(device->launch(module, "k", config, parameters)->fault);
  const std::uint64_t before = resident();
  config.grid = {blocks, 1, 1};
  LaunchResult result = device->launch(module, "k", config, parameters).value();
  EXPECT_FALSE(result.fault);
  const std::uint64_t now = resident();
  return {std::move(result), now > before ? now - before : 0};
}

TEST(Threads, AMillionBlocksTakeNoMemory) {
  const auto [result, grown] = growth(Checks::none(), 1'000'000);
  EXPECT_EQ(result.counters.blocks, 1'000'000U);
  EXPECT_LT(grown, std::uint64_t{4} << 20);
}

/// What may have to be put back is copied, and no more: here a page or two of 64 MiB.
TEST(Threads, SaveWhatTheyWrite) {
  auto device = SimulatedDevice::create("sm_90a", Checks()).value();
  SimulatedModule* module = device->loadModule(kernel("st.global.u32 [%a], %b;"), "k.ptx").value();
  constexpr std::uint64_t kLarge = std::uint64_t{64} << 20;
  const std::vector<std::byte> zeros(kLarge);
  const std::uint64_t addresses[] = {device->allocate(kLarge, "x").value(), 0};
  EXPECT_TRUE(device->write(addresses[0], zeros.data(), kLarge).ok());
  const auto* bytes = reinterpret_cast<const std::byte*>(addresses);
  LaunchConfig config{.grid = {2, 1, 1}, .block = {128, 1, 1}};
  config.threads = 2;
  const std::uint64_t before = resident();
  const LaunchResult result =
      device->launch(module, "k", config, {bytes, sizeof addresses}).value();
  EXPECT_EQ(result.threads, 2U) << result.oneThread;
  EXPECT_LT(resident(), before + (std::uint64_t{8} << 20));
}

/// The race checker remembers of each warp who it was: some words, and nothing of its memory.
TEST(Threads, TheRaceCheckerKeepsAFewBytesAWarp) {
  const auto [result, grown] = growth(Checks(), 200'000);
  EXPECT_LT(grown, std::uint64_t{200'000} * 24 + (std::uint64_t{4} << 20));
}

}  // namespace
}  // namespace cutwork::sim
// NOLINTEND(bugprone-suspicious-missing-comma)

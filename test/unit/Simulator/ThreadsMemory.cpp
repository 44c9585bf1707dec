// ThreadsMemory.cpp -- what launches on several host threads leave in memory: to the byte, and to
// the byte's definedness, what one thread leaves; whatever was stored, and where a fault ended it.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "Memory/Undo.h"
#include "Scheduler/Order.h"
#include "Scheduler/Scheduler.h"
#include "cutwork/Simulator/Simulator.h"

// NOLINTBEGIN(bugprone-suspicious-missing-comma)
namespace cutwork::sim {
namespace {

constexpr std::uint32_t kBlocks = 48;
constexpr std::uint32_t kThreads = 64;
constexpr std::uint64_t kBytes = std::uint64_t{kBlocks} * kThreads * 32;

/// In front of a body: block %b, thread %t, %i = t * blocks + b (neighbours are of other blocks),
/// %j = b * threads + t, their values %v and %w; and a loop, or else one thread has done all before
/// another one has started.
std::string kernels(const std::string& body) {
  const std::string head =
      "(.param .u64 x, .param .u64 y)\n{\n.reg .b64 %a, %x, %y, %w;\n"
      ".reg .b32 %b, %t, %i, %j, %v, %n;\n.reg .b16 %h;\n.reg .pred %p, %q;\n"
      "ld.param.u64 %x, [x];\nld.param.u64 %y, [y];\nmov.u32 %b, %ctaid.x;\nmov.u32 %t, %tid.x;\n"
      "mad.lo.u32 %i, %t, 48, %b;\nmad.lo.u32 %j, %b, 64, %t;\nmad.lo.u32 %v, %i, 40503, 7;\n"
      "mul.wide.u32 %w, %v, 65521;\ncvt.u16.u32 %h, %v;\n";
  // The second one reads all of x and y: of what was not written it reports so many lanes.
  const std::string loop =
      "mov.u32 %n, 150;\nW:\nsub.u32 %n, %n, 1;\nsetp.ne.u32 %p, %n, 0;\n@%p bra W;\n";
  return ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k" + head + loop + body +
         "\nret;\n}\n.visible .entry look" + head +
         "mad.wide.u32 %a, %j, 32, %x;\nmov.u32 %n, 0;\nL:\nld.global.u8 %h, [%a];\n"
         "setp.eq.u16 %p, %h, 1;\n@%p mov.u32 %v, 1;\nadd.u64 %a, %a, 1;\nadd.u32 %n, %n, 2;\n"
         "setp.lt.u32 %q, %n, 64;\n@%q bra L;\nret;\n}\n";
}

struct Outcome {
  LaunchResult result;
  std::vector<std::byte> memory;       ///< all of it, gaps too
  std::vector<std::string> undefined;  ///< reports of what x and y have that was not written
  std::vector<std::uint64_t> counts;
};

Outcome launch(const std::string& body, Checks checks, unsigned threads, bool writtenBefore) {
  auto device = SimulatedDevice::create("sm_90", checks).value();
  SimulatedModule* module = device->loadModule(kernels(body), "k.ptx").value();
  const std::uint64_t addresses[] = {device->allocate(kBytes, "x").value(),
                                     device->allocate(kBytes, "y").value()};
  std::vector<std::uint32_t> values(kBytes / 4);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(i * 77773);
  // Half of x, so that its shadow has both; y in its middle, or nowhere.
  EXPECT_TRUE(device->write(addresses[0], values.data(), kBytes / 2).ok());
  if (writtenBefore) EXPECT_TRUE(device->write(addresses[0], values.data(), kBytes).ok());
  EXPECT_TRUE(device->write(addresses[1] + kBytes / 4, values.data(), kBytes / 2).ok());
  const std::span parameters(reinterpret_cast<const std::byte*>(addresses), sizeof addresses);
  LaunchConfig config{.grid = {kBlocks, 1, 1}, .block = {kThreads, 1, 1}};
  config.threads = threads;
  Outcome outcome;
  outcome.result = device->launch(module, "k", config, parameters).value();
  const auto [memory, base] = device->hostMemory().value();
  const std::uint64_t end = addresses[1] + kBytes + 4096 - base;
  outcome.memory.assign(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(end));
  config.threads = 1;
  for (const std::uint64_t address : addresses) {
    const std::uint64_t both[] = {address, address};
    const std::span bytes(reinterpret_cast<const std::byte*>(both), sizeof both);
    const LaunchResult looked = device->launch(module, "look", config, bytes).value();
    for (const FaultReport& fault : looked.faults) {
      outcome.undefined.push_back(fault.text);
      outcome.counts.push_back(fault.count);
    }
  }
  return outcome;
}

void expectTheSame(const Outcome& one, const Outcome& many, const std::string& what) {
  EXPECT_TRUE(one.memory == many.memory) << what;
  EXPECT_EQ(one.undefined, many.undefined) << what;
  EXPECT_EQ(one.counts, many.counts) << what;
  EXPECT_EQ(std::memcmp(&one.result.counters, &many.result.counters, sizeof(Counters)), 0) << what;
  ASSERT_EQ(one.result.faults.size(), many.result.faults.size()) << what;
  for (std::size_t i = 0; i < one.result.faults.size(); ++i) {
    EXPECT_EQ(one.result.faults[i].text, many.result.faults[i].text);
    EXPECT_EQ(one.result.faults[i].count, many.result.faults[i].count);
  }
}

/// Stores of all sizes; blocks interleave, so that threads write beside each other in each page.
std::vector<std::string> stores() {
  const std::string at[] = {"mad.wide.u32 %a, %i, ", "mad.wide.u32 %a, %j, "};
  const std::pair<std::string, int> kinds[] = {
      {"st.global.u8 [%a], %v;", 1},
      {"st.global.u16 [%a], %h;", 2},
      {"st.global.u32 [%a], %v;", 4},
      {"st.u32 [%a], %v;", 4},
      {"st.global.u64 [%a], %w;", 8},
      {"st.global.v2.u8 [%a], {%v, %n};", 2},
      {"st.global.v4.u8 [%a], {%v, %n, %v, %i};", 4},
      {"st.global.v2.u16 [%a], {%h, %h};", 4},
      {"st.global.v2.u32 [%a], {%v, %i};", 8},
      {"st.global.v4.u32 [%a], {%v, %i, %j, %b};", 16},
      {"st.v2.u64 [%a], {%w, %y};", 16},
      {"{ .reg .b128 %o; mov.b128 %o, {%w, %w}; st.global.b128 [%a], %o; }", 16},
      {"ld.global.u32 %v, [%a]; add.u32 %v, %v, 1; st.global.u32 [%a], %v;", 4},
  };
  std::vector<std::string> bodies;
  for (const std::string& index : at) {
    for (const char* const lanes :
         {"", "and.b32 %n, %v, 1;\nsetp.eq.u32 %p, %n, 0;\n@%p bra N;\n"}) {
      for (const auto& [store, bytes] : kinds) {
        bodies.push_back("mov.u32 %n, 5;\n" + std::string(lanes) + index + std::to_string(bytes) +
                         ", %x;\n" + store + "\nN:");
      }
    }
  }
  return bodies;
}

TEST(ThreadsMemory, StoresOfAllSizes) {
  const std::vector<std::string> bodies = stores();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (const bool checked : {false, true}) {
      const Outcome one = launch(bodies[i], checked, 1, true);
      EXPECT_TRUE(one.result.faults.empty()) << one.result.faults[0].text;
      const unsigned threads = 2 + i % 2;
      const Outcome many = launch(bodies[i], checked, threads, true);
      EXPECT_EQ(many.result.threads, threads) << bodies[i] << many.result.oneThread;
      expectTheSame(one, many, bodies[i]);
    }
  }
}

/// A fault that ends the run in a late block, or one that does not in some: what other threads did
/// by then is taken back, data and definedness.
TEST(ThreadsMemory, IsPutBackAfterAFault) {
  const std::vector<std::string> bodies = stores();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::string& body = bodies[i];
    static const std::string kFaults[] = {
        "\nsetp.ne.u32 %p, %b, 45;\n@%p bra F;\ntrap;\nF:",
        "\nsetp.ne.u32 %p, %b, 11;\n@%p bra F;\nst.global.u32 [%x+1], %v;\nF:",
        "\nsetp.lt.u32 %p, %b, 40;\n@%p bra F;\nst.global.u8 [%y+100000000], %v;\nF:"};
    for (const bool checked : {false, true}) {
      const std::string faulty = body + kFaults[(i + (checked ? 1 : 0)) % 3];
      const Outcome one = launch(faulty, checked, 1, false);
      ASSERT_FALSE(one.result.faults.empty()) << faulty;
      const Outcome many = launch(faulty, checked, 2 + i % 2, false);
      EXPECT_EQ(many.result.threads, 1U);
      expectTheSame(one, many, faulty);
    }
  }
}

TEST(ThreadsMemory, AtomicsOfAllSizes) {
  for (const char* const op :
       {"atom.global.add.u32 %v, [%x], %v;", "red.global.add.u64 [%x+8], %w;",
        "red.global.max.u32 [%a], %v;", "atom.exch.b32 %n, [%a], %v;",
        "atom.global.cas.b64 %w, [%a], %w, %y;", "atom.global.cas.b16 %h, [%a], %h, %h;",
        "red.add.noftz.f16x2 [%a], %v;",
        "{ .reg .f32 %f; mov.b32 %f, %v; red.global.v2.f32.add [%a], {%f, %f}; }"}) {
    for (const bool checked : {false, true}) {
      const std::string body = "mad.wide.u32 %a, %i, 8, %x;\n" + std::string(op);
      const Outcome one = launch(body, checked, 1, true);
      EXPECT_TRUE(one.result.faults.empty()) << one.result.faults[0].text;
      expectTheSame(one, launch(body, checked, 3, true), body);
    }
  }
}

/// The first block and the last one access words at the end of a page and at the start of the next.
TEST(ThreadsMemory, MeetingsAtAPageBorder) {
  const std::string border =
      "setp.ne.u32 %p, %t, 0;\n@%p bra N;\nadd.u64 %a, %x, 8191;\nand.b64 %a, %a, "
      "0xfffffffffffff000;\nsetp.eq.u32 %p, %b, 0;\nsetp.eq.u32 %q, %b, 47;\n";
  struct Row {
    const char* body;
    bool meets;
  };
  for (const Row& row : {
           Row{"@%p st.global.u32 [%a+-4], %v;\n@%q st.global.u32 [%a], %v;\nN:", false},
           Row{"@%p st.global.u32 [%a], %v;\n@%q st.global.u32 [%a+-4], %v;\nN:", false},
           Row{"@%p ld.global.u32 %v, [%a];\n@%q ld.global.u32 %v, [%a];\nN:", false},
           Row{"@%p st.global.u8 [%a+-1], %v;\n@%q ld.global.v2.u8 {%n, %n}, [%a+-4];\nN:", false},
#if !defined(__has_feature) || !__has_feature(thread_sanitizer)  // it would see them too
           Row{"@%p st.global.u32 [%a], %v;\n@%q st.global.u32 [%a], %j;\nN:", true},
           Row{"@%p st.global.u32 [%a+-4], %v;\n@%q st.global.u8 [%a+-1], %v;\nN:", true},
           Row{"@%p ld.global.u8 %n, [%a];\n@%q st.global.u32 [%a], %v;\nN:", true},
           Row{"@%p st.global.u8 [%a+-1], %v;\n@%q ld.global.v2.u8 {%n, %n}, [%a+-2];\nN:", true},
#endif
       }) {
    const std::string body = border + row.body;
    const Outcome one = launch(body, true, 1, true);
    EXPECT_EQ(one.result.faults.empty(), !row.meets) << body;
    for (const unsigned threads : {2U, 3U}) {
      const Outcome many = launch(body, true, threads, true);
      EXPECT_EQ(many.result.threads, row.meets ? 1U : threads) << body;
      expectTheSame(one, many, body);
    }
  }
}

TEST(ThreadsMemory, ClustersAreGivenOutOnce) {
  for (const std::uint64_t clusters : {1U, 2U, 7U, 1000U}) {
    for (const std::uint64_t threads : {1U, 2U, 3U, 64U}) {
      ClusterQueue queue(clusters, threads);
      std::uint64_t next = 0;
      std::uint64_t last = clusters;
      while (!queue.empty()) {
        const ClusterQueue::Chunk chunk = queue.take();
        EXPECT_EQ(chunk.next, next);
        ASSERT_GT(chunk.end, chunk.next);
        EXPECT_LE(chunk.end - chunk.next, last);
        if (threads == 1) EXPECT_EQ(chunk.end, clusters);
        last = chunk.end - chunk.next;
        next = chunk.end;
      }
      EXPECT_EQ(next, clusters);
      EXPECT_TRUE(queue.take().empty());
    }
  }
}

/// Threads write bytes of their own everywhere, with pages that were all one byte among them.
TEST(ThreadsUndo, PutsBackWhatThreadsWrote) {
  constexpr std::size_t kPages = 150;
  constexpr std::size_t kAll = kPages * kPageBytes;
  constexpr std::size_t kParts = 4;
  struct alignas(kPageBytes) Memory {
    std::byte data[kAll];
    std::uint8_t shadow[kAll];
  };
  const auto memory = std::make_unique<Memory>();
  Dice dice(5);
  for (std::size_t i = 0; i < kAll; ++i) {
    const std::size_t page = i >> kPageShift;
    memory->data[i] = static_cast<std::byte>(page % 3 == 0 ? page : dice.next());
    memory->shadow[i] = static_cast<std::uint8_t>(page % 5 == 0 ? dice.next() & 3 : page % 4);
  }
  Undo undo;
  for (int round = 0; round < 6; ++round) {
    const bool shadow = round % 2 == 0;
    const auto before = std::make_unique<Memory>(*memory);
    undo.start(kParts, memory->data, shadow ? memory->shadow : nullptr, kAll - 1);
    std::vector<std::thread> threads;
    threads.reserve(kParts);
    for (std::size_t part = 0; part < kParts; ++part) {
      threads.emplace_back([&, part, seed = dice.next()] {
        Dice own(seed);
        for (int i = 0; i < 3000; ++i) {
          const std::size_t at = own.below(kAll / kParts) * kParts + part;
          undo.log(part).keep(at, 1);
          memory->data[at] = static_cast<std::byte>(own.next());
          if (shadow) memory->shadow[at] ^= 1;
        }
        UndoLog::close();
      });
    }
    for (std::thread& one : threads) one.join();
    EXPECT_NE(std::memcmp(memory.get(), before.get(), sizeof(Memory)), 0);
    if (round == 3) {
      undo.forget();
      continue;
    }
    undo.putBack();
    EXPECT_EQ(std::memcmp(memory.get(), before.get(), sizeof(Memory)), 0) << round;
  }
}

TEST(ThreadsUndo, KeepsBothPagesOfAnAccess) {
  struct alignas(kPageBytes) Memory {
    std::byte data[4 * kPageBytes]{};
  };
  Memory memory;
  Undo undo;
  undo.start(1, memory.data, nullptr, sizeof memory);
  undo.log(0).keep(2 * kPageBytes - 1, 2);
  memory.data[2 * kPageBytes - 1] = std::byte{1};
  memory.data[2 * kPageBytes] = std::byte{2};
  undo.putBack();
  EXPECT_EQ(std::memcmp(&memory, std::make_unique<Memory>().get(), sizeof memory), 0);
}

}  // namespace
}  // namespace cutwork::sim
// NOLINTEND(bugprone-suspicious-missing-comma)

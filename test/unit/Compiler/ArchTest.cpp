// ArchTest.cpp -- what the machine has by name: indices, shuffles, votes, atomics, printing.
#include "Harness.h"

namespace cutwork::test {
namespace {

using namespace cute;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Arch, ShufflesOfEveryWidth) {
  auto got = run<double>(
      std::vector<double>(32 * 6),
      [](Tensor out) {
        Int32 tid = arch::thread_idx().x;
        Float64 d = Float64(tid) + 0.5;
        out(tid) = arch::shuffle_sync_down(d, 1);
        out(tid + 32) = Float64(arch::shuffle_sync_bfly(Float16(tid), 3));
        out(tid + 64) = Float64(arch::shuffle_sync_up(Int32(tid), 2, 0xffffffffLL, 8));
        out(tid + 96) = Float64(arch::warp_reduction_sum(Int32(tid)));
        out(tid + 128) = Float64(arch::warp_reduction_max(Float32(tid), 8));
        out(tid + 160) = Float64(arch::warp_redux_sync(Int32(tid), "max"));
      },
      32);
  for (int i = 0; i < 32; ++i) {
    auto at = [&](int block) { return got[static_cast<std::size_t>(block * 32 + i)]; };
    EXPECT_EQ(at(0), i == 31 ? 31.5 : i + 1.5);
    EXPECT_EQ(at(1), i ^ 3);
    EXPECT_EQ(at(2), i % 8 < 2 ? i : i - 2);
    EXPECT_EQ(at(3), 496);
    EXPECT_EQ(at(4), i / 8 * 8 + 7);
    EXPECT_EQ(at(5), 31);
  }
}

// For every target a function either compiles, or is refused with the target it needs.
TEST(Arch, EveryFunctionForEveryTarget) {
  struct Row {
    const char* name;
    int least;
    std::function<void(Tensor)> body;
  };
  const std::vector<Row> rows{
      {"indices", 80,
       [](Tensor o) { o(0) = arch::block_dim().x + arch::grid_dim().y + arch::lane_idx(); }},
      {"warp_idx", 80, [](Tensor o) { o(0) = arch::make_warp_uniform(arch::warp_idx()); }},
      {"cluster_idx", 90, [](Tensor o) { o(0) = arch::cluster_idx().x; }},
      {"cluster_dim", 90, [](Tensor o) { o(0) = arch::cluster_dim().x; }},
      {"block_in_cluster_idx", 90, [](Tensor o) { o(0) = arch::block_in_cluster_idx().x; }},
      {"block_in_cluster_dim", 90, [](Tensor o) { o(0) = arch::block_in_cluster_dim().x; }},
      {"block_idx_in_cluster", 90, [](Tensor o) { o(0) = arch::block_idx_in_cluster(); }},
      {"sync_threads", 80, [](Tensor) { arch::sync_threads(); }},
      {"barrier", 80, [](Tensor) { arch::barrier(1, 32); }},
      {"barrier_arrive", 80, [](Tensor) { arch::barrier_arrive(1, 64); }},
      {"sync_warp", 80, [](Tensor) { arch::sync_warp(); }},
      {"cluster_arrive", 90, [](Tensor) { arch::cluster_arrive(); }},
      {"cluster_arrive_relaxed", 90, [](Tensor) { arch::cluster_arrive_relaxed(); }},
      {"cluster_wait", 90, [](Tensor) { arch::cluster_wait(); }},
      {"map_dsmem_ptr", 90,
       [](Tensor o) {
         Tensor own = SmemAllocator().allocate_tensor(DType::Int32, make_layout({4}), 16);
         o(0) = arch::map_dsmem_ptr(own.iterator(), 0).load();
       }},
      {"fence_acq_rel_cta", 80, [](Tensor) { arch::fence_acq_rel_cta(); }},
      {"fence_acq_rel_cluster", 90, [](Tensor) { arch::fence_acq_rel_cluster(); }},
      {"fence_acq_rel_gpu", 80, [](Tensor) { arch::fence_acq_rel_gpu(); }},
      {"fence_acq_rel_sys", 80, [](Tensor) { arch::fence_acq_rel_sys(); }},
      {"shuffles", 80,
       [](Tensor o) {
         o(0) = arch::shuffle_sync(o(1), 0) + arch::shuffle_sync_up(o(1), 1) +
                arch::shuffle_sync_down(o(1), 1) + arch::shuffle_sync_bfly(o(1), 1);
       }},
      {"votes", 80,
       [](Tensor o) {
         Boolean p = o(0) > 0;
         o(0) = select(arch::vote_all_sync(p) && arch::vote_any_sync(p) && arch::vote_uni_sync(p),
                       Int32(arch::vote_ballot_sync(p)), Int32(0));
       }},
      {"reductions", 80,
       [](Tensor o) { o(0) = arch::warp_reduction_sum(o(0)) + arch::warp_reduction_max(o(0)); }},
      {"redux", 80,
       [](Tensor o) {
         for (const char* kind : {"add", "min", "max", "and", "or", "xor"})
           o(0) = arch::warp_redux_sync(o(0), kind);
       }},
      {"elect_one", 90, [](Tensor o) { if_(arch::elect_one(), [&] { o(0) = 1; }); }},
      {"atomics", 80,
       [](Tensor o) {
         Pointer p = o.iterator();
         for (auto scope : {arch::Scope::cta, arch::Scope::gpu, arch::Scope::sys}) {
           for (auto order : {arch::Order::relaxed, arch::Order::acquire, arch::Order::release,
                              arch::Order::acq_rel}) {
             arch::atomic_add(p, 1, order, scope);
             arch::atomic_max(p, 1, order, scope);
             arch::atomic_min(p, 1, order, scope);
             arch::atomic_and(p, 1, order, scope);
             arch::atomic_or(p, 1, order, scope);
             arch::atomic_xor(p, 1, order, scope);
             arch::atomic_exch(p, 1, order, scope);
             arch::atomic_cas(p, 1, 2, order, scope);
           }
         }
       }},
      {"cluster atomic", 90,
       [](Tensor o) {
         arch::atomic_add(o.iterator(), 1, arch::Order::relaxed, arch::Scope::cluster);
       }},
      {"cluster atomic_cas", 90,
       [](Tensor o) {
         arch::atomic_cas(o.iterator(), 1, 2, arch::Order::relaxed, arch::Scope::cluster);
       }},
      {"atomics of halves", 80,
       [](Tensor o) {
         arch::atomic_add(o.iterator().recast(DType::Float16), Float16(1.0f));
         arch::atomic_cas(o.iterator().recast(DType::Uint16), Uint16(1), Uint16(2));
       }},
      {"atomic of bfloats", 80,
       [](Tensor o) { arch::atomic_add(o.iterator().recast(DType::BFloat16), BFloat16(1.0f)); }},
      {"popc and trap", 80,
       [](Tensor o) {
         o(0) = arch::popc(o(0));
         arch::trap();
       }},
      {"f8", 80, [](Tensor o) { o(0) = Int32(Float32(Float8E4M3FN(Float32(o(0))))); }},
      {"elect and f8", 90,
       [](Tensor o) {
         if_(arch::elect_one(), [&] { o(0) = Int32(Float32(Float8E5M2(Float32(o(0))))); });
       }},
  };
  Array x = arrayOf(iota<std::int32_t>(4));
  for (std::string_view target : knownTargets()) {
    CompileOptions options;
    options.target = Target::parse(target).value();
    for (const Row& row : rows) {
      auto host = jit("arch", [&](Tensor t) { launch(row.body, {.block = {32}}, t); });
      std::string refusal;
      try {
        compile(options, host, x);
      } catch (const UserError& error) {
        refusal = error.what();
      } catch (const std::exception& error) {
        ADD_FAILURE() << row.name << " for " << target << ": " << error.what();
        continue;
      }
      if (options.target->capability >= row.least) {
        EXPECT_EQ(refusal, "") << row.name << " for " << target;
      } else {
        EXPECT_THAT(refusal, HasSubstr("needs sm_" + std::to_string(row.least)))
            << row.name << " for " << target;
      }
    }
  }
}

TEST(Arch, BitwiseAtomicsAndFences) {
  auto got = run<std::int32_t>(
      {-1, 0, 0, 0},
      [](Tensor out) {
        Int32 tid = arch::thread_idx().x;
        arch::atomic_and(out.iterator(), ~(Int32(1) << tid));
        arch::atomic_xor(out.iterator() + 1, Int32(1) << tid, arch::Order::acq_rel);
        if_(tid == 0, [&] {
          out(2) = 5;
          arch::fence_acq_rel_gpu();
          arch::fence_acq_rel_cta();
          arch::fence_acq_rel_sys();
          arch::atomic_exch(out.iterator() + 3, 1);
        });
      },
      8);
  EXPECT_THAT(got, ElementsAre(~255, 255, 5, 1));
}

TEST(Arch, VotesAndElection) {
  auto got = run<std::uint32_t>(
      std::vector<std::uint32_t>(5),
      [](Tensor out) {
        Int32 tid = arch::thread_idx().x;
        Boolean small = tid < 5;
        Uint32 ballot = arch::vote_ballot_sync(small);
        Uint32 any = Uint32(arch::vote_any_sync(small));
        Uint32 all = Uint32(arch::vote_all_sync(small));
        if_(arch::elect_one(), [&] {
          out(0) = ballot;
          out(1) = any;
          out(2) = all;
          out(3) = Uint32(arch::popc(ballot));
        });
        arch::atomic_add((out.iterator() + 4), Uint32(1));
      },
      32);
  EXPECT_THAT(got, ElementsAre(31U, 1U, 0U, 5U, 32U));
}

TEST(Arch, Atomics) {
  auto got = run<std::int32_t>(
      {0, -100, 100, 0, 7},
      [](Tensor out) {
        Int32 tid = arch::thread_idx().x;
        arch::atomic_add(out.iterator(), tid);
        arch::atomic_max(out.iterator() + 1, tid);
        arch::atomic_min(out.iterator() + 2, tid);
        arch::atomic_or(out.iterator() + 3, Int32(1) << tid, arch::Order::acq_rel,
                        arch::Scope::cta);
        arch::atomic_cas(out.iterator() + 4, 7, tid + 1000);
      },
      8);
  EXPECT_EQ(got[0], 28);
  EXPECT_EQ(got[1], 7);
  EXPECT_EQ(got[2], 0);
  EXPECT_EQ(got[3], 255);
  EXPECT_GE(got[4], 1000);
  auto floats = run<float>({0}, [](Tensor out) { arch::atomic_add(out.iterator(), 0.5f); }, 64);
  EXPECT_EQ(floats[0], 32.0f);
}

TEST(Arch, AtomicsKeepOrderAndScope) {
  Array x = arrayOf<std::int32_t>({0, 0, 5});
  auto host = jit("ordered", [](Tensor t) {
    launch(
        [](Tensor out) {
          arch::atomic_add(out.iterator(), 1, arch::Order::acq_rel, arch::Scope::sys);
          arch::atomic_exch(out.iterator() + 1, arch::thread_idx().x, arch::Order::release,
                            arch::Scope::cta);
          arch::atomic_min(out.iterator() + 2, 3, arch::Order::acquire);
        },
        {.grid = {1}, .block = {32}}, t);
  });
  auto f = compile(host, x);
  EXPECT_THAT(f.ptx(), HasSubstr("atom.acq_rel.sys.global.add.u32"));
  EXPECT_THAT(f.ptx(), HasSubstr("atom.release.cta.global.exch.b32"));
  EXPECT_THAT(f.ptx(), HasSubstr("atom.acquire.gpu.global.min.s32"));
  f(x);
  std::vector<std::int32_t> got = valuesOf<std::int32_t>(x);
  EXPECT_EQ(got[0], 32);
  EXPECT_EQ(got[2], 3);
}

// An atomic finds the element where stores put it.
TEST(Arch, AtomicsOnSwizzledSharedMemory) {
  auto got = run<std::int32_t>(
      std::vector<std::int32_t>(512),
      [](Tensor out) {
        SmemAllocator smem;
        Tensor s = smem.allocate_tensor(DType::Int32, make_layout({16, 32}, {32, 1}), 128,
                                        make_swizzle(3, 4, 3));
        Int32 tid = arch::thread_idx().x;
        for_(0, 16, [&](Int32 row) {
          s(row, tid) = row * 32 + tid;
          arch::atomic_add(s(row, _).iterator() + tid, 1000);
          out(row * 32 + tid) = s(row, tid);
        });
      },
      32);
  for (int i = 0; i < 512; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], i + 1000) << i;
}

TEST(Arch, WarpsBlocksAndBarriers) {
  auto got = run<std::int32_t>(
      std::vector<std::int32_t>(128),
      [](Tensor out) {
        SmemAllocator smem;
        Tensor s = smem.allocate_tensor(DType::Int32, make_layout({128}));
        Int32 tid = arch::thread_idx().x;
        s(tid) = arch::warp_idx() * 1000 + arch::lane_idx();
        arch::barrier(1, 128);
        out(127 - tid) = s(tid);
      },
      128);
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(got[static_cast<std::size_t>(127 - i)], i / 32 * 1000 + i % 32);
  }
}

TEST(Arch, InlinePtx) {
  auto got = run<std::uint32_t>({0x01020304, 0, 0}, [](Tensor out) {
    Uint32 x = out(0);
    auto swapped = arch::inline_ptx("prmt.b32 $0, $1, $1, 0x0123;", {DType::Uint32}, {x});
    out(1) = swapped[0];
    auto both = arch::inline_ptx("add.u32 $0, $2, $3; sub.u32 $1, $2, $3;",
                                 {DType::Uint32, DType::Uint32}, {x, Uint32(4)});
    out(2) = both[0] - both[1];
  });
  EXPECT_EQ(got[1], 0x04030201U);
  EXPECT_EQ(got[2], 8U);
}

TEST(Arch, PrintingFromKernelsAndTheHost) {
  std::string printed;
  setHostPrinter([&](std::string_view text) { printed += text; });
  Array x = arrayOf(iota<float>(6), {2, 3});
  auto host = jit("prints", [](Tensor, Int32 n) {
    cute::printf("n = {} %5.1f {}\n", n, 2.5, make_layout({4, 8}).value());
    if_(n > 1, [&] { cute::printf("more than %d\n", 1); });
  });
  auto f = compile(host, x, 3);
  f(x, 3);
  f(x, 1);
  setHostPrinter({});
  EXPECT_EQ(printed, "n = 3   2.5 (4,8):(1,4)\nmore than 1\nn = 1   2.5 (4,8):(1,4)\n");
}

TEST(Arch, Refusals) {
  EXPECT_THAT(refusalOfKernel([](Tensor) { arch::barrier(16, 32); }),
              HasSubstr("barriers 0 to 15"));
  EXPECT_THAT(refusalOfKernel([](Tensor) { arch::barrier(1, 33); }), HasSubstr("whole warps"));
  EXPECT_THAT(refusalOfKernel([](Tensor t) { arch::shuffle_sync_up(Int32(t(0)), 1, -1, 12); }),
              HasSubstr("not 12"));
  EXPECT_THAT(refusalOfKernel([](Tensor) {
                SmemAllocator smem;
                smem.allocate(std::int64_t{512} << 20);
              }),
              HasSubstr("536870912 bytes of shared memory"));
  EXPECT_THAT(refusalOfKernel([](Tensor t) { cute::printf("{} {}\n", Int32(t(0))); }),
              HasSubstr("takes more than the 1 values given"));
  Array x = arrayOf<std::int32_t>({0});
  auto old = jit("old", [](Tensor t) {
    launch([](Tensor) { arch::elect_one(); }, {.grid = {1}, .block = {32}}, t);
  });
  CompileOptions options;
  options.target = Target::parse("sm_80").value();
  EXPECT_THAT(refusalOf([&] { compile(options, old, x); }),
              HasSubstr("elect_one needs sm_90 or later; the target is sm_80"));
}

TEST(Launch, WhatADeviceRefuses) {
  Array x = arrayOf<std::int32_t>({0});
  auto host = jit("large", [](Tensor t, Int32 z, Int32 threads, Int64 smem) {
    launch([](Tensor u) { u(0) = 1; }, {.grid = {1, 1, z}, .block = {threads}, .smem = smem}, t);
  });
  auto f = compile(host, x, 1, 1, std::int64_t{0});
  EXPECT_THAT(refusalOf([&] { f(x, 70000, 1, 0); }), HasSubstr("grid.z is 70000"));
  EXPECT_THAT(refusalOf([&] { f(x, 1, 2048, 0); }), HasSubstr("1024"));
  EXPECT_THAT(refusalOf([&] { f(x, 1, 1, std::int64_t{512} << 20); }), HasSubstr("536870912"));
  EXPECT_THAT(refusalOf([&] { f(x, 0, 1, 0); }), HasSubstr("grid"));
  f(x, 1, 1, 0);
  EXPECT_EQ(valuesOf<std::int32_t>(x)[0], 1);
}

TEST(Launch, ArgumentsThatDoNotFit) {
  Array x = arrayOf(iota<float>(64), {8, 8});
  auto host = jit("plain", [](Tensor t, Float32 s) {
    launch([](Tensor u, Float32 v) { u(0) = v; }, {.grid = {1}, .block = {1}}, t, s);
  });
  auto f = compile(host, from_dlpack(x, 16), 1.0);
  f(x, 2.0);
  EXPECT_EQ(valuesOf<float>(x)[0], 2.0f);
  EXPECT_THAT(refusalOf([&] { f(arrayOf(iota<float>(32), {4, 8}), 1.0); }),
              HasSubstr("argument 0: extent 0 is 4; the function was compiled for 8"));
  EXPECT_THAT(refusalOf([&] { f(arrayOf(iota<double>(64), {8, 8}), 1.0); }),
              HasSubstr("float64 was passed where float32"));
  EXPECT_THAT(refusalOf([&] { f(arrayOf(iota<float>(64)), 1.0); }), HasSubstr("rank 1"));
  EXPECT_THAT(refusalOf([&] { f(x); }), HasSubstr("1 arguments were passed; the function takes 2"));
  EXPECT_THAT(refusalOf([&] { f(1.0, x); }), HasSubstr("an array was expected"));
  Array shifted = x.view(1, {7, 8}, {8, 1});
  auto g = compile(host, from_dlpack(x.view(0, {7, 8}, {8, 1}), 16), 1.0);
  EXPECT_THAT(refusalOf([&] { g(shifted, 1.0); }),
              HasSubstr("is aligned to 4 bytes; the function was compiled for an alignment of 16"));
}

}  // namespace
}  // namespace cutwork::test

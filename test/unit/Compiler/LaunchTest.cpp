// LaunchTest.cpp -- launches: clusters, streams, options, names, shared memory of the launch.
#include "Harness.h"

namespace cutwork::test {
namespace {

using namespace cute;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Launches, ClustersHaveRanksAndBarriers) {
  Array x = arrayOf(std::vector<std::int32_t>(8 * 4));
  auto host = jit("clusters", [](Tensor t) {
    auto kernel = [](Tensor u) {
      Int32 block = arch::block_idx().x;
      arch::cluster_arrive();
      arch::cluster_wait();
      arch::cluster_arrive_relaxed();
      arch::cluster_wait();
      arch::fence_acq_rel_cluster();
      if_(arch::thread_idx().x == 0, [&] {
        u(block * 4) = arch::block_idx_in_cluster();
        u(block * 4 + 1) = arch::cluster_idx().x;
        u(block * 4 + 2) = arch::cluster_dim().x;
        u(block * 4 + 3) = arch::block_in_cluster_dim().x * 10 + arch::block_in_cluster_idx().x;
      });
    };
    launch(kernel, {.grid = {8}, .block = {32}, .cluster = {4}}, t);
  });
  auto f = compile(host, x);
  EXPECT_THAT(f.ptx(), HasSubstr(".reqnctapercluster 4, 1, 1"));
  f(x);
  std::vector<std::int32_t> got = valuesOf<std::int32_t>(x);
  for (int block = 0; block < 8; ++block) {
    auto at = got.begin() + block * 4;
    EXPECT_THAT(std::vector(at, at + 4), ElementsAre(block % 4, block / 4, 2, 40 + block % 4))
        << block;
  }
}

// Each block of a cluster writes into, and adds to, the shared memory of its neighbour.
TEST(Launches, SharedMemoryOfTheClustersBlocks) {
  Array x = arrayOf(std::vector<std::int32_t>(8 * 64));
  auto host = jit("neighbours", [](Tensor t) {
    auto kernel = [](Tensor u) {
      SmemAllocator smem;
      Tensor own = smem.allocate_tensor(DType::Int32, make_layout({64}), 16);
      Int32 tid = arch::thread_idx().x;
      Int32 rank = arch::block_idx_in_cluster();
      own(tid) = 0;
      arch::cluster_arrive();
      arch::cluster_wait();
      Pointer there = arch::map_dsmem_ptr(own.iterator(), (rank + 1) % 4);
      make_tensor(there, make_layout({64}))(tid) = rank * 100 + tid;
      arch::cluster_arrive();
      arch::cluster_wait();
      arch::atomic_add(there + tid, 1000, arch::Order::relaxed, arch::Scope::cluster);
      arch::cluster_arrive();
      arch::cluster_wait();
      u(arch::block_idx().x * 64 + tid) = own(tid);
    };
    launch(kernel, {.grid = {8}, .block = {64}, .cluster = {4}}, t);
  });
  auto f = compile(host, x);
  EXPECT_THAT(f.ptx(), HasSubstr("mapa.shared::cluster.u64"));
  EXPECT_THAT(f.ptx(), HasSubstr("st.shared::cluster.b32"));
  EXPECT_THAT(f.ptx(), HasSubstr("atom.shared::cluster.add.u32"));
  f(x);
  std::vector<std::int32_t> got = valuesOf<std::int32_t>(x);
  for (int i = 0; i < 8 * 64; ++i) {
    EXPECT_EQ(got[static_cast<std::size_t>(i)], 1000 + (i / 64 + 3) % 4 * 100 + i % 64) << i;
  }
}

// One vector of 16 bytes, through a swizzle, of another block's shared memory.
TEST(Launches, VectorsOfAnotherBlocksSharedMemory) {
  Array x = arrayOf(std::vector<std::int32_t>(2 * 32));
  auto host = jit("vectors", [](Tensor t) {
    auto kernel = [](Tensor u) {
      SmemAllocator smem;
      Tensor own = smem.allocate_tensor(DType::Int32, make_layout({32}), 128,
                                        Swizzle::make(1, 4, 3).value());
      Int32 tid = arch::thread_idx().x;
      Int32 rank = arch::block_idx_in_cluster();
      own(tid) = rank * 100 + tid;
      arch::cluster_arrive();
      arch::cluster_wait();
      Tensor there =
          make_tensor(arch::map_dsmem_ptr(own.iterator(), 1 - rank), make_layout({4, 8}));
      if_(tid < 8, [&] {
        Tensor to = make_tensor(u.iterator(), make_layout({4, 16}));
        to(_, rank * 8 + tid).store(there(_, tid).load());
      });
      arch::cluster_arrive();
      arch::cluster_wait();
    };
    launch(kernel, {.grid = {2}, .block = {32}, .cluster = {2}}, t);
  });
  auto f = compile(host, x);
  EXPECT_THAT(f.ptx(), HasSubstr("ld.shared::cluster.v4"));
  f(x);
  std::vector<std::int32_t> got = valuesOf<std::int32_t>(x);
  for (int i = 0; i < 2 * 32; ++i) {
    EXPECT_EQ(got[static_cast<std::size_t>(i)], (1 - i / 32) * 100 + i % 32) << i;
  }
}

TEST(Launches, OnlySharedMemoryIsMappedToAnotherBlock) {
  Array x = arrayOf(std::vector<std::int32_t>(4));
  auto host = jit("mapped", [](Tensor t) {
    auto kernel = [](Tensor u) { arch::map_dsmem_ptr(u.iterator(), 0).store(1); };
    launch(kernel, {.block = {1}}, t);
  });
  EXPECT_THAT(
      refusalOf([&] { compile(host, x); }),
      HasSubstr("map_dsmem_ptr: a pointer to shared memory is expected, not ptr<i32, gmem"));
}

TEST(Launches, StreamsAreArguments) {
  Array x = arrayOf(std::vector<std::int32_t>(4));
  Device device = simulated();
  cutwork::Stream stream = device.createStream();
  auto host = jit("streams", [](Tensor t, cute::Stream s) {
    auto kernel = [](Tensor u) { u(arch::thread_idx().x) += 1; };
    launch(kernel, {.grid = {1}, .block = {4}, .stream = s}, t);
    launch(kernel, {.grid = {1}, .block = {4}, .stream = s}, t);
  });
  auto f = compile(host, x, stream);
  f(x, stream);
  f(x, StreamHandle());
  orThrow(stream.synchronize());
  EXPECT_THAT(valuesOf<std::int32_t>(x), ElementsAre(4, 4, 4, 4));
  EXPECT_THAT(refusalOf([&] { f(x, 1); }), HasSubstr("argument 1: a stream was expected"));
}

TEST(Launches, BoundsOfTheRegisterAllocation) {
  Array x = arrayOf<std::int32_t>({0});
  auto kernel = [](Tensor u) { u(0) = 1; };
  auto host = jit("bounds", [&](Tensor t, Int32 threads) {
    launch(kernel, {.grid = {1}, .block = {64}, .min_blocks = 4, .name = "exact"}, t);
    launch(kernel, {.grid = {1}, .block = {threads}, .max_threads = 256, .name = "most"}, t);
    launch(kernel, {.grid = {1}, .block = {threads}, .name = "9 any-thing"}, t);
  });
  auto f = compile(host, x, 32);
  EXPECT_THAT(f.kernels(), ElementsAre("exact", "most", "_9_any_thing"));
  const std::string& ptx = f.ptx();
  EXPECT_THAT(ptx, HasSubstr(".reqntid 64"));
  EXPECT_THAT(ptx, HasSubstr(".minnctapersm 4"));
  EXPECT_THAT(ptx, HasSubstr(".maxntid 256"));
  f(x, 32);
  EXPECT_EQ(valuesOf<std::int32_t>(x)[0], 1);
  EXPECT_THAT(refusalOf([&] { f(x, 512); }), HasSubstr("256"));
}

TEST(Launches, EqualNamesAreNumbered) {
  Array x = arrayOf<std::int32_t>({0});
  auto kernel = [](Tensor u) { u(0) += 1; };
  auto host = jit("same", [&](Tensor t) {
    for (int i = 0; i < 3; ++i) launch(kernel, {.grid = {1}, .block = {1}}, t);
  });
  auto f = compile(host, x);
  EXPECT_THAT(f.kernels(), ElementsAre("same_kernel", "same_kernel_1", "same_kernel_2"));
  f(x);
  EXPECT_EQ(valuesOf<std::int32_t>(x)[0], 3);
}

TEST(Launches, CooperativeAndProgrammatic) {
  Array x = arrayOf<std::int32_t>({0});
  auto kernel = [](Tensor u) { arch::atomic_add(u.iterator(), 1); };
  auto host = jit("flags", [&](Tensor t) {
    launch(kernel, {.grid = {2}, .block = {1}, .cooperative = true}, t);
    launch(kernel, {.grid = {2}, .block = {1}, .use_pdl = true}, t);
  });
  auto f = compile(host, x);
  EXPECT_THAT(f.mlir(), HasSubstr("cooperative"));
  EXPECT_THAT(f.mlir(), HasSubstr("programmatic"));
  f(x);
  EXPECT_EQ(valuesOf<std::int32_t>(x)[0], 4);
}

TEST(Launches, SharedMemoryBehindTheAllocations) {
  auto got = [](std::int64_t bytes) {
    Array x = arrayOf(std::vector<std::int32_t>(32));
    auto host = jit("dynamic", [&](Tensor t) {
      auto kernel = [](Tensor u) {
        SmemAllocator smem;
        Tensor own = smem.allocate_tensor(DType::Int32, make_layout({32}));
        EXPECT_EQ(smem_size(), 128);
        Tensor more = make_tensor(get_dyn_smem(DType::Int32), make_layout({32}));
        Int32 tid = arch::thread_idx().x;
        own(tid) = tid;
        more(tid) = tid * 100;
        arch::sync_threads();
        u(tid) = own(31 - tid) + more(31 - tid);
      };
      launch(kernel, {.grid = {1}, .block = {32}, .smem = bytes}, t);
    });
    compile(host, x)(x);
    return valuesOf<std::int32_t>(x);
  };
  std::vector<std::int32_t> values = got(256);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], (31 - i) * 101);
  EXPECT_THAT(refusalOf([&] { got(64); }),
              HasSubstr("smem is 64 bytes, but the kernel's allocations take 128"));
}

TEST(Launches, Refusals) {
  auto refused = [](const LaunchOptions& options, std::string_view target = "sm_90a") {
    CompileOptions with;
    with.target = Target::parse(target);
    auto host = jit("refused", [&](Tensor t) { launch([](Tensor) {}, options, t); });
    return refusalOf([&] { compile(with, host, arrayOf<std::int32_t>({0})); });
  };
  EXPECT_THAT(refused({.grid = {1, 1, 1, 1}}), HasSubstr("has 4 extents; one to three"));
  EXPECT_THAT(refused({.grid = {0}}), HasSubstr("an extent is at least 1"));
  EXPECT_THAT(refused({.grid = IntTuple{IntTuple::hole()}}), HasSubstr("is no extent"));
  EXPECT_THAT(refused({.cluster = {2}}, "sm_80"), HasSubstr("clusters need sm_90"));
  EXPECT_THAT(refusalOfKernel([](Tensor t) { launch([](Tensor) {}, {}, t); }),
              HasSubstr("a kernel cannot launch a kernel"));
}

}  // namespace
}  // namespace cutwork::test

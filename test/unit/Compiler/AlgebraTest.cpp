// AlgebraTest.cpp -- the layout algebra on tensors, shapes of vectors, copies by element; warps.
#include "Harness.h"

namespace cutwork::test {
namespace {

using namespace cute;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Algebra, EveryDivisionFindsTheSameElements) {
  auto got = run<std::int32_t>(std::vector<std::int32_t>(24), [](Tensor out) {
    Tensor t = make_tensor(out.iterator(), make_layout({4, 6}, {6, 1}));
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 6; ++j) {
        IntTuple inner{i % 2, j % 3};
        IntTuple which{i / 2, j / 3};
        Tensor flat = flat_divide(t, {2, 3});
        EXPECT_EQ(flat.shape().text(), "(2,3,2,2)");
        flat(i % 2, j % 3, i / 2, j / 3) = 1;
        Tensor zipped = zipped_divide(t, {2, 3});
        zipped(inner, which) = zipped(inner, which) + 10;
        Tensor tiled = tiled_divide(t, {2, 3});
        EXPECT_EQ(tiled.shape().text(), "((2,3),2,2)");
        tiled(inner, i / 2, j / 3) = tiled(inner, i / 2, j / 3) + 100;
        Tensor logical = logical_divide(t, {2, 3});
        EXPECT_EQ(logical.shape().text(), "((2,2),(3,2))");
        IntTuple row{i % 2, i / 2};
        IntTuple column{j % 3, j / 3};
        logical(row, column) = logical(row, column) + 1000;
        Tensor grouped = group_modes(flat, 0, 2);
        EXPECT_EQ(grouped.shape().text(), "((2,3),2,2)");
        grouped(inner, i / 2, j / 3) = grouped(inner, i / 2, j / 3) + 10000;
      }
    }
  });
  EXPECT_THAT(got, Each(11111));
}

TEST(Algebra, PartitionsCoverOnce) {
  auto got = run<std::int32_t>(
      std::vector<std::int32_t>(32),
      [](Tensor out) {
        Tensor t = make_tensor(out.iterator(), make_layout({8, 4}, {4, 1}));
        Int32 tid = arch::thread_idx().x;
        Tensor mine = local_partition(t, make_layout({4, 2}, {2, 1}), tid);
        EXPECT_EQ(mine.shape().text(), "(2,2)");
        mine.store(mine.load() + full({2, 2}, 1, DType::Int32) * tid);
      },
      8);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(got[static_cast<std::size_t>(i)], i / 4 % 4 * 2 + i % 4 % 2) << i;
  }
}

TEST(Algebra, RecastKeepsTheBytes) {
  auto got = run<std::int32_t>({0x00010002, 0x00030004, 0, 0, 0, 0}, [](Tensor out) {
    Tensor words = make_tensor(out.iterator().align(8), make_layout({2}));
    Tensor halves = recast_tensor(words, DType::Int16);
    EXPECT_EQ(halves.shape().text(), "(4)");
    for (int i = 0; i < 4; ++i) out(2 + i) = Int32(Int16(halves(i)));
  });
  EXPECT_THAT(std::vector(got.begin() + 2, got.end()), ElementsAre(2, 1, 4, 3));
}

TEST(Algebra, VectorsOfOneValueAndBroadcast) {
  auto got = run<std::int32_t>(std::vector<std::int32_t>(12), [](Tensor out) {
    Tensor t = make_tensor(out.iterator(), make_layout({2, 3}, {3, 1}));
    TensorSSA row = full({1, 3}, 7, DType::Int32);
    t.store(row.broadcast_to({2, 3}) + full_like(t.load(), 1) + zeros_like(t.load()));
    TensorSSA small = t.load() < 5;
    out(6) = Int32(any_(small));
    out(7) = Int32(all_(!small));
    out(8) = Int32(all_(t.load() == 8));
    out(9) = (~t.load())[0];
    out(10) = min(t.load(), 3)[IntTuple{1, 2}];
    out(11) = t.load().bitcast(DType::Float32).bitcast(DType::Int32)[5];
  });
  EXPECT_THAT(got, ElementsAre(8, 8, 8, 8, 8, 8, 0, 1, 1, -9, 3, 8));
}

TEST(Algebra, CopiesByElementAndRetiling) {
  auto got = run<std::int32_t>(std::vector<std::int32_t>(40), [](Tensor out) {
    Tensor source = make_rmem_tensor(IntTuple{8}, DType::Int32);
    for (int i = 0; i < 8; ++i) source(i) = i + 1;
    basic_copy(source, make_tensor(out.iterator(), make_layout({8}, {2})));
    Tensor pred = make_rmem_tensor(IntTuple{8}, DType::Boolean);
    for (int i = 0; i < 8; ++i) pred(i) = i % 3 == 0;
    basic_copy_if(pred, source, make_tensor(out.iterator() + 16, make_layout({8})));
    TiledCopy tiled = make_tiled_copy_tv(make_copy_atom(CopyUniversalOp(), DType::Int32, 64),
                                         make_layout({1}), make_layout({8}));
    Tensor retiled = tiled.get_slice(0).retile(source);
    EXPECT_EQ(retiled.shape().text(), "((2,4))");
    copy(tiled, retiled, make_tensor(out.iterator().align(8) + 24, make_layout({8})));
  });
  for (int i = 0; i < 8; ++i) {
    auto at = [&](int k) { return got[static_cast<std::size_t>(k)]; };
    EXPECT_EQ(at(2 * i), i + 1);
    EXPECT_EQ(at(16 + i), i % 3 == 0 ? i + 1 : 0);
    EXPECT_EQ(at(24 + i), i + 1);
  }
}

TEST(Warps, UniformValuesFencesAndNamedBarriers) {
  auto got = run<std::int32_t>(
      std::vector<std::int32_t>(64),
      [](Tensor out) {
        SmemAllocator smem;
        Tensor s = smem.allocate_tensor(DType::Int32, make_layout({32}));
        Int32 tid = arch::thread_idx().x;
        Int32 warp = arch::make_warp_uniform(arch::warp_idx());
        if_(warp == 0,
            [&] {  // the first warp produces, the second waits for it
              s(tid) = tid * 2;
              arch::fence_acq_rel_cta();
              arch::barrier_arrive(1, 64);
            })
            .else_([&] {
              arch::barrier(1, 64);
              out(tid) = s(tid - 32);
            });
        arch::sync_warp();
        Int32 same = arch::shuffle_sync(Int32(tid), 5);
        if_(warp == 0, [&] { out(tid) = same + Int32(arch::vote_uni_sync(same == 5)); });
      },
      64);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(got[static_cast<std::size_t>(i)], 6);
    EXPECT_EQ(got[static_cast<std::size_t>(i + 32)], i * 2);
  }
}

TEST(Warps, ATrapIsTheDevicesError) {
  Array x = arrayOf<std::int32_t>({0});
  auto host = jit("traps", [](Tensor t) {
    launch([](Tensor u) { if_(u(0) == 0, [] { arch::trap(); }); }, {.grid = {1}, .block = {1}}, t);
  });
  auto f = compile(host, x);
  try {
    f(x);
    orThrow(simulated().synchronize());
    FAIL() << "not reported";
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("trap"));
  }
}

}  // namespace
}  // namespace cutwork::test

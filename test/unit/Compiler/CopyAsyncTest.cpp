// CopyAsyncTest.cpp -- cp.async as a copy atom: widths, caches, predicates, groups, refusals.
#include "Harness.h"

namespace cutwork::test {
namespace {

using namespace cute;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

using cpasync::CopyG2SOp;

// Eight rows of 4 floats through shared memory by executions of `values` floats. Execution i of row
// r has a false predicate where r + i is `skip`; -1: no predicates. Shared memory holds -1 before.
struct Through {
  std::vector<float> values;
  std::string ptx;
};
Through through(CopyG2SOp op, int values, int skip) {
  constexpr int kRows = 8;
  constexpr int kFloats = 4;
  Array x = arrayOf(iota<float>(kRows * kFloats), {kRows, kFloats});
  Array y = arrayOf(std::vector<float>(kRows * kFloats, -2), {kRows, kFloats});
  auto host = jit("through", [&](Tensor a, Tensor b) {
    auto kernel = [&](Tensor u, Tensor v) {
      Int32 tid = arch::thread_idx().x;
      SmemAllocator smem;
      Tensor s = smem.allocate_tensor(DType::Float32,
                                      make_layout({kRows, kFloats}, {kFloats, 1}).value(), 16);
      CopyAtom atom = make_copy_atom(op, DType::Float32, 32 * values);
      TiledCopy tiled =
          make_tiled_copy_tv(atom, make_layout({kRows, 1}), make_layout({1, kFloats}));
      ThrCopy mine = tiled.get_slice(tid);
      Tensor to = mine.partition_D(s);
      to.fill(-1.0F);
      std::optional<Tensor> pred;
      if (skip >= 0) {
        pred = make_rmem_tensor(IntTuple{kFloats / values, 1, 1}, DType::Boolean);
        for (int i = 0; i < kFloats / values; ++i) (*pred)(i) = tid + i != skip;
      }
      copy(tiled, mine.partition_S(u), to, pred);
      arch::cp_async_commit_group();
      arch::cp_async_wait_group(0);
      arch::sync_threads();
      Int32 other = kRows - 1 - tid;  // another thread's row
      autovec_copy(s(other, _), v(other, _));
    };
    launch(kernel, {.grid = {1}, .block = {kRows}}, a, b);
  });
  auto f = compile(host, from_dlpack(x, 16), from_dlpack(y, 16));
  f(x, y);
  return {valuesOf<float>(y), f.ptx()};
}

TEST(CopyAsync, EveryWidthAndCache) {
  for (int values : {1, 2, 4}) {
    Through all = through({}, values, -1);
    EXPECT_EQ(all.values, iota<float>(32)) << values;
    EXPECT_THAT(all.ptx,
                ContainsRegex("cp.async.ca.shared.global.*, " + std::to_string(4 * values)));
  }
  Through past = through({.cache_mode = LoadCacheMode::global}, 4, -1);
  EXPECT_EQ(past.values, iota<float>(32));
  EXPECT_THAT(past.ptx, ContainsRegex("cp.async.cg.shared.global.*, 16"));
}

// R38: where the predicate is false there are zeros, or what was there.
TEST(CopyAsync, PredicatesFillOrKeep) {
  for (bool fill : {true, false}) {
    for (int values : {1, 2, 4}) {
      for (int skip : {0, 3, 100}) {
        Through some = through({.zero_fill = fill}, values, skip);
        for (int i = 0; i < 32; ++i) {
          bool copied = i / 4 + i % 4 / values != skip;
          float expected = copied ? static_cast<float>(i) : fill ? 0.0F : -1.0F;
          EXPECT_EQ(some.values[static_cast<std::size_t>(i)], expected) << values << ' ' << i;
        }
        EXPECT_THAT(some.ptx, Not(HasSubstr(".local")));
      }
    }
  }
}

// The last groups may be under way: what an earlier one copied is there. That a group which is not
// waited for is not there, the simulated device reports.
TEST(CopyAsync, GroupsAreWaitedForInOrder) {
  Array x = arrayOf(iota<float>(12));
  auto kernelOf = [&](int pending) {
    return jit("groups", [pending](Tensor a) {
      auto kernel = [pending](Tensor u) {
        SmemAllocator smem;
        Tensor s = smem.allocate_tensor(DType::Float32, make_layout({4, 2}).value(), 16);
        CopyAtom atom = make_copy_atom(CopyG2SOp(), DType::Float32, 128);
        for (int group = 0; group < 2; ++group) {
          copy(atom, make_tensor(u.iterator() + 4 * group, make_layout({4})), s(_, group));
          arch::cp_async_commit_group();
        }
        arch::cp_async_wait_group(pending);
        autovec_copy(s(_, 0), make_tensor(u.iterator() + 8, make_layout({4})));
        arch::cp_async_wait_group(0);
      };
      launch(kernel, {.grid = {1}, .block = {1}}, a);
    });
  };
  compile(kernelOf(1), from_dlpack(x, 16))(x);
  EXPECT_EQ(valuesOf<float>(x)[11], 3);
  auto early = compile(kernelOf(2), from_dlpack(x, 16));
  EXPECT_THROW(
      {
        early(x);
        valuesOf<float>(x);
      },
      DeviceError);
}

TEST(CopyAsync, Refusals) {
  Array x = arrayOf(iota<float>(64));
  auto attempt = [&](auto body, std::int64_t alignment = 16) {
    auto host = jit("refused", [&](Tensor t) { launch(body, {.grid = {1}, .block = {1}}, t); });
    return refusalOf([&] { compile(host, from_dlpack(x, alignment)); });
  };
  auto shared = [](Layout layout) {
    SmemAllocator smem;
    return smem.allocate_tensor(DType::Float32, layout, 16);
  };
  auto global = [](const Tensor& t, Layout layout) { return make_tensor(t.iterator(), layout); };
  auto atom = [](int bits) { return make_copy_atom(CopyG2SOp(), DType::Float32, bits); };
  EXPECT_THAT(attempt([](Tensor) { make_copy_atom(CopyG2SOp(), DType::Float32, 0); }),
              HasSubstr("cp.async needs num_bits_per_copy, 32, 64 or 128"));
  EXPECT_THAT(attempt([](Tensor) { make_copy_atom(CopyG2SOp(), DType::Float16, 16); }),
              HasSubstr("no cp.async copy of 16 bits at once on sm_90a; there are 32, 64, 128"));
  EXPECT_THAT(attempt([](Tensor) {
                make_copy_atom(CopyG2SOp{.cache_mode = LoadCacheMode::global}, DType::Float32, 64);
              }),
              HasSubstr("no cp.async copy past L1 of 64 bits at once"));
  EXPECT_THAT(attempt([](Tensor) { make_copy_atom(CopyG2SOp(), DType::Float64, 32); }),
              HasSubstr("32 bits at once are no whole number of Float64"));
  std::string text = attempt([&](Tensor t) {
    Tensor from = global(t, make_layout({4}));
    copy(atom(128), from, make_fragment_like(from));
  });
  EXPECT_THAT(text, HasSubstr("CopyAsyncTest.cpp:"));
  EXPECT_THAT(text, HasSubstr("cp.async copies global to shared memory, not gmem to rmem"));
  EXPECT_THAT(attempt([&](Tensor t) {
                copy(atom(128), shared(make_layout({4})), global(t, make_layout({4})));
              }),
              HasSubstr("not smem to gmem"));
  EXPECT_THAT(
      attempt(
          [&](Tensor t) { copy(atom(128), global(t, make_layout({4})), shared(make_layout({4}))); },
          4),
      HasSubstr("the source is known to be aligned to 4 bytes"));
  EXPECT_THAT(attempt([&](Tensor t) {
                copy(atom(64), global(t, make_layout({4})), shared(make_layout({4}, {2})));
              }),
              HasSubstr("mode 0 of the target is not contiguous for 2 elements"));
  EXPECT_THAT(attempt([&](Tensor t) {
                copy(atom(64), global(t, make_layout({3})), shared(make_layout({3})));
              }),
              HasSubstr("64 bits at once do not make up 3 elements of 32 bits"));
  EXPECT_THAT(attempt([&](Tensor t) {
                Tensor pred = make_rmem_tensor(IntTuple{3}, DType::Boolean);
                copy(atom(64), global(t, make_layout({4})), shared(make_layout({4})), pred);
              }),
              HasSubstr("a predicate of shape (3), 3 elements, for a source of shape (4); it has "
                        "the source's modes without the vector's, 2 elements"));
  EXPECT_THAT(attempt([](Tensor) { arch::cp_async_wait_group(-1); }),
              HasSubstr("0 or more was expected"));
}

}  // namespace
}  // namespace cutwork::test

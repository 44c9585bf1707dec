// ControlTest.cpp -- run-time branches, loops, early return, variables; in kernels and on the host.
#include "Harness.h"

namespace cutwork::test {
namespace {

using namespace cute;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Control, Branches) {
  auto got = run<std::int32_t>(
      {-5, 0, 5, 9},
      [](Tensor t) {
        Int32 i = arch::thread_idx().x;
        Int32 x = t(i);
        if_(x < 0, [&] { t(i) = 100; })
            .else_if(x == 0, [&] { t(i) = 200; })
            .else_if(x == 5, [&] { t(i) = 300; })
            .else_([&] { t(i) = 400; });
      },
      4);
  EXPECT_THAT(got, ElementsAre(100, 200, 300, 400));
}

TEST(Control, KnownConditionsChooseWhileTracing) {
  int traced = 0;
  run<std::int32_t>({0}, [&](Tensor t) {
    if_(size(t) > 100, [&] { ++traced; }).else_([&] { t(0) = 1; });
    if_(Int32(3) < 4, [&] { t(0) = 2; }).else_if(Int32(1) < 2, [&] { ++traced; });
  });
  EXPECT_EQ(traced, 1) << "an extent is known only at run time, a constant at once";
}

TEST(Control, LoopsOfAnyBoundsAndSteps) {
  struct Case {
    int start, stop, step;
  };
  for (auto [start, stop, step] : {Case{0, 5, 1}, Case{3, 20, 4}, Case{10, 0, -3}, Case{5, 5, 1},
                                   Case{7, 3, 1}, Case{-4, 4, 3}, Case{4, -5, -1}}) {
    std::vector<std::int32_t> want;
    for (int k = start; step > 0 ? k < stop : k > stop; k += step) want.push_back(k);
    want.resize(32, -99);
    for (bool dynamic : {false, true}) {
      std::vector<std::int32_t> initial(32, -99);
      auto got = run<std::int32_t>(initial, [&](Tensor t) {
        Var<Int32> at(0);
        Var<Int32> a(start);
        Var<Int32> b(stop);
        Var<Int32> c(step);
        auto body = [&](Int32 k) {
          t(Int32(at)) = k;
          at += 1;
        };
        dynamic ? for_(a, b, c, body) : for_(start, stop, step, body);
      });
      EXPECT_EQ(got, want) << start << " " << stop << " " << step << (dynamic ? " dynamic" : "");
    }
  }
}

TEST(Control, WideLoops) {
  auto got = run<std::int64_t>(std::vector<std::int64_t>(4, -1), [](Tensor t) {
    Var<Int32> at(0);
    for_(Int32(0), Int64((std::int64_t{1} << 31) + 2), Int64(1 << 30), [&](Numeric k) {
      EXPECT_EQ(k.type(), DType::Int64);
      t(Int32(at)) = k;
      at += 1;
    });
  });
  EXPECT_THAT(got, ElementsAre(0, std::int64_t{1} << 30, std::int64_t{1} << 31, -1));
}

TEST(Control, WhileAndNestedReturn) {
  auto got = run<std::int32_t>(
      std::vector<std::int32_t>(64, 0),
      [](Tensor t) {
        Int32 i = arch::thread_idx().x;
        Var<Int32> n(i);
        Var<Int32> steps(0);
        while_([&] { return Boolean(n > 1); },
               [&] {
                 if_(Int32(n) % 2 == 0, [&] { n = Int32(n) / 2; }).else_([&] {
                   n = Int32(n) * 3 + 1;
                 });
                 steps += 1;
                 return_if(Int32(steps) > 20);
               });
        t(i) = steps;
      },
      64);
  for (int i = 0; i < 64; ++i) {
    int steps = 0;
    for (int n = i; n > 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1) ++steps;
    EXPECT_EQ(got[static_cast<std::size_t>(i)], steps > 20 ? 0 : steps) << i;
  }
}

TEST(Control, UnrolledLoopsKeepRegistersInRegisters) {
  Array x = arrayOf(iota<float>(64));
  auto host = jit("registers", [](Tensor t) {
    launch(
        [](Tensor in) {
          Tensor r = make_rmem_tensor(IntTuple{16}, DType::Float32);
          for_(0, 16, [&](Int32 k) { r(k) = Float32(in(k)) * 2.0f; });
          for_({.start = 0, .stop = 16, .unroll_full = true},
               [&](Int32 k) { in(k + 16) = r(15 - k); });
        },
        {.grid = {1}, .block = {1}}, t);
  });
  auto f = compile(host, x);
  EXPECT_THAT(f.ptx(), ::testing::Not(HasSubstr(".local")));
  f(x);
  EXPECT_EQ(valuesOf<float>(x)[16], 30.0f);
  EXPECT_EQ(valuesOf<float>(x)[31], 0.0f);
}

TEST(Control, HostLoopsBranchesAndSeveralKernels) {
  Array x = arrayOf<std::int32_t>({1, 1, 1, 1});
  auto host = jit("several", [](Tensor t, Int32 rounds) {
    auto grow = [](Tensor u, Int32 by) { u(arch::thread_idx().x) = u(arch::thread_idx().x) + by; };
    for_(0, rounds, [&](Int32 k) { launch(grow, {.grid = {1}, .block = {4}}, t, k); });
    if_(rounds > 2, [&] { launch([](Tensor u) { u(0) = -1; }, {.grid = {1}, .block = {1}}, t); });
  });
  auto f = compile(host, x, 1);
  EXPECT_EQ(f.kernels().size(), 2U);
  f(x, 2);
  EXPECT_THAT(valuesOf<std::int32_t>(x), ElementsAre(2, 2, 2, 2));
  f(x, 4);
  EXPECT_THAT(valuesOf<std::int32_t>(x), ElementsAre(-1, 8, 8, 8));
}

TEST(Control, Refusals) {
  EXPECT_THAT(refusalOfKernel([](Tensor) { for_(0, 4, 0, [](Int32) {}); }),
              HasSubstr("a loop with step 0 never ends"));
  EXPECT_THAT(refusalOfKernel([](Tensor t) {
                for_({.start = 0, .stop = Int32(t(0)), .unroll_full = true}, [](Int32) {});
              }),
              HasSubstr("unroll_full needs bounds"));
  EXPECT_THAT(refusalOfKernel([](Tensor) { for_(0.0, 4.0, [](Numeric) {}); }),
              HasSubstr("counts with integers"));
  Array x = arrayOf<std::int32_t>({1});
  auto host = jit("returns", [](Int32 n) { return_if(n > 0); });
  EXPECT_THAT(refusalOf([&] { compile(host, 1); }), HasSubstr("return_if is for kernels"));
}

}  // namespace
}  // namespace cutwork::test

// ControlTest.cpp -- run-time branches, loops, early return, variables; in kernels and on the host.
#include <limits>

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

// Also as bounds of run time, and of mixed types.
TEST(Control, WideBoundsOfEveryKind) {
  constexpr std::int64_t kStop = (std::int64_t{1} << 31) + 2;
  for (int kind = 0; kind < 4; ++kind) {
    auto got = run<std::int64_t>(std::vector<std::int64_t>(4, -1), [&](Tensor t) {
      Var<Int32> at(0), narrow(0);
      Var<Int64> a(0), b(kStop), c(1 << 30);
      auto body = [&](Numeric k) {
        EXPECT_EQ(k.type(), DType::Int64);
        t(Int32(at)) = k;
        at += 1;
      };
      if (kind == 0) for_(Int64(0), Int64(kStop), Int64(1 << 30), body);
      if (kind == 1) for_(0, kStop, 1 << 30, body);
      if (kind == 2) for_(a, b, c, body);
      if (kind == 3) for_(narrow, b, 1 << 30, body);
    });
    EXPECT_THAT(got, ElementsAre(0, std::int64_t{1} << 30, std::int64_t{1} << 31, -1)) << kind;
  }
}

// The distance of the bounds, and the number of iterations, may need all bits of their type.
template <class T, class V>
std::vector<std::int64_t> counted(V start, V stop, V step, bool dynamic) {
  auto all = run<std::int64_t>(std::vector<std::int64_t>(9, 0), [&](Tensor t) {
    Var<Int32> at(0);
    Var<T> a(start), b(stop), c(step);
    auto body = [&](Numeric k) {
      EXPECT_EQ(k.type(), T::kType);
      at += 1;
      t(Int32(at)) = Int64(k);
      t(0) = Int64(Int32(at));
      return_if(Int32(at) == 8);
    };
    dynamic ? for_(a, b, c, body) : for_(T(start), T(stop), T(step), body);
  });
  return {all.begin() + 1, all.begin() + 1 + all[0]};
}

TEST(Control, LoopsToTheEndsOfTheirType) {
  constexpr int kMost = std::numeric_limits<int>::max();
  constexpr int kStep = 1 << 30;
  constexpr std::int64_t kWide = std::numeric_limits<std::int64_t>::max();
  for (bool dynamic : {false, true}) {
    SCOPED_TRACE(dynamic);
    EXPECT_THAT((counted<Int32>(0, kMost, kStep, dynamic)), ElementsAre(0, kStep));
    EXPECT_THAT((counted<Int32>(-kMost, kMost, kStep, dynamic)),
                ElementsAre(-kMost, -kMost + kStep, 1, 1 + kStep));
    EXPECT_THAT((counted<Int32>(kMost, -kMost - 1, -kStep, dynamic)),
                ElementsAre(kMost, kMost - kStep, -1, -1 - kStep));
    EXPECT_EQ((counted<Int32>(-kMost - 1, kMost, 1, dynamic)).size(), 8U);
    EXPECT_EQ((counted<Int32>(kMost, -kMost - 1, -1, dynamic)).size(), 8U);
    EXPECT_THAT((counted<Int32>(kMost - 2, kMost, 1, dynamic)), ElementsAre(kMost - 2, kMost - 1));
    EXPECT_THAT((counted<Uint32>(0LL, 3000000000LL, 1000000000LL, dynamic)),
                ElementsAre(0, 1000000000, 2000000000));
    EXPECT_EQ((counted<Uint32>(0LL, 4294967295LL, 1LL, dynamic)).size(), 8U);
    EXPECT_THAT((counted<Uint32>(5LL, 3LL, 1LL, dynamic)), ElementsAre());
    EXPECT_THAT((counted<Int64>(-kWide, kWide, kWide / 2 + 1, dynamic)),
                ElementsAre(-kWide, -kWide + kWide / 2 + 1, 1, kWide / 2 + 2));
    EXPECT_THAT((counted<Int8>(-128, 127, 100, dynamic)), ElementsAre(-128, -28, 72));
    EXPECT_THAT((counted<Uint8>(0, 255, 100, dynamic)), ElementsAre(0, 100, 200));
  }
  EXPECT_THAT((counted<Int32>(0, 4, 0, true)), ElementsAre()) << "a step of 0 runs nothing";
}

// In host functions the same, where a division by 0 would end the process.
TEST(Control, HostLoopsToTheEndsOfTheirType) {
  Array x = arrayOf<std::int32_t>({0});
  auto host = jit("ends", [](Tensor t, Int32 a, Int32 b, Int32 step) {
    auto grow = [](Tensor u) { u(0) += 1; };
    for_(a, b, step, [&](Int32) { launch(grow, {}, t); });
  });
  auto f = compile(host, x, 0, 0, 0);
  constexpr int kMost = std::numeric_limits<int>::max();
  f(x, 0, 4, 0);
  EXPECT_THAT(valuesOf<std::int32_t>(x), ElementsAre(0));
  f(x, -kMost, kMost, 1 << 30);
  EXPECT_THAT(valuesOf<std::int32_t>(x), ElementsAre(4));
  f(x, kMost, -kMost, -(1 << 30));
  EXPECT_THAT(valuesOf<std::int32_t>(x), ElementsAre(8));
}

// So many copies of the body as are asked for, and one for the rest.
TEST(Control, Unrolling) {
  Array x = arrayOf(iota<float>(64));
  auto stores = [&](int unroll) {
    auto host = jit("unroll", [&](Tensor t, Int32 n) {
      auto body = [&](Tensor u, Int32 m) {
        for_({.start = 0, .stop = m, .unroll = unroll},
             [&](Int32 k) { arch::atomic_add(u.iterator() + k * k, 1.0f); });
      };
      launch(body, {}, t, n);
    });
    std::string ptx = compile(host, x, 1).ptx();
    int count = 0;
    for (std::size_t at = ptx.find("red."); at != std::string::npos; at = ptx.find("red.", at + 1))
      ++count;
    for (std::size_t at = ptx.find("atom."); at != std::string::npos;
         at = ptx.find("atom.", at + 1))
      ++count;
    return count;
  };
  EXPECT_EQ(stores(1), 1);
  EXPECT_GE(stores(4), 4);
  EXPECT_LT(stores(4), 8);
  EXPECT_GE(stores(8), 8);
  EXPECT_LT(stores(8), 16);
}

TEST(Control, DeepNesting) {
  // All that is allowed compiles and runs.
  auto nest = [](auto&& self, Tensor t, int depth) -> void {
    if (depth == 0) {
      t(0) = 7;
      return;
    }
    if_(t(0) < depth, [&] { self(self, t, depth - 1); });
  };
  EXPECT_THAT(run<std::int32_t>({0}, [&](Tensor t) { nest(nest, t, 128); }), ElementsAre(7));
  EXPECT_THAT(refusalOfKernel([&](Tensor t) { nest(nest, t, 129); }),
              HasSubstr("nested at most 128 deep"));
  auto chain = [](Tensor t, int links) {
    If last = if_(t(0) == -1, [] {});
    for (int i = 1; i < links; ++i) last = last.else_if(t(0) == i, [&, i] { t(1) = i; });
  };
  EXPECT_THAT(run<std::int32_t>({90, 0}, [&](Tensor t) { chain(t, 128); }), ElementsAre(90, 90));
  EXPECT_THAT(refusalOfKernel([&](Tensor t) { chain(t, 250); }),
              HasSubstr("each else_if of a chain is one level"));
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

// A register at an index of run time is in memory: said, at the line of the access.
TEST(Control, RegistersInLocalMemoryAreRemarkedOn) {
  Array x = arrayOf(iota<float>(64));
  auto host = jit("local", [](Tensor t) {
    auto body = [](Tensor in) {
      Tensor r = make_rmem_tensor(IntTuple{16}, DType::Float32);
      for_(0, 16, [&](Int32 k) { r(k) = Float32(in(k)); });
      Int32 at = Int32(Float32(in(16)));
      in(0) = r(at);  // this line
      cute::printf("{}\n", at);
    };
    launch(body, {}, t);
  });
  auto f = compile(host, x);
  ASSERT_EQ(f.remarks().size(), 1U);
  EXPECT_THAT(f.remarks()[0],
              ::testing::ContainsRegex(
                  "ControlTest.cpp:[0-9]+: a register tensor of 64 bytes is in local memory"));
  CompileOptions fast;
  fast.optimisation = 0;
  EXPECT_EQ(compile(fast, host, x).remarks().size(), 0U) << "where nothing is in registers";
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

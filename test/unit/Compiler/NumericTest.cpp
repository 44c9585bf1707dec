// NumericTest.cpp -- scalars: types, conversions, division, wide integers, misuse.
#include "Harness.h"

namespace cutwork::test {
namespace {

using namespace cute;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Numeric, Promotion) {
  auto type = [](DType a, DType b) { return promote(a, b).value(); };
  EXPECT_EQ(type(DType::Int8, DType::Float16), DType::Float16);
  EXPECT_EQ(type(DType::Int32, DType::Float16), DType::Float32);
  EXPECT_EQ(type(DType::Float32, DType::Int64), DType::Float64);
  EXPECT_EQ(type(DType::BFloat16, DType::Int8), DType::BFloat16);
  EXPECT_EQ(type(DType::BFloat16, DType::Int16), DType::Float16);
  EXPECT_EQ(type(DType::Float16, DType::BFloat16), DType::Float16);
  EXPECT_EQ(type(DType::TFloat32, DType::Float32), DType::Float32);
  EXPECT_EQ(type(DType::Int32, DType::Uint32), DType::Uint32);
  EXPECT_EQ(type(DType::Int64, DType::Uint32), DType::Int64);
  EXPECT_EQ(type(DType::Boolean, DType::Boolean), DType::Int32);
  EXPECT_FALSE(promote(DType::Float8E4M3FN, DType::Float32).ok());
}

// Constants and run-time values follow one rule: that of Python.
TEST(Numeric, DivisionAndRemainderFloor) {
  std::vector<std::int32_t> want;
  auto got = run<std::int32_t>(std::vector<std::int32_t>(19 * 8 * 2), [&](Tensor out) {
    int at = 0;
    Var<Int32> variable(0);
    for (int a = -9; a <= 9; ++a) {
      for (int b : {-4, -3, -2, -1, 1, 2, 3, 4}) {
        variable = a;
        Int32 dynamic = variable;
        out(at) = dynamic / b;
        out(at + 1) = dynamic % b;
        Numeric q = Int32(a) / b;
        Numeric r = Int32(a) % b;
        EXPECT_TRUE(q.isConstant() && r.isConstant());
        EXPECT_EQ(q.integer() * b + r.integer(), a);
        want.push_back(static_cast<std::int32_t>(q.integer()));
        want.push_back(static_cast<std::int32_t>(r.integer()));
        at += 2;
      }
    }
  });
  EXPECT_EQ(want[2 * (2 * 8 + 6)], -3) << "-7 // 3";
  EXPECT_EQ(got, want);
}

// R31: of 64 bits, and by divisors of run time.
TEST(Numeric, WideDivisionByRunTimeDivisors) {
  constexpr std::int64_t kBig = std::int64_t{1} << 40;
  const std::vector<std::int64_t> numbers{7, -7, kBig + 3, -kBig - 3, 0, -1};
  const std::vector<std::int64_t> divisors{2, -2, 3, -3, kBig, -kBig};
  std::vector<std::int64_t> operands = numbers;
  operands.insert(operands.end(), divisors.begin(), divisors.end());
  operands.resize(12 + 72);
  auto got = run<std::int64_t>(operands, [&](Tensor t) {
    int at = 12;
    for (int i = 0; i < 6; ++i) {
      for (int k = 6; k < 12; ++k) {
        Int64 a = t(i);
        Int64 b = t(k);
        t(at) = a / b;
        t(at + 1) = a % b;
        at += 2;
      }
    }
  });
  std::size_t at = 12;
  for (std::int64_t a : numbers) {
    for (std::int64_t b : divisors) {
      std::int64_t quotient = a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
      EXPECT_EQ(got[at], quotient) << a << " // " << b;
      EXPECT_EQ(got[at + 1], a - quotient * b) << a << " % " << b;
      at += 2;
    }
  }
}

TEST(Numeric, WideUnsigned) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  auto got = run<std::uint64_t>({0, 1, 0, 0, 0}, [](Tensor out) {
    Uint64 most(Numeric::constant(DType::Uint64, std::int64_t{-1}));
    Uint64 one = out(1);
    out(0) = most;
    out(2) = most + one;
    out(3) = (most | one) - 1;
    out(4) = select(most > one, Uint64(7), Uint64(9));
  });
  EXPECT_THAT(got, ElementsAre(kMost, 1, 0, kMost - 1, 7));
}

TEST(Numeric, ConversionsWrapAndTruncate) {
  auto got = run<std::int32_t>({300, -7, 0, 0, 0, 0}, [](Tensor out) {
    Int32 x = out(0);
    out(2) = Int32(Int8(x));
    out(3) = Int32(Float32(-2.7f));
    Float32 f = Float32(out(1)) / 2.0f;
    out(4) = Int32(f);
    out(5) = Int32(Boolean(x));
  });
  EXPECT_THAT(got, ElementsAre(300, -7, 44, -2, -3, 1));
}

// Constants and run-time values agree beyond the range too.
TEST(Numeric, FloatsBeyondAnIntegersRange) {
  const std::vector<float> values{3e9f, -3e9f, 300.5f, -1.5f, 1e30f, 70000.0f};
  auto convert = [](const Numeric& x, int type) {
    switch (type) {
      case 0: return Int64(Int8(x));
      case 1: return Int64(Uint8(x));
      case 2: return Int64(Int16(x));
      case 3: return Int64(Int32(x));
      case 4: return Int64(Uint32(x));
      default: return Int64(x);
    }
  };
  std::vector<std::int64_t> want;
  auto got = run<std::int64_t>(std::vector<std::int64_t>(values.size() * 6), [&](Tensor out) {
    int at = 0;
    Var<Float32> variable(0);
    for (float value : values) {
      variable = value;
      for (int type = 0; type < 6; ++type, ++at) {
        out(at) = convert(variable.load(), type);
        want.push_back(convert(Float32(value), type).integer());
      }
    }
  });
  EXPECT_EQ(got, want);
  EXPECT_EQ(want[3], 2147483647);
  EXPECT_EQ(want[6 + 4], 0);
}

TEST(Numeric, NoFlushToZero) {
  auto got = run<float>({1e-40f, 1.0f, 1.5f / 16777216.0f, 0, 0}, [](Tensor out) {
    out(3) = Float32(out(0)) + Float32(out(0));
    out(4) = Float32(out(1)) + Float32(out(2));
  });
  volatile float small = 1e-40f;
  EXPECT_EQ(got[3], small + small);
  EXPECT_EQ(got[4], 1.0f + 1.0f / 8388608.0f);
}

TEST(Numeric, ComparisonsWithNaN) {
  auto got = run<std::int32_t>(std::vector<std::int32_t>(6), [](Tensor out) {
    Var<Float32> v(0.0f);
    v = Float32(v) / Float32(v);
    Float32 nan = v;
    out(0) = Int32(nan < 1.0f);
    out(1) = Int32(nan == nan);
    out(2) = Int32(nan != nan);
    Float32 m = max(nan, 1.0f);
    out(3) = Int32(m != m);
    out(4) = Int32(!(nan >= 1.0f));
    out(5) = Int32(nan < 1.0f || true);
  });
  EXPECT_THAT(got, ElementsAre(0, 0, 1, 1, 1, 1));
}

// R33: all 256 codes come back, for vectors of every length; ties to even, saturation on request.
TEST(Numeric, Float8) {
  for (DType type : {DType::Float8E4M3FN, DType::Float8E5M2}) {
    for (int length : {1, 2, 3, 4, 8}) {
      std::vector<std::uint8_t> codes(264);
      for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(i);
      auto got = run<std::uint8_t>(
          codes,
          [&](Tensor t) {
            Int32 tid = arch::thread_idx().x;
            Pointer p = (t.iterator() + tid * length).recast(type);
            Tensor part = make_tensor(p, make_layout({length}, {1}));
            part.store(part.load().to(DType::Float32).to(type));
          },
          256 / length);
      for (int i = 0; i < 256 / length * length; ++i) {
        bool nan = type == DType::Float8E4M3FN ? (i & 127) == 127 : (i & 127) > 124;
        if (!nan) EXPECT_EQ(got[static_cast<std::size_t>(i)], i) << name(type) << " " << length;
      }
    }
  }
  auto got = run<std::uint8_t>(std::vector<std::uint8_t>(6), [](Tensor t) {
    Tensor out = make_tensor(t.iterator().recast(DType::Float8E4M3FN), make_layout({6}, {1}));
    Var<Float32> x(1.0f);
    out(0) = Float8E4M3FN(x);
    x = 2.0f;
    out(1) = Float8E4M3FN(x);
    x = 448.0f;
    out(2) = Float8E4M3FN(x);
    x = 500.0f;
    out(3) = Float32(x).to(DType::Float8E4M3FN, Rounding::rn, /*saturate=*/true);
    x = 17.0f;  // between 16 and 18: the even one
    out(4) = Float8E4M3FN(x);
    x = 19.0f;
    out(5) = Float8E4M3FN(x);
  });
  EXPECT_THAT(got, ElementsAre(0x38, 0x40, 0x7e, 0x7e, 0x58, 0x5a));
}

// R35: exact on every target, by code that the target has.
TEST(Numeric, Int8ToBFloat16OnEveryTarget) {
  std::vector<std::int8_t> codes(256);
  for (int i = 0; i < 256; ++i) codes[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i);
  for (const char* target : {"sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100a"}) {
    std::string name = std::string_view(target) == "sm_100a" ? "sim:sm_100a" : "sim:sm_90a";
    Device device = simulated(name);
    Array x = Array::empty(device, typeOf<std::int8_t>(), {256}).value();
    Array y = Array::empty(device, typeOf<float>(), {256}).value();
    orThrow(device.copyToDevice(x.address(), codes.data(), 256));
    auto host = jit("bf16", [](Tensor a, Tensor b) {
      launch(
          [](Tensor u, Tensor v) {
            Int32 tid = arch::thread_idx().x;
            v(tid) = Float32(BFloat16(Int8(u(tid))));
          },
          {.grid = {1}, .block = {256}}, a, b);
    });
    CompileOptions options;
    options.target = Target::parse(target).value();
    compile(options, host, x, y)(x, y);
    std::vector<float> got = valuesOf<float>(y);
    for (int i = 0; i < 256; ++i) {
      EXPECT_EQ(got[static_cast<std::size_t>(i)], codes[static_cast<std::size_t>(i)]) << target;
    }
  }
}

TEST(Numeric, NamedRoundings) {
  auto got = run<float>({1.0f + 1.0f / 4096, 0, 0, 0, 0, 1e9f}, [](Tensor t) {
    Float32 x = t(0);
    t(1) = Float32(x.to(DType::Float16, Rounding::rz));
    t(2) = Float32(x.to(DType::Float16, Rounding::rp));
    t(3) = Float32(x.to(DType::BFloat16, Rounding::rp));
    t(4) = Float32(TFloat32(x));
    t(5) = Float32(Float32(t(5)).to(DType::Int16, Rounding::rn, true));
  });
  EXPECT_THAT(got, ElementsAre(1.0f + 1.0f / 4096, 1.0f, 1.0f + 1.0f / 1024, 1.0f + 1.0f / 128,
                               1.0f, 32767.0f));
}

TEST(Numeric, RefusalsNameThePlace) {
  auto text = refusalOfKernel([](Tensor out) { out(0) = Float32(1.5f); });
  EXPECT_THAT(text, HasSubstr("NumericTest.cpp:"));
  EXPECT_THAT(text, HasSubstr("a Float32 is stored to an element of type Int32"));
  EXPECT_THAT(refusalOfKernel([](Tensor out) { out(0) = Int32(out(1)) / 0; }),
              HasSubstr("integer division by zero"));
  EXPECT_THAT(refusalOfKernel([](Tensor out) { out(0) = Int32(out(1)) << 32; }),
              HasSubstr("a shift of a value of 32 bits by 32"));
  EXPECT_THAT(refusalOf([] { arch::thread_idx(); }), HasSubstr("only while a kernel"));
}

TEST(Numeric, ValuesStayInTheirRegionAndTrace) {
  EXPECT_THAT(refusalOfKernel([](Tensor out) {
                std::vector<Numeric> kept;
                if_(Int32(out(0)) > 0, [&] { kept.push_back(Int32(out(1)) + 1); });
                out(2) = kept[0];
              }),
              HasSubstr("inside the body of an if_, for_ or while_ that has ended"));
  std::vector<Numeric> kept;
  run<std::int32_t>(std::vector<std::int32_t>(4),
                    [&](Tensor out) { kept.push_back(Int32(out(0))); });
  EXPECT_THAT(refusalOfKernel([&](Tensor out) { out(0) = kept[0]; }), HasSubstr("another trace"));
  Array x = arrayOf<std::int32_t>({1, 2});
  auto host = jit("captures", [](Tensor t, Int32 n) {
    launch([&](Tensor inside) { inside(0) = n; }, {.grid = {1}, .block = {1}}, t);
  });
  EXPECT_THAT(refusalOf([&] { compile(host, x, 5); }),
              HasSubstr("pass it to launch as an argument"));
}

}  // namespace
}  // namespace cutwork::test

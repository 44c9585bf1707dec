// Arithmetic.cpp -- the numbers against exact references: integers of 128 bits, and the host's FPU
// under each of its rounding modes.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "Arithmetic/BitFields.h"
#include "Arithmetic/Convert.h"
#include "Arithmetic/Float.h"
#include "Arithmetic/Half.h"
#include "Arithmetic/Rounding.h"
#include "Arithmetic/Video.h"

namespace cutwork::sim {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct HostMode {
  Round round;
  int host;
};
constexpr HostMode kModes[] = {{Round::Rn, FE_TONEAREST},
                               {Round::Rz, FE_TOWARDZERO},
                               {Round::Rm, FE_DOWNWARD},
                               {Round::Rp, FE_UPWARD}};

/// One operation under a rounding mode of the host; volatile, so that nothing moves out of the
/// mode.
template <class T, class Body>
T underMode(int mode, Body body) {
  std::fesetround(mode);
  volatile T result = body();
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class T>
bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

std::vector<double> doubles() {
  std::vector<double> values = {0.0,
                                -0.0,
                                1.0,
                                -1.0,
                                0x1p-1074,
                                -0x1p-1074,
                                0x1p-1022,
                                0x1.fffffffffffffp-1023,
                                0x1.fffffffffffffp1023,
                                -0x1.fffffffffffffp1023,
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN(),
                                1.0 / 3,
                                0x1p-537,
                                0x1.0000000000001p0,
                                0x1p53,
                                3.0,
                                0x1.8p-1074};
  std::mt19937_64 random(1);  // NOLINT(bugprone-random-generator-seed): repeatable
  for (int i = 0; i < 200; ++i) {
    const double value = std::bit_cast<double>(random());
    values.push_back(value);
    values.push_back(std::ldexp(1.0 + static_cast<double>(random() >> 12) * 0x1p-52,
                                static_cast<int>(random() % 40) - 20));
  }
  return values;
}

TEST(Arithmetic, F64UnderAllRoundings) {
  const std::vector<double> values = doubles();
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < values.size(); k += 3) {
      const volatile double a = values[i];
      const volatile double b = values[k];
      const volatile double c = values[(i * 7 + k) % values.size()];
      for (const auto& [round, host] : kModes) {
        ASSERT_TRUE(same(addF64(a, b, round), underMode<double>(host, [&] { return a + b; })))
            << a << " + " << b;
        ASSERT_TRUE(same(mulF64(a, b, round), underMode<double>(host, [&] { return a * b; })))
            << a << " * " << b;
        ASSERT_TRUE(same(divF64(a, b, round), underMode<double>(host, [&] { return a / b; })))
            << a << " / " << b;
        ASSERT_TRUE(same(fmaF64(a, b, c, round),
                         underMode<double>(host, [&] { return std::fma(a, b, c); })))
            << a << " * " << b << " + " << c;
      }
    }
    const volatile double a = values[i];
    for (const auto& [round, host] : kModes) {
      ASSERT_TRUE(same(sqrtF64(a, round), underMode<double>(host, [&] { return std::sqrt(a); })))
          << a;
    }
  }
}

TEST(Arithmetic, F32UnderAllRoundings) {
  std::mt19937 random(2);  // NOLINT(bugprone-random-generator-seed): repeatable
  std::vector<float> values = {0.0F,         -0.0F,           1.0F,      -1.0F, 0x1p-149F,
                               -0x1p-126F,   0x1.fffffep127F, kInfinity, kNan,  0x1p-75F,
                               0x1.000002p0F};
  for (int i = 0; i < 250; ++i) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    values.push_back(std::ldexp(1.0F + static_cast<float>(random() >> 9) * 0x1p-23F,
                                static_cast<int>(random() % 30) - 15));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < values.size(); k += 3) {
      const volatile float a = values[i];
      const volatile float b = values[k];
      const volatile float c = values[(i * 5 + k) % values.size()];
      for (const auto& [round, host] : kModes) {
        const Param spec{floatSpec(round, false, false)};
        ASSERT_TRUE(same(slowAddF32(a, b, spec), underMode<float>(host, [&] { return a + b; })))
            << a << " + " << b;
        ASSERT_TRUE(same(slowMulF32(a, b, spec), underMode<float>(host, [&] { return a * b; })))
            << a << " * " << b;
        ASSERT_TRUE(same(slowDivF32(a, b, spec), underMode<float>(host, [&] { return a / b; })))
            << a << " / " << b;
        ASSERT_TRUE(same(slowFmaF32(a, b, c, spec),
                         underMode<float>(host, [&] { return std::fma(a, b, c); })))
            << a << " * " << b << " + " << c;
      }
      ASSERT_TRUE(same(fmaF32<false>(a, b, c), slowFmaF32(a, b, c, Param{0})));
      ASSERT_TRUE(same(fmaF32<true>(a, b, c),
                       slowFmaF32(a, b, c, Param{floatSpec(Round::Rn, true, false)})))
          << a << " * " << b << " + " << c;
      ASSERT_TRUE(
          same(mulF32<true>(a, b), slowMulF32(a, b, Param{floatSpec(Round::Rn, true, false)})))
          << a << " * " << b;
    }
  }
}

TEST(Arithmetic, NarrowFormatsAreReadBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    for (const Format* format : {&kF16, &kBF16}) {
      const double value = widen(bits, *format);
      if (std::isnan(value)) continue;
      EXPECT_EQ(narrow(value, *format, Round::Rn), bits);
      // Half way to the next number goes to the even one, a little more goes up.
      const double next = widen(bits + 1, *format);
      if ((bits & 0x7fff) + 1 < format->infinity && (bits & 0x8000) == 0) {
        const double half = (value + next) / 2;
        EXPECT_EQ(narrow(half, *format, Round::Rn), bits + (bits & 1));
        EXPECT_EQ(narrow(half, *format, Round::Rna), bits + 1);
        EXPECT_EQ(narrow(half, *format, Round::Rz), bits);
        EXPECT_EQ(narrow(half, *format, Round::Rp), bits + 1);
        EXPECT_EQ(narrow(-half, *format, Round::Rm), (bits + 1) | 0x8000);
        EXPECT_EQ(narrow(std::nextafter(half, kInfinity), *format, Round::Rn), bits + 1);
      }
    }
    EXPECT_TRUE(
        same(halfToF32(static_cast<std::uint16_t>(bits)), static_cast<float>(widen(bits, kF16))));
  }
}

TEST(Arithmetic, BfloatRoundingIsThatOfNarrow) {
  std::mt19937 random(3);  // NOLINT(bugprone-random-generator-seed): repeatable
  for (int i = 0; i < 200'000; ++i) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    ASSERT_EQ(f32ToBf16Fast(x), f32ToBf16(x));
  }
}

TEST(Arithmetic, Integers) {
  std::mt19937_64 random(4);  // NOLINT(bugprone-random-generator-seed): repeatable
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t a = random() >> (random() % 64);
    const std::uint64_t b = random() >> (random() % 64);
    const auto sa = static_cast<std::int64_t>(a);
    const auto sb = static_cast<std::int64_t>(b);
    ASSERT_EQ(mulHi<std::uint64_t>(a, b), static_cast<std::uint64_t>((UInt128{a} * b) >> 64));
    ASSERT_EQ(mulHi<std::int64_t>(sa, sb), static_cast<std::int64_t>((Int128{sa} * sb) >> 64));
    const auto x = static_cast<std::int32_t>(a);
    const auto y = static_cast<std::int32_t>(b);
    ASSERT_EQ(mulWide<std::int32_t>(x, y), std::int64_t{x} * y);
    const std::int64_t sum = std::int64_t{x} + y;
    ASSERT_EQ(addSat(x, y),
              std::min<std::int64_t>(std::max<std::int64_t>(sum, INT32_MIN), INT32_MAX));
    // bfe and bfi by their definition, bit by bit.
    const unsigned position = random() % 40;
    const unsigned length = random() % 40;
    std::uint32_t field = 0;
    std::uint32_t inserted = static_cast<std::uint32_t>(b);
    for (unsigned k = 0; k < 32; ++k) {
      if (k < length && position + k < 32)
        field |= (static_cast<std::uint32_t>(a) >> (position + k) & 1) << k;
      if (k < length && position + k < 32) {
        const std::uint32_t bit = 1U << (position + k);
        inserted = (inserted & ~bit) | ((static_cast<std::uint32_t>(a) >> k & 1) != 0 ? bit : 0);
      }
    }
    ASSERT_EQ(bfe<std::uint32_t>(static_cast<std::uint32_t>(a), position, length), field);
    ASSERT_EQ(bfi<std::uint32_t>(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b),
                                 position, length),
              inserted);
  }
  EXPECT_EQ(divInt<std::int32_t>(INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(remInt<std::int32_t>(INT32_MIN, -1), 0);
  EXPECT_EQ(divInt<std::uint32_t>(7, 0), 0xffffffffU);
}

TEST(Arithmetic, IntegersToFloats) {
  std::mt19937_64 random(5);  // NOLINT(bugprone-random-generator-seed): repeatable
  for (int i = 0; i < 50'000; ++i) {
    const volatile std::uint64_t a = random() >> (random() % 64);
    for (const auto& [round, host] : kModes) {
      ConvertSpec spec{Ty::F32, Ty::U64, round, true};
      const auto f32 =
          std::bit_cast<float>(static_cast<std::uint32_t>(convert(a, Param{spec.packed()})));
      ASSERT_EQ(f32, underMode<float>(host, [&] { return static_cast<float>(a); })) << a;
      spec.to = Ty::F64;
      const auto f64 = std::bit_cast<double>(convert(a, Param{spec.packed()}));
      ASSERT_EQ(f64, underMode<double>(host, [&] { return static_cast<double>(a); })) << a;
    }
  }
}

TEST(Video, SaturatesIntoThePartThatItReplaces) {
  VideoSpec add;
  add.signedD = add.signedA = add.signedB = add.sat = 1;
  add.merge = 3;  // d.b2
  EXPECT_EQ(video(add, 100, 100, 0x11223344), 0x117f3344U);
  EXPECT_EQ(video(add, 0U - 100, 0U - 100, 0x11223344), 0x11803344U);
  add.sat = 0;
  EXPECT_EQ(video(add, 100, 100, 0x11223344), 0x11c83344U);
  add.merge = 6;  // d.h1
  add.partA = 5;  // a.h0
  EXPECT_EQ(video(add, 0x0005ffff, 3, 0x11223344), 0x00023344U);
}

TEST(Video, MultipliesExactly) {
  VideoSpec mad;
  mad.op = static_cast<unsigned>(VideoOp::Mad);
  mad.signedA = mad.signedB = 1;
  mad.negative = 1;
  EXPECT_EQ(video(mad, 7, 9, 100), 37U);
  mad.scale = 15;
  EXPECT_EQ(video(mad, 0x80000000, 0x80000000, 0),
            static_cast<std::uint32_t>(-(std::int64_t{1} << 62) >> 15));
  mad.sat = 1;
  EXPECT_EQ(video(mad, 0x80000000, 0x80000000, 0), 0x80000000U);
}

TEST(Video, LanesAreSelectedMaskedAndSummed) {
  VideoSpec add;
  add.lanes = 4;
  add.mask = 0b1101;
  add.selectA = 3U << 9 | 2U << 6 | 1U << 3 | 0U;
  add.selectB = 1U << 9 | 2U << 6 | 3U << 3 | 4U;  // a.b1, a.b2, a.b3, b.b0
  EXPECT_EQ(video(add, 0x04030201, 0xffffff10, 0x55667788), 0x06067711U);
  add.second = static_cast<unsigned>(VideoSecond::Add);
  EXPECT_EQ(video(add, 0x04030201, 0xffffff10, 1000), 1000U + 6 + 6 + 0x11);
}

}  // namespace
}  // namespace cutwork::sim

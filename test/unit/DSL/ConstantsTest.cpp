// ConstantsTest.cpp -- folding of constants while tracing, against C++'s arithmetic.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "cutwork/DSL/Numeric.h"

namespace cutwork::cute {
namespace {

using ::testing::HasSubstr;

template <class T>
constexpr DType typeOf() {
  if constexpr (std::is_same_v<T, std::int8_t>) return DType::Int8;
  if constexpr (std::is_same_v<T, std::int16_t>) return DType::Int16;
  if constexpr (std::is_same_v<T, std::int32_t>) return DType::Int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return DType::Int64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return DType::Uint8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return DType::Uint16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return DType::Uint32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return DType::Uint64;
  if constexpr (std::is_same_v<T, _Float16>) return DType::Float16;
  if constexpr (std::is_same_v<T, float>) return DType::Float32;
  if constexpr (std::is_same_v<T, double>) return DType::Float64;
}

template <class T>
std::vector<T> interesting() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{0, 1, 2, 3, 7, 10, 100, Limits::max(), Limits::min()};
  values.push_back(static_cast<T>(Limits::max() - 1));
  values.push_back(static_cast<T>(Limits::min() + 1));
  values.push_back(static_cast<T>(-1));
  values.push_back(static_cast<T>(-7));
  return values;
}

template <class T>
Numeric number(T value) {
  if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, _Float16>) {
    return Numeric::constant(typeOf<T>(), static_cast<double>(value));
  } else {
    return Numeric::constant(typeOf<T>(), static_cast<std::int64_t>(value));
  }
}

template <class T>
class Integers : public ::testing::Test {};
using AllIntegers = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                     std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Integers, AllIntegers);

TYPED_TEST(Integers, ArithmeticWrapsAndDivisionFloors) {
  using T = TypeParam;
  using Wide = __int128;
  auto expect = [](const Numeric& got, Wide want, T a, T b, const char* op) {
    ASSERT_TRUE(got.isConstant());
    EXPECT_EQ(got.type(), typeOf<T>());
    EXPECT_EQ(static_cast<T>(got.integer()), static_cast<T>(want)) << +a << op << +b;
    // Kept in the type's own range, so that comparisons and texts are right.
    EXPECT_EQ(got.integer(), static_cast<std::int64_t>(static_cast<T>(want)));
  };
  for (T a : interesting<T>()) {
    for (T b : interesting<T>()) {
      Wide x = a;
      Wide y = b;
      Numeric p = number(a);
      Numeric q = number(b);
      expect(p + q, x + y, a, b, "+");
      expect(p - q, x - y, a, b, "-");
      expect(p * q, x * y, a, b, "*");
      expect(p & q, x & y, a, b, "&");
      expect(p | q, x | y, a, b, "|");
      expect(p ^ q, x ^ y, a, b, "^");
      expect(min(p, q), std::min(x, y), a, b, "min");
      expect(max(p, q), std::max(x, y), a, b, "max");
      if (b != 0) {
        Wide quotient = x / y;
        if (x % y != 0 && (x < 0) != (y < 0)) --quotient;
        expect(p / q, quotient, a, b, "/");
        expect(p % q, x - quotient * y, a, b, "%");
      }
      auto holds = [](const Boolean& c) { return c.integer() != 0; };
      EXPECT_EQ(holds(p < q), a < b);
      EXPECT_EQ(holds(p <= q), a <= b);
      EXPECT_EQ(holds(p > q), a > b);
      EXPECT_EQ(holds(p >= q), a >= b);
      EXPECT_EQ(holds(p == q), a == b);
      EXPECT_EQ(holds(p != q), a != b);
    }
    expect(-number(a), -Wide(a), a, a, "-");
    expect(~number(a), ~Wide(a), a, a, "~");
    for (int k = 0; k < static_cast<int>(sizeof(T) * 8); ++k) {
      expect(number(a) << k, Wide(a) << k, a, a, "<<");
      expect(number(a) >> k, Wide(a) >> k, a, a, ">>");
    }
  }
}

TYPED_TEST(Integers, ConversionsToEveryType) {
  using T = TypeParam;
  auto check = [](auto to) {
    using U = decltype(to);
    for (T a : interesting<T>()) {
      Numeric got = number(a).to(typeOf<U>());
      if constexpr (std::is_integral_v<U>) {
        EXPECT_EQ(static_cast<U>(got.integer()), static_cast<U>(a));
      } else {
        EXPECT_EQ(static_cast<U>(got.floating()), static_cast<U>(a));
      }
    }
  };
  check(std::int8_t());
  check(std::uint16_t());
  check(std::int32_t());
  check(std::uint64_t());
  check(float());
  check(double());
  for (T a : interesting<T>()) {
    EXPECT_EQ(number(a).to(DType::Boolean).integer(), a != 0 ? 1 : 0);
  }
}

template <class T>
class Floats : public ::testing::Test {};
// There is no type_info of _Float16 itself, which a typed test wants.
template <class T>
struct Of {
  using Type = T;
};
using AllFloats = ::testing::Types<Of<_Float16>, Of<float>, Of<double>>;
TYPED_TEST_SUITE(Floats, AllFloats);

TYPED_TEST(Floats, ArithmeticRoundsOnce) {
  using T = typename TypeParam::Type;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> mantissa(-2.0, 2.0);
  std::uniform_int_distribution<int> exponent(-12, 12);
  auto draw = [&] { return static_cast<T>(std::ldexp(mantissa(random), exponent(random))); };
  for (int i = 0; i < 2000; ++i) {
    T a = draw();
    T b = draw();
    Numeric p = number(a);
    Numeric q = number(b);
    auto expect = [&](const Numeric& got, T want, const char* op) {
      EXPECT_EQ(got.type(), typeOf<T>());
      EXPECT_EQ(got.floating(), static_cast<double>(want))
          << static_cast<double>(a) << op << static_cast<double>(b);
    };
    expect(p + q, static_cast<T>(a + b), "+");
    expect(p - q, static_cast<T>(a - b), "-");
    expect(p * q, static_cast<T>(a * b), "*");
    expect(p / q, static_cast<T>(a / b), "/");
    expect(-p, static_cast<T>(-a), "-");
  }
}

TEST(FloatConstants, SpecialValues) {
  double inf = std::numeric_limits<double>::infinity();
  Numeric nan = Numeric::constant(DType::Float32, std::nan(""));
  Numeric zero = Numeric::constant(DType::Float32, 0.0);
  Numeric minus = Numeric::constant(DType::Float32, -0.0);
  EXPECT_TRUE(std::isnan(min(nan, zero).floating()));
  EXPECT_TRUE(std::isnan(max(zero, nan).floating()));
  EXPECT_TRUE(std::signbit(min(zero, minus).floating()));
  EXPECT_TRUE(std::signbit(min(minus, zero).floating()));
  EXPECT_FALSE(std::signbit(max(zero, minus).floating()));
  EXPECT_FALSE(std::signbit(max(minus, zero).floating()));
  EXPECT_EQ((Float32(1.0f) / zero).floating(), inf);
  EXPECT_EQ((Float32(7.5f) % Float32(-2.0f)).floating(), 1.5) << "C's fmod";
  EXPECT_EQ((nan == nan).integer(), 0);
  EXPECT_EQ((nan != nan).integer(), 1);
  EXPECT_EQ(nan.to(DType::Boolean).integer(), 1);
  EXPECT_EQ(true_div(Int32(7), Int32(2)).floating(), 3.5);
  EXPECT_EQ(true_div(Int32(7), Int32(2)).type(), DType::Float32);
}

TEST(FloatConstants, ToIntegersWithinTheirRange) {
  auto to = [](double value, DType from, DType type) {
    return Numeric::constant(from, value).to(type).integer();
  };
  EXPECT_EQ(to(-2.9, DType::Float32, DType::Int32), -2);
  EXPECT_EQ(to(3e9, DType::Float32, DType::Int32), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(to(-3e9, DType::Float64, DType::Int8), -128);
  EXPECT_EQ(to(-1, DType::Float32, DType::Uint32), 0);
  EXPECT_EQ(to(300, DType::Float16, DType::Uint8), 255);
  EXPECT_EQ(static_cast<std::uint64_t>(to(1.2e19, DType::Float64, DType::Uint64)),
            12000000000000000000U);
  EXPECT_EQ(to(std::nan(""), DType::Float32, DType::Int32), 0);
  EXPECT_EQ(to(std::nan(""), DType::Float32, DType::Int64),
            std::numeric_limits<std::int64_t>::min());
}

TEST(FloatConstants, IntegersAreRoundedOnce) {
  // 2^53 + 2^29 + 1 is a tie of Float32 only after it has lost its last bit.
  std::int64_t value = (std::int64_t{1} << 53) + (std::int64_t{1} << 29) + 1;
  EXPECT_EQ(Numeric::constant(DType::Float32, value).floating(), static_cast<float>(value));
  EXPECT_EQ(Numeric::constant(DType::Int64, value).to(DType::Float32).floating(),
            static_cast<float>(value));
  Numeric most = Numeric::constant(DType::Uint64, std::int64_t{-1});
  EXPECT_EQ(most.to(DType::Float32).floating(), 18446744073709551616.0);
}

// Every number of a format of 8 bits, by its definition (OCP 8-bit floating point formats).
double decode(int bits, int fraction, int bias) {
  int exponent = (bits & 0x7f) >> fraction;
  int mantissa = bits & ((1 << fraction) - 1);
  double magnitude = exponent == 0
                         ? std::ldexp(mantissa, 1 - bias - fraction)
                         : std::ldexp(mantissa + (1 << fraction), exponent - bias - fraction);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

void checkNearestEven(DType type, int fraction, int bias, int finite) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> mantissa(1.0, 2.0);
  std::uniform_int_distribution<int> exponent(-bias - fraction - 2, bias + 3);
  for (int i = 0; i < 20000; ++i) {
    double value = std::ldexp(mantissa(random), exponent(random));
    if (i % 4 == 0)
      value =
          (decode(i / 4 % finite, fraction, bias) + decode(i / 4 % finite + 1, fraction, bias)) /
          2;  // ties
    int best = 0;
    for (int bits = 0; bits <= finite + 1; ++bits) {
      double distance = std::abs(decode(bits, fraction, bias) - value);
      double least = std::abs(decode(best, fraction, bias) - value);
      if (distance < least || (distance == least && bits % 2 == 0)) best = bits;
    }
    double got = Numeric::constant(type, value).floating();
    double negative = Numeric::constant(type, -value).floating();
    // Beyond the largest number there is the largest number.
    EXPECT_EQ(got, decode(std::min(best, finite), fraction, bias)) << value;
    EXPECT_EQ(negative, -got);
  }
}

TEST(FloatConstants, RoundingToEightBits) {
  checkNearestEven(DType::Float8E4M3FN, 3, 7, 0x7e);
  checkNearestEven(DType::Float8E5M2, 2, 15, 0x7b);
}

TEST(FloatConstants, RoundingToBFloat16) {
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    auto bits = static_cast<std::uint32_t>(random());
    auto value = std::bit_cast<float>(bits);
    if (std::isnan(value)) continue;
    std::uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000U;
    EXPECT_EQ(Numeric::constant(DType::BFloat16, static_cast<double>(value)).floating(),
              std::bit_cast<float>(rounded));
  }
}

TEST(FloatConstants, RoundingToTFloat32) {
  EXPECT_EQ(TFloat32(1.0f + 0x1p-11f).floating(), 1.0 + 0x1p-10) << "a tie goes away from zero";
  EXPECT_EQ(TFloat32(-1.0f - 0x1p-12f).floating(), -1.0);
  EXPECT_EQ(Float64(TFloat32(Float32(0.1f))).floating(), 0x1.998p-4);
}

TEST(Constants, Texts) {
  EXPECT_EQ(Int32(-5).text(), "Int32(-5)");
  EXPECT_EQ(Numeric::constant(DType::Uint64, std::int64_t{-1}).text(),
            "Uint64(18446744073709551615)");
  EXPECT_EQ(Float32(0.5f).text(), "Float32(0.5)");
  EXPECT_EQ(Float16(0.1).text(), "Float16(0.0999755859375)");
  EXPECT_EQ(Boolean(7).text(), "Boolean(1)");
  EXPECT_EQ(Uint8(300).text(), "Uint8(44)");
}

TEST(Constants, LiteralsAndMixedTypes) {
  EXPECT_EQ(Arg(1).type(), DType::Int32);
  EXPECT_EQ(Arg(std::int64_t{1} << 40).type(), DType::Int64);
  EXPECT_EQ(Arg(0xffffffffLL).type(), DType::Int64);
  EXPECT_EQ(Arg(0.5).type(), DType::Float32);
  EXPECT_EQ(Arg(true).type(), DType::Boolean);
  EXPECT_EQ((Int8(1) + 1).type(), DType::Int32);
  EXPECT_EQ((Float16(1.0) * 2).type(), DType::Float32);
  EXPECT_EQ((Float16(1.0) * Int8(2)).type(), DType::Float16);
  EXPECT_EQ((Boolean(true) + Boolean(true)).integer(), 2);
  EXPECT_EQ((Boolean(true) & Boolean(false)).type(), DType::Boolean);
  EXPECT_EQ((Uint8(200) << 1).integer(), 144) << "a shift keeps the type of what is shifted";
  EXPECT_EQ(Arg(0.1).to(DType::Float64).floating(), 0.1) << "a literal is not rounded on its way";
  EXPECT_EQ(select(Boolean(true), Float16(1.0), 0).type(), DType::Float16);
  EXPECT_EQ(select(Boolean(false), Int8(1), Int32(2)).type(), DType::Int32);
  EXPECT_EQ((Int32(1) < 2 && Int32(2) < 1).integer(), 0);
  EXPECT_EQ((Int32(1) < 2 || Int32(2) < 1).integer(), 1);
  EXPECT_EQ((!(Int32(1) < 2)).integer(), 0);
}

template <class F>
std::string refusalOf(F f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Constants, Refusals) {
  EXPECT_THAT(refusalOf([] { (void)(Int32(1) / 0); }), HasSubstr("integer division by zero"));
  EXPECT_THAT(refusalOf([] { (void)(Int8(1) % Int8(0)); }), HasSubstr("integer division by zero"));
  EXPECT_THAT(refusalOf([] { (void)(Int8(1) << 8); }),
              HasSubstr("a shift of a value of 8 bits by 8; 0 to 7 is possible"));
  EXPECT_THAT(refusalOf([] { (void)(Int8(1) << 256); }), HasSubstr("by 256")) << "not 256 wrapped";
  EXPECT_THAT(refusalOf([] { (void)(Int32(1) >> -1); }), HasSubstr("by -1"));
  EXPECT_THAT(refusalOf([] { (void)(Float32(1.0f) & Int32(1)); }),
              HasSubstr("& is for integers, not Float32 and Int32"));
  EXPECT_THAT(refusalOf([] { (void)(Float8E5M2(1.0) + Float32(1.0f)); }),
              HasSubstr("there is no arithmetic on Float8E5M2"));
  EXPECT_THAT(refusalOf([] { (void)Float32(1.0f).toInt(); }),
              HasSubstr("Float32 cannot be an extent, a stride or a coordinate"));
  EXPECT_THAT(refusalOf([] { (void)Int32(1).bitcast(DType::Float16); }),
              HasSubstr("bitcast: Int32 has 32 bits and Float16 has 16"));
  EXPECT_THAT(refusalOf([] { (void)(Int32(1) / 0); }), HasSubstr("ConstantsTest.cpp:"));
}

}  // namespace
}  // namespace cutwork::cute

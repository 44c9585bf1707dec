// MathTest.cpp -- the math functions on the simulated device against libm's long double, in ulps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <iostream>
#include <limits>
#include <random>

#include "RunKernel.h"

namespace cutwork {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A number format: how its encodings are read, and where its precision ends.
template <class Bits>
struct Format {
  const char* name;
  int fraction;
  int least;  ///< exponent of the smallest normal
  int most;   ///< exponent of the largest
  double (*value)(Bits);
  Bits (*nearest)(double);
};

const Format<std::uint64_t> kF64{"f64",
                                 52,
                                 -1022,
                                 1023,
                                 [](std::uint64_t b) { return std::bit_cast<double>(b); },
                                 [](double x) { return std::bit_cast<std::uint64_t>(x); }};
const Format<std::uint32_t> kF32{
    "f32",
    23,
    -126,
    127,
    [](std::uint32_t b) { return static_cast<double>(std::bit_cast<float>(b)); },
    [](double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); }};
const Format<std::uint16_t> kF16{
    "f16",
    10,
    -14,
    15,
    [](std::uint16_t b) { return static_cast<double>(std::bit_cast<_Float16>(b)); },
    [](double x) { return std::bit_cast<std::uint16_t>(static_cast<_Float16>(x)); }};
const Format<std::uint16_t> kBf16{
    "bf16",
    7,
    -126,
    127,
    [](std::uint16_t b) {
      return static_cast<double>(std::bit_cast<float>(std::uint32_t{b} << 16));
    },
    [](double x) {
      return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(x)) >> 16);
    }};

template <class Bits>
long double ulps(const Format<Bits>& format, double got, long double wanted) {
  if (std::isnan(wanted) || std::isnan(got))
    return std::isnan(wanted) && std::isnan(got) ? 0.0L : 1e30L;
  if (wanted == 0 || std::isinf(wanted)) {
    const bool same =
        got == static_cast<double>(wanted) && std::signbit(got) == std::signbit(wanted);
    if (same) return 0;
    if (std::isinf(wanted)) return 1e30L;
  }
  // Infinity stands for the number after the largest.
  const long double from = std::isinf(got)
                               ? std::copysign(std::ldexp(1.0L, format.most + 1), (long double)got)
                               : static_cast<long double>(got);
  if (std::signbit(from) != std::signbit(wanted)) return 1e29L;
  const int exponent = wanted == 0 ? format.least : std::max(std::ilogb(wanted), format.least);
  const int place = std::min(exponent, format.most) - format.fraction;
  long double beyond = std::fabs(wanted);
  if (std::isinf(got)) beyond = std::min(beyond, std::ldexp(1.0L, format.most + 1));
  return std::fabs(std::fabs(from) - beyond) / std::ldexp(1.0L, place);
}

struct Function {
  const char* op;
  int operands;
  long double (*exact)(long double, long double);
  std::array<double, 2> range;  ///< where it is interesting
  double f32;                   ///< the bound in ulps
  double f64;
};

#define CW_ONE(f) [](long double x, long double) { return f; }
const std::array kFunctions{
    Function{"math.exp", 1, CW_ONE(std::exp(x)), {-110, 95}, 1, 1},
    Function{"math.exp2", 1, CW_ONE(std::exp2(x)), {-155, 132}, 1, 1},
    Function{"math.log", 1, CW_ONE(std::log(x)), {0, 4}, 1.25, 1.25},
    Function{"math.log2", 1, CW_ONE(std::log2(x)), {0, 4}, 1.25, 1.25},
    Function{"math.log10", 1, CW_ONE(std::log10(x)), {0, 4}, 1.25, 1.25},
    Function{"math.sqrt", 1, CW_ONE(std::sqrt(x)), {0, 4}, 0.5, 0.501},
    Function{"math.rsqrt",
             1,
             CW_ONE(x == 0 ? std::copysign((long double)kInfinity, x) : 1 / std::sqrt(x)),
             {0, 4},
             1,
             1.5},
    Function{"math.sin", 1, CW_ONE(std::sin(x)), {-400, 400}, 1, 1},
    Function{"math.cos", 1, CW_ONE(std::cos(x)), {-400, 400}, 1, 1},
    Function{"math.tan", 1, CW_ONE(std::tan(x)), {-1.4, 1.4}, 1.25, 1.25},
    Function{"math.atan", 1, CW_ONE(std::atan(x)), {-4, 4}, 1.5, 1.5},
    Function{"math.asin", 1, CW_ONE(std::asin(x)), {-1, 1}, 1.5, 1.5},
    Function{"math.acos", 1, CW_ONE(std::acos(x)), {-1, 1}, 1.5, 1.5},
    Function{"math.atan2",
             2,
             [](long double y, long double x) { return std::atan2(y, x); },
             {-20, 20},
             2,
             2},
    Function{"math.tanh", 1, CW_ONE(std::tanh(x)), {-3, 3}, 1.5, 1.5},
    Function{"math.erf", 1, CW_ONE(std::erf(x)), {-4, 4}, 1.5, 1.5},
    Function{"math.absf", 1, CW_ONE(std::fabs(x)), {-4, 4}, 0, 0},
    Function{"math.floor", 1, CW_ONE(std::floor(x)), {-400, 400}, 0, 0},
    Function{"math.ceil", 1, CW_ONE(std::ceil(x)), {-400, 400}, 0, 0},
    Function{"math.trunc", 1, CW_ONE(std::trunc(x)), {-400, 400}, 0, 0},
    Function{"math.round", 1, CW_ONE(std::round(x)), {-400, 400}, 0, 0},
    Function{"math.roundeven", 1, CW_ONE(std::nearbyint(x)), {-400, 400}, 0, 0},
    Function{"math.powf",
             2,
             [](long double x, long double y) { return std::pow(x, y); },
             {-20, 20},
             1,
             1},
    Function{"math.copysign",
             2,
             [](long double x, long double y) { return std::copysign(x, y); },
             {-4, 4},
             0,
             0},
    Function{"arith.remf",
             2,
             [](long double x, long double y) { return std::fmod(x, y); },
             {-400, 400},
             0,
             0},
    Function{
        "arith.divf", 2, [](long double x, long double y) { return x / y; }, {-4, 4}, 0.5, 0.501},
};

/// minimumf and maximumf: a NaN wins, and -0 is below +0.
long double extreme(long double x, long double y, bool most) {
  if (std::isnan(x) || std::isnan(y)) return std::nanl("");
  const bool less = x < y || (x == y && std::signbit(x));
  return less != most ? x : y;
}
const std::array kExtremes{
    Function{"arith.minimumf",
             2,
             [](long double x, long double y) { return extreme(x, y, false); },
             {-4, 4},
             0,
             0},
    Function{"arith.maximumf",
             2,
             [](long double x, long double y) { return extreme(x, y, true); },
             {-4, 4},
             0,
             0},
    Function{"arith.minnumf",
             2,
             [](long double x, long double y) {
               return std::isnan(x) ? y : std::isnan(y) ? x : extreme(x, y, false);
             },
             {-4, 4},
             0,
             0},
    Function{"arith.maxnumf",
             2,
             [](long double x, long double y) {
               return std::isnan(x) ? y : std::isnan(y) ? x : extreme(x, y, true);
             },
             {-4, 4},
             0,
             0},
};

void PrintTo(const Function& function, std::ostream* out) { *out << function.op; }

std::string bodyOf(const Function& function, const std::string& type,
                   const std::string& flags = "") {
  const char* operands = function.operands == 1 ? "%x0" : "%x0, %x1";
  return fmt::format("    %r = {} {} {} : {}", function.op, operands, flags, type);
}

/// Encodings to try: special ones, random bits, the interesting range, and near 1 and powers of 2.
template <class Bits>
std::vector<Bits> inputs(const Format<Bits>& format, const Function& function, std::size_t count,
                         unsigned seed) {
  std::vector<Bits> all;
  const double smallest = std::ldexp(1.0, format.least - format.fraction);
  const double largest = std::ldexp(2 - std::ldexp(1.0, -format.fraction), format.most);
  for (const double x :
       {0.0, smallest, 3 * smallest, std::ldexp(1.0, format.least), largest, kInfinity, 0.5, 1.0,
        1.5, 2.0, 2.5, 3.0, 10.0, 100.0, 1000.0, std::nan("")}) {
    all.push_back(format.nearest(x));
    all.push_back(format.nearest(-x));
  }
  auto random = test::generator(seed);
  // Special values in all pairs: the seed decides which is the slower.
  const std::vector<Bits> special = all;
  std::uniform_real_distribution<double> within(function.range[0], function.range[1]);
  std::uniform_int_distribution<int> power(-40, 40);
  for (std::size_t i = 0; all.size() < count; ++i) {
    switch (i & 3) {
      case 0: all.push_back(static_cast<Bits>(random())); break;
      case 1: all.push_back(format.nearest(within(random))); break;
      case 2: all.push_back(format.nearest(1 + std::ldexp(within(random), power(random)))); break;
      default:
        all.push_back((random() & 7) == 0
                          ? special[random() % special.size()]
                          : format.nearest(std::ldexp(within(random), power(random))));
    }
  }
  return all;
}

template <class Bits>
struct Worst {
  long double ulps = 0;
  double x = 0;
  double y = 0;
  double got = 0;
};

template <class Bits>
Worst<Bits> worstOf(const Format<Bits>& format, const Function& function,
                    const std::vector<Bits>& x, const std::vector<Bits>& y,
                    const std::string& flags = "") {
  const std::string type = format.name;
  const std::vector<std::string> types(static_cast<std::size_t>(function.operands), type);
  const std::string ptx =
      test::elementwisePtx(bodyOf(function, type, flags), types, type, "sm_80").value();
  EXPECT_EQ(ptx.find("__nv"), std::string::npos);
  std::vector<test::Operand> operands{{"x", std::as_bytes(std::span(x))}};
  if (function.operands == 2) operands.push_back({"y", std::as_bytes(std::span(y))});
  const std::vector<std::byte> bytes =
      test::runElementwise(ptx, operands, sizeof(Bits), x.size(), "sm_80").value();
  std::vector<Bits> results(x.size());
  std::memcpy(results.data(), bytes.data(), bytes.size());
  Worst<Bits> worst;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = format.value(x[i]);
    const double b = format.value(y[i]);
    const double got = format.value(results[i]);
    const long double error = ulps(format, got, function.exact(a, b));
    if (error > worst.ulps) worst = {error, a, b, got};
  }
  return worst;
}

template <class Bits>
void check(const Format<Bits>& format, const Function& function, std::size_t count, double bound) {
  std::vector<Bits> x;
  std::vector<Bits> y;
  if (sizeof(Bits) == 2 && function.operands == 1) {
    for (unsigned i = 0; i < 65536; ++i) x.push_back(static_cast<Bits>(i));
    y = x;
  } else {
    x = inputs(format, function, count, 1);
    y = inputs(format, function, count, 2);
    std::shuffle(y.begin(), y.end(), test::generator(3));
  }
  const Worst<Bits> worst = worstOf(format, function, x, y);
  std::cout << fmt::format("  {:16} {:5} {:.3f} ulp at {:.9g} {:.9g}\n", function.op, format.name,
                           static_cast<double>(worst.ulps), worst.x, worst.y);
  EXPECT_LE(worst.ulps, bound) << format.name << ": got " << worst.got << " of " << worst.x << ", "
                               << worst.y << "; exact is "
                               << static_cast<double>(function.exact(worst.x, worst.y));
}

class MathFunction : public testing::TestWithParam<Function> {};

TEST_P(MathFunction, IsWithinItsBound) {
  const Function& function = GetParam();
  check(kF32, function, 1 << 19, function.f32);
  check(kF64, function, 1 << 17, function.f64);
  // Through f32 and rounded once: a little over half a unit.
  const double half = function.f32 == 0 ? 0 : 0.502;
  check(kF16, function, 1 << 16, half);
  check(kBf16, function, 1 << 16, function.f32 == 0 ? 0 : 0.51);
}

std::string nameOfCase(const testing::TestParamInfo<Function>& info) {
  const std::string name = info.param.op;
  return name.substr(name.find('.') + 1);
}
INSTANTIATE_TEST_SUITE_P(Extremes, MathFunction, testing::ValuesIn(kExtremes), nameOfCase);
INSTANTIATE_TEST_SUITE_P(Math, MathFunction, testing::ValuesIn(kFunctions), nameOfCase);

// Large exponents, where an error of the logarithm counts most: x^y near the ends of the range.
template <class Bits>
void checkPowers(const Format<Bits>& format, std::size_t count) {
  const Function* power = nullptr;
  for (const Function& function : kFunctions)
    if (std::string_view(function.op) == "math.powf") power = &function;
  auto random = test::generator(11);
  std::uniform_real_distribution<double> part(0.9, 1.08);
  std::uniform_real_distribution<double> log(-2, 2);
  std::vector<Bits> x;
  std::vector<Bits> y;
  for (std::size_t i = 0; i < count; ++i) {
    const double base = std::exp2(std::ldexp(log(random), static_cast<int>(random() % 24) - 18));
    x.push_back(format.nearest(base));
    const double log2 = std::log2(format.value(x.back()));
    const double end = (random() & 1) != 0 ? format.most + 1 : format.least - format.fraction;
    y.push_back(format.nearest(log2 == 0 ? 1 : part(random) * end / log2));
  }
  const Worst<Bits> worst = worstOf(format, *power, x, y);
  std::cout << fmt::format("  math.powf far {} {:.3f} ulp at {:.9g} {:.9g}\n", format.name,
                           static_cast<double>(worst.ulps), worst.x, worst.y);
  EXPECT_LE(worst.ulps, 1.25) << worst.x << " to the " << worst.y << " gave " << worst.got;
}
TEST(MathPower, IsAccurateFarOut) {
  checkPowers(kF32, 1 << 18);
  checkPowers(kF64, 1 << 16);
}

// The approximations are the hardware's: near the function where it is of the size of its operand.
TEST(MathFast, IsNearTheFunction) {
  for (const Function& function : kFunctions) {
    if (function.f32 == 0 || std::string_view(function.op) == "arith.remf") continue;
    auto random = test::generator(5);
    std::uniform_real_distribution<double> within(0.25, 3);
    std::vector<std::uint32_t> x(1 << 14);
    std::vector<std::uint32_t> y(x.size());
    for (std::uint32_t& one : x) one = kF32.nearest(within(random));
    for (std::uint32_t& one : y) one = kF32.nearest(within(random));
    // ulps of numbers that may be near zero: counted as if the result were at least 1/4.
    const Format<std::uint32_t> coarse{"f32", 23, -2, 127, kF32.value, kF32.nearest};
    const Worst<std::uint32_t> worst = worstOf(coarse, function, x, y, "fastmath<afn>");
    EXPECT_LE(worst.ulps, 32) << function.op << " of " << worst.x << ", " << worst.y;
  }
}

TEST(MathIntegers, QuotientsAreRoundedDownAndUp) {
  std::vector<std::int32_t> a;
  std::vector<std::int32_t> b;
  for (std::int32_t i = -16; i < 16; ++i) {
    for (std::int32_t j = -8; j < 8; ++j) {
      a.push_back(i);
      b.push_back(j == 0 ? 9 : j);
    }
  }
  const auto run = [&](const char* op) {
    const std::array<std::string, 2> types{"i32", "i32"};
    const std::string body = fmt::format("    %r = {} %x0, %x1 : i32", op);
    const std::string ptx = test::elementwisePtx(body, types, "i32", "sm_80").value();
    const std::array operands{test::Operand{"a", std::as_bytes(std::span(a))},
                              test::Operand{"b", std::as_bytes(std::span(b))}};
    const auto bytes = test::runElementwise(ptx, operands, 4, a.size(), "sm_80").value();
    std::vector<std::int32_t> results(a.size());
    std::memcpy(results.data(), bytes.data(), bytes.size());
    return results;
  };
  const std::vector<std::int32_t> down = run("arith.floordivsi");
  const std::vector<std::int32_t> up = run("arith.ceildivsi");
  const std::vector<std::int32_t> upUnsigned = run("arith.ceildivui");
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(down[i], std::floor(static_cast<double>(a[i]) / b[i]));
    EXPECT_EQ(up[i], std::ceil(static_cast<double>(a[i]) / b[i]));
    const double wanted = std::ceil(static_cast<double>(static_cast<std::uint32_t>(a[i])) /
                                    static_cast<std::uint32_t>(b[i]));
    EXPECT_EQ(static_cast<std::uint32_t>(upUnsigned[i]), wanted);
  }
}

}  // namespace
}  // namespace cutwork

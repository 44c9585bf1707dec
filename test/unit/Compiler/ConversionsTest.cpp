// ConversionsTest.cpp -- conversions of every type to every other: constants as at run time.
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "Harness.h"

namespace cutwork::test {
namespace {

using namespace cute;

constexpr DType kTypes[] = {
    DType::Boolean, DType::Int8,     DType::Int16,        DType::Int32,
    DType::Int64,   DType::Uint8,    DType::Uint16,       DType::Uint32,
    DType::Uint64,  DType::Float16,  DType::BFloat16,     DType::Float32,
    DType::Float64, DType::TFloat32, DType::Float8E4M3FN, DType::Float8E5M2};

// Every f8 of both types, the ends of every range, what is beside them, and random bits.
std::vector<double> numbers() {
  std::vector<double> all{0,
                          std::numeric_limits<double>::quiet_NaN(),
                          std::numeric_limits<double>::infinity(),
                          1e300,
                          1e-300,
                          5e-324};
  for (int code = 0; code < 256; ++code) {
    for (DType type : {DType::Float8E4M3FN, DType::Float8E5M2}) {
      int bits = type == DType::Float8E5M2 ? 2 : 3;
      int exponent = code % 128 >> bits;
      double mantissa = code % (1 << bits) / static_cast<double>(1 << bits);
      int bias = type == DType::Float8E5M2 ? 15 : 7;
      all.push_back(
          std::ldexp(exponent == 0 ? mantissa : 1 + mantissa, std::max(exponent, 1) - bias));
    }
  }
  for (int power : {7, 8, 9, 11, 15, 16, 17, 31, 32, 63, 64, 127}) {
    for (double by : {-1.0, -0.5, 0.0, 0.5, 1.0}) all.push_back(std::ldexp(1.0, power) + by);
  }
  for (double x : {448.0, 464.0, 465.0, 479.9, 480.0, 57344.0, 61439.0, 61440.0, 65504.0, 65519.9,
                   65520.0, 0.5, 1.5, 2.5, 1.0 / 3})
    all.push_back(x);
  std::mt19937_64 random(1);  // NOLINT: the same ones each time
  for (int i = 0; i < 200; ++i) {
    all.push_back(std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 90) - 70));
  }
  std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) all.push_back(-all[i]);
  while (all.size() % 32 != 0) all.push_back(1);
  return all;
}

// The value's bits as an Int64; one NaN is as good as another.
std::int64_t bitsOf(const Numeric& constant) {
  if (!isFloat(constant.type())) return constant.integer();
  return std::isnan(constant.floating()) ? -1 : std::bit_cast<std::int64_t>(constant.floating());
}
Numeric bitsOf(const Numeric& x, Where where) {
  if (!isFloat(x.type())) return x.to(DType::Int64, where);
  Float64 wide(x);
  return select(wide != wide, Int64(-1), wide.bitcast(DType::Int64));
}

TEST(Conversions, ConstantsAsAtRunTime) {
  const std::vector<double> all = numbers();
  auto count = static_cast<std::int64_t>(all.size());
  constexpr auto kCount = static_cast<std::int64_t>(std::size(kTypes));
  Array x = arrayOf(all);
  for (DType from : kTypes) {
    Array y = arrayOf(std::vector<std::int64_t>(static_cast<std::size_t>(count * kCount)));
    auto host = jit("convert", [&](Tensor in, Tensor out) {
      auto body = [&](Tensor u, Tensor v) {
        Int32 i = arch::block_idx().x * 32 + arch::thread_idx().x;
        Numeric given = Float64(u(i)).to(from);
        for (std::int64_t k = 0; k < kCount; ++k)
          v(i + k * count) = bitsOf(given.to(kTypes[k]), Where::current());
      };
      launch(body, {.grid = {count / 32}, .block = {32}}, in, out);
    });
    compile(host, x, y)(x, y);
    auto got = valuesOf<std::int64_t>(y);
    int wrong = 0;
    for (std::int64_t k = 0; k < kCount; ++k) {
      for (std::int64_t i = 0; i < count && wrong < 10; ++i) {
        double value = all[static_cast<std::size_t>(i)];
        Numeric given = Numeric::constant(DType::Float64, value).to(from);
        Numeric want = given.to(kTypes[k]);
        std::int64_t found = got[static_cast<std::size_t>(i + k * count)];
        EXPECT_EQ(found, bitsOf(want))
            << value << ": " << given.text() << " to " << name(kTypes[k]) << ": " << want.text();
        wrong += found != bitsOf(want) ? 1 : 0;
      }
    }
  }
}

// A literal is a Float32.
TEST(Conversions, LiteralsAsAtRunTime) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(Int8(kNan).integer(), 0);
  EXPECT_EQ(Int32(kNan).integer(), 0);
  EXPECT_EQ(Int64(kNan).integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Int32(Float64(kNan)).integer(), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(Float8E4M3FN(500.0f).floating(), 448);
  EXPECT_EQ(Float8E5M2(-1e9f).floating(), -57344);
  EXPECT_EQ(Float8E4M3FN(Int64(1) << 40).floating(), 448);
}

}  // namespace
}  // namespace cutwork::test

// Half.cpp -- f16 and bf16 arithmetic.
//
// A product of two such numbers is exact in a double; a sum is rounded to odd there, so that the
// one rounding to 16 bits is right also for bf16, whose exponents span more than a double's
// significand.
#include "Half.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cutwork::sim {
namespace {

constexpr std::uint16_t kNan = 0x7fff;
constexpr std::uint16_t kSign = 0x8000;

std::uint16_t infinityOf(HalfSpec spec) { return spec.bf16 ? 0x7f80 : 0x7c00; }
std::uint16_t oneOf(HalfSpec spec) { return spec.bf16 ? 0x3f80 : 0x3c00; }
bool isNan(std::uint16_t bits, HalfSpec spec) { return (bits & 0x7fff) > infinityOf(spec); }

/// With .ftz a subnormal is a zero.
std::uint16_t input(std::uint16_t bits, HalfSpec spec) {
  const int smallest = spec.bf16 ? 0x0080 : 0x0400;
  return spec.ftz && (bits & 0x7fff) < smallest ? bits & kSign : bits;
}
double value(std::uint16_t bits, HalfSpec spec) {
  const std::uint16_t x = input(bits, spec);
  return spec.bf16 ? bf16ToF32(x) : halfToF32(x);
}
std::uint16_t finish(double exact, HalfSpec spec) {
  const auto bits =
      static_cast<std::uint16_t>(narrow(exact, spec.bf16 ? kBF16 : kF16, Round::Rn, spec.ftz));
  const bool nan = isNan(bits, spec);
  if (spec.sat) return nan || (bits & kSign) != 0 ? 0 : std::min(bits, oneOf(spec));
  if (spec.relu && !nan && (bits & kSign) != 0) return 0;
  return bits;
}

/// The out-of-bounds NaN of fma.oob.
bool isOob(std::uint16_t bits) { return (bits & 0x7fff) == 0x7ff7; }

std::uint16_t minMax(std::uint16_t a, std::uint16_t b, HalfSpec spec, bool max) {
  a = input(a, spec);
  b = input(b, spec);
  const std::uint16_t sign = (a ^ b) & kSign;
  if (spec.xorsign) a &= 0x7fff, b &= 0x7fff;
  const auto order = [](std::uint16_t x) {
    return static_cast<std::uint16_t>((x & kSign) != 0 ? ~x : x | kSign);
  };
  const bool first = max ? order(a) >= order(b) : order(a) <= order(b);
  std::uint16_t result = first ? a : b;
  if (isNan(a, spec)) result = spec.nan ? a : b;
  if (isNan(b, spec)) result = spec.nan || isNan(a, spec) ? b : a;
  if (spec.nan && isNan(a, spec)) result = a;
  if (isNan(result, spec)) return kNan;
  return spec.xorsign ? result | sign : result;
}

}  // namespace

float halfToF32(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16;
  const std::uint32_t magnitude = bits & 0x7fffU;
  if (magnitude >= 0x7c00) {
    return std::bit_cast<float>(magnitude == 0x7c00 ? sign | 0x7f800000U : 0x7fffffffU);
  }
  if (magnitude >= 0x400) return std::bit_cast<float>(sign | ((magnitude << 13) + (112U << 23)));
  const float small = static_cast<float>(magnitude) * 0x1p-24F;
  return sign != 0 ? -small : small;
}

float bf16ToF32(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

std::uint16_t f32ToHalf(float x) { return static_cast<std::uint16_t>(narrow(x, kF16, Round::Rn)); }
std::uint16_t f32ToBf16(float x) { return static_cast<std::uint16_t>(narrow(x, kBF16, Round::Rn)); }

std::uint16_t addHalf(std::uint16_t a, std::uint16_t b, Param p) {
  const HalfSpec spec = HalfSpec::of(p);
  return finish(oddSum(value(a, spec), value(b, spec)), spec);
}
std::uint16_t subHalf(std::uint16_t a, std::uint16_t b, Param p) {
  const HalfSpec spec = HalfSpec::of(p);
  return finish(oddSum(value(a, spec), -value(b, spec)), spec);
}
std::uint16_t mulHalf(std::uint16_t a, std::uint16_t b, Param p) {
  const HalfSpec spec = HalfSpec::of(p);
  return finish(value(a, spec) * value(b, spec), spec);
}
std::uint16_t fmaHalf(std::uint16_t a, std::uint16_t b, std::uint16_t c, Param p) {
  const HalfSpec spec = HalfSpec::of(p);
  if (spec.oob && (isOob(a) || isOob(b))) return 0;
  return finish(oddSum(value(a, spec) * value(b, spec), value(c, spec)), spec);
}
std::uint16_t minHalf(std::uint16_t a, std::uint16_t b, Param p) {
  return minMax(a, b, HalfSpec::of(p), false);
}
std::uint16_t maxHalf(std::uint16_t a, std::uint16_t b, Param p) {
  return minMax(a, b, HalfSpec::of(p), true);
}
std::uint16_t negHalf(std::uint16_t a, Param p) {
  const HalfSpec spec = HalfSpec::of(p);
  return isNan(a, spec) ? kNan : static_cast<std::uint16_t>(input(a, spec) ^ kSign);
}
std::uint16_t absHalf(std::uint16_t a, Param p) {
  const HalfSpec spec = HalfSpec::of(p);
  return isNan(a, spec) ? kNan : static_cast<std::uint16_t>(input(a, spec) & 0x7fff);
}
std::uint16_t tanhHalf(std::uint16_t a, Param p) {
  const HalfSpec spec = HalfSpec::of(p);
  return finish(std::tanh(value(a, spec)), spec);
}
std::uint16_t ex2Half(std::uint16_t a, Param p) {
  const HalfSpec spec = HalfSpec::of(p);
  return finish(std::exp2(value(a, spec)), spec);
}

}  // namespace cutwork::sim

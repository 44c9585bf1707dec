// HostMath.cpp -- what compiled host code may call for numbers: libm, conversions of small floats.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "Codegen/HostCode.h"

namespace cutwork::codegen {

namespace {

// LLVM calls these where the processor has no instruction. A small float is in the low bits of the
// register of a float (System V ABI, section 3.2.3), so that float stands for it here.

constexpr std::uint32_t kMagnitude = 0x7fffffff;
constexpr std::uint32_t kInfinity = 0x7f800000;

float inLowBits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// To f32, odd where it is inexact: a second rounding to fewer bits is then that of the double.
float roundedToOdd(double x) {
  const auto near = static_cast<float>(x);
  auto bits = std::bit_cast<std::uint32_t>(near);
  if (static_cast<double>(near) == x || (bits & kMagnitude) > kInfinity) return near;
  if (std::fabs(static_cast<double>(near)) > std::fabs(x)) bits -= 1;  // towards zero
  return std::bit_cast<float>(bits | 1);
}

float toBf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & kMagnitude) > kInfinity) return inLowBits(bits >> 16 | 0x40);
  return inLowBits((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
float doubleToBf16(double x) { return toBf16(roundedToOdd(x)); }

float toHalf(float x) {
  const auto all = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = all >> 16 & 0x8000;
  const std::uint32_t bits = all & kMagnitude;
  if (bits > kInfinity) return inLowBits(sign | 0x7e00);
  if (bits >= std::bit_cast<std::uint32_t>(65520.0F)) return inLowBits(sign | 0x7c00);
  if (bits < std::bit_cast<std::uint32_t>(0x1p-14F)) {
    // The last place of 0.5 in f32 is that of f16's subnormals.
    const float shifted = std::bit_cast<float>(bits) + 0.5F;
    return inLowBits(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000));
  }
  return inLowBits(sign | (((bits + 0xfff + (bits >> 13 & 1)) >> 13) - (112U << 10)));
}
float doubleToHalf(double x) { return toHalf(roundedToOdd(x)); }

float ofHalf(float low) {
  const std::uint32_t all = std::bit_cast<std::uint32_t>(low) & 0xffff;
  const std::uint32_t sign = (all & 0x8000) << 16;
  const std::uint32_t bits = all & 0x7fff;
  if (bits >= 0x7c00) return std::bit_cast<float>(sign | kInfinity | (bits & 0x3ff) << 13);
  if (bits < 0x400) {
    const float value = static_cast<float>(bits) * 0x1p-24F;
    return sign != 0 ? -value : value;
  }
  return std::bit_cast<float>(sign | ((bits + (112U << 10)) << 13));
}

// POSIX lets a function's address be a void*.
template <class F>
HostSymbol symbol(std::string_view name, F* function) {
  return {name, reinterpret_cast<void*>(function)};
}

}  // namespace

std::span<const HostSymbol> mathSymbols() {
  // The names of double are overloaded in C++.
  using One = double(double);
  using Two = double(double, double);
  using Three = double(double, double, double);
#define CUTWORK_LIBM(name, type) symbol<type>(#name, &::name), symbol(#name "f", &::name##f)
  static const std::array kSymbols{
      CUTWORK_LIBM(exp, One),           CUTWORK_LIBM(exp2, One),
      CUTWORK_LIBM(log, One),           CUTWORK_LIBM(log2, One),
      CUTWORK_LIBM(log10, One),         CUTWORK_LIBM(sin, One),
      CUTWORK_LIBM(cos, One),           CUTWORK_LIBM(tan, One),
      CUTWORK_LIBM(atan, One),          CUTWORK_LIBM(asin, One),
      CUTWORK_LIBM(acos, One),          CUTWORK_LIBM(atan2, Two),
      CUTWORK_LIBM(tanh, One),          CUTWORK_LIBM(erf, One),
      CUTWORK_LIBM(pow, Two),           CUTWORK_LIBM(fmod, Two),
      CUTWORK_LIBM(fma, Three),         CUTWORK_LIBM(floor, One),
      CUTWORK_LIBM(ceil, One),          CUTWORK_LIBM(trunc, One),
      CUTWORK_LIBM(roundeven, One),     CUTWORK_LIBM(sqrt, One),
      symbol("__truncsfbf2", &toBf16),  symbol("__truncdfbf2", &doubleToBf16),
      symbol("__truncsfhf2", &toHalf),  symbol("__truncdfhf2", &doubleToHalf),
      symbol("__extendhfsf2", &ofHalf),
  };
#undef CUTWORK_LIBM
  return kSymbols;
}

}  // namespace cutwork::codegen

// Float.h -- f32 and f64 arithmetic (ISA section 9.7.3): what rounds to nearest here, the rest in
// .cpp.
//
// NaN results of f32 are 0x7fffffff; f64 keeps a quieted payload, which is what x86 does too.
// `.ftz` flushes what is tiny after rounding with unlimited exponent: 2^-126 itself may come from
// below.
#pragma once

#include <bit>
#include <cmath>

#include "Isa.h"
#include "Rounding.h"

namespace cutwork::sim {

/// f32 operations under any rounding; `spec` is made by floatSpec.
float slowAddF32(float a, float b, Param spec);
float slowSubF32(float a, float b, Param spec);
float slowMulF32(float a, float b, Param spec);
float slowFmaF32(float a, float b, float c, Param spec);
float slowDivF32(float a, float b, Param spec);
float slowRcpF32(float a, Param spec);
float slowSqrtF32(float a, Param spec);
double slowAddF64(double a, double b, Param spec);
double slowSubF64(double a, double b, Param spec);
double slowMulF64(double a, double b, Param spec);
double slowFmaF64(double a, double b, double c, Param spec);
double slowDivF64(double a, double b, Param spec);
double slowRcpF64(double a, Param spec);
double slowSqrtF64(double a, Param spec);

/// Rounding, .ftz, .sat of a slow operation.
constexpr std::int64_t floatSpec(Round mode, bool ftz, bool sat) {
  return static_cast<std::int64_t>(mode) | (ftz ? 8 : 0) | (sat ? 16 : 0);
}

}  // namespace cutwork::sim

CW_SIM_BEGIN

inline constexpr float kTinyF32 = 0x1p-126F;

inline float flushF32(float x) { return std::fabs(x) < kTinyF32 ? std::copysign(0.0F, x) : x; }
template <bool Ftz>
inline float inputF32(float x) {
  return Ftz ? flushF32(x) : x;
}
inline float canonicalF32(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits & 0x7fffffffU) > 0x7f800000U ? 0x7fffffffU : bits);
}

template <bool Ftz>
inline float addF32(float a, float b) {
  // A sum of f32 below 2^-126 is exact.
  const float r = inputF32<Ftz>(a) + inputF32<Ftz>(b);
  return canonicalF32(Ftz ? flushF32(r) : r);
}
template <bool Ftz>
inline float subF32(float a, float b) {
  const float r = inputF32<Ftz>(a) - inputF32<Ftz>(b);
  return canonicalF32(Ftz ? flushF32(r) : r);
}
/// Half a unit (of 24 bits) below 2^-126: what is smaller rounds to below 2^-126.
inline constexpr double kFlushBelow = 0x1p-126 - 0x1p-151;

template <bool Ftz>
inline float mulF32(float a, float b) {
  if constexpr (!Ftz) return canonicalF32(a * b);
  const double exact = double{inputF32<Ftz>(a)} * double{inputF32<Ftz>(b)};
  const auto r = float(exact);
  return canonicalF32(std::fabs(exact) < kFlushBelow ? std::copysign(0.0F, r) : r);
}
template <bool Ftz>
inline float fmaF32(float a, float b, float c) {
  if constexpr (!Ftz) return canonicalF32(std::fma(a, b, c));
  const float x = inputF32<Ftz>(a);
  const float y = inputF32<Ftz>(b);
  const float z = inputF32<Ftz>(c);
  const float r = std::fma(x, y, z);
  const double exact = oddSum(double{x} * double{y}, double{z});
  return canonicalF32(std::fabs(exact) < kFlushBelow ? std::copysign(0.0F, r) : r);
}
inline float divF32(float a, float b) { return canonicalF32(a / b); }
inline float rcpF32(float a) { return canonicalF32(1.0F / a); }
inline float sqrtF32(float a) { return canonicalF32(std::sqrt(a)); }

inline double addF64Rn(double a, double b) { return a + b; }
inline double subF64Rn(double a, double b) { return a - b; }
inline double mulF64Rn(double a, double b) { return a * b; }
inline double fmaF64Rn(double a, double b, double c) { return std::fma(a, b, c); }
inline double divF64Rn(double a, double b) { return a / b; }
inline double rcpF64Rn(double a) { return 1.0 / a; }
inline double sqrtF64Rn(double a) { return std::sqrt(a); }

/// The bits of a floating-point type as an unsigned integer of its size.
template <class T>
struct BitsOf;
template <>
struct BitsOf<float> {
  using Type = std::uint32_t;
};
template <>
struct BitsOf<double> {
  using Type = std::uint64_t;
};
template <class T>
using FloatBits = BitsOf<T>::Type;
template <class T>
inline constexpr FloatBits<T> kSignBit = FloatBits<T>{1} << (8 * sizeof(T) - 1);
template <class T>
inline constexpr FloatBits<T> kInfinityBits =
    sizeof(T) == 4 ? FloatBits<T>(0x7f800000U) : FloatBits<T>(0x7ff0000000000000U);
template <class T>
inline auto bitsOf(T x) {
  return std::bit_cast<FloatBits<T>>(x);
}
template <class T>
inline bool isNan(T x) {
  return (bitsOf(x) & ~kSignBit<T>) > kInfinityBits<T>;
}

inline double quietF64(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return isNan(x) ? std::bit_cast<double>(bits | 0x0008000000000000U) : x;
}
template <class T>
inline T canonical(T x) {
  if constexpr (sizeof(T) == 4) return canonicalF32(x);
  return quietF64(x);
}

template <bool Ftz>
inline float absF32(float x) {
  const float y = inputF32<Ftz>(x);
  return canonicalF32(std::bit_cast<float>(std::bit_cast<std::uint32_t>(y) & 0x7fffffffU));
}
template <bool Ftz>
inline float negF32(float x) {
  const float y = inputF32<Ftz>(x);
  return canonicalF32(std::bit_cast<float>(std::bit_cast<std::uint32_t>(y) ^ 0x80000000U));
}
inline double absF64(double x) { return std::bit_cast<double>(bitsOf(x) & ~kSignBit<double>); }
inline double negF64(double x) { return std::bit_cast<double>(bitsOf(x) ^ kSignBit<double>); }
/// copysign d, a, b: the sign of a with the value of b.
template <class T>
inline T copySign(T a, T b) {
  return std::bit_cast<T>((bitsOf(a) & kSignBit<T>) | (bitsOf(b) & ~kSignBit<T>));
}

/// A number whose order as an integer is the order of floats, -0 below +0.
template <class T>
inline auto orderOf(T x) {
  const auto bits = bitsOf(x);
  return (bits & kSignBit<T>) != 0 ? ~bits : bits | kSignBit<T>;
}
template <class T, bool Max, bool Nan>
inline T minMax(T a, T b) {
  const bool first = Max ? orderOf(a) >= orderOf(b) : orderOf(a) <= orderOf(b);
  T r = first ? a : b;
  const bool nanA = isNan(a);
  const bool nanB = isNan(b);
  r = nanA ? (Nan ? a : b) : (nanB ? (Nan ? b : a) : r);
  return canonical(r);
}
template <bool Max, bool Nan, bool Ftz>
inline float minMaxF32(float a, float b) {
  return minMax<float, Max, Nan>(inputF32<Ftz>(a), inputF32<Ftz>(b));
}
/// .xorsign.abs: of the magnitudes, with the exclusive or of the signs, except on NaN.
template <bool Max, bool Nan, bool Ftz>
inline float minMaxXorF32(float a, float b) {
  const float x = inputF32<Ftz>(a);
  const float y = inputF32<Ftz>(b);
  const std::uint32_t sign = (bitsOf(x) ^ bitsOf(y)) & kSignBit<float>;
  const float r = minMax<float, Max, Nan>(std::bit_cast<float>(bitsOf(x) & ~kSignBit<float>),
                                          std::bit_cast<float>(bitsOf(y) & ~kSignBit<float>));
  return isNan(r) ? r : std::bit_cast<float>(bitsOf(r) | sign);
}
template <bool Max>
inline double minMaxF64(double a, double b) {
  return minMax<double, Max, false>(a, b);
}

CW_SIM_END

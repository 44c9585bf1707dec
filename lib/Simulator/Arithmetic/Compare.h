// Compare.h -- the comparisons of setp and set (ISA section 9.7.6).
#pragma once

#include <bit>
#include <cmath>

#include "Float.h"
#include "Half.h"

namespace cutwork::sim {

/// Ordered comparisons, then those that a NaN satisfies, then num and nan.
enum class Cmp : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };

}  // namespace cutwork::sim

CW_SIM_BEGIN

/// testp: 0 finite, 1 infinite, 2 number, 3 notanumber, 4 normal (zeros too), 5 subnormal.
template <class T, unsigned What>
inline bool testp(T x) {
  const auto magnitude = bitsOf(x) & ~kSignBit<T>;
  const auto tiny = FloatBits<T>{1} << (sizeof(T) == 4 ? 23 : 52);
  switch (What) {
    case 0: return magnitude < kInfinityBits<T>;
    case 1: return magnitude == kInfinityBits<T>;
    case 2: return magnitude <= kInfinityBits<T>;
    case 3: return magnitude > kInfinityBits<T>;
    case 4: return (magnitude >= tiny || magnitude == 0) && magnitude < kInfinityBits<T>;
    default: return magnitude != 0 && magnitude < tiny;
  }
}

template <class T, Cmp C>
inline bool compare(T a, T b) {
  switch (C) {
    case Cmp::Eq: return a == b;
    case Cmp::Ne: return std::is_floating_point_v<T> ? a < b || a > b : a != b;
    case Cmp::Lt: return a < b;
    case Cmp::Le: return a <= b;
    case Cmp::Gt: return a > b;
    case Cmp::Ge: return a >= b;
    case Cmp::Equ: return !(a < b || a > b);
    case Cmp::Neu: return !(a == b);
    case Cmp::Ltu: return !(a >= b);
    case Cmp::Leu: return !(a > b);
    case Cmp::Gtu: return !(a <= b);
    case Cmp::Geu: return !(a < b);
    // False for a NaN.
    case Cmp::Num: return a == a && b == b;     // NOLINT(misc-redundant-expression)
    case Cmp::Nan: return !(a == a && b == b);  // NOLINT(misc-redundant-expression)
  }
  return false;
}
template <Cmp C>
inline bool compareFtz(float a, float b) {
  return compare<float, C>(flushF32(a), flushF32(b));
}

/// The same with the comparison as a number.
template <class T>
inline bool compareBy(T a, T b, Cmp c) {
  switch (c) {
    case Cmp::Eq: return compare<T, Cmp::Eq>(a, b);
    case Cmp::Ne: return compare<T, Cmp::Ne>(a, b);
    case Cmp::Lt: return compare<T, Cmp::Lt>(a, b);
    case Cmp::Le: return compare<T, Cmp::Le>(a, b);
    case Cmp::Gt: return compare<T, Cmp::Gt>(a, b);
    case Cmp::Ge: return compare<T, Cmp::Ge>(a, b);
    case Cmp::Equ: return compare<T, Cmp::Equ>(a, b);
    case Cmp::Neu: return compare<T, Cmp::Neu>(a, b);
    case Cmp::Ltu: return compare<T, Cmp::Ltu>(a, b);
    case Cmp::Leu: return compare<T, Cmp::Leu>(a, b);
    case Cmp::Gtu: return compare<T, Cmp::Gtu>(a, b);
    case Cmp::Geu: return compare<T, Cmp::Geu>(a, b);
    case Cmp::Num: return compare<T, Cmp::Num>(a, b);
    case Cmp::Nan: return compare<T, Cmp::Nan>(a, b);
  }
  return false;
}
/// f16 (bit 8 of the parameter clear) or bf16; bit 9: .ftz; the comparison in the low byte.
inline bool compareHalf(std::uint16_t a, std::uint16_t b, Param p) {
  const bool bf16 = (p.value & 256) != 0;
  float x = bf16 ? bf16ToF32(a) : halfToF32(a);
  float y = bf16 ? bf16ToF32(b) : halfToF32(b);
  if ((p.value & 512) != 0) {
    const float tiny = bf16 ? 0x1p-126F : 0x1p-14F;
    if (std::fabs(x) < tiny) x = 0;
    if (std::fabs(y) < tiny) y = 0;
  }
  return compareBy<float>(x, y, static_cast<Cmp>(p.value & 0xff));
}
inline bool compareHalfLow(std::uint32_t a, std::uint32_t b, Param p) {
  return compareHalf(std::uint16_t(a), std::uint16_t(b), p);
}
inline bool compareHalfHigh(std::uint32_t a, std::uint32_t b, Param p) {
  return compareHalf(std::uint16_t(a >> 16), std::uint16_t(b >> 16), p);
}

CW_SIM_END

// Integer.h -- integer arithmetic of PTX (ISA section 9.7.1): wraps, clamps, never traps.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "Isa.h"

CW_SIM_BEGIN

template <class T>
using Unsigned = std::make_unsigned_t<T>;
/// Products of unsigned shorts are computed in int, which overflows: widen first.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) < 4, std::uint32_t, Unsigned<T>>;
template <class T>
struct Twice;
template <>
struct Twice<std::uint8_t> {
  using Type = std::uint16_t;
};
template <>
struct Twice<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct Twice<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct Twice<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct Twice<std::int32_t> {
  using Type = std::int64_t;
};
__extension__ using UInt128 = unsigned __int128;
__extension__ using Int128 = __int128;
template <>
struct Twice<std::uint64_t> {
  using Type = UInt128;
};
template <>
struct Twice<std::int64_t> {
  using Type = Int128;
};

template <class T>
inline T addInt(T a, T b) {
  return T(Wrapping<T>(a) + Wrapping<T>(b));
}
template <class T>
inline T subInt(T a, T b) {
  return T(Wrapping<T>(a) - Wrapping<T>(b));
}
template <class T>
inline T mulLo(T a, T b) {
  return T(Wrapping<T>(a) * Wrapping<T>(b));
}
template <class T>
inline T mulHi(T a, T b) {
  using Wide = Twice<T>::Type;
  return T((Wide(a) * Wide(b)) >> (8 * sizeof(T)));
}
template <class T>
inline Twice<T>::Type mulWide(T a, T b) {
  using Wide = Twice<T>::Type;
  return Wide(a) * Wide(b);
}
template <class T>
inline T madLo(T a, T b, T c) {
  return addInt<T>(mulLo(a, b), c);
}
template <class T>
inline T madHi(T a, T b, T c) {
  return addInt<T>(mulHi(a, b), c);
}
template <class T>
inline Twice<T>::Type madWide(T a, T b, typename Twice<T>::Type c) {
  return addInt<typename Twice<T>::Type>(mulWide(a, b), c);
}

inline std::int32_t clampS32(std::int64_t x) {
  return std::int32_t(std::clamp<std::int64_t>(x, std::numeric_limits<std::int32_t>::min(),
                                               std::numeric_limits<std::int32_t>::max()));
}
inline std::int32_t addSat(std::int32_t a, std::int32_t b) {
  return clampS32(std::int64_t{a} + std::int64_t{b});
}
inline std::int32_t subSat(std::int32_t a, std::int32_t b) {
  return clampS32(std::int64_t{a} - std::int64_t{b});
}
inline std::int32_t madHiSat(std::int32_t a, std::int32_t b, std::int32_t c) {
  return addSat(mulHi(a, b), c);
}

/// The 48-bit product of the low 24 bits.
inline std::int64_t product24(std::int32_t a, std::int32_t b) {
  return std::int64_t{std::int32_t(std::uint32_t(a) << 8) >> 8} *
         std::int64_t{std::int32_t(std::uint32_t(b) << 8) >> 8};
}
inline std::uint64_t product24(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{a & 0xffffffU} * std::uint64_t{b & 0xffffffU};
}
template <class T>
inline T mul24Lo(T a, T b) {
  return T(product24(a, b));
}
template <class T>
inline T mul24Hi(T a, T b) {
  return T(product24(a, b) >> 16);
}
template <class T>
inline T mad24Lo(T a, T b, T c) {
  return addInt<T>(mul24Lo(a, b), c);
}
template <class T>
inline T mad24Hi(T a, T b, T c) {
  return addInt<T>(mul24Hi(a, b), c);
}
inline std::int32_t mad24HiSat(std::int32_t a, std::int32_t b, std::int32_t c) {
  return addSat(mul24Hi(a, b), c);
}

template <class T>
inline T sad(T a, T b, T c) {
  return addInt<T>(c, a < b ? subInt(b, a) : subInt(a, b));
}
/// Division by zero gives all ones, as the hardware does; the ISA leaves it open.
template <class T>
inline T divInt(T a, T b) {
  if (b == 0) return T(-1);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return subInt<T>(0, a);
  }
  return T(a / b);
}
template <class T>
inline T remInt(T a, T b) {
  if (b == 0) return T(-1);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return T(a % b);
}
template <class T>
inline T negInt(T a) {
  return subInt<T>(0, a);
}
template <class T>
inline T absInt(T a) {
  return a < 0 ? negInt(a) : a;
}
template <class T>
inline T minInt(T a, T b) {
  return a < b ? a : b;
}
template <class T>
inline T maxInt(T a, T b) {
  return a < b ? b : a;
}
template <class T>
inline T minRelu(T a, T b) {
  return maxInt<T>(minInt(a, b), 0);
}
template <class T>
inline T maxRelu(T a, T b) {
  return maxInt<T>(maxInt(a, b), 0);
}

/// Applies a 16-bit operation to both halves.
template <class T, auto F>
inline std::uint32_t halves(std::uint32_t a, std::uint32_t b) {
  const auto lo = std::uint16_t(F(T(std::uint16_t(a)), T(std::uint16_t(b))));
  const auto hi = std::uint16_t(F(T(std::uint16_t(a >> 16)), T(std::uint16_t(b >> 16))));
  return std::uint32_t{lo} | std::uint32_t{hi} << 16;
}

CW_SIM_END

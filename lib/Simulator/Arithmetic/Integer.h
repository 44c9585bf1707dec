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
template <> struct Twice<std::uint8_t> { using Type = std::uint16_t; };
template <> struct Twice<std::uint16_t> { using Type = std::uint32_t; };
template <> struct Twice<std::int16_t> { using Type = std::int32_t; };
template <> struct Twice<std::uint32_t> { using Type = std::uint64_t; };
template <> struct Twice<std::int32_t> { using Type = std::int64_t; };
__extension__ using UInt128 = unsigned __int128;
__extension__ using Int128 = __int128;
template <> struct Twice<std::uint64_t> { using Type = UInt128; };
template <> struct Twice<std::int64_t> { using Type = Int128; };

template <class T> inline T addInt(T a, T b) { return T(Wrapping<T>(a) + Wrapping<T>(b)); }
template <class T> inline T subInt(T a, T b) { return T(Wrapping<T>(a) - Wrapping<T>(b)); }
template <class T> inline T mulLo(T a, T b) { return T(Wrapping<T>(a) * Wrapping<T>(b)); }
template <class T> inline T mulHi(T a, T b) {
  using Wide = typename Twice<T>::Type;
  return T((Wide(a) * Wide(b)) >> (8 * sizeof(T)));
}
template <class T> inline typename Twice<T>::Type mulWide(T a, T b) {
  using Wide = typename Twice<T>::Type;
  return Wide(a) * Wide(b);
}
template <class T> inline T madLo(T a, T b, T c) { return addInt<T>(mulLo(a, b), c); }
template <class T> inline T madHi(T a, T b, T c) { return addInt<T>(mulHi(a, b), c); }
template <class T>
inline typename Twice<T>::Type madWide(T a, T b, typename Twice<T>::Type c) {
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
template <class T> inline T mul24Lo(T a, T b) { return T(product24(a, b)); }
template <class T> inline T mul24Hi(T a, T b) { return T(product24(a, b) >> 16); }
template <class T> inline T mad24Lo(T a, T b, T c) { return addInt<T>(mul24Lo(a, b), c); }
template <class T> inline T mad24Hi(T a, T b, T c) { return addInt<T>(mul24Hi(a, b), c); }
inline std::int32_t mad24HiSat(std::int32_t a, std::int32_t b, std::int32_t c) {
  return addSat(mul24Hi(a, b), c);
}

template <class T> inline T sad(T a, T b, T c) {
  return addInt<T>(c, a < b ? subInt(b, a) : subInt(a, b));
}
/// Division by zero gives all ones, as the hardware does; the ISA leaves it open.
template <class T> inline T divInt(T a, T b) {
  if (b == 0) return T(-1);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return subInt<T>(0, a);
  }
  return T(a / b);
}
template <class T> inline T remInt(T a, T b) {
  if (b == 0) return T(-1);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return T(a % b);
}
template <class T> inline T negInt(T a) { return subInt<T>(0, a); }
template <class T> inline T absInt(T a) { return a < 0 ? negInt(a) : a; }
template <class T> inline T minInt(T a, T b) { return a < b ? a : b; }
template <class T> inline T maxInt(T a, T b) { return a < b ? b : a; }
template <class T> inline T minRelu(T a, T b) { return maxInt<T>(minInt(a, b), 0); }
template <class T> inline T maxRelu(T a, T b) { return maxInt<T>(maxInt(a, b), 0); }

/// Applies a 16-bit operation to both halves.
template <class T, auto F> inline std::uint32_t halves(std::uint32_t a, std::uint32_t b) {
  const auto lo = std::uint16_t(F(T(std::uint16_t(a)), T(std::uint16_t(b))));
  const auto hi = std::uint16_t(F(T(std::uint16_t(a >> 16)), T(std::uint16_t(b >> 16))));
  return std::uint32_t{lo} | std::uint32_t{hi} << 16;
}

template <class T> inline std::uint32_t popcInt(T a) { return std::uint32_t(std::popcount(a)); }
template <class T> inline std::uint32_t clzInt(T a) { return std::uint32_t(std::countl_zero(a)); }
template <class T> inline T brevInt(T a) {
  T result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i) result = T(result << 1) | T((a >> i) & 1);
  return result;
}
/// The position of the most significant bit that is not the sign; all ones if there is none.
template <class T, bool Shift> inline std::uint32_t bfind(T a) {
  auto bits = Unsigned<T>(a);
  if (std::is_signed_v<T> && a < 0) bits = Unsigned<T>(~bits);
  if (bits == 0) return 0xffffffffU;
  const auto zeros = std::uint32_t(std::countl_zero(bits));
  return Shift ? zeros : std::uint32_t(8 * sizeof(T)) - 1 - zeros;
}
template <class T> inline T bfe(T a, std::uint32_t b, std::uint32_t c) {
  constexpr unsigned kTop = 8 * sizeof(T) - 1;
  const unsigned position = b & 0xff;
  const unsigned length = c & 0xff;
  const auto bits = Unsigned<T>(a);
  Unsigned<T> sign = 0;
  if (std::is_signed_v<T> && length != 0) sign = bits >> std::min(position + length - 1, kTop) & 1;
  const Unsigned<T> shifted = position > kTop ? 0 : bits >> position;
  const Unsigned<T> mask = length > kTop ? ~Unsigned<T>{0} : (Unsigned<T>{1} << length) - 1;
  // Bits from beyond the top are copies of the sign too.
  const Unsigned<T> real = position + length > kTop + 1
                               ? (position > kTop ? 0 : ~Unsigned<T>{0} >> position) & mask
                               : mask;
  return T((shifted & real) | (sign != 0 ? ~real : 0));
}
template <class T> inline T bfi(T a, T b, std::uint32_t c, std::uint32_t d) {
  constexpr unsigned kTop = 8 * sizeof(T) - 1;
  const unsigned position = c & 0xff;
  const unsigned length = d & 0xff;
  if (length == 0 || position > kTop) return b;
  const T mask = T((length > kTop ? ~T{0} : (T{1} << length) - 1) << position);
  return T((b & ~mask) | ((a << position) & mask));
}
template <class T, bool Wrap> inline T szext(T a, std::uint32_t b) {
  const std::uint32_t n = Wrap ? b & 31 : b;
  if (n > 31) return a;
  if (n == 0) return 0;
  const std::uint32_t kept = std::uint32_t(a) << (32 - n);
  return std::is_signed_v<T> ? T(std::int32_t(kept) >> (32 - n)) : T(kept >> (32 - n));
}
template <bool Wrap> inline std::uint32_t bmsk(std::uint32_t a, std::uint32_t b) {
  if (Wrap) a &= 31, b &= 31;
  if (a > 31 || b == 0) return 0;
  const std::uint32_t ones = b > 31 ? 0xffffffffU : (1U << b) - 1;
  return ones << a;
}

/// dp4a: bytes of a and b, each signed or not.
template <bool SignedA, bool SignedB>
inline std::uint32_t dp4a(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (unsigned i = 0; i < 32; i += 8) {
    const std::uint32_t x = SignedA ? std::uint32_t(std::int32_t(std::int8_t(a >> i))) : a >> i & 0xff;
    const std::uint32_t y = SignedB ? std::uint32_t(std::int32_t(std::int8_t(b >> i))) : b >> i & 0xff;
    c += x * y;
  }
  return c;
}
/// dp2a: half-words of a and two bytes of b, the lower (Hi false) or upper ones.
template <bool SignedA, bool SignedB, bool Hi>
inline std::uint32_t dp2a(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  if (Hi) b >>= 16;
  for (unsigned i = 0; i < 2; ++i) {
    const std::uint32_t h = a >> (16 * i);
    const std::uint32_t q = b >> (8 * i);
    const std::uint32_t x = SignedA ? std::uint32_t(std::int32_t(std::int16_t(h))) : h & 0xffff;
    const std::uint32_t y = SignedB ? std::uint32_t(std::int32_t(std::int8_t(q))) : q & 0xff;
    c += x * y;
  }
  return c;
}

CW_SIM_END

// BitFields.h -- counting bits, bit fields, dot products (ISA section 9.7.1).
#pragma once

#include "Integer.h"

CW_SIM_BEGIN

template <class T>
inline std::uint32_t popcInt(T a) {
  return std::uint32_t(std::popcount(a));
}
template <class T>
inline std::uint32_t clzInt(T a) {
  return std::uint32_t(std::countl_zero(a));
}
template <class T>
inline T brevInt(T a) {
  T result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i) result = T(result << 1) | T((a >> i) & 1);
  return result;
}
/// The position of the most significant bit that is not the sign; all ones if there is none.
template <class T, bool Shift>
inline std::uint32_t bfind(T a) {
  auto bits = Unsigned<T>(a);
  if (std::is_signed_v<T> && a < 0) bits = Unsigned<T>(~bits);
  if (bits == 0) return 0xffffffffU;
  const auto zeros = std::uint32_t(std::countl_zero(bits));
  return Shift ? zeros : std::uint32_t(8 * sizeof(T)) - 1 - zeros;
}
template <class T>
inline T bfe(T a, std::uint32_t b, std::uint32_t c) {
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
template <class T>
inline T bfi(T a, T b, std::uint32_t c, std::uint32_t d) {
  constexpr unsigned kTop = 8 * sizeof(T) - 1;
  const unsigned position = c & 0xff;
  const unsigned length = d & 0xff;
  if (length == 0 || position > kTop) return b;
  const T mask = T((length > kTop ? ~T{0} : (T{1} << length) - 1) << position);
  return T((b & ~mask) | ((a << position) & mask));
}
template <class T, bool Wrap>
inline T szext(T a, std::uint32_t b) {
  const std::uint32_t n = Wrap ? b & 31 : b;
  if (n > 31) return a;
  if (n == 0) return 0;
  const std::uint32_t kept = std::uint32_t(a) << (32 - n);
  return std::is_signed_v<T> ? T(std::int32_t(kept) >> (32 - n)) : T(kept >> (32 - n));
}
template <bool Wrap>
inline std::uint32_t bmsk(std::uint32_t a, std::uint32_t b) {
  if (Wrap) a &= 31, b &= 31;
  if (a > 31 || b == 0) return 0;
  const std::uint32_t ones = b > 31 ? 0xffffffffU : (1U << b) - 1;
  return ones << a;
}

/// fns: the place of the n-th set bit from `base` on, upwards or (n negative) downwards; 0: of the
/// bit at `base` itself.
inline std::uint32_t findNth(std::uint32_t mask, std::uint32_t base, std::uint32_t n) {
  const bool down = std::int32_t(n) < 0;
  std::uint32_t left = n == 0 ? 1 : down ? 0 - n : n;
  for (std::uint32_t at = base; at < 32; at = down ? at - 1 : at + 1) {
    if ((mask >> at & 1) != 0 && --left == 0) return at;
    if (n == 0) break;
  }
  return 0xffffffffU;
}

/// dp4a: bytes of a and b, each signed or not.
template <bool SignedA, bool SignedB>
inline std::uint32_t dp4a(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (unsigned i = 0; i < 32; i += 8) {
    const std::uint32_t x =
        SignedA ? std::uint32_t(std::int32_t(std::int8_t(a >> i))) : a >> i & 0xff;
    const std::uint32_t y =
        SignedB ? std::uint32_t(std::int32_t(std::int8_t(b >> i))) : b >> i & 0xff;
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

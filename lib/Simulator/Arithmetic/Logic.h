// Logic.h -- logic, shifts, permutes and selections (ISA sections 9.7.7, 9.7.8).
#pragma once

#include <algorithm>
#include <type_traits>

#include "Isa.h"

CW_SIM_BEGIN

template <class T>
inline T andBits(T a, T b) {
  return T(a & b);
}
template <class T>
inline T orBits(T a, T b) {
  return T(a | b);
}
template <class T>
inline T xorBits(T a, T b) {
  return T(a ^ b);
}
template <class T>
inline T notBits(T a) {
  return T(~a);
}
template <class T>
inline T cnotBits(T a) {
  return a == 0 ? T{1} : T{0};
}
inline bool andPred(bool a, bool b) { return a && b; }
inline bool orPred(bool a, bool b) { return a || b; }
inline bool xorPred(bool a, bool b) { return a != b; }
inline bool notPred(bool a) { return !a; }

/// Each result bit is the entry of `table` that the three input bits select.
inline std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c, Param table) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if ((table.value >> i & 1) == 0) continue;
    result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
  }
  return result;
}

template <class T>
inline T shiftLeft(T a, std::uint32_t b) {
  return b >= 8 * sizeof(T) ? T{0} : T(a << b);
}
template <class T>
inline T shiftRight(T a, std::uint32_t b) {
  constexpr std::uint32_t kTop = 8 * sizeof(T) - 1;
  if constexpr (std::is_signed_v<T>) return T(a >> std::min(b, kTop));
  return b > kTop ? T{0} : T(a >> std::min(b, kTop));
}
template <bool Wrap>
inline std::uint32_t funnelLeft(std::uint32_t lo, std::uint32_t hi, std::uint32_t c) {
  const std::uint32_t n = Wrap ? c & 31 : std::min(c, 32U);
  return std::uint32_t((std::uint64_t{hi} << 32 | lo) << n >> 32);
}
template <bool Wrap>
inline std::uint32_t funnelRight(std::uint32_t lo, std::uint32_t hi, std::uint32_t c) {
  const std::uint32_t n = Wrap ? c & 31 : std::min(c, 32U);
  return std::uint32_t((std::uint64_t{hi} << 32 | lo) >> n);
}

/// prmt's modes: 0 default, then f4e, b4e, rc8, ecl, ecr, rc16.
inline std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t c, Param mode) {
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t s = c & 3;
    std::uint32_t from = 0;
    bool sign = false;
    switch (mode.value) {
      case 1: from = (s + i) & 7; break;
      case 2: from = (s - i) & 7; break;
      case 3: from = s; break;
      case 4: from = std::max(s, i); break;
      case 5: from = std::min(s, i); break;
      case 6: from = (s & 1) * 2 + (i & 1); break;
      default:
        from = c >> (4 * i) & 7;
        sign = (c >> (4 * i) & 8) != 0;
        break;
    }
    auto byte = std::uint32_t(bytes >> (8 * from)) & 0xff;
    if (sign) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

template <class T>
inline T selp(T a, T b, bool c) {
  return c ? a : b;
}
template <class T>
inline T slctInt(T a, T b, std::int32_t c) {
  return c >= 0 ? a : b;
}
/// .ftz: a subnormal c is a zero.
template <class T>
inline T slctFlushed(T a, T b, float c) {
  return c > -0x1p-126F ? a : b;
}
template <class T>
inline T slctFloat(T a, T b, float c) {
  return c >= 0 ? a : b;
}
template <class T>
inline T moved(T a) {
  return a;
}
inline bool movedPred(bool a) { return a; }

CW_SIM_END

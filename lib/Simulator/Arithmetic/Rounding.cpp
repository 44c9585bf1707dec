// Rounding.cpp -- exact results to formats: rounding a double, and f64 arithmetic in integers.
#include "Rounding.h"

#include <algorithm>
#include <limits>

namespace cutwork::sim {
namespace {

__extension__ using UInt128 = unsigned __int128;

/// Whether a magnitude with the kept part `odd`, and a discarded part compared with one half, is
/// rounded away from zero.
bool roundsUp(Round mode, bool negative, bool odd, bool aboveHalf, bool isHalf, bool inexact) {
  switch (mode) {
    case Round::Rn: return aboveHalf || (isHalf && odd);
    case Round::Rna: return aboveHalf || isHalf;
    case Round::Rz: return false;
    case Round::Rm: return negative && inexact;
    case Round::Rp: return !negative && inexact;
  }
  return false;
}

/// `significand` without its `drop` lowest bits, rounded.
std::uint64_t rounded(std::uint64_t significand, int drop, Round mode, bool negative) {
  if (drop <= 0) return significand;
  if (drop > 63) {  // nothing is kept; of 64 bits the half is the highest
    const std::uint64_t top = std::uint64_t{1} << 63;
    const bool above = drop == 64 && significand > top;
    const bool half = drop == 64 && significand == top;
    return roundsUp(mode, negative, false, above, half, significand != 0) ? 1 : 0;
  }
  const std::uint64_t kept = significand >> drop;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  return kept +
         (roundsUp(mode, negative, (kept & 1) != 0, rest > half, rest == half, rest != 0) ? 1 : 0);
}

/// What overflow gives: infinity, or the largest number.
bool overflowsToInfinity(Round mode, bool negative) {
  return mode == Round::Rn || mode == Round::Rna || (mode == Round::Rm && negative) ||
         (mode == Round::Rp && !negative);
}

}  // namespace

std::uint32_t narrow(double x, const Format& format, Round mode, bool ftz, bool satfinite) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const bool negative = bits >> 63 != 0;
  const std::uint32_t sign = negative ? std::uint32_t{1} << (format.bits - 1) : 0;
  const auto field = static_cast<int>(bits >> 52 & 0x7ff);
  std::uint64_t significand = bits & 0xfffffffffffffU;
  if (field == 0x7ff) {
    if (significand != 0) return format.nan;
    return sign | (satfinite ? format.maxFinite : format.infinity);
  }
  if (field == 0 && significand == 0) return sign;
  int exponent = field == 0 ? -1022 : field - 1023;
  if (field != 0) {
    significand |= std::uint64_t{1} << 52;
  } else {
    const int shift = std::countl_zero(significand) - 11;
    significand <<= shift;
    exponent -= shift;
  }
  int drop = 53 - format.precision;
  if (ftz) {
    const bool carries = rounded(significand, drop, mode, negative) >> format.precision != 0;
    if (exponent + (carries ? 1 : 0) < format.minExponent) return sign;
  }
  std::uint64_t base = 0;
  if (exponent < format.minExponent) {
    drop += format.minExponent - exponent;
  } else {
    base = static_cast<std::uint64_t>(exponent - format.minExponent) << (format.precision - 1);
  }
  const std::uint64_t encoded = base + rounded(significand, drop, mode, negative);
  if (encoded <= format.maxFinite) return sign | static_cast<std::uint32_t>(encoded);
  return sign |
         (!satfinite && overflowsToInfinity(mode, negative) ? format.infinity : format.maxFinite);
}

double widen(std::uint32_t bits, const Format& format) {
  const std::uint32_t sign = bits >> (format.bits - 1) & 1;
  const std::uint32_t magnitude = bits & ((std::uint32_t{1} << (format.bits - 1)) - 1);
  double value = 0;
  if (magnitude > format.infinity ||
      (magnitude == format.infinity && format.infinity == format.nan)) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (magnitude == format.infinity) {
    value = std::numeric_limits<double>::infinity();
  } else {
    const auto field = static_cast<int>(magnitude >> (format.precision - 1));
    const std::uint32_t fraction = magnitude & ((std::uint32_t{1} << (format.precision - 1)) - 1);
    const std::uint32_t hidden = field == 0 ? 0 : std::uint32_t{1} << (format.precision - 1);
    value = std::ldexp(static_cast<double>(fraction | hidden),
                       std::max(field, 1) - 1 + format.minExponent - (format.precision - 1));
  }
  return sign != 0 ? -value : value;
}

double oddQuotient(double a, double b) {
  const double q = a / b;
  if (!std::isfinite(q) || q == 0) return q;
  const double rest = std::fma(-q, b, a);
  if (rest == 0) return q;
  auto bits = std::bit_cast<std::uint64_t>(q);
  // The quotient is further from zero than q if the rest has the sign of the dividend.
  if ((bits & 1) == 0) bits += ((rest < 0) == (a < 0)) ? 1 : std::uint64_t(-1);
  return std::bit_cast<double>(bits);
}

double oddRoot(double a) {
  const double root = std::sqrt(a);
  if (!std::isfinite(root) || root == 0) return root;
  const double rest = std::fma(-root, root, a);
  if (rest == 0) return root;
  auto bits = std::bit_cast<std::uint64_t>(root);
  if ((bits & 1) == 0) bits += rest > 0 ? 1 : std::uint64_t(-1);
  return std::bit_cast<double>(bits);
}

namespace {

/// A finite number: significand * 2^exponent, plus something smaller than one unit if `sticky`.
struct Exact {
  bool negative = false;
  bool sticky = false;
  int exponent = 0;
  UInt128 significand = 0;
};

Exact exactOf(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto field = static_cast<int>(bits >> 52 & 0x7ff);
  Exact result;
  result.negative = bits >> 63 != 0;
  result.significand = bits & 0xfffffffffffffU;
  if (field != 0) result.significand |= std::uint64_t{1} << 52;
  result.exponent = std::max(field, 1) - 1075;
  return result;
}

int leadingZeros(UInt128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<std::uint64_t>(x));
}

/// Moves the highest bit to bit 125, so that a sum cannot overflow.
void normalise(Exact& x) {
  if (x.significand == 0) return;
  const int shift = leadingZeros(x.significand) - 2;
  if (shift > 0) {
    x.significand <<= shift;
  } else if (shift < 0) {
    x.sticky = x.sticky || (x.significand & ((UInt128{1} << -shift) - 1)) != 0;
    x.significand >>= -shift;
  }
  x.exponent -= shift;
}

Exact sum(Exact a, Exact b, Round mode) {
  if (a.significand == 0 && b.significand == 0) {
    // Zeros of different signs add to +0, but to -0 under rm.
    a.negative = a.negative == b.negative ? a.negative : mode == Round::Rm;
    return a;
  }
  if (a.significand == 0) return b;
  if (b.significand == 0) return a;
  normalise(a);
  normalise(b);
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
    std::swap(a, b);
  }
  const int shift = a.exponent - b.exponent;
  bool lost = false;
  UInt128 small = 0;
  if (shift > 126) {
    lost = true;
  } else {
    small = b.significand >> shift;
    lost = (b.significand & ((UInt128{1} << shift) - 1)) != 0;
  }
  if (a.negative == b.negative) {
    a.significand += small;
  } else {
    // Something is lost only if `small` is far below, where no bits cancel.
    a.significand -= small + (lost ? 1 : 0);
    if (a.significand == 0 && !lost) a.negative = mode == Round::Rm;
  }
  a.sticky = a.sticky || lost;
  return a;
}

double toF64(Exact x, Round mode) {
  if (x.significand == 0) return x.negative ? -0.0 : 0.0;
  // Bring it to 64 bits, the discarded part in the last one.
  const int shift = leadingZeros(x.significand);
  x.significand <<= shift;
  x.exponent -= shift;
  auto top = static_cast<std::uint64_t>(x.significand >> 64);
  if (static_cast<std::uint64_t>(x.significand) != 0 || x.sticky) top |= 1;
  const int exponent = x.exponent + 64 + 63;  // of the leading bit
  int drop = 11;
  std::uint64_t base = 0;
  if (exponent < -1022) {
    drop += -1022 - exponent;
  } else {
    base = static_cast<std::uint64_t>(std::min(exponent, 2000) + 1022) << 52;
  }
  std::uint64_t encoded = base + rounded(top, drop, mode, x.negative);
  constexpr std::uint64_t kInfinity = std::uint64_t{0x7ff} << 52;
  if (encoded >= kInfinity) {
    encoded = overflowsToInfinity(mode, x.negative) ? kInfinity : kInfinity - 1;
  }
  return std::bit_cast<double>(encoded | (x.negative ? std::uint64_t{1} << 63 : 0));
}

Exact product(double a, double b) {
  Exact x = exactOf(a);
  const Exact y = exactOf(b);
  x.negative = x.negative != y.negative;
  x.significand *= y.significand;
  x.exponent += y.exponent;
  return x;
}

}  // namespace

double addF64(double a, double b, Round mode) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a + b;
  return toF64(sum(exactOf(a), exactOf(b), mode), mode);
}

double mulF64(double a, double b, Round mode) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a * b;
  return toF64(product(a, b), mode);
}

double fmaF64(double a, double b, double c, Round mode) {
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) return std::fma(a, b, c);
  return toF64(sum(product(a, b), exactOf(c), mode), mode);
}

double divF64(double a, double b, Round mode) {
  if (!std::isfinite(a) || !std::isfinite(b) || b == 0 || a == 0) return a / b;
  Exact x = exactOf(a);
  Exact y = exactOf(b);
  x.negative = x.negative != y.negative;
  normalise(x);  // bit 125 over a divisor of 53 bits leaves 72 bits or more
  const UInt128 quotient = x.significand / y.significand;
  x.sticky = x.significand % y.significand != 0;
  x.exponent -= y.exponent;
  x.significand = quotient;
  return toF64(x, mode);
}

double sqrtF64(double a, Round mode) {
  if (!(a > 0) || !std::isfinite(a)) return std::sqrt(a);
  Exact x = exactOf(a);
  normalise(x);
  if ((x.exponent & 1) != 0) x.significand >>= 1, ++x.exponent;  // only zeros fall out
  UInt128 root = 0;
  UInt128 rest = x.significand;
  for (UInt128 bit = UInt128{1} << 126; bit != 0; bit >>= 2) {
    if (rest >= root + bit) {
      rest -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  x.significand = root;
  x.sticky = rest != 0;
  x.exponent /= 2;
  return toF64(x, mode);
}

double integerToF64(bool negative, std::uint64_t magnitude, Round mode) {
  if (mode == Round::Rna) {  // to odd
    const int excess = 11 - std::countl_zero(magnitude | 1);
    if (excess > 0) {
      const std::uint64_t lost = magnitude & ((std::uint64_t{1} << excess) - 1);
      magnitude = (magnitude >> excess | (lost != 0 ? 1 : 0)) << excess;
    }
    const auto value = static_cast<double>(magnitude);
    return negative ? -value : value;
  }
  Exact x;
  x.negative = negative;
  x.significand = magnitude;
  return toF64(x, mode);
}

}  // namespace cutwork::sim

// Rounding.h -- exact results to formats, under every rounding of PTX.
//
// f32 and narrower: the exact result is brought into a double "rounded to odd" (an inexact double
// has its last bit set), which keeps enough for one correct rounding to any narrower format. f64
// under other roundings than to nearest: integer arithmetic on 128 bits.
#pragma once

#include <bit>
#include <cmath>

#include "Isa.h"

namespace cutwork::sim {

/// A binary format of at most 32 bits, by its numbers.
struct Format {
  int precision;            ///< significant bits, with the hidden one
  int minExponent;          ///< of the smallest normal number
  std::uint32_t maxFinite;  ///< encoding
  std::uint32_t infinity;   ///< encoding; a NaN for a format without infinities
  std::uint32_t nan;        ///< what arithmetic makes
  int bits;                 ///< width of the encoding
};
inline constexpr Format kF32{24, -126, 0x7f7fffff, 0x7f800000, 0x7fffffff, 32};
inline constexpr Format kF16{11, -14, 0x7bff, 0x7c00, 0x7fff, 16};
inline constexpr Format kBF16{8, -126, 0x7f7f, 0x7f80, 0x7fff, 16};
inline constexpr Format kTF32{11, -126, 0x3fbff, 0x3fc00, 0x3ffff, 19};
inline constexpr Format kE4M3{4, -6, 0x7e, 0x7f, 0x7f, 8};
inline constexpr Format kE5M2{3, -14, 0x7b, 0x7c, 0x7f, 8};

/// `x` in `format`. `ftz`: what is tiny after rounding with unlimited exponent becomes a zero of
/// its sign. `satfinite`: overflow and infinities give the largest number.
std::uint32_t narrow(double x, const Format& format, Round mode, bool ftz = false,
                     bool satfinite = false);
/// The value of an encoding of a format with infinities.
double widen(std::uint32_t bits, const Format& format);

/// a + b, rounded to odd.
inline double oddSum(double a, double b) {
  const double s = a + b;
  const double t = s - a;
  const double error = (a - (s - t)) + (b - t);
  if (!(std::fabs(s) <= 1.7976931348623157e308) || error == 0) return s;
  auto bits = std::bit_cast<std::uint64_t>(s);
  if ((bits & 1) == 0) bits += ((error < 0) == (s < 0)) ? 1 : std::uint64_t(-1);
  return std::bit_cast<double>(bits);
}
/// a / b and sqrt(a) of numbers of at most 24 significant bits, rounded to odd.
double oddQuotient(double a, double b);
double oddRoot(double a);

/// f64 arithmetic under any rounding but to nearest; NaNs as the hardware makes them.
double addF64(double a, double b, Round mode);
double mulF64(double a, double b, Round mode);
double fmaF64(double a, double b, double c, Round mode);
double divF64(double a, double b, Round mode);
double sqrtF64(double a, Round mode);
/// The integer (sign, magnitude) as a double; rounded to odd with Rna, which no instruction has.
double integerToF64(bool negative, std::uint64_t magnitude, Round mode);

}  // namespace cutwork::sim

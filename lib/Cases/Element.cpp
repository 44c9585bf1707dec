// Element.cpp -- elements of every type to and from double.
#include <bit>
#include <cmath>
#include <cstring>

#include "cutwork/Cases/HostArray.h"

namespace cutwork {

namespace {

using cute::DType;

// A float of `exponent` and `mantissa` bits with an IEEE bias.
struct FloatFormat {
  int exponent;
  int mantissa;
  bool infinities;  ///< without them the largest exponent holds numbers, and one NaN
};

FloatFormat formatOf(DType type) {
  switch (type) {
    case DType::Float16: return {5, 10, true};
    case DType::BFloat16: return {8, 7, true};
    case DType::Float8E4M3FN: return {4, 3, false};
    default: return {5, 2, true};
  }
}

std::uint64_t encodeFloat(const FloatFormat& f, double value) {
  const int bias = (1 << (f.exponent - 1)) - 1;
  const std::uint64_t sign = std::uint64_t{std::signbit(value)} << (f.exponent + f.mantissa);
  const std::uint64_t infinity = ((std::uint64_t{1} << f.exponent) - 1) << f.mantissa;
  const std::uint64_t nan = infinity | (f.infinities ? std::uint64_t{1} << (f.mantissa - 1)
                                                     : (std::uint64_t{1} << f.mantissa) - 1);
  if (std::isnan(value)) return sign | nan;
  const std::uint64_t overflow = f.infinities ? infinity : nan - 1;
  if (std::isinf(value)) return sign | overflow;
  if (value == 0) return sign;
  int exponent = std::max(std::ilogb(value), 1 - bias);
  // The mantissa as an integer, rounded to even; a carry moves into the exponent by itself.
  const double scaled = std::nearbyint(std::ldexp(std::fabs(value), f.mantissa - exponent));
  const auto steps = static_cast<std::uint64_t>(scaled);
  const std::uint64_t bits =
      (static_cast<std::uint64_t>(exponent + bias - 1) << f.mantissa) + steps;
  return sign | std::min(bits, overflow);
}

double decodeFloat(const FloatFormat& f, std::uint64_t bits) {
  const int bias = (1 << (f.exponent - 1)) - 1;
  const std::uint64_t all = (std::uint64_t{1} << f.exponent) - 1;
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << f.mantissa) - 1);
  const std::uint64_t exponent = (bits >> f.mantissa) & all;
  const double sign = ((bits >> (f.mantissa + f.exponent)) & 1) != 0 ? -1 : 1;
  if (exponent == all && f.infinities) return sign * (mantissa == 0 ? INFINITY : NAN);
  if (exponent == all && mantissa == (std::uint64_t{1} << f.mantissa) - 1) return sign * NAN;
  const std::uint64_t hidden = exponent == 0 ? 0 : std::uint64_t{1} << f.mantissa;
  const int power = (exponent == 0 ? 1 : static_cast<int>(exponent)) - bias - f.mantissa;
  return sign * std::ldexp(static_cast<double>(mantissa | hidden), power);
}

// Bits of an integer: what does not fit wraps.
std::uint64_t encodeInteger(double value) {
  return value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                   : static_cast<std::uint64_t>(value);
}

double decodeInteger(DType type, std::uint64_t bits) {
  const int unused = 64 - cute::width(type);
  if (!cute::isSigned(type)) return static_cast<double>(bits << unused >> unused);
  return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

}  // namespace

std::uint64_t encodeElement(DType type, double value) {
  switch (type) {
    case DType::Boolean: return value != 0 ? 1 : 0;
    case DType::Float64: return std::bit_cast<std::uint64_t>(value);
    case DType::Float32:
    case DType::TFloat32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float8E4M3FN:
    case DType::Float8E5M2: return encodeFloat(formatOf(type), value);
    default: return encodeInteger(value);
  }
}

double decodeElement(DType type, std::uint64_t bits) {
  switch (type) {
    case DType::Boolean: return static_cast<double>(bits & 0xff);
    case DType::Float64: return std::bit_cast<double>(bits);
    case DType::Float32:
    case DType::TFloat32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float8E4M3FN:
    case DType::Float8E5M2: return decodeFloat(formatOf(type), bits);
    default: return decodeInteger(type, bits);
  }
}

}  // namespace cutwork

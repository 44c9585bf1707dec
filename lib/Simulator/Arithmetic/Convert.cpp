// Convert.cpp -- cvt, one value at a time, through a double or a 64-bit integer.
#include "Convert.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cutwork::sim {
namespace {

bool isInteger(Ty type) {
  return kindOf(type) == Kind::Signed || kindOf(type) == Kind::Unsigned ||
         kindOf(type) == Kind::Bits;
}

const Format* formatOf(Ty type) {
  switch (type) {
    case Ty::F16:
    case Ty::F16x2: return &kF16;
    case Ty::BF16:
    case Ty::BF16x2: return &kBF16;
    case Ty::F32: return &kF32;
    case Ty::TF32: return &kTF32;
    case Ty::E4M3x2: return &kE4M3;
    case Ty::E5M2x2: return &kE5M2;
    default: return nullptr;
  }
}

std::int64_t asSigned(std::uint64_t x) { return static_cast<std::int64_t>(x); }

std::uint64_t extend(std::uint64_t bits, Ty type) {
  const unsigned spare = 64 - std::max(bitsOf(type), 1U);
  return isSigned(type) ? static_cast<std::uint64_t>(asSigned(bits << spare) >> spare)
                        : bits << spare >> spare;
}

std::int64_t minOf(Ty type) {
  return isSigned(type) ? asSigned(~std::uint64_t{0} << (bitsOf(type) - 1)) : 0;
}
std::uint64_t maxOf(Ty type) {
  return ~std::uint64_t{0} >> (64 - bitsOf(type) + (isSigned(type) ? 1 : 0));
}

std::uint64_t integerToInteger(std::uint64_t bits, const ConvertSpec& spec) {
  const std::uint64_t value = extend(bits, spec.from);
  if (!spec.sat) return extend(value, spec.to);
  if (isSigned(spec.from) && asSigned(value) < 0) {
    return static_cast<std::uint64_t>(std::max(asSigned(value), minOf(spec.to)));
  }
  return std::min(value, maxOf(spec.to));
}

double roundIntegral(double x, Round mode) {
  switch (mode) {
    case Round::Rz: return std::trunc(x);
    case Round::Rm: return std::floor(x);
    case Round::Rp: return std::ceil(x);
    default: return std::nearbyint(x);
  }
}

double floatValue(std::uint64_t bits, Ty type) {
  if (type == Ty::F64) return std::bit_cast<double>(bits);
  return widen(static_cast<std::uint32_t>(bits), *formatOf(type));
}

double flush(double x, double tiny) { return std::fabs(x) < tiny ? std::copysign(0.0, x) : x; }

std::uint64_t floatToInteger(std::uint64_t bits, const ConvertSpec& spec) {
  double value = floatValue(bits, spec.from);
  if (std::isnan(value)) {
    const bool marked = spec.from == Ty::F64 || bitsOf(spec.to) == 64;
    return marked ? extend(std::uint64_t{1} << (bitsOf(spec.to) - 1), spec.to) : 0;
  }
  if (spec.ftz && spec.from == Ty::F32) value = flush(value, 0x1p-126);
  value = roundIntegral(value, spec.mode);
  const double least = static_cast<double>(minOf(spec.to));
  const double above =
      std::ldexp(1.0, static_cast<int>(bitsOf(spec.to)) - (isSigned(spec.to) ? 1 : 0));
  if (value < least) return static_cast<std::uint64_t>(minOf(spec.to));
  if (value >= above) return maxOf(spec.to);
  return value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                   : static_cast<std::uint64_t>(value);
}

/// 0 to 1, NaN and -0 to +0.
double saturated(double x) { return x > 0 ? std::min(x, 1.0) : 0.0; }

/// The result of narrowing `exact`, which is rounded to odd if it is not exact.
std::uint64_t toFormat(double exact, const ConvertSpec& spec, bool ftz) {
  const Format& format = *formatOf(spec.to);
  if (spec.to == Ty::TF32 && spec.mode == Round::Rna) {
    // Rounds the bit pattern: nothing is special but that 13 bits are cleared.
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(exact));
    if (std::isnan(exact)) return 0x7fffffffU & ~0x1fffU;
    const std::uint32_t rounded = (bits + 0x1000) & ~0x1fffU;
    const bool beyond = (rounded & 0x7fffffffU) >= 0x7f800000U;
    return spec.satfinite && beyond ? (rounded & 0x80000000U) | kTF32.maxFinite << 13 : rounded;
  }
  std::uint32_t bits = narrow(exact, format, spec.mode, ftz, spec.satfinite);
  if (spec.relu && !std::isnan(exact) && (bits >> (format.bits - 1) & 1) != 0) bits = 0;
  if (spec.to == Ty::TF32) bits <<= 13;
  return bits;
}

std::uint64_t floatToFloat(std::uint64_t bits, const ConvertSpec& spec) {
  double value = floatValue(bits, spec.from);
  const bool same = spec.from == spec.to;
  if (same && !spec.hasMode && !spec.sat && !spec.ftz) return bits;
  // .ftz is of f32 operands and f32 results.
  if (spec.ftz && spec.from == Ty::F32) value = flush(value, 0x1p-126);
  if (spec.integral) {
    const double whole = roundIntegral(value, spec.mode);
    value = whole == 0 ? std::copysign(0.0, value) : whole;
  }
  if (spec.sat) value = saturated(value);
  if (spec.to == Ty::F64) {
    if (std::isnan(value) && spec.from == Ty::F64) return bits | 0x0008000000000000U;
    if (std::isnan(value)) return 0x7fffffffe0000000U;
    return std::bit_cast<std::uint64_t>(value);
  }
  return toFormat(value, spec, spec.ftz && spec.to == Ty::F32);
}

std::uint64_t integerToFloat(std::uint64_t bits, const ConvertSpec& spec) {
  const std::uint64_t value = extend(bits, spec.from);
  const bool negative = isSigned(spec.from) && asSigned(value) < 0;
  const std::uint64_t magnitude = negative ? 0 - value : value;
  if (spec.to == Ty::F64) {
    double result = integerToF64(negative, magnitude, spec.mode);
    if (spec.sat) result = saturated(result);
    return std::bit_cast<std::uint64_t>(result);
  }
  double odd = integerToF64(negative, magnitude, Round::Rna);
  if (spec.sat) odd = saturated(odd);
  return toFormat(odd, spec, false);
}

}  // namespace

std::uint64_t convert(std::uint64_t bits, Param p) {
  const ConvertSpec spec = ConvertSpec::of(p);
  if (isInteger(spec.from)) {
    return isInteger(spec.to) ? integerToInteger(bits, spec) : integerToFloat(bits, spec);
  }
  return isInteger(spec.to) ? floatToInteger(bits, spec) : floatToFloat(bits, spec);
}

std::uint32_t convertPair(std::uint32_t a, std::uint32_t b, Param p) {
  const ConvertSpec spec = ConvertSpec::of(p);
  const auto bits = static_cast<unsigned>(formatOf(spec.to)->bits) & 31;
  const auto one = [&](std::uint32_t x) {
    double value = floatValue(x, spec.from);
    if (spec.ftz) value = flush(value, 0x1p-126);
    return static_cast<std::uint32_t>(toFormat(value, spec, false));
  };
  return one(a) << bits | one(b);
}

std::uint32_t convertPacked(std::uint32_t a, Param p) {
  const ConvertSpec spec = ConvertSpec::of(p);
  const auto from = static_cast<unsigned>(formatOf(spec.from)->bits) & 31;
  const auto to = static_cast<unsigned>(formatOf(spec.to)->bits) & 31;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const std::uint32_t one = a >> (i * from) & ((1U << from) - 1);
    const double value = widen(one, *formatOf(spec.from));
    result |= static_cast<std::uint32_t>(toFormat(value, spec, false)) << (i * to);
  }
  return result;
}

std::uint32_t convertPack(std::uint32_t a, std::uint32_t b, std::uint32_t c, Param type) {
  const Ty to = static_cast<Ty>(type.value & 0xff);
  const unsigned bits = bitsOf(to);
  const std::uint32_t mask = (1U << bits) - 1;
  const auto clamp = [&](std::uint32_t x) {
    const std::int64_t value = static_cast<std::int32_t>(x);
    return static_cast<std::uint32_t>(std::clamp(value, minOf(to), asSigned(maxOf(to)))) & mask;
  };
  const std::uint32_t packed = clamp(a) << bits | clamp(b);
  return bits == 16 ? packed : c << (2 * bits) | packed;
}

}  // namespace cutwork::sim

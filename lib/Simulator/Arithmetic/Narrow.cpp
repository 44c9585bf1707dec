// Narrow.cpp -- e2m1, e2m3, e3m2: no infinities, no NaNs; ue8m0: powers of two.
#include "Narrow.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "Rounding.h"

namespace cutwork::sim {
namespace {

// Their infinity is an encoding that they do not have.
constexpr Format kE2M1{2, 0, 0x7, 0x8, 0x7, 4};
constexpr Format kE2M3{4, 0, 0x1f, 0x20, 0x1f, 6};
constexpr Format kE3M2{3, -2, 0x1f, 0x20, 0x1f, 6};

const Format& formatOf(NarrowFormat format) {
  return format == NarrowFormat::E2M1 ? kE2M1 : format == NarrowFormat::E2M3 ? kE2M3 : kE3M2;
}

/// How far the upper element is above the lower one.
unsigned shiftOf(NarrowFormat format) { return format == NarrowFormat::E2M1 ? 4 : 8; }

/// The exponent of the magnitude, rounded down or up; 0xff is the NaN.
std::uint32_t toExponent(std::uint32_t bits, const NarrowSpec& spec) {
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const std::uint32_t most = spec.satfinite ? 0xfe : 0xff;
  if (magnitude > 0x7f800000U) return 0xff;
  const std::uint32_t field = magnitude >> 23;
  const std::uint32_t fraction = magnitude & 0x7fffffU;
  if (field == 0xff) return most;
  if (field == 0) return spec.up && fraction > 0x400000U ? 1 : 0;  // 0x400000 is 2^-127
  const std::uint32_t code = field + (spec.up && fraction != 0 ? 1 : 0);
  return code > 0xfe ? most : code;
}

std::uint32_t narrowOne(std::uint32_t bits, const NarrowSpec& spec) {
  if (spec.format == NarrowFormat::UE8M0) return toExponent(bits, spec);
  const Format& format = formatOf(spec.format);
  const auto value = std::bit_cast<float>(bits);
  if (std::isnan(value)) return format.maxFinite;
  if (spec.relu && std::signbit(value)) return 0;
  return narrow(value, format, Round::Rn, false, true);
}

std::uint32_t widenOne(std::uint32_t bits, const NarrowSpec& spec) {
  if (spec.format == NarrowFormat::UE8M0) {
    return bits == 0xff ? 0x7fffU : bits == 0 ? 0x0040U : bits << 7;  // bf16; 0x0040 is 2^-127
  }
  const double value = widen(bits, formatOf(spec.format));
  if (spec.relu && std::signbit(value)) return 0;
  return narrow(value, kF16, Round::Rn);
}

const Format& formatOf(RandomFormat format) {
  switch (format) {
    case RandomFormat::F16: return kF16;
    case RandomFormat::BF16: return kBF16;
    case RandomFormat::E4M3: return kE4M3;
    case RandomFormat::E5M2: return kE5M2;
    case RandomFormat::E2M3: return kE2M3;
    case RandomFormat::E3M2: return kE3M2;
    case RandomFormat::E2M1: return kE2M1;
  }
  return kF16;
}

std::uint32_t narrowRandomly(std::uint32_t bits, std::uint32_t random, int randomBits,
                             const RandomSpec& spec) {
  const Format& format = formatOf(spec.format);
  const auto value = std::bit_cast<float>(bits);
  if (std::isnan(value)) return format.nan;
  const bool negative = std::signbit(value);
  if (negative && spec.relu) return 0;
  const std::uint32_t sign = negative ? std::uint32_t{1} << (format.bits - 1) : 0;
  const std::uint32_t most = sign | (spec.satfinite ? format.maxFinite : format.infinity);
  const double magnitude = std::fabs(static_cast<double>(value));
  if (std::isinf(magnitude)) return most;
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), format.minExponent);
  const double scaled = std::ldexp(magnitude, format.precision - 1 - exponent);
  const double kept = std::floor(scaled);
  const auto cut = static_cast<std::uint32_t>(std::ldexp(scaled - kept, randomBits));
  const std::uint64_t carry = (std::uint64_t{cut} + random) >> randomBits;
  const auto base = static_cast<std::uint64_t>(exponent - format.minExponent)
                    << (format.precision - 1);
  const std::uint64_t encoded = base + static_cast<std::uint64_t>(kept) + carry;
  return encoded > format.maxFinite ? most : sign | static_cast<std::uint32_t>(encoded);
}

}  // namespace

std::uint32_t narrowPair(std::uint32_t a, std::uint32_t b, Param p) {
  const NarrowSpec spec = NarrowSpec::of(p);
  return narrowOne(a, spec) << shiftOf(spec.format) | narrowOne(b, spec);
}

std::uint32_t narrowRandomly(std::uint32_t a, std::uint32_t b, std::uint32_t random, Param p) {
  const RandomSpec spec = RandomSpec::of(p);
  const bool halves = spec.format == RandomFormat::F16 || spec.format == RandomFormat::BF16;
  if (spec.format == RandomFormat::E2M1) {
    const std::uint32_t mine = spec.upper ? random >> 8 : random;
    const std::uint32_t pair = narrowRandomly(a, mine >> 16 & 0xff, 8, spec) << 4 |
                               narrowRandomly(b, mine & 0xff, 8, spec);
    return spec.upper ? pair << 8 : pair;
  }
  if (!halves) {  // both of a pair have the same 16 bits
    const std::uint32_t mine = spec.upper ? random >> 16 : random & 0xffff;
    const std::uint32_t pair =
        narrowRandomly(a, mine, 16, spec) << 8 | narrowRandomly(b, mine, 16, spec);
    return spec.upper ? pair << 16 : pair;
  }
  const int count = spec.format == RandomFormat::F16 ? 13 : 16;
  const std::uint32_t mask = (1U << count) - 1;
  return narrowRandomly(a, random >> 16 & mask, count, spec) << 16 |
         narrowRandomly(b, random & mask, count, spec);
}

std::uint32_t narrowHalves(std::uint32_t a, Param p) {
  if (NarrowSpec::of(p).format == NarrowFormat::UE8M0) {
    return narrowPair(a & 0xffff0000U, a << 16, p);
  }
  const auto single = [](std::uint32_t half) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(widen(half, kF16)));
  };
  return narrowPair(single(a >> 16), single(a & 0xffff), p);
}

std::uint32_t widenPair(std::uint32_t a, Param p) {
  const NarrowSpec spec = NarrowSpec::of(p);
  const unsigned width = spec.format == NarrowFormat::UE8M0  ? 8
                         : spec.format == NarrowFormat::E2M1 ? 4
                                                             : 6;
  const std::uint32_t mask = (1U << width) - 1;
  return widenOne(a >> shiftOf(spec.format) & mask, spec) << 16 | widenOne(a & mask, spec);
}

}  // namespace cutwork::sim

// Narrow.h -- the packed formats of 4 and 6 bits, and of 8 bits of exponent (ISA: "Alternate
// Floating-Point Data Formats", cvt).
#pragma once

#include <cstdint>

#include "Isa.h"

namespace cutwork::sim {

enum class NarrowFormat : std::uint8_t { E2M1, E2M3, E3M2, UE8M0 };

/// What a cvt to or from such a format says.
struct NarrowSpec {
  NarrowFormat format = NarrowFormat::E2M1;
  bool up = false;  ///< of ue8m0: .rp, not .rz
  bool relu = false;
  bool satfinite = false;

  [[nodiscard]] constexpr std::int64_t packed() const {
    return static_cast<std::int64_t>(format) | (up ? 16 : 0) | (relu ? 32 : 0) |
           (satfinite ? 64 : 0);
  }
  static constexpr NarrowSpec of(Param p) {
    return {static_cast<NarrowFormat>(p.value & 15), (p.value & 16) != 0, (p.value & 32) != 0,
            (p.value & 64) != 0};
  }
};

enum class RandomFormat : std::uint8_t { F16, BF16, E4M3, E5M2, E2M3, E3M2, E2M1 };

/// What a cvt.rs says. Its random bits are added to as many bits below the last one that is kept;
/// the carry is added to the magnitude.
struct RandomSpec {
  RandomFormat format = RandomFormat::F16;
  bool relu = false;
  bool satfinite = false;
  bool upper = false;  ///< of four: the pair in the upper half, with the upper half of the bits

  [[nodiscard]] constexpr std::int64_t packed() const {
    return static_cast<std::int64_t>(format) | (relu ? 16 : 0) | (satfinite ? 32 : 0) |
           (upper ? 64 : 0);
  }
  static constexpr RandomSpec of(Param p) {
    return {static_cast<RandomFormat>(p.value & 15), (p.value & 16) != 0, (p.value & 32) != 0,
            (p.value & 64) != 0};
  }
};

/// Two f32, a above b: 16 bits each of f16 and bf16, 8 bits of the others (in half of the result),
/// 4 bits of e2m1 (in a byte of 16 bits). Each of four e2m1 has 8 random bits: those of the upper
/// pair are the high bytes of both halves, a's in the upper half; the lower pair has the low bytes.
std::uint32_t narrowRandomly(std::uint32_t a, std::uint32_t b, std::uint32_t random, Param p);
/// Two f32, a in the upper part of the result: 4 bits each of e2m1, 8 bits of the others.
std::uint32_t narrowPair(std::uint32_t a, std::uint32_t b, Param p);
/// bf16x2 to ue8m0x2, f16x2 to e2m1x2.
std::uint32_t narrowHalves(std::uint32_t a, Param p);
/// A pair to f16x2; of ue8m0 to bf16x2. Exact.
std::uint32_t widenPair(std::uint32_t a, Param p);

}  // namespace cutwork::sim

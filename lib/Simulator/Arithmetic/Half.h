// Half.h -- f16 and bf16 arithmetic on encodings (ISA section 9.7.4), one lane or a packed pair.
#pragma once

#include "Isa.h"
#include "Rounding.h"

namespace cutwork::sim {

/// Which of two 16-bit formats, and what is done with the result.
struct HalfSpec {
  bool bf16 = false;
  bool ftz = false;
  bool sat = false;
  bool relu = false;
  bool oob = false;
  bool nan = false;      ///< min, max: .NaN
  bool xorsign = false;  ///< min, max: .xorsign.abs

  [[nodiscard]] constexpr std::int64_t packed() const {
    return (bf16 ? 1 : 0) | (ftz ? 2 : 0) | (sat ? 4 : 0) | (relu ? 8 : 0) | (oob ? 16 : 0) |
           (nan ? 32 : 0) | (xorsign ? 64 : 0);
  }
  static constexpr HalfSpec of(Param p) {
    const auto bit = [&](int i) { return (p.value >> i & 1) != 0; };
    return {bit(0), bit(1), bit(2), bit(3), bit(4), bit(5), bit(6)};
  }
};

float halfToF32(std::uint16_t bits);
float bf16ToF32(std::uint16_t bits);
std::uint16_t f32ToHalf(float x);
std::uint16_t f32ToBf16(float x);

// Each takes one encoding; the packed forms are made by `both`.
std::uint16_t addHalf(std::uint16_t a, std::uint16_t b, Param p);
std::uint16_t subHalf(std::uint16_t a, std::uint16_t b, Param p);
std::uint16_t mulHalf(std::uint16_t a, std::uint16_t b, Param p);
std::uint16_t fmaHalf(std::uint16_t a, std::uint16_t b, std::uint16_t c, Param p);
std::uint16_t minHalf(std::uint16_t a, std::uint16_t b, Param p);
std::uint16_t maxHalf(std::uint16_t a, std::uint16_t b, Param p);
std::uint16_t negHalf(std::uint16_t a, Param p);
std::uint16_t absHalf(std::uint16_t a, Param p);
std::uint16_t tanhHalf(std::uint16_t a, Param p);
std::uint16_t ex2Half(std::uint16_t a, Param p);

/// A one-lane operation on both halves of a register.
template <auto F>
inline std::uint32_t both(std::uint32_t a, Param p) {
  return std::uint32_t{F(std::uint16_t(a), p)} | std::uint32_t{F(std::uint16_t(a >> 16), p)} << 16;
}
template <auto F>
inline std::uint32_t both(std::uint32_t a, std::uint32_t b, Param p) {
  return std::uint32_t{F(std::uint16_t(a), std::uint16_t(b), p)} |
         std::uint32_t{F(std::uint16_t(a >> 16), std::uint16_t(b >> 16), p)} << 16;
}
template <auto F>
inline std::uint32_t both(std::uint32_t a, std::uint32_t b, std::uint32_t c, Param p) {
  return std::uint32_t{F(std::uint16_t(a), std::uint16_t(b), std::uint16_t(c), p)} |
         std::uint32_t{F(std::uint16_t(a >> 16), std::uint16_t(b >> 16), std::uint16_t(c >> 16), p)}
             << 16;
}

}  // namespace cutwork::sim

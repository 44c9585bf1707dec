// Convert.h -- cvt between any two types (ISA section 9.7.9.22): the common ones inline, the rest
// by table.
#pragma once

#include "Float.h"
#include "Half.h"
#include "Isa.h"
#include "Types.h"

namespace cutwork::sim {

/// Everything that a cvt says.
struct ConvertSpec {
  Ty to = Ty::B32;
  Ty from = Ty::B32;
  Round mode = Round::Rn;
  bool hasMode = false;   ///< .rn and so on were written
  bool integral = false;  ///< .rni and so on: to an integral value
  bool ftz = false;
  bool sat = false;
  bool relu = false;
  bool satfinite = false;

  [[nodiscard]] constexpr std::int64_t packed() const {
    return static_cast<std::int64_t>(to) | static_cast<std::int64_t>(from) << 8 |
           static_cast<std::int64_t>(mode) << 16 | (hasMode ? 1 << 20 : 0) |
           (integral ? 1 << 21 : 0) | (ftz ? 1 << 22 : 0) | (sat ? 1 << 23 : 0) |
           (relu ? 1 << 24 : 0) | (satfinite ? 1 << 25 : 0);
  }
  static constexpr ConvertSpec of(Param p) {
    const auto bit = [&](int i) { return (p.value >> i & 1) != 0; };
    return {static_cast<Ty>(p.value & 0xff),
            static_cast<Ty>(p.value >> 8 & 0xff),
            static_cast<Round>(p.value >> 16 & 7),
            bit(20),
            bit(21),
            bit(22),
            bit(23),
            bit(24),
            bit(25)};
  }
};

/// One conversion of one value; integers are sign- or zero-extended to 64 bits by their type.
std::uint64_t convert(std::uint64_t bits, Param p);
/// d = {convert(a), convert(b)}: a in the upper half.
std::uint32_t convertPair(std::uint32_t a, std::uint32_t b, Param p);
/// Two packed values to two packed values.
std::uint32_t convertPacked(std::uint32_t a, Param p);
/// cvt.pack.sat: two integers into 16, 8 or 4 bits (the type in the parameter), below the bits of
/// c.
std::uint32_t convertPack(std::uint32_t a, std::uint32_t b, std::uint32_t c, Param type);

}  // namespace cutwork::sim

CW_SIM_BEGIN

template <class D, class S>
inline D castInt(S a) {
  return D(a);
}
template <class D, class S>
inline D castFloat(S a) {
  return D(a);
}
inline float f64ToF32(double a) { return canonicalF32(float(a)); }
inline std::uint16_t f32ToBf16Fast(float a) {
  const auto bits = std::bit_cast<std::uint32_t>(a);
  const std::uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
  return (bits & 0x7fffffffU) > 0x7f800000U ? 0x7fff : std::uint16_t(rounded >> 16);
}
inline float bf16ToF32Fast(std::uint16_t a) { return std::bit_cast<float>(std::uint32_t{a} << 16); }
/// cvt.rzi from f32 to 32 bits: clamps, NaN gives 0.
inline std::int32_t f32ToS32(float a) {
  if (!(a == a)) return 0;
  return a >= 0x1p31F ? 0x7fffffff : a < -0x1p31F ? -0x7fffffff - 1 : std::int32_t(a);
}
inline std::uint32_t f32ToU32(float a) {
  if (!(a > -1.0F)) return 0;
  return a >= 0x1p32F ? 0xffffffffU : a < 0 ? 0 : std::uint32_t(a);
}

CW_SIM_END

// Convert.cpp -- handlers of cvt: the usual conversions inline, the others through convert().
#include "Arithmetic/Convert.h"

#include "Families.h"

CW_SIM_BEGIN
namespace {

std::uint32_t convert44(std::uint32_t a, Param p) { return std::uint32_t(convert(a, p)); }
std::uint64_t convert48(std::uint32_t a, Param p) { return convert(a, p); }
std::uint32_t convert84(std::uint64_t a, Param p) { return std::uint32_t(convert(a, p)); }
std::uint64_t convert88(std::uint64_t a, Param p) { return convert(a, p); }

template <class S>
Lifted toWider(bool wide) {
  // The result is extended to the register's width whatever the destination type's.
  return wide ? lift<castInt<std::uint64_t, S>>() : lift<castInt<std::uint32_t, S>>();
}

/// Between integers without .sat: extension, and truncation to types of at least 32 bits.
Lifted integers(Ty to, Ty from, bool wide) {
  if (bitsOf(to) < 32 && bitsOf(to) < bitsOf(from)) return {};
  if (bitsOf(to) < bitsOf(from)) {  // 64 to 32, in a register of 32 or (extended) 64
    if (!wide) return lift<castInt<std::uint32_t, std::uint64_t>>();
    return {};
  }
  if (bitsOf(to) == bitsOf(from) && isSigned(to) != isSigned(from) &&
      bitsOf(to) < (wide ? 64 : 32)) {
    return {};
  }
  if (!isSigned(to) && isSigned(from) && bitsOf(to) < (wide ? 64 : 32)) return {};
  switch (from) {
    case Ty::U8: return toWider<std::uint8_t>(wide);
    case Ty::S8: return toWider<std::int8_t>(wide);
    case Ty::U16: return toWider<std::uint16_t>(wide);
    case Ty::S16: return toWider<std::int16_t>(wide);
    case Ty::U32: return toWider<std::uint32_t>(wide);
    case Ty::S32: return toWider<std::int32_t>(wide);
    case Ty::U64:
    case Ty::S64: return wide ? lift<castInt<std::uint64_t, std::uint64_t>>() : Lifted{};
    default: return {};
  }
}

Lifted toFloat(Ty to, Ty from) {
  if (to == Ty::F32) {
    switch (from) {
      case Ty::U16: return lift<castFloat<float, std::uint16_t>>();
      case Ty::S16: return lift<castFloat<float, std::int16_t>>();
      case Ty::U32: return lift<castFloat<float, std::uint32_t>>();
      case Ty::S32: return lift<castFloat<float, std::int32_t>>();
      case Ty::F64: return lift<f64ToF32>();
      case Ty::BF16: return lift<bf16ToF32Fast>();
      case Ty::F16: return lift<halfToF32>();
      default: return {};
    }
  }
  if (to == Ty::F64) {
    switch (from) {
      case Ty::U32: return lift<castFloat<double, std::uint32_t>>();
      case Ty::S32: return lift<castFloat<double, std::int32_t>>();
      case Ty::S64: return lift<castFloat<double, std::int64_t>>();
      case Ty::U64: return lift<castFloat<double, std::uint64_t>>();
      default: return {};
    }
  }
  if (to == Ty::BF16 && from == Ty::F32) return lift<f32ToBf16Fast>();
  return {};
}

}  // namespace

/// Pick::type is the destination's, second the source's; which: bit 0, the destination register has
/// 64 bits; bit 1, the source register has.
Lifted selectConvert(const Pick& p) {
  if (p.op == Op::CvtPair) return lift<convertPair>();
  if (p.op == Op::CvtPack) return lift<convertPack>();
  const bool toWide = (p.which & 1) != 0;
  const bool fromWide = (p.which & 2) != 0;
  if (kindOf(p.type) == Kind::Packed) return lift<convertPacked>();
  const bool narrowSource = bitsOf(p.second) <= 32 && fromWide;  // the low half of a wide register
  if (!narrowSource && (p.flags & ~std::uint64_t{kRounding | kIntegral}) == 0) {
    const bool toFloats = isFloat(p.type);
    const bool fromFloats = isFloat(p.second);
    if (!toFloats && !fromFloats) {
      if (const Lifted found = integers(p.type, p.second, toWide)) return found;
    } else if (toFloats && (p.flags & kIntegral) == 0 && p.round == Round::Rn &&
               toWide == (p.type == Ty::F64)) {
      if (const Lifted found = toFloat(p.type, p.second)) return found;
    } else if (p.second == Ty::F32 && p.round == Round::Rz && !toWide) {
      if (p.type == Ty::S32) return lift<f32ToS32>();
      if (p.type == Ty::U32) return lift<f32ToU32>();
    }
  }
  if (fromWide) return toWide ? lift<convert88>() : lift<convert84>();
  return toWide ? lift<convert48>() : lift<convert44>();
}

CW_SIM_END

// ConversionHost.cpp -- directed roundings on the CPU, whose instructions only round to nearest.
#include "Transforms/Conversion.h"

namespace cutwork::transforms::math::host {

namespace {

using ir::Rounding;

/// The next number above or below, by the encoding; zeros count with their sign.
Num next(Num real, bool up) {
  const Num encoded = bits(real);
  const Num negative = compare(Compare::Less, encoded, 0);
  return fromBits(up ? select(negative, encoded - 1, encoded + 1)
                     : select(negative, encoded + 1, encoded - 1));
}

/// `near` is the nearest to an exact number that is above it, or below it, or neither.
Num directed(Num near, Num exactIsAbove, Num exactIsBelow, Rounding rounding, bool odd) {
  const Num negative = compare(Compare::Less, bits(near), 0);
  if (odd || rounding == Rounding::TowardZero) {
    Num result = select(exactIsBelow & (negative ^ 1), next(near, false), near);
    result = select(exactIsAbove & negative, next(near, true), result);
    if (!odd) return result;
    return select(exactIsAbove | exactIsBelow, fromBits(bits(result) | 1), result);
  }
  if (rounding == Rounding::Up) return select(exactIsAbove, next(near, true), near);
  if (rounding == Rounding::Down) return select(exactIsBelow, next(near, false), near);
  return near;
}

}  // namespace

Num realToInteger(Num source, const Conversion& how) {
  const unsigned width = how.result.getIntOrFloatBitWidth();
  const Num whole = how.rounding == Rounding::TowardZero ? truncate(source)
                    : how.rounding == Rounding::Down     ? floor(source)
                    : how.rounding == Rounding::Up       ? ceil(source)
                                                         : roundEven(source);
  const std::array operands{whole};
  const Num result = source.emit->intrinsic(
      how.unsignedResult ? "llvm.fptoui.sat" : "llvm.fptosi.sat", how.result, operands);
  if (!source.type().isF64() && width < 64) return result;
  return select(isNan(source), result.like(std::int64_t{1} << (width - 1)), result);
}

Num integerToDouble(Num source, bool isUnsigned, Rounding rounding, bool odd) {
  Emit& emit = *source.emit;
  if (source.width() < 64) return toReal(source, emit.f64(), !isUnsigned);
  // Both halves are exact, and what their sum loses is too.
  const Num upper = isUnsigned ? logicalRight(source, 32) : arithmeticRight(source, 32);
  const Num high = toReal(upper, emit.f64()) * 0x1p32;
  const Num low = toReal(source & 0xffffffff, emit.f64());
  const Num near = high + low;
  const Num lost = low - (near - high);
  return directed(near, compare(Compare::Greater, lost, 0), compare(Compare::Less, lost, 0),
                  rounding, odd);
}

Num doubleToSingle(Num source, Rounding rounding, bool odd) {
  Emit& emit = *source.emit;
  const Num near = narrowed(source, emit.f32());
  const Num wide = widened(near, emit.f64());
  return directed(near, compare(Compare::Less, wide, source),
                  compare(Compare::Greater, wide, source), rounding, odd);
}

}  // namespace cutwork::transforms::math::host

// Conversion.cpp -- conversions of single numbers: the hardware's instruction, or integers.
#include "Transforms/Conversion.h"

#include <limits>
#include <string>

namespace cutwork::transforms::math {

namespace {

using ir::Rounding;

constexpr std::int64_t kMagnitude = 0x7fffffff;
constexpr std::int64_t kInfinity = 0x7f800000;

bool isF8(mlir::Type type) { return mlir::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type); }
bool isE4M3(mlir::Type type) { return mlir::isa<mlir::Float8E4M3FNType>(type); }

const char* suffix(Rounding rounding) {
  switch (rounding) {
    case Rounding::TowardZero: return "rz";
    case Rounding::Down: return "rm";
    case Rounding::Up: return "rp";
    default: return "rn";
  }
}

Num instruction(const std::string& name, mlir::Type result, Num operand) {
  const std::array operands{operand};
  return operand.emit->intrinsic("llvm.nvvm." + name, result, operands);
}

/// The name of an f32, f64 or integer type in the intrinsics: f, d; i, ui, ll, ull.
std::string nameOf(mlir::Type type, bool isUnsigned) {
  if (type.isF32()) return "f";
  if (type.isF64()) return "d";
  return std::string(isUnsigned ? "u" : "") + (type.isInteger(64) ? "ll" : "i");
}

// ---- integers ----------------------------------------------------------------------------------

Num integerToInteger(Num source, const Conversion& how) {
  const unsigned from = source.width();
  const unsigned to = how.result.getIntOrFloatBitWidth();
  const bool fromSigned = !how.unsignedSource;
  if (how.saturate) {
    // The result's range, as far as the source's reaches beyond it.
    const auto above = [&](std::int64_t bound) {
      const Num limit = source.like(bound);
      const Num over = fromSigned ? compare(Compare::Greater, source, limit)
                                  : compareUnsigned(Compare::Greater, source, limit);
      source = select(over, limit, source);
    };
    const unsigned fromBits = from - (fromSigned ? 1 : 0);
    const unsigned toBits = to - (how.unsignedResult ? 0 : 1);
    if (fromBits > toBits) above(static_cast<std::int64_t>((std::uint64_t{1} << toBits) - 1));
    if (fromSigned && (how.unsignedResult || to < from)) {
      const std::int64_t least = how.unsignedResult ? 0 : -(std::int64_t{1} << toBits);
      source = select(compare(Compare::Less, source, least), source.like(least), source);
    }
  }
  return from == to ? source : resized(source, to, fromSigned);
}

/// f32 or f64 to an integer. The instructions clamp, and give 0 or the highest bit for a NaN.
Num realToInteger(Num source, const Conversion& how, const ConversionTarget& on) {
  if (on.host) return host::realToInteger(source, how);
  Emit& emit = *source.emit;
  const unsigned width = how.result.getIntOrFloatBitWidth();
  const mlir::Type computed = emit.integer(std::max(width, 32U));
  const std::string name = nameOf(source.type(), false) + "2" +
                           nameOf(computed, how.unsignedResult) + "." + suffix(how.rounding);
  Num whole = instruction(name, computed, source);
  if (width >= 32) return whole;
  Conversion narrow = how;
  narrow.saturate = true;
  narrow.unsignedSource = how.unsignedResult;
  const Num result = integerToInteger(whole, narrow);
  if (!source.type().isF64()) return result;
  return select(isNan(source), result.like(std::int64_t{1} << (width - 1)), result);
}

// ---- to f32 and f64 ----------------------------------------------------------------------------

/// A rounding towards zero, with the last bit set where it was inexact: rounding that again to at
/// most 22 bits, in any way, is rounding the exact number.
Num sticky(Num towardZero, Num inexact) {
  const Num encoded = bits(towardZero);
  return fromBits(select(inexact, encoded | 1, encoded));
}

/// Reals are exact or sticky in f32. `exactTo32`: the result must be rounded by `rounding`.
Num integerToSingle(Num source, bool isUnsigned, Rounding rounding, bool odd,
                    const ConversionTarget& on) {
  Emit& emit = *source.emit;
  if (source.width() < 32) return toReal(source, emit.f32(), !isUnsigned);
  if (on.host) {
    const Num exact = host::integerToDouble(source, isUnsigned, rounding, true);
    return host::doubleToSingle(exact, rounding, odd);
  }
  const std::string from = nameOf(source.type(), isUnsigned);
  if (!odd) return instruction(from + "2f." + suffix(rounding), emit.f32(), source);
  const Num single = instruction(from + "2f.rz", emit.f32(), source);
  const Num back = instruction("f2" + from + ".rz", source.type(), single);
  return sticky(single, compare(Compare::NotEqual, back, source));
}

Num doubleToSingle(Num source, Rounding rounding, bool odd, const ConversionTarget& on) {
  if (on.host) return host::doubleToSingle(source, rounding, odd);
  Emit& emit = *source.emit;
  if (!odd) return instruction(std::string("d2f.") + suffix(rounding), emit.f32(), source);
  const Num single = instruction("d2f.rz", emit.f32(), source);
  return sticky(single, compare(Compare::NotEqual, widened(single, emit.f64()), source));
}

/// f8 to f32: exact. f16 has all its numbers.
Num f8ToSingle(Num source, bool e4m3, const ConversionTarget& on) {
  Emit& emit = *source.emit;
  mlir::Type half = emit.builder().getF16Type();
  const Num wide = resized(source, 16, false);
  if (on.f8) {
    const Num pair = instruction(e4m3 ? "e4m3x2.to.f16x2.rn" : "e5m2x2.to.f16x2.rn",
                                 mlir::VectorType::get({2}, half), wide);
    return widened(element(pair, 0), emit.f32());
  }
  const Num magnitude = wide & 0x7f;
  const Num nan = compare(Compare::Greater, magnitude, e4m3 ? 0x7e : 0x7c);
  Num value = widened(asType(wide << 8, half), emit.f32());
  if (e4m3) {
    // Its exponent has 4 bits and a bias less by 8: in the place of f16's it stands for 2^-8.
    const Num sign = (wide & 0x80) << 8;
    value = widened(asType(sign | (magnitude << 7), half), emit.f32()) * 256;
  }
  return fromBits(select(nan, bits(value).like(kMagnitude), bits(value)));
}

// ---- from f32 to less --------------------------------------------------------------------------

/// Brought between -most and most; a NaN stays.
Num limited(Num single, double most) {
  return larger(smaller(single, single.like(most)), single.like(-most));
}

/// The encoding of an f32 without its `drop` lowest bits (which become zeros), rounded. A NaN is
/// all ones above them.
Num withoutBits(Num single, int drop, Rounding rounding) {
  const Num encoded = bits(single);
  const std::int64_t mask = (std::int64_t{1} << drop) - 1;
  const Num negative = compare(Compare::Less, encoded, 0);
  Num sum = encoded;
  switch (rounding) {
    case Rounding::NearestEven:
      sum = encoded + ((logicalRight(encoded, drop) & 1) + (mask >> 1));
      break;
    case Rounding::NearestAway: sum = encoded + ((mask >> 1) + 1); break;
    case Rounding::Down:
      sum = encoded + select(negative, encoded.like(mask), encoded.like(0));
      break;
    case Rounding::Up: sum = encoded + select(negative, encoded.like(0), encoded.like(mask)); break;
    case Rounding::TowardZero: break;
  }
  return select(isNan(single), encoded.like(kMagnitude & ~mask), sum & ~mask);
}

/// A format of 8 or 16 bits.
struct SmallFormat {
  unsigned width;
  int fraction;
  std::int64_t bias;
  std::int64_t most;    ///< largest finite
  std::int64_t beyond;  ///< infinity, or the NaN that stands for it
};
Num singleToSmall(Num single, const SmallFormat& format, const Conversion& how) {
  const Num encoded = bits(single);
  const Num magnitude = encoded & kMagnitude;
  const Num negative = compare(Compare::Less, encoded, 0);
  const Num exponent = logicalRight(magnitude, 23);
  const Num fraction = magnitude & 0x7fffff;
  const Num isNormal = compare(Compare::NotEqual, exponent, 0);
  const Num significand = select(isNormal, fraction | 0x800000, fraction);
  // Below the least normal number bits are lost one by one.
  const std::int64_t least = 127 - format.bias + 1;
  const Num above = exponent - least;
  const Num isTiny = compare(Compare::Less, above, 0);
  const Num deep = select(isTiny, -above, above.like(0)) + (23 - format.fraction);
  const Num drop = select(compare(Compare::Greater, deep, 30), deep.like(30), deep);
  const Num unit = shiftLeft(drop.like(1), drop);
  const Num up = how.rounding == Rounding::Up ? compare(Compare::GreaterEqual, encoded, 0)
                 : how.rounding == Rounding::Down
                     ? negative
                     : single.emit->constant(single.emit->integer(1), std::int64_t{0});
  Num sum = significand;
  if (how.rounding == Rounding::NearestEven) {
    sum = significand + ((logicalRight(unit, 1) - 1) + (logicalRight(significand, drop) & 1));
  } else if (how.rounding != Rounding::TowardZero) {
    sum = significand + select(up, unit - 1, unit.like(0));
  }
  // The leading bit of a normal significand adds one to the exponent.
  const Num base = select(isTiny, above.like(0), above) << format.fraction;
  Num small = base + logicalRight(sum, drop);
  Num overflow = small.like(format.most);
  if (!how.saturate) {
    const Num infinite = compare(Compare::Equal, magnitude, kInfinity);
    const bool nearest = how.rounding == Rounding::NearestEven;
    const Num away = nearest ? small.like(format.beyond)
                             : select(up | infinite, small.like(format.beyond), overflow);
    overflow = away;
  }
  small = select(compare(Compare::Greater, small, format.most), overflow, small);
  small = select(negative, small | (std::int64_t{1} << (format.width - 1)), small);
  const std::int64_t nan = (std::int64_t{1} << (format.width - 1)) - 1;
  return resized(select(isNan(single), small.like(nan), small), format.width, false);
}

bool f8Instruction(const Conversion& how, const ConversionTarget& on) {
  return on.f8 && how.saturate && how.rounding == Rounding::NearestEven;
}

Num f8Pair(Num low, Num high, mlir::Type type) {
  Emit& emit = *low.emit;
  const std::array operands{high, low};
  return emit.intrinsic(isE4M3(type) ? "llvm.nvvm.ff.to.e4m3x2.rn" : "llvm.nvvm.ff.to.e5m2x2.rn",
                        emit.integer(16), operands);
}

Num singleToTf32(Num single, const Conversion& how, const ConversionTarget& on) {
  Emit& emit = *single.emit;
  constexpr double kMost = 0x1.ffcp127;
  if (how.saturate) single = limited(single, kMost);
  const bool away = how.rounding == Rounding::NearestAway;
  if (!on.host && (away || on.tf32Rounding)) {
    const std::string name = std::string("f2tf32.") + (away ? "rna" : suffix(how.rounding));
    return fromBits(instruction(name, emit.integer(32), single));
  }
  return fromBits(withoutBits(single, 13, how.rounding));
}

Num singleToHalf(Num single, const Conversion& how, const ConversionTarget& on) {
  Emit& emit = *single.emit;
  mlir::Type half = emit.builder().getF16Type();
  if (how.saturate) single = limited(single, 65504);
  if (how.rounding == Rounding::NearestEven) return narrowed(single, half);
  if (on.host) {
    constexpr SmallFormat kF16{16, 10, 15, 0x7bff, 0x7c00};
    return asType(singleToSmall(single, kF16, how), half);
  }
  const std::array operands{single};
  const std::string text = std::string("cvt.") + suffix(how.rounding) + ".f16.f32 $0, $1;";
  return asType(emit.assembly(text, "=h,f", emit.integer(16), operands), half);
}

Num singleToBf16(Num single, const Conversion& how, const ConversionTarget& on) {
  Emit& emit = *single.emit;
  mlir::Type type = emit.builder().getBF16Type();
  if (how.saturate) single = limited(single, 0x1.fep127);
  // The instruction that some CPUs have makes subnormal numbers zero.
  if (how.rounding == Rounding::NearestEven && !on.host) return narrowed(single, type);
  const Num encoded = withoutBits(single, 16, how.rounding);
  return asType(resized(logicalRight(encoded, 16), 16, false), type);
}

}  // namespace

Num converted(Num source, mlir::Type sourceType, const Conversion& how,
              const ConversionTarget& on) {
  Emit& emit = *source.emit;
  const bool fromInteger = sourceType.isInteger();
  if (fromInteger && how.result.isInteger()) return integerToInteger(source, how);
  const bool narrow = how.result.getIntOrFloatBitWidth() < 32 || how.tf32;
  if (how.result.isF64()) {
    if (sourceType.isF64()) return source;
    if (fromInteger && on.host) {
      return host::integerToDouble(source, how.unsignedSource, how.rounding, false);
    }
    if (fromInteger) {
      const Num wide = source.width() < 32 ? resized(source, 32, !how.unsignedSource) : source;
      const std::string from = nameOf(wide.type(), how.unsignedSource);
      return instruction(from + "2d." + suffix(how.rounding), how.result, wide);
    }
  }
  Num real = source;
  if (isF8(sourceType)) real = f8ToSingle(source, isE4M3(sourceType), on);
  if (how.result.isInteger()) {
    return realToInteger(real.width() < 32 ? widened(real, emit.f32()) : real, how, on);
  }
  if (fromInteger) {
    real = integerToSingle(source, how.unsignedSource, how.rounding, narrow, on);
  } else if (sourceType.isF64()) {
    real = doubleToSingle(source, how.rounding, narrow, on);
  } else {
    real = widened(real, emit.f32());
  }
  if (how.tf32) return singleToTf32(real, how, on);
  if (how.result.isF32()) return real;
  if (how.result.isF64()) return widened(real, how.result);
  if (how.result.isF16()) return singleToHalf(real, how, on);
  if (how.result.isBF16()) return singleToBf16(real, how, on);
  if (f8Instruction(how, on)) return resized(f8Pair(real, real.like(0), how.result), 8, false);
  constexpr SmallFormat kE4M3{8, 3, 7, 0x7e, 0x7f};
  constexpr SmallFormat kE5M2{8, 2, 15, 0x7b, 0x7c};
  return singleToSmall(real, isE4M3(how.result) ? kE4M3 : kE5M2, how);
}

Num convertedBytes(Num first, Num second, mlir::Type sourceType, const Conversion& how,
                   const ConversionTarget& on) {
  Emit& emit = *first.emit;
  if (!isF8(how.result) || !f8Instruction(how, on)) {
    const Num low = resized(converted(first, sourceType, how, on), 16, false);
    return low | (resized(converted(second, sourceType, how, on), 16, false) << 8);
  }
  Conversion toSingle = how;
  toSingle.result = emit.f32();
  toSingle.saturate = false;
  const auto single = [&](Num x) {
    if (sourceType.isInteger())
      return integerToSingle(x, how.unsignedSource, how.rounding, true, on);
    if (sourceType.isF64()) return doubleToSingle(x, how.rounding, true, on);
    return converted(x, sourceType, toSingle, on);
  };
  return f8Pair(single(first), single(second), how.result);
}

}  // namespace cutwork::transforms::math

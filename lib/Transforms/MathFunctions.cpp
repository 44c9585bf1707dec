// MathFunctions.cpp -- exponentials, logarithms, powers, roots, tanh and erf.
#include "Transforms/MathFunctions.h"

#include <bit>
#include <limits>

#include "Transforms/MathCoefficients.h"

namespace cutwork::transforms::math {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Numbers = std::span<const double>;

/// The array of the operand's type.
Numbers pick(Num x, Numbers single, Numbers twice) { return x.width() == 32 ? single : twice; }
#define CUTWORK_MATH_TABLE(x, name) pick(x, k##name##F32, k##name##F64)

/// Within [low, high]; NaN stays. f64 has no min.NaN.
Num clamped(Num x, double low, double high) {
  if (x.width() == 32) return larger(smaller(x, x.like(high)), x.like(low));
  x = select(compare(Compare::Greater, x, high), x.like(high), x);
  return select(compare(Compare::Less, x, low), x.like(low), x);
}

Num powerOfTwo(Num exponent, const Format& format) {
  return fromBits((exponent + format.bias) << format.fraction);
}

/// exp(x) for x within the clamp's bounds.
Num exponentialWithin(Num x) {
  const Numbers log2e = CUTWORK_MATH_TABLE(x, Log2E);
  const Numbers ln2 = CUTWORK_MATH_TABLE(x, Ln2);
  const Whole n = nearestWhole(x, log2e[0]);
  Num r = fma(-n.real, x.like(ln2[0]), x);
  r = fma(-n.real, x.like(ln2[1]), r);
  const Num q = polynomial(r, CUTWORK_MATH_TABLE(x, Exp));
  return scaled(fma(r, fma(r, q, x.like(1)), x.like(1)), n.integer);
}

/// 2^(whole + part) for |part| < 0.503.
Num powerOfTwoSum(Num whole, Num part) {
  const Num q = polynomial(part, CUTWORK_MATH_TABLE(part, Exp2));
  return scaled(fma(part, q, part.like(1)), whole);
}

/// x = 2^exponent * (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), for positive finite x.
struct Parts {
  Num exponent;
  Num f;
};
Parts partsOf(Num x) {
  const Format format = formatOf(x);
  const bool single = x.width() == 32;
  const double least = single ? 0x1p-126 : 0x1p-1022;
  const Num small = compare(Compare::Less, x, least);
  const double up = single ? 0x1p23 : 0x1p52;
  const Num normal = bits(select(small, x * up, x));
  const auto rootOfHalf = single ? std::int64_t{std::bit_cast<std::int32_t>(0x1.6a09e6p-1F)}
                                 : std::bit_cast<std::int64_t>(0x1.6a09e667f3bcdp-1);
  const Num exponent = arithmeticRight(normal - rootOfHalf, format.fraction);
  const Num m = fromBits(normal - (exponent << format.fraction));
  const Num shift = select(small, exponent.like(-format.fraction), exponent.like(0));
  return {toReal(exponent + shift, x.type()), m - 1};
}

/// What logarithms give where they are not finite.
Num logarithmEdges(Num x, Num result) {
  result = select(compare(Compare::Less, x, kInfinity), result, x);
  result = select(compare(Compare::Less, x, 0), x.like(kNan), result);
  return select(compare(Compare::Equal, x, 0), x.like(-kInfinity), result);
}

/// log2 of a positive finite number in two parts, about 2^-34 (f32) or 2^-67 (f64) in all.
struct Doubled {
  Num high;
  Num low;
};
Doubled logarithm2Doubled(Num x) {
  const Parts parts = partsOf(x);
  const Num f = parts.f;
  const Numbers heads = CUTWORK_MATH_TABLE(x, PowerLogHigh);
  const Numbers rests = CUTWORK_MATH_TABLE(x, PowerLogLow);
  Num high = polynomial(f, CUTWORK_MATH_TABLE(x, PowerLogTail));
  Num low = x.like(0);
  const auto timesF = [&] {
    const Num product = high * f;
    low = fma(low, f, fma(high, f, -product));
    high = product;
  };
  for (std::size_t i = heads.size(); i-- > 0;) {
    timesF();
    // |head| is the larger: the rounding error is had by subtracting.
    const Num sum = high + heads[i];
    low = (high - (sum - heads[i])) + (low + rests[i]);
    high = sum;
  }
  timesF();
  const Num sum = parts.exponent + high;
  low = (high - (sum - parts.exponent)) + low;
  high = sum + low;
  return {high, low - (high - sum)};
}

}  // namespace

Format formatOf(Num x) {
  if (x.width() == 32) return {23, 127, 0x1.8p23};
  return {52, 1023, 0x1.8p52};
}

Whole nearestWhole(Num x) {
  const double shift = formatOf(x).roundingShift;
  const Num moved = x + shift;
  return {moved - shift, bits(moved) - bits(x.like(shift))};
}
Whole nearestWhole(Num x, double factor) {
  const double shift = formatOf(x).roundingShift;
  const Num moved = fma(x, x.like(factor), x.like(shift));
  return {moved - shift, bits(moved) - bits(x.like(shift))};
}

Num scaled(Num real, Num exponent) {
  // In two steps: one power of two would overflow where the result does not, or lose its bits.
  const Format format = formatOf(real);
  const Num half = arithmeticRight(exponent, 1);
  return real * powerOfTwo(half, format) * powerOfTwo(exponent - half, format);
}

Num exponential(Num x) {
  return exponentialWithin(x.width() == 32 ? clamped(x, -105, 90) : clamped(x, -747, 711));
}

Num exponential2(Num x) {
  const Num within = x.width() == 32 ? clamped(x, -152, 130) : clamped(x, -1077, 1026);
  const Whole n = nearestWhole(within);
  return powerOfTwoSum(n.integer, within - n.real);
}

Num logarithm(Num x) {
  const Parts parts = partsOf(x);
  const Numbers ln2 = CUTWORK_MATH_TABLE(x, Ln2);
  const Num q = polynomial(parts.f, CUTWORK_MATH_TABLE(x, Log));
  const Num ofF = fma(parts.f * parts.f, q, parts.f);
  const Num low = fma(parts.exponent, x.like(ln2[1]), ofF);
  return logarithmEdges(x, fma(parts.exponent, x.like(ln2[0]), low));
}

namespace {

/// log_b(1 + f) where 1 / ln b is in two parts.
Num logarithmOfPart(Num f, Numbers scale, Numbers coefficients) {
  const Num rest = fma(f, f.like(scale[1]), f * f * polynomial(f, coefficients));
  return fma(f, f.like(scale[0]), rest);
}

}  // namespace

Num logarithm2(Num x) {
  const Parts parts = partsOf(x);
  const Num ofF =
      logarithmOfPart(parts.f, CUTWORK_MATH_TABLE(x, Log2E), CUTWORK_MATH_TABLE(x, Log2));
  return logarithmEdges(x, parts.exponent + ofF);
}

Num logarithm10(Num x) {
  const Parts parts = partsOf(x);
  const Numbers two = CUTWORK_MATH_TABLE(x, Log10Of2);
  const Num ofF =
      logarithmOfPart(parts.f, CUTWORK_MATH_TABLE(x, Log10E), CUTWORK_MATH_TABLE(x, Log10));
  const Num low = fma(parts.exponent, x.like(two[1]), ofF);
  return logarithmEdges(x, fma(parts.exponent, x.like(two[0]), low));
}

Num reciprocalRoot(Num x) {
  const std::array operands{x};
  const Num y = x.width() == 64 ? 1 / squareRoot(x)
                                : x.emit->intrinsic("llvm.nvvm.rsqrt.approx.f", x.type(), operands);
  // One step of Newton's, with the rounding error of x * y in it.
  const Num xy = x * y;
  const Num lost = fma(x, y, -xy);
  const Num error = fma(-lost, y, fma(-xy, y, x.like(1)));
  const Num better = fma(y * 0.5, error, y);
  // Not where y is zero, infinite or NaN already.
  const Num usual = compare(Compare::Greater, x, 0) & compare(Compare::Less, x, kInfinity);
  return select(usual, better, y);
}

Num hyperbolicTangent(Num x) {
  const Num a = magnitude(x);
  const Num z = a * a;
  const Num near = fma(a * z, polynomial(z, CUTWORK_MATH_TABLE(x, Tanh)), a);
  const Num e = exponentialWithin(clamped(a, 0, x.width() == 32 ? 10 : 20) * 2);
  const Num far = fma(x.like(-2), 1 / (e + 1), x.like(1));
  return withSign(select(compare(Compare::Less, a, 0.5625), near, far), x);
}

Num errorFunction(Num x) {
  const Num a = magnitude(x);
  const Num z = x * x;
  const auto near = [&] { return fma(x, polynomial(z, CUTWORK_MATH_TABLE(x, Erf)), x); };
  // In powers of the distance from the lower end, where the result is least: there q must be best.
  const auto beyond = [&](double first, Numbers coefficients, double last) {
    const Num q = polynomial(clamped(a, 0, last) - first, coefficients);
    return withSign(1 - exponentialWithin(q), x);
  };
  const Num isNear = compare(Compare::Less, a, 1);
  if (x.width() == 32) return select(isNear, near(), beyond(1, kErfMiddleF32, 4));
  Emit& emit = *x.emit;
  return emit.branch(
      isNear, [&] { return std::vector{near()}; },
      [&] {
        return emit.branch(
            compare(Compare::Less, a, 2.25),
            [&] { return std::vector{beyond(1, kErfMiddleF64, 2.25)}; },
            [&] { return std::vector{beyond(2.25, kErfFarF64, 6)}; });
      })[0];
}

namespace {

/// atan(t) for 0 <= t <= 1, in two parts.
Doubled arcTangentOfPart(Num t) {
  const Num z = t * t;
  return {t, t * z * polynomial(z, CUTWORK_MATH_TABLE(t, Atan))};
}

/// quarters * pi/2 - x, which is positive.
Doubled takenFrom(const Doubled& x, int quarters) {
  const Numbers halfPi = CUTWORK_MATH_TABLE(x.high, HalfPi);
  const Num all = x.high.like(quarters * halfPi[0]);
  const Num high = all - x.high;
  const Num lost = (all - high) - x.high;
  return {high, lost + (quarters * halfPi[1] - x.low)};
}

Num sum(const Doubled& x) { return x.high + x.low; }
Doubled select(Num condition, const Doubled& a, const Doubled& b) {
  return {select(condition, a.high, b.high), select(condition, a.low, b.low)};
}

/// 2 asin(sqrt((1 - a) / 2)) for a above 1/2, which is acos(a); else asin(a). In two parts.
Doubled arcSineOfPart(Num a, Num isLarge) {
  const Num z = select(isLarge, (1 - a) * 0.5, a * a);
  const Num root = squareRoot(z);
  const Num rootLost =
      fma(-root, root, z) / select(compare(Compare::Equal, z, 0), z.like(1), root * 2);
  const Num t = select(isLarge, root, a);
  const Num rest = t * z * polynomial(z, CUTWORK_MATH_TABLE(a, Asin));
  return select(isLarge, Doubled{t * 2, (rest + rootLost) * 2}, Doubled{t, rest});
}

}  // namespace

Num arcTangent(Num x) {
  const Num a = magnitude(x);
  const Num isLarge = compare(Compare::Greater, a, 1);
  const Doubled angle = arcTangentOfPart(select(isLarge, 1 / a, a));
  return withSign(sum(select(isLarge, takenFrom(angle, 1), angle)), x);
}

Num arcTangent2(Num y, Num x) {
  const Num up = magnitude(y);
  const Num along = magnitude(x);
  const Num isSteep = compare(Compare::Greater, up, along);
  const Num large = select(isSteep, up, along);
  const Num small = select(isSteep, along, up);
  // Between two infinities the angle is in the middle, and between two zeros there is none.
  const Num same = compare(Compare::Equal, large, small);
  const Num isZero = compare(Compare::Equal, large, 0);
  const Num ratio =
      select(same, select(isZero, x.like(0), x.like(1)), small / select(isZero, x.like(1), large));
  Doubled angle = arcTangentOfPart(ratio);
  angle = select(isSteep, takenFrom(angle, 1), angle);
  const Num isBehind = compare(Compare::Less, bits(x), 0);
  const Num result = withSign(sum(select(isBehind, takenFrom(angle, 2), angle)), y);
  return select(isNan(x) | isNan(y), x.like(kNan), result);
}

Num arcSine(Num x) {
  const Num a = magnitude(x);
  const Num isLarge = compare(Compare::Greater, a, 0.5);
  const Doubled part = arcSineOfPart(a, isLarge);
  return withSign(sum(select(isLarge, takenFrom(part, 1), part)), x);
}

Num arcCosine(Num x) {
  const Num a = magnitude(x);
  const Num isLarge = compare(Compare::Greater, a, 0.5);
  const Num isNegative = compare(Compare::Less, x, 0);
  const Doubled part = arcSineOfPart(a, isLarge);
  const Doubled far = select(isNegative, takenFrom(part, 2), part);
  const Doubled minus{-part.high, -part.low};
  const Doubled near = takenFrom(select(isNegative, minus, part), 1);
  return sum(select(isLarge, far, near));
}

Num power(Num x, Num y) {
  const bool single = x.width() == 32;
  const Num a = magnitude(x);
  const Doubled log = logarithm2Doubled(a);
  // 2^(y log2 a), with the product in two parts. Far outside the range only its sign counts.
  const Num high = y * log.high;
  const Num low = fma(y, log.low, fma(y, log.high, -high));
  const Num far = compare(Compare::Greater, magnitude(high), 4096);
  const Num within = single ? clamped(high, -152, 130) : clamped(high, -1077, 1026);
  const Whole n = nearestWhole(within);
  Num result = powerOfTwoSum(n.integer, (within - n.real) + select(far, x.like(0), low));

  const Num isZero = compare(Compare::Equal, a, 0);
  const Num isInfinite = compare(Compare::Equal, a, kInfinity);
  const Num grows = isZero ^ compare(Compare::Greater, y, 0);
  result = select(isZero | isInfinite, select(grows, x.like(kInfinity), x.like(0)), result);
  result = select(compare(Compare::Equal, a, 1), x.like(1), result);

  const Num whole = compare(Compare::Equal, truncate(y), y);
  const Num half = y * 0.5;
  const Num odd = whole & compare(Compare::NotEqual, truncate(half), half);
  result = select(odd, withSign(result, x), result);
  const Num negative = compare(Compare::Less, x, 0) & compare(Compare::Less, a, kInfinity);
  const Num notWhole = compare(Compare::NotEqual, truncate(y), y);
  const Num undefined = (negative & notWhole) | isNan(x) | isNan(y);
  result = select(undefined, x.like(kNan), result);
  const Num isOne = compare(Compare::Equal, x, 1) | compare(Compare::Equal, y, 0);
  return select(isOne, x.like(1), result);
}

Num roundAway(Num x) {
  const Num whole = truncate(x);
  const Num far = compare(Compare::GreaterEqual, magnitude(x - whole), 0.5);
  return withSign(select(far, whole + withSign(x.like(1), x), whole), x);
}

}  // namespace cutwork::transforms::math

// MathReduction.cpp -- sine and cosine of any argument, and the exact remainder.
#include <algorithm>
#include <limits>

#include "Transforms/MathCoefficients.h"
#include "Transforms/MathFunctions.h"

namespace cutwork::transforms::math {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTwoOverPiRounded = 0x1.45f306dc9c883p-1;

/// x = quadrant * pi/2 + angle + rest, |angle| at most a little over pi/4; of the quadrant, an i32,
/// the two lowest bits count.
struct Reduced {
  Num quadrant;
  Num angle;
  Num rest;
};

/// For |x| up to 2^16 (f32) or 2^30 (f64): pi/2 in three parts. The first product and difference
/// are exact in an fma.
Reduced reduceNear(Num x) {
  const std::span<const double> halfPi =
      x.width() == 32 ? std::span<const double>(kHalfPiF32) : std::span<const double>(kHalfPiF64);
  const Whole n = nearestWhole(x, kTwoOverPiRounded);
  const Num minus = -n.real;
  const Num first = fma(minus, x.like(halfPi[0]), x);
  const Num product = minus * halfPi[1];
  const Num productLost = fma(minus, x.like(halfPi[1]), -product);
  const Num second = first + product;
  // What the sum lost, whichever is the larger (Knuth's TwoSum).
  const Num added = second - first;
  const Num lost = (first - (second - added)) + (product - added);
  const Num low = fma(minus, x.like(halfPi[2]), lost + productLost);
  const Num angle = second + low;
  return {resized(n.integer, 32, true), angle, (second - angle) + low};
}

Num highProduct(Num a, Num b) {
  const std::array operands{a, b};
  return a.emit->intrinsic("llvm.nvvm.mulhi.ull", a.type(), operands);
}

/// 64 bits from the pair's bit `shift` on (0 to 63).
Num window(Num high, Num low, Num shift) {
  return shiftLeft(high, shift) | logicalRight(logicalRight(low, 1), 63 - shift);
}

/// For finite f64 of at least 2^16: the product with as many bits of 2/pi as matter, in integers
/// (Payne and Hanek, "Radian reduction for trigonometric functions", 1983).
Reduced reduceFar(Num x) {
  Emit& emit = *x.emit;
  constexpr std::int64_t kLeast = 26;  // the exponent's least offset into the table
  const Num encoded = bits(x);
  const Num exponent = logicalRight(encoded, 52) & 0x7ff;
  const Num mantissa = (encoded & 0xfffffffffffff) | (std::int64_t{1} << 52);
  // The table begins with a word of zeros. Bits of 2/pi whose product is a multiple of 4 quadrants
  // are left out: x is mantissa * 2^(exponent - 1075).
  const Num offset = exponent - (1075 + 2 - 64);
  const Num start = select(compare(Compare::Less, offset, kLeast), offset.like(kLeast), offset);
  const Num word = logicalRight(start, 6);
  const Num shift = start & 63;
  std::array<std::uint64_t, kTwoOverPi.size() + 1> table{};
  std::copy(kTwoOverPi.begin(), kTwoOverPi.end(), table.begin() + 1);
  std::vector<Num> words;
  words.reserve(4);
  for (int i = 0; i < 4; ++i) words.push_back(emit.lookUp("cutwork_two_over_pi", table, word + i));
  const Num a0 = window(words[0], words[1], shift);
  const Num a1 = window(words[1], words[2], shift);
  const Num a2 = window(words[2], words[3], shift);
  // mantissa * (a0 a1 a2) / 2^192 modulo 1 in 128 bits: the part of a full turn.
  const Num low = mantissa * a1 + highProduct(mantissa, a2);
  const Num carry =
      resized(compareUnsigned(Compare::Less, low, highProduct(mantissa, a2)), 64, false);
  const Num high = mantissa * a0 + highProduct(mantissa, a1) + carry;
  const Num quadrant = logicalRight(logicalRight(high, 61) + 1, 1);
  // What is left of it, in quarters, signed.
  const Num quarter = (high << 2) | logicalRight(low, 62);
  const Num sign = arithmeticRight(quarter, 63);
  const Num m0 = quarter ^ sign;
  const Num m1 = (low << 2) ^ sign;
  const Num lead = leadingZeros(m0) & 63;
  const Num n0 = window(m0, m1, lead);
  const Num n1 = shiftLeft(m1, lead);
  const Num scale = fromBits((1023 - 53 - lead) << 52);
  const Num top = toReal(logicalRight(n0, 11), x.type()) * scale;
  const Num tail = toReal((n0 << 53) | logicalRight(n1, 11), x.type(), false) * 0x1p-64 * scale;
  const Num product = top * kHalfPiF64[0];
  const Num lost = fma(top, x.like(kHalfPiF64[0]), -product);
  const Num rest = fma(tail, x.like(kHalfPiF64[0]), fma(top, x.like(kHalfPiF64[1]), lost));
  const Num angle = product + rest;
  const Num remaining = (product - angle) + rest;
  const Num negative = compare(Compare::Less, encoded ^ sign, 0);
  const Num turned = compare(Compare::Less, encoded, 0);
  const Num count = select(turned, -quadrant, quadrant);
  return {resized(count, 32, true), select(negative, -angle, angle),
          select(negative, -remaining, remaining)};
}

Reduced reduce(Num x) {
  Emit& emit = *x.emit;
  const bool single = x.width() == 32;
  const Num near = compare(Compare::Less, magnitude(x), single ? 0x1p16 : 0x1p30);
  const std::vector<Num> all = emit.branch(
      near,
      [&] {
        const Reduced r = reduceNear(x);
        return std::vector{r.quadrant, r.angle, r.rest};
      },
      [&] {
        const std::array<mlir::Type, 3> results{emit.integer(32), emit.f64(), emit.f64()};
        const std::array operands{single ? widened(x, emit.f64()) : x};
        std::vector<Num> r = emit.call("cutwork_reduce_angle", results, operands, true,
                                       [](std::span<const Num> arguments) {
                                         const Reduced made = reduceFar(arguments[0]);
                                         return std::vector{made.quadrant, made.angle, made.rest};
                                       });
        if (!single) return r;
        const Num angle = narrowed(r[1], x.type());
        const Num rest = narrowed(r[1] - widened(angle, emit.f64()), x.type());
        return std::vector{r[0], angle, rest};
      });
  return {all[0], all[1], all[2]};
}

/// A number in two parts, the second below the first's last place.
struct Parts {
  Num high;
  Num low;
};

/// The sine and the cosine of angle + rest.
struct Pair {
  Parts sine;
  Parts cosine;
};
Pair sineAndCosine(const Reduced& r) {
  const bool single = r.angle.width() == 32;
  const Num z = r.angle * r.angle;
  const auto table = [&](std::span<const double> f32, std::span<const double> f64) {
    return polynomial(z, single ? f32 : f64);
  };
  const Num odd = fma(r.angle * z, table(kSinF32, kSinF64), r.rest);
  const Num s = r.angle + odd;
  // 1 - z/2 with its rounding error, and the rest below it.
  const Num w = 1 - z * 0.5;
  const Num lost = (1 - w) - z * 0.5;
  const Num square = fma(r.angle, r.angle, -z) * 0.5;
  const Num low = lost + fma(z * z, table(kCosF32, kCosF64), -fma(r.angle, r.rest, square));
  const Num c = w + low;
  return {{s, (r.angle - s) + odd}, {c, (w - c) + low}};
}

/// NaN where x is infinite, or one.
Num whereFinite(Num x, Num result) {
  return select(compare(Compare::Less, magnitude(x), kInfinity), result, x - x);
}

/// sin(x + turns * pi/2)
Num turnedSine(Num x, int turns) {
  const Reduced r = reduce(x);
  const Pair both = sineAndCosine(r);
  const Num quadrant = r.quadrant + turns;
  const Num swapped = compare(Compare::NotEqual, quadrant & 1, 0);
  const Num value = select(swapped, both.cosine.high, both.sine.high);
  return whereFinite(x, select(compare(Compare::NotEqual, quadrant & 2, 0), -value, value));
}

}  // namespace

Num sine(Num x) {
  // The sign of zero is lost on the way.
  return select(compare(Compare::Equal, x, 0), x, turnedSine(x, 0));
}

Num cosine(Num x) { return turnedSine(x, 1); }

Num tangent(Num x) {
  const Reduced r = reduce(x);
  const auto [s, c] = sineAndCosine(r);
  // In odd quadrants it is -c / s.
  const Num swapped = compare(Compare::NotEqual, r.quadrant & 1, 0);
  const Parts above{select(swapped, -c.high, s.high), select(swapped, -c.low, s.low)};
  const Parts below{select(swapped, s.high, c.high), select(swapped, s.low, c.low)};
  const Num quotient = above.high / below.high;
  const Num left = fma(-quotient, below.high, above.high) + fma(-quotient, below.low, above.low);
  const Num better = quotient + left / below.high;
  return select(compare(Compare::Equal, x, 0), x, whereFinite(x, better));
}

namespace {

/// The biased exponent, below one for subnormals.
Num exponentOf(Num x, const Format& format) {
  const bool single = x.width() == 32;
  const Num small = compare(Compare::Less, x, single ? 0x1p-126 : 0x1p-1022);
  const Num normal = select(small, x * (single ? 0x1p24 : 0x1p53), x);
  const Num field = logicalRight(bits(normal), format.fraction);
  return select(small, field - (format.fraction + 1), field);
}

}  // namespace

Num remainder(Num x, Num y) {
  Emit& emit = *x.emit;
  const Format format = formatOf(x);
  // Bits of the quotient in one step. Not fewer: the power of two must be within scaled's range.
  const std::int64_t step = x.width() == 32 ? 22 : 51;
  const Num divisor = magnitude(y);
  const Num good =
      compare(Compare::Less, magnitude(x), kInfinity) & compare(Compare::Greater, divisor, 0);
  const Num start = select(good, magnitude(x), x.like(std::numeric_limits<double>::quiet_NaN()));
  // Each step subtracts a multiple of divisor * 2^k that is exact in one fma: the remainder is a
  // multiple of the divisor's last place. The quotient may be rounded up, which the sign shows.
  const std::vector<Num> last = emit.loop(
      std::array{start},
      [&](std::span<const Num> left) { return compare(Compare::GreaterEqual, left[0], divisor); },
      [&](std::span<const Num> left) {
        const Num apart = exponentOf(left[0], format) - exponentOf(divisor, format) - step;
        const Num shift = select(compare(Compare::Less, apart, 0), apart.like(0), apart);
        const Num unit = scaled(divisor, shift);
        const Num quotient = truncate(left[0] / unit);
        const Num next = fma(-quotient, unit, left[0]);
        return std::vector{select(compare(Compare::Less, next, 0), next + unit, next)};
      });
  return withSign(last[0], x);
}

}  // namespace cutwork::transforms::math

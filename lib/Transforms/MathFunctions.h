// MathFunctions.h -- the math functions on f32 and f64 values, in IEEE operations only.
//
// Every function takes its whole range, gives infinities, NaN and signed zeros as C's does, and has
// the same bits on every device: it uses no approximate instruction (reciprocalRoot of f32 corrects
// one). Bounds on the error are in docs/math.md; test/unit/Math measures them.
#pragma once

#include "Transforms/MathEmit.h"

namespace cutwork::transforms::math {

Num exponential(Num x);
Num exponential2(Num x);
Num logarithm(Num x);
Num logarithm2(Num x);
Num logarithm10(Num x);
Num reciprocalRoot(Num x);
Num hyperbolicTangent(Num x);
Num errorFunction(Num x);
Num power(Num x, Num y);

Num sine(Num x);
Num cosine(Num x);

Num tangent(Num x);

Num arcTangent(Num x);
Num arcTangent2(Num y, Num x);
Num arcSine(Num x);
Num arcCosine(Num x);

/// C's fmod, exactly.
Num remainder(Num x, Num y);

/// Half away from zero.
Num roundAway(Num x);

/// real * 2^exponent, rounded once, for |exponent| below twice the largest of the type.
Num scaled(Num real, Num exponent);

/// A real rounded to an integer, to even: as a real and as an integer of the same width. |x| must
/// be below 2^22 (f32) or 2^51 (f64).
struct Whole {
  Num real;
  Num integer;
};
Whole nearestWhole(Num x);
/// The same of x * factor without rounding the product.
Whole nearestWhole(Num x, double factor);

/// Widths, bias and the number whose addition rounds to an integer.
struct Format {
  int fraction;
  std::int64_t bias;
  double roundingShift;
};
Format formatOf(Num x);

}  // namespace cutwork::transforms::math

// cutwork/DSL/Math.h -- elementary functions of scalars and vectors.
//
//     Float32 y = cute::exp2(x * 1.4427f, /*fastmath=*/true);
//     TensorSSA g = cute::tanh(v);
//
// Integers become Float32 first. Float16 and BFloat16 are computed in Float32 and rounded once.
// With fastmath the hardware's approximations are used; docs/math.md has the accuracy of both.
#pragma once

#include "cutwork/DSL/TensorSSA.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

#define CW_FUNCTION(name)                            \
  Numeric name(const Arg& x, bool fastmath = false); \
  TensorSSA name(const VectorOperand& x, bool fastmath = false);
CW_FUNCTION(exp)
CW_FUNCTION(exp2)
CW_FUNCTION(log)
CW_FUNCTION(log2)
CW_FUNCTION(log10)
CW_FUNCTION(sqrt)
CW_FUNCTION(rsqrt)
CW_FUNCTION(sin)
CW_FUNCTION(cos)
CW_FUNCTION(tan)
CW_FUNCTION(asin)
CW_FUNCTION(acos)
CW_FUNCTION(atan)
CW_FUNCTION(tanh)
CW_FUNCTION(erf)
CW_FUNCTION(floor)
CW_FUNCTION(ceil)
CW_FUNCTION(absf)
/// 1 / x.
CW_FUNCTION(rcp)
/// 1 / (1 + exp(-x)).
CW_FUNCTION(sigmoid)
#undef CW_FUNCTION

/// base to the power of exponent, and the angle of the point (x, y), as C's; integers become
/// floating point first. Extents of 1 and numbers are spread as by operators.
Numeric pow(const Arg& base, const Arg& exponent);
TensorSSA pow(const VectorOperand& base, const VectorOperand& exponent);
TensorSSA pow(const VectorOperand& base, const Arg& exponent);
TensorSSA pow(const Arg& base, const VectorOperand& exponent);
Numeric atan2(const Arg& y, const Arg& x);
TensorSSA atan2(const VectorOperand& y, const VectorOperand& x);
TensorSSA atan2(const VectorOperand& y, const Arg& x);
TensorSSA atan2(const Arg& y, const VectorOperand& x);

/// a * b + c, rounded once.
Numeric fma(const Arg& a, const Arg& b, const Arg& c);
TensorSSA fma(const VectorOperand& a, const VectorOperand& b, const VectorOperand& c);

}  // namespace cutwork::cute

#pragma GCC visibility pop

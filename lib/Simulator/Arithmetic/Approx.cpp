// Approx.cpp -- the approximate instructions of PTX (ISA section 9.7.3).
#include "Approx.h"

#include <bit>
#include <cmath>
#include <limits>

#include "Float.h"

namespace cutwork::sim {
namespace {

float input(float x, Param ftz) { return ftz.value != 0 ? flushF32(x) : x; }
float finish(double x, Param ftz) {
  return std::bit_cast<float>(narrow(x, kF32, Round::Rn, ftz.value != 0));
}

}  // namespace

float divApprox(float a, float b, Param ftz) {
  const float x = input(a, ftz);
  const float y = input(b, ftz);
  // Above 2^126 the reciprocal is taken for zero (ISA 9.7.3.8).
  if (std::fabs(y) > 0x1p126F && std::isfinite(y)) {
    return std::isfinite(x) ? std::copysign(0.0F, std::signbit(x) == std::signbit(y) ? 1.0F : -1.0F)
                            : std::bit_cast<float>(0x7fffffffU);
  }
  return finish(double{x} / double{y}, ftz);
}
float divFull(float a, float b, Param ftz) {
  return finish(double{input(a, ftz)} / double{input(b, ftz)}, ftz);
}
float rcpApprox(float a, Param ftz) { return finish(1.0 / double{input(a, ftz)}, ftz); }
float sqrtApprox(float a, Param ftz) { return finish(std::sqrt(double{input(a, ftz)}), ftz); }
float rsqrtApprox(float a, Param ftz) {
  const double x = input(a, ftz);
  return finish(
      x == 0 ? std::copysign(std::numeric_limits<double>::infinity(), x) : 1.0 / std::sqrt(x), ftz);
}
float sinApprox(float a, Param ftz) {
  const float x = input(a, ftz);
  // The hardware reduces the angle to a fixed point first: a tiny one becomes zero.
  if (std::fabs(x) < 0x1p-22F) return std::copysign(0.0F, x);
  return finish(std::sin(double{x}), ftz);
}
float cosApprox(float a, Param ftz) { return finish(std::cos(double{input(a, ftz)}), ftz); }
float lg2Approx(float a, Param ftz) { return finish(std::log2(double{input(a, ftz)}), ftz); }
float ex2Approx(float a, Param ftz) { return finish(std::exp2(double{input(a, ftz)}), ftz); }
float tanhApprox(float a, Param ftz) { return finish(std::tanh(double{input(a, ftz)}), ftz); }

namespace {

/// These look at the upper 32 bits of the operand only, and give a result with 20 bits.
double upperHalf(double a) {
  const auto bits = std::bit_cast<std::uint64_t>(a) & 0xffffffff00000000U;
  const double upper = std::bit_cast<double>(bits);
  // Subnormal operands and results are zeros of their sign.
  return std::fabs(upper) < std::numeric_limits<double>::min() ? std::copysign(0.0, upper) : upper;
}
double truncated(double x) {
  if (std::isnan(x)) return std::bit_cast<double>(std::uint64_t{0x7fffffff00000000U});
  if (std::fabs(x) < std::numeric_limits<double>::min()) return std::copysign(0.0, x);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000U);
}

}  // namespace

double rcpApproxF64(double a, Param) { return truncated(1.0 / upperHalf(a)); }
double rsqrtApproxF64(double a, Param ftz) {
  if (ftz.value != 0) {
    const double x = upperHalf(a);
    return truncated(1.0 / std::sqrt(x));
  }
  return a == 0 ? std::copysign(std::numeric_limits<double>::infinity(), a) : 1.0 / std::sqrt(a);
}

}  // namespace cutwork::sim

// Float.cpp -- f32 and f64 operations under every rounding, with .ftz and .sat.
#include "Float.h"

namespace cutwork::sim {
namespace {

Round modeOf(Param spec) { return static_cast<Round>(spec.value & 7); }
bool ftzOf(Param spec) { return (spec.value & 8) != 0; }
bool satOf(Param spec) { return (spec.value & 16) != 0; }

float input(float x, Param spec) { return ftzOf(spec) ? flushF32(x) : x; }

/// The exact result (rounded to odd) as f32.
float finish(double exact, Param spec) {
  std::uint32_t bits = narrow(exact, kF32, modeOf(spec), ftzOf(spec));
  if (satOf(spec)) {
    const auto value = std::bit_cast<float>(bits);
    bits = value > 0 ? std::bit_cast<std::uint32_t>(std::fmin(value, 1.0F)) : 0;  // NaN, -0: +0
  }
  return std::bit_cast<float>(bits);
}

/// A sum that is exactly zero: -0 under rm, unless both terms have one sign.
double signedZero(double sum, double a, double b, Param spec) {
  if (sum != 0) return sum;
  if (a == 0 && b == 0 && std::signbit(a) == std::signbit(b)) return a;
  return modeOf(spec) == Round::Rm ? -0.0 : 0.0;
}

}  // namespace

float slowAddF32(float a, float b, Param spec) {
  const double x = input(a, spec);
  const double y = input(b, spec);
  return finish(signedZero(oddSum(x, y), x, y, spec), spec);
}
float slowSubF32(float a, float b, Param spec) {
  const double x = input(a, spec);
  const double y = -double{input(b, spec)};
  return finish(signedZero(oddSum(x, y), x, y, spec), spec);
}
float slowMulF32(float a, float b, Param spec) {
  return finish(double{input(a, spec)} * double{input(b, spec)}, spec);
}
float slowFmaF32(float a, float b, float c, Param spec) {
  const double product = double{input(a, spec)} * double{input(b, spec)};
  const double z = input(c, spec);
  return finish(signedZero(oddSum(product, z), product, z, spec), spec);
}
float slowDivF32(float a, float b, Param spec) {
  return finish(oddQuotient(input(a, spec), input(b, spec)), spec);
}
float slowRcpF32(float a, Param spec) { return finish(oddQuotient(1.0, input(a, spec)), spec); }
float slowSqrtF32(float a, Param spec) { return finish(oddRoot(input(a, spec)), spec); }

double slowAddF64(double a, double b, Param spec) { return addF64(a, b, modeOf(spec)); }
double slowSubF64(double a, double b, Param spec) {
  return addF64(a, std::isnan(b) ? b : -b, modeOf(spec));
}
double slowMulF64(double a, double b, Param spec) { return mulF64(a, b, modeOf(spec)); }
double slowFmaF64(double a, double b, double c, Param spec) {
  return fmaF64(a, b, c, modeOf(spec));
}
double slowDivF64(double a, double b, Param spec) { return divF64(a, b, modeOf(spec)); }
double slowRcpF64(double a, Param spec) { return divF64(1.0, a, modeOf(spec)); }
double slowSqrtF64(double a, Param spec) { return sqrtF64(a, modeOf(spec)); }

}  // namespace cutwork::sim

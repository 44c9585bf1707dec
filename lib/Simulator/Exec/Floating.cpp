// Floating.cpp -- handlers of floating-point arithmetic. Compiled once per host instruction set.
#include "Arithmetic/Approx.h"
#include "Arithmetic/Compare.h"
#include "Arithmetic/Half.h"
#include "Families.h"

CW_SIM_BEGIN
namespace {

template <bool Ftz>
Lifted nearestF32(const Pick& p) {
  switch (p.op) {
    case Op::Add: return lift<addF32<Ftz>>();
    case Op::Sub: return lift<subF32<Ftz>>();
    case Op::Mul: return lift<mulF32<Ftz>>();
    case Op::Mad:
    case Op::Fma: return lift<fmaF32<Ftz>>();
    case Op::Div: return Ftz ? Lifted{} : lift<divF32>();
    case Op::Rcp: return Ftz ? Lifted{} : lift<rcpF32>();
    case Op::Sqrt: return Ftz ? Lifted{} : lift<sqrtF32>();
    default: return {};
  }
}

/// Directed roundings, .sat and the rarer .ftz forms; the decoder puts floatSpec into the record.
Lifted anyF32(const Pick& p) {
  switch (p.op) {
    case Op::Add: return lift<slowAddF32>();
    case Op::Sub: return lift<slowSubF32>();
    case Op::Mul: return lift<slowMulF32>();
    case Op::Mad:
    case Op::Fma: return lift<slowFmaF32>();
    case Op::Div: return lift<slowDivF32>();
    case Op::Rcp: return lift<slowRcpF32>();
    case Op::Sqrt: return lift<slowSqrtF32>();
    default: return {};
  }
}

Lifted nearestF64(const Pick& p) {
  switch (p.op) {
    case Op::Add: return lift<addF64Rn>();
    case Op::Sub: return lift<subF64Rn>();
    case Op::Mul: return lift<mulF64Rn>();
    case Op::Mad:
    case Op::Fma: return lift<fmaF64Rn>();
    case Op::Div: return lift<divF64Rn>();
    case Op::Rcp: return lift<rcpF64Rn>();
    case Op::Sqrt: return lift<sqrtF64Rn>();
    default: return {};
  }
}

Lifted anyF64(const Pick& p) {
  switch (p.op) {
    case Op::Add: return lift<slowAddF64>();
    case Op::Sub: return lift<slowSubF64>();
    case Op::Mul: return lift<slowMulF64>();
    case Op::Mad:
    case Op::Fma: return lift<slowFmaF64>();
    case Op::Div: return lift<slowDivF64>();
    case Op::Rcp: return lift<slowRcpF64>();
    case Op::Sqrt: return lift<slowSqrtF64>();
    default: return {};
  }
}

Lifted approxF32(const Pick& p) {
  switch (p.op) {
    case Op::Div: return (p.flags & kFull) != 0 ? lift<divFull>() : lift<divApprox>();
    case Op::Rcp: return lift<rcpApprox>();
    case Op::Sqrt: return lift<sqrtApprox>();
    case Op::Rsqrt: return lift<rsqrtApprox>();
    case Op::Sin: return lift<sinApprox>();
    case Op::Cos: return lift<cosApprox>();
    case Op::Lg2: return lift<lg2Approx>();
    case Op::Ex2: return lift<ex2Approx>();
    case Op::Tanh: return lift<tanhApprox>();
    default: return {};
  }
}

template <bool Max, bool Nan>
Lifted minMaxOf(bool ftz, bool xorsign) {
  if (xorsign) {
    return ftz ? lift<minMaxXorF32<Max, Nan, true>>() : lift<minMaxXorF32<Max, Nan, false>>();
  }
  return ftz ? lift<minMaxF32<Max, Nan, true>>() : lift<minMaxF32<Max, Nan, false>>();
}

Lifted selectMinMax(const Pick& p) {
  const bool max = p.op == Op::Max;
  if (p.type == Ty::F64) return max ? lift<minMaxF64<true>>() : lift<minMaxF64<false>>();
  const bool nan = (p.flags & kNan) != 0;
  const bool ftz = (p.flags & kFtz) != 0;
  const bool xorsign = (p.flags & kXorsign) != 0;
  if (max) return nan ? minMaxOf<true, true>(ftz, xorsign) : minMaxOf<true, false>(ftz, xorsign);
  return nan ? minMaxOf<false, true>(ftz, xorsign) : minMaxOf<false, false>(ftz, xorsign);
}

template <class T>
Lifted selectTest(unsigned which) {
  switch (which) {
    case 0: return lift<testp<T, 0>>();
    case 1: return lift<testp<T, 1>>();
    case 2: return lift<testp<T, 2>>();
    case 3: return lift<testp<T, 3>>();
    case 4: return lift<testp<T, 4>>();
    default: return lift<testp<T, 5>>();
  }
}

template <auto F>
std::uint32_t two(std::uint32_t a, Param p) {
  return both<F>(a, p);
}
template <auto F>
std::uint32_t two2(std::uint32_t a, std::uint32_t b, Param p) {
  return both<F>(a, b, p);
}
template <auto F>
std::uint32_t two3(std::uint32_t a, std::uint32_t b, std::uint32_t c, Param p) {
  return both<F>(a, b, c, p);
}

Lifted selectHalf(const Pick& p, bool pair) {
  switch (p.op) {
    case Op::Add: return pair ? lift<two2<addHalf>>() : lift<addHalf>();
    case Op::Sub: return pair ? lift<two2<subHalf>>() : lift<subHalf>();
    case Op::Mul: return pair ? lift<two2<mulHalf>>() : lift<mulHalf>();
    case Op::Fma: return pair ? lift<two3<fmaHalf>>() : lift<fmaHalf>();
    case Op::Min: return pair ? lift<two2<minHalf>>() : lift<minHalf>();
    case Op::Max: return pair ? lift<two2<maxHalf>>() : lift<maxHalf>();
    case Op::Neg: return pair ? lift<two<negHalf>>() : lift<negHalf>();
    case Op::Abs: return pair ? lift<two<absHalf>>() : lift<absHalf>();
    case Op::Tanh: return pair ? lift<two<tanhHalf>>() : lift<tanhHalf>();
    case Op::Ex2: return pair ? lift<two<ex2Half>>() : lift<ex2Half>();
    default: return {};
  }
}

Lifted selectF32(const Pick& p) {
  const bool ftz = (p.flags & kFtz) != 0;
  switch (p.op) {
    case Op::Min:
    case Op::Max: return selectMinMax(p);
    case Op::Neg: return ftz ? lift<negF32<true>>() : lift<negF32<false>>();
    case Op::Abs: return ftz ? lift<absF32<true>>() : lift<absF32<false>>();
    case Op::Copysign: return lift<copySign<float>>();
    case Op::Testp: return selectTest<float>(p.which);
    default: break;
  }
  if ((p.flags & (kApprox | kFull)) != 0) return approxF32(p);
  if (p.round == Round::Rn && (p.flags & kSat) == 0) {
    if (const Lifted found = ftz ? nearestF32<true>(p) : nearestF32<false>(p)) return found;
  }
  return anyF32(p);
}

Lifted selectF64(const Pick& p) {
  switch (p.op) {
    case Op::Min:
    case Op::Max: return selectMinMax(p);
    case Op::Neg: return lift<negF64>();
    case Op::Abs: return lift<absF64>();
    case Op::Copysign: return lift<copySign<double>>();
    case Op::Testp: return selectTest<double>(p.which);
    case Op::Rsqrt: return lift<rsqrtApproxF64>();
    default: break;
  }
  if ((p.flags & kApprox) != 0) return p.op == Op::Rcp ? lift<rcpApproxF64>() : Lifted{};
  return p.round == Round::Rn ? nearestF64(p) : anyF64(p);
}

}  // namespace

Lifted selectFloating(const Pick& p) {
  switch (p.type) {
    case Ty::F32: return selectF32(p);
    case Ty::F64: return selectF64(p);
    case Ty::F16:
    case Ty::BF16: return selectHalf(p, false);
    case Ty::F16x2:
    case Ty::BF16x2: return selectHalf(p, true);
    default: return {};
  }
}

CW_SIM_END

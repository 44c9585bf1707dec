// Approx.h -- the approximate instructions of PTX, computed to f32 from the host's double
// functions.
//
// The hardware's tables are not known; results are within the bounds of the ISA
// (docs/simulator.md).
#pragma once

#include "Isa.h"

namespace cutwork::sim {

/// 1 in the parameter: .ftz.
float divApprox(float a, float b, Param ftz);
float divFull(float a, float b, Param ftz);
float rcpApprox(float a, Param ftz);
float sqrtApprox(float a, Param ftz);
float rsqrtApprox(float a, Param ftz);
float sinApprox(float a, Param ftz);
float cosApprox(float a, Param ftz);
float lg2Approx(float a, Param ftz);
float ex2Approx(float a, Param ftz);
float tanhApprox(float a, Param ftz);
double rcpApproxF64(double a, Param ftz);
double rsqrtApproxF64(double a, Param ftz);

}  // namespace cutwork::sim

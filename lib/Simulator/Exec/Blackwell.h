// Blackwell.h -- handlers of what sm_100 adds: packed f32x2, cvt of narrow formats.
#pragma once

#include "Op.h"

namespace cutwork::sim {

/// add, sub, mul and fma of .f32x2; nothing for other operations.
Lifted pairOfSingles(const Pick& pick);
/// cvt.rs of two f32, whose number is a RandomSpec.
Lifted randomFromSingles();
/// cvt whose number is a NarrowSpec: two f32 to a pair, bf16x2 to a pair, a pair to two halves.
Lifted narrowFromSingles();
Lifted narrowFromHalves();
Lifted narrowToHalves();

}  // namespace cutwork::sim

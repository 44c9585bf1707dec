// Value.h -- the bytes of a value as a report prints them, by the type of the instruction.
#pragma once

#include <cstdint>
#include <string>

#include "Types.h"

namespace cutwork::sim {

/// `7 (u32)`, `1.5 (f32)`, `0x3f800000 (b32; f32 1, s32 1065353216)`. `bytes`: as many as it has.
std::string valueText(Ty type, const std::uint8_t* bytes);

}  // namespace cutwork::sim

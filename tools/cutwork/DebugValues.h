// DebugValues.h -- registers and memory as the debugger prints them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cutwork/Simulator/Debug.h"

namespace cutwork::tool {

/// Bytes of a type like u32, f16 or b64; 0 if it is none.
unsigned bytesOfType(std::string_view type);
/// A value of that type. Precondition: `bytes` has as many.
std::string valueText(std::string_view type, std::span<const std::byte> bytes);
/// `%r1  .b32  0x3f800000  1065353216  1`: bits, and what they are as a number.
std::string registerText(const sim::DebugRegister& value);
/// `int i = 5  [%r2]`.
std::string variableText(const sim::DebugVariable& value);
/// (1,0,0) or 1,0,0 or 1. Error (User): none of these.
Expected<std::array<std::uint32_t, 3>> threeNumbers(std::string_view text);
/// 12 or 0x1c. Error (User): neither.
Expected<std::uint64_t> number(std::string_view text);

}  // namespace cutwork::tool

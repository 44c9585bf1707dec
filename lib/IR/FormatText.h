// FormatText.h -- the conversions of a print op's format.
#pragma once

#include <string_view>
#include <vector>

namespace cutwork::ir {

/// From its % to its letter: `%8.3f`, `%lld`. `%%` is none. A text that has no letter at its end is
/// returned up to the end of the format.
std::vector<std::string_view> conversionsOf(std::string_view format);

/// What a conversion takes.
enum class Converted { Signed, Unsigned, Float, Nothing };
Converted kindOf(std::string_view conversion);
/// Whether an integer conversion takes 64 bits: `ll` before the letter, or a pointer.
bool isWide(std::string_view conversion);

}  // namespace cutwork::ir

// FormatText.cpp -- the conversions of a print op's format.
#include "IR/FormatText.h"

namespace cutwork::ir {

std::vector<std::string_view> conversionsOf(std::string_view format) {
  std::vector<std::string_view> found;
  for (std::size_t i = format.find('%'); i < format.size(); i = format.find('%', i)) {
    if (format.substr(i, 2) == "%%") {
      i += 2;
      continue;
    }
    std::size_t letter = format.find_first_not_of("0123456789.-+ #lhz", i + 1);
    std::size_t end = letter == std::string_view::npos ? format.size() : letter + 1;
    found.push_back(format.substr(i, end - i));
    i = end;
  }
  return found;
}

Converted kindOf(std::string_view conversion) {
  constexpr std::string_view kFloats = "fFeEgGaA";
  constexpr std::string_view kUnsigned = "uxXop";
  constexpr std::string_view kSigned = "dic";
  char letter = conversion.back();
  if (kFloats.find(letter) != std::string_view::npos) return Converted::Float;
  if (kUnsigned.find(letter) != std::string_view::npos) return Converted::Unsigned;
  if (kSigned.find(letter) != std::string_view::npos) return Converted::Signed;
  return Converted::Nothing;
}

bool isWide(std::string_view conversion) {
  return conversion.back() == 'p' || conversion.find("ll") != std::string_view::npos;
}

}  // namespace cutwork::ir

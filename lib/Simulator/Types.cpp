// Types.cpp -- the table of PTX types.
#include "Types.h"

#include <array>

namespace cutwork::sim {
namespace {

struct Row {
  std::string_view spelling;
  unsigned bits;
  Kind kind;
};
constexpr std::array kRows = {
#define CW_ROW(enumerator, spelling, bits, kind) Row{spelling, bits, Kind::kind},
    CW_PTX_TYPES(CW_ROW)
#undef CW_ROW
        Row{"none", 0, Kind::Bits},
};

const Row& row(Ty type) { return kRows.at(static_cast<std::size_t>(type)); }

}  // namespace

std::optional<Ty> typeNamed(std::string_view spelling) {
  for (std::size_t i = 0; i + 1 < kRows.size(); ++i) {
    if (kRows[i].spelling == spelling) return static_cast<Ty>(i);
  }
  return std::nullopt;
}

std::string_view spelling(Ty type) { return row(type).spelling; }
unsigned bitsOf(Ty type) { return row(type).bits; }
Kind kindOf(Ty type) { return row(type).kind; }

}  // namespace cutwork::sim

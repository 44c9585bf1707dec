// FuzzDwarf.cpp -- libFuzzer: any bytes are debug information, or are refused; values are text.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "Observe/Dwarf.h"

namespace {

using cutwork::sim::Section;

Section section(const char* name, const std::uint8_t* data, std::size_t size) {
  Section made;
  made.name = name;
  made.bytes.assign(data, data + size);
  return made;
}

}  // namespace

/// A byte says how long the abbreviations are (in words of four); the rest is .debug_info, whose
/// first unit gets a head that is right.
// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t table = std::min<std::size_t>(std::size_t{data[0]} * 4, size - 1);
  cutwork::sim::Module module;
  module.sections.push_back(section("debug_abbrev", data + 1, table));
  module.sections.push_back(section("debug_info", data + 1 + table, size - 1 - table));
  const auto length = static_cast<std::uint32_t>(size - table);
  const std::uint8_t head[] = {static_cast<std::uint8_t>(length),
                               static_cast<std::uint8_t>(length >> 8),
                               static_cast<std::uint8_t>(length >> 16),
                               0,
                               2,
                               0,
                               0,
                               0,
                               0,
                               0,
                               8};
  std::vector<std::uint8_t>& info = module.sections[1].bytes;
  info.insert(info.begin(), std::begin(head), std::end(head));
  const cutwork::sim::Dwarf dwarf = readDwarf(module);
  const std::string bytes(64, 'x');
  for (std::uint32_t i = 0; i < dwarf.entries.size(); ++i) {
    const std::string type = typeText(dwarf, i);
    const std::string value = typedText(dwarf, i, bytes, {});
    if (type.size() > 100'000 || value.size() > 100'000) std::abort();
  }
  return 0;
}

// FuzzPtx.cpp -- libFuzzer: any text is read as PTX or refused; what is read prints as the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "Reader/Parser.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = cutwork::sim::readModule(text, "fuzz.ptx");
  if (!read.ok()) return 0;
  const std::string printed = cutwork::sim::printModule(*read);
  const auto again = cutwork::sim::readModule(printed, "again.ptx");
  if (!again.ok() || cutwork::sim::printModule(*again) != printed) std::abort();
  return 0;
}

// cutwork/Support/Escape.h -- text as XML and HTML have it.
#pragma once

#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace cutwork {

/// The text with <, >, & and quotes escaped, and control characters but tabs as spaces.
inline std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      // XML has no way to write other control characters.
      default: out += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

}  // namespace cutwork

#pragma GCC visibility pop

// Render.h -- a picture as text for the terminal, as SVG, as JSON.
#pragma once

#include <string>

#include "Picture.h"

namespace cutwork::tool {

struct TerminalStyle {
  bool color = false;
  int columns = 0;  ///< width of the terminal; wider grids are drawn in several parts. 0: no limit
};

/// Lines for a terminal, each ended. Without colour, marked cells have a '*' and only ASCII is
/// used.
std::string renderTerminal(const Picture& picture, TerminalStyle style);

/// A standalone SVG document of the same content.
std::string renderSvg(const Picture& picture);

/// One JSON object on one line; docs/cli.md has the keys.
std::string renderJson(const Picture& picture);

}  // namespace cutwork::tool

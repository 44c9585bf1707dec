// Palette.h -- the eight background colours of cells, for terminals and for SVG.
//
// Paul Tol's "light" palette without its grey: told apart with every common kind of colour
// blindness, and legible under black text. The terminal has the nearest of the 256 fixed colours.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cutwork::tool {

struct Tint {
  int terminal;          ///< number among the 256 colours
  std::string_view svg;  ///< #RRGGBB
};

inline constexpr std::array<Tint, 8> kTints = {{
    {110, "#77aadd"},
    {222, "#eedd88"},
    {72, "#44bb99"},
    {217, "#ffaabb"},
    {117, "#99ddff"},
    {209, "#ee8866"},
    {149, "#bbcc33"},
    {142, "#aaaa00"},
}};

/// The colour for a number: numbers eight apart share one.
inline int tintOf(std::int64_t number) { return static_cast<int>(((number % 8) + 8) % 8); }

}  // namespace cutwork::tool

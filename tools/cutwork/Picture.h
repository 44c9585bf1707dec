// Picture.h -- what `layout show` draws, before it is known how: grids, labels, facts, notes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cutwork::tool {

using Json = nlohmann::ordered_json;

struct Cell {
  std::string text;     ///< what is drawn
  int tint = -1;        ///< which colour of the palette (Palette.h); -1: none
  bool marked = false;  ///< drawn so that it stands out
  Json data;            ///< what `--json` has for it
};

struct Grid {
  std::string title;  ///< empty if there is only one
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<Cell> cells;  ///< row by row

  [[nodiscard]] const Cell& at(std::size_t row, std::size_t column) const {
    return cells[row * columns.size() + column];
  }
};

struct Picture {
  std::string title;
  std::vector<std::string> facts;  ///< lines below the title
  std::vector<Grid> grids;
  std::vector<std::string> notes;  ///< lines below the grids
  Json data;                       ///< further keys for `--json`, an object

  [[nodiscard]] bool hasMarks() const {
    for (const Grid& grid : grids) {
      for (const Cell& cell : grid.cells) {
        if (cell.marked) return true;
      }
    }
    return false;
  }
};

}  // namespace cutwork::tool

// RenderTerminal.cpp -- pictures as aligned text, with background colours where they are wanted.
#include <fmt/format.h>

#include <algorithm>

#include "Palette.h"
#include "Render.h"

namespace cutwork::tool {

namespace {

class Writer {
 public:
  Writer(const Picture& picture, TerminalStyle style)
      : picture_(picture), style_(style), marks_(picture.hasMarks()) {}

  std::string whole() {
    line(style_.color ? fmt::format("\x1b[1m{}\x1b[0m", picture_.title) : picture_.title);
    for (const std::string& fact : picture_.facts) line(fact);
    for (const Grid& grid : picture_.grids) {
      line("");
      if (!grid.title.empty()) line(grid.title);
      drawGrid(grid);
    }
    if (!picture_.notes.empty()) line("");
    for (const std::string& note : picture_.notes) line(note);
    return std::move(out_);
  }

 private:
  // Cells of colour are filled to their width; without, no line ends in spaces.
  void line(std::string text) {
    if (!style_.color) text.erase(text.find_last_not_of(' ') + 1);
    out_ += text;
    out_ += '\n';
  }

  static std::size_t widest(const std::vector<std::string>& texts) {
    std::size_t width = 0;
    for (const std::string& text : texts) width = std::max(width, text.size());
    return width;
  }

  void drawGrid(const Grid& grid) {
    std::size_t labels = widest(grid.rows);
    std::size_t cell = 0;
    for (const Cell& c : grid.cells) cell = std::max(cell, c.text.size());
    cell = std::max(cell + (marks_ ? 1 : 0), widest(grid.columns)) + 2;
    std::size_t part = grid.columns.size();
    if (style_.columns > 0) {
      std::size_t width = static_cast<std::size_t>(style_.columns);
      std::size_t room = width > labels + 2 ? width - labels - 2 : 0;
      part = std::clamp<std::size_t>(room / cell, 1, part);
    }
    for (std::size_t first = 0; first < grid.columns.size(); first += part) {
      if (first > 0) line("");
      drawPart(grid, first, std::min(part, grid.columns.size() - first), labels, cell);
    }
  }

  void drawPart(const Grid& grid, std::size_t first, std::size_t count, std::size_t labels,
                std::size_t width) {
    std::string header(labels + 2, ' ');
    for (std::size_t column = first; column < first + count; ++column) {
      header += centred(grid.columns[column] + (marks_ && !style_.color ? " " : ""), width);
    }
    line(std::move(header));
    line(fmt::format("{:{}} +{}", "", labels, std::string(count * width - 1, '-')));
    for (std::size_t row = 0; row < grid.rows.size(); ++row) {
      std::string text = fmt::format("{:>{}} |", grid.rows[row], labels);
      for (std::size_t column = first; column < first + count; ++column) {
        text += cellText(grid.at(row, column), width);
      }
      line(std::move(text));
    }
  }

  // Right-aligned with one space behind, so that a colour has a margin on both sides.
  static std::string centred(const std::string& text, std::size_t width) {
    return fmt::format("{:>{}} ", text, width - 1);
  }

  [[nodiscard]] std::string cellText(const Cell& cell, std::size_t width) const {
    std::string text = cell.text;
    if (marks_) text += cell.marked ? '*' : ' ';
    std::string padded = centred(text, width);
    if (!style_.color || cell.tint < 0) return padded;
    return fmt::format("\x1b[{}48;5;{};38;5;16m{}\x1b[0m", cell.marked ? "1;4;" : "",
                       kTints[static_cast<std::size_t>(cell.tint)].terminal, padded);
  }

  const Picture& picture_;
  TerminalStyle style_;
  bool marks_;
  std::string out_;
};

}  // namespace

std::string renderTerminal(const Picture& picture, TerminalStyle style) {
  return Writer(picture, style).whole();
}

}  // namespace cutwork::tool

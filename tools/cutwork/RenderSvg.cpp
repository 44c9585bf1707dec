// RenderSvg.cpp -- pictures as standalone SVG: rectangles, labels in a monospaced font, no scripts.
#include <fmt/format.h>

#include <algorithm>

#include "Palette.h"
#include "Render.h"
#include "cutwork/Support/Escape.h"

namespace cutwork::tool {

namespace {

constexpr double kCharacter = 7.3;  // width of a character of 12 px in the usual monospaced fonts
constexpr double kRow = 24;
constexpr double kLine = 18;
constexpr double kMargin = 12;

class Drawing {
 public:
  std::string draw(const Picture& picture) {
    textLine(picture.title, "title");
    for (const std::string& fact : picture.facts) textLine(fact, "fact");
    for (const Grid& grid : picture.grids) drawGrid(grid);
    if (!picture.notes.empty()) y_ += kLine / 2;
    for (const std::string& note : picture.notes) textLine(note, "fact");
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n"
        "<title>{2}</title>\n"
        "<style>\n"
        "text {{ font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: "
        "#000; }}\n"
        ".title {{ font-weight: bold; }}\n"
        ".fact, .axis {{ fill: #444; }}\n"
        ".cell {{ text-anchor: middle; }}\n"
        ".column {{ text-anchor: middle; }}\n"
        ".row {{ text-anchor: end; }}\n"
        ".marked {{ font-weight: bold; }}\n"
        "rect {{ stroke: #777; stroke-width: 1; }}\n"
        ".mark {{ stroke: #000; stroke-width: 3; fill: none; }}\n"
        "</style>\n"
        "<rect width=\"100%\" height=\"100%\" style=\"fill:#fff;stroke:none\"/>\n"
        "{3}</svg>\n",
        right_ + kMargin, y_ + kMargin, escaped(picture.title), body_);
  }

 private:
  void text(double x, double y, std::string_view style, const std::string& content) {
    body_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", style, x, y,
                         escaped(content));
  }

  void textLine(const std::string& content, std::string_view style) {
    y_ += kLine;
    text(kMargin, y_ - 5, style, content);
    // A bold character of 12 px is no wider in a monospaced font.
    right_ = std::max(right_, kMargin + kCharacter * static_cast<double>(content.size()));
  }

  void drawGrid(const Grid& grid) {
    y_ += kLine / 2;
    if (!grid.title.empty()) textLine(grid.title, "axis");
    std::size_t labels = 0;
    std::size_t widest = 2;
    for (const std::string& row : grid.rows) labels = std::max(labels, row.size());
    for (const std::string& column : grid.columns) widest = std::max(widest, column.size());
    for (const Cell& cell : grid.cells) widest = std::max(widest, cell.text.size());
    double left = kMargin + (labels > 0 ? kCharacter * static_cast<double>(labels) + 8 : 0);
    double width = std::max(kRow + 6, kCharacter * static_cast<double>(widest) + 10);
    y_ += kLine;
    for (std::size_t column = 0; column < grid.columns.size(); ++column) {
      text(left + width * (static_cast<double>(column) + 0.5), y_ - 5, "axis column",
           grid.columns[column]);
    }
    std::string marks;  // drawn last, so that no neighbour covers the thick outline
    for (std::size_t row = 0; row < grid.rows.size(); ++row) {
      double top = y_ + kRow * static_cast<double>(row);
      if (!grid.rows[row].empty()) text(left - 6, top + 16, "axis row", grid.rows[row]);
      for (std::size_t column = 0; column < grid.columns.size(); ++column) {
        const Cell& cell = grid.at(row, column);
        drawCell(cell, left + width * static_cast<double>(column), top, width, marks);
      }
    }
    body_ += marks;
    y_ += kRow * static_cast<double>(grid.rows.size());
    right_ = std::max(right_, left + width * static_cast<double>(grid.columns.size()));
  }

  void drawCell(const Cell& cell, double x, double y, double width, std::string& marks) {
    std::string_view fill =
        cell.tint < 0 ? "#fff" : kTints[static_cast<std::size_t>(cell.tint)].svg;
    auto rect = [&](std::string_view attribute) {
      return fmt::format(
          "<rect {} x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\"/>\n", attribute, x,
          y, width, kRow);
    };
    body_ += rect(fmt::format("fill=\"{}\"", fill));
    text(x + width / 2, y + 16, cell.marked ? "cell marked" : "cell", cell.text);
    if (cell.marked) marks += rect("class=\"mark\"");
  }

  std::string body_;
  double y_ = kMargin;
  double right_ = 0;
};

}  // namespace

std::string renderSvg(const Picture& picture) { return Drawing().draw(picture); }

}  // namespace cutwork::tool

// LayoutShow.cpp -- from EXPR to the picture of a layout's values.
#include "LayoutShow.h"

#include <fmt/format.h>

#include "Palette.h"
#include "Window.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::tool {

using cute::AnyLayout;
using cute::Int;
using cute::IntTuple;

namespace {

bool isStaticLayout(const AnyLayout& layout) {
  if (!cute::isStatic(layout.outer().view())) return false;
  const cute::ComposedLayout* composed = layout.composed();
  if (composed == nullptr) return true;
  const auto* inner = std::get_if<cute::Layout>(&composed->inner());
  return cute::isStatic(composed->offset().view()) &&
         (inner == nullptr || cute::isStatic(inner->view()));
}

Error noLayout(const Expression& expression, const std::string& value) {
  bool called = expression.kind == Expression::Kind::Call;
  std::string what = called ? fmt::format("{} gives {}, which", expression.name, value) : value;
  std::string hint;
  if (value.starts_with("S<"))
    hint = fmt::format("; a swizzle is drawn on a layout: {} o 0 o (8,8):(1,8)", value);
  if (value.starts_with('(')) hint = fmt::format("; for a shape, write make_layout({})", value);
  return userError(fmt::format("{} is not a layout{}", what, hint));
}

// The colour of a value; a coordinate's is that of the sum of its leaves.
int valueTint(const IntTuple& value) {
  std::uint64_t sum = 0;
  for (const cute::Node& node : value.view().nodes()) {
    if (node.kind == cute::NodeKind::Integer)
      sum += static_cast<std::uint64_t>(node.integer.value());
  }
  return tintOf(static_cast<std::int64_t>(sum));
}

}  // namespace

Expected<Shown> shownOf(const Expression& expression, const std::string& value,
                        const cute::DynamicFactory& dynamic) {
  std::string layoutText = value;
  std::optional<IntTuple> offset;
  std::optional<IntTuple> tile;
  if (std::size_t split = value.find(" ; "); split != std::string::npos) {
    std::string first = value.substr(0, split);
    std::string second = value.substr(split + 3);
    if (expression.name == "make_layout_tv") std::swap(first, second);
    layoutText = first;
    CW_TRY(IntTuple other, cute::parseTuple(second, dynamic));
    (expression.name == "make_layout_tv" ? tile : offset) = std::move(other);
  }
  auto layout = cute::parseAnyLayout(layoutText, dynamic);
  if (!layout) return noLayout(expression, value);
  return Shown{expression.source(), *std::move(layout), std::move(offset), std::move(tile)};
}

Expected<IntTuple> valueAt(const Shown& shown, const IntTuple& coordinate) {
  CW_TRY(IntTuple value, cute::crd2idx(coordinate, shown.layout));
  if (!shown.offset) return value;
  return cute::tuple_add(value, *shown.offset);
}

std::string summaryOf(const AnyLayout& layout) {
  const cute::Layout& outer = layout.outer();
  Int size = cute::size(outer);
  std::string out = "size " + (size.isInvalid() ? std::string("2^63 or more") : size.text());
  if (cute::hasBasisStrides(outer.view())) {
    if (auto shape = cute::coshape(outer.view())) out += ", coshape " + shape->text();
  } else if (auto cosize = cute::cosize(outer.view())) {
    out += ", cosize " + cosize->text();
  }
  return out + fmt::format(", rank {}, depth {}", outer.rank(), outer.depth());
}

Picture newPicture(const Shown& shown, std::string_view kind) {
  Picture picture;
  picture.title = shown.layout.text();
  std::string layoutText = shown.layout.text();
  if (shown.expression != layoutText) picture.title = shown.expression + " = " + layoutText;
  picture.facts.push_back(summaryOf(shown.layout));
  picture.data["kind"] = kind;
  picture.data["expression"] = shown.expression;
  picture.data["layout"] = layoutText;
  picture.data["shape"] = shown.layout.outer().shape().text();
  Int size = cute::size(shown.layout.outer());
  picture.data["size"] = size.isStatic() ? Json(size.value()) : Json(nullptr);
  if (shown.offset) {
    picture.facts.push_back("values include the offset " + shown.offset->text());
    picture.data["offset"] = shown.offset->text();
  }
  return picture;
}

Expected<Picture> drawValues(const Shown& shown, const ShowOptions& options) {
  Picture picture = newPicture(shown, "values");
  CW_TRY(Window window, Window::of(shown.layout.outer().shape(), options.maxCells));
  for (std::int64_t slice = 0; slice < window.slices(); ++slice) {
    Grid grid;
    CW_TRY(grid.title, window.sliceTitle(slice));
    CW_TRY(grid.rows, window.rowLabels());
    CW_TRY(grid.columns, window.columnLabels());
    for (std::int64_t row = 0; row < window.rows(); ++row) {
      for (std::int64_t column = 0; column < window.columns(); ++column) {
        CW_TRY(IntTuple value, valueAt(shown, window.coordinate(row, column, slice)));
        Json data = value.isInt() ? Json(value.value().value()) : Json(value.text());
        grid.cells.push_back({value.text(), valueTint(value), false, std::move(data)});
      }
    }
    picture.grids.push_back(std::move(grid));
  }
  picture.data["shown"] = window.shown();
  if (auto note = window.leftOut()) picture.notes.push_back(*note);
  return picture;
}

Expected<Picture> drawPicture(const Shown& shown, const ShowOptions& options) {
  bool known =
      isStaticLayout(shown.layout) && (!shown.offset || cute::isStatic(shown.offset->view()));
  if (!known) {
    return userError(
        fmt::format("{} has integers that are not known; only a static layout can be drawn",
                    shown.layout.text()));
  }
  if (options.banks) return drawBanks(shown, options);
  if (options.tv || options.tile || shown.tile) return drawThreads(shown, options);
  return drawValues(shown, options);
}

}  // namespace cutwork::tool

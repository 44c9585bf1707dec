// ShowThreads.cpp -- the picture of a thread-value layout: who has which element of the tile.
#include <fmt/format.h>

#include <algorithm>

#include "LayoutShow.h"
#include "Palette.h"
#include "Window.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::tool {

using cute::Int;
using cute::IntTuple;

namespace {

struct Owner {
  std::int64_t thread;
  std::int64_t value;
};

// The owners of every place in a tile of `size` places.
struct Ownership {
  std::vector<std::vector<Owner>> owners;
  std::int64_t outside = 0;  // elements of the layout that lie in no place
};

Expected<IntTuple> tileOf(const Shown& shown, const ShowOptions& options) {
  if (options.tile) return *options.tile;
  if (shown.tile) return *shown.tile;
  if (cute::hasBasisStrides(shown.layout.outer().view()))
    return cute::coshape(shown.layout.outer().view());
  CW_TRY(Int cosize, cute::cosize(shown.layout.outer().view()));
  return IntTuple(cosize);
}

Expected<Ownership> assignOwners(const Shown& shown, const IntTuple& tile, std::int64_t threads) {
  Int size = cute::product(tile);
  if (!size.isStatic() || size.value() > cute::kMaxEvaluated) {
    return userError(
        fmt::format("the tile {} has more than {} elements", tile.text(), cute::kMaxEvaluated));
  }
  CW_TRY(std::vector<IntTuple> places, cute::evaluate(shown.layout));
  Ownership made;
  made.owners.resize(static_cast<std::size_t>(size.value()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    IntTuple place = places[i];
    if (!place.isInt()) {
      CW_TRY(place, cute::crd2idx(place, tile.view()));
    }
    std::int64_t at = place.value().value();
    if (at < 0 || at >= size.value()) {
      ++made.outside;
      continue;
    }
    std::int64_t number = static_cast<std::int64_t>(i);
    made.owners[static_cast<std::size_t>(at)].push_back({number % threads, number / threads});
  }
  return made;
}

Cell ownersCell(const std::vector<Owner>& owners) {
  Cell cell;
  cell.data = Json::array();
  for (const Owner& owner : owners) {
    cell.data.push_back(Json{{"thread", owner.thread}, {"value", owner.value}});
  }
  if (owners.empty()) {
    cell.text = ".";
    return cell;
  }
  cell.text = fmt::format("T{}V{}", owners[0].thread, owners[0].value);
  if (owners.size() > 1) cell.text += fmt::format("+{}", owners.size() - 1);
  cell.tint = tintOf(owners[0].thread);
  return cell;
}

void addFacts(Picture& picture, const Ownership& all, const IntTuple& tile, std::int64_t threads,
              std::int64_t values) {
  picture.facts.push_back(
      fmt::format("tile {}: {} threads with {} values each", tile.text(), threads, values));
  std::size_t most = 0;
  std::int64_t free = 0;
  for (const auto& owners : all.owners) {
    most = std::max(most, owners.size());
    free += owners.empty() ? 1 : 0;
  }
  if (most == 1 && free == 0 && all.outside == 0) {
    picture.notes.emplace_back("every element has exactly one owner");
  }
  if (free > 0) picture.notes.push_back(fmt::format("{} elements have no owner", free));
  if (most > 1) {
    picture.notes.push_back(
        fmt::format("elements have up to {} owners: +N counts those behind the first", most));
  }
  if (all.outside > 0) {
    picture.notes.push_back(
        fmt::format("{} of the layout's elements lie outside the tile", all.outside));
  }
  picture.data["tile"] = tile.text();
  picture.data["threads"] = threads;
  picture.data["values"] = values;
  picture.data["unowned"] = free;
  picture.data["outside"] = all.outside;
}

}  // namespace

Expected<IntTuple> readTile(const std::string& text) {
  CW_TRY(IntTuple tile, cute::parseTuple(text));
  bool positive = tile.rank() > 0 && tile.rank() <= 2;
  for (const cute::Node& node : tile.view().nodes()) {
    if (node.kind == cute::NodeKind::Tuple) continue;
    positive = positive && node.kind == cute::NodeKind::Integer && node.basis.depth() == 0 &&
               node.integer.isStatic() && node.integer.value() > 0;
  }
  if (!positive) {
    return userError(fmt::format("expected (M,N) or M, with positive integers, not {}", text));
  }
  return tile;
}

Expected<Picture> drawThreads(const Shown& shown, const ShowOptions& options) {
  const cute::Layout& outer = shown.layout.outer();
  if (outer.shape().isLeaf() || outer.rank() != 2) {
    return userError(
        fmt::format("a thread-value layout has two modes, (threads, values); {} has {}",
                    outer.text(), outer.shape().isLeaf() ? 1 : outer.rank()));
  }
  CW_TRY(IntTuple tile, tileOf(shown, options));
  if (tile.rank() == 0 || tile.rank() > 2) {
    return userError(fmt::format("a tile is (M,N) or M, not {}", tile.text()));
  }
  // Only positive integers are extents, which the library checks.
  CW_TRY(IntTuple ones, cute::repeat_like(1, tile));
  if (auto made = cute::Layout::make(tile, ones); !made) return std::move(made).takeError();
  Picture picture = newPicture(shown, "threads");
  CW_TRY(Window window, Window::of(tile, options.maxCells));
  Int threads = cute::product(outer.shape()[0]);
  Int values = cute::product(outer.shape()[1]);
  CW_TRY(Ownership all, assignOwners(shown, tile, threads.value()));
  addFacts(picture, all, tile, threads.value(), values.value());
  Grid grid;
  CW_TRY(grid.rows, window.rowLabels());
  CW_TRY(grid.columns, window.columnLabels());
  for (std::int64_t row = 0; row < window.rows(); ++row) {
    for (std::int64_t column = 0; column < window.columns(); ++column) {
      CW_TRY(IntTuple place, cute::crd2idx(window.coordinate(row, column, 0), tile.view()));
      grid.cells.push_back(ownersCell(all.owners[static_cast<std::size_t>(place.value().value())]));
    }
  }
  picture.grids.push_back(std::move(grid));
  picture.data["shown"] = window.shown();
  if (auto note = window.leftOut()) picture.notes.push_back(*note);
  return picture;
}

}  // namespace cutwork::tool

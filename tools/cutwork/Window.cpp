// Window.cpp -- choosing the coordinates that are drawn, and naming them.
#include "Window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::tool {

using cute::Int;
using cute::IntTuple;
using cute::IntTupleView;

namespace {

Expected<std::vector<std::string>> labels(IntTupleView mode, std::int64_t count) {
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < count; ++i) {
    CW_TRY(IntTuple coordinate, cute::idx2crd(IntTuple(i), mode));
    out.push_back(coordinate.text());
  }
  return out;
}

}  // namespace

Expected<Window> Window::of(const IntTuple& shape, std::int64_t maxCells) {
  Window made;
  made.shape_ = shape;
  for (int i = 0; i < shape.rank(); ++i) {
    Int size = cute::product(shape[i]);
    if (size.isDynamic()) {
      return userError(fmt::format("the shape {} has integers that are not known", shape.text()));
    }
    if (size.isInvalid()) {
      return userError(
          fmt::format("mode {} of the shape {} has 2^63 coordinates or more", i, shape.text()));
    }
    made.sizes_.push_back(size.value());
  }
  std::size_t rank = made.sizes_.size();
  if (rank == 1) made.allColumns_ = made.sizes_[0];
  if (rank >= 2) made.allRows_ = made.sizes_[0], made.allColumns_ = made.sizes_[1];
  for (std::size_t i = 2; i < rank; ++i) made.allSlices_ = made.allSlices_ * made.sizes_[i];
  // Where neither all rows nor all columns fit, a square.
  auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(maxCells)));
  made.shownColumns_ = std::min(made.allColumns_, std::max(side, maxCells / made.allRows_));
  made.shownRows_ = std::min(made.allRows_, maxCells / made.shownColumns_);
  if (made.shownColumns_ == made.allColumns_ && made.shownRows_ == made.allRows_) {
    std::int64_t fit = std::max<std::int64_t>(1, maxCells / (made.shownRows_ * made.shownColumns_));
    made.shownSlices_ = made.allSlices_.isStatic() ? std::min(made.allSlices_.value(), fit) : fit;
  }
  return made;
}

IntTuple Window::coordinate(std::int64_t row, std::int64_t column, std::int64_t slice) const {
  if (shape_.isLeaf()) return IntTuple(column);
  std::vector<IntTuple> modes;
  if (sizes_.size() == 1) modes.emplace_back(column);
  if (sizes_.size() >= 2) modes.emplace_back(row), modes.emplace_back(column);
  for (std::size_t i = 2; i < sizes_.size(); ++i) {
    modes.emplace_back(slice % sizes_[i]);
    slice /= sizes_[i];
  }
  return IntTuple(std::span<const IntTuple>(modes));
}

Expected<std::vector<std::string>> Window::rowLabels() const {
  if (sizes_.size() < 2) return std::vector<std::string>{""};
  return labels(shape_[0], shownRows_);
}

Expected<std::vector<std::string>> Window::columnLabels() const {
  if (sizes_.empty()) return std::vector<std::string>{"()"};
  return labels(shape_[sizes_.size() == 1 ? 0 : 1], shownColumns_);
}

Expected<std::string> Window::sliceTitle(std::int64_t slice) const {
  if (sizes_.size() <= 2) return std::string();
  std::string out = "(_,_";
  IntTuple linear = coordinate(0, 0, slice);
  for (std::size_t i = 2; i < sizes_.size(); ++i) {
    int mode = static_cast<int>(i);
    CW_TRY(IntTuple natural, cute::idx2crd(linear[mode], shape_[mode]));
    out += "," + natural.text();
  }
  return out + ")";
}

std::optional<std::int64_t> Window::total() const {
  Int all = Int(allRows_) * Int(allColumns_) * allSlices_;
  if (!all.isStatic()) return std::nullopt;
  return all.value();
}

std::optional<std::string> Window::leftOut() const {
  std::optional<std::int64_t> all = total();
  if (all == shown()) return std::nullopt;
  std::string what;
  auto part = [&](std::int64_t some, const std::string& of, std::string_view name) {
    if (std::to_string(some) == of) return;
    what += fmt::format("{}the first {} of {} {}", what.empty() ? "" : ", ", some, of, name);
  };
  part(shownRows_, std::to_string(allRows_), "rows");
  part(shownColumns_, std::to_string(allColumns_), "columns");
  part(shownSlices_, allSlices_.isStatic() ? allSlices_.text() : "2^63 or more", "slices");
  if (!all) return fmt::format("shown: {}", what);
  std::string out = fmt::format("shown: {}: {} of {} elements", what, shown(), *all);
  if (*all <= kMostCells) out += fmt::format(" (--max-cells {} shows all)", *all);
  return out;
}

}  // namespace cutwork::tool

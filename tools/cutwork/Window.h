// Window.h -- which coordinates of a layout are drawn: rows, columns, slices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cutwork/Layout/IntTuple.h"

namespace cutwork::tool {

/// Cells that `--max-cells` may ask for.
inline constexpr std::int64_t kMostCells = 1 << 20;

/// Rank 1: one row. Rank 2: mode 0 downwards, mode 1 to the right. Higher: a slice for each
/// coordinate of the other modes.
class Window {
 public:
  /// The first cells of `shape`, at most `maxCells` (at least 1). Refuses shapes that are dynamic
  /// or have 2^63 coordinates or more in one mode.
  static Expected<Window> of(const cute::IntTuple& shape, std::int64_t maxCells);

  [[nodiscard]] std::int64_t rows() const { return shownRows_; }
  [[nodiscard]] std::int64_t columns() const { return shownColumns_; }
  [[nodiscard]] std::int64_t slices() const { return shownSlices_; }
  /// The coordinate of a cell, one integer for each mode.
  [[nodiscard]] cute::IntTuple coordinate(std::int64_t row, std::int64_t column,
                                          std::int64_t slice) const;
  /// The labels of the axes: natural coordinates of modes 0 and 1, `(0,1)` where a mode is nested.
  [[nodiscard]] Expected<std::vector<std::string>> rowLabels() const;
  [[nodiscard]] Expected<std::vector<std::string>> columnLabels() const;
  /// `(_,_,3)`; empty if there is one slice only and nothing beyond rank 2.
  [[nodiscard]] Expected<std::string> sliceTitle(std::int64_t slice) const;
  /// What is left out, in words; nothing if all is drawn.
  [[nodiscard]] std::optional<std::string> leftOut() const;
  /// How many coordinates there are; nothing if there are 2^63 or more.
  [[nodiscard]] std::optional<std::int64_t> total() const;
  [[nodiscard]] std::int64_t shown() const { return shownRows_ * shownColumns_ * shownSlices_; }

 private:
  cute::IntTuple shape_;
  std::vector<std::int64_t> sizes_;  // of each mode
  cute::Int allSlices_ = 1;
  std::int64_t allRows_ = 1;
  std::int64_t allColumns_ = 1;
  std::int64_t shownRows_ = 1;
  std::int64_t shownColumns_ = 1;
  std::int64_t shownSlices_ = 1;
};

}  // namespace cutwork::tool

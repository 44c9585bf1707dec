// LayoutShow.h -- `cutwork layout show`: the picture of a layout, of threads, of banks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Expression.h"
#include "Picture.h"

namespace cutwork::tool {

/// What the user wants to see.
struct ShowOptions {
  std::int64_t maxCells = 4096;
  bool tv = false;                     ///< the layout is (thread, value) -> place in the tile
  std::optional<cute::IntTuple> tile;  ///< (M,N), implies tv
  bool banks = false;
  std::int64_t bits = 32;  ///< of an element
  /// The linear coordinate at which each lane's access begins.
  std::optional<std::vector<std::int64_t>> access;
  std::int64_t vector = 1;  ///< elements a lane accesses, consecutive in memory
};

/// What --tile says: M or (M,N), positive. The error says what was expected.
Expected<cute::IntTuple> readTile(const std::string& text);
/// What --access says: a layout lane -> linear coordinate, or a number of lanes, each `vector`
/// behind the one before; 1 to 32 lanes.
Expected<std::vector<std::int64_t>> readAccess(const std::string& text, std::int64_t vector);

/// What EXPR evaluates to: a layout, and what the operation returned beside it.
struct Shown {
  std::string expression;  ///< as it was written
  cute::AnyLayout layout;
  std::optional<cute::IntTuple> offset;  ///< of a slice: added to every value
  std::optional<cute::IntTuple> tile;    ///< of make_layout_tv
};

/// What there is to draw, given the value of EXPR. An error if that is no layout.
Expected<Shown> shownOf(const Expression& expression, const std::string& value,
                        const cute::DynamicFactory& dynamic);

/// The picture that the options ask for. Banks and threads exclude each other (the caller sees to
/// it). Refuses dynamic integers.
Expected<Picture> drawPicture(const Shown& shown, const ShowOptions& options);

/// The three kinds; drawPicture chooses.
Expected<Picture> drawValues(const Shown& shown, const ShowOptions& options);
Expected<Picture> drawThreads(const Shown& shown, const ShowOptions& options);
Expected<Picture> drawBanks(const Shown& shown, const ShowOptions& options);

/// The value at a coordinate, with the offset of a slice.
Expected<cute::IntTuple> valueAt(const Shown& shown, const cute::IntTuple& coordinate);
/// "size 32, cosize 32, rank 2, depth 1".
std::string summaryOf(const cute::AnyLayout& layout);
/// A picture with title, summary and the keys that every kind has.
Picture newPicture(const Shown& shown, std::string_view kind);

}  // namespace cutwork::tool

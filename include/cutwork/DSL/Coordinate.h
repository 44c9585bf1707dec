// cutwork/DSL/Coordinate.h -- coordinates into tensors: holes, tuples of them, operands.
//
//     tile(tid, _)                        // _ keeps a mode
//     gA(make_coord(_, 0), bid)           // a coordinate of several modes, with a hole in it
#pragma once

#include <concepts>
#include <initializer_list>
#include <utility>

#include "cutwork/DSL/Value.h"
#include "cutwork/Layout/IntTuple.h"
#include "cutwork/Layout/Tiler.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// The hole: keeps its mode in a coordinate.
struct Underscore {
  operator IntTuple() const { return IntTuple::hole(); }
  operator Tiler() const { return Tiler::hole(); }
};
inline constexpr Underscore _{};

template <class T>
concept Index = std::convertible_to<T, IntTuple>;
/// A coordinate with a hole in it.
class SliceCoordinate {
 public:
  explicit SliceCoordinate(IntTuple coord) : coord_(std::move(coord)) {}
  operator IntTuple() const { return coord_; }

 private:
  IntTuple coord_;
};
template <class... C>
inline constexpr bool kSlices =
    ((std::same_as<C, Underscore> || std::same_as<C, SliceCoordinate>) || ...);
/// A coordinate of several modes: gA(make_coord(_, _), bid) keeps the two modes of mode 0.
template <Index... C>
auto make_coord(const C&... coord) {
  IntTuple made{static_cast<IntTuple>(coord)...};
  if constexpr (kSlices<C...>) {
    return SliceCoordinate(std::move(made));
  } else {
    return made;
  }
}

/// A coordinate operand with its place.
class Coordinate {
 public:
  template <std::convertible_to<IntTuple> T>
  Coordinate(const T& value, Where where = Where::current())
      : value_(static_cast<IntTuple>(value)), where_(where) {}
  Coordinate(std::initializer_list<IntTuple> modes, Where where = Where::current())
      : value_(std::span<const IntTuple>(modes.begin(), modes.size())), where_(where) {}
  [[nodiscard]] const IntTuple& value() const { return value_; }
  [[nodiscard]] Where where() const { return where_; }

 private:
  IntTuple value_;
  Where where_;
};

}  // namespace cutwork::cute

#pragma GCC visibility pop

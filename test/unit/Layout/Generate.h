// Generate.h -- random tuples, layouts, coordinates and tilers for property tests, from a seed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "cutwork/Layout/ComposedLayout.h"
#include "cutwork/Layout/Tiler.h"

namespace cutwork::test {

/// One step of a mixed-radix system: `extent` values, `place` apart.
struct Piece {
  std::int64_t extent;
  std::int64_t place;
};

/// The same numbers on every machine for the same seed.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();
  /// 0 .. n-1.
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(n));
  }
  /// a .. b.
  std::int64_t between(std::int64_t a, std::int64_t b) { return a + below(b - a + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return *(choices.begin() + below(static_cast<std::int64_t>(choices.size())));
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
  }
  /// A divisor of n > 0.
  std::int64_t divisorOf(std::int64_t n);

  /// 1 .. 12, mostly small, and often a power of two.
  std::int64_t extent();
  /// Beyond 32 bits often.
  std::int64_t largeExtent();
  /// A nested tuple of 1 to `leaves` leaves given by `leaf`.
  template <class Leaf>
  cute::IntTuple nested(int leaves, Leaf&& leaf, int depth = 3) {
    if (leaves == 1 && (depth == 0 || !chance(15))) return leaf();
    std::vector<cute::IntTuple> modes;
    while (leaves > 0) {
      int part = depth > 1 && chance(40) ? static_cast<int>(between(1, std::min(leaves, 4))) : 1;
      if (modes.size() == 4 && depth > 1) part = leaves;
      modes.push_back(nested(part, leaf, part > 1 ? depth - 1 : (chance(5) ? depth - 1 : 0)));
      leaves -= part;
    }
    return cute::IntTuple(std::span<const cute::IntTuple>(modes));
  }
  /// Rank and depth up to 4, size at most `most`.
  cute::IntTuple shape(std::int64_t most = 600);
  /// The profile of `like` with each leaf given anew.
  template <class Leaf>
  cute::IntTuple mapped(cute::IntTupleView like, Leaf&& leaf) {
    if (like.isLeaf()) return leaf(like);
    std::vector<cute::IntTuple> modes;
    for (cute::IntTupleView mode : like) modes.push_back(mapped(mode, leaf));
    return cute::IntTuple(std::span<const cute::IntTuple>(modes));
  }

  /// The extents refined to small steps, in the order of their places from 1 up.
  std::vector<Piece> refined(const std::vector<std::int64_t>& extents);
  /// The pieces in the order given as a nested layout; neighbours that continue one another are
  /// often one mode.
  cute::Layout ofPieces(const std::vector<Piece>& pieces);
  /// A layout of some of the steps of refined(extents of `shape`), in some order: what composes
  /// with a layout of that shape, and what tiles it.
  cute::Layout walkOf(cute::IntTupleView shape);

  cute::Layout compact(std::int64_t most = 600);    ///< a bijection on 0 .. size-1, in some order
  cute::Layout injective(std::int64_t most = 200);  ///< some places of a compact one
  cute::Layout withGaps(cute::IntTupleView shape);  ///< first mode fastest, strides with gaps
  cute::Layout arbitrary();                         ///< any strides: 0, negative, large
  cute::Layout large();                             ///< extents and strides beyond 32 bits
  cute::Layout withBasis(cute::IntTupleView coordinates);  ///< maps into these coordinates
  cute::Layout identityLike();                             ///< basis strides, each mode once
  /// Any of these with integer strides.
  cute::Layout layout();
  /// Any at all.
  cute::Layout anyPlain();
  cute::Swizzle swizzle();
  cute::ComposedLayout composed(cute::Layout outer);
  /// Plain mostly.
  cute::AnyLayout anyLayout(cute::Layout outer) {
    if (chance(20)) return composed(std::move(outer));
    return outer;
  }

  /// A coordinate of `shape` of any kind; `holes` percent of the modes are holes.
  cute::IntTuple coordinate(cute::IntTupleView shape, int holes = 0);
  /// Tiles of the modes of `shape`: divisors mostly, layouts, nested ones, `holes` percent holes.
  cute::Tiler tiler(cute::IntTupleView shape, int holes = 15);

 private:
  std::uint64_t state_;
};

/// Whether any stride is a scaled basis element.
bool basisStrides(cute::LayoutView layout);
std::int64_t productOf(cute::IntTupleView shape);

}  // namespace cutwork::test

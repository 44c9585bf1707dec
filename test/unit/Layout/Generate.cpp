// Generate.cpp -- random tuples, layouts, coordinates and tilers.
#include "Generate.h"

#include <algorithm>

#include "Oracle.h"

namespace cutwork::test {

using cute::BasisPath;
using cute::ComposedLayout;
using cute::IntTuple;
using cute::IntTupleView;
using cute::Layout;
using cute::LayoutView;
using cute::Swizzle;
using cute::Tiler;

bool basisStrides(LayoutView layout) {
  for (const oracle::Tree& leaf : oracle::leaves(oracle::read(layout.stride))) {
    if (!leaf.path.empty()) return true;
  }
  return false;
}

std::int64_t productOf(IntTupleView shape) { return oracle::read(shape).product(); }

// splitmix64.
std::uint64_t Generator::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

std::int64_t Generator::divisorOf(std::int64_t n) {
  std::int64_t d = n <= 64 ? between(1, n) : pick<std::int64_t>({1, 2, 3, 4, 6, 8, 12, 16, 32});
  while (n % d != 0) --d;
  return d;
}

std::int64_t Generator::extent() {
  if (chance(45)) return pick<std::int64_t>({1, 2, 2, 4, 4, 8});
  return between(1, chance(70) ? 6 : 12);
}

std::int64_t Generator::largeExtent() {
  return pick<std::int64_t>(
      {65536, 1 << 20, 3000000000, std::int64_t{1} << 33, 1000003, 3, 2, 128});
}

IntTuple Generator::shape(std::int64_t most) {
  std::int64_t left = most;
  auto leaf = [&] {
    std::int64_t e = std::min(extent(), left);
    left /= e;
    return IntTuple(e);
  };
  return nested(static_cast<int>(between(1, chance(80) ? 4 : 7)), leaf);
}

std::vector<Piece> Generator::refined(const std::vector<std::int64_t>& extents) {
  std::vector<Piece> pieces;
  std::int64_t place = 1;
  for (std::int64_t extent : extents) {
    while (extent > 1) {
      std::int64_t part = chance(40) ? extent : divisorOf(extent);
      if (part == 1) continue;
      pieces.push_back({part, place});
      place *= part;
      extent /= part;
    }
  }
  return pieces;
}

Layout Generator::ofPieces(const std::vector<Piece>& pieces) {
  std::vector<Piece> merged;
  for (const Piece& p : pieces) {
    bool continues = !merged.empty() && merged.back().extent * merged.back().place == p.place;
    if (continues && chance(50)) {
      merged.back().extent *= p.extent;
    } else {
      merged.push_back(p);
    }
  }
  if (merged.empty() || chance(8)) merged.push_back({1, chance(50) ? 0 : between(0, 9)});
  std::size_t at = 0;
  auto leaf = [&] { return IntTuple(merged[at++].extent); };
  IntTuple shape = nested(static_cast<int>(merged.size()), leaf);
  at = 0;
  IntTuple stride = mapped(shape, [&](IntTupleView) { return IntTuple(merged[at++].place); });
  return Layout::make(shape, stride);
}

Layout Generator::walkOf(IntTupleView shape) {
  std::vector<std::int64_t> extents;
  for (const oracle::Tree& leaf : oracle::leaves(oracle::read(shape)))
    extents.push_back(leaf.value);
  std::vector<Piece> all = refined(extents);
  std::vector<Piece> some;
  int keep = pick({30, 60, 100});
  for (const Piece& p : all) {
    if (chance(keep)) some.push_back(p);
  }
  if (chance(60)) shuffle(some);
  if (chance(8)) some.push_back({between(2, 4), 0});
  // A step that is there already, or one in between: together they carry.
  if (chance(6) && !all.empty()) {
    some.push_back(all[static_cast<std::size_t>(below(static_cast<std::int64_t>(all.size())))]);
  }
  return ofPieces(some);
}

Layout Generator::compact(std::int64_t most) {
  IntTuple s = shape(most);
  std::vector<std::int64_t> extents;
  for (const oracle::Tree& leaf : oracle::leaves(oracle::read(s))) extents.push_back(leaf.value);
  std::vector<Piece> all = refined(extents);
  if (chance(60)) shuffle(all);
  return ofPieces(all);
}

Layout Generator::injective(std::int64_t most) {
  Layout l = walkOf(shape(most));
  return l;
}

Layout Generator::withGaps(IntTupleView shape) {
  std::int64_t place = chance(70) ? 1 : extent();
  IntTuple stride = mapped(shape, [&](IntTupleView extentOfMode) {
    std::int64_t d = place;
    place *= extentOfMode.value().value();
    if (chance(30)) place *= between(1, 3);
    if (chance(20)) place += between(0, 5);
    return IntTuple(extentOfMode.value().is(1) && chance(70) ? 0 : d);
  });
  return Layout::make(shape, stride);
}

Layout Generator::arbitrary() {
  IntTuple s = shape();
  IntTuple stride = mapped(s, [&](IntTupleView) -> IntTuple {
    if (chance(20)) return 0;
    if (chance(20)) return -between(1, 20);
    if (chance(10)) return between(1, 9) << 31;
    return between(1, 40);
  });
  return Layout::make(s, stride);
}

Layout Generator::large() {
  std::int64_t left = std::int64_t{1} << 40;
  std::int64_t place = 1;
  std::vector<Piece> pieces;
  for (std::int64_t i = between(1, 4); i > 0; --i) {
    std::int64_t e = std::min(chance(50) ? largeExtent() : extent(), left);
    left /= e;
    pieces.push_back({e, place});
    place *= e * (chance(30) ? 2 : 1);
  }
  if (chance(50)) shuffle(pieces);
  return ofPieces(pieces);
}

namespace {

void collectPaths(IntTupleView coordinates, BasisPath path,
                  std::vector<std::pair<BasisPath, std::int64_t>>& out) {
  if (coordinates.isLeaf()) {
    out.push_back({path, coordinates.value().value()});
    return;
  }
  for (int i = 0; i < coordinates.rank(); ++i) {
    BasisPath inner = path;
    inner.push(i);
    collectPaths(coordinates[i], inner, out);
  }
}

}  // namespace

Layout Generator::withBasis(IntTupleView coordinates) {
  std::vector<std::pair<BasisPath, std::int64_t>> paths;
  collectPaths(coordinates, {}, paths);
  struct Step {
    Piece piece;
    BasisPath path;
  };
  std::vector<Step> steps;
  for (const auto& [path, extentOfMode] : paths) {
    for (const Piece& p : refined({extentOfMode})) {
      if (chance(75)) steps.push_back({p, path});
    }
  }
  if (chance(60)) shuffle(steps);
  if (steps.empty()) steps.push_back({{1, 1}, paths[0].first});
  std::size_t at = 0;
  IntTuple s =
      nested(static_cast<int>(steps.size()), [&] { return IntTuple(steps[at++].piece.extent); });
  at = 0;
  IntTuple stride = mapped(s, [&](IntTupleView) {
    const Step& step = steps[at++];
    return IntTuple::basis(step.piece.place, step.path);
  });
  return Layout::make(s, stride);
}

Layout Generator::identityLike() {
  IntTuple coordinates = shape(200);
  if (coordinates.isLeaf()) coordinates = IntTuple{coordinates, 2};
  return withBasis(coordinates);
}

Layout Generator::layout() {
  switch (below(10)) {
    case 0:
    case 1: return compact();
    case 2:
    case 3: return injective();
    case 4:
    case 5:
    case 6: return withGaps(shape());
    case 7: return large();
    default: return arbitrary();
  }
}

Layout Generator::anyPlain() {
  if (chance(15)) return identityLike();
  return layout();
}

Swizzle Generator::swizzle() {
  std::int64_t bits = below(4);
  std::int64_t shift = between(bits, 4);
  return Swizzle::make(bits, below(4), chance(30) ? -shift : shift);
}

ComposedLayout Generator::composed(Layout outer) {
  if (basisStrides(outer)) {
    // The inner layout takes the coordinates.
    oracle::Function f = oracle::Function::of(LayoutView(outer));
    int rank = 1;
    for (const auto& leaf : f.leaves()) {
      if (!leaf.path.empty()) rank = std::max(rank, leaf.path[0] + 1);
    }
    std::vector<IntTuple> extents;
    extents.reserve(static_cast<std::size_t>(rank));
    bool flat = true;
    for (const auto& leaf : f.leaves()) flat = flat && leaf.path.size() == 1;
    for (int i = 0; i < rank; ++i) extents.emplace_back(extent());
    auto made = flat ? ComposedLayout::make(withGaps(IntTuple(std::span<const IntTuple>(extents))),
                                            IntTuple(0), outer)
                     : ComposedLayout::make(Swizzle(), 0, Layout::leaf(1, IntTuple(0)));
    if (made) return *made;
    return ComposedLayout::make(Swizzle(), 0, Layout::leaf(1, IntTuple(0)));
  }
  std::int64_t offset = chance(50) ? 0 : between(1, 40);
  if (chance(30)) return ComposedLayout::make(withGaps(shape(100)), offset, std::move(outer));
  return ComposedLayout::make(swizzle(), offset, std::move(outer));
}

IntTuple Generator::coordinate(IntTupleView shape, int holes) {
  if (chance(holes)) return IntTuple::hole();
  if (shape.isLeaf() || chance(20)) return below(std::max<std::int64_t>(productOf(shape), 1));
  std::vector<IntTuple> modes;
  for (IntTupleView mode : shape) modes.push_back(coordinate(mode, holes));
  return IntTuple(std::span<const IntTuple>(modes));
}

Tiler Generator::tiler(IntTupleView shape, int holes) {
  if (chance(holes)) return Tiler::hole();
  if (shape.isLeaf() || chance(30)) {
    std::int64_t size = productOf(shape);
    if (chance(50)) return Tiler(walkOf(shape));
    if (chance(10)) return Tiler(between(1, 12));
    return Tiler(divisorOf(size));
  }
  std::vector<Tiler> modes;
  for (int i = 0; i < shape.rank() && (i == 0 || !chance(15)); ++i)
    modes.push_back(tiler(shape[i], holes));
  return Tiler::byMode(std::move(modes));
}

}  // namespace cutwork::test

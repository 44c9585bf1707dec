// Divide.cpp -- the tiles of a layout and the four ways to group them.
#include "cutwork/Layout/Divide.h"

#include "ComplementModes.h"
#include "Compose.h"
#include "FlatModes.h"
#include "Refusal.h"
#include "Regroup.h"
#include "Walk.h"
#include "cutwork/Layout/Coalesce.h"
#include "cutwork/Layout/Construct.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

// How the tiles of a mode are counted. Where all is even it makes no difference.
enum class Count : std::uint8_t {
  AsWritten,  // each extent rounded up for itself
  Coalesced,  // extents that continue one another together; a single tile has stride 0
};

Expected<IntTuple> countedExtents(LayoutView a, const Layout& tile, Count count) {
  if (hasBasisStrides(tile)) return IntTuple(a.shape);
  IntTupleBuilder out;
  out.open();
  for (const FlatMode& mode : count == Count::AsWritten ? flatModes(a) : coalescedModes(a))
    out.leaf(mode.extent);
  out.close();
  return out.finish();
}

// Whether the tile and the gaps between its modes fill its period, so that enough tiles cover
// anything.
bool fillsPeriod(const Layout& tile) {
  FlatModes modes = filteredModes(tile);
  auto found = gaps(modes, IntTuple(1), {});
  if (!found) return false;
  Int filled = 1;
  for (const FlatMode& mode : modes) filled = filled * mode.extent;
  for (std::size_t i = 0; i + 1 < found->size(); ++i) filled = filled * (*found)[i].extent;
  return equal(filled, found->back().stride) == Truth::Yes;
}

// The tiles take at least as many elements as there are.
Status checkCoverage(LayoutView a, const Layout& tile, const Layout& rest,
                     const IntTuple& extents) {
  Int covered = size(rest);
  for (const FlatMode& mode : filteredModes(tile)) covered = covered * mode.extent;
  Int wanted = product(a.shape);
  Truth enough = lessEqualPositive(wanted, covered);
  if (enough == Truth::Yes || (extents.rank() <= 1 && fillsPeriod(tile))) return Success{};
  std::string rule = fmt::format("the tiles of {} cover {}", tile.text(), a.text());
  if (enough == Truth::No) {
    return refuse("the tiles of {} cover only {} of the {} elements of {}", tile.text(),
                  covered.text(), wanted.text(), a.text());
  }
  if (!wantsAssumptions({wanted, covered})) return Success{};
  return assume(isLess(wanted - 1, covered), rule);
}

Expected<Layout> divideByLayout(LayoutView a, const Layout& tile, Count count) {
  CW_TRY(IntTuple extents, countedExtents(a, tile, count));
  CW_TRY(Layout rest, complementOf(tile, extents));
  if (count == Count::Coalesced && size(rest).is(1)) rest = Layout::leaf(1, IntTuple(0));
  CW_TRY(Layout divided, composePair(a, tile, rest));
  CW_DO(checkCoverage(a, tile, rest, extents));
  return divided;
}

Status divideInto(LayoutBuilder& out, LayoutView a, const Tiler& tiler, Count count) {
  if (tiler.isHole()) {
    out.append(a);
    return Success{};
  }
  if (tiler.isLayout()) {
    CW_TRY(Layout divided, divideByLayout(a, tiler.layout(), count));
    out.append(divided);
    return Success{};
  }
  int rank = static_cast<int>(tiler.modes().size());
  if (rank > a.rank()) return refuse("the tiler {} has more modes than {}", tiler.text(), a.text());
  out.open();
  for (int i = 0; i < a.rank(); ++i) {
    if (i >= rank) {
      out.append(a[i]);
      continue;
    }
    auto done = divideInto(out, a[i], tiler.modes()[static_cast<std::size_t>(i)], count);
    if (!done) return inMode(std::move(done).takeError(), i);
  }
  out.close();
  return Success{};
}

Expected<Layout> divide(LayoutView a, const Tiler& tiler, Count count) {
  LayoutBuilder out;
  CW_DO(divideInto(out, a, tiler, count));
  return out.finish();
}

// As CuTe's implementations do, extents are counted as written; where the tiles then fail to cover
// the layout, they are counted after coalescing.
Expected<Layout> divide(LayoutView a, const Tiler& tiler) {
  auto written = divide(a, tiler, Count::AsWritten);
  if (written) return written;
  auto coalesced = divide(a, tiler, Count::Coalesced);
  return coalesced ? std::move(coalesced) : std::move(written);
}

Expected<Layout> divideGrouped(LayoutView a, const Tiler& tiler, Grouping grouping) {
  CW_TRY(Layout divided, divide(a, tiler));
  return regroup(divided, tiler, grouping);
}

// How far an integer tile n reaches through the extents from the left: whole extents, then a
// divisor of the next one.
Truth reachesEvenly(IntTupleView shape, Int n) {
  for (const Node& node : shape.nodes()) {
    if (node.kind != NodeKind::Integer || n.is(1)) continue;
    Truth part = divides(n, node.integer);
    Truth whole = divides(node.integer, n);
    if (part == Truth::Yes) return Truth::Yes;
    if (whole != Truth::Yes) return std::max(part, whole);
    n = floorDiv(n, node.integer);
  }
  return equal(n, Int(1));
}

Truth coversEvenly(IntTupleView shape, const Layout& tile) {
  auto compact = coalesce(tile);
  if (compact && compact->shape().isLeaf() && compact->stride() == IntTuple(1)) {
    return reachesEvenly(shape, compact->shape().value());
  }
  auto rest = complementOf(tile, IntTuple(product(shape)));
  bool known = isStatic(shape) && isStatic(tile);
  if (!rest) return known ? Truth::No : Truth::Unknown;
  return equal(size(tile) * size(*rest), product(shape));
}

}  // namespace

Expected<Layout> logical_divide(const Layout& a, const Tiler& tiler) {
  return named(divide(a, tiler), "logical_divide", a, tiler);
}
Expected<Layout> zipped_divide(const Layout& a, const Tiler& tiler) {
  return named(divideGrouped(a, tiler, Grouping::Zipped), "zipped_divide", a, tiler);
}
Expected<Layout> tiled_divide(const Layout& a, const Tiler& tiler) {
  return named(divideGrouped(a, tiler, Grouping::Tiled), "tiled_divide", a, tiler);
}
Expected<Layout> flat_divide(const Layout& a, const Tiler& tiler) {
  return named(divideGrouped(a, tiler, Grouping::Flat), "flat_divide", a, tiler);
}
Expected<AnyLayout> logical_divide(const AnyLayout& a, const Tiler& tiler) {
  return a.map([&](const Layout& outer) { return logical_divide(outer, tiler); });
}
Expected<AnyLayout> zipped_divide(const AnyLayout& a, const Tiler& tiler) {
  return a.map([&](const Layout& outer) { return zipped_divide(outer, tiler); });
}
Expected<AnyLayout> tiled_divide(const AnyLayout& a, const Tiler& tiler) {
  return a.map([&](const Layout& outer) { return tiled_divide(outer, tiler); });
}
Expected<AnyLayout> flat_divide(const AnyLayout& a, const Tiler& tiler) {
  return a.map([&](const Layout& outer) { return flat_divide(outer, tiler); });
}

Truth evenly_divides(const IntTuple& shape, const Tiler& tiler) {
  if (tiler.isHole()) return Truth::Yes;
  if (tiler.isLayout()) return coversEvenly(shape, tiler.layout());
  int rank = static_cast<int>(tiler.modes().size());
  if (shape.isLeaf() || rank > shape.rank()) return Truth::No;
  Truth all = Truth::Yes;
  for (int i = 0; i < rank; ++i) {
    all = std::min(all, evenly_divides(shape[i], tiler.modes()[static_cast<std::size_t>(i)]));
  }
  return all;
}

namespace {

Expected<IntTuple> coordinateCounts(const Tiler& tiler) {
  if (tiler.isHole()) return IntTuple(1);
  if (tiler.isLayout()) {
    CW_TRY(Layout distinct, filter(tiler.layout()));
    return checked(IntTuple(size(distinct)));
  }
  IntTupleBuilder out;
  out.open();
  for (const Tiler& mode : tiler.modes()) {
    CW_TRY(IntTuple count, coordinateCounts(mode));
    out.append(count);
  }
  out.close();
  return out.finish();
}

}  // namespace

Expected<IntTuple> ceilDivByTiler(const IntTuple& shape, const Tiler& tiler) {
  auto counts = coordinateCounts(tiler);
  if (!counts) return named(std::move(counts), "ceil_div", shape, tiler);
  return ceil_div(shape, counts->view());
}

}  // namespace cutwork::cute

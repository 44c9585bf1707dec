// Common.cpp -- common prefixes of layouts, contiguity, distribution of a domain.
#include "cutwork/Layout/Common.h"

#include <numeric>

#include "Compose.h"
#include "FlatModes.h"
#include "Refusal.h"
#include "cutwork/Layout/Inverse.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

Layout one() { return Layout::leaf(1, IntTuple(0)); }

Expected<Layout> commonLayout(const Layout& a, const Layout& b) {
  CW_TRY(Layout inverse, right_inverse(b, WhenUnknown::Stop));
  CW_TRY(Layout through, compose(a.view(), inverse.view()));
  FlatModes modes = coalescedModes(through);
  if (modes.empty() || !modes[0].stride.is(1) || modes[0].basis.depth() != 0) return one();
  // a continues beyond its size, its elements do not: the run ends where a's own does.
  CW_TRY(Layout own, right_inverse(a, WhenUnknown::Stop));
  Int run = modes[0].extent;
  Truth within = lessEqualPositive(run, size(own));
  if (within == Truth::No) run = size(own);
  if (within == Truth::Unknown) run = std::gcd(run.divisor(), size(own).divisor());
  auto prefix = compose(inverse.view(), Layout::leaf(run, IntTuple(1)).view());
  return prefix ? std::move(prefix) : Expected<Layout>(one());
}

Expected<Layout> distribute(IntTupleView shape, std::int64_t n) {
  if (n <= 0) return refuse("{} is no number of coordinates", n);
  FlatModes out;
  Int place = 1;
  for (const Node& node : shape.nodes()) {
    if (node.kind == NodeKind::Tuple) continue;
    bool fixed = node.kind == NodeKind::Integer && node.basis.depth() == 0 &&
                 node.integer.isStatic() && node.integer.value() > 0;
    if (!fixed) return refuse("the shape {} is not static", shape.text());
    std::int64_t common = std::gcd(n, node.integer.value());
    out.push({common, place, {}});
    n /= common;
    place = place * node.integer;
  }
  return fromModes(coalescedModes(out));
}

}  // namespace

Expected<Layout> max_common_layout(const Layout& a, const Layout& b) {
  return named(commonLayout(a, b), "max_common_layout", a, b);
}

Expected<Int> max_common_vector(const Layout& a, const Layout& b) {
  auto common = commonLayout(a, b);
  if (!common)
    return named(Expected<Int>(std::move(common).takeError()), "max_common_vector", a, b);
  return size(*common);
}

namespace {

// The values 0 .. run-1 come first, mode after mode; what every other stride has in common with
// that is left. A mode belongs to the run if its stride lies inside.
Int alignmentOf(LayoutView layout, Int run) {
  std::int64_t common = run.divisor();
  for (const FlatMode& mode : filteredModes(layout)) {
    bool inside = mode.stride.isStatic() && run.isStatic() && mode.stride.value() > 0 &&
                  mode.stride.value() < run.value();
    if (!inside) common = std::gcd(common, mode.stride.divisor());
  }
  return std::max<std::int64_t>(common, 1);
}

}  // namespace

Expected<Int> max_alignment(const AnyLayout& layout) {
  if (!layout.plain() || hasBasisStrides(layout)) return Int(1);
  auto inverse = right_inverse(*layout.plain(), WhenUnknown::Stop);
  if (!inverse)
    return named(Expected<Int>(std::move(inverse).takeError()), "max_alignment", layout);
  return alignmentOf(layout, size(*inverse));
}

Expected<Layout> domain_distribute(const IntTuple& shape, std::int64_t n) {
  return named(distribute(shape, n), "domain_distribute", shape, Int(n));
}

}  // namespace cutwork::cute

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

// How many of the first `run` values of `inverse` are coordinates below `size`: whole modes as long
// as they stay below it, and as much of the next one as does. What is not known does not count.
Int countBelow(LayoutView inverse, Int run, Int size) {
  Int count = 1;
  Int last = 0;
  for (const FlatMode& mode : coalescedModes(inverse)) {
    if (lessEqualPositive(run, count) == Truth::Yes) return run;
    if (lessEqualPositive(last + (mode.extent - 1) * mode.stride + 1, size) == Truth::Yes) {
      last = last + (mode.extent - 1) * mode.stride;
      count = count * mode.extent;
      continue;
    }
    // A positive integer is at least its divisor, which is all that is known of a dynamic one.
    if (last.isStatic() && mode.stride.isStatic()) {
      Int below = floorDiv(Int(size.divisor()) - 1 - last, mode.stride) + 1;
      count = count * max(1, min(below, mode.extent.divisor()));
    }
    break;
  }
  return run.isStatic() && count.isStatic() ? min(run, count)
                                            : Int(std::gcd(run.divisor(), count.divisor()));
}

Expected<Layout> commonLayout(const Layout& a, const Layout& b) {
  CW_TRY(Layout inverse, right_inverse(b, WhenUnknown::Stop));
  CW_TRY(Layout through, compose(a.view(), inverse.view()));
  FlatModes modes = coalescedModes(through);
  if (modes.empty() || !modes[0].stride.is(1) || modes[0].basis.depth() != 0) return one();
  // a continues beyond its size, its elements do not: the run ends where a's own does.
  Int run = countBelow(inverse, modes[0].extent, size(a));
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
  if (!common) return named(std::move(common).takeError(), "max_common_vector", a, b);
  return size(*common);
}

namespace {

// Follows the modes whose strides continue one another from 1, as right_inverse does. Each other
// stride has a part in common with the run that they make; that is what stays aligned.
Int alignmentOf(LayoutView layout) {
  FlatModes ahead = filteredModes(layout);
  Int run = 1;
  for (bool grows = true; grows;) {
    grows = false;
    FlatModes rest;
    for (const FlatMode& mode : ahead) {
      if (!grows && equal(mode.stride, run) == Truth::Yes) {
        run = run * mode.extent;
        grows = true;
      } else {
        rest.push(mode);
      }
    }
    ahead = rest;
  }
  std::int64_t common = run.divisor();
  for (const FlatMode& mode : ahead) common = std::gcd(common, mode.stride.divisor());
  return std::max<std::int64_t>(common, 1);
}

}  // namespace

Expected<Int> max_alignment(const AnyLayout& layout) {
  if (!layout.plain() || hasBasisStrides(layout)) return Int(1);
  return alignmentOf(layout);
}

Expected<Layout> domain_distribute(const IntTuple& shape, std::int64_t n) {
  return named(distribute(shape, n), "domain_distribute", shape, Int(n));
}

}  // namespace cutwork::cute

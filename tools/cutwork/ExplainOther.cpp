// ExplainOther.cpp -- thread-value layouts, and the same bytes as other elements.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "ExplainWalk.h"
#include "cutwork/Layout/Construct.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/Inverse.h"
#include "cutwork/Layout/Partition.h"
#include "cutwork/Layout/Product.h"
#include "cutwork/Layout/Recast.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::tool {

using cute::AnyLayout;
using cute::Int;
using cute::IntTuple;
using cute::Layout;

Status explainLayoutTV(ExplainTask& task) {
  CW_TRY(Layout threads, task.plainLayout(0));
  CW_TRY(Layout values, task.plainLayout(1));
  CW_TRY(cute::TiledTV made, cute::make_layout_tv(threads, values));
  task.out.definition =
      "make_layout_tv(A, B) = (tile, TV): P = raked_product(A, B) names owners; TV is its inverse";
  CW_TRY(Layout owners, cute::raked_product(threads, values));
  task.out.step("P = raked_product(A, B) = " + owners.text())
      .details.push_back(fmt::format("P(m,n) = thread + {} * value", cute::size(threads).text()));
  CW_TRY(IntTuple tile, cute::product_each(owners.shape()));
  task.out.step(fmt::format("tile: the size of each mode of P, {}", tile.text()));
  CW_TRY(Layout inverse, cute::right_inverse(owners));
  task.out.step("R = right_inverse(P) = " + inverse.text());
  CW_TRY(Layout order, cute::make_layout(IntTuple{cute::size(threads), cute::size(values)}));
  task.out.step(fmt::format("TV = R o {}, one mode for threads and one for values", order.text()));
  CW_TRY(Layout tv, walk(task.out, inverse, order, "R", "(threads,values)"));
  if (cute::isStatic(tv.view()) && !agree(tv, made.tv))
    return inconsistent("make_layout_tv", tv.text(), made.tv.text());
  setCheck(task.out, [&]() -> Expected<Check> {
    CW_TRY(std::vector<IntTuple> places, valuesForCheck(made.tv));
    Check check{fmt::format("P(TV(t,v)) = t + {} * v for {}", cute::size(threads).text(),
                            allCoordinates(places.size())),
                {}};
    CW_TRY(check.fails,
           firstFailure(places.size(), [&](std::size_t i) -> Expected<std::optional<std::string>> {
             CW_TRY(IntTuple owner, cute::crd2idx(places[i], owners));
             if (owner == IntTuple(static_cast<std::int64_t>(i)))
               return std::optional<std::string>();
             return std::optional(
                 fmt::format("P({}) = {}, not {}", places[i].text(), owner.text(), i));
           }));
    return check;
  });
  return Success{};
}

namespace {

std::string upcastRule(const LeafMode& leaf, std::int64_t n) {
  Int stride = leaf.stride.value();
  if (stride.is(0)) return "a stride of 0 stays";
  if (cute::divides(n, stride) == cute::Truth::Yes) {
    return fmt::format("the stride is a multiple of {}: {}:{}", n, leaf.extent.text(),
                       cute::floorDiv(stride, n).text());
  }
  if (leaf.extent.is(1)) return "an extent of 1 stays";
  if (!stride.isStatic()) return "the stride is not known";
  Int together = cute::floorDiv(n, cute::abs(stride));
  return fmt::format(
      "{} coordinates fall into one element of {}: {} / {} elements, next to one another",
      together.text(), n, leaf.extent.text(), together.text());
}

std::string downcastRule(const LeafMode& leaf, std::int64_t n) {
  Int stride = leaf.stride.value();
  if (stride.is(1) || stride.is(-1)) {
    return fmt::format("next to one another: {} times as many: {}:{}", n, (leaf.extent * n).text(),
                       stride.text());
  }
  return fmt::format("{} times as far apart: {}:{}", n, leaf.extent.text(), (stride * n).text());
}

void recastSteps(Explanation& out, const AnyLayout& layout, std::int64_t n, bool up) {
  if (n == 1) return;
  Step& step = out.step(
      fmt::format("{}: elements {} times {}", layout.text(), n, up ? "larger" : "smaller"));
  for (const LeafMode& leaf : leavesOf(layout.outer().view())) {
    step.details.push_back(leaf.text() + ": " + (up ? upcastRule(leaf, n) : downcastRule(leaf, n)));
  }
  if (layout.composed())
    step.details.push_back(
        fmt::format("the swizzle's base moves by log2({}), the offset is scaled", n));
}

// Whether an element's parts are its offset and those behind it: that takes one mode, forwards.
bool countsForward(const AnyLayout& layout) {
  int contiguous = 0;
  for (const LeafMode& leaf : leavesOf(layout.outer().view())) {
    Int stride = leaf.stride.value();
    if (!stride.isStatic() || stride.value() < 0) return false;
    contiguous += stride.is(1) ? 1 : 0;
  }
  return contiguous <= 1;
}

// The elements of `larger` against those of `smaller` that they consist of.
Expected<Check> covers(const AnyLayout& larger, const AnyLayout& smaller, std::int64_t n,
                       const std::string& statement) {
  CW_TRY(std::vector<IntTuple> wholes, valuesForCheck(larger));
  CW_TRY(std::vector<IntTuple> parts, valuesForCheck(smaller));
  std::set<std::int64_t> a;
  std::set<std::int64_t> b;
  for (const IntTuple& whole : wholes) a.insert(whole.value().value());
  for (const IntTuple& part : parts) b.insert(cute::floorDiv(part.value(), n).value());
  Check check{statement, {}};
  if (a != b) check.fails = fmt::format("R and L have {} and {} of them", a.size(), b.size());
  return check;
}

}  // namespace

Status explainRecast(ExplainTask& task) {
  bool bits = task.operation == "recast_layout";
  CW_TRY(AnyLayout layout, task.layout(bits ? 2 : 0));
  CW_TRY(AnyLayout result, task.resultLayout());
  std::int64_t up = 1;
  std::int64_t down = 1;
  if (bits) {
    CW_TRY(Int newBits, cute::parseInt(task.operands[0]));
    CW_TRY(Int oldBits, cute::parseInt(task.operands[1]));
    std::int64_t common = std::gcd(newBits.value(), oldBits.value());
    up = newBits.value() / common;
    down = oldBits.value() / common;
    task.out.definition =
        "recast_layout(N, O, L), elements of O and then N bits: upcast by N/gcd, downcast by O/gcd";
    task.out.step(fmt::format("gcd({}, {}) = {}: upcast by {}, downcast by {}", newBits.text(),
                              oldBits.text(), common, up, down));
  } else {
    CW_TRY(Int n, cute::parseInt(task.operands[1]));
    (task.operation == "upcast" ? up : down) = n.value();
    task.out.definition = task.operation == "upcast"
                              ? "upcast(L, N) is L in elements N times as large"
                              : "downcast(L, N) is L in elements N times smaller";
  }
  CW_TRY(AnyLayout between, cute::upcast(layout, up));
  recastSteps(task.out, layout, up, true);
  recastSteps(task.out, between, down, false);
  setCheck(task.out, [&]() -> Expected<Check> {
    if (!countsForward(layout)) {
      return userError(
          "negative strides, or several modes next to one another, do not fill elements from the "
          "front");
    }
    if (up > 1 && down > 1)
      return userError("elements of neither size consist of whole ones of the other");
    if (up > 1)
      return covers(result, layout, up,
                    fmt::format("R has the elements L(i) / {} rounded down, and no others", up));
    return covers(layout, result, down, fmt::format("R's elements make up L's, {} for each", down));
  });
  return Success{};
}

}  // namespace cutwork::tool

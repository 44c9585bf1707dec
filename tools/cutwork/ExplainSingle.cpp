// ExplainSingle.cpp -- operations on one layout: coalesce and complement.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "ExplainTask.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::tool {

using cute::AnyLayout;
using cute::Int;
using cute::IntTuple;
using cute::IntTupleView;
using cute::LayoutView;

namespace {

bool continues(const LeafMode& a, const LeafMode& b) {
  return a.extent.isStatic() && a.stride.view().basis() == b.stride.view().basis() &&
         a.stride.value().isStatic() && b.stride.value().isStatic() &&
         a.extent * a.stride.value() == b.stride.value();
}

void coalesceSteps(Explanation& out, LayoutView layout, const std::string& where) {
  Step& step = out.step(fmt::format("{}, leaf by leaf: {}", where, listOf(leavesOf(layout))));
  std::vector<LeafMode> kept;
  for (const LeafMode& leaf : leavesOf(layout)) {
    if (leaf.extent.is(1)) {
      step.details.push_back(fmt::format("{}: an extent of 1 is dropped", leaf.text()));
    } else if (kept.empty()) {
      kept.push_back(leaf);
      step.details.push_back(fmt::format("{}: the first", leaf.text()));
    } else if (continues(kept.back(), leaf)) {
      std::string before = kept.back().text();
      kept.back().extent = kept.back().extent * leaf.extent;
      step.details.push_back(
          fmt::format("{}: continues {}, together {}", leaf.text(), before, kept.back().text()));
    } else {
      step.details.push_back(fmt::format("{}: does not continue {} ({} * {} is not {}), stays",
                                         leaf.text(), kept.back().text(), kept.back().extent.text(),
                                         kept.back().stride.text(), leaf.stride.text()));
      kept.push_back(leaf);
    }
  }
  if (kept.empty()) step.details.emplace_back("nothing is left: 1:0");
}

void coalesceSteps(Explanation& out, LayoutView layout, IntTupleView profile,
                   const std::string& where) {
  if (!profile.isTuple() || layout.isLeaf()) return coalesceSteps(out, layout, where);
  for (int i = 0; i < layout.rank(); ++i) {
    std::string mode = fmt::format("mode {} of {}", i, where);
    if (i < profile.rank()) {
      coalesceSteps(out, layout[i], profile[i], mode);
    } else {
      out.step(fmt::format("{} = {} is beyond the profile and stays", mode, layout[i].text()));
    }
  }
}

void complementSteps(Explanation& out, LayoutView layout, Int cotarget) {
  if (!allStatic(leavesOf(layout)) || !cotarget.isStatic()) return;
  std::vector<LeafMode> modes = byStride(layout);
  Step& step = out.step("the modes of L by stride: " + listOf(modes));
  Int end = 1;
  for (const LeafMode& mode : modes) {
    Int stride = mode.stride.value();
    Int gap = cute::floorDiv(stride, end);
    if (gap.is(1)) {
      step.details.push_back(fmt::format("{}: begins at {}, where the modes before it end: no gap",
                                         mode.text(), end.text()));
    } else {
      step.details.push_back(
          fmt::format("{}: begins at {}, the modes before it end at {}: the gap {}:{}", mode.text(),
                      stride.text(), end.text(), gap.text(), end.text()));
    }
    end = mode.extent * stride;
  }
  Int count = cute::ceilDiv(cotarget, end);
  step.details.push_back(fmt::format("behind the last, from {} up to {}: ceil({}/{}) = {}: {}:{}",
                                     end.text(), cotarget.text(), cotarget.text(), end.text(),
                                     count.text(), count.text(), end.text()));
}

}  // namespace

Status explainCoalesce(ExplainTask& task) {
  CW_TRY(AnyLayout layout, task.layout(0));
  CW_TRY(AnyLayout result, task.resultLayout());
  task.out.definition = "R = coalesce(L) has R(i) = L(i) for 0 <= i < size(L), in few modes";
  IntTuple profile = 0;
  if (task.operands.size() > 1) {
    CW_TRY(profile, task.tuple(1));
    task.out.definition += "; by mode where P is a tuple";
  }
  coalesceSteps(task.out, layout.outer().view(), profile,
                layout.plain() ? "L" : "the outer layout of L");
  setCheck(task.out, [&]() -> Expected<Check> {
    CW_TRY(std::vector<IntTuple> before, valuesForCheck(layout));
    CW_TRY(std::vector<IntTuple> after, valuesForCheck(result));
    return checkEach(fmt::format("R(i) = L(i) for {}", allCoordinates(before.size())),
                     before.size(), [&](std::size_t i) -> Expected<std::optional<std::string>> {
                       if (i >= after.size())
                         return std::optional(fmt::format("R has no coordinate {}", i));
                       return differs(fmt::format("R({})", i), after[i], before[i]);
                     });
  });
  return Success{};
}

Status explainComplement(ExplainTask& task) {
  CW_TRY(AnyLayout layout, task.layout(0));
  CW_TRY(AnyLayout result, task.resultLayout());
  IntTuple cotarget = 1;
  if (task.operands.size() > 1) {
    CW_TRY(cotarget, task.tuple(1));
  }
  task.out.definition =
      "R = complement(L, M): L(i) + R(j) reach every integer below M once; R increases";
  Int reach = cute::product(cotarget);
  if (!cute::hasBasisStrides(layout.outer().view()))
    complementSteps(task.out, layout.outer().view(), reach);
  setCheck(task.out, [&]() -> Expected<Check> {
    CW_TRY(std::vector<IntTuple> inside, valuesForCheck(layout.outer()));
    CW_TRY(std::vector<IntTuple> outside, valuesForCheck(result));
    std::unordered_set<std::string> distinct;
    for (const IntTuple& value : inside) distinct.insert(value.text());
    if (static_cast<std::int64_t>(distinct.size() * outside.size()) > kMostChecked) {
      return userError(fmt::format("there are more than {} sums", kMostChecked));
    }
    std::unordered_set<std::string> sums;
    for (const std::string& text : distinct) {
      CW_TRY(IntTuple value, cute::parseTuple(text));
      for (const IntTuple& other : outside) {
        CW_TRY(IntTuple sum, cute::tuple_add(value, other));
        sums.insert(sum.text());
      }
    }
    bool numbers = !inside.empty() && inside[0].isInt();
    std::size_t count = distinct.size() * outside.size();
    Check check{
        fmt::format(
            "L(i) + R(j) are {} different values{}", count,
            numbers ? fmt::format(", and every integer below {} is one", reach.text()) : ""),
        {}};
    if (sums.size() != count) check.fails = fmt::format("there are only {}", sums.size());
    for (std::int64_t i = 0; numbers && !check.fails && i < reach.value(); ++i) {
      if (!sums.contains(std::to_string(i))) check.fails = fmt::format("{} is none", i);
    }
    return check;
  });
  return Success{};
}

}  // namespace cutwork::tool

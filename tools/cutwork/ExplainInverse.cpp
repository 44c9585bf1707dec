// ExplainInverse.cpp -- from values back to coordinates: right and left inverse.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "ExplainTask.h"
#include "ExplainWalk.h"
#include "cutwork/Layout/Coordinates.h"

namespace cutwork::tool {

using cute::AnyLayout;
using cute::Int;
using cute::IntTuple;
using cute::IntTupleView;
using cute::LayoutView;

namespace {

// Between two strides the inverse counts up in the coordinates of the mode with the smaller one.
void leftInverseSteps(Explanation& out, LayoutView layout) {
  std::vector<LeafMode> leaves = leavesOf(layout);
  if (!allStatic(leaves)) return;
  struct Reached {
    LeafMode mode;
    Int apart;  // of its coordinates
  };
  std::vector<Reached> modes;
  Int apart = 1;
  for (const LeafMode& leaf : leaves) {
    if (!leaf.extent.is(1) && !leaf.stride.value().is(0)) modes.push_back({leaf, apart});
    apart = apart * leaf.extent;
  }
  auto stride = [](const Reached& reached) { return reached.mode.stride.value(); };
  std::sort(modes.begin(), modes.end(), [&](const Reached& a, const Reached& b) {
    return stride(a).value() < stride(b).value();
  });
  Step& step = out.step("the modes of L by stride: " + listOf(byStride(layout)));
  if (!modes.empty() && !stride(modes[0]).is(1)) {
    step.details.push_back(fmt::format("values below the stride {}: {}:0", stride(modes[0]).text(),
                                       stride(modes[0]).text()));
  }
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const Reached& at = modes[i];
    bool last = i + 1 == modes.size();
    Int count = last ? at.mode.extent : cute::floorDiv(stride(modes[i + 1]), stride(at));
    step.details.push_back(fmt::format(
        "{}, whose coordinates are {} apart: {}: {}:{}", at.mode.text(), at.apart.text(),
        last ? std::string("the last, its whole extent")
             : fmt::format("the next stride is {} times its own", count.text()),
        count.text(), at.apart.text()));
  }
}

Expected<IntTuple> linear(IntTupleView value, const AnyLayout& layout) {
  // A layout with basis strides gives coordinates, which the inverse takes as they are.
  return cute::crd2idx(withZeros(value, layout.outer().shape()), layout);
}

}  // namespace

Status explainRightInverse(ExplainTask& task) {
  CW_TRY(AnyLayout layout, task.layout(0));
  CW_TRY(AnyLayout result, task.resultLayout());
  task.out.definition =
      "R = right_inverse(L) is the longest layout with L(R(i)) = i for 0 <= i < size(R)";
  std::vector<LeafMode> leaves = leavesOf(layout.outer().view());
  if (allStatic(leaves)) {
    Step& step = task.out.step("the modes of L whose strides continue one another from 1");
    Int next = 1;
    for (bool found = true; found;) {
      found = false;
      Int coordinate = 1;
      for (const LeafMode& leaf : leaves) {
        if (!found && !leaf.extent.is(1) && leaf.stride.value() == next) {
          step.details.push_back(fmt::format(
              "stride {}: the mode {}, whose coordinates are {} apart: piece {}:{}", next.text(),
              leaf.text(), coordinate.text(), leaf.extent.text(), coordinate.text()));
          next = next * leaf.extent;
          found = true;
        }
        coordinate = coordinate * leaf.extent;
      }
    }
    step.details.push_back(fmt::format("no mode has the stride {}: that is the end", next.text()));
  }
  setCheck(task.out, [&]() -> Expected<Check> {
    CW_TRY(std::vector<IntTuple> back, valuesForCheck(result));
    bool numbers = !cute::hasBasisStrides(layout.outer().view());
    std::string which = numbers ? "i" : "the coordinate i";
    return checkEach(fmt::format("L(R(i)) = {} for {}", which, allCoordinates(back.size())),
                     back.size(), [&](std::size_t i) -> Expected<std::optional<std::string>> {
                       CW_TRY(IntTuple found, linear(back[i], layout));
                       IntTuple wanted(static_cast<std::int64_t>(i));
                       if (!numbers) {
                         CW_TRY(IntTuple natural, cute::idx2crd(wanted, result.outer().shape()));
                         wanted = natural;
                         found = withZeros(found, wanted);
                       }
                       return differs(fmt::format("L(R({}))", i), found, wanted);
                     });
  });
  return Success{};
}

Status explainLeftInverse(ExplainTask& task) {
  CW_TRY(AnyLayout layout, task.layout(0));
  CW_TRY(AnyLayout result, task.resultLayout());
  task.out.definition =
      "R = left_inverse(L) has R(L(i)) = i where L is injective, L(R(L(i))) = L(i) everywhere";
  leftInverseSteps(task.out, layout.outer().view());
  setCheck(task.out, [&]() -> Expected<Check> {
    CW_TRY(std::vector<IntTuple> values, valuesForCheck(layout));
    std::unordered_set<std::string> distinct;
    for (const IntTuple& value : values) distinct.insert(value.text());
    bool injective = distinct.size() == values.size();
    std::string statement = injective ? "R(L(i)) = i" : "L(R(L(i))) = L(i)";
    return checkEach(fmt::format("{} for {}", statement, allCoordinates(values.size())),
                     values.size(), [&](std::size_t i) -> Expected<std::optional<std::string>> {
                       CW_TRY(IntTuple back, linear(values[i], result));
                       if (injective) {
                         return differs(fmt::format("R(L({}))", i), back,
                                        IntTuple(static_cast<std::int64_t>(i)));
                       }
                       CW_TRY(IntTuple again, linear(back, layout));
                       return differs(fmt::format("L(R(L({})))", i), again, values[i]);
                     });
  });
  return Success{};
}

}  // namespace cutwork::tool

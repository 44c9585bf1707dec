// ExplainTask.cpp -- what all explainers use: leaves, values, checks.
#include "ExplainTask.h"

#include <fmt/format.h>

#include <algorithm>

#include "cutwork/Layout/Coordinates.h"

namespace cutwork::tool {

using cute::AnyLayout;
using cute::Int;
using cute::IntTuple;

std::vector<LeafMode> leavesOf(cute::LayoutView layout) {
  if (layout.isLeaf()) return {{layout.shape.value(), IntTuple(layout.stride)}};
  std::vector<LeafMode> leaves;
  for (int i = 0; i < layout.rank(); ++i) {
    for (LeafMode& leaf : leavesOf(layout[i])) leaves.push_back(std::move(leaf));
  }
  return leaves;
}

std::string listOf(const std::vector<LeafMode>& modes) {
  std::string out;
  for (const LeafMode& mode : modes) out += (out.empty() ? "" : ", ") + mode.text();
  return out.empty() ? "nothing" : out;
}

Expected<cute::Layout> layoutOf(const std::vector<LeafMode>& modes) {
  if (modes.empty()) return cute::Layout::leaf(1, IntTuple(0));
  if (modes.size() == 1) return cute::Layout::leaf(modes[0].extent, modes[0].stride);
  cute::LayoutBuilder out;
  out.open();
  for (const LeafMode& mode : modes) out.append(cute::Layout::leaf(mode.extent, mode.stride));
  out.close();
  return out.finish();
}

Expected<std::vector<IntTuple>> valuesForCheck(const AnyLayout& layout) {
  Int size = cute::size(layout.outer());
  if (size.isInvalid() || (size.isStatic() && size.value() > kMostChecked)) {
    return userError(fmt::format("{} has more than {} coordinates", layout.text(), kMostChecked));
  }
  return cute::evaluate(layout);
}

Expected<std::optional<std::string>> firstFailure(std::size_t count, const CheckAt& at) {
  for (std::size_t i = 0; i < count; ++i) {
    CW_TRY(std::optional<std::string> found, at(i));
    if (found) return found;
  }
  return std::optional<std::string>();
}

void setCheck(Explanation& out, const std::function<Expected<Check>()>& check) {
  auto made = check();
  if (made) {
    out.check = *std::move(made);
  } else {
    out.unchecked = made.error().message();
  }
}

std::string allCoordinates(std::size_t count) {
  return count == 1 ? "the one coordinate" : fmt::format("all {} coordinates", count);
}

std::optional<std::string> valuesDiffer(std::vector<IntTuple> a, std::vector<IntTuple> b) {
  auto sorted = [](const std::vector<IntTuple>& values) {
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const IntTuple& value : values) texts.push_back(value.text());
    std::sort(texts.begin(), texts.end());
    return texts;
  };
  std::vector<std::string> left = sorted(a);
  std::vector<std::string> right = sorted(b);
  if (left == right) return std::nullopt;
  auto [x, y] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  std::string value = x != left.end() ? *x : *y;
  return fmt::format("the value {} is not in both equally often", value);
}

Error inconsistent(std::string_view operation, const std::string& steps,
                   const std::string& result) {
  return internalError(
      fmt::format("{}: the steps lead to {}, the library to {}", operation, steps, result));
}

}  // namespace cutwork::tool

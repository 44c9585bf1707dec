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

bool allStatic(const std::vector<LeafMode>& modes) {
  return std::all_of(modes.begin(), modes.end(), [](const LeafMode& mode) {
    return mode.extent.isStatic() && mode.stride.isInt() && mode.stride.value().isStatic();
  });
}

// The leaves that move, with the smallest stride first.
std::vector<LeafMode> byStride(cute::LayoutView layout) {
  std::vector<LeafMode> modes = leavesOf(layout);
  std::erase_if(
      modes, [](const LeafMode& mode) { return mode.extent.is(1) || mode.stride.value().is(0); });
  std::sort(modes.begin(), modes.end(), [](const LeafMode& a, const LeafMode& b) {
    auto key = [](const LeafMode& mode) {
      return std::pair(mode.stride.value().value(), mode.extent.value());
    };
    return key(a) < key(b);
  });
  return modes;
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

Expected<Check> checkEach(std::string statement, std::size_t count, const CheckAt& at) {
  Check check{std::move(statement), {}};
  CW_TRY(check.fails, firstFailure(count, at));
  return check;
}

std::optional<std::string> differs(const std::string& left, const IntTuple& found,
                                   const IntTuple& wanted) {
  if (found == wanted) return std::nullopt;
  return fmt::format("{} = {}, not {}", left, found.text(), wanted.text());
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

std::optional<std::string> valuesDiffer(const std::vector<IntTuple>& a,
                                        const std::vector<IntTuple>& b) {
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

bool agree(const cute::Layout& a, const cute::Layout& b) {
  if (!(a.shape() == b.shape())) return false;
  std::vector<LeafMode> left = leavesOf(a);
  std::vector<LeafMode> right = leavesOf(b);
  return std::equal(
      left.begin(), left.end(), right.begin(), right.end(),
      [](const LeafMode& x, const LeafMode& y) { return x.extent.is(1) || x.stride == y.stride; });
}

Error inconsistent(std::string_view operation, const std::string& steps,
                   const std::string& result) {
  return internalError(
      fmt::format("{}: the steps lead to {}, the library to {}", operation, steps, result));
}

}  // namespace cutwork::tool

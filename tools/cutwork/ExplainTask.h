// ExplainTask.h -- one operation to explain, and what all explainers use.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "Explanation.h"
#include "cutwork/Layout/Text.h"
#include "cutwork/Support/Status.h"

namespace cutwork::tool {

/// Checks enumerate up to this many coordinates.
inline constexpr std::int64_t kMostChecked = 1 << 16;

struct ExplainTask {
  std::string operation;
  std::vector<std::string> operands;  ///< in text form
  std::string result;                 ///< what the library answers
  cute::DynamicFactory dynamic;
  Explanation& out;

  [[nodiscard]] Expected<cute::AnyLayout> layout(std::size_t i) const {
    return cute::parseAnyLayout(operands[i], dynamic);
  }
  [[nodiscard]] Expected<cute::Layout> plainLayout(std::size_t i) const {
    return cute::parseLayout(operands[i], dynamic);
  }
  [[nodiscard]] Expected<cute::IntTuple> tuple(std::size_t i) const {
    return cute::parseTuple(operands[i], dynamic);
  }
  [[nodiscard]] Expected<cute::Tiler> tiler(std::size_t i) const {
    return cute::parseTiler(operands[i], dynamic);
  }
  [[nodiscard]] Expected<cute::AnyLayout> resultLayout() const {
    return cute::parseAnyLayout(result, dynamic);
  }
};

/// Adds the definition, the steps and the check to task.out. Letters in the definition are those
/// that lettersOf gives the operands.
using Explainer = Status (*)(ExplainTask&);
Status explainComposition(ExplainTask& task);
Status explainDivide(ExplainTask& task);
Status explainProduct(ExplainTask& task);
Status explainTileToShape(ExplainTask& task);
Status explainCoalesce(ExplainTask& task);
Status explainComplement(ExplainTask& task);
Status explainRightInverse(ExplainTask& task);
Status explainLeftInverse(ExplainTask& task);
Status explainLayoutTV(ExplainTask& task);
Status explainRecast(ExplainTask& task);

/// One leaf mode.
struct LeafMode {
  cute::Int extent;
  cute::IntTuple stride;
  [[nodiscard]] std::string text() const { return extent.text() + ":" + stride.text(); }
};
/// The leaves in order.
std::vector<LeafMode> leavesOf(cute::LayoutView layout);
/// Whether all extents and strides are static integers, without a basis.
bool allStatic(const std::vector<LeafMode>& modes);
/// The leaves that move, with the smallest stride first. Precondition: allStatic.
std::vector<LeafMode> byStride(cute::LayoutView layout);
/// "6:8, 2:2"; "nothing" if there are none.
std::string listOf(const std::vector<LeafMode>& modes);
/// The layout of these modes: a bare mode, or a flat tuple; of none 1:0.
Expected<cute::Layout> layoutOf(const std::vector<LeafMode>& modes);

/// All values, or why a check is not possible: too many, dynamic.
Expected<std::vector<cute::IntTuple>> valuesForCheck(const cute::AnyLayout& layout);
/// For a coordinate: nothing if the statement holds there, else what is found instead.
using CheckAt = std::function<Expected<std::optional<std::string>>(std::size_t)>;
/// The first of 0..count-1 where `at` finds something, in words; nothing if it holds everywhere.
Expected<std::optional<std::string>> firstFailure(std::size_t count, const CheckAt& at);
/// The check with this statement, made at each of 0..count-1.
Expected<Check> checkEach(std::string statement, std::size_t count, const CheckAt& at);
/// "R(3) = 5, not 6" where they differ; `left` is R(3).
std::optional<std::string> differs(const std::string& left, const cute::IntTuple& found,
                                   const cute::IntTuple& wanted);
/// Makes `check` the explanation's check; one that cannot be made is the reason why there is none.
void setCheck(Explanation& out, const std::function<Expected<Check>()>& check);
/// "all 12 coordinates".
std::string allCoordinates(std::size_t count);
/// Whether the two hold the same values, each as often; else the first difference.
std::optional<std::string> valuesDiffer(const std::vector<cute::IntTuple>& a,
                                        const std::vector<cute::IntTuple>& b);
/// Whether the two are the same but for strides of extent 1, which no coordinate uses.
bool agree(const cute::Layout& a, const cute::Layout& b);
/// The error that the steps and the library disagree: a bug of ours.
Error inconsistent(std::string_view operation, const std::string& steps, const std::string& result);

}  // namespace cutwork::tool

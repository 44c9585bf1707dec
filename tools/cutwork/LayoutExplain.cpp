// LayoutExplain.cpp -- which operation is explained by whom, and the letters of its operands.
#include "LayoutExplain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ExplainTask.h"
#include "cutwork/Layout/Operations.h"
#include "cutwork/Layout/Recording.h"

namespace cutwork::tool {

namespace {

struct Explained {
  std::string_view name;
  std::array<std::string_view, 3> letters;
  Explainer explainer;
};

constexpr std::array kExplained = {
    Explained{"composition", {"A", "B"}, explainComposition},
    Explained{"logical_divide", {"A", "B"}, explainDivide},
    Explained{"zipped_divide", {"A", "B"}, explainDivide},
    Explained{"tiled_divide", {"A", "B"}, explainDivide},
    Explained{"flat_divide", {"A", "B"}, explainDivide},
    Explained{"logical_product", {"A", "B"}, explainProduct},
    Explained{"zipped_product", {"A", "B"}, explainProduct},
    Explained{"tiled_product", {"A", "B"}, explainProduct},
    Explained{"flat_product", {"A", "B"}, explainProduct},
    Explained{"blocked_product", {"A", "B"}, explainProduct},
    Explained{"raked_product", {"A", "B"}, explainProduct},
    Explained{"tile_to_shape", {"A", "M", "order"}, explainTileToShape},
    Explained{"coalesce", {"L", "P"}, explainCoalesce},
    Explained{"complement", {"L", "M"}, explainComplement},
    Explained{"right_inverse", {"L"}, explainRightInverse},
    Explained{"left_inverse", {"L"}, explainLeftInverse},
    Explained{"make_layout_tv", {"A", "B"}, explainLayoutTV},
    Explained{"upcast", {"L", "N"}, explainRecast},
    Explained{"downcast", {"L", "N"}, explainRecast},
    Explained{"recast_layout", {"N", "O", "L"}, explainRecast},
};

const Explained* find(std::string_view name) {
  const auto* found = std::find_if(kExplained.begin(), kExplained.end(),
                                   [&](const Explained& e) { return e.name == name; });
  return found == kExplained.end() ? nullptr : found;
}

std::string summaryOf(std::string_view name) {
  for (const cute::OperationInfo& info : cute::operations()) {
    if (info.name == name) return fmt::format("{}({}): {}", info.name, info.operands, info.summary);
  }
  return std::string(name);
}

}  // namespace

std::string explainedOperations() {
  std::string out;
  for (const Explained& e : kExplained) {
    if (!out.empty()) out += ", ";
    out += e.name;
  }
  return out;
}

Expected<Explanation> explain(const Expression& expression) {
  cute::RecordingEvaluator evaluator;
  auto dynamic = [&](cute::Width width, std::int64_t divisor) {
    return evaluator.input(width, divisor);
  };
  Explanation out;
  out.expression = expression.source();
  out.operation = expression.name;
  const Explained* known = find(expression.name);
  std::vector<std::string> operands;
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    const Expression& operand = expression.operands[i];
    CW_TRY(std::string value, evaluateExpression(operand, dynamic));
    std::string source = operand.source();
    std::string letter(known ? known->letters.at(i) : "");
    if (letter.empty()) letter = fmt::format("operand {}", i + 1);
    out.operands.emplace_back(letter,
                              source == value ? value : fmt::format("{} = {}", source, value));
    operands.push_back(std::move(value));
  }
  CW_TRY(out.result, cute::evaluateOperation(expression.name, operands, dynamic));
  if (known == nullptr) {
    out.definition = summaryOf(expression.name);
    out.unchecked = "the steps of this operation are not explained";
    return out;
  }
  ExplainTask task{expression.name, std::move(operands), out.result, dynamic, out};
  CW_DO(known->explainer(task));
  return out;
}

}  // namespace cutwork::tool

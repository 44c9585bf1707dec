// Explanation.h -- what `layout explain` prints: a definition, steps with details, result, check.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cutwork::tool {

struct Step {
  std::string title;
  std::vector<std::string> details;
};

/// The definition tested at every coordinate.
struct Check {
  std::string statement;             ///< "R(c) = A(B(c)) for all 12 coordinates"
  std::optional<std::string> fails;  ///< where it does not hold, and how
};

struct Explanation {
  std::string expression;
  std::string operation;
  std::string definition;                                     ///< in the letters of the operands
  std::vector<std::pair<std::string, std::string>> operands;  ///< letter and text
  std::vector<Step> steps;
  std::string result;
  std::optional<Check> check;
  std::string unchecked;  ///< why there is no check

  Step& step(std::string title) { return steps.emplace_back(Step{std::move(title), {}}); }
};

std::string explanationText(const Explanation& explanation);
/// One JSON object on one line; docs/cli.md has the keys.
std::string explanationJson(const Explanation& explanation);

}  // namespace cutwork::tool

// Evaluated.h -- operations by name in tests: the answer as text, "refused: ..." for a refusal.
#pragma once

#include <string>
#include <vector>

#include "cutwork/Layout/Operations.h"
#include "cutwork/Layout/Recording.h"

namespace cutwork::cute {

/// A `?` in an operand is a new input of a RecordingEvaluator.
inline std::string evaluated(const std::string& name, const std::vector<std::string>& operands) {
  RecordingEvaluator evaluator;
  auto dynamic = [&](Width width, std::int64_t divisor) { return evaluator.input(width, divisor); };
  auto answer = evaluateOperation(name, operands, dynamic);
  return answer ? *answer : "refused: " + answer.error().message();
}

}  // namespace cutwork::cute

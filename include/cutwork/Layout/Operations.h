// cutwork/Layout/Operations.h -- the algebra's operations by name, on text.
//
//     evaluateOperation("composition", {"(6,2):(8,2)", "(4,3):(3,1)"}) = "((2,2),3):((24,2),8)"
//
// What `cutwork layout eval` answers with. Operands and answers are in the text form (Text.h); a
// `?` makes a new dynamic integer. Answers besides: "true", "false", lists "[0,1]", two results "a
// ; b".
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cutwork/Layout/Text.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// One operation: its name, its operands in words, and what it is.
struct OperationInfo {
  std::string_view name;
  std::string_view operands;
  std::string_view summary;
};

/// All operations, in the order of the documentation.
std::span<const OperationInfo> operations();

/// The answer as text. Refuses an unknown name (with the nearest known ones), a wrong number of
/// operands (with what they are), operands that cannot be read, and what the operation refuses.
/// `dynamic` makes the integer for a `?`; without it dynamic operands are refused.
Expected<std::string> evaluateOperation(std::string_view name,
                                        std::span<const std::string> operands,
                                        const DynamicFactory& dynamic = {});

}  // namespace cutwork::cute

#pragma GCC visibility pop

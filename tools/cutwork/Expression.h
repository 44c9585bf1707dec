// Expression.h -- EXPR on the command line: layouts in text form, operations, `o` between them.
//
//     expr    := operand {'o' operand}
//     operand := name '(' [expr {',' expr}] ')'         an operation of cutwork/Layout/Operations.h
//              | tuple | layout | swizzle | tiler       the text forms of cutwork/Layout/Text.h
//
// In a chain of `o`, an inner function, an integer or tuple, and a layout after it are one composed
// layout (S<3,4,3> o 0 o (32,8):(1,32)); a swizzle directly before a layout has offset 0; all else
// is composition, from left to right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cutwork/Layout/Text.h"

namespace cutwork::tool {

/// What EXPR says, not evaluated yet.
struct Expression {
  enum class Kind : std::uint8_t {
    Text,      ///< an operand as it was written
    Call,      ///< the operation `name` of the operands
    Composed,  ///< inner o offset o outer, which make one layout
  };
  Kind kind = Kind::Text;
  std::string name;
  std::string text;  ///< of a Text
  std::vector<Expression> operands;

  /// The expression as text, without superfluous spaces.
  [[nodiscard]] std::string source() const;
};

/// Longest expression, and deepest nesting of calls and longest chain of `o`, that are read.
inline constexpr std::size_t kLongestExpression = 1 << 16;
inline constexpr int kDeepestExpression = 32;

/// Reads EXPR and checks all that can be checked without evaluating: the syntax of every operand,
/// names of operations and the number of their operands. Errors name the column (from 1) and what
/// was expected.
Expected<Expression> parseExpression(std::string_view text);

/// The value in text form; `dynamic` makes the integer for a `?`. An error is what an operation
/// refused.
Expected<std::string> evaluateExpression(const Expression& expression,
                                         const cute::DynamicFactory& dynamic);

/// Whether the operation `name` has two results, "a ; b".
bool hasTwoResults(std::string_view name);

}  // namespace cutwork::tool

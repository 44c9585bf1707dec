// Lexer.h -- PTX text to tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cutwork/Support/Error.h"

namespace cutwork::sim {

enum class TokenKind : std::uint8_t {
  Name,    ///< add, %r1, $L_7, _
  Dot,     ///< .reg, .L2::128B; the text is without the dot
  Number,  ///< 12, 0x1fU, 1.5, 0f3F800000
  String,  ///< "one.cu"; the text is without the quotes
  Punct,   ///< one of the operators and brackets
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  std::uint32_t line = 0;

  [[nodiscard]] bool is(char c) const {
    return kind == TokenKind::Punct && text.size() == 1 && text[0] == c;
  }
  [[nodiscard]] bool isOp(std::string_view op) const {
    return kind == TokenKind::Punct && text == op;
  }
};

/// All tokens of `text`, an End token last. They refer to `text`. Error (User): a character that
/// PTX does not have, a comment or string without an end; the place is `name` and the line.
Expected<std::vector<Token>> tokenize(std::string_view text, const std::string& name);

}  // namespace cutwork::sim

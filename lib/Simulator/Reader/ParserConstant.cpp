// ParserConstant.cpp -- constant expressions: PTX ISA section 4.5, "Constants".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "ParserImpl.h"

namespace cutwork::sim {
namespace {

struct Level {
  std::string_view op;
  unsigned binds;  ///< higher binds tighter
};
constexpr std::array kLevels = {
    Level{"||", 1}, Level{"&&", 2}, Level{"|", 3},  Level{"^", 4},  Level{"&", 5},  Level{"==", 6},
    Level{"!=", 6}, Level{"<", 7},  Level{"<=", 7}, Level{">", 7},  Level{">=", 7}, Level{"<<", 8},
    Level{">>", 8}, Level{"+", 9},  Level{"-", 9},  Level{"*", 10}, Level{"/", 10}, Level{"%", 10},
};

const Level* levelOf(const Token& token) {
  if (token.kind != TokenKind::Punct) return nullptr;
  for (const Level& level : kLevels) {
    if (level.op == token.text) return &level;
  }
  return nullptr;
}

Constant integer(std::uint64_t value, bool isUnsigned) {
  Constant constant;
  constant.integer = value;
  constant.isUnsigned = isUnsigned;
  return constant;
}

Constant real(double value) {
  Constant constant;
  constant.isFloat = true;
  constant.real = value;
  return constant;
}

double asReal(const Constant& c) {
  if (c.isFloat) return c.real;
  return c.isUnsigned ? static_cast<double>(c.integer)
                      : static_cast<double>(static_cast<std::int64_t>(c.integer));
}

std::optional<Constant> foldReal(std::string_view op, double a, double b) {
  if (op == "+") return real(a + b);
  if (op == "-") return real(a - b);
  if (op == "*") return real(a * b);
  if (op == "/" && b != 0) return real(a / b);
  if (op == "<") return integer(a < b ? 1 : 0, false);
  if (op == "<=") return integer(a <= b ? 1 : 0, false);
  if (op == ">") return integer(a > b ? 1 : 0, false);
  if (op == ">=") return integer(a >= b ? 1 : 0, false);
  if (op == "==") return integer(a == b ? 1 : 0, false);
  if (op == "!=") return integer(a != b ? 1 : 0, false);
  return std::nullopt;
}

std::optional<Constant> foldInteger(std::string_view op, const Constant& a, const Constant& b) {
  const bool isUnsigned = a.isUnsigned || b.isUnsigned;
  const std::uint64_t x = a.integer;
  const std::uint64_t y = b.integer;
  const auto sx = static_cast<std::int64_t>(x);
  const auto sy = static_cast<std::int64_t>(y);
  const auto flag = [](bool value) { return integer(value ? 1 : 0, false); };
  if (op == "+") return integer(x + y, isUnsigned);
  if (op == "-") return integer(x - y, isUnsigned);
  if (op == "*") return integer(x * y, isUnsigned);
  if (op == "/" || op == "%") {
    if (y == 0) return std::nullopt;
    if (isUnsigned) return integer(op == "/" ? x / y : x % y, true);
    if (sy == -1) return integer(op == "/" ? 0 - x : 0, false);
    return integer(static_cast<std::uint64_t>(op == "/" ? sx / sy : sx % sy), false);
  }
  if (op == "<<") return integer(y > 63 ? 0 : x << y, a.isUnsigned);
  if (op == ">>") {
    if (a.isUnsigned) return integer(y > 63 ? 0 : x >> y, true);
    return integer(static_cast<std::uint64_t>(sx >> std::min<std::uint64_t>(y, 63)), false);
  }
  if (op == "&") return integer(x & y, isUnsigned);
  if (op == "|") return integer(x | y, isUnsigned);
  if (op == "^") return integer(x ^ y, isUnsigned);
  if (op == "&&") return flag(x != 0 && y != 0);
  if (op == "||") return flag(x != 0 || y != 0);
  if (op == "==") return flag(x == y);
  if (op == "!=") return flag(x != y);
  if (op == "<") return flag(isUnsigned ? x < y : sx < sy);
  if (op == "<=") return flag(isUnsigned ? x <= y : sx <= sy);
  if (op == ">") return flag(isUnsigned ? x > y : sx > sy);
  return flag(isUnsigned ? x >= y : sx >= sy);
}

}  // namespace

Expected<Constant> Parser::constant(unsigned depth) {
  if (depth > kMaxNesting) return problem("an expression nested too deeply");
  CW_TRY(const Constant condition, binary(1, depth));
  if (!accept('?')) return condition;
  CW_TRY(const Constant yes, constant(depth + 1));
  CW_DO(expect(':', "the first value of ?:"));
  CW_TRY(const Constant no, constant(depth + 1));
  return asReal(condition) != 0 ? yes : no;
}

Expected<Constant> Parser::binary(unsigned minimum, unsigned depth) {
  if (depth > kMaxNesting) return problem("an expression nested too deeply");
  CW_TRY(Constant left, unary(depth));
  while (true) {
    const Level* level = levelOf(peek());
    if (level == nullptr || level->binds < minimum) return left;
    // `17|%p` in an operand list does not occur; `a | b` of constants does.
    advance();
    CW_TRY(const Constant right, binary(level->binds + 1, depth + 1));
    const auto folded = left.isFloat || right.isFloat
                            ? foldReal(level->op, asReal(left), asReal(right))
                            : foldInteger(level->op, left, right);
    if (!folded) return problem(fmt::format("'{}' has no value here", level->op));
    left = *folded;
  }
}

Expected<Constant> Parser::unary(unsigned depth) {
  if (depth > kMaxNesting) return problem("an expression nested too deeply");
  if (accept('+')) return unary(depth + 1);
  if (accept('-')) {
    CW_TRY(Constant value, unary(depth + 1));
    if (value.isFloat) {
      value.real = -value.real;
      if (value.exactBits == 32) value.integer ^= 0x80000000U;
      if (value.exactBits == 64) value.integer ^= std::uint64_t{1} << 63;
      return value;
    }
    return integer(0 - value.integer, value.isUnsigned);
  }
  if (accept('~')) {
    CW_TRY(const Constant value, unary(depth + 1));
    if (value.isFloat) return problem("~ of a floating-point number");
    return integer(~value.integer, value.isUnsigned);
  }
  if (accept('!')) {
    CW_TRY(const Constant value, unary(depth + 1));
    return integer(asReal(value) == 0 ? 1 : 0, false);
  }
  if (accept('(')) {
    if ((isDot("s64") || isDot("u64")) && peek(1).is(')')) {  // a cast
      const bool isUnsigned = advance().text == "u64";
      advance();
      CW_TRY(const Constant value, unary(depth + 1));
      if (value.isFloat) return problem("a cast of a floating-point number");
      return integer(value.integer, isUnsigned);
    }
    CW_TRY(const Constant value, constant(depth + 1));
    CW_DO(expect(')', "the expression"));
    return value;
  }
  return literal();
}

Expected<Constant> Parser::literal() {
  if (peek().kind == TokenKind::Name && peek().text == "WARP_SZ") {
    advance();
    return integer(32, false);
  }
  if (peek().kind != TokenKind::Number) return wanted("a constant");
  std::string_view text = peek().text;
  const Error bad = problem(fmt::format("'{}' is not a number", text));
  const auto digits = [&](std::string_view from, int base, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), value, base);
    return error == std::errc() && end == from.data() + from.size() && !from.empty();
  };
  std::uint64_t value = 0;
  const char second = text.size() > 1 && text[0] == '0' ? text[1] : '\0';
  if (second == 'f' || second == 'F' || second == 'd' || second == 'D') {
    const bool single = second == 'f' || second == 'F';
    if (text.size() != (single ? 10U : 18U) || !digits(text.substr(2), 16, value)) return bad;
    Constant constant = real(single ? std::bit_cast<float>(static_cast<std::uint32_t>(value))
                                    : std::bit_cast<double>(value));
    constant.exactBits = single ? 32 : 64;
    constant.integer = value;
    advance();
    return constant;
  }
  const bool hex = second == 'x' || second == 'X';
  if (!hex && text.find_first_of(".eE") != std::string_view::npos) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc::invalid_argument || end != text.data() + text.size()) return bad;
    advance();
    return real(number);
  }
  bool isUnsigned = false;
  if (text.ends_with('U')) isUnsigned = true, text.remove_suffix(1);
  bool good = false;
  if (hex) {
    good = digits(text.substr(2), 16, value);
  } else if (second == 'b' || second == 'B') {
    good = digits(text.substr(2), 2, value);
  } else if (second != '\0') {
    good = digits(text.substr(1), 8, value);
  } else {
    good = digits(text, 10, value);
  }
  if (!good) return bad;
  advance();
  // A literal is s64 unless that cannot hold it (PTX ISA 4.5.1).
  return integer(value, isUnsigned || value > 0x7fffffffffffffffU);
}

}  // namespace cutwork::sim

// Lexer.cpp -- PTX text to tokens.
#include "Lexer.h"
#include "cutwork/Support/Status.h"

#include <fmt/format.h>

#include <array>

namespace cutwork::sim {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// A '%' is also the remainder, before a blank or a bracket.
bool startsName(char c) { return isLetter(c) || c == '_' || c == '$' || c == '%'; }
bool continuesName(char c) { return isLetter(c) || isDigit(c) || c == '_' || c == '$'; }

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Expected<std::vector<Token>> run() {
    while (true) {
      CW_DO(skipSpace());
      if (i_ == text_.size()) break;
      CW_TRY(const Token token, next());
      tokens_.push_back(token);
    }
    tokens_.push_back({TokenKind::End, text_.substr(text_.size()), line_});
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  Error problem(std::string message) {
    return userError(std::move(message), SourcePlace{name_, line_, 0, {}});
  }

  /// Skips blanks and comments.
  Status skipSpace() {
    while (i_ < text_.size()) {
      const char c = text_[i_];
      if (c == '\n') {
        ++line_, ++i_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\0') {
        // A trailing NUL is what drivers are handed; it ends nothing here.
        ++i_;
      } else if (c == '/' && at(i_ + 1) == '/') {
        while (i_ < text_.size() && text_[i_] != '\n') ++i_;
      } else if (c == '/' && at(i_ + 1) == '*') {
        const std::size_t end = text_.find("*/", i_ + 2);
        if (end == std::string_view::npos) return problem("a comment /* without its */");
        for (; i_ < end; ++i_) line_ += text_[i_] == '\n' ? 1 : 0;
        i_ = end + 2;
      } else {
        return Success{};
      }
    }
    return Success{};
  }

  Token take(TokenKind kind, std::size_t begin, std::size_t end) {
    i_ = end;
    return {kind, text_.substr(begin, end - begin), line_};
  }

  Expected<Token> next() {
    const char c = text_[i_];
    if (startsName(c) && (c != '%' || continuesName(at(i_ + 1)))) {
      std::size_t end = i_ + 1;
      while (continuesName(at(end))) ++end;
      return take(TokenKind::Name, i_, end);
    }
    if (isDigit(c) || (c == '.' && isDigit(at(i_ + 1)) && !afterWord())) return number();
    if (c == '.') {
      std::size_t end = i_ + 1;
      while (true) {
        const bool colons = at(end) == ':' && at(end + 1) == ':';
        if (!colons && !continuesName(at(end))) break;
        end += colons ? 2 : 1;
      }
      if (end == i_ + 1) return problem("a '.' that begins nothing");
      return take(TokenKind::Dot, i_ + 1, end);
    }
    if (c == '"') {
      const std::size_t end = text_.find('"', i_ + 1);
      if (end == std::string_view::npos) return problem("a string without its closing quote");
      Token token = take(TokenKind::String, i_ + 1, end);
      ++i_;
      for (const char inside : token.text) line_ += inside == '\n' ? 1 : 0;
      return token;
    }
    static constexpr std::array<std::string_view, 8> kPairs = {
        "<<", ">>", "==", "!=", "<=", ">=", "&&", "||"};
    for (const std::string_view pair : kPairs) {
      if (text_.substr(i_, 2) == pair) return take(TokenKind::Punct, i_, i_ + 2);
    }
    static constexpr std::string_view kSingles = "{}[]()<>,;:+-*/%!~&|^?=@";
    if (kSingles.find(c) != std::string_view::npos) return take(TokenKind::Punct, i_, i_ + 1);
    const auto byte = static_cast<unsigned char>(c);
    return problem(byte >= 0x20 && byte < 0x7f
                       ? fmt::format("the character '{}' has no meaning in PTX", c)
                       : fmt::format("the byte {:#04x} has no meaning in PTX", byte));
  }

  /// Whether a '.' here continues a word: `.multicast::cluster.1d`, `cvt.4b`.
  [[nodiscard]] bool afterWord() const { return i_ > 0 && continuesName(text_[i_ - 1]); }

  Expected<Token> number() {
    std::size_t end = i_;
    if (at(i_) == '0' && continuesName(at(i_ + 1))) {  // 0x, 0b, 0f, 0d, octal
      while (continuesName(at(end))) ++end;
    } else {
      while (isDigit(at(end))) ++end;
    }
    const bool hex = at(i_) == '0' && isLetter(at(i_ + 1));
    if (!hex) {
      if (at(end) == '.' && isDigit(at(end + 1))) {
        for (++end; isDigit(at(end));) ++end;
      } else if (at(end) == '.' && !startsName(at(end + 1))) {
        ++end;  // "1."
      }
      if (at(end) == 'e' || at(end) == 'E') {
        std::size_t after = end + 1;
        if (at(after) == '+' || at(after) == '-') ++after;
        if (isDigit(at(after))) {
          for (end = after; isDigit(at(end));) ++end;
        }
      }
      if (at(end) == 'U') ++end;
    }
    if (continuesName(at(end))) {
      return problem(fmt::format("'{}' is not a number", text_.substr(i_, end + 1 - i_)));
    }
    return take(TokenKind::Number, i_, end);
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t i_ = 0;
  std::uint32_t line_ = 1;
  std::vector<Token> tokens_;
};

}  // namespace

Expected<std::vector<Token>> tokenize(std::string_view text, const std::string& name) {
  return Lexer(text, name).run();
}

}  // namespace cutwork::sim

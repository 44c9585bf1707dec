// Expression.cpp -- reading EXPR by recursive descent, and its evaluation on text.
#include "Expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cutwork/Layout/Operations.h"
#include "cutwork/Layout/Recording.h"

namespace cutwork::tool {

namespace {

using Kind = Expression::Kind;

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isWordCharacter(char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '_'; }

// With every space, and every end of a line, written as ' '.
std::string spaced(std::string_view text) {
  std::string out(text);
  std::replace_if(out.begin(), out.end(), isSpace, ' ');
  return out;
}

// How many operands an operation takes, from how the table words them: "layout[, profile]".
struct Arity {
  std::size_t least;
  std::size_t most;
};
Arity arityOf(const cute::OperationInfo& info) {
  auto commas = [](std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), ','));
  };
  std::string_view required = info.operands.substr(0, info.operands.find('['));
  return {commas(required) + 1, commas(info.operands) + 1};
}

const cute::OperationInfo* find(std::string_view name) {
  for (const cute::OperationInfo& info : cute::operations()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

bool isSwizzle(const Expression& e) { return e.kind == Kind::Text && e.text.starts_with('S'); }
bool isTuple(const Expression& e) {
  return e.kind == Kind::Text && e.text.find_first_of("S:[") == std::string::npos;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Expected<Expression> whole() {
    CW_TRY(Expression made, chain(0));
    skipSpaces();
    if (at_ < text_.size()) return expected("'o' or the end");
    return made;
  }

 private:
  void skipSpaces() {
    while (at_ < text_.size() && isSpace(text_[at_])) ++at_;
  }
  bool peek(char c) {
    skipSpaces();
    return at_ < text_.size() && text_[at_] == c;
  }
  [[nodiscard]] Error expected(std::string_view what) const {
    std::string found =
        at_ < text_.size() ? fmt::format("'{}'", spaced(text_.substr(at_, 12))) : "the end";
    return userError(fmt::format("column {}: expected {}, found {}", at_ + 1, what, found));
  }

  Expected<Expression> chain(int depth) {
    std::vector<Expression> terms;
    CW_TRY(Expression first, term(depth));
    terms.push_back(std::move(first));
    while (peek('o')) {
      // Each further one nests the evaluation one level deeper.
      if (terms.size() >= static_cast<std::size_t>(kDeepestExpression)) {
        return expected(fmt::format("at most {} operands of 'o'", kDeepestExpression));
      }
      ++at_;
      CW_TRY(Expression next, term(depth));
      terms.push_back(std::move(next));
    }
    return joined(std::move(terms));
  }

  // A chain as composed layouts and compositions.
  static Expression joined(std::vector<Expression> terms) {
    Expression whole;
    bool first = true;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      Expression one = std::move(terms[i]);
      bool more = i + 1 < terms.size();
      if (i + 2 < terms.size() && !isTuple(one) && isTuple(terms[i + 1])) {
        one = {Kind::Composed,
               "",
               "",
               {std::move(one), std::move(terms[i + 1]), std::move(terms[i + 2])}};
        i += 2;
      } else if (isSwizzle(one) && more && !isTuple(terms[i + 1])) {
        one = {Kind::Composed,
               "",
               "",
               {std::move(one), {Kind::Text, "", "0", {}}, std::move(terms[i + 1])}};
        i += 1;
      }
      if (!first) one = {Kind::Call, "composition", "", {std::move(whole), std::move(one)}};
      whole = std::move(one);
      first = false;
    }
    return whole;
  }

  Expected<Expression> term(int depth) {
    skipSpaces();
    if (at_ == text_.size() || text_[at_] == ',' || text_[at_] == ')') {
      return expected("a layout, a tuple or an operation");
    }
    if (isLetter(text_[at_]) && text_[at_] != 'S') return call(depth);
    return operand();
  }

  Expected<Expression> call(int depth) {
    std::size_t begin = at_;
    while (at_ < text_.size() && isWordCharacter(text_[at_])) ++at_;
    std::string name(text_.substr(begin, at_ - begin));
    const cute::OperationInfo* info = find(name);
    if (info == nullptr) {
      // The algebra words the suggestion of a similar name.
      auto unknown = cute::evaluateOperation(name, {});
      if (!unknown)
        return std::move(unknown).takeError().within(fmt::format("column {}: ", begin + 1));
    }
    if (depth >= kDeepestExpression) {
      return userError(fmt::format("column {}: expected at most {} operations inside one another",
                                   begin + 1, kDeepestExpression));
    }
    if (!peek('(')) return expected(fmt::format("'(' after {}", name));
    ++at_;
    Expression made{Kind::Call, std::move(name), "", {}};
    while (!peek(')')) {
      if (!made.operands.empty()) {
        if (!peek(',')) return expected("',' or ')'");
        ++at_;
      }
      skipSpaces();
      std::size_t column = at_ + 1;
      CW_TRY(Expression next, chain(depth + 1));
      if (next.kind == Kind::Call && hasTwoResults(next.name)) {
        return userError(fmt::format("column {}: {} has two results, so it can only stand alone",
                                     column, next.name));
      }
      made.operands.push_back(std::move(next));
    }
    ++at_;
    Arity arity = arityOf(*info);
    std::size_t count = made.operands.size();
    if (count < arity.least || count > arity.most) {
      return userError(fmt::format("column {}: {} takes {}; {} operand{} given", begin + 1,
                                   made.name, info->operands, count, count == 1 ? " is" : "s are"));
    }
    return made;
  }

  // Text up to a ',' or ')' or 'o' that is in no bracket.
  Expected<Expression> operand() {
    std::size_t begin = at_;
    std::string open;
    for (; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (open.empty() && (c == ',' || c == ')' || c == 'o')) break;
      constexpr std::string_view kOpening = "([{<";
      constexpr std::string_view kClosing = ")]}>";
      if (kOpening.find(c) != std::string_view::npos) {
        open += kClosing[kOpening.find(c)];
      } else if (!open.empty() && c == open.back()) {
        open.pop_back();
      } else if (kClosing.find(c) != std::string_view::npos) {
        return expected(open.empty() ? "no closing bracket" : fmt::format("'{}'", open.back()));
      }
    }
    std::size_t end = at_;
    while (end > begin && isSpace(text_[end - 1])) --end;
    std::string text = spaced(text_.substr(begin, end - begin));
    CW_DO(check(text, begin));
    return Expression{Kind::Text, "", std::move(text), {}};
  }

  // Whether `text` reads as what it looks like. Spaces before it make the parser count our columns.
  [[nodiscard]] Status check(const std::string& text, std::size_t begin) const {
    std::string padded = std::string(begin, ' ') + text;
    cute::RecordingEvaluator evaluator;
    auto dynamic = [&](cute::Width width, std::int64_t divisor) {
      return evaluator.input(width, divisor);
    };
    auto done = [&]<class T>(const Expected<T>& read) -> Status {
      if (read) return Success{};
      std::string message = read.error().message();
      if (message.ends_with("found the end") && at_ < text_.size()) message += " of the operand";
      if (!message.starts_with("column"))
        message = fmt::format("column {}: {}", begin + 1, message);
      return userError(message);
    };
    if (text.starts_with('[')) return done(cute::parseTiler(padded, dynamic));
    if (text.starts_with('S')) return done(cute::parseSwizzle(padded));
    if (text.find(':') != std::string::npos) return done(cute::parseLayout(padded, dynamic));
    return done(cute::parseTuple(padded, dynamic));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string Expression::source() const {
  if (kind == Kind::Text) return text;
  std::string out = name;
  if (kind == Kind::Call) out += '(';
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i > 0) out += kind == Kind::Call ? ", " : " o ";
    out += operands[i].source();
  }
  return kind == Kind::Call ? out + ")" : out;
}

bool hasTwoResults(std::string_view name) {
  constexpr std::array kPairs = {"make_layout_tv", "slice_and_offset", "domain_offset",
                                 "local_tile", "local_partition"};
  return std::find(kPairs.begin(), kPairs.end(), name) != kPairs.end();
}

Expected<Expression> parseExpression(std::string_view text) {
  if (text.size() > kLongestExpression) {
    return userError(fmt::format("the expression has {} characters; expected at most {}",
                                 text.size(), kLongestExpression));
  }
  return Reader(text).whole();
}

Expected<std::string> evaluateExpression(const Expression& expression,
                                         const cute::DynamicFactory& dynamic) {
  if (expression.kind == Kind::Text) return expression.text;
  std::vector<std::string> operands;
  for (const Expression& operand : expression.operands) {
    CW_TRY(std::string value, evaluateExpression(operand, dynamic));
    operands.push_back(std::move(value));
  }
  if (expression.kind == Kind::Call) {
    return cute::evaluateOperation(expression.name, operands, dynamic);
  }
  CW_TRY(cute::AnyLayout made,
         cute::parseAnyLayout(fmt::format("{}", fmt::join(operands, " o ")), dynamic));
  return made.text();
}

}  // namespace cutwork::tool

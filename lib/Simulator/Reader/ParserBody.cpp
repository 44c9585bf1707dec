// ParserBody.cpp -- the bodies of functions: statements, labels, scopes, operands.
#include <fmt/format.h>

#include "ParserImpl.h"

namespace cutwork::sim {
namespace {

/// Far above what any instruction has.
constexpr unsigned kMaxOperands = 4096;
/// Behind the sign of an offset stands what binds tighter than + and -.
constexpr unsigned kTermBinds = 10;

}  // namespace

Status Parser::body(Function& function) {
  CW_DO(expect('{', "the function's head"));
  unsigned depth = 1;
  loc_ = 0;
  while (true) {
    if (peek().kind == TokenKind::End) return wanted("the function's '}'");
    Statement mark;
    mark.line = peek().line;
    if (accept('{')) {
      ++depth;
      mark.kind = Statement::Kind::Open;
      function.body.push_back(std::move(mark));
    } else if (accept('}')) {
      if (--depth == 0) return Success{};
      mark.kind = Statement::Kind::Close;
      function.body.push_back(std::move(mark));
    } else {
      CW_DO(statement(function));
    }
  }
}

Status Parser::pragma() {
  do {
    if (peek().kind != TokenKind::String) return wanted("a string after .pragma");
    advance();
  } while (accept(','));
  accept(';');  // on a kernel's head there may be none
  return Success{};
}

Status Parser::loc() {
  advance();
  Loc loc;
  CW_TRY(const std::uint64_t file, expectInteger("the file's number"));
  CW_TRY(const std::uint64_t line, expectInteger("a line"));
  CW_TRY(const std::uint64_t column, expectInteger("a column"));
  loc.file = static_cast<std::uint32_t>(file);
  loc.line = static_cast<std::uint32_t>(line);
  loc.column = static_cast<std::uint32_t>(column);
  while (accept(',')) {  // function_name label {+ n}, inlined_at file line column
    CW_TRY([[maybe_unused]] const std::string_view word, expectName("function_name, inlined_at"));
    if (peek().kind == TokenKind::Name) advance();
    if (accept('+')) advance();
    while (peek().kind == TokenKind::Number) advance();
  }
  module_.locs.push_back(loc);
  loc_ = static_cast<std::uint32_t>(module_.locs.size() - 1);
  return Success{};
}

Status Parser::statement(Function& function) {
  if (accept(';')) return Success{};
  if (isDot("loc")) return loc();
  if (acceptDot("file")) return fileDirective();
  if (acceptDot("pragma")) return pragma();
  if (peek().kind == TokenKind::Dot) {
    if (!startsDeclaration()) return wanted("a declaration");
    const std::size_t first = function.declarations.size();
    const std::uint32_t line = peek().line;
    CW_DO(declare({}, function.declarations));
    for (std::size_t i = first; i < function.declarations.size(); ++i) {
      Statement declared;
      declared.kind = Statement::Kind::Declare;
      declared.line = line;
      declared.declaration = static_cast<std::uint32_t>(i);
      function.body.push_back(std::move(declared));
    }
    return Success{};
  }
  if (peek().kind == TokenKind::Name && peek(1).is(':')) return labelled(function);

  Statement instruction;
  instruction.loc = loc_;
  if (accept('@')) {
    instruction.guardNegated = accept('!');
    CW_TRY(instruction.guard, expectName("the guard's predicate"));
  }
  instruction.line = peek().line;
  CW_TRY(instruction.name, expectName("an instruction"));
  while (peek().kind == TokenKind::Dot) instruction.words.push_back(advance().text);
  inCall_ = instruction.name == "call";  // only there is (a, b) a list and not an expression
  if (!accept(';')) {
    CW_DO(operands(instruction.operands, ';', 0));
  }
  function.body.push_back(std::move(instruction));
  return Success{};
}

/// `name:`, and what may follow it on the line: .branchtargets, .calltargets, .callprototype.
Status Parser::labelled(Function& function) {
  Statement label;
  label.line = peek().line;
  label.name = advance().text;
  advance();
  label.kind = Statement::Kind::Label;
  if (acceptDot("branchtargets") || isDot("calltargets")) {
    label.kind = isDot("calltargets") ? Statement::Kind::Callees : Statement::Kind::Targets;
    if (label.kind == Statement::Kind::Callees) advance();
    do {
      Operand target;
      target.kind = Operand::Kind::Name;
      CW_TRY(target.name, expectName("a label"));
      if (accept('<')) {  // N<4>: N0, N1, N2, N3
        CW_TRY(const Constant count, literal());
        if (count.isFloat || count.integer > 100'000) return wanted("a count of labels");
        target.index = static_cast<std::int64_t>(count.integer);
        CW_DO(expect('>', "the number of labels"));
      }
      label.operands.push_back(std::move(target));
    } while (accept(','));
    CW_DO(expect(';', "the targets"));
  } else if (acceptDot("callprototype")) {
    label.kind = Statement::Kind::Prototype;
    Prototype prototype;
    if (peek().is('(')) {
      CW_DO(parameters(prototype.results));
    }
    CW_TRY([[maybe_unused]] const std::string_view name, expectName("_"));
    if (peek().is('(')) {
      CW_DO(parameters(prototype.parameters));
    }
    label.declaration = static_cast<std::uint32_t>(function.prototypes.size());
    function.prototypes.push_back(std::move(prototype));
    Function performances;
    CW_DO(performance(performances));
    CW_DO(expect(';', "the prototype"));
  }
  function.body.push_back(std::move(label));
  return Success{};
}

Status Parser::operands(std::vector<Operand>& into, char close, unsigned depth) {
  if (accept(close)) return Success{};
  do {
    if (into.size() >= kMaxOperands) return problem("too many operands");
    CW_TRY(Operand one, operand(depth + 1));
    into.push_back(std::move(one));
  } while (accept(','));
  return expect(close, "an operand");
}

Expected<std::int64_t> Parser::signedOffset() {
  std::uint64_t sum = 0;
  if (peek().is('-')) return wanted("'+' and an offset, which may be negative");
  while (peek().is('+') || peek().is('-')) {
    const bool minus = advance().is('-');
    CW_TRY(const Constant value, binary(kTermBinds, 0));
    if (value.isFloat) return problem("an offset is an integer");
    sum += minus ? 0 - value.integer : value.integer;
  }
  return static_cast<std::int64_t>(sum);
}

Expected<Operand> Parser::operand(unsigned depth) {
  if (depth > kMaxNesting) return problem("operands nested too deeply");
  Operand result;
  if (accept('{')) {
    result.kind = Operand::Kind::Vector;
    CW_DO(operands(result.parts, '}', depth));
    return result;
  }
  if (accept('[')) {
    CW_TRY(result, address(depth));
    acceptDot("unified");  // [x].unified: of no matter here
    return result;
  }
  if (peek().is('(') && inCall_) {
    advance();
    result.kind = Operand::Kind::List;
    CW_DO(operands(result.parts, ')', depth));
    return result;
  }
  const bool prefixed = (peek().is('!') || peek().is('-')) && peek(1).kind == TokenKind::Name &&
                        peek(1).text != "WARP_SZ";
  if (prefixed) {
    advance();
    CW_TRY(result, nameOperand(depth));
    result.negated = true;
    return result;
  }
  if (peek().kind == TokenKind::Name && peek().text != "WARP_SZ") return nameOperand(depth);
  result.kind = Operand::Kind::Value;
  CW_TRY(result.value, constant());
  return result;
}

Expected<Operand> Parser::nameOperand(unsigned depth) {
  Operand result;
  result.name = advance().text;
  result.kind = result.name == "_" ? Operand::Kind::Sink : Operand::Kind::Name;
  if (peek().kind == TokenKind::Dot) result.component = advance().text;
  if (accept('[')) {
    CW_TRY(const std::uint64_t index, expectInteger("an index"));
    if (index > 0x7fffffff) return problem("an index above 2147483647");
    result.index = static_cast<std::int64_t>(index);
    CW_DO(expect(']', "the index"));
  }
  if (peek().is('+') || peek().is('-')) {
    CW_TRY(result.offset, signedOffset());
  }
  if (peek().is('|')) {
    advance();
    Operand pair;
    pair.kind = Operand::Kind::Pair;
    CW_TRY(Operand second, operand(depth + 1));
    pair.parts.push_back(std::move(result));
    pair.parts.push_back(std::move(second));
    return pair;
  }
  return result;
}

/// [name + 8], [8], [name, {c0, c1}], [name, c]: after the '['.
Expected<Operand> Parser::address(unsigned depth) {
  Operand result;
  result.kind = Operand::Kind::Address;
  Operand base;
  if (peek().kind == TokenKind::Name && peek().text != "WARP_SZ") {
    CW_TRY(base, nameOperand(depth + 1));
    if (base.kind != Operand::Kind::Name) return wanted("an address");
    result.offset = base.offset;
    base.offset = 0;
  } else {
    base.kind = Operand::Kind::Value;
    CW_TRY(base.value, constant());
    if (base.value.isFloat) return problem("an address is an integer");
  }
  result.parts.push_back(std::move(base));
  while (accept(',')) {
    CW_TRY(Operand more, operand(depth + 1));
    result.parts.push_back(std::move(more));
  }
  CW_DO(expect(']', "the address"));
  return result;
}

}  // namespace cutwork::sim

// ParserImpl.h -- the recursive-descent parser of PTX; its parts are in Parser*.cpp.
#pragma once

#include <optional>
#include <utility>

#include "Lexer.h"
#include "Parser.h"
#include "cutwork/Support/Status.h"

namespace cutwork::sim {

class Parser {
 public:
  Parser(std::vector<Token> tokens, Module& module) : tokens_(std::move(tokens)), module_(module) {}

  /// Everything to the end of the text.
  Status module();

 private:
  // Tokens.
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const;
  const Token& advance();
  [[nodiscard]] bool isDot(std::string_view word, std::size_t ahead = 0) const;
  bool accept(char c);
  bool acceptDot(std::string_view word);
  Status expect(char c, std::string_view after);
  Expected<std::string_view> expectName(std::string_view what);
  Expected<std::uint64_t> expectInteger(std::string_view what);
  [[nodiscard]] Error problem(const std::string& message) const;
  [[nodiscard]] Error wanted(std::string_view what) const;

  // Parser.cpp: the module's level.
  Status directive();
  Status version();
  Status target();
  Status fileDirective();
  Status aliasDirective();
  Status function(bool isEntry, std::string_view linkage);
  Status parameters(std::vector<Declaration>& into);
  Status performance(Function& function);
  std::string_view linkage();

  // ParserDeclare.cpp: declarations and initialisers.
  [[nodiscard]] bool startsDeclaration() const;
  Status declare(std::string_view linkage, std::vector<Declaration>& into);
  Expected<Declaration> declarationHead();
  Status declarator(Declaration& declaration);
  Status initialiser(Declaration& declaration);
  Status opaqueInitialiser();
  Status initialValues(std::vector<Initial>& into, unsigned depth);
  Expected<Initial> initialValue();

  // ParserSection.cpp: debug information.
  Status section();
  bool sectionItem(Section& into);
  bool sectionValue(Section& into, unsigned bytes);

  // ParserBody.cpp: statements and operands.
  Status body(Function& function);
  Status statement(Function& function);
  Status labelled(Function& function);
  Status loc();
  Expected<Operand> operand(unsigned depth);
  Expected<Operand> nameOperand(unsigned depth);
  Expected<Operand> address(unsigned depth);
  Status operands(std::vector<Operand>& into, char close, unsigned depth);
  Expected<std::int64_t> signedOffset();
  /// "a", "b"; behind .pragma.
  Status pragma();

  // ParserConstant.cpp: constant expressions.
  Expected<Constant> constant(unsigned depth = 0);
  Expected<Constant> binary(unsigned minimum, unsigned depth);
  Expected<Constant> unary(unsigned depth);
  Expected<Constant> literal();

  std::vector<Token> tokens_;
  Module& module_;
  std::size_t i_ = 0;
  std::uint32_t loc_ = 0;
  bool inCall_ = false;
};

/// How deep brackets may nest before the text is refused: recursion must end.
inline constexpr unsigned kMaxNesting = 64;

}  // namespace cutwork::sim

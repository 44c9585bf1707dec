// ParserDeclare.cpp -- declarations of registers, variables and parameters, and initialisers.
#include <fmt/format.h>

#include "ParserImpl.h"

namespace cutwork::sim {
namespace {

std::optional<Space> declaredSpace(std::string_view word) {
  if (word == "reg") return Space::Reg;
  if (word == "global") return Space::Global;
  if (word == "shared") return Space::Shared;
  if (word == "local") return Space::Local;
  if (word == "const") return Space::Const;
  if (word == "param") return Space::Param;
  return std::nullopt;
}

/// References that the driver fills in: a declaration is read, and nothing here uses one.
bool isOpaque(std::string_view word) {
  return word == "texref" || word == "surfref" || word == "samplerref";
}

/// No object of a GPU is larger; keeps sums of sizes from wrapping around.
constexpr std::uint64_t kMaxObject = std::uint64_t{1} << 40;

}  // namespace

bool Parser::startsDeclaration() const {
  return peek().kind == TokenKind::Dot && declaredSpace(peek().text).has_value();
}

/// `.space .align 8 .v2 .f32 .ptr .global .align 4`: everything before the name, in any order.
Expected<Declaration> Parser::declarationHead() {
  Declaration declaration;
  declaration.line = peek().line;
  declaration.space = declaredSpace(advance().text).value_or(Space::Reg);
  bool pointer = false;
  while (peek().kind == TokenKind::Dot) {
    if (acceptDot("align")) {
      CW_TRY(const std::uint64_t align, expectInteger("an alignment"));
      if (align == 0 || (align & (align - 1)) != 0 || align > 65536) {
        return problem(fmt::format("an alignment is a power of two up to 65536, not {}", align));
      }
      if (!pointer) declaration.align = align;
    } else if (acceptDot("ptr")) {
      pointer = true;
      if (startsDeclaration() || isOpaque(peek().text)) advance();
    } else if (acceptDot("attribute")) {
      CW_DO(expect('(', ".attribute"));
      while (!peek().is(')') && peek().kind != TokenKind::End) advance();
      CW_DO(expect(')', ".attribute"));
    } else if (acceptDot("v2")) {
      declaration.vector = 2;
    } else if (acceptDot("v4")) {
      declaration.vector = 4;
    } else if (acceptDot("v8")) {
      declaration.vector = 8;
    } else if (isOpaque(peek().text) && declaration.type == Ty::None) {
      declaration.opaque = advance().text;
      declaration.type = Ty::B64;
    } else if (const auto type = typeNamed(peek().text); type && declaration.type == Ty::None) {
      declaration.type = *type;
      advance();
    } else {
      return wanted("a type");
    }
  }
  if (declaration.type == Ty::None) return wanted("a type");
  if (declaration.type == Ty::Pred && declaration.space != Space::Reg) {
    return problem("a .pred is a register");
  }
  if (bitsOf(declaration.type) * declaration.vector > 128) {
    return problem(fmt::format("a vector of {} .{} has more than 128 bits", declaration.vector,
                               spelling(declaration.type)));
  }
  const bool inMemory = declaration.space == Space::Global || declaration.space == Space::Param;
  if (!declaration.opaque.empty() && !inMemory) {
    return problem(fmt::format("a .{} is a .global variable of the module, or a parameter",
                               declaration.opaque));
  }
  return declaration;
}

/// `name`, `name<8>`, `name[4][2]`, `name[]`.
Status Parser::declarator(Declaration& declaration) {
  CW_TRY(declaration.name, expectName("a name"));
  if (accept('<')) {
    // Not an expression: '>' would be taken for an operator.
    if (peek().kind != TokenKind::Number) return wanted("a count");
    CW_TRY(const Constant count, literal());
    if (count.isFloat || count.integer == 0 || count.integer > 1'000'000) {
      return problem("a group of registers has 1 to 1000000 of them");
    }
    declaration.range = static_cast<std::uint32_t>(count.integer);
    return expect('>', "the number of registers");
  }
  if (peek().is('[') && declaration.space == Space::Reg) {
    return problem("registers make no arrays; a group of them is <n>");
  }
  while (accept('[')) {
    declaration.isArray = true;
    if (accept(']')) {
      declaration.unsized = true;
      continue;
    }
    CW_TRY(const std::uint64_t extent, expectInteger("an extent"));
    if (extent > kMaxObject || declaration.bytes() > kMaxObject / (extent + 1)) {
      return problem(fmt::format("an array of {} bytes is too large", declaration.name));
    }
    declaration.count *= extent;
    CW_DO(expect(']', "the extent"));
  }
  if (declaration.unsized) declaration.count = 0;
  return Success{};
}

Status Parser::declare(std::string_view linkage, std::vector<Declaration>& into) {
  CW_TRY(const Declaration head, declarationHead());
  do {
    Declaration one = head;
    one.linkage = linkage;
    one.line = peek().line;
    CW_DO(declarator(one));
    if (one.isArray && !one.unsized && one.count == 0) {
      return problem(fmt::format("{} has no elements", one.name));
    }
    if (peek().is('=') && linkage == "extern") {
      return problem(fmt::format("{} is .extern, and its value is elsewhere", one.name));
    }
    if (accept('=')) {
      CW_DO(one.opaque.empty() ? initialiser(one) : opaqueInitialiser());
    }
    if (one.unsized && linkage != "extern") {
      return problem(
          fmt::format("{} has no size: only an .extern variable may have none", one.name));
    }
    into.push_back(std::move(one));
  } while (accept(','));
  return expect(';', "a declaration");
}

Status Parser::initialiser(Declaration& declaration) {
  if (declaration.space != Space::Global && declaration.space != Space::Const) {
    return problem("only variables in global and constant memory have initial values");
  }
  CW_DO(initialValues(declaration.initial, 0));
  for (const Initial& one : declaration.initial) {
    const bool isNumber = one.symbol.empty() && one.mask == 0;
    const bool fits = isFloat(declaration.type)
                          ? one.value.isFloat
                          : !one.value.isFloat || !isIntegral(declaration.type);
    if (isNumber && !fits) {
      return problem(fmt::format("an initial value of {} is no .{}", declaration.name,
                                 spelling(declaration.type)));
    }
  }
  if (declaration.unsized) {
    declaration.count = declaration.initial.size();
    declaration.unsized = false;
  }
  if (declaration.initial.size() > declaration.count * declaration.vector) {
    return problem(fmt::format("{} initial values for the {} elements of {}",
                               declaration.initial.size(), declaration.count * declaration.vector,
                               declaration.name));
  }
  return Success{};
}

/// {channel_data_type = 0, addr_mode_0 = clamp_to_edge}: read, and not kept.
Status Parser::opaqueInitialiser() {
  CW_DO(expect('{', "="));
  do {
    CW_TRY([[maybe_unused]] const std::string_view field, expectName("a field"));
    CW_DO(expect('=', "a field"));
    if (peek().kind == TokenKind::Name) {
      advance();
    } else {
      CW_TRY([[maybe_unused]] const std::uint64_t value, expectInteger("a field's value"));
    }
  } while (accept(','));
  return expect('}', "the fields");
}

Status Parser::initialValues(std::vector<Initial>& into, unsigned depth) {
  if (depth > kMaxNesting) return problem("braces nested too deeply");
  if (!accept('{')) {
    CW_TRY(Initial value, initialValue());
    into.push_back(value);
    return Success{};
  }
  if (accept('}')) return Success{};
  do {
    CW_DO(initialValues(into, depth + 1));
  } while (accept(','));
  return expect('}', "the initial values");
}

/// A constant, `symbol + 8`, `generic(symbol) + 8`, `0xFF00(symbol or constant)`.
Expected<Initial> Parser::initialValue() {
  Initial initial;
  bool masked = false;
  if (peek().kind == TokenKind::Number && peek(1).is('(')) {
    CW_TRY(const Constant mask, literal());
    if (mask.isFloat || mask.integer == 0) return problem("a mask such as 0xFF00");
    initial.mask = mask.integer;
    advance();
    masked = true;
  }
  if (peek().kind == TokenKind::Name && peek().text != "WARP_SZ") {
    initial.symbol = advance().text;
    if (initial.symbol == "generic" && accept('(')) {
      initial.generic = true;
      CW_TRY(initial.symbol, expectName("a variable"));
      CW_DO(expect(')', "generic"));
    }
    if (peek().is('+') || peek().is('-')) {
      CW_TRY(initial.addend, signedOffset());
    }
  } else {
    CW_TRY(initial.value, constant());
  }
  if (masked) {
    CW_DO(expect(')', "the masked value"));
  }
  return initial;
}

}  // namespace cutwork::sim

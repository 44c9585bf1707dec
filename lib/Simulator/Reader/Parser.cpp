// Parser.cpp -- the module's level of PTX: directives, functions, parameters.
#include "Parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ParserImpl.h"

namespace cutwork::sim {

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(i_ + ahead, tokens_.size() - 1)];
}

const Token& Parser::advance() {
  const Token& token = peek();
  if (i_ + 1 < tokens_.size()) ++i_;
  return token;
}

bool Parser::isDot(std::string_view word, std::size_t ahead) const {
  return peek(ahead).kind == TokenKind::Dot && peek(ahead).text == word;
}

bool Parser::accept(char c) {
  if (!peek().is(c)) return false;
  advance();
  return true;
}

bool Parser::acceptDot(std::string_view word) {
  if (!isDot(word)) return false;
  advance();
  return true;
}

Error Parser::problem(const std::string& message) const {
  return userError(message, SourcePlace{module_.name, peek().line, 0, {}});
}

Error Parser::wanted(std::string_view what) const {
  const Token& token = peek();
  if (token.kind == TokenKind::End) {
    return problem(fmt::format("expected {}, but the text ends", what));
  }
  return problem(fmt::format("expected {}, not '{}{}'", what,
                             token.kind == TokenKind::Dot ? "." : "", token.text));
}

Status Parser::expect(char c, std::string_view after) {
  if (!accept(c)) return wanted(fmt::format("'{}' after {}", c, after));
  return Success{};
}

Expected<std::string_view> Parser::expectName(std::string_view what) {
  if (peek().kind != TokenKind::Name) return wanted(what);
  return advance().text;
}

Expected<std::uint64_t> Parser::expectInteger(std::string_view what) {
  CW_TRY(const Constant value, constant());
  if (value.isFloat) return wanted(what);
  return value.integer;
}

Status Parser::module() {
  while (peek().kind != TokenKind::End) {
    CW_DO(directive());
  }
  if (module_.version == 0) return problem("there is no .version directive");
  if (module_.target.empty()) return problem("there is no .target directive");
  return Success{};
}

std::string_view Parser::linkage() {
  static constexpr std::array<std::string_view, 4> kLinkages = {"extern", "visible", "weak",
                                                                "common"};
  for (const std::string_view word : kLinkages) {
    if (acceptDot(word)) return word;
  }
  return {};
}

Status Parser::directive() {
  if (accept(';')) return Success{};
  if (isDot("version") && module_.version != 0) return problem("a second .version");
  if (isDot("target") && !module_.target.empty()) return problem("a second .target");
  if (acceptDot("version")) return version();
  if (acceptDot("target")) return target();
  if (acceptDot("address_size")) {
    if (peek().text == "32") return problem("addresses of 64 bits are known, not of 32");
    CW_TRY(const std::uint64_t size, expectInteger("the address size"));
    if (size != 64) return problem(fmt::format("addresses of 64 bits are known, not of {}", size));
    return Success{};
  }
  if (acceptDot("file")) return fileDirective();
  if (acceptDot("section")) return section();
  if (acceptDot("alias")) return aliasDirective();
  if (isDot("loc")) return loc();
  if (acceptDot("pragma")) return pragma();
  const std::string_view how = linkage();
  if (acceptDot("entry")) return function(true, how);
  if (acceptDot("func")) return function(false, how);
  if (isDot("reg") || isDot("param") || isDot("local")) {
    return problem(
        fmt::format("a module's variables are in .global, .const or .shared memory, "
                    "not .{}",
                    peek().text));
  }
  if (startsDeclaration()) return declare(how, module_.variables);
  return wanted("a directive of a module");
}

Status Parser::version() {
  const std::string_view text = peek().text;
  if (peek().kind != TokenKind::Number) return wanted("a version such as 8.4");
  unsigned major = 0;
  unsigned minor = 0;
  std::size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && major < 100; ++i) {
    major = major * 10 + static_cast<unsigned>(text[i] - '0');
  }
  if (i + 2 != text.size() || text[i] != '.') return wanted("a version such as 8.4");
  minor = static_cast<unsigned>(text[i + 1] - '0');
  if (minor > 9) return wanted("a version such as 8.4");
  advance();
  module_.version = major * 10 + minor;
  if (module_.version == 0 || module_.version > 99) {
    return problem(fmt::format("version {}.{} does not exist", major, minor));
  }
  return Success{};
}

Status Parser::target() {
  do {
    CW_TRY(const std::string_view name, expectName("a target such as sm_90"));
    if (name.starts_with("sm_") || module_.target.empty()) module_.target = name;
  } while (accept(','));
  return Success{};
}

Status Parser::fileDirective() {
  CW_TRY(const std::uint64_t number, expectInteger("the file's number"));
  if (number > 0xffff) return problem("a .file number above 65535");
  if (peek().kind != TokenKind::String) return wanted("the file's name");
  if (module_.files.size() <= number) module_.files.resize(number + 1);
  module_.files[number] = advance().text;
  while (accept(',')) {  // time stamp, size
    CW_TRY([[maybe_unused]] const std::uint64_t ignored, expectInteger("a number"));
  }
  return Success{};
}

Status Parser::aliasDirective() {
  CW_TRY(const std::string_view alias, expectName("a function"));
  CW_DO(expect(',', "the alias"));
  CW_TRY(const std::string_view aliased, expectName("a function"));
  module_.aliases.emplace_back(alias, aliased);
  return expect(';', ".alias");
}

Status Parser::function(bool isEntry, std::string_view linkage) {
  Function function;
  function.isEntry = isEntry;
  function.linkage = linkage;
  acceptDot("attribute");
  if (!isEntry && peek().is('(')) {
    CW_DO(parameters(function.results));
  }
  function.line = peek().line;
  CW_TRY(function.name, expectName("the function's name"));
  if (peek().is('(')) {
    CW_DO(parameters(function.parameters));
  }
  for (const Declaration& parameter : function.parameters) {
    if (isEntry && parameter.space != Space::Param) {
      return problem(fmt::format("the kernel's parameter {} is no .param", parameter.name));
    }
  }
  CW_DO(performance(function));
  if (accept(';')) {
    module_.functions.push_back(std::move(function));
    return Success{};
  }
  function.hasBody = true;
  CW_DO(body(function));
  module_.functions.push_back(std::move(function));
  return Success{};
}

Status Parser::parameters(std::vector<Declaration>& into) {
  advance();  // (
  if (accept(')')) return Success{};
  do {
    if (!isDot("param") && !isDot("reg")) return wanted(".param or .reg");
    CW_TRY(Declaration parameter, declarationHead());
    CW_DO(declarator(parameter));
    into.push_back(std::move(parameter));
  } while (accept(','));
  return expect(')', "the parameters");
}

Status Parser::performance(Function& function) {
  struct Row {
    std::string_view name;
    bool ofKernels;
    bool ofFunctions;
    std::size_t least, most;  ///< numbers
  };
  static constexpr std::array kDirectives = {
      Row{"maxntid", true, false, 1, 3},
      Row{"reqntid", true, false, 1, 3},
      Row{"minnctapersm", true, false, 1, 1},
      Row{"maxnctapersm", true, false, 1, 1},
      Row{"maxnreg", true, false, 1, 1},
      Row{"noreturn", false, true, 0, 0},
      Row{"reqnctapercluster", true, false, 1, 3},
      Row{"explicitcluster", true, false, 0, 0},
      Row{"maxclusterrank", true, false, 1, 1},
      Row{"blocksareclusters", true, false, 0, 0},
      Row{"unified", true, true, 0, 0},
      Row{"abi_preserve", false, true, 1, 1},
      Row{"abi_preserve_control", false, true, 1, 1},
      Row{"local_maxnreg", true, true, 1, 1},
  };
  while (peek().kind == TokenKind::Dot) {
    if (acceptDot("pragma")) {
      CW_DO(pragma());
      continue;
    }
    const auto* row = std::find_if(kDirectives.begin(), kDirectives.end(),
                                   [&](const Row& one) { return isDot(one.name); });
    const bool has =
        row != kDirectives.end() && (function.isEntry ? row->ofKernels : row->ofFunctions);
    if (!has)
      return wanted(fmt::format("a directive of a {}", function.isEntry ? "kernel" : "function"));
    advance();
    Performance found;
    found.name = row->name;
    if (found.name == "noreturn") function.noReturn = true;
    while (peek().kind == TokenKind::Number && found.values.size() < row->most) {
      CW_TRY(const std::uint64_t value, expectInteger("a number"));
      if (value == 0) return problem(fmt::format(".{} is above 0", row->name));
      found.values.push_back(value);
      if (found.values.size() == row->most || !accept(',')) break;
    }
    if (found.values.size() < row->least)
      return wanted(fmt::format("a number after .{}", row->name));
    for (const Performance& one : function.directives) {
      const bool both = found.name.ends_with("ntid") && one.name.ends_with("ntid");
      if (both && one.name != found.name)
        return problem(".maxntid and .reqntid do not go together");
    }
    function.directives.push_back(std::move(found));
  }
  return Success{};
}

Expected<Module> readModule(std::string_view text, std::string name) {
  Module module;
  module.name = std::move(name);
  module.text = std::make_unique<const std::string>(text);
  module.locs.emplace_back();
  CW_TRY(auto tokens, tokenize(*module.text, module.name));
  CW_DO(Parser(std::move(tokens), module).module());
  return module;
}

}  // namespace cutwork::sim

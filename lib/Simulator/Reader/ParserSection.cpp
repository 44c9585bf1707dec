// ParserSection.cpp -- sections of debug information: bytes, words that stand for symbols, labels.
//
// A section with something else in it is no error, since nothing of it is needed to run: its bytes
// end there, and it says so.
#include "ParserImpl.h"

namespace cutwork::sim {

Status Parser::section() {
  if (peek().kind != TokenKind::Dot && peek().kind != TokenKind::Name) return wanted("a section");
  Section section;
  section.name = advance().text;
  CW_DO(expect('{', "the section's name"));
  while (section.strange == 0 && !peek().is('}')) {
    const std::uint32_t line = peek().line;
    if (!sectionItem(section)) section.strange = line;
  }
  for (unsigned depth = 1; depth != 0; advance()) {
    if (peek().kind == TokenKind::End) return wanted("the section's '}'");
    if (peek().is('{')) ++depth;
    if (peek().is('}')) --depth;
  }
  module_.sections.push_back(std::move(section));
  return Success{};
}

/// A label, or .b8, .b16, .b32 or .b64 with its values; false: something else.
bool Parser::sectionItem(Section& into) {
  if (peek().kind == TokenKind::Name && peek(1).is(':')) {
    into.labels.try_emplace(advance().text, static_cast<std::uint32_t>(into.bytes.size()));
    return accept(':');
  }
  const std::string_view word = peek().kind == TokenKind::Dot ? peek().text : std::string_view();
  const unsigned bytes = word == "b8" ? 1 : word == "b16" ? 2 : word == "b32" ? 4 : 8;
  if (bytes == 8 && word != "b64") return false;
  advance();
  do {
    if (!sectionValue(into, bytes)) return false;
  } while (accept(','));
  return true;
}

bool Parser::sectionValue(Section& into, unsigned bytes) {
  if (peek().kind == TokenKind::Name || peek().kind == TokenKind::Dot) {
    SectionReference reference;
    reference.offset = static_cast<std::uint32_t>(into.bytes.size());
    reference.symbol = advance().text;
    if (accept('+')) {
      const auto addend = expectInteger("a number");
      if (!addend.ok()) return false;
      reference.addend = static_cast<std::int64_t>(addend.value());
    }
    into.references.push_back(reference);
    into.bytes.resize(into.bytes.size() + bytes);
    return true;
  }
  const auto value = expectInteger("a number");
  if (!value.ok()) return false;
  for (unsigned i = 0; i < bytes; ++i) {
    into.bytes.push_back(static_cast<std::uint8_t>(value.value() >> (8 * i)));
  }
  return true;
}

}  // namespace cutwork::sim

// Ast.h -- a PTX module as it is written: declarations, functions, statements, operands.
//
// Names and words are views of the module's text, which the Module owns. Nothing is resolved here:
// Decode gives names their meaning.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "Types.h"

namespace cutwork::sim {

/// A constant: an integer (with its signedness) or a floating-point number. `exactBits` is 32 or 64
/// if it was written as the bits of an f32 or f64 (0f3F800000, 0d3FF0000000000000).
struct Constant {
  bool isFloat = false;
  bool isUnsigned = false;
  unsigned exactBits = 0;
  std::uint64_t integer = 0;  ///< two's complement
  double real = 0;            ///< 0f...: the f32's value (a NaN's payload is in `integer`)
};

struct Operand {
  enum class Kind : std::uint8_t {
    Name,     ///< a register, variable, label or function; `name`, perhaps `component`, `offset`
    Value,    ///< `value`
    Sink,     ///< _
    Address,  ///< [parts[0] + offset], further parts after a comma
    Vector,   ///< {parts...}
    Pair,     ///< parts[0] | parts[1]
    List,     ///< (parts...), in a call
  };
  Kind kind = Kind::Sink;
  bool negated = false;        ///< !p, or -c in vmad
  std::string_view name;       ///< for Name
  std::string_view component;  ///< x, y, b0, h10: without the dot
  std::int64_t offset = 0;     ///< name + offset, [.. + offset]
  std::int64_t index = -1;     ///< name[index]
  Constant value;
  std::vector<Operand> parts;
};

/// Calls `visit` with each name in the operands.
template <class Visit>
void visitNames(const std::vector<Operand>& operands, const Visit& visit) {
  for (const Operand& operand : operands) {
    if (operand.kind == Operand::Kind::Name) visit(operand.name);
    visitNames(operand.parts, visit);
  }
}

/// Where in the user's program: `.loc file line column`.
struct Loc {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// A value of an initialiser: a constant, or an address.
struct Initial {
  Constant value;
  std::string_view symbol;  ///< if it is an address
  bool generic = false;     ///< generic(symbol)
  std::int64_t addend = 0;
  std::uint64_t mask = 0;  ///< 0xFF00(value): the selected byte
};

/// A variable, parameter or group of registers.
struct Declaration {
  Space space = Space::Reg;
  Ty type = Ty::None;
  unsigned vector = 1;  ///< .v2, .v4
  std::uint64_t align = 0;
  std::string_view name;
  std::string_view opaque;  ///< texref, samplerref, surfref: nothing here uses it; empty for others
  std::uint32_t range = 0;  ///< %r<range>: that many registers; 0: one of this name
  bool isArray = false;
  bool unsized = false;      ///< name[]
  std::uint64_t count = 1;   ///< elements, over all dimensions
  std::string_view linkage;  ///< extern, visible, weak, common, or empty
  std::uint32_t line = 0;
  std::vector<Initial> initial;

  [[nodiscard]] std::uint64_t elementBytes() const { return std::uint64_t{bytesOf(type)} * vector; }
  [[nodiscard]] std::uint64_t bytes() const { return elementBytes() * count; }
  [[nodiscard]] std::uint64_t alignment() const {
    return align != 0 ? align : std::max<std::uint64_t>(elementBytes(), 1);
  }
};

struct Statement {
  enum class Kind : std::uint8_t {
    Instruction,
    Label,
    Declare,    ///< declarations[i]
    Open,       ///< {
    Close,      ///< }
    Targets,    ///< name: .branchtargets; operands
    Callees,    ///< name: .calltargets; operands
    Prototype,  ///< name: .callprototype; prototypes[declaration]
  };
  Kind kind = Kind::Instruction;
  std::uint32_t line = 0;  ///< in the PTX
  std::uint32_t loc = 0;   ///< index into Module::locs
  std::string_view name;   ///< mnemonic, label
  std::string_view guard;  ///< the guard's predicate, or empty
  bool guardNegated = false;
  std::uint32_t declaration = 0;        ///< or prototype, by kind
  std::vector<std::string_view> words;  ///< .rn .ftz .f32, without dots
  std::vector<Operand> operands;
};

/// A number with its directive: .maxntid 64, 1, 1
struct Performance {
  std::string_view name;
  std::vector<std::uint64_t> values;
};

/// What a call through a pointer says of the function: `(.param .b32 _) _ (.param .b64 _)`.
struct Prototype {
  std::vector<Declaration> results;
  std::vector<Declaration> parameters;
};

struct Function {
  bool isEntry = false;
  bool hasBody = false;
  bool noReturn = false;
  std::string_view name;
  std::string_view linkage;
  std::uint32_t line = 0;
  std::vector<Declaration> results;
  std::vector<Declaration> parameters;
  std::vector<Performance> directives;
  std::vector<Declaration> declarations;
  std::vector<Prototype> prototypes;
  std::vector<Statement> body;
};

/// A word of a section that stands for an address, or for a place in another section.
struct SectionReference {
  std::uint32_t offset = 0;
  std::string_view symbol;  ///< .debug_abbrev without the dot
  std::int64_t addend = 0;
};

/// `.section .debug_info {...}`: its bytes. Nothing of it is needed to run a kernel.
struct Section {
  std::string_view name;  ///< without the dot
  std::vector<std::uint8_t> bytes;
  std::vector<SectionReference> references;  ///< by offset, rising
  std::map<std::string_view, std::uint32_t> labels;
  std::uint32_t strange = 0;  ///< the line of the first thing that is no data; 0: none
};

struct Module {
  std::string name;  ///< of the file, for messages
  std::unique_ptr<const std::string> text;
  unsigned version = 0;                 ///< 8.4 is 84
  std::string_view target;              ///< sm_90a
  std::vector<std::string_view> files;  ///< by .file's number
  std::vector<Loc> locs;                ///< [0] is unknown
  std::vector<Declaration> variables;
  std::vector<Function> functions;
  std::vector<std::pair<std::string_view, std::string_view>> aliases;
  std::vector<Section> sections;
};

}  // namespace cutwork::sim

// Printer.cpp -- a Module as PTX text, in one canonical form.
#include <fmt/format.h>

#include <iterator>

#include "Parser.h"

namespace cutwork::sim {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string_view spaceName(Space space) {
  switch (space) {
    case Space::Global: return "global";
    case Space::Shared: return "shared";
    case Space::Local: return "local";
    case Space::Const: return "const";
    case Space::Param: return "param";
    case Space::Reg: return "reg";
    case Space::Generic: break;
  }
  return "generic";
}

std::string text(const Constant& c) {
  if (c.isFloat && c.exactBits == 32) return fmt::format("0f{:08X}", c.integer & 0xffffffffU);
  if (c.isFloat && c.exactBits == 64) return fmt::format("0d{:016X}", c.integer);
  if (c.isFloat) {
    const std::string digits = fmt::format("{}", c.real);
    return digits.find_first_of(".en") == std::string::npos ? digits + ".0" : digits;
  }
  if (c.isUnsigned) return fmt::format("{}U", c.integer);
  return fmt::format("{}", static_cast<std::int64_t>(c.integer));
}

std::string offsetText(std::int64_t offset) {
  if (offset == 0) return {};
  return fmt::format("+{}", offset);
}

std::string text(const Operand& operand);

std::string joined(const std::vector<Operand>& parts, std::string_view between) {
  std::string out;
  for (const Operand& part : parts) {
    if (!out.empty()) out += between;
    out += text(part);
  }
  return out;
}

std::string nameText(const Operand& operand) {
  std::string out(operand.name);
  if (!operand.component.empty()) out += fmt::format(".{}", operand.component);
  if (operand.index >= 0) out += fmt::format("[{}]", operand.index);
  return out + offsetText(operand.offset);
}

std::string text(const Operand& operand) {
  const std::string sign = operand.negated ? "-" : "";
  switch (operand.kind) {
    case Operand::Kind::Name: return sign + nameText(operand);
    case Operand::Kind::Value: return text(operand.value);
    case Operand::Kind::Sink: return "_";
    case Operand::Kind::Vector: return "{" + joined(operand.parts, ", ") + "}";
    case Operand::Kind::Pair: return joined(operand.parts, "|");
    case Operand::Kind::List: return "(" + joined(operand.parts, ", ") + ")";
    case Operand::Kind::Address: break;
  }
  std::string out = "[" + text(operand.parts[0]) + offsetText(operand.offset);
  for (std::size_t i = 1; i < operand.parts.size(); ++i) out += ", " + text(operand.parts[i]);
  return out + "]";
}

std::string text(const Initial& initial) {
  std::string out = initial.symbol.empty() ? text(initial.value) : std::string(initial.symbol);
  if (initial.generic) out = "generic(" + out + ")";
  out += offsetText(initial.addend);
  return initial.mask == 0 ? out : fmt::format("0x{:X}({})", initial.mask, out);
}

std::string text(const Declaration& d) {
  std::string out = d.linkage.empty() ? "" : fmt::format(".{} ", d.linkage);
  out += fmt::format(".{} ", spaceName(d.space));
  if (d.align != 0) out += fmt::format(".align {} ", d.align);
  if (d.vector != 1) out += fmt::format(".v{} ", d.vector);
  out += fmt::format(".{} {}", d.opaque.empty() ? spelling(d.type) : d.opaque, d.name);
  if (d.range != 0) out += fmt::format("<{}>", d.range);
  if (d.unsized) {
    out += "[]";
  } else if (d.isArray) {
    out += fmt::format("[{}]", d.count);
  }
  if (d.initial.empty()) return out;
  out += " = ";
  if (d.isArray || d.vector != 1) out += '{';
  for (std::size_t i = 0; i < d.initial.size(); ++i) {
    out += (i == 0 ? "" : ", ") + text(d.initial[i]);
  }
  if (d.isArray || d.vector != 1) out += '}';
  return out;
}

void printParameters(Out out, const std::vector<Declaration>& parameters) {
  fmt::format_to(out, "(");
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    fmt::format_to(out, "{}{}", i == 0 ? "" : ", ", text(parameters[i]));
  }
  fmt::format_to(out, ")");
}

void printBody(Out out, const Module& module, const Function& function) {
  unsigned depth = 1;
  std::uint32_t loc = 0;
  for (const Statement& statement : function.body) {
    if (statement.kind == Statement::Kind::Close && depth > 1) --depth;
    if (statement.kind == Statement::Kind::Instruction && statement.loc != loc) {
      loc = statement.loc;
      const Loc& at = module.locs[loc];
      fmt::format_to(out, "{:{}}.loc {} {} {}\n", "", depth * 4, at.file, at.line, at.column);
    }
    fmt::format_to(out, "{:{}}{}\n", "", depth * 4, printStatement(function, statement));
    if (statement.kind == Statement::Kind::Open) ++depth;
  }
}

}  // namespace

std::string printStatement(const Function& function, const Statement& s) {
  switch (s.kind) {
    case Statement::Kind::Open: return "{";
    case Statement::Kind::Close: return "}";
    case Statement::Kind::Declare: return text(function.declarations[s.declaration]) + ";";
    case Statement::Kind::Label: return fmt::format("{}:", s.name);
    case Statement::Kind::Prototype: {
      const Prototype& prototype = function.prototypes[s.declaration];
      std::string out = fmt::format("{}: .callprototype ", s.name);
      const Out to = std::back_inserter(out);
      if (!prototype.results.empty()) printParameters(to, prototype.results);
      out += " _ ";
      printParameters(to, prototype.parameters);
      return out + ";";
    }
    case Statement::Kind::Targets:
    case Statement::Kind::Callees: {
      std::string out = fmt::format(
          "{}: .{} ", s.name, s.kind == Statement::Kind::Targets ? "branchtargets" : "calltargets");
      for (std::size_t i = 0; i < s.operands.size(); ++i) {
        out += fmt::format("{}{}", i == 0 ? "" : ", ", s.operands[i].name);
        if (s.operands[i].index >= 0) out += fmt::format("<{}>", s.operands[i].index);
      }
      return out + ";";
    }
    case Statement::Kind::Instruction: break;
  }
  std::string out =
      s.guard.empty() ? "" : fmt::format("@{}{} ", s.guardNegated ? "!" : "", s.guard);
  out += s.name;
  for (const std::string_view word : s.words) out += fmt::format(".{}", word);
  for (std::size_t i = 0; i < s.operands.size(); ++i) {
    std::string one = text(s.operands[i]);
    // A '-' before a name negates a number (vmad) and is spelt '!' before a predicate.
    if (s.operands[i].negated && s.name != "vmad") one[0] = '!';
    out += (i == 0 ? " " : ", ") + one;
  }
  return out + ";";
}

std::string printModule(const Module& module) {
  std::string text_;
  const Out out = std::back_inserter(text_);
  fmt::format_to(out, ".version {}.{}\n.target {}\n.address_size 64\n", module.version / 10,
                 module.version % 10, module.target);
  for (std::size_t i = 0; i < module.files.size(); ++i) {
    if (!module.files[i].empty()) fmt::format_to(out, ".file {} \"{}\"\n", i, module.files[i]);
  }
  // Functions that initialisers name must be declared first; a declaration has no body.
  for (const Function& function : module.functions) {
    if (function.isEntry || !function.hasBody) continue;
    fmt::format_to(out, ".func ");
    if (!function.results.empty()) printParameters(out, function.results);
    fmt::format_to(out, " {}", function.name);
    printParameters(out, function.parameters);
    fmt::format_to(out, ";\n");
  }
  for (const Declaration& variable : module.variables) {
    fmt::format_to(out, "{};\n", text(variable));
  }
  for (const Function& function : module.functions) {
    if (!function.hasBody) continue;
    fmt::format_to(out, "\n");
    if (!function.linkage.empty()) fmt::format_to(out, ".{} ", function.linkage);
    fmt::format_to(out, ".{} ", function.isEntry ? "entry" : "func");
    if (!function.results.empty()) {
      printParameters(out, function.results);
      fmt::format_to(out, " ");
    }
    fmt::format_to(out, "{}", function.name);
    printParameters(out, function.parameters);
    for (const Performance& directive : function.directives) {
      fmt::format_to(out, " .{}", directive.name);
      for (std::size_t i = 0; i < directive.values.size(); ++i) {
        fmt::format_to(out, "{}{}", i == 0 ? " " : ", ", directive.values[i]);
      }
    }
    fmt::format_to(out, "\n{{\n");
    printBody(out, module, function);
    fmt::format_to(out, "}}\n");
  }
  for (const auto& [alias, aliased] : module.aliases) {
    fmt::format_to(out, ".alias {}, {};\n", alias, aliased);
  }
  return text_;
}

}  // namespace cutwork::sim

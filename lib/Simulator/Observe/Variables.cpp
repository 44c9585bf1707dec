// Variables.cpp -- scopes of debug information, and its expressions for places.
#include "Variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "DebugView.h"

namespace cutwork::sim {
namespace {

constexpr std::uint64_t kMostBytes = 4096;  ///< of a variable that are read
constexpr unsigned kDeepest = 64;           ///< blocks around a variable

/// Operations of DWARF 5's table 7.9.
namespace op {
constexpr std::uint64_t kAddr = 0x03, kConst1u = 0x08, kConstu = 0x10, kConsts = 0x11,
                        kPlusUconst = 0x23, kLit0 = 0x30, kLit31 = 0x4f, kRegx = 0x90,
                        kStackValue = 0x9f;
}

/// Where a variable is.
struct Location {
  enum class Kind { Memory, Register, Value, Unknown } kind = Kind::Unknown;
  DebugSpace space = DebugSpace::Local;
  std::uint64_t address = 0;  ///< or the value
  std::string name;           ///< of a register
  std::string why;            ///< it is not known
};

Location unknown(std::string why) {
  Location result;
  result.why = std::move(why);
  return result;
}

/// A register's name is its number: the characters, the first in the highest byte.
std::string registerName(std::uint64_t number) {
  std::string name;
  for (unsigned shift = 64; shift != 0;) {
    shift -= 8;
    const auto c = static_cast<char>(number >> shift & 0xff);
    if (c != '\0') name += c;
  }
  return name;
}

class Finder {
 public:
  Finder(const SourceVariables& sources, const DebugView& view, SourceRef at)
      : sources_(sources), dwarf_(sources.dwarf), view_(view), at_(at) {}

  std::vector<DebugVariable> all() const {
    struct Found {
      std::uint32_t entry;
      unsigned depth;
    };
    std::vector<std::pair<std::string_view, Found>> found;
    for (std::uint32_t i = 0; i < dwarf_.entries.size(); ++i) {
      const DwarfEntry& entry = dwarf_.entries[i];
      if (entry.tag != dwtag::kVariable && entry.tag != dwtag::kParameter) continue;
      const std::string_view name = dwarf_.nameOf(i);
      unsigned depth = 0;
      if (name.empty() || entry.isDeclaration || !inScope(i, depth)) continue;
      const auto same = std::find_if(found.begin(), found.end(),
                                     [&](const auto& one) { return one.first == name; });
      if (same == found.end()) {
        found.emplace_back(name, Found{i, depth});
      } else if (depth >= same->second.depth) {
        same->second = {i, depth};
      }
    }
    std::vector<DebugVariable> result;
    result.reserve(found.size());
    for (const auto& [name, one] : found) result.push_back(variable(one.entry));
    return result;
  }

 private:
  bool inScope(std::uint32_t entry, unsigned& depth) const {
    for (std::uint32_t up = dwarf_.entries[entry].parent; up != kNoEntry;
         up = dwarf_.entries[up].parent) {
      const DwarfEntry& around = dwarf_.entries[up];
      if (++depth > kDeepest) return false;
      const bool isFunction = around.tag == dwtag::kSubprogram;
      const bool isBlock = around.tag == dwtag::kBlock || around.tag == dwtag::kInlined;
      if (!isFunction && !isBlock) continue;
      if (!around.low.known && !around.hasRanges) {
        if (isFunction) return false;  // one that was inlined: its copies are elsewhere
        continue;
      }
      if (around.low.known && !within(around)) return false;
    }
    return true;
  }

  bool within(const DwarfEntry& scope) const {
    const auto low = sources_.labels.find(scope.low.label);
    if (low == sources_.labels.end() || low->second.function != at_.function) return false;
    if (at_.statement < low->second.statement) return false;
    const auto high = sources_.labels.find(scope.high.label);
    if (high == sources_.labels.end()) return true;  // a length: the labels end it no nearer
    return at_.statement < high->second.statement;
  }

  DebugVariable variable(std::uint32_t entry) const {
    DebugVariable result;
    result.name = dwarf_.nameOf(entry);
    const std::uint32_t type = dwarf_.typeOf(entry);
    result.type = typeText(dwarf_, type);
    const Location place = locate(entry);
    switch (place.kind) {
      case Location::Kind::Unknown: result.value = "(" + place.why + ")"; break;
      case Location::Kind::Register: inRegister(type, place, result); break;
      case Location::Kind::Value: inBits(type, place.address, result); break;
      case Location::Kind::Memory: inMemory(type, place, result); break;
    }
    return result;
  }

  void inRegister(std::uint32_t type, const Location& place, DebugVariable& result) const {
    result.place = place.name;
    const auto held = view_.reg(place.name);
    if (!held.ok()) {
      result.value = fmt::format("({} holds it, which this function does not use)", place.name);
    } else if (!held->written) {
      result.value = "(never written)";
    } else {
      inBits(type, held->bits, result);
    }
  }

  void inBits(std::uint32_t type, std::uint64_t bits, DebugVariable& result) const {
    const auto bytes = typeBytes(dwarf_, type);
    if (!bytes || *bytes > 8) {
      result.value = "(a value of this type is not in one register: not understood)";
      return;
    }
    std::string held(8, '\0');
    std::memcpy(held.data(), &bits, 8);
    result.value = typedText(dwarf_, type, held, {});
  }

  void inMemory(std::uint32_t type, const Location& place, DebugVariable& result) const {
    static constexpr const char* kSpaces[] = {"global", "shared", "local"};
    result.place = fmt::format("{} memory at {:#x}", kSpaces[static_cast<unsigned>(place.space)],
                               place.address);
    const auto bytes = typeBytes(dwarf_, type);
    if (!bytes) {
      result.value = "(of a size that is not known)";
      return;
    }
    if (*bytes > kMostBytes) {
      result.value = fmt::format("({} bytes: x prints memory)", *bytes);
      return;
    }
    const auto held = view_.bytesAt(place.space, place.address, *bytes);
    result.value = held.ok() ? typedText(dwarf_, type, held->values, held->written)
                             : "(" + held.error().message() + ")";
  }

  Location locate(std::uint32_t entry) const {
    for (unsigned steps = 0; entry != kNoEntry && steps < 8; ++steps) {
      const DwarfEntry& one = dwarf_.entries[entry];
      if (one.list) return fromList(*one.list);
      if (one.location.section != nullptr) return evaluate(one.location);
      if (one.constant) {
        Location result;
        result.kind = Location::Kind::Value;
        result.address = static_cast<std::uint64_t>(*one.constant);
        return result;
      }
      entry = one.origin;
    }
    return unknown("optimised away");
  }

  /// The expression of the list for this statement.
  Location fromList(std::uint32_t offset) const {
    const Section* section = dwarf_.locations;
    if (section == nullptr) return unknown("its list of places is missing");
    SectionReader in(*section, offset, section->bytes.size());
    while (!in.atEnd()) {
      SectionReader words = in;
      const std::uint64_t low = in.number(8);
      const std::uint64_t high = in.number(8);
      const SectionReference* from = words.reference(8);
      const SectionReference* to = words.reference(8);
      if (from == nullptr || to == nullptr) {
        if (low == 0 && high == 0) break;
        return unknown("its list of places is not understood");
      }
      const auto length = static_cast<std::uint32_t>(in.number(2));
      const DwarfExpression expression{section, in.at(), in.at() + length};
      in.skip(length);
      DwarfEntry range;
      range.low = {true, from->symbol, 0};
      range.high = {true, to->symbol, 0};
      if (within(range)) return evaluate(expression);
    }
    return unknown("has no value here");
  }

  Location evaluate(const DwarfExpression& expression) const {
    if (expression.begin == expression.end) return unknown("optimised away");
    SectionReader in(*expression.section, expression.begin, expression.end);
    Location result;
    const std::uint64_t first = in.number(1);
    if (first == op::kAddr) {
      const SectionReference* symbol = in.reference(8);
      if (symbol == nullptr) return unknown("an address without a name is not understood");
      result = variableAt(*symbol);
    } else if (first == op::kRegx) {
      result.kind = Location::Kind::Register;
      result.name = registerName(in.uleb());
    } else if (first >= op::kLit0 && first <= op::kLit31) {
      result.kind = Location::Kind::Value;
      result.address = first - op::kLit0;
    } else if (first >= op::kConst1u && first <= op::kConsts) {
      result.kind = Location::Kind::Value;
      result.address = constant(in, first);
    } else {
      return unknown(fmt::format("operation {:#x} of its place is not understood", first));
    }
    return behind(in, std::move(result));
  }

  /// const1u, const1s, const2u ... const8s, constu, consts.
  static std::uint64_t constant(SectionReader& in, std::uint64_t which) {
    if (which == op::kConstu) return in.uleb();
    if (which == op::kConsts) return static_cast<std::uint64_t>(in.sleb());
    const auto bytes = 1U << ((which - op::kConst1u) / 2);
    const std::uint64_t value = in.number(bytes);
    if ((which - op::kConst1u) % 2 == 0 || bytes == 8) return value;
    const unsigned shift = 64 - 8 * bytes;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
  }

  /// What may follow: an offset to an address, or that a value is one.
  static Location behind(SectionReader& in, Location result) {
    while (!in.atEnd() && result.kind != Location::Kind::Unknown) {
      const std::uint64_t next = in.number(1);
      if (next == op::kPlusUconst && result.kind == Location::Kind::Memory) {
        result.address += in.uleb();
      } else if (next != op::kStackValue || result.kind != Location::Kind::Value) {
        return unknown(fmt::format("operation {:#x} of its place is not understood", next));
      }
    }
    if (!in.good) return unknown("its place is cut off");
    return result;
  }

  Location variableAt(const SectionReference& symbol) const {
    Location result;
    result.kind = Location::Kind::Memory;
    for (const VariableNote& note : view_.program().variables) {
      if (note.name != symbol.symbol) continue;
      if (note.space == Space::Local && note.function != at_.function) continue;
      result.address = note.address + static_cast<std::uint64_t>(symbol.addend);
      result.space = note.space == Space::Local    ? DebugSpace::Local
                     : note.space == Space::Shared ? DebugSpace::Shared
                                                   : DebugSpace::Global;
      if (note.space == Space::Local) result.address += view_.frame();
      return result;
    }
    return parameterAt(symbol);
  }

  /// Parameters of a kernel are in an allocation of global memory here.
  Location parameterAt(const SectionReference& symbol) const {
    const Function& function = view_.program().module->functions[at_.function];
    std::uint64_t offset = 0;
    for (const Declaration& parameter : function.parameters) {
      const std::uint64_t align = std::max<std::uint64_t>(parameter.alignment(), 1);
      offset = (offset + align - 1) / align * align;
      if (function.isEntry && parameter.name == symbol.symbol) {
        Location result;
        result.kind = Location::Kind::Memory;
        result.space = DebugSpace::Global;
        result.address = view_.parameters() + offset + static_cast<std::uint64_t>(symbol.addend);
        return result;
      }
      offset += parameter.bytes();
    }
    return unknown(fmt::format("{} has no place in this kernel", symbol.symbol));
  }

  const SourceVariables& sources_;
  const Dwarf& dwarf_;
  const DebugView& view_;
  SourceRef at_;
};

}  // namespace

SourceVariables readVariables(const Module& module) {
  SourceVariables result;
  result.dwarf = readDwarf(module);
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    const std::vector<Statement>& body = module.functions[f].body;
    for (std::uint32_t i = 0; i < body.size(); ++i) {
      if (body[i].kind == Statement::Kind::Label)
        result.labels.try_emplace(body[i].name, SourceRef{f, i});
    }
  }
  return result;
}

Expected<DebugVariables> variablesAt(const SourceVariables& sources, const DebugView& view,
                                     SourceRef at) {
  const Dwarf& dwarf = sources.dwarf;
  const bool any = std::any_of(dwarf.entries.begin(), dwarf.entries.end(), [](const auto& entry) {
    return entry.tag == dwtag::kVariable || entry.tag == dwtag::kParameter;
  });
  if (!any && !dwarf.problem.empty()) {
    return userError(fmt::format("the debug information is not understood: {}", dwarf.problem));
  }
  if (!any) {
    return userError("the PTX has no debug information of variables (clang writes it with -O0 -g)");
  }
  return DebugVariables{Finder(sources, view, at).all(), dwarf.problem};
}

}  // namespace cutwork::sim

// DecodeMemory.cpp -- ld, st, atom, red, cvta, isspacep, mapa, and moves.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "AccessWords.h"
#include "Decoder.h"
#include "Exec/RaceExec.h"

namespace cutwork::sim {
namespace {

struct SpaceWord {
  std::string_view word;
  Space space;
};
constexpr std::array kSpaces = {
    SpaceWord{"global", Space::Global},      SpaceWord{"shared", Space::Shared},
    SpaceWord{"shared::cta", Space::Shared}, SpaceWord{"shared::cluster", Space::Shared},
    SpaceWord{"local", Space::Local},        SpaceWord{"const", Space::Const},
    SpaceWord{"param", Space::Param},        SpaceWord{"param::entry", Space::Param},
    SpaceWord{"param::func", Space::Param},
};

Space takeSpace(Words& words) {
  for (const SpaceWord& row : kSpaces) {
    if (words.take(row.word)) return row.space;
  }
  return Space::Generic;
}

unsigned takeVector(Words& words) {
  if (words.take("v2")) return 2;
  if (words.take("v4")) return 4;
  if (words.take("v8")) return 8;
  return 1;
}

/// Caches, hints, and the order that all accesses have here.
void dropIgnored(Words& words) { std::erase_if(words.words, isAccessWord); }

/// The strength and order that the words of an access ask for, as flags.
std::uint32_t orderFlags(const Words& words, bool atomic) {
  const auto has = [&](std::string_view word) {
    return std::find(words.words.begin(), words.words.end(), word) != words.words.end();
  };
  const bool both = has("acq_rel");
  const bool acquires = both || has("acquire");
  const bool releases = both || has("release");
  const bool isVolatile = has("volatile") || has("mmio");
  if (!atomic && !isVolatile && !acquires && !releases && !has("relaxed")) return 0;
  const Strength strength = has("cta")       ? Strength::Cta
                            : has("cluster") ? Strength::Cluster
                                             : Strength::Gpu;
  return std::uint32_t{static_cast<unsigned>(strength)} << kScopeShift |
         (acquires ? kAcquires : 0U) | (releases ? kReleases : 0U);
}

std::uint32_t registerFlags(unsigned bytes) {
  return bytes == 16 ? kHugeRegister : bytes == 8 ? kWideRegister : 0;
}

}  // namespace

/// [base + offset] in a space; array elements too: name[2].
bool Decoder::address(const Operand& operand, Space space, Address& result) {
  result.space = space;
  const bool bracketed = operand.kind == Operand::Kind::Address;
  const Operand& base = bracketed ? operand.parts[0] : operand;
  result.offset = bracketed ? operand.offset : 0;
  // name[2] is an address too, but neither name nor [name[2]].
  if (bracketed == (base.index >= 0)) return wrong("an address is expected: [...], or name[i]");
  if (base.kind == Operand::Kind::Value) {
    // A kernel's parameters have no addresses of their own: what is at a number there is unsaid.
    if (space == Space::Param) return wrong("an address in .param memory is that of a parameter");
    result.row = constantRow(base.value.integer, 8);
    return !failed_;
  }
  if (base.kind != Operand::Kind::Name) return wrong("an address is expected");
  if (RegisterName* name = registerOf(base)) {
    if (name->type == Ty::Pred || bitsOf(name->type) < 32 || bitsOf(name->type) > 64) {
      return wrong(fmt::format("{} cannot hold an address", base.name));
    }
    result.row = registerRow(*name);
    result.wide = bitsOf(name->type) == 64;
    result.offset += bracketed ? 0 : base.offset;
    return true;
  }
  const Meaning meaning = names_->find(base.name);
  if (meaning.kind == Meaning::Kind::KernelParameter && space == Space::Param) {
    result.isParameter = true;
    result.offset += static_cast<std::int64_t>(meaning.offset) + base.offset;
    if (base.index >= 0) {
      result.offset += base.index * static_cast<std::int64_t>(meaning.declaration->elementBytes());
    }
    return true;
  }
  const bool inFrame =
      meaning.kind == Meaning::Kind::Parameter || meaning.kind == Meaning::Kind::Local;
  if (inFrame) result.space = Space::Local;
  const bool shared = meaning.kind == Meaning::Kind::Shared;
  if (shared && space == Space::Generic) result.space = Space::Shared;
  if (const auto has = spaceOf(base.name); has && space != Space::Generic && space != *has) {
    return wrong(fmt::format("{} is in .{} memory, and the access is not", base.name,
                             *has == Space::Const    ? "const"
                             : *has == Space::Global ? "global"
                             : *has == Space::Shared ? "shared"
                                                     : "local"));
  }
  result.row = symbolRow(base, 8);
  if (result.row == 0 && !failed_) return wrong(fmt::format("{} is not declared", base.name));
  return !failed_;
}

/// The memory that a variable is in; none of parameters, and of what is no variable.
std::optional<Space> Decoder::spaceOf(std::string_view name) {
  const Meaning meaning = names_->find(name);
  if (meaning.kind == Meaning::Kind::Parameter) return std::nullopt;
  if (meaning.declaration != nullptr) return meaning.declaration->space;
  const auto variable = linked_.variables.find(name);
  if (meaning.kind != Meaning::Kind::None || variable == linked_.variables.end()) return {};
  return variable->second->space;
}

AccessNote& Decoder::noteAccess(const Address& at, unsigned bytes) {
  AccessNote& note = program_->accesses.emplace_back();
  note.record = static_cast<std::uint32_t>(program_->records.size() - 1);
  note.row = at.row;
  note.offset = at.offset;
  note.bytes = bytes;
  note.space = at.space;
  note.wide = at.wide;
  return note;
}

bool Decoder::memory() {
  const std::string_view name = statement_->name;
  if (name == "st" && Words(*statement_).take("bulk")) return bulkStore();
  if (const std::string problem = accessProblem(*statement_); !problem.empty()) {
    return unknown(problem);
  }
  if (name == "atom") return atomics(true);
  if (name == "red") return atomics(false);
  return loadStore(name == "st");
}

/// The `count` elements of {a, b, ...}, of a vector of registers, or (1) what is no vector.
bool Decoder::elementsOf(const Operand& operand, unsigned count, std::vector<Operand>& elements) {
  if (operand.kind == Operand::Kind::Vector) {
    elements = operand.parts;
  } else if (count > 1) {
    const Meaning meaning = names_->find(operand.name);
    if (meaning.kind != Meaning::Kind::Vector || meaning.vector != count) {
      return wrong("a vector of registers is expected");
    }
    static constexpr std::array<std::string_view, 4> kComponents = {"x", "y", "z", "w"};
    for (unsigned i = 0; i < count && i < 4; ++i) {
      elements.push_back(operand);
      elements.back().component = kComponents[i];
    }
  } else {
    elements.push_back(operand);
  }
  return elements.size() == count ||
         wrong(fmt::format("{} elements for .v{}", elements.size(), count));
}

bool Decoder::loadStore(bool store) {
  const Statement& s = *statement_;
  Words words(s);
  Space space = takeSpace(words);
  const unsigned vector = takeVector(words);
  const std::uint32_t order = orderFlags(words, false);
  const bool waiting = !store && (words.take("volatile") || words.take("relaxed") ||
                                  words.take("acquire") || words.take("mmio"));
  dropIgnored(words);
  const auto type = words.type();
  if (!type || !words.empty() || bitsOf(*type) < 8) return unknown({});
  if (s.operands.size() < 2) return wrong(fmt::format("{} has two operands", s.name));
  const Operand& value = s.operands[store ? 1 : 0];
  Address at;
  if (!address(s.operands[store ? 0 : 1], space, at)) return false;
  // In a function, parameters are in its frame. Pointers into a kernel's are generic addresses.
  if (at.space == Space::Param && !at.isParameter) at.space = Space::Generic;

  std::vector<Operand> elements;
  if (!elementsOf(value, vector, elements)) return false;
  const unsigned bytes = bytesOf(*type);
  if (bytes * vector > 16) {  // 256 bits: eight words or four double words
    const bool global = at.space == Space::Global || at.space == Space::Generic;
    const bool shape = bytes * vector == 32 && (bytes == 4 || bytes == 8) && global &&
                       space != Space::Param && space != Space::Const;
    if (!shape) return unknown("vectors of 32 bytes are of .b32 or .b64 in global memory");
    if (!needs(100, 88)) return false;
  }
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> flags;
  for (const Operand& element : elements) {
    const bool sink = element.kind == Operand::Kind::Sink;
    if (sink && (vector == 1 || (store && bytes * vector < 32))) {
      return wrong(store ? "_ is no value to store" : "_ is no destination of a load");
    }
    const std::uint32_t row = sink    ? 0
                              : store ? source(element, *type, true)
                                      : destination(element, *type, true);
    if (failed_) return false;
    rows.push_back(row);
    flags.push_back(registerFlags(registerBytes(element, *type)) |
                    (isSigned(*type) ? kSignExtend : 0U));
  }
  if (at.isParameter) {
    if (store) return wrong("a kernel's parameters cannot be written");
    const Function& function = *function_;
    std::uint64_t end = 0;
    for (const Declaration& p : function.parameters) {
      end = (end + p.alignment() - 1) / p.alignment() * p.alignment() + p.bytes();
    }
    if (at.offset < 0 ||
        static_cast<std::uint64_t>(at.offset) + std::uint64_t{bytes} * vector > end) {
      return wrong("the load is outside the kernel's parameters");
    }
    for (unsigned i = 0; i < vector; ++i) {
      if (rows[i] == 0) continue;
      Record& record = emit(parameterLoad(checked_));
      record.d = rows[i];
      record.imm = at.offset + std::int64_t{i} * bytes;
      record.flags = flags[i] | bytes << kSizeShift;
    }
    return true;
  }
  const bool many = vector > 1 || bytes == 16;
  const Handler handler = store ? handlers_.store(at.space, at.wide, bytes, vector, checking_)
                                : handlers_.load(at.space, at.wide, bytes, vector, checking_);
  if (!many && rows[0] == 0) rows[0] = newRow(8);
  Record& record = emit(handler);
  record.a = at.row;
  record.imm = at.offset;
  record.d = rows[0];
  record.flags = (many ? 0 : flags[0]) | vector << kCountShift | bytes << kSizeShift |
                 (many ? vector << 28 : 0) | (waiting ? kVolatile : 0U) | order |
                 (at.wide ? kWideAddress : 0U);
  noteAccess(at, bytes * vector);
  if (many) {
    for (unsigned i = 0; i < vector; ++i) emitElement(rows[i], 0, 0, 0, flags[i]);
  }
  return true;
}

bool Decoder::atomics(bool returns) {
  const Statement& s = *statement_;
  Words words(s);
  const Space space = takeSpace(words);
  const unsigned vector = takeVector(words);
  const std::uint32_t order = orderFlags(words, true);
  dropIgnored(words);
  static constexpr std::array<std::string_view, 10> kOps = {"and", "or",  "xor", "exch", "cas",
                                                            "add", "inc", "dec", "min",  "max"};
  const std::string_view op = words.oneOf(kOps);
  const Ty type = words.type().value_or(Ty::None);
  const int code = atomicCode(op, type);
  if (code < 0 || !words.empty() || (!returns && (op == "exch" || op == "cas"))) return unknown({});
  const std::size_t first = returns ? 1 : 0;
  const std::size_t needed = first + (op == "cas" ? 3 : 2);
  if (s.operands.size() < needed || s.operands.size() > needed + 1) {
    return wrong(fmt::format("{}.{} has {} operands", s.name, op, needed));
  }
  Address at;
  if (!address(s.operands[first], space, at)) return false;
  const auto elementsOf = [&](const Operand& operand) {
    return operand.kind == Operand::Kind::Vector ? operand.parts : std::vector<Operand>{operand};
  };
  const std::vector<Operand> values = elementsOf(s.operands[first + 1]);
  const std::vector<Operand> results = returns ? elementsOf(s.operands[0]) : std::vector<Operand>{};
  if (values.size() != vector || (returns && results.size() != vector)) {
    return wrong(fmt::format("{} elements are expected", vector));
  }
  std::vector<std::array<std::uint32_t, 3>> rows(vector);
  for (unsigned i = 0; i < vector; ++i) {
    const bool kept = returns && results[i].kind != Operand::Kind::Sink;
    if (kept) rows[i][0] = destination(results[i], type);
    rows[i][1] = source(values[i], type);
    if (op == "cas") rows[i][2] = source(s.operands[first + 2], type);
    if (failed_) return false;
  }
  if (op == "cas" && bytesOf(type) == 16 && rows[0][2] == 0) return false;
  Record& record = emit(atomicHandler(at.space, at.wide, checked_));
  record.a = at.row;
  record.imm = at.offset;
  record.flags = static_cast<std::uint32_t>(code) | static_cast<std::uint32_t>(type) << 8 |
                 vector << 16 | vector << 28 | order;
  noteAccess(at, bytesOf(type) * vector).atomic = true;
  for (const auto& row : rows) emitElement(row[0], 0, row[1], row[2], 0);
  return true;
}

bool Decoder::addressing() {
  const Statement& s = *statement_;
  Words words(s);
  if (s.name == "cvta") {
    const bool to = words.take("to");
    const Space space = takeSpace(words);
    const Ty type = words.type().value_or(Ty::None);
    const bool isType = type == Ty::U32 || type == Ty::U64;
    if (!isType || !words.empty() || space == Space::Generic || s.operands.size() != 2) {
      return unknown({});
    }
    const std::uint64_t window = space == Space::Shared  ? kSharedWindow
                                 : space == Space::Local ? kLocalWindow
                                                         : 0;
    const std::uint32_t a = source(s.operands[1], type);
    const std::uint32_t d = failed_ ? 0 : destination(s.operands[0], type);
    if (failed_) return false;
    Pick pick;
    pick.op = to ? Op::Sub : Op::Add;
    pick.type = type;
    if (window == 0) {
      pick.op = Op::Mov;
      const std::uint32_t sources[] = {a};
      return emitMap(handlers_.logic(pick), d, sources, 0, checkedMove);
    }
    if (bitsOf(type) == 32) return unknown("generic addresses have 64 bits");
    const std::uint32_t sources[] = {a, constantRow(window, 8)};
    return emitMap(handlers_.integer(pick), d, sources);
  }
  if (s.name == "isspacep") {
    const bool cluster =
        std::find(words.words.begin(), words.words.end(), "shared::cluster") != words.words.end();
    const bool ofFunction = words.take("param::func");
    const Space space = takeSpace(words);
    if (ofFunction || space == Space::Generic || !words.empty() || s.operands.size() != 2) {
      return unknown({});
    }
    // The address is of .u32 or .u64, and the instruction does not say of which.
    const bool narrow = registerBytes(s.operands[1], Ty::U64) == 4;
    std::uint32_t a = source(s.operands[1], narrow ? Ty::U32 : Ty::U64);
    const std::uint32_t d = failed_ ? 0 : destination(s.operands[0], Ty::Pred);
    if (failed_) return false;
    if (narrow) a = widened(a);
    Record& record = emit(addressSpace);
    record.d = d;
    record.a = a;
    record.imm = static_cast<std::int64_t>(space);
    record.extra = cluster ? 1 : 0;
    return true;
  }
  const bool map = s.name == "mapa";
  const Space space = words.take("shared::cluster") ? Space::Shared : Space::Generic;
  const Ty type = words.type().value_or(Ty::None);
  if ((type != Ty::U32 && type != Ty::U64) || !words.empty() ||
      s.operands.size() != (map ? 3U : 2U))
    return unknown({});
  // getctarank's result is .u32 whatever the address's type.
  const std::uint32_t a = source(s.operands[1], type);
  const std::uint32_t b = map && !failed_ ? source(s.operands[2], Ty::U32) : 0;
  const std::uint32_t d = failed_ ? 0 : destination(s.operands[0], map ? type : Ty::U32);
  if (failed_) return false;
  Record& record = emit(map ? clusterAddress : clusterRank);
  record.d = d;
  record.a = a;
  record.b = b;
  record.imm = space == Space::Generic ? 1 : 0;
  record.flags = bitsOf(type) == 64 ? kWideRegister : 0;
  return true;
}

/// mov.v2 and mov.v4: all elements are read before one is written.
bool Decoder::vectorMove(unsigned count, Ty type) {
  const Statement& s = *statement_;
  if (bitsOf(type) < 16 || bitsOf(type) > 64 || bitsOf(type) * count > 128) return unknown({});
  std::vector<Operand> to;
  std::vector<Operand> from;
  if (!elementsOf(s.operands[0], count, to)) return false;
  const Operand& source0 = s.operands[1];
  const bool isSpecial = source0.kind == Operand::Kind::Name && source0.component.empty() &&
                         names_->find(source0.name).kind == Meaning::Kind::None;
  if (isSpecial && count == 4 && bitsOf(type) == 32) {  // %tid and the like
    for (const std::string_view component : {"x", "y", "z", "w"}) {
      from.push_back(source0);
      from.back().component = component;
    }
  } else if (!elementsOf(source0, count, from)) {
    return false;
  }
  Pick pick;
  pick.op = Op::Mov;
  pick.type = type;
  std::vector<std::uint32_t> rows;
  for (const Operand& one : from) {
    const std::uint32_t sources[] = {source(one, type)};
    if (failed_) return false;
    rows.push_back(newRow(bitsOf(type) == 64 ? 8 : 4));
    if (!emitMap(handlers_.logic(pick), rows.back(), sources, 0, checkedMove)) return false;
  }
  for (unsigned i = 0; i < count; ++i) {
    if (to[i].kind == Operand::Kind::Sink) continue;
    const std::uint32_t d = destination(to[i], type);
    const std::uint32_t sources[] = {rows[i]};
    if (failed_ || !emitMap(handlers_.logic(pick), d, sources, 0, checkedMove)) return false;
  }
  return true;
}

/// The elements of {a, b, ...} and of a vector of registers; none of what is no vector.
std::vector<Operand> Decoder::partsOf(const Operand& operand) {
  if (operand.kind == Operand::Kind::Vector) return operand.parts;
  std::vector<Operand> parts;
  if (operand.kind != Operand::Kind::Name || !operand.component.empty()) return parts;
  const Meaning meaning = names_->find(operand.name);
  if (meaning.kind == Meaning::Kind::Vector) elementsOf(operand, meaning.vector, parts);
  return parts;
}

/// mov between a register and the elements that fill it.
bool Decoder::packedMove(const std::vector<Operand>& parts, bool pack, Ty type) {
  const Operand& other = statement_->operands[pack ? 0 : 1];
  const unsigned total = bytesOf(type);
  if (parts.size() > 4) return wrong("a vector has 2 or 4 elements");
  if (total % parts.size() != 0 || total < parts.size() || total > 16) {
    return wrong("the elements do not fill the register");
  }
  const auto bytes = static_cast<unsigned>(total / parts.size());
  const Ty element = bytes == 1 ? Ty::B8 : bytes == 2 ? Ty::B16 : bytes == 4 ? Ty::B32 : Ty::B64;
  std::vector<std::uint32_t> rows;
  for (const Operand& part : parts) {
    if (part.kind == Operand::Kind::Sink && !pack) {
      rows.push_back(0);
    } else {
      rows.push_back(pack ? source(part, element, bytes == 1)
                          : destination(part, element, bytes == 1));
    }
    if (failed_) return false;
  }
  const std::uint32_t whole = pack ? destination(other, type) : source(other, type);
  if (failed_) return false;
  Record& record = emit(pack ? packRecord : unpackRecord);
  (pack ? record.d : record.a) = whole;
  record.flags = total | bytes << 8 | static_cast<std::uint32_t>(rows.size()) << 28;
  record.extra = static_cast<std::uint32_t>(rows.size());
  for (const std::uint32_t row : rows) {
    emitElement(pack ? 0 : row, pack ? row : 0, 0, 0, 0);
  }
  return true;
}

bool Decoder::moves() {
  const Statement& s = *statement_;
  Words words(s);
  const unsigned vector = words.take("v2") ? 2 : words.take("v4") ? 4 : 1;
  const auto type = words.type();
  if (!type || !words.empty()) return unknown({});
  if (s.operands.size() != 2) return wrong("mov has two operands");
  if (vector > 1) return vectorMove(vector, *type);
  const Operand& to = s.operands[0];
  const Operand& from = s.operands[1];
  std::int64_t clock = 0;
  if (bitsOf(*type) < 128 && (kindOf(*type) == Kind::Packed || bitsOf(*type) == 8 ||
                              (isFloat(*type) && *type != Ty::F32 && *type != Ty::F64))) {
    return unknown(
        fmt::format("mov has no .{}; of that width it has .b{}", spelling(*type), bitsOf(*type)));
  }
  if (from.offset == 0 && clockRegister(from, clock) && partsOf(to).empty()) {
    if (!mayReadSpecial(from, *type)) return false;
    const std::uint32_t d = destination(to, *type);
    if (failed_) return false;
    Record& record = emit(clockRecord);
    record.d = d;
    record.imm = clock;
    record.flags = bitsOf(*type) == 64 ? kWideRegister : 0;
    return true;
  }
  const std::vector<Operand> fromParts = partsOf(from);
  if (!fromParts.empty()) return packedMove(fromParts, true, *type);
  const std::vector<Operand> toParts = partsOf(to);
  if (!toParts.empty()) return packedMove(toParts, false, *type);
  if (bitsOf(*type) == 128) {
    const std::uint32_t a = source(from, *type);
    const std::uint32_t d = failed_ ? 0 : destination(to, *type);
    if (failed_) return false;
    Record& record = emit(moveHuge);
    record.d = d;
    record.a = a;
    return true;
  }
  const std::uint32_t a = source(from, *type);
  const std::uint32_t d = failed_ ? 0 : destination(to, *type);
  if (failed_) return false;
  Pick pick;
  pick.op = Op::Mov;
  pick.type = *type;
  const std::uint32_t sources[] = {a};
  return emitMap(handlers_.logic(pick), d, sources, 0,
                 *type == Ty::Pred ? checkedMap : checkedMove);
}

}  // namespace cutwork::sim

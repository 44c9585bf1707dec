// DecodeOperands.cpp -- operands to rows of the row file, and the emission of records.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "Arithmetic/Half.h"
#include "Decoder.h"

namespace cutwork::sim {

namespace {

/// %envreg0 to %envreg31, which the driver sets, and %pm0 to %pm7 (and _64), which a profiler does:
/// here they are 0.
bool isUnusedRegister(std::string_view name) {
  const bool environment = name.starts_with("envreg");
  if (!environment && !name.starts_with("pm")) return false;
  name.remove_prefix(environment ? 6 : 2);
  if (!environment && name.ends_with("_64")) name.remove_suffix(3);
  if (name.empty() || name.size() > 2 || (name.size() == 2 && name[0] == '0')) return false;
  unsigned number = 0;
  for (const char digit : name) {
    if (digit < '0' || digit > '9') return false;
    number = number * 10 + static_cast<unsigned>(digit - '0');
  }
  return number < (environment ? 32 : 8);
}

/// Whether a register of a declared type may hold values of the instruction's: bits are of any
/// type, integers do not mind their sign, and the others are of their own type alone (PTX ISA,
/// "Operand Type Checking").
bool holds(Ty declared, Ty type) {
  if (kindOf(declared) == Kind::Bits || kindOf(type) == Kind::Bits || declared == type) return true;
  return isIntegral(declared) && isIntegral(type);
}

/// Whether a constant may be written where the instruction has this type.
bool isConstantOf(const Constant& c, Ty type) {
  if (type == Ty::F32 || type == Ty::F64) return c.isFloat;
  // A decimal number is a double.
  const unsigned bits = c.exactBits == 0 ? 64 : c.exactBits;
  if (kindOf(type) == Kind::Bits) return !c.isFloat || bits == bitsOf(type);
  return isIntegral(type) && !c.isFloat;
}

/// Results that may be thrown away.
bool mayDiscard(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNames = {"setp",  "lop3",  "atom", "mbarrier",
                                                             "elect", "match", "ld",   "call"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// Instructions whose sources may be variables, for their addresses.
bool takesAddresses(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kNames = {"mov", "cvta", "mapa", "getctarank",
                                                             "call"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// Special registers are read by mov, by cvt between integers, and by stores of vectors.
bool readsSpecial(const Statement& s) {
  if (s.name == "mov") return true;
  if (s.name == "st") return s.operands.back().kind == Operand::Kind::Vector;
  const auto isInteger = [](std::string_view word) {
    const auto type = typeNamed(word);
    return !type || isIntegral(*type);
  };
  return s.name == "cvt" && std::all_of(s.words.begin(), s.words.end(), isInteger);
}

}  // namespace

std::uint32_t Decoder::newRow(unsigned bytes) {
  const std::uint32_t row = (fileBytes_ + 63) / 64 * 64;
  fileBytes_ = row + 32 * bytes;
  userRows_.emplace_back(row, bytes);
  return row;
}

std::uint32_t Decoder::newPredicate() {
  if (predicatesLeft_ == 0) {
    nextPredicate_ = (fileBytes_ + 31) / 32 * 32;
    fileBytes_ = nextPredicate_ + 4 * 32;
    predicatesLeft_ = 4;
  }
  --predicatesLeft_;
  const std::uint32_t row = nextPredicate_;
  nextPredicate_ += 32;
  userRows_.emplace_back(row, 0);
  return row;
}

std::uint32_t Decoder::constantRow(std::uint64_t bits, unsigned bytes) {
  if (bytes == 4) bits &= 0xffffffffU;
  const auto [at, fresh] = constants_.try_emplace({bits, bytes}, 0);
  if (fresh) {
    at->second = newRow(bytes);
    userRows_.pop_back();  // defined from the start
  }
  return at->second;
}

std::uint32_t Decoder::registerRow(RegisterName& name) {
  if (name.row == 0) {
    name.row = name.type == Ty::Pred ? newPredicate()
                                     : newRow(bitsOf(name.type) <= 32 ? 4 : bytesOf(name.type));
    program_->registers.push_back({functionIndex_, name.name, name.type, name.row});
  }
  return name.row;
}

RegisterName* Decoder::registerOf(const Operand& operand) {
  if (operand.kind != Operand::Kind::Name) return nullptr;
  const Meaning meaning = names_->find(operand.name);
  if (meaning.registers == nullptr) return nullptr;
  if (meaning.registers->name.empty()) {
    for (unsigned i = 0; i < meaning.vector; ++i) meaning.registers[i].name = operand.name;
  }
  if (meaning.kind == Meaning::Kind::Register) {
    return operand.component.empty() ? meaning.registers : nullptr;
  }
  if (meaning.kind != Meaning::Kind::Vector || operand.component.size() != 1) return nullptr;
  std::size_t i = std::string_view("xyzw").find(operand.component[0]);
  if (i == std::string_view::npos) i = std::string_view("rgba").find(operand.component[0]);
  return i < meaning.vector ? meaning.registers + i : nullptr;
}

std::uint64_t Decoder::constantBits(const Constant& c, Ty type) const {
  if (!c.isFloat) {
    const auto number = static_cast<std::int64_t>(c.integer);
    if (type == Ty::F32) {
      return std::bit_cast<std::uint32_t>(c.isUnsigned ? static_cast<float>(c.integer)
                                                       : static_cast<float>(number));
    }
    if (type == Ty::F64) {
      return std::bit_cast<std::uint64_t>(c.isUnsigned ? static_cast<double>(c.integer)
                                                       : static_cast<double>(number));
    }
    return c.integer;
  }
  if (type == Ty::F32 && c.exactBits == 64) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(c.real));
  }
  if (type == Ty::F64 && c.exactBits == 32) return std::bit_cast<std::uint64_t>(c.real);
  if (c.exactBits != 0) return c.integer;
  if (bitsOf(type) == 64) return std::bit_cast<std::uint64_t>(c.real);
  return std::bit_cast<std::uint32_t>(static_cast<float>(c.real));
}

unsigned Decoder::registerBytes(const Operand& operand, Ty type) {
  if (const RegisterName* name = registerOf(operand)) {
    return bitsOf(name->type) <= 32 ? 4 : bytesOf(name->type);
  }
  return bitsOf(type) <= 32 ? 4 : bytesOf(type);
}

bool Decoder::clockRegister(const Operand& operand, std::int64_t& which) const {
  if (operand.kind != Operand::Kind::Name || !operand.component.empty()) return false;
  static constexpr std::pair<std::string_view, std::int64_t> kClocks[] = {
      {"%clock", 0},    {"%clock64", 1},        {"%globaltimer", 2},
      {"%clock_hi", 3}, {"%globaltimer_lo", 4}, {"%globaltimer_hi", 5}};
  for (const auto& [name, number] : kClocks) {
    if (operand.name == name) {
      which = number;
      return true;
    }
  }
  return false;
}

/// The row of a special register, or 0 if the operand is none.
std::uint32_t Decoder::specialRow(const Operand& operand, unsigned bytes) {
  if (operand.kind != Operand::Kind::Name || operand.name.empty() || operand.name[0] != '%')
    return 0;
  const SpecialRows& s = program_->special;
  const std::string_view name = operand.name.substr(1);
  const std::size_t axis = operand.component.size() == 1
                               ? std::string_view("xyz").find(operand.component[0])
                               : std::string_view::npos;
  std::uint32_t row = 0;
  const std::pair<std::string_view, const std::uint32_t*> threes[] = {
      {"tid", s.tid},
      {"ntid", s.ntid},
      {"ctaid", s.ctaid},
      {"nctaid", s.nctaid},
      {"clusterid", s.clusterid},
      {"nclusterid", s.nclusterid},
      {"cluster_ctaid", s.clusterCtaid},
      {"cluster_nctaid", s.clusterNctaid}};
  for (const auto& [word, rows] : threes) {
    if (name == word && axis != std::string_view::npos) row = rows[axis];
    if (name == word && operand.component == "w") row = s.zero;
  }
  const std::pair<std::string_view, std::uint32_t> ones[] = {
      {"laneid", s.laneid},
      {"warpid", s.warpid},
      {"nwarpid", s.nwarpid},
      {"smid", s.smid},
      {"nsmid", s.nsmid},
      {"gridid", s.gridid},
      {"cluster_ctarank", s.clusterCtarank},
      {"cluster_nctarank", s.clusterNctarank},
      {"lanemask_eq", s.lanemask[0]},
      {"lanemask_le", s.lanemask[1]},
      {"lanemask_lt", s.lanemask[2]},
      {"lanemask_ge", s.lanemask[3]},
      {"lanemask_gt", s.lanemask[4]},
      {"dynamic_smem_size", s.dynamicSmem},
      {"total_smem_size", s.totalSmem},
      {"aggr_smem_size", s.aggregateSmem},
      {"current_graph_exec", s.zero},
      {"reserved_smem_offset_begin", s.zero},
      {"reserved_smem_offset_0", s.zero},
      {"reserved_smem_offset_1", s.zero}};
  for (const auto& [word, one] : ones) {
    if (name == word && operand.component.empty()) row = one;
  }
  if (row == 0 && operand.component.empty() && isUnusedRegister(name)) row = s.zero;
  // What the system reserves in front of a block's variables.
  const bool isEnd = name == "reserved_smem_offset_end" || name == "reserved_smem_offset_cap";
  if (isEnd && operand.component.empty()) row = constantRow(kSharedStart, 4);
  if (row == 0 || bytes == 4) return row;
  const std::uint32_t guard = std::exchange(guard_, 0U);
  const std::uint32_t wide = widened(row);
  guard_ = guard;
  return wide;
}

/// A new row of 64 bits with the 32 bits of `row`, zero-extended.
std::uint32_t Decoder::widened(std::uint32_t row) {
  const std::uint32_t wide = newRow(8);
  Pick pick;
  pick.op = Op::Cvt;
  pick.type = Ty::U64;
  pick.second = Ty::U32;
  pick.which = 1;
  const std::uint32_t sources[] = {row};
  emitMap(handlers_.convert(pick), wide, sources);
  return wide;
}

/// The row that holds the address of a variable or function; 0 if the name has none.
std::uint32_t Decoder::symbolRow(const Operand& operand, unsigned bytes) {
  const Meaning meaning = names_->find(operand.name);
  const Declaration* declaration = meaning.declaration;
  std::uint64_t base = 0;
  switch (meaning.kind) {
    case Meaning::Kind::Shared:
    case Meaning::Kind::Global: base = meaning.offset; break;
    case Meaning::Kind::KernelParameter: {
      // The launch says where the parameters are, in the row that is added to.
      if (bytes != 8) return 0;
      const std::uint32_t row = newRow(8);
      const std::uint32_t guard = std::exchange(guard_, 0U);
      Pick pick;
      pick.op = Op::Add;
      pick.type = Ty::U64;
      const std::uint32_t sources[] = {
          program_->special.parameterBase,
          constantRow(meaning.offset + static_cast<std::uint64_t>(operand.offset), 8)};
      emitMap(handlers_.integer(pick), row, sources);
      guard_ = guard;
      return row;
    }
    case Meaning::Kind::Local:
    case Meaning::Kind::Parameter: {
      const std::uint32_t row = newRow(bytes);
      const std::uint32_t guard = std::exchange(guard_, 0U);
      Record& r = emitPlain(bytes == 8 ? localAddress64 : localAddress32);
      r.d = row;
      const std::uint64_t element = operand.index >= 0 ? static_cast<std::uint64_t>(operand.index) *
                                                             declaration->elementBytes()
                                                       : 0;
      r.imm = static_cast<std::int64_t>(meaning.offset + element) + operand.offset;
      guard_ = guard;
      if (checked_) {  // it is defined: the row is not a user's register
        userRows_.pop_back();
      }
      return row;
    }
    default: break;
  }
  if (meaning.kind == Meaning::Kind::None) {
    const auto variable = linked_.variables.find(operand.name);
    if (variable != linked_.variables.end()) {
      declaration = variable->second;
      if (!declaration->opaque.empty()) {
        unknown(fmt::format("{} is a .{}", operand.name, declaration->opaque));
        return 0;
      }
      if (declaration->space == Space::Shared) {
        base = shared_[declaration];
      } else {
        const auto at = linked_.addresses.find(operand.name);
        if (at == linked_.addresses.end()) {
          wrong(
              fmt::format("{} is a variable outside of functions in a space that only functions "
                          "have here",
                          operand.name));
          return 0;
        }
        base = at->second;
      }
    } else if (const auto function = linked_.functions.find(operand.name);
               function != linked_.functions.end()) {
      if (!module_.functions[function->second].hasBody) {
        wrong(fmt::format("{} has no body in this module", operand.name));
        return 0;
      }
      return constantRow(codeAddress(function->second), bytes);
    } else {
      return 0;
    }
  } else if (meaning.kind != Meaning::Kind::Shared && meaning.kind != Meaning::Kind::Global) {
    return 0;
  }
  if (operand.index >= 0)
    base += static_cast<std::uint64_t>(operand.index) * declaration->elementBytes();
  return constantRow(base + static_cast<std::uint64_t>(operand.offset), bytes);
}

std::uint32_t Decoder::source(const Operand& operand, Ty type, bool looser) {
  if (type == Ty::Pred) return predicateSource(operand);
  const unsigned bytes = bitsOf(type) <= 32 ? 4 : bytesOf(type);
  if (operand.kind == Operand::Kind::Value) {
    const Constant& value = operand.value;
    if (!isConstantOf(value, type)) {
      const std::string text =
          value.isFloat ? fmt::format("{}", value.real) : fmt::format("{}", value.integer);
      wrong(fmt::format("{} is no constant of type .{}", text, spelling(type)));
      return 0;
    }
    return constantRow(constantBits(value, type), bytes);
  }
  if (operand.kind != Operand::Kind::Name) {
    wrong(fmt::format("expected a register or constant of type .{}", spelling(type)));
    return 0;
  }
  if (operand.negated) {
    wrong(fmt::format("a sign before {}: only constants and predicates have one", operand.name));
    return 0;
  }
  RegisterName* const name = registerOf(operand);
  std::int64_t clock = 0;
  const bool isClock = name == nullptr && clockRegister(operand, clock);
  if ((name != nullptr || isClock) && (operand.offset != 0 || operand.index >= 0)) {
    wrong(
        fmt::format("{} is a register: an offset belongs into an address or an instruction of "
                    "its own",
                    operand.name));
    return 0;
  }
  if (isClock && !mayReadSpecial(operand, type)) return 0;
  if (isClock) {
    const std::uint32_t row = newRow(bytes);
    Record& record = emit(clockRecord);
    record.d = row;
    record.imm = clock;
    record.flags = bytes == 8 ? kWideRegister : 0;
    if (checked_) userRows_.pop_back();  // it is defined
    return row;
  }
  if (name != nullptr) {
    const unsigned have = bitsOf(name->type);
    const bool fits = looser ? have >= bitsOf(type) : have == bitsOf(type);
    if (name->type == Ty::Pred || !fits || !holds(name->type, type)) {
      wrong(fmt::format("{} is a register of type .{}, and .{} is expected", operand.name,
                        spelling(name->type), spelling(type)));
      return 0;
    }
    return registerRow(*name);
  }
  if (const std::uint32_t row = specialRow(operand, bytes); row != 0) {
    return mayReadSpecial(operand, type) ? row : 0;
  }
  if (failed_) return 0;
  if (!takesAddresses(statement_->name)) {
    const bool isVariable = names_->find(operand.name).kind != Meaning::Kind::None ||
                            linked_.variables.contains(operand.name);
    if (isVariable) {
      wrong(fmt::format("{} is a variable: mov gives its address", operand.name));
      return 0;
    }
  }
  if (const std::uint32_t row = symbolRow(operand, bytes); row != 0) return row;
  wrong(fmt::format("{} is not declared", operand.name));
  return 0;
}

/// Whether the statement may read a special register as a value of `type`; a problem if not.
bool Decoder::mayReadSpecial(const Operand& operand, Ty type) {
  if (!readsSpecial(*statement_)) {
    return wrong(fmt::format("{} is a special register: mov reads it", operand.name));
  }
  static constexpr std::array<std::string_view, 3> kWide = {"%clock64", "%globaltimer",
                                                            "%current_graph_exec"};
  const bool wide = std::find(kWide.begin(), kWide.end(), operand.name) != kWide.end() ||
                    operand.name.ends_with("_64");
  const bool either = operand.name == "%gridid";
  const bool fits = either || (wide ? bitsOf(type) == 64 : bitsOf(type) <= 32);
  if (fits && kindOf(type) != Kind::Float && kindOf(type) != Kind::Packed) return true;
  return wrong(fmt::format("{} is of .{}, and .{} is expected", operand.name, wide ? "u64" : "u32",
                           spelling(type)));
}

std::uint32_t Decoder::destination(const Operand& operand, Ty type, bool looser) {
  if (operand.kind == Operand::Kind::Sink && !mayDiscard(statement_->name)) {
    wrong(fmt::format("the result of {} cannot be thrown away", statement_->name));
    return 0;
  }
  if (operand.kind == Operand::Kind::Sink) {
    return type == Ty::Pred ? newPredicate() : newRow(bitsOf(type) <= 32 ? 4 : bytesOf(type));
  }
  RegisterName* name = registerOf(operand);
  if (name == nullptr) {
    wrong(operand.kind == Operand::Kind::Name ? fmt::format("{} is not a register", operand.name)
                                              : std::string("the destination is not a register"));
    return 0;
  }
  const bool fits = type == Ty::Pred         ? name->type == Ty::Pred
                    : name->type == Ty::Pred ? false
                                             : (looser ? bitsOf(name->type) >= bitsOf(type)
                                                       : bitsOf(name->type) == bitsOf(type)) &&
                                                   holds(name->type, type);
  if (!fits) {
    wrong(fmt::format("{} is a register of type .{}, and .{} is expected", operand.name,
                      spelling(name->type), spelling(type)));
    return 0;
  }
  return registerRow(*name);
}

/// The row of a predicate; of its negation for !p.
std::uint32_t Decoder::predicateSource(const Operand& operand) {
  if (operand.kind == Operand::Kind::Name && operand.name == "%is_explicit_cluster") {
    if (statement_->name != "mov") {
      wrong("%is_explicit_cluster is a special register: mov reads it");
      return 0;
    }
    return program_->special.isExplicitCluster;
  }
  if (operand.kind == Operand::Kind::Value && !operand.value.isFloat) {
    // true or false: a predicate that nobody writes, filled in with the constants.
    const auto [at, fresh] = constants_.try_emplace({operand.value.integer != 0 ? ~0ULL : 0, 1}, 0);
    if (fresh) {
      at->second = newPredicate();
      userRows_.pop_back();
    }
    return at->second;
  }
  RegisterName* name = registerOf(operand);
  if (name == nullptr || name->type != Ty::Pred) {
    wrong(fmt::format("{} is not a predicate", operand.name.empty() ? "this" : operand.name));
    return 0;
  }
  const std::uint32_t row = registerRow(*name);
  if (!operand.negated) return row;
  const std::uint32_t inverse = newPredicate();
  Pick pick;
  pick.op = Op::Not;
  pick.type = Ty::Pred;
  const std::uint32_t guard = std::exchange(guard_, 0U);
  const std::uint32_t sources[] = {row};
  emitMap(handlers_.logic(pick), inverse, sources);
  guard_ = guard;
  return inverse;
}

Record& Decoder::emitPlain(Handler body) {
  Record record;
  record.run = body;
  record.source = static_cast<std::uint32_t>(program_->sources.size() - 1);
  if (!firstOfStatement_) record.source |= kPartOfAnother;
  firstOfStatement_ = body == joinRecord ? firstOfStatement_ : false;
  if (body == joinRecord) record.source |= kPartOfAnother;
  program_->records.push_back(record);
  return program_->records.back();
}

Record& Decoder::emit(Handler body, Handler check) {
  Handler run = body;
  Record& record = emitPlain(body);
  record.inner = body;
  if (checked_ && check != nullptr) run = check;
  record.op = run;
  record.run = run;
  if (guard_ != 0) {
    record.guard = guard_;
    record.run = guardHandler(checked_);
  }
  return record;
}

bool Decoder::emitMap(const Lifted& lifted, std::uint32_t d, std::span<const std::uint32_t> sources,
                      std::int64_t imm, Handler check) {
  if (failed_) return false;
  if (!lifted) return unknown({});
  if (lifted.sources != sources.size()) {
    return wrong(fmt::format("{} sources are expected, not {}", lifted.sources, sources.size()));
  }
  Record& record = emit(lifted.run, check != nullptr ? check : checkedMap);
  record.d = d;
  std::uint32_t* const slots[] = {&record.a, &record.b, &record.c, &record.extra};
  record.flags = shadowCode(lifted.widths[0], lifted.widths[0] == 1);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    *slots[i] = sources[i];
    const std::uint8_t width = lifted.widths[i + 1];
    record.flags |= shadowCode(width, width == 1) << (4 * (i + 1));
  }
  record.imm = imm;
  return true;
}

bool Decoder::emitElement(std::uint32_t d, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                          std::uint32_t flags) {
  Record& element = emitPlain(nothing);
  element.source |= kPartOfAnother;
  element.d = d;
  element.a = a;
  element.b = b;
  element.c = c;
  element.flags = flags;
  return true;
}

}  // namespace cutwork::sim

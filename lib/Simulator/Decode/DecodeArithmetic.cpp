// DecodeArithmetic.cpp -- elementwise instructions: a table of mnemonics, signatures and modifiers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "Arithmetic/Compare.h"
#include "Arithmetic/Float.h"
#include "Arithmetic/Half.h"
#include "Decoder.h"
#include "Exec/Blackwell.h"
#include "Forms.h"

namespace cutwork::sim {
namespace {

/// The words that are flags or choose a rounding.
struct FlagWord {
  std::string_view word;
  std::uint64_t flags;
  Round round = Round::Rn;
};
constexpr std::array kFlagWords = {
    FlagWord{"ftz", kFtz},
    FlagWord{"sat", kSat},
    FlagWord{"relu", kRelu},
    FlagWord{"NaN", kNan},
    FlagWord{"xorsign", kXorsign},
    FlagWord{"abs", kAbs},
    FlagWord{"rn", kRounding, Round::Rn},
    FlagWord{"rz", kRounding, Round::Rz},
    FlagWord{"rm", kRounding, Round::Rm},
    FlagWord{"rp", kRounding, Round::Rp},
    FlagWord{"approx", kApprox},
    FlagWord{"full", kFull},
    FlagWord{"lo", kLo},
    FlagWord{"hi", kHi},
    FlagWord{"wide", kWide},
    FlagWord{"cc", kCc},
    FlagWord{"wrap", kWrap},
    FlagWord{"clamp", kClamp},
    FlagWord{"shiftamt", kShiftamt},
    FlagWord{"oob", kOob},
    FlagWord{"l", kLeft},
    FlagWord{"r", kRight},
};

/// One mnemonic. The signature names result and sources: t the type, 2 the second type, u .u32, p a
/// predicate. Which types and modifiers it has is in Forms.cpp.
struct Row {
  std::string_view name;
  Op op;
  std::string_view signature;
};
constexpr std::array kRows = {
    Row{"add", Op::Add, "ttt"},
    Row{"sub", Op::Sub, "ttt"},
    Row{"addc", Op::AddC, "ttt"},
    Row{"subc", Op::SubC, "ttt"},
    Row{"mul", Op::Mul, "ttt"},
    Row{"mad", Op::Mad, "tttt"},
    Row{"madc", Op::MadC, "tttt"},
    Row{"fma", Op::Fma, "tttt"},
    Row{"mul24", Op::Mul24, "ttt"},
    Row{"mad24", Op::Mad24, "tttt"},
    Row{"sad", Op::Sad, "tttt"},
    Row{"div", Op::Div, "ttt"},
    Row{"rem", Op::Rem, "ttt"},
    Row{"neg", Op::Neg, "tt"},
    Row{"abs", Op::Abs, "tt"},
    Row{"min", Op::Min, "ttt"},
    Row{"max", Op::Max, "ttt"},
    Row{"popc", Op::Popc, "ut"},
    Row{"clz", Op::Clz, "ut"},
    Row{"bfind", Op::Bfind, "ut"},
    Row{"brev", Op::Brev, "tt"},
    Row{"bfe", Op::Bfe, "ttuu"},
    Row{"bfi", Op::Bfi, "tttuu"},
    Row{"szext", Op::Szext, "ttu"},
    Row{"bmsk", Op::Bmsk, "ttt"},
    Row{"fns", Op::Fns, "tttt"},
    Row{"dp4a", Op::Dp4a, "uuuu"},
    Row{"dp2a", Op::Dp2a, "uuuu"},
    Row{"and", Op::And, "ttt"},
    Row{"or", Op::Or, "ttt"},
    Row{"xor", Op::Xor, "ttt"},
    Row{"not", Op::Not, "tt"},
    Row{"cnot", Op::Cnot, "tt"},
    Row{"shl", Op::Shl, "ttu"},
    Row{"shr", Op::Shr, "ttu"},
    Row{"shf", Op::Shf, "uuuu"},
    Row{"selp", Op::Selp, "tttp"},
    Row{"slct", Op::Slct, "ttt2"},
    Row{"copysign", Op::Copysign, "ttt"},
    Row{"rcp", Op::Rcp, "tt"},
    Row{"sqrt", Op::Sqrt, "tt"},
    Row{"rsqrt", Op::Rsqrt, "tt"},
    Row{"sin", Op::Sin, "tt"},
    Row{"cos", Op::Cos, "tt"},
    Row{"lg2", Op::Lg2, "tt"},
    Row{"ex2", Op::Ex2, "tt"},
    Row{"tanh", Op::Tanh, "tt"},
};

bool isLogic(Op op) { return op >= Op::And && op <= Op::Mov; }

Ty twice(Ty type) {
  switch (type) {
    case Ty::U16: return Ty::U32;
    case Ty::S16: return Ty::S32;
    case Ty::U32: return Ty::U64;
    case Ty::S32: return Ty::S64;
    default: return Ty::None;
  }
}

/// False if there are two roundings.
bool takeFlags(Words& words, Pick& pick) {
  for (const FlagWord& row : kFlagWords) {
    if (!words.take(row.word)) continue;
    if ((pick.flags & row.flags & kRounding) != 0) return false;
    pick.flags |= row.flags;
    if ((row.flags & kRounding) != 0) pick.round = row.round;
  }
  return true;
}

bool isHalf(Ty type) {
  return type == Ty::F16 || type == Ty::BF16 || type == Ty::F16x2 || type == Ty::BF16x2;
}

HalfSpec halfSpec(const Pick& pick) {
  HalfSpec spec;
  spec.bf16 = pick.type == Ty::BF16 || pick.type == Ty::BF16x2;
  spec.ftz = (pick.flags & kFtz) != 0;
  spec.sat = (pick.flags & kSat) != 0;
  spec.relu = (pick.flags & kRelu) != 0;
  spec.oob = (pick.flags & kOob) != 0;
  spec.nan = (pick.flags & kNan) != 0;
  spec.xorsign = (pick.flags & kXorsign) != 0;
  return spec;
}

/// How definedness goes through an operation, and the number that says so.
using Definedness = std::pair<Handler, std::int64_t>;

std::optional<std::uint64_t> constantOf(const Operand& operand) {
  if (operand.kind != Operand::Kind::Value || operand.value.isFloat) return std::nullopt;
  return operand.value.integer;
}

Definedness definednessOfLogic(const Statement& s, const Pick& pick) {
  if (pick.op == Op::Selp) return {checkedSelect, 0};
  if (pick.type == Ty::Pred) return {checkedMap, 0};
  const auto constant = constantOf(s.operands.back());
  const unsigned bits = bitsOf(pick.type);
  BitField field;
  field.width = bits / 8;
  switch (pick.op) {
    case Op::And:
    case Op::Or:
      if (constant) return {checkedAnd, pick.op == Op::Or ? 1 : 0};
      return {checkedBytes, 0};
    case Op::Xor:
    case Op::Not: return {checkedBytes, 0};
    case Op::Shl:
    case Op::Shr: {
      if (!constant) break;
      const auto by = static_cast<std::int32_t>(std::min<std::uint64_t>(*constant, bits));
      field.from = pick.op == Op::Shl ? -by : by;
      field.sign = pick.op == Op::Shr && isSigned(pick.type);
      return {checkedField, field.pack()};
    }
    case Op::Shf: {
      if (!constant) break;
      const auto by =
          (pick.flags & kClamp) != 0 ? std::min<std::uint64_t>(*constant, 32) : *constant & 31;
      field.two = true;
      field.from = static_cast<std::int32_t>((pick.flags & kLeft) != 0 ? 32 - by : by);
      return {checkedField, field.pack()};
    }
    default: break;
  }
  return {checkedMap, 0};
}

// Of arithmetic: packed types element by element.
Handler definednessOfElements(Ty type) {
  if (type == Ty::F32x2) return checkedWords;
  return kindOf(type) == Kind::Packed && bitsOf(type) == 32 ? checkedHalves : checkedMap;
}

Definedness definednessOfFields(const Statement& s, const Pick& pick) {
  if (kindOf(pick.type) == Kind::Packed) return {definednessOfElements(pick.type), 0};
  if (pick.op != Op::Bfe && pick.op != Op::Bfi) return {checkedMap, 0};
  const auto length = constantOf(s.operands.back());
  const auto position = constantOf(s.operands[s.operands.size() - 2]);
  if (!length || !position) return {checkedMap, 0};
  BitField field;
  field.width = bitsOf(pick.type) / 8;
  field.length = static_cast<std::uint32_t>(*length & 0xff);
  const auto at = static_cast<std::uint32_t>(*position & 0xff);
  if (pick.op == Op::Bfi) {
    field.inserts = true;
    field.to = at;
  } else {
    field.sign = isSigned(pick.type);
    field.from = static_cast<std::int32_t>(at);
  }
  return {checkedField, field.pack()};
}

}  // namespace

bool Decoder::arithmetic() {
  const Statement& s = *statement_;
  Words words(s);
  Pick pick;
  if (s.name == "lop3") {
    const std::string_view boolean = words.take("and") ? "and" : words.take("or") ? "or" : "";
    if (!words.take("b32") || !words.empty() || s.operands.size() < 5) return unknown({});
    const bool pair = !boolean.empty();
    if (pair != (s.operands[0].kind == Operand::Kind::Pair)) {
      return unknown("d|p goes with .and or .or");
    }
    if (pair && s.operands[0].parts[1].kind == Operand::Kind::Sink) {
      return wrong("the predicate of lop3 cannot be thrown away");
    }
    const Operand& to = pair ? s.operands[0].parts[0] : s.operands[0];
    if (s.operands[4].kind != Operand::Kind::Value) return wrong("the table of lop3 is a constant");
    const std::uint32_t d = destination(to, Ty::B32);
    const std::uint32_t sources[] = {source(s.operands[1], Ty::B32), source(s.operands[2], Ty::B32),
                                     source(s.operands[3], Ty::B32)};
    pick.op = Op::Lop3;
    pick.type = Ty::B32;
    const std::uint32_t result = pair ? newRow(4) : d;
    if (!emitMap(handlers_.logic(pick), result, sources,
                 static_cast<std::int64_t>(s.operands[4].value.integer), checkedBytes)) {
      return false;
    }
    if (!pair) return true;
    // p = (d != 0) BoolOp q
    const std::uint32_t p = newPredicate();
    Pick compare;
    compare.type = Ty::B32;
    compare.which = static_cast<unsigned>(Cmp::Ne);
    const std::uint32_t compared[] = {result, constantRow(0, 4)};
    if (!emitMap(handlers_.compare(compare), p, compared)) return false;
    if (s.operands.size() != 6) return wrong("lop3 with a predicate has six operands");
    const std::uint32_t to2 = destination(s.operands[0].parts[1], Ty::Pred);
    if (!combine(p, to2, boolean, &s.operands[5], false)) return false;
    pick.op = Op::Mov;
    const std::uint32_t moved[] = {result};
    return emitMap(handlers_.logic(pick), d, moved, 0, checkedMove);
  }
  if (s.name == "prmt") {
    static constexpr std::array<std::string_view, 7> kModes = {"",    "f4e", "b4e", "rc8",
                                                               "ecl", "ecr", "rc16"};
    const bool typed = words.take("b32");
    const std::string_view word = words.oneOf(kModes);
    const auto mode =
        static_cast<std::int64_t>(std::find(kModes.begin(), kModes.end(), word) - kModes.begin());
    if (!typed || !words.empty() || s.operands.size() != 4) return unknown({});
    const std::uint32_t d = destination(s.operands[0], Ty::B32);
    const std::uint32_t sources[] = {source(s.operands[1], Ty::B32), source(s.operands[2], Ty::B32),
                                     source(s.operands[3], Ty::B32)};
    pick.op = Op::Prmt;
    pick.type = Ty::B32;
    const Operand& selector = s.operands[3];
    const bool exact = mode == 0 && selector.kind == Operand::Kind::Value;
    return emitMap(handlers_.logic(pick), d, sources, mode, exact ? checkedPermute : checkedMap);
  }
  if (s.name == "testp") {
    static constexpr std::array<std::string_view, 6> kTests = {
        "finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    const std::string_view test = words.oneOf(kTests);
    const auto type = words.type();
    if (test.empty() || !type || !isFloat(*type) || !words.empty() || s.operands.size() != 2) {
      return unknown({});
    }
    pick.op = Op::Testp;
    pick.type = *type;
    for (unsigned i = 0; i < kTests.size(); ++i) pick.which = kTests[i] == test ? i : pick.which;
    const std::uint32_t d = destination(s.operands[0], Ty::Pred);
    const std::uint32_t sources[] = {source(s.operands[1], *type)};
    return emitMap(handlers_.floating(pick), d, sources);
  }
  const auto row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.name == s.name; });
  if (row == kRows.end()) return false;
  if (!takeFlags(words, pick)) return unknown("it has two roundings");
  pick.op = row->op;
  const auto first = words.type();
  if (!first) return unknown("a type is expected");
  pick.type = *first;
  if (const auto second = words.type()) pick.second = *second;
  if (!words.empty()) return unknown(fmt::format(".{} is not known here", words.words.front()));
  if (pick.type == Ty::F32 && (pick.second == Ty::F16 || pick.second == Ty::BF16) &&
      row->op != Op::Slct) {
    if (s.operands.size() != row->signature.size()) return wrong("an operand is missing");
    return mixedPrecision(pick);
  }
  if (s.operands.size() == 4 && (row->op == Op::Min || row->op == Op::Max))
    return extremeOfThree(pick);
  if (s.operands.size() != row->signature.size()) {
    return wrong(fmt::format("{} has {} operands, not {}", s.name, row->signature.size(),
                             s.operands.size()));
  }
  if (!isForm(pick)) return unknown("these types and modifiers do not go together");
  const bool packedInteger = pick.type == Ty::U16x2 || pick.type == Ty::S16x2;
  const bool floating = isFloat(pick.type) || (kindOf(pick.type) == Kind::Packed && !packedInteger);

  std::array<std::uint32_t, 4> sources{};
  std::size_t count = 0;
  const auto typed = [&](char code) {
    switch (code) {
      case 't': return pick.type;
      case '2': return pick.second;
      case 'u': return Ty::U32;
      default: return Ty::Pred;
    }
  };
  const bool wide = (pick.flags & kWide) != 0;
  for (std::size_t i = 1; i < row->signature.size(); ++i) {
    const Ty type = wide && i == 3 ? twice(pick.type) : typed(row->signature[i]);
    sources[count++] = source(s.operands[i], type);
    if (failed_) return false;
  }
  const std::uint32_t d =
      destination(s.operands[0], wide ? twice(pick.type) : typed(row->signature[0]));
  if (failed_) return false;
  const std::span<const std::uint32_t> used(sources.data(), count);
  if (isLogic(row->op)) {
    const auto [check, imm] = definednessOfLogic(s, pick);
    return emitMap(handlers_.logic(pick), d, used, imm, check);
  }
  if (!floating) {
    const Lifted lifted = handlers_.integer(pick);
    const bool in = row->op == Op::AddC || row->op == Op::SubC || row->op == Op::MadC;
    const bool out = (pick.flags & kCc) != 0;
    const auto [check, imm] = definednessOfFields(s, pick);
    if (!emitMap(lifted, d, used, imm, in || out ? checkedCarry : check)) return false;
    program_->records.back().flags |= (in ? 1U << 20 : 0) | (out ? 1U << 21 : 0);
    return true;
  }
  const bool singles = pick.type == Ty::F32x2;
  const Lifted lifted = singles ? pairOfSingles(pick) : handlers_.floating(pick);
  std::int64_t imm = 0;
  if (lifted.hasParam) {
    const bool approximate = (pick.flags & (kApprox | kFull)) != 0;
    imm = isHalf(pick.type) ? halfSpec(pick).packed()
          : approximate ? static_cast<std::int64_t>((pick.flags & kFtz) != 0 ? 1 : 0)
                        : floatSpec(pick.round, (pick.flags & kFtz) != 0, (pick.flags & kSat) != 0);
  }
  return emitMap(lifted, d, used, imm, definednessOfElements(pick.type));
}

/// to = how(p or its negation, with); with `how` empty: a move.
bool Decoder::combine(std::uint32_t p, std::uint32_t to, std::string_view how, const Operand* with,
                      bool negate) {
  Pick pick;
  pick.type = Ty::Pred;
  std::uint32_t value = p;
  if (negate) {
    pick.op = Op::Not;
    value = newPredicate();
    const std::uint32_t sources[] = {p};
    if (!emitMap(handlers_.logic(pick), value, sources)) return false;
  }
  if (how.empty()) {
    pick.op = Op::Mov;
    const std::uint32_t sources[] = {value};
    return emitMap(handlers_.logic(pick), to, sources);
  }
  pick.op = how == "and" ? Op::And : how == "or" ? Op::Or : Op::Xor;
  const std::uint32_t sources[] = {value, predicateSource(*with)};
  return !failed_ && emitMap(handlers_.logic(pick), to, sources);
}

/// setp and set.
bool Decoder::comparison() {
  const Statement& s = *statement_;
  Words words(s);
  static constexpr std::array<std::string_view, 18> kNames = {
      "eq",  "ne",  "lt",  "le",  "gt",  "ge", "equ", "neu", "ltu",
      "leu", "gtu", "geu", "num", "nan", "lo", "ls",  "hi",  "hs"};
  static constexpr std::array<std::string_view, 3> kBooleans = {"and", "or", "xor"};
  const std::string_view name = words.oneOf(kNames);
  const std::string_view boolean = words.oneOf(kBooleans);
  const bool ftz = words.take("ftz");
  const bool set = s.name == "set";
  const auto first = words.type();
  const auto second = set ? words.type() : first;
  if (name.empty() || !first || !second || !words.empty() || s.operands.empty()) return unknown({});
  if (!isComparison(name, *second, ftz) || (set && !isSetResult(*first, *second))) {
    return unknown("these types and modifiers do not go together");
  }
  const bool both = s.operands[0].kind == Operand::Kind::Pair &&
                    s.operands[0].parts[1].kind != Operand::Kind::Sink;
  if (both && !set && isFloat(*second) && bitsOf(*second) == 16) {
    return unknown("p|q is of .f16x2 and .bf16x2, not of .f16 and .bf16");
  }
  const std::size_t wanted = boolean.empty() ? 3 : 4;
  if (s.operands.size() != wanted) {
    return wrong(fmt::format("{} has {} operands here, not {}", s.name, wanted, s.operands.size()));
  }
  Pick pick;
  pick.op = Op::Setp;
  pick.type = *second;
  pick.flags = ftz ? kFtz : 0;
  for (unsigned i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) pick.which = i;
  }
  if (pick.which >= 14) {  // lo, ls, hi, hs: of unsigned numbers
    static constexpr std::array kUnsigned = {Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge};
    pick.which = static_cast<unsigned>(kUnsigned[pick.which - 14]);
  }
  const std::int64_t imm = static_cast<std::int64_t>(pick.which) |
                           (pick.type == Ty::BF16 || pick.type == Ty::BF16x2 ? 256 : 0) |
                           (ftz ? 512 : 0);
  const std::uint32_t sources[] = {source(s.operands[1], *second), source(s.operands[2], *second)};
  if (failed_) return false;
  const bool packed = kindOf(*second) == Kind::Packed;
  const Operand* with = boolean.empty() ? nullptr : &s.operands[3];
  const bool pair = s.operands[0].kind == Operand::Kind::Pair;

  if (!set) {
    const Operand& toFirst = pair ? s.operands[0].parts[0] : s.operands[0];
    const std::uint32_t p = destination(toFirst, Ty::Pred);
    if (failed_) return false;
    if (boolean.empty() && !pair) return emitMap(handlers_.compare(pick), p, sources, imm);
    const std::uint32_t compared = newPredicate();
    if (!emitMap(handlers_.compare(pick), compared, sources, imm)) return false;
    std::uint32_t other = compared;
    if (packed && pair) {
      other = newPredicate();
      Pick high = pick;
      high.flags |= kHi;
      if (!emitMap(handlers_.compare(high), other, sources, imm)) return false;
    }
    // Both are combined before either is written: c may be one of them.
    const std::uint32_t a = newPredicate();
    const std::uint32_t b = newPredicate();
    if (!combine(compared, a, boolean, with, false)) return false;
    if (pair && !combine(other, b, boolean, with, !packed)) return false;
    if (!combine(a, p, {}, nullptr, false)) return false;
    if (!pair) return true;
    const std::uint32_t q = destination(s.operands[0].parts[1], Ty::Pred);
    return !failed_ && combine(b, q, {}, nullptr, false);
  }
  // set: all ones (1.0 for a floating-point result) or zero.
  const Ty to = *first;
  const std::uint32_t d = destination(s.operands[0], to);
  if (failed_) return false;
  const bool halves = packed;
  std::uint64_t yes = to == Ty::F32                        ? 0x3f800000U
                      : to == Ty::F16 || to == Ty::F16x2   ? 0x3c00U
                      : to == Ty::BF16 || to == Ty::BF16x2 ? 0x3f80U
                                                           : ~std::uint64_t{0};
  if (halves && !isFloat(to) && kindOf(to) != Kind::Packed) yes = 0xffff;
  const unsigned bytes = bitsOf(to) <= 32 ? 4 : 8;
  Pick select;
  select.op = Op::Selp;
  select.type = bytes == 8 ? Ty::B64 : Ty::B32;
  std::uint32_t parts[2] = {};
  for (unsigned half = 0; half < (halves ? 2U : 1U); ++half) {
    Pick compare = pick;
    if (half == 1) compare.flags |= kHi;
    const std::uint32_t p = newPredicate();
    const std::uint32_t combined = newPredicate();
    if (!emitMap(handlers_.compare(compare), p, sources, imm) ||
        !combine(p, combined, boolean, with, false)) {
      return false;
    }
    parts[half] = halves ? newRow(4) : d;
    const std::uint32_t chosen[] = {constantRow(half == 1 ? yes << 16 : yes, bytes),
                                    constantRow(0, bytes), combined};
    if (!emitMap(handlers_.logic(select), parts[half], chosen)) return false;
  }
  if (!halves) return true;
  select.op = Op::Or;
  return emitMap(handlers_.logic(select), d, parts);
}

}  // namespace cutwork::sim

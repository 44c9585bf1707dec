// DecodeVideo.cpp -- video instructions: v, an operation, 2 or 4 for the SIMD forms, and parts.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "Arithmetic/Video.h"
#include "Decoder.h"

namespace cutwork::sim {
namespace {

struct Row {
  std::string_view name;
  VideoOp op;
  bool scalar;
  bool simd;
};
constexpr std::array kRows = {
    Row{"add", VideoOp::Add, true, true},         Row{"sub", VideoOp::Sub, true, true},
    Row{"absdiff", VideoOp::AbsDiff, true, true}, Row{"min", VideoOp::Min, true, true},
    Row{"max", VideoOp::Max, true, true},         Row{"avrg", VideoOp::Avrg, false, true},
    Row{"shl", VideoOp::Shl, true, false},        Row{"shr", VideoOp::Shr, true, false},
    Row{"mad", VideoOp::Mad, true, false},        Row{"set", VideoOp::Set, true, true},
};

/// The part that .b0 to .b3, .h0 and .h1 name, as in VideoSpec; the word if nothing is written.
std::optional<unsigned> partNamed(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kParts = {"",   "b0", "b1", "b2",
                                                             "b3", "h0", "h1"};
  for (unsigned i = 0; i < kParts.size(); ++i) {
    if (kParts[i] == name) return i;
  }
  return std::nullopt;
}

/// The selector that .h10 or .b3210 is, highest lane first, or that which stands for nothing.
std::optional<std::uint64_t> selectorNamed(std::string_view name, unsigned lanes, bool second) {
  std::uint64_t selector = 0;
  if (name.empty()) {
    for (unsigned i = 0; i < lanes; ++i)
      selector |= std::uint64_t{i + (second ? lanes : 0)} << (3 * i);
    return selector;
  }
  if (name.size() != lanes + 1 || name[0] != (lanes == 2 ? 'h' : 'b')) return std::nullopt;
  for (const char digit : name.substr(1)) {
    if (digit < '0' || digit >= static_cast<char>('0' + 2 * lanes)) return std::nullopt;
    selector = selector << 3 | static_cast<std::uint64_t>(digit - '0');
  }
  return selector;
}

/// The lanes that .h1 or .b320 names; all if nothing is written.
std::optional<std::uint64_t> maskNamed(std::string_view name, unsigned lanes) {
  if (name.empty()) return (1U << lanes) - 1;
  std::uint64_t mask = 0;
  if (name.size() < 2 || name[0] != (lanes == 2 ? 'h' : 'b')) return std::nullopt;
  for (const char digit : name.substr(1)) {
    if (digit < '0' || digit >= static_cast<char>('0' + lanes)) return std::nullopt;
    mask |= std::uint64_t{1} << (digit - '0');
  }
  return mask;
}

template <class Field>
bool keep(std::optional<std::uint64_t> value, const Field& set) {
  if (value) set(*value);
  return value.has_value();
}

}  // namespace

bool Decoder::video() {
  const Statement& s = *statement_;
  if (!s.name.starts_with('v')) return false;
  std::string_view name = s.name.substr(1);
  VideoSpec spec;
  if (name.ends_with('2') || name.ends_with('4')) {
    spec.lanes = name.back() == '2' ? 2 : 4;
    name.remove_suffix(1);
  }
  const bool simd = spec.lanes != 1;
  const auto lanes = static_cast<unsigned>(spec.lanes);
  const Row* row = nullptr;
  for (const Row& one : kRows) {
    if (one.name == name && (simd ? one.simd : one.scalar)) row = &one;
  }
  if (row == nullptr) return false;
  spec.op = static_cast<unsigned>(row->op);
  const bool shift = row->op == VideoOp::Shl || row->op == VideoOp::Shr;
  const bool mad = row->op == VideoOp::Mad;

  Words words(s);
  const auto isWord = [](Ty type) { return type == Ty::U32 || type == Ty::S32; };
  if (row->op != VideoOp::Set) {
    const Ty type = words.type().value_or(Ty::None);
    if (!isWord(type)) return unknown({});
    spec.signedD = isSigned(type) ? 1 : 0;
    spec.sat = words.take("sat") ? 1 : 0;
  }
  const Ty first = words.type().value_or(Ty::None);
  const Ty second = words.type().value_or(Ty::None);
  if (!isWord(first) || !isWord(second) || (shift && second != Ty::U32)) return unknown({});
  spec.signedA = isSigned(first) ? 1 : 0;
  spec.signedB = isSigned(second) ? 1 : 0;
  if (row->op == VideoOp::Set) {
    static constexpr std::array<std::string_view, 6> kCompares = {"eq", "ne", "lt",
                                                                  "le", "gt", "ge"};
    const std::string_view how = words.oneOf(kCompares);
    if (how.empty()) return unknown({});
    for (unsigned i = 0; i < kCompares.size(); ++i) {
      if (kCompares[i] == how) spec.compare = i;
    }
  }
  if (shift) {
    spec.clamp = words.take("clamp") ? 1 : 0;
    if (spec.clamp == 0 && !words.take("wrap")) return unknown({});
  }
  if (mad) {
    spec.plusOne = words.take("po") ? 1 : 0;
    spec.scale = words.take("shr7") ? 7 : words.take("shr15") ? 15 : 0;
  } else {
    static constexpr std::array<std::string_view, 3> kSeconds = {"add", "min", "max"};
    const std::string_view how = words.oneOf(kSeconds);
    for (unsigned i = 0; i < kSeconds.size(); ++i) {
      if (kSeconds[i] == how) spec.second = i + 1;
    }
    if (simd && spec.second > 1) return unknown({});
  }
  if (!words.empty()) return unknown(fmt::format(".{} is not known here", words.words.front()));

  const bool needsC =
      simd || mad || spec.second != 0 || (!s.operands.empty() && !s.operands[0].component.empty());
  if (s.operands.size() != (needsC ? 4U : 3U)) {
    return wrong(fmt::format("{} has {} operands here", s.name, needsC ? 4 : 3));
  }
  std::array<Operand, 4> plain;  // without their parts
  for (std::size_t i = 0; i < s.operands.size(); ++i) {
    plain[i] = s.operands[i];
    plain[i].component = {};
    if (plain[i].negated && (!mad || i == 0 || spec.plusOne != 0)) {
      return wrong("a negation is not possible here");
    }
    plain[i].negated = false;
  }
  const std::string_view to = s.operands[0].component;
  const std::string_view left = s.operands[1].component;
  const std::string_view right = s.operands[2].component;
  bool good = false;
  if (simd) {
    good =
        keep(maskNamed(to, lanes), [&](std::uint64_t v) { spec.mask = v & 15; }) &&
        keep(selectorNamed(left, lanes, false),
             [&](std::uint64_t v) { spec.selectA = v & 0xfff; }) &&
        keep(selectorNamed(right, lanes, true), [&](std::uint64_t v) { spec.selectB = v & 0xfff; });
  } else {
    good = keep(partNamed(to), [&](std::uint64_t v) { spec.merge = v & 7; }) &&
           keep(partNamed(left), [&](std::uint64_t v) { spec.partA = v & 7; }) &&
           keep(partNamed(right), [&](std::uint64_t v) { spec.partB = v & 7; });
  }
  if (!good || (mad && spec.merge != 0)) return wrong("these parts are not possible here");
  if (spec.merge != 0 && spec.second != 0) return wrong("either a part of c or a second operation");
  if (mad) {
    spec.negative = s.operands[1].negated != s.operands[2].negated ? 1 : 0;
    spec.negativeC = s.operands[3].negated ? 1 : 0;
  }
  const std::uint32_t d = destination(plain[0], Ty::B32);
  const std::uint32_t sources[] = {source(plain[1], Ty::B32), source(plain[2], Ty::B32),
                                   needsC ? source(plain[3], Ty::B32) : constantRow(0, 4)};
  return emitMap(videoOperation(), d, sources, spec.packed());
}

}  // namespace cutwork::sim

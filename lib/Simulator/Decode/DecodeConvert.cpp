// DecodeConvert.cpp -- cvt and cvt.pack: which types and modifiers go together (ISA: cvt).
//
// The handlers take any types that get this far as they are, so that what is not in the ISA's table
// must not get further.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "Arithmetic/Convert.h"
#include "Decoder.h"

namespace cutwork::sim {
namespace {

struct ModeWord {
  std::string_view word;
  bool integral;
  Round mode;
};
constexpr std::array kModeWords = {
    ModeWord{"rn", false, Round::Rn},   ModeWord{"rz", false, Round::Rz},
    ModeWord{"rm", false, Round::Rm},   ModeWord{"rp", false, Round::Rp},
    ModeWord{"rna", false, Round::Rna}, ModeWord{"rni", true, Round::Rn},
    ModeWord{"rzi", true, Round::Rz},   ModeWord{"rmi", true, Round::Rm},
    ModeWord{"rpi", true, Round::Rp},
};

bool isInteger(Ty type) {
  const Kind kind = kindOf(type);
  return (kind == Kind::Signed || kind == Kind::Unsigned) && bitsOf(type) >= 8;
}
bool isScalar(Ty type) {
  return isInteger(type) || type == Ty::F16 || type == Ty::BF16 || type == Ty::F32 ||
         type == Ty::F64;
}
bool isBytePair(Ty type) { return type == Ty::E4M3x2 || type == Ty::E5M2x2; }

/// Whether every value of `from` is one of `to`.
bool holds(Ty to, Ty from) {
  if (isSigned(from) && !isSigned(to)) return false;
  return bitsOf(to) >= bitsOf(from) + (isSigned(to) && !isSigned(from) ? 1 : 0);
}

/// The rounding that a conversion between scalars has: none, to an integer, or to the format.
bool roundingFits(const ConvertSpec& spec) {
  const bool toInteger = isInteger(spec.to);
  const bool fromInteger = isInteger(spec.from);
  const bool toFormat = spec.hasMode && !spec.integral && spec.mode != Round::Rna;
  if (toInteger && fromInteger) return !spec.hasMode;
  if (toInteger) return spec.integral;
  if (fromInteger) return toFormat;
  if (spec.to == spec.from) return !spec.hasMode || spec.integral;
  if (spec.to == Ty::F32 && spec.from == Ty::F16) return !spec.hasMode;
  if (spec.to == Ty::F64 && spec.from != Ty::BF16) return !spec.hasMode;
  const bool mandatory = spec.from == Ty::F32 || spec.from == Ty::F64;  // to fewer bits
  return toFormat || (!mandatory && !spec.hasMode);
}

bool scalarFits(const ConvertSpec& spec) {
  if (spec.relu || spec.satfinite) {  // of f16 and bf16 from f32
    return (spec.to == Ty::F16 || spec.to == Ty::BF16) && spec.from == Ty::F32 && !spec.ftz &&
           !spec.sat && spec.hasMode && !spec.integral &&
           (spec.mode == Round::Rn || spec.mode == Round::Rz);
  }
  if (!roundingFits(spec)) return false;
  if (spec.ftz && spec.to != Ty::F32 && spec.from != Ty::F32) return false;
  if (!spec.sat) return true;
  if (spec.to == Ty::BF16 || spec.from == Ty::BF16) return false;
  return !isInteger(spec.to) || !isInteger(spec.from) || !holds(spec.to, spec.from);
}

/// Whether cvt has these types with these modifiers; the sources of the formats of 4 and 6 bits are
/// in DecodeBlackwell.cpp.
bool isConversion(const ConvertSpec& spec) {
  if (isScalar(spec.to) && isScalar(spec.from)) return scalarFits(spec);
  if (!spec.hasMode || spec.integral || spec.ftz || spec.sat) return false;
  const bool nearest = spec.mode == Round::Rn;
  if (spec.to == Ty::TF32 && spec.from == Ty::F32) {
    return nearest || spec.mode == Round::Rz || (spec.mode == Round::Rna && !spec.relu);
  }
  if (spec.to == Ty::F16x2 || spec.to == Ty::BF16x2) {
    if (spec.from == Ty::F32) return nearest || spec.mode == Round::Rz;
    return spec.to == Ty::F16x2 && isBytePair(spec.from) && nearest && !spec.satfinite;
  }
  return isBytePair(spec.to) && (spec.from == Ty::F32 || spec.from == Ty::F16x2) && nearest &&
         spec.satfinite;
}

}  // namespace

/// cvt.pack.sat.to.s32{.b32}: 16 bits of two numbers, or fewer bits below those of a third source.
bool Decoder::packingConversion(Words& words) {
  const Statement& s = *statement_;
  const bool saturates = words.take("sat");
  const Ty to = words.type().value_or(Ty::None);
  const Ty from = words.type().value_or(Ty::None);
  const Ty below = words.type().value_or(Ty::None);
  const bool integer = kindOf(to) == Kind::Signed || kindOf(to) == Kind::Unsigned;
  if (!saturates || !words.empty() || !integer || bitsOf(to) > 16 || from != Ty::S32 ||
      below != (bitsOf(to) == 16 ? Ty::None : Ty::B32)) {
    return unknown({});
  }
  const std::size_t needed = below == Ty::None ? 3 : 4;
  if (s.operands.size() != needed) {
    return wrong(fmt::format("this cvt.pack has {} operands, not {}", needed, s.operands.size()));
  }
  Pick pick;
  pick.op = Op::CvtPack;
  const std::uint32_t d = destination(s.operands[0], Ty::B32);
  const std::uint32_t sources[] = {
      source(s.operands[1], Ty::S32), source(s.operands[2], Ty::S32),
      needed == 4 ? source(s.operands[3], Ty::B32) : constantRow(0, 4)};
  return emitMap(handlers_.convert(pick), d, sources, static_cast<std::int64_t>(to));
}

bool Decoder::conversion() {
  const Statement& s = *statement_;
  Words words(s);
  if (words.take("pack")) return packingConversion(words);
  static constexpr std::array<std::string_view, 4> kNarrow = {"e2m1x2", "e2m3x2", "e3m2x2",
                                                              "ue8m0x2"};
  if (const std::string_view format = words.oneOf(kNarrow); !format.empty()) {
    return narrowConversion(words, format);
  }
  if (words.take("rs")) return randomConversion(words);
  ConvertSpec spec;
  for (const ModeWord& row : kModeWords) {
    if (!words.take(row.word)) continue;
    if (spec.hasMode) return unknown("it has two roundings");
    spec.hasMode = true;
    spec.integral = row.integral;
    spec.mode = row.mode;
  }
  spec.ftz = words.take("ftz");
  spec.sat = words.take("sat");
  spec.relu = words.take("relu");
  spec.satfinite = words.take("satfinite");
  spec.to = words.type().value_or(Ty::None);
  spec.from = words.type().value_or(Ty::None);
  if (!words.empty()) return unknown(fmt::format(".{} is not known here", words.words.front()));
  if (spec.to == Ty::None || spec.from == Ty::None) return unknown("two types are expected");
  if (!isConversion(spec)) return unknown("these types do not go with each other or with the rest");
  const bool packed = kindOf(spec.to) == Kind::Packed;
  const bool pair = packed && spec.from == Ty::F32;  // two floats into one register
  if (s.operands.size() != (pair ? 3 : 2)) {
    return wrong(pair ? "this cvt has two sources" : "cvt has two operands");
  }
  Pick pick;
  pick.op = pair ? Op::CvtPair : Op::Cvt;
  pick.type = spec.to;
  pick.second = spec.from;
  pick.round = spec.mode;
  pick.flags = (spec.hasMode ? spec.integral ? kIntegral : kRounding : 0) | (spec.ftz ? kFtz : 0) |
               (spec.sat ? kSat : 0) | (spec.relu ? kRelu : 0) | (spec.satfinite ? kSatfinite : 0);
  if (pair) {
    const std::uint32_t d = destination(s.operands[0], spec.to);
    const std::uint32_t sources[] = {source(s.operands[1], Ty::F32),
                                     source(s.operands[2], Ty::F32)};
    return emitMap(handlers_.convert(pick), d, sources, spec.packed(), checkedPair);
  }
  const unsigned toBytes = registerBytes(s.operands[0], spec.to);
  const unsigned fromBytes = registerBytes(s.operands[1], spec.from);
  if (toBytes > 8 || fromBytes > 8) return wrong("cvt has no registers of 128 bits");
  const std::uint32_t a = source(s.operands[1], spec.from, true);
  const std::uint32_t d = failed_ ? 0 : destination(s.operands[0], spec.to, true);
  if (failed_) return false;
  // Floating-point values fill their register; integers may be in a wider one.
  pick.which = (toBytes == 8 ? 1U : 0) | (fromBytes == 8 ? 2U : 0);
  const std::uint32_t sources[] = {a};
  const bool integers = isInteger(spec.to) && isInteger(spec.from) && !spec.sat;
  if (!emitMap(handlers_.convert(pick), d, sources, spec.packed(),
               integers ? checkedMove : checkedMap)) {
    return false;
  }
  if (integers) {
    const bool widens = bitsOf(spec.to) > bitsOf(spec.from) || toBytes > bytesOf(spec.to);
    const unsigned kept = std::min(bytesOf(spec.to), bytesOf(spec.from));
    program_->records.back().extra =
        widens && (isSigned(spec.from) || isSigned(spec.to)) ? kept : 0;
    if (widens && !isSigned(spec.from) && !isSigned(spec.to)) {
      // Bytes that are filled with zeros are defined: the shadow of the source's bytes only.
      program_->records.back().extra = kept | 0x100;
    }
  }
  return true;
}

}  // namespace cutwork::sim

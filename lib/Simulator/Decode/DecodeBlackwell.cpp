// DecodeBlackwell.cpp -- what sm_100 adds: cvt of narrow formats, f16 and bf16 in f32 arithmetic,
// st.bulk, clusterlaunchcontrol.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "Arithmetic/Convert.h"
#include "Arithmetic/Float.h"
#include "Arithmetic/Narrow.h"
#include "Decoder.h"
#include "Exec/Blackwell.h"

namespace cutwork::sim {

bool Decoder::needs(int capability, unsigned version) {
  const std::string missing = available_.missing(capability, version);
  return missing.empty() || unknown(missing);
}

/// cvt to or from `format`, which has been taken from the words.
bool Decoder::narrowConversion(Words& words, std::string_view format) {
  static constexpr std::array<std::string_view, 4> kNames = {"e2m1x2", "e2m3x2", "e3m2x2",
                                                             "ue8m0x2"};
  const Statement& s = *statement_;
  NarrowSpec spec;
  const auto at =
      static_cast<std::size_t>(std::find(kNames.begin(), kNames.end(), format) - kNames.begin());
  spec.format = static_cast<NarrowFormat>(at);
  const bool exponent = spec.format == NarrowFormat::UE8M0;
  const bool narrows = s.words.back() != format;  // cvt.dtype.atype
  spec.up = words.take("rp");
  const bool down = words.take("rz");
  const bool nearest = words.take("rn");
  spec.relu = words.take("relu");
  spec.satfinite = words.take("satfinite");
  const Ty other = words.type().value_or(Ty::None);
  const Ty packed = spec.format == NarrowFormat::E2M1 ? Ty::B8 : Ty::B16;
  if (!words.empty() || (exponent && spec.relu)) return unknown({});
  if (!narrows) {
    const Ty halves = exponent ? Ty::BF16x2 : Ty::F16x2;
    if (other != halves || !nearest || spec.up || down || spec.satfinite) return unknown({});
    if (s.operands.size() != 2) return wrong("this cvt has one source");
    const std::uint32_t sources[] = {source(s.operands[1], packed)};
    const std::uint32_t d = failed_ ? 0 : destination(s.operands[0], halves);
    return !failed_ && emitMap(narrowToHalves(), d, sources, spec.packed());
  }
  const bool rounds =
      exponent ? spec.up != down && !nearest : nearest && !spec.up && !down && spec.satfinite;
  if (!rounds) return unknown({});
  const std::uint32_t d = destination(s.operands[0], packed);
  if (failed_) return false;
  if (other == Ty::F32) {
    if (s.operands.size() != 3) return wrong("this cvt has two sources");
    const std::uint32_t sources[] = {source(s.operands[1], Ty::F32),
                                     source(s.operands[2], Ty::F32)};
    return !failed_ && emitMap(narrowFromSingles(), d, sources, spec.packed());
  }
  const bool halves =
      exponent ? other == Ty::BF16x2 : spec.format == NarrowFormat::E2M1 && other == Ty::F16x2;
  if (!halves) return unknown({});
  if (s.operands.size() != 2) return wrong("this cvt has one source");
  const std::uint32_t sources[] = {source(s.operands[1], other)};
  return !failed_ && emitMap(narrowFromHalves(), d, sources, spec.packed());
}

/// cvt.rs: two f32 to f16x2 or bf16x2, or four to a word of 8-bit or 16 bits of 4-bit numbers, with
/// random bits.
bool Decoder::randomConversion(Words& words) {
  static constexpr std::array<std::string_view, 7> kNames = {"f16x2",  "bf16x2", "e4m3x4", "e5m2x4",
                                                             "e2m3x4", "e3m2x4", "e2m1x4"};
  const Statement& s = *statement_;
  RandomSpec spec;
  spec.relu = words.take("relu");
  spec.satfinite = words.take("satfinite");
  const std::string_view name = words.oneOf(kNames);
  const auto at = std::find(kNames.begin(), kNames.end(), name) - kNames.begin();
  const bool four = at >= 2;
  if (name.empty() || !words.take("f32") || !words.empty() || (four && !spec.satfinite)) {
    return unknown({});
  }
  spec.format = static_cast<RandomFormat>(at);
  const bool fits = four ? s.operands.size() == 3 && s.operands[1].kind == Operand::Kind::Vector &&
                               s.operands[1].parts.size() == 4
                         : s.operands.size() == 4;
  if (!fits) return wrong("this cvt has its f32 sources and random bits");
  const bool nibbles = spec.format == RandomFormat::E2M1;
  const std::uint32_t d = destination(s.operands[0], nibbles ? Ty::B16 : Ty::B32);
  const std::uint32_t random = failed_ ? 0 : source(s.operands.back(), Ty::B32);
  const auto pair = [&](std::uint32_t to, const Operand& a, const Operand& b) {
    if (failed_) return false;
    const std::uint32_t sources[] = {source(a, Ty::F32), source(b, Ty::F32), random};
    return !failed_ && emitMap(randomFromSingles(), to, sources, spec.packed());
  };
  if (!four) return pair(d, s.operands[1], s.operands[2]);
  const std::vector<Operand>& parts = s.operands[1].parts;
  const std::uint32_t halves[] = {newRow(4), newRow(4)};
  spec.upper = true;
  if (!pair(halves[0], parts[0], parts[1])) return false;
  spec.upper = false;
  if (!pair(halves[1], parts[2], parts[3])) return false;
  Pick pick;
  pick.op = Op::Or;
  pick.type = Ty::B32;
  return emitMap(handlers_.logic(pick), d, halves);
}

/// add, sub and fma whose result and last operand are f32, and the others f16 or bf16: those are
/// converted, which is exact.
bool Decoder::mixedPrecision(Pick pick) {
  const Statement& s = *statement_;
  const bool known = pick.op == Op::Add || pick.op == Op::Sub || pick.op == Op::Fma;
  if (!known || (pick.flags & ~std::uint64_t{kRounding | kSat}) != 0) return unknown({});
  if (pick.op == Op::Fma && (pick.flags & kRounding) == 0) return unknown({});
  const std::size_t halves = pick.op == Op::Fma ? 2 : 1;
  std::array<std::uint32_t, 3> sources{};
  Pick widening;
  widening.op = Op::Cvt;
  widening.type = Ty::F32;
  widening.second = pick.second;
  ConvertSpec spec;
  spec.to = Ty::F32;
  spec.from = pick.second;
  for (std::size_t i = 0; i < halves; ++i) {
    const std::uint32_t from[] = {source(s.operands[1 + i], pick.second)};
    if (failed_) return false;
    sources[i] = newRow(4);
    if (!emitMap(handlers_.convert(widening), sources[i], from, spec.packed())) return false;
    program_->records.back().source |= i == 0 ? 0 : kPartOfAnother;
  }
  sources[halves] = source(s.operands[1 + halves], Ty::F32);
  const std::uint32_t d = failed_ ? 0 : destination(s.operands[0], Ty::F32);
  if (failed_) return false;
  const Lifted lifted = handlers_.floating(pick);
  const std::int64_t imm =
      lifted.hasParam ? floatSpec(pick.round, false, (pick.flags & kSat) != 0) : 0;
  return emitMap(lifted, d, {sources.data(), halves + 1}, imm);
}

/// min and max of three: of the first two, and of that with the third. With .abs of the magnitudes.
bool Decoder::extremeOfThree(Pick pick) {
  const Statement& s = *statement_;
  const std::uint64_t known = kFtz | kNan | kAbs;
  if (pick.type != Ty::F32 || pick.second != Ty::None || (pick.flags & ~known) != 0) {
    return unknown("min and max of three are of .f32, with .ftz, .NaN and .abs");
  }
  if (!needs(100, 88)) return false;
  const std::uint32_t d = destination(s.operands[0], Ty::F32);
  std::array<std::uint32_t, 3> sources{};
  for (std::size_t i = 0; i < sources.size() && !failed_; ++i) {
    sources[i] = source(s.operands[1 + i], Ty::F32);
  }
  if (failed_) return false;
  if ((pick.flags & kAbs) != 0) {
    Pick magnitude;
    magnitude.op = Op::Abs;
    magnitude.type = Ty::F32;
    for (std::uint32_t& one : sources) {
      const std::uint32_t from[] = {one};
      one = newRow(4);
      if (!emitMap(handlers_.floating(magnitude), one, from)) return false;
    }
    pick.flags &= ~kAbs;
  }
  const std::uint32_t between = newRow(4);
  const std::uint32_t first[] = {sources[0], sources[1]};
  const std::uint32_t second[] = {between, sources[2]};
  return emitMap(handlers_.floating(pick), between, first) &&
         emitMap(handlers_.floating(pick), d, second);
}

/// st.bulk [a], bytes, 0: zeros in the block's shared memory.
bool Decoder::bulkStore() {
  const Statement& s = *statement_;
  Words words(s);
  words.take("bulk");
  words.take("weak");
  const bool shared = words.take("shared::cta");
  if (!words.empty()) return unknown({});
  if (s.operands.size() != 3) return wrong("st.bulk has an address, a number of bytes, and 0");
  if (!constantOperand(2, 0, 0)) return false;
  Address at;
  if (!address(s.operands[0], shared ? Space::Shared : Space::Generic, at)) return false;
  const std::uint32_t bytes = source(s.operands[1], Ty::U64);
  if (failed_) return false;
  Record& record = emit(bulkZeros);
  record.a = at.row;
  record.b = bytes;
  record.imm = at.offset;
  record.flags = (at.wide ? kWideRegister : 0U) | (at.space == Space::Shared ? 0 : kBulkGeneric);
  return true;
}

/// clusterlaunchcontrol.try_cancel, and query_cancel of its response.
bool Decoder::clusterControl() {
  const Statement& s = *statement_;
  Words words(s);
  if (s.operands.size() != 2) return wrong("clusterlaunchcontrol has two operands");
  if (words.take("try_cancel")) {
    const bool shared = words.take("shared::cta");
    const bool all = words.take("multicast::cluster::all");
    for (const std::string_view word : {"async", "mbarrier::complete_tx::bytes", "b128"}) {
      if (!words.take(word)) return unknown(fmt::format("a .{} is expected", word));
    }
    if (!words.empty()) return unknown({});
    const Space space = shared ? Space::Shared : Space::Generic;
    Address to;
    Address at;
    if (!address(s.operands[0], space, to) || !address(s.operands[1], space, at)) return false;
    Record& record = emit(tryCancel);
    record.a = at.row;
    record.imm = at.offset;
    record.extra = (to.wide ? kCancelWide : 0) | (all ? kCancelAll : 0);
    record.flags = static_cast<std::uint32_t>(MbarrierOp::CompleteTx) |
                   (at.wide ? kMbarrierWide : 0) | (shared ? 0 : kMbarrierGeneric);
    emitElement(0, to.row, 0, 0, 0);
    program_->records.back().imm = to.offset;
    return true;
  }
  if (!words.take("query_cancel") || !words.take("b128")) return unknown({});
  const std::uint32_t response = source(s.operands[1], Ty::B128);
  if (failed_) return false;
  if (words.take("is_canceled")) {
    if (!words.take("pred") || !words.empty()) return unknown({});
    const std::uint32_t d = destination(s.operands[0], Ty::Pred);
    if (failed_) return false;
    Record& record = emit(isCanceled);
    record.a = response;
    record.d = d;
    return true;
  }
  // The response is a word that says how it went, and three of the block's number.
  static constexpr std::array<std::string_view, 3> kParts = {
      "get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z"};
  std::array<std::uint32_t, 4> rows{};
  const std::string_view part = words.oneOf(kParts);
  const bool whole = part.empty() && words.take("get_first_ctaid") && words.take("v4");
  if ((part.empty() && !whole) || !words.take("b32") || !words.empty()) return unknown({});
  const std::vector<Operand>& elements =
      whole ? s.operands[0].parts : std::vector<Operand>{s.operands[0]};
  if (whole && elements.size() != 4) return wrong("a vector of four registers is expected");
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::size_t at = whole ? (i + 1) % 4 : static_cast<std::size_t>(part.back() - 'x') + 1;
    if (elements[i].kind != Operand::Kind::Sink) rows[at] = destination(elements[i], Ty::B32);
  }
  if (failed_) return false;
  Record& record = emit(unpackRecord);
  record.a = response;
  record.flags = 16U | 4U << 8 | 4U << 28;
  record.extra = 4;
  for (const std::uint32_t row : rows) emitElement(row, 0, 0, 0, 0);
  return true;
}

}  // namespace cutwork::sim

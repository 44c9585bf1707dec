// DecodeWarp.cpp -- warp-wide instructions, barriers, fences and what has no effect here.
#include <fmt/format.h>

#include <array>

#include "Decoder.h"

namespace cutwork::sim {

namespace {
// Of Exec/WarpWide.cpp's record for f32.
constexpr std::int64_t kReduxAbs = 1;
constexpr std::int64_t kReduxNan = 2;
}  // namespace

bool Decoder::warpWide() {
  const Statement& s = *statement_;
  Words words(s);
  if (s.name == "activemask") {
    if (!words.take("b32") || !words.empty() || s.operands.size() != 1) return unknown({});
    const std::uint32_t d = destination(s.operands[0], Ty::B32);
    if (failed_) return false;
    emit(activeMask).d = d;
    return true;
  }
  if (!words.take("sync")) return unknown("only the .sync forms exist for sm_70 and later");
  const auto need = [&](std::size_t count) {
    return s.operands.size() == count ||
           wrong(fmt::format("{} has {} operands here, not {}", s.name, count, s.operands.size()));
  };
  const auto isPair = [&] { return s.operands[0].kind == Operand::Kind::Pair; };
  const auto first = [&]() -> const Operand& {
    return isPair() ? s.operands[0].parts[0] : s.operands[0];
  };
  const auto sinkOr = [&](const Operand& operand, Ty type) {
    return operand.kind == Operand::Kind::Sink ? 0 : destination(operand, type);
  };
  Record record;
  Handler handler = nullptr;
  if (s.name == "shfl") {
    static constexpr std::array<std::string_view, 4> kModes = {"up", "down", "bfly", "idx"};
    handler = shuffleHandler(words.oneOf(kModes));
    if (!words.take("b32") || handler == nullptr || !words.empty()) return unknown({});
    if (!need(5)) return false;
    record.d = destination(first(), Ty::B32);
    if (isPair()) record.flags = sinkOr(s.operands[0].parts[1], Ty::Pred);
    record.a = source(s.operands[1], Ty::B32);
    record.b = source(s.operands[2], Ty::B32);
    record.c = source(s.operands[3], Ty::B32);
  } else if (s.name == "vote") {
    static constexpr std::array<std::string_view, 4> kModes = {"all", "any", "uni", "ballot"};
    const std::string_view mode = words.oneOf(kModes);
    const bool ballot = mode == "ballot";
    if (!words.take(ballot ? "b32" : "pred") || mode.empty() || !words.empty()) return unknown({});
    if (!need(3)) return false;
    handler = voteHandler(mode);
    for (unsigned i = 0; i < kModes.size(); ++i) {
      if (kModes[i] == mode) record.imm = i;
    }
    record.d = destination(s.operands[0], ballot ? Ty::B32 : Ty::Pred);
    record.a = predicateSource(s.operands[1]);
  } else if (s.name == "match") {
    const bool all = words.take("all");
    if (!all && !words.take("any")) return unknown({});
    const auto type = words.type();
    if ((type != Ty::B32 && type != Ty::B64) || !words.empty()) return unknown({});
    if (!need(3)) return false;
    if (!all && isPair()) return wrong("match.any has no predicate");
    handler = matchHandler(all, bitsOf(*type) == 64);
    record.d = sinkOr(first(), Ty::B32);
    if (isPair()) record.flags = sinkOr(s.operands[0].parts[1], Ty::Pred);
    record.a = source(s.operands[1], *type);
  } else if (s.name == "redux") {
    static constexpr std::array<std::string_view, 6> kOps = {"add", "and", "or",
                                                             "xor", "min", "max"};
    const std::string_view op = words.oneOf(kOps);
    const bool magnitudes = words.take("abs");
    const bool nans = words.take("NaN");
    const auto type = words.type();
    if (op.empty() || !type || bitsOf(*type) != 32 || !words.empty()) return unknown({});
    const bool single = *type == Ty::F32;
    const bool extreme = op == "min" || op == "max";
    const bool logic = op == "and" || op == "or" || op == "xor";
    if (single ? !extreme : magnitudes || nans || logic != (*type == Ty::B32)) return unknown({});
    if (isFloat(*type) && !single) return unknown({});
    record.imm = (magnitudes ? kReduxAbs : 0) | (nans ? kReduxNan : 0);
    if (!need(3)) return false;
    handler = reduxHandler(op, *type);
    record.d = destination(s.operands[0], *type);
    record.a = source(s.operands[1], *type);
  } else {  // elect
    if (!words.empty()) return unknown({});
    if (!need(2)) return false;
    const bool chosen = isPair() && s.operands[0].parts[1].kind != Operand::Kind::Sink;
    if (!chosen) return wrong("elect has a lane and a predicate: d|p");
    handler = electLane;
    record.d = sinkOr(first(), Ty::B32);
    if (isPair()) record.flags = sinkOr(s.operands[0].parts[1], Ty::Pred);
  }
  if (failed_) return false;
  record.extra = source(s.operands.back(), Ty::B32);
  if (failed_) return false;
  return aroundGuard([&] {
    Record& out = emitPlain(syncHandler(sync_));
    out.op = handler;
    out.d = record.d;
    out.a = record.a;
    out.b = record.b;
    out.c = record.c;
    out.extra = record.extra;
    out.flags = record.flags;
    out.imm = record.imm;
    return true;
  });
}

bool Decoder::barriers() {
  const Statement& s = *statement_;
  Words words(s);
  if (words.take("warp")) {
    if (!words.take("sync") || !words.empty() || s.operands.size() != 1) return unknown({});
    const std::uint32_t members = source(s.operands[0], Ty::B32);
    if (failed_) return false;
    return aroundGuard([&] {
      emitPlain(warpBarrier).extra = members;
      return true;
    });
  }
  if (words.take("cluster")) {
    const bool arrive = words.take("arrive");
    if (!arrive && !words.take("wait")) return unknown({});
    const bool relaxed = words.take("relaxed");
    if (!relaxed) words.take(arrive ? "release" : "acquire");
    const bool together = words.take("aligned");
    if (!words.empty() || (relaxed && !arrive)) return unknown({});
    if (!s.operands.empty()) return wrong("barrier.cluster has no operands");
    return aroundGuard([&] {
      emitPlain(arrive ? clusterArrive : clusterWait).flags =
          (relaxed ? kClusterRelaxed : 0) | (together ? kBarrierAligned : 0);
      return true;
    });
  }
  words.take("cta");
  const bool aligned = s.name == "bar" || words.take("aligned");
  static constexpr std::array<std::string_view, 3> kKinds = {"sync", "arrive", "red"};
  const std::string_view kind = words.oneOf(kKinds);
  static constexpr std::array<std::string_view, 3> kOps = {"popc", "and", "or"};
  const std::string_view op = kind == "red" ? words.oneOf(kOps) : std::string_view();
  if (kind == "red" && !words.take(op == "popc" ? "u32" : "pred")) return unknown({});
  if (kind.empty() || (kind == "red" && op.empty()) || !words.empty()) return unknown({});
  // [d,] barrier [, threads] [, predicate]
  std::size_t i = 0;
  std::uint32_t d = 0;
  std::uint32_t c = 0;
  std::size_t last = s.operands.size();
  if (kind == "red") {
    if (s.operands.size() < 3) return wrong("barrier.red has a result, a barrier and a predicate");
    d = destination(s.operands[i++], op == "popc" ? Ty::U32 : Ty::Pred);
    c = failed_ ? 0 : predicateSource(s.operands[--last]);
  }
  if (failed_) return false;
  if (last - i < 1 || last - i > 2)
    return wrong("a barrier has a number and perhaps a thread count");
  const std::uint32_t number = source(s.operands[i], Ty::U32);
  const std::uint32_t threads = last - i == 2 && !failed_ ? source(s.operands[i + 1], Ty::U32) : 0;
  if (failed_) return false;
  if (kind == "arrive" && threads == 0) return wrong("barrier.arrive needs a thread count");
  const std::uint32_t flags = kind == "sync"     ? 0
                              : kind == "arrive" ? 1
                              : op == "popc"     ? 2
                              : op == "and"      ? 3
                                                 : 4;
  return aroundGuard([&] {
    Record& record = emitPlain(barrierHandler(kind, checked_));
    record.d = d;
    record.a = number;
    record.b = threads;
    record.c = c;
    record.flags = flags | (aligned ? kBarrierAligned : 0);
    return true;
  });
}

/// d, of 32 bits, = the lower half of a row of 64.
bool Decoder::lowerHalf(std::uint32_t d, std::uint32_t wide) {
  Pick pick;
  pick.op = Op::Cvt;
  pick.type = Ty::U32;
  pick.second = Ty::U64;
  pick.which = 2;
  const std::uint32_t sources[] = {wide};
  return emitMap(handlers_.convert(pick), d, sources);
}

bool Decoder::miscellaneous() {
  const Statement& s = *statement_;
  if (s.name == "createpolicy") return policy();
  if (withoutEffect() || failed_) return !failed_;
  Words words(s);
  if (s.name == "alloca") {
    const Ty type = words.type().value_or(Ty::None);
    if ((type != Ty::U32 && type != Ty::U64) || !words.empty()) return unknown({});
    if (s.operands.size() < 2 || s.operands.size() > 3) return wrong("alloca has a size");
    constexpr std::uint64_t kMostAligned = std::uint64_t{1} << 23;
    if (s.operands.size() > 2 && !constantOperand(2, 1, kMostAligned)) return false;
    const std::uint64_t align = s.operands.size() > 2 ? s.operands[2].value.integer : 8;
    if ((align & (align - 1)) != 0) return wrong("an alignment is a power of two");
    const bool narrow = type == Ty::U32;
    const std::uint32_t given = source(s.operands[1], type);
    const std::uint32_t result = failed_ ? 0 : destination(s.operands[0], type);
    if (failed_) return false;
    const std::uint32_t a = narrow ? widened(given) : given;
    const std::uint32_t d = narrow ? newRow(8) : result;
    program_->usesStack = true;
    Record& record = emit(allocaRecord, checkedMap);
    record.d = d;
    record.a = a;
    record.imm = static_cast<std::int64_t>(align);
    record.flags = 0x33;
    return !narrow || lowerHalf(result, d);
  }
  if (s.name == "stacksave" || s.name == "stackrestore") {
    const Ty type = words.type().value_or(Ty::None);
    if ((type != Ty::U32 && type != Ty::U64) || !words.empty() || s.operands.size() != 1) {
      return unknown({});
    }
    const bool save = s.name == "stacksave";
    const bool narrow = type == Ty::U32;
    const std::uint32_t given =
        save ? destination(s.operands[0], type) : source(s.operands[0], type);
    if (failed_) return false;
    const std::uint32_t row = !narrow ? given : save ? newRow(8) : widened(given);
    Record& record = save ? emit(stackSave, checkedMap) : emit(stackRestore);
    (save ? record.d : record.a) = row;
    record.flags = save ? 3 : 0;
    return !save || !narrow || lowerHalf(given, row);
  }
  return false;
}

}  // namespace cutwork::sim

// DecodeAsync.cpp -- cp.async and mbarrier.
#include <fmt/format.h>

#include <array>

#include "Decoder.h"

namespace cutwork::sim {
namespace {

bool takeShared(Words& words) { return words.take("shared") || words.take("shared::cta"); }

/// .relaxed, or `order`; with a scope. Other words stay.
void takeOrder(Words& words, std::string_view order, std::uint32_t& flags) {
  if (words.take("relaxed")) {
    flags |= kMbarrierRelaxed;
  } else if (order.empty() || !words.take(order)) {
    return;
  }
  if (!words.take("cta")) words.take("cluster");
}

}  // namespace

/// cp.async: a copy, or an operation on the copies of a thread.
bool Decoder::asyncCopies() {
  const Statement& s = *statement_;
  Words words(s);
  if (!words.take("async")) return unknown({});
  if (words.take("commit_group")) {
    if (!words.empty() || !s.operands.empty()) return unknown({});
    emit(asyncCommit);
    return true;
  }
  if (words.take("wait_all")) {
    if (!words.empty() || !s.operands.empty()) return unknown({});
    emit(asyncWait).imm = -1;
    return true;
  }
  if (words.take("wait_group")) {
    if (!words.empty()) return unknown({});
    if (s.operands.size() != 1 || s.operands[0].kind != Operand::Kind::Value) {
      return wrong("cp.async.wait_group has a constant number of groups");
    }
    emit(asyncWait).imm = static_cast<std::int64_t>(s.operands[0].value.integer & 0xffffffffU);
    return true;
  }
  if (words.take("mbarrier")) return asyncArrival(words);
  return asyncCopyOf(words);
}

bool Decoder::asyncArrival(Words& words) {
  const Statement& s = *statement_;
  std::uint32_t flags = words.take("noinc") ? kMbarrierNoIncrement : 0;
  const bool shared = takeShared(words);
  if (!words.take("arrive") || !words.take("b64") || !words.empty()) return unknown({});
  if (s.operands.size() != 1) return wrong("cp.async.mbarrier.arrive has one operand");
  Address at;
  if (!address(s.operands[0], shared ? Space::Shared : Space::Generic, at)) return false;
  flags |= (at.wide ? kMbarrierWide : 0) | (at.space == Space::Shared ? 0 : kMbarrierGeneric) |
           static_cast<std::uint32_t>(MbarrierOp::Arrive);
  Record& record = emit(asyncArrive);
  record.a = at.row;
  record.imm = at.offset;
  record.flags = flags;
  return true;
}

bool Decoder::asyncCopyOf(Words& words) {
  const Statement& s = *statement_;
  const bool all = words.take("ca");
  const bool global = !all && words.take("cg");
  if ((!all && !global) || !takeShared(words) || !words.take("global")) return unknown({});
  const bool policy = words.take("L2::cache_hint");
  for (const std::string_view word : {"L2::64B", "L2::128B", "L2::256B"}) words.take(word);
  if (!words.empty()) return unknown({});
  const std::size_t count = s.operands.size() - (policy && !s.operands.empty() ? 1 : 0);
  if (count < 3 || count > 4) {
    return wrong("cp.async has a destination, a source, a size, and perhaps a source size");
  }
  const Operand& size = s.operands[2];
  const std::uint64_t bytes = size.kind == Operand::Kind::Value ? size.value.integer : 0;
  if (bytes != 16 && (global || (bytes != 4 && bytes != 8))) {
    return wrong(global ? "cp.async.cg copies 16 bytes" : "cp.async.ca copies 4, 8 or 16 bytes");
  }
  Address to;
  Address from;
  if (!address(s.operands[0], Space::Shared, to) || !address(s.operands[1], Space::Global, from)) {
    return false;
  }
  std::uint32_t flags = (to.wide ? kCopyWideTo : 0) | (from.wide ? kCopyWideFrom : 0) |
                        static_cast<std::uint32_t>(bytes) << kSizeShift | 1U << 28;
  std::uint32_t c = 0;
  if (count == 4) {
    const RegisterName* name = registerOf(s.operands[3]);
    const bool ignores = name != nullptr && name->type == Ty::Pred;
    c = ignores ? predicateSource(s.operands[3]) : source(s.operands[3], Ty::U32);
    if (ignores) flags |= kCopyIgnores;
  }
  if (policy && !failed_) source(s.operands.back(), Ty::B64);
  if (failed_) return false;
  Record& record = emit(asyncCopy);
  record.a = to.row;
  record.imm = to.offset;
  record.c = c;
  record.flags = flags;
  noteAccess(to, static_cast<unsigned>(bytes));
  noteAccess(from, static_cast<unsigned>(bytes));
  emitElement(0, from.row, 0, 0, 0);
  program_->records.back().imm = from.offset;
  return true;
}

bool Decoder::mbarriers() {
  const Statement& s = *statement_;
  Words words(s);
  struct Row {
    std::string_view name;
    MbarrierOp op;
    bool result;
    std::size_t least;  ///< operands
    std::size_t most;
  };
  // "arrive" has .expect_tx too, and is looked for first.
  static constexpr std::array kRows = {
      Row{"init", MbarrierOp::Init, false, 2, 2},
      Row{"inval", MbarrierOp::Inval, false, 1, 1},
      Row{"arrive", MbarrierOp::Arrive, true, 1, 3},
      Row{"arrive_drop", MbarrierOp::Drop, true, 1, 3},
      Row{"expect_tx", MbarrierOp::ExpectTx, false, 2, 2},
      Row{"complete_tx", MbarrierOp::CompleteTx, false, 2, 2},
      Row{"test_wait", MbarrierOp::Test, true, 3, 3},
      Row{"try_wait", MbarrierOp::Try, true, 3, 4},
      Row{"pending_count", MbarrierOp::Count, true, 2, 2},
  };
  for (const Row& row : kRows) {
    if (!words.take(row.name)) continue;
    if (s.operands.size() < row.least || s.operands.size() > row.most) {
      return wrong(fmt::format("mbarrier.{} has {} operands, not {}", row.name,
                               row.least == row.most ? std::to_string(row.least)
                                                     : fmt::format("{} to {}", row.least, row.most),
                               s.operands.size()));
    }
    return mbarrierOf(row.op, words);
  }
  return unknown({});
}

bool Decoder::mbarrierOf(MbarrierOp op, Words& words) {
  const Statement& s = *statement_;
  const bool waits = op == MbarrierOp::Test || op == MbarrierOp::Try;
  const bool arrives = op == MbarrierOp::Arrive || op == MbarrierOp::Drop;
  std::uint32_t flags = static_cast<std::uint32_t>(op);
  if (arrives && words.take("expect_tx")) flags |= kMbarrierExpects;
  if (arrives && words.take("noComplete")) flags |= kMbarrierNoComplete;
  if (waits && words.take("parity")) flags |= kMbarrierParity;
  const bool transacts = op == MbarrierOp::ExpectTx || op == MbarrierOp::CompleteTx;
  if (waits || arrives || transacts) {
    takeOrder(words, waits ? "acquire" : arrives ? "release" : "", flags);
  }
  const bool remote = (arrives || transacts) && words.take("shared::cluster");
  const bool shared = remote || takeShared(words);
  if (!words.take("b64") || !words.empty()) return unknown({});
  if (op == MbarrierOp::Count) {
    const std::uint32_t a = source(s.operands[1], Ty::B64);
    const std::uint32_t d = failed_ ? 0 : destination(s.operands[0], Ty::U32);
    if (failed_) return false;
    Record& record = emit(mbarrierRecord);
    record.a = a;
    record.d = d;
    record.flags = flags;
    return true;
  }
  // An arrival may leave its state out.
  std::size_t i = 0;
  std::uint32_t d = 0;
  const bool hasState = waits || (arrives && s.operands[0].kind != Operand::Kind::Address);
  if (arrives && !hasState) return wrong("an arrival has a state, or _ for it");
  if (hasState && remote && s.operands[0].kind != Operand::Kind::Sink) {
    return wrong("an arrival in .shared::cluster has _ for a state");
  }
  if (hasState) {
    const bool sink = arrives && s.operands[0].kind == Operand::Kind::Sink;
    d = sink ? 0 : destination(s.operands[0], waits ? Ty::Pred : Ty::B64);
    i = 1;
  }
  Address at;
  if (failed_ || i >= s.operands.size()) return failed_ ? false : wrong("an address is expected");
  if (!address(s.operands[i++], shared ? Space::Shared : Space::Generic, at)) return false;
  flags |= (at.wide ? kMbarrierWide : 0) | (at.space == Space::Shared ? 0 : kMbarrierGeneric);
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  const bool parity = (flags & kMbarrierParity) != 0;
  if (parity && s.operands[i].kind == Operand::Kind::Value && !constantOperand(i, 0, 1)) {
    return false;
  }
  if (waits) {
    c = source(s.operands[i++], (flags & kMbarrierParity) != 0 ? Ty::U32 : Ty::B64);
    if (i < s.operands.size() && !failed_) source(s.operands[i++], Ty::U32);  // the time limit
  } else if (i < s.operands.size()) {
    b = source(s.operands[i++], Ty::U32);
  }
  if (failed_) return false;
  if (b == 0 && (flags & (kMbarrierExpects | kMbarrierNoComplete)) != 0) {
    return wrong("a count is expected");
  }
  const auto body = [&] {
    Record& record = op == MbarrierOp::Try ? emitPlain(mbarrierRecord) : emit(mbarrierRecord);
    record.a = at.row;
    record.imm = at.offset;
    record.b = b;
    record.c = c;
    record.d = d;
    record.flags = flags;
    return true;
  };
  return op == MbarrierOp::Try ? aroundGuard(body) : body();
}

}  // namespace cutwork::sim

// Control.cpp -- handlers of branches, joins, exit and trap.
#include "Access.h"
#include "Decode/Program.h"
#include "Misc.h"

namespace cutwork::sim {
namespace {

template <bool Checked>
const Record* branchIf(Warp& w, const Record& r) {
  std::uint32_t taken = predAt(w, r.guard & ~1U);
  if ((r.guard & 1) != 0) taken = ~taken;
  taken &= w.mask;
  if constexpr (Checked) {
    if (!requireDefined(w, r, r.guard & ~1U, 1, "the condition of this branch")) return nullptr;
  }
  const Record* target = &r + r.imm;
  if (taken == 0) return &r + 1;
  if (taken == w.mask) return r.imm > 0 ? target : jump(w, target);
  const Record* meet = r.extra == 0 ? nullptr : &r + static_cast<std::int32_t>(r.extra);
  const Record* next = split(w, taken, target, &r + 1, meet);
  return jump(w, next);
}

template <bool Checked>
const Record* branchByTable(Warp& w, const Record& r) {
  const auto& table = w.launch->program->branchTables[static_cast<std::size_t>(r.imm)];
  const auto* index = rowAt<std::uint32_t>(w, r.a);
  if constexpr (Checked) {
    if (const std::uint32_t bad = undefinedLanes(w, r.a, 4); bad != 0) {
      return refuseUndefined(w, r, bad, "the index of this branch");
    }
  }
  for (unsigned i = 0; i < 32; ++i) {
    if ((w.mask >> i & 1) != 0 && index[i] >= table.size()) {
      return raise(w, r, ExitCode::Bounds, i,
                   "index " + std::to_string(index[i]) + " in a branch table of " +
                       std::to_string(table.size()));
    }
  }
  const Record* meet = r.extra == 0 ? nullptr : &r + static_cast<std::int32_t>(r.extra);
  // Peel off the lanes of one target after the other; the last ones go on.
  while (true) {
    const std::int32_t to = table[index[__builtin_ctz(w.mask)]];
    std::uint32_t same = 0;
    for (unsigned i = 0; i < 32; ++i) {
      if ((w.mask >> i & 1) != 0 && table[index[i]] == to) same |= 1U << i;
    }
    const Record* target = &r + to;
    if (same == w.mask) return jump(w, target);
    const Record* next = split(w, same, target, nullptr, meet);
    if (next != nullptr) {  // the target is the meeting point: these park, others go on
      Group& others = w.groups.back();
      std::swap(w.groups[w.current].mask, others.mask);
      others.pc = target;
      w.mask = w.groups[w.current].mask;
    }
  }
}

}  // namespace

const Record* joinRecord(Warp& w, const Record& r) { return arriveAtJoin(w, r); }
const Record* branch(Warp& w, const Record& r) {
  return r.imm > 0 ? &r + r.imm : jump(w, &r + r.imm);
}
Handler conditionalBranch(bool checked) { return checked ? branchIf<true> : branchIf<false>; }
Handler tableBranch(bool checked) { return checked ? branchByTable<true> : branchByTable<false>; }
const Record* exitRecord(Warp& w, const Record& r) { return exitLanes(w, w.mask, &r + 1); }
const Record* trapRecord(Warp& w, const Record& r) {
  return raise(w, r, ExitCode::Trap, static_cast<unsigned>(__builtin_ctz(w.mask)),
               "the kernel executed trap");
}
const Record* breakRecord(Warp& w, const Record& r) {
  return raise(w, r, ExitCode::Trap, static_cast<unsigned>(__builtin_ctz(w.mask)),
               "the kernel executed brkpt, and there is no debugger");
}
const Record* nothing(Warp&, const Record& r) { return &r + 1; }
const Record* fellOff(Warp& w, const Record& r) { return exitLanes(w, w.mask, &r + 1); }

}  // namespace cutwork::sim

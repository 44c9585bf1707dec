// WarpWide.cpp -- shuffles, votes, matches, reductions over a warp, and waiting for the lanes of a
// mask.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "Access.h"
#include "Arithmetic/Float.h"
#include "Decode/Program.h"
#include "Misc.h"
#include "RaceExec.h"

namespace cutwork::sim {
namespace {

/// The lanes that lane `i` needs here: its mask's, or all, that are still live.
std::uint32_t neededBy(Warp& w, const Record& r, unsigned i) {
  const std::uint32_t members = r.extra == 0 ? kAllLanes : rowAt<std::uint32_t>(w, r.extra)[i];
  return members & w.live;
}

/// Lanes of `here` whose partners are all in `here`.
std::uint32_t readyLanes(Warp& w, const Record& r, std::uint32_t here) {
  std::uint32_t ready = 0;
  for (unsigned i = 0; i < 32; ++i) {
    if ((here >> i & 1) != 0 && (neededBy(w, r, i) & ~here) == 0) ready |= 1U << i;
  }
  return ready;
}

/// A lane executes a .sync instruction of a mask that does not have it; false if the run ends.
bool noteForeignMask(Warp& w, const Record& r, std::uint32_t members, unsigned lane) {
  if (!raisedBefore(w, r, ExitCode::SyncMask)) {
    raise(w, r, ExitCode::SyncMask, lane,
          fmt::format("the member mask {:#010x} has not the executing lane {}", members, lane));
  }
  return goOn(w, r);
}

/// Looks at the member masks of the executing lanes; false if the run ends.
bool hasOwnLanes(Warp& w, const Record& r) {
  if (!w.launch->program->checks.sync || r.extra == 0) return true;
  if (const std::uint32_t bad = undefinedLanes(w, r.extra, 4); bad != 0) {
    refuseUndefined(w, r, bad, "the member mask");
    return false;
  }
  const auto* rows = rowAt<std::uint32_t>(w, r.extra);
  for (std::uint32_t lanes = w.mask; lanes != 0; lanes &= lanes - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(lanes));
    if ((rows[i] >> i & 1) == 0 && !noteForeignMask(w, r, rows[i], i)) return false;
  }
  return true;
}

template <bool Checked>
const Record* syncPoint(Warp& w, const Record& r) {
  Group& group = w.groups[w.current];
  if (Checked && !hasOwnLanes(w, r)) return nullptr;
  if (w.mask == w.live && readyLanes(w, r, w.mask) == w.mask) return r.op(w, r);

  std::uint32_t here = group.mask;
  for (const Group& other : w.groups) {
    if (other.state == GroupState::Sync && other.pc == &r && other.depth == group.depth) {
      here |= other.mask;
    }
  }
  const std::uint32_t ready = readyLanes(w, r, here);
  if (ready == 0) return block(w, GroupState::Sync, &r);
  const std::uint32_t own = w.mask;
  w.mask = ready;
  if (r.op(w, r) == nullptr) return nullptr;
  w.mask = own;
  // Everyone who was ready goes on; those of the same join go on together.
  const std::uint32_t join = group.join;
  const std::uint32_t depth = group.depth;
  std::vector<Group> more;
  std::uint32_t together = own & ready;
  for (std::size_t i = 0; i < w.groups.size(); ++i) {
    Group& other = w.groups[i];
    if (i == w.current || other.state != GroupState::Sync || other.pc != &r ||
        other.depth != depth) {
      continue;
    }
    const std::uint32_t moving = other.mask & ready;
    if (moving == 0) continue;
    other.mask &= ~moving;
    if (other.join == join && (own & ready) != 0) {
      together |= moving;
    } else {
      Group on = other;
      on.mask = moving;
      on.pc = &r + 1;
      on.state = GroupState::Ready;
      more.push_back(on);
    }
  }
  if (const std::uint32_t rest = own & ~ready; rest != 0) {
    Group waiting = w.groups[w.current];
    waiting.mask = rest;
    waiting.pc = &r;
    waiting.state = GroupState::Sync;
    more.push_back(waiting);
  }
  w.groups[w.current].mask = together;
  w.groups.insert(w.groups.end(), more.begin(), more.end());
  // Groups that are empty now go; the current one keeps its place or goes too.
  std::vector<Group> kept;
  std::uint32_t current = 0;
  for (std::size_t i = 0; i < w.groups.size(); ++i) {
    if (w.groups[i].mask == 0) continue;
    if (i == w.current) current = static_cast<std::uint32_t>(kept.size());
    kept.push_back(w.groups[i]);
  }
  w.groups = std::move(kept);
  w.current = current;
  w.mask = together;
  return together == 0 ? nullptr : &r + 1;
}

enum class Mode : std::uint8_t { Up, Down, Bfly, Idx };

template <Mode M>
const Record* shuffle(Warp& w, const Record& r) {
  const auto* a = rowAt<std::uint32_t>(w, r.a);
  const auto* b = rowAt<std::uint32_t>(w, r.b);
  const auto* c = rowAt<std::uint32_t>(w, r.c);
  const bool checked = w.undefined != nullptr;
  const bool inits = w.launch->program->checks.init;
  if (checked) {
    constexpr const char* kWhat = "the source lane of this shuffle";
    if (!requireDefined(w, r, r.b, 4, kWhat) || !requireDefined(w, r, r.c, 4, kWhat)) {
      return nullptr;
    }
  }
  std::uint32_t values[32];
  std::uint32_t valid = 0;
  std::uint32_t masks[4] = {};
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint32_t segment = c[i] >> 8 & 31;
    const std::uint32_t limit = c[i] & 31;
    const std::uint32_t max = (i & segment) | (limit & ~segment);
    const std::uint32_t by = b[i] & 31;
    std::uint32_t from = 0;
    bool good = false;
    switch (M) {
      case Mode::Up:
        from = i - by;
        good = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(max);
        break;
      case Mode::Down: from = i + by, good = from <= max; break;
      case Mode::Bfly: from = i ^ by, good = from <= max; break;
      case Mode::Idx: from = (by & ~segment) | (i & segment), good = from <= max; break;
    }
    if (!good) from = i;
    values[i] = a[from & 31];
    valid |= (good ? 1U : 0U) << i;
    if (!checked) continue;
    // What a lane has that does not take part is no value.
    const bool stray = (w.mask >> i & 1) != 0 && (w.mask >> (from & 31) & 1) == 0 && inits;
    if (stray) w.strayRead = {&r, i, from & 31};
    for (unsigned k = 0; k < 4; ++k) {
      masks[k] |= (stray ? 1 : undefinedAt(w, r.a)[k] >> (from & 31) & 1) << i;
    }
  }
  if (r.d != 0) commit(w, r.d, values);
  if (r.flags != 0) commitPred(w, r.flags, valid);
  if (checked) {
    for (unsigned k = 0; k < 4 && r.d != 0; ++k) {
      std::uint32_t& to = undefinedAt(w, r.d)[k];
      to = (to & ~w.mask) | (masks[k] & w.mask);
    }
    if (r.flags != 0) *undefinedAt(w, r.flags) &= ~w.mask;
  }
  return &r + 1;
}

void defined(Warp& w, std::uint32_t row, unsigned masks) {
  if (w.undefined == nullptr || row == 0) return;
  for (unsigned k = 0; k < masks; ++k) undefinedAt(w, row)[k] &= ~w.mask;
}

/// Lanes of `i`'s mask that take part: live ones.
std::uint32_t membersOf(Warp& w, const Record& r, unsigned i) { return neededBy(w, r, i); }

const Record* voteBits(Warp& w, const Record& r) {
  std::uint32_t bits = predAt(w, r.a & ~1U);
  if ((r.a & 1) != 0) bits = ~bits;
  if (w.undefined != nullptr) {
    if (!requireDefined(w, r, r.a & ~1U, 1, "the predicate of this vote")) return nullptr;
  }
  std::uint32_t ballots[32];
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint32_t members = membersOf(w, r, i);
    ballots[i] = bits & members;
    bool yes = false;
    switch (r.imm) {
      case 0: yes = ballots[i] == members; break;
      case 1: yes = ballots[i] != 0; break;
      default: yes = ballots[i] == members || ballots[i] == 0; break;
    }
    result |= (yes ? 1U : 0U) << i;
  }
  if (r.imm == 3) {
    commit(w, r.d, ballots);
    defined(w, r.d, 4);
  } else {
    commitPred(w, r.d, result);
    defined(w, r.d, 1);
  }
  return &r + 1;
}

template <bool All, class T>
const Record* match(Warp& w, const Record& r) {
  const T* a = rowAt<T>(w, r.a);
  if (w.undefined != nullptr) {
    if (!requireDefined(w, r, r.a, sizeof(T), "the value that is matched")) return nullptr;
  }
  std::uint32_t values[32] = {};
  std::uint32_t agreed = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint32_t members = membersOf(w, r, i);
    std::uint32_t same = 0;
    for (unsigned k = 0; k < 32; ++k) {
      if ((members >> k & 1) != 0 && a[k] == a[i]) same |= 1U << k;
    }
    values[i] = All ? (same == members ? members : 0) : same;
    agreed |= (same == members ? 1U : 0U) << i;
  }
  if (r.d != 0) commit(w, r.d, values);
  defined(w, r.d, 4);
  if (r.flags != 0) commitPred(w, r.flags, agreed);
  defined(w, r.flags, 1);
  return &r + 1;
}

template <auto F>
const Record* redux(Warp& w, const Record& r) {
  const auto* a = rowAt<std::uint32_t>(w, r.a);
  if (w.undefined != nullptr) {
    if (!requireDefined(w, r, r.a, 4, "the value that is reduced")) return nullptr;
  }
  std::uint32_t values[32] = {};
  for (unsigned i = 0; i < 32; ++i) {
    bool first = true;
    for (std::uint32_t members = membersOf(w, r, i); members != 0; members &= members - 1) {
      const std::uint32_t x = a[__builtin_ctz(members)];
      values[i] = first ? x : F(values[i], x);
      first = false;
    }
  }
  commit(w, r.d, values);
  defined(w, r.d, 4);
  return &r + 1;
}

/// Of f32: imm has 1 for .abs, 2 for .NaN. -0 is below +0; without .NaN, NaNs are passed over.
template <bool Max>
const Record* reduxSingle(Warp& w, const Record& r) {
  const auto* a = rowAt<std::uint32_t>(w, r.a);
  if (w.undefined != nullptr && !requireDefined(w, r, r.a, 4, "the value that is reduced")) {
    return nullptr;
  }
  const bool magnitudes = (r.imm & 1) != 0;
  const bool nans = (r.imm & 2) != 0;
  std::uint32_t values[32] = {};
  for (unsigned i = 0; i < 32; ++i) {
    float best = std::bit_cast<float>(0x7fffffffU);
    bool sawNan = false;
    for (std::uint32_t members = membersOf(w, r, i); members != 0; members &= members - 1) {
      const std::uint32_t bits = a[__builtin_ctz(members)] & (magnitudes ? 0x7fffffffU : ~0U);
      const auto x = std::bit_cast<float>(bits);
      sawNan = sawNan || isNan(x);
      best = minMaxF32<Max, false, false>(best, x);  // a NaN gives way
    }
    values[i] = nans && sawNan ? 0x7fffffffU : std::bit_cast<std::uint32_t>(best);
  }
  commit(w, r.d, values);
  defined(w, r.d, 4);
  return &r + 1;
}

std::uint32_t plus(std::uint32_t a, std::uint32_t b) { return a + b; }
std::uint32_t bitAnd(std::uint32_t a, std::uint32_t b) { return a & b; }
std::uint32_t bitOr(std::uint32_t a, std::uint32_t b) { return a | b; }
std::uint32_t bitXor(std::uint32_t a, std::uint32_t b) { return a ^ b; }
std::uint32_t minU(std::uint32_t a, std::uint32_t b) { return std::min(a, b); }
std::uint32_t maxU(std::uint32_t a, std::uint32_t b) { return std::max(a, b); }
std::uint32_t minS(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
}
std::uint32_t maxS(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? b : a;
}

}  // namespace

Handler syncHandler(bool checked) { return checked ? syncPoint<true> : syncPoint<false>; }

Handler shuffleHandler(std::string_view mode) {
  if (mode == "up") return shuffle<Mode::Up>;
  if (mode == "down") return shuffle<Mode::Down>;
  if (mode == "bfly") return shuffle<Mode::Bfly>;
  return mode == "idx" ? shuffle<Mode::Idx> : nullptr;
}

Handler voteHandler(std::string_view) { return voteBits; }

Handler matchHandler(bool all, bool wide) {
  if (all) return wide ? match<true, std::uint64_t> : match<true, std::uint32_t>;
  return wide ? match<false, std::uint64_t> : match<false, std::uint32_t>;
}

Handler reduxHandler(std::string_view op, Ty type) {
  if (type == Ty::F32) return op == "max" ? reduxSingle<true> : reduxSingle<false>;
  if (op == "add") return redux<plus>;
  if (op == "and") return redux<bitAnd>;
  if (op == "or") return redux<bitOr>;
  if (op == "xor") return redux<bitXor>;
  if (op == "min") return isSigned(type) ? redux<minS> : redux<minU>;
  if (op == "max") return isSigned(type) ? redux<maxS> : redux<maxU>;
  return nullptr;
}

/// The lowest live lane of each lane's mask is elected: d its number, the predicate in `flags`.
const Record* electLane(Warp& w, const Record& r) {
  std::uint32_t values[32] = {};
  std::uint32_t elected = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint32_t members = membersOf(w, r, i);
    if (members == 0) continue;
    values[i] = static_cast<std::uint32_t>(__builtin_ctz(members));
    elected |= (values[i] == i ? 1U : 0U) << i;
  }
  if (r.d != 0) commit(w, r.d, values);
  defined(w, r.d, 4);
  if (r.flags != 0) commitPred(w, r.flags, elected);
  defined(w, r.flags, 1);
  return &r + 1;
}

const Record* activeMask(Warp& w, const Record& r) {
  std::uint32_t values[32];
  std::fill_n(values, 32, w.mask);
  commit(w, r.d, values);
  defined(w, r.d, 4);
  return &r + 1;
}

/// bar.warp.sync: lanes of one mask may wait at different places; each must name the same mask.
const Record* fenceRecord(Warp& w, const Record& r) {
  raceFence(w);
  return &r + 1;
}

const Record* warpBarrier(Warp& w, const Record& r) {
  // Every lane that waits, or comes now, with its mask.
  std::uint32_t here = 0;
  std::uint32_t masks[32] = {};
  const auto note = [&](std::uint32_t lanes, const Record& at) {
    here |= lanes;
    for (unsigned i = 0; i < 32; ++i) {
      if ((lanes >> i & 1) != 0) masks[i] = neededBy(w, at, i);
    }
  };
  if (!hasOwnLanes(w, r)) return nullptr;
  note(w.groups[w.current].mask, r);
  for (const Group& other : w.groups) {
    if (other.state == GroupState::WarpBarrier) note(other.mask, *other.pc);
  }
  std::uint32_t ready = 0;
  for (unsigned i = 0; i < 32; ++i) {
    if ((here >> i & 1) == 0 || (masks[i] & ~here) != 0) continue;
    bool same = true;
    for (unsigned k = 0; k < 32; ++k) {
      same = same && ((masks[i] >> k & 1) == 0 || masks[k] == masks[i]);
    }
    ready |= (same ? 1U : 0U) << i;
  }
  for (std::uint32_t left = ready; left != 0;) {  // barriers of different masks are not one
    // A lane's mask may be without the lane itself.
    const std::uint32_t members = (masks[__builtin_ctz(left)] & left) | (left & -left);
    raceWarpBarrier(w, members);
    left &= ~members;
  }
  const std::size_t count = w.groups.size();
  for (std::size_t g = 0; g < count; ++g) {
    Group& other = w.groups[g];
    const bool waits = g == w.current || other.state == GroupState::WarpBarrier;
    const std::uint32_t going = other.mask & ready;
    if (!waits || going == 0 || going == other.mask) continue;
    // Lanes of one group may have different masks; those that are not complete stay.
    Group waiting = other;
    waiting.mask &= ~ready;
    waiting.state = GroupState::WarpBarrier;
    if (g == w.current) waiting.pc = &r;
    other.mask = going;
    w.groups.push_back(waiting);
  }
  for (std::size_t g = 0; g < count; ++g) {
    Group& other = w.groups[g];
    if (g == w.current || other.state != GroupState::WarpBarrier || (other.mask & ready) == 0)
      continue;
    other.state = GroupState::Ready;
    ++other.pc;
  }
  w.mask = w.groups[w.current].mask;
  if ((w.mask & ready) == 0) return block(w, GroupState::WarpBarrier, &r);
  // Join those of the same place and join that were just released.
  for (std::size_t i = 0; i < w.groups.size();) {
    Group& own = w.groups[w.current];
    Group& other = w.groups[i];
    if (i != w.current && other.state == GroupState::Ready && other.pc == &r + 1 &&
        other.join == own.join && other.depth == own.depth) {
      own.mask |= other.mask;
      w.groups.erase(w.groups.begin() + static_cast<std::ptrdiff_t>(i));
      if (i < w.current) --w.current;
    } else {
      ++i;
    }
  }
  w.mask = w.groups[w.current].mask;
  return &r + 1;
}

}  // namespace cutwork::sim

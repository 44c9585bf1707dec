// BarrierExec.cpp -- the barriers of a CTA (bar, barrier) and of a cluster.
//
// Lanes arrive as they come, whether or not their warp is together; a warp whose live lanes have
// all arrived counts as 32 threads, as the ISA says of thread counts.
#include <fmt/format.h>

#include "Access.h"
#include "Decode/Program.h"
#include "Misc.h"
#include "RaceExec.h"

namespace cutwork::sim {
namespace {

enum class Kind : std::uint8_t { Sync, Arrive, Popc, And, Or };

bool isComplete(const Cta& cta, const Barrier& barrier) {
  std::uint32_t threads = barrier.extraThreads;
  bool everyone = true;
  for (std::size_t i = 0; i < cta.warps.size(); ++i) {
    const std::uint32_t arrived = barrier.arrived[i];
    const bool whole = (cta.warps[i].live & ~arrived) == 0;
    everyone = everyone && whole;
    if (arrived != 0) {
      threads += whole ? 32 : static_cast<std::uint32_t>(__builtin_popcount(arrived));
    }
  }
  return barrier.expected == 0 ? everyone : threads >= barrier.expected;
}

void writeResult(Warp& w, const Record& r, const Barrier& barrier, std::uint32_t lanes) {
  if (r.d == 0) return;
  const auto kind = static_cast<Kind>(r.flags & 7);
  if (kind == Kind::Popc) {
    auto* to = rowAt<std::uint32_t>(w, r.d);
    for (unsigned i = 0; i < 32; ++i) {
      if ((lanes >> i & 1) != 0) to[i] = barrier.popc;
    }
  } else {
    const bool value = kind == Kind::And ? barrier.all : barrier.any;
    std::uint32_t& to = predAt(w, r.d);
    to = value ? to | lanes : to & ~lanes;
  }
  if (w.undefined == nullptr) return;
  for (unsigned k = 0; k < (kind == Kind::Popc ? 4U : 1U); ++k) undefinedAt(w, r.d)[k] &= ~lanes;
}

/// Groups of one place and join that were just released run together.
void mergeReady(Warp& w) {
  for (std::size_t i = 0; i < w.groups.size(); ++i) {
    for (std::size_t k = i + 1; k < w.groups.size();) {
      Group& a = w.groups[i];
      const Group& b = w.groups[k];
      const bool same = a.state == GroupState::Ready && b.state == GroupState::Ready &&
                        a.pc == b.pc && a.join == b.join && a.depth == b.depth && i != w.current &&
                        k != w.current;
      if (!same) {
        ++k;
        continue;
      }
      a.mask |= b.mask;
      w.groups[k] = w.groups.back();
      if (w.current == w.groups.size() - 1) w.current = static_cast<std::uint32_t>(k);
      w.groups.pop_back();
    }
  }
}

void release(Cta& cta, std::uint32_t number) {
  Barrier& barrier = cta.barriers[number];
  raceBarrier(cta, barrier, number);
  for (Warp& w : cta.warps) {
    bool any = false;
    for (Group& group : w.groups) {
      if (group.state != GroupState::Barrier || group.barrier != number) continue;
      writeResult(w, *group.pc, barrier, group.mask);
      group.state = GroupState::Ready;
      ++group.pc;
      any = true;
    }
    if (any) mergeReady(w);
  }
  barrier.inUse = false;
  barrier.extraThreads = 0;
}

/// Lanes of a warp come to an .aligned barrier at one instruction; false if the run ends.
bool comesTogether(Warp& w, const Record& r, Barrier& barrier, std::uint32_t number) {
  const Record*& first = barrier.at[w.index];
  if (first == nullptr) first = &r;
  const bool apart = first != &r && (barrier.arrived[w.index] & w.mask) == 0;
  const Program& program = *w.launch->program;
  if (!apart || ((r.flags | first->flags) & kBarrierAligned) == 0 || !program.checks.sync) {
    return true;
  }
  if (!raisedBefore(w, r, ExitCode::Barrier)) {
    raise(w, r, ExitCode::Barrier, static_cast<unsigned>(__builtin_ctz(w.mask)),
          fmt::format("divergent: other lanes of the warp came to barrier {} at {}; the lanes of a "
                      "warp execute one bar.sync (__syncthreads()) together",
                      number, program.ptxPlace(*first).text()));
  }
  return goOn(w, r);
}

/// A barrier with a count completes: its warps came whole to .aligned ones; false if the run ends.
bool cameWhole(Cta& cta, const Barrier& barrier, std::uint32_t number) {
  for (Warp& w : cta.warps) {
    const std::uint32_t arrived = barrier.arrived[w.index];
    const Record* at = barrier.at[w.index];
    const std::uint32_t missing = w.live & ~arrived;
    if (arrived == 0 || missing == 0 || at == nullptr || (at->flags & kBarrierAligned) == 0) {
      continue;
    }
    if (!raisedBefore(w, *at, ExitCode::Barrier)) {
      raise(w, *at, ExitCode::Barrier, static_cast<unsigned>(__builtin_ctz(arrived)),
            fmt::format("divergent: barrier {} completes, and lanes {:#010x} of the warp have not "
                        "come to it; the lanes of a warp execute one bar.sync (__syncthreads()) "
                        "together",
                        number, missing));
    }
    if (!goOn(w, *at)) return false;
  }
  return true;
}

template <bool Checked>
const Record* barrierRecord(Warp& w, const Record& r) {
  const auto kind = static_cast<Kind>(r.flags & 7);
  const auto* numbers = rowAt<std::uint32_t>(w, r.a);
  const auto lane = static_cast<unsigned>(__builtin_ctz(w.mask));
  const std::uint32_t number = numbers[lane];
  if constexpr (Checked) {
    std::uint32_t bad = undefinedLanes(w, r.a, 4);
    if (r.b != 0) bad |= undefinedLanes(w, r.b, 4);
    if (r.c != 0) bad |= undefinedLanes(w, r.c & ~1U, 1);
    if (bad != 0) return refuseUndefined(w, r, bad, "an operand of this barrier");
  }
  if (number >= 16) {
    return raise(w, r, ExitCode::Barrier, lane,
                 fmt::format("barrier {}; a block has 0 to 15", number));
  }
  std::uint32_t same = 0;
  for (unsigned i = 0; i < 32; ++i) {
    if ((w.mask >> i & 1) != 0 && numbers[i] == number) same |= 1U << i;
  }
  if (same != w.mask) {  // lanes at other barriers arrive for themselves, next
    Group others = w.groups[w.current];
    others.mask &= ~same;
    others.pc = &r;
    w.groups[w.current].mask = same;
    w.mask = same;
    w.groups.push_back(others);
  }
  ++w.counters.barriers;
  const std::uint32_t threads = r.b == 0 ? 0 : rowAt<std::uint32_t>(w, r.b)[lane];
  if (r.b != 0 && (threads == 0 || threads % 32 != 0)) {
    return raise(w, r, ExitCode::Barrier, lane,
                 fmt::format("a barrier for {} threads; the count is a multiple of 32", threads));
  }
  Barrier& barrier = w.cta->barriers[number];
  if (!barrier.inUse) {
    barrier.inUse = true;
    barrier.expected = threads;
    barrier.extraThreads = 0;
    barrier.clock = nullptr;
    barrier.splits = false;
    barrier.popc = 0;
    barrier.all = true;
    barrier.any = false;
    barrier.arrived.assign(w.cta->warps.size(), 0);
    barrier.at.assign(w.cta->warps.size(), nullptr);
  } else if (barrier.expected != threads) {
    return raise(w, r, ExitCode::Barrier, lane,
                 fmt::format("barrier {} is in use for {} threads, and this is for {}", number,
                             barrier.expected == 0 ? "all" : std::to_string(barrier.expected),
                             threads == 0 ? "all" : std::to_string(threads)));
  }
  std::uint32_t& arrived = barrier.arrived[w.index];
  if (const std::uint32_t twice = arrived & w.mask; twice != 0) {
    if (threads == 0) {
      return raise(w, r, ExitCode::Barrier, static_cast<unsigned>(__builtin_ctz(twice)),
                   fmt::format("the thread arrives at barrier {} a second time before the barrier "
                               "has completed",
                               number));
    }
    barrier.extraThreads += static_cast<std::uint32_t>(__builtin_popcount(twice));
  }
  if (Checked && !comesTogether(w, r, barrier, number)) return nullptr;
  arrived |= w.mask;
  if (r.c != 0) {
    std::uint32_t bits = predAt(w, r.c & ~1U);
    if ((r.c & 1) != 0) bits = ~bits;
    bits &= w.mask;
    barrier.popc += static_cast<std::uint32_t>(__builtin_popcount(bits));
    barrier.all = barrier.all && bits == w.mask;
    barrier.any = barrier.any || bits != 0;
  }
  if (kind == Kind::Arrive) raceArrive(w, barrier);
  const bool complete = isComplete(*w.cta, barrier);
  if (Checked && complete && threads != 0 && w.launch->program->checks.sync) {
    if (!cameWhole(*w.cta, barrier, number)) return nullptr;
  }
  if (kind == Kind::Arrive) {
    if (complete) release(*w.cta, number);
    return &r + 1;
  }
  w.groups[w.current].barrier = number;
  block(w, GroupState::Barrier, &r);
  if (!complete) return nullptr;
  // Everyone is released, this group among them; it waits its turn like the others.
  const std::uint32_t self = w.current;
  w.current = kNoJoin;  // no group is exempt from merging
  release(*w.cta, number);
  w.current = std::min<std::uint32_t>(self, static_cast<std::uint32_t>(w.groups.size() - 1));
  return nullptr;
}

}  // namespace

Handler barrierHandler(std::string_view, bool checked) {
  return checked ? barrierRecord<true> : barrierRecord<false>;
}

void recheckBarriers(Cta& cta) {
  for (std::uint32_t i = 0; i < cta.barriers.size(); ++i) {
    if (cta.barriers[i].inUse && isComplete(cta, cta.barriers[i])) release(cta, i);
  }
}

void completeCluster(Cluster& cluster) {
  if (cluster.arrived == 0 || cluster.arrived < cluster.liveThreads) return;
  cluster.arrived = 0;
  ++cluster.phase;
  cluster.ended = cluster.arrivals;
  for (Cta& cta : cluster.ctas) {
    for (Warp& w : cta.warps) {
      for (Group& group : w.groups) {
        if (group.state == GroupState::Cluster) group.state = GroupState::Ready;
      }
    }
  }
}

const Record* clusterArrive(Warp& w, const Record& r) {
  Cluster& cluster = *w.cta->cluster;
  ++w.counters.barriers;
  for (unsigned i = 0; i < 32; ++i) {
    if ((w.mask >> i & 1) == 0) continue;
    if (w.clusterPhase[i] != 0) {
      return raise(w, r, ExitCode::Barrier, i,
                   "the thread arrives at the cluster's barrier a second time without waiting");
    }
    w.clusterPhase[i] = cluster.phase + 1;
    ++cluster.arrived;
  }
  raceRelease(w, w.mask, cluster.arrivals, (r.flags & kClusterRelaxed) != 0);
  completeCluster(cluster);
  return &r + 1;
}

const Record* clusterWait(Warp& w, const Record& r) {
  const Cluster& cluster = *w.cta->cluster;
  bool completed = true;
  for (unsigned i = 0; i < 32; ++i) {
    if ((w.mask >> i & 1) == 0) continue;
    if (w.clusterPhase[i] == 0) {
      return raise(w, r, ExitCode::Barrier, i,
                   "the thread waits at the cluster's barrier without having arrived");
    }
    completed = completed && w.clusterPhase[i] <= cluster.phase;
  }
  if (!completed) return block(w, GroupState::Cluster, &r);
  raceAcquire(w, w.mask, cluster.ended, false);
  for (unsigned i = 0; i < 32; ++i) {
    if ((w.mask >> i & 1) != 0) w.clusterPhase[i] = 0;
  }
  return &r + 1;
}

}  // namespace cutwork::sim

// Groups.cpp -- groups of lanes: splitting, meeting at joins, exiting; and how faults are recorded.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "Decode/Program.h"
#include "Exec/Access.h"

namespace cutwork::sim {

std::array<std::uint32_t, 3> threadAt(const Launch& launch, std::uint32_t number) {
  const auto& block = launch.config.block;
  return {number % block[0], number / block[0] % block[1], number / block[0] / block[1]};
}

namespace {

/// Takes the current group out; the loop will pick another.
void removeCurrent(Warp& w) {
  w.groups[w.current] = w.groups.back();
  w.groups.pop_back();
}

/// A join whose lanes are all there becomes a group.
void completeJoin(Warp& w, Join& join) {
  Group together;
  together.pc = join.at;
  together.mask = join.arrived;
  together.join = join.parent;
  together.depth = join.depth;
  join.used = false;
  w.groups.push_back(together);
}

}  // namespace

const Record* raise(Warp& w, const Record& r, ExitCode code, unsigned lane, std::string message) {
  Fault& fault = w.launch->fault;
  if (fault.any()) return nullptr;
  const Program& program = *w.launch->program;
  fault.code = code;
  fault.message = std::move(message);
  fault.kernel = program.kernel;
  fault.block = w.cta->id;
  fault.thread = threadAt(*w.launch, w.index * 32 + lane);
  fault.hasThread = true;
  fault.ptx = program.ptxPlace(r);
  fault.user = program.userPlace(r);
  fault.instruction = program.text(r);
  return nullptr;
}

namespace {

FaultPlace placeOf(ExitCode code, const Record& r, const Record* other) {
  const auto source = [](const Record& record) { return record.source & ~kPartOfAnother; };
  return {code, source(r), other == nullptr ? ~0U : source(*other)};
}

/// After these the simulation is as sound as before.
bool isSurvived(ExitCode code) {
  return code == ExitCode::Race || code == ExitCode::Bounds || code == ExitCode::Lifetime ||
         code == ExitCode::Uninitialised || code == ExitCode::SyncMask || code == ExitCode::Barrier;
}

}  // namespace

bool raisedBefore(Warp& w, const Record& r, ExitCode code, const Record* other) {
  Launch& launch = *w.launch;
  if (launch.fault.any()) return true;
  if (launch.log.empty() || !launch.log.hasHeardOf(placeOf(code, r, other))) return false;
  launch.fault.code = code;
  launch.fault.repeated = &r;
  launch.fault.block = w.cta->id;
  return true;
}

bool goOn(Warp& w, const Record& r, const Record* other) {
  Launch& launch = *w.launch;
  if (launch.config.stopAtFirst || !isSurvived(launch.fault.code)) return false;
  if (launch.log.empty()) launch.firstFault = launch.instructions;
  const FaultPlace place = placeOf(launch.fault.code, r, other);
  launch.log.add(place, std::exchange(launch.fault, {}));
  return true;
}

OtherAccess otherAccess(const Launch& launch, const Cta& cta, std::uint32_t thread,
                        const Record& r) {
  const Program& program = *launch.program;
  return {true,
          cta.id,
          threadAt(launch, thread),
          program.ptxPlace(r),
          program.userPlace(r),
          program.text(r),
          {}};
}

const Record* raiseAt(Warp& w, const Record& r, ExitCode code, unsigned lane, std::uint64_t address,
                      std::string message) {
  if (!w.launch->fault.any()) {
    raise(w, r, code, lane, std::move(message));
    w.launch->fault.address = address;
    w.launch->fault.hasAddress = true;
  }
  return nullptr;
}

const Record* jump(Warp& w, const Record* target) {
  if (--w.budget > 0) return target;
  return block(w, GroupState::Ready, target);
}

const Record* block(Warp& w, GroupState state, const Record* pc) {
  Group& group = w.groups[w.current];
  group.pc = pc;
  group.state = state;
  return nullptr;
}

std::uint32_t newJoin(Warp& w, const Record* at, std::uint32_t expected) {
  const Group& group = w.groups[w.current];
  std::size_t i = 0;
  while (i < w.joins.size() && w.joins[i].used) ++i;
  if (i == w.joins.size()) w.joins.emplace_back();
  w.joins[i] = {at, group.depth, expected, 0, group.join, true};
  return static_cast<std::uint32_t>(i);
}

const Record* split(Warp& w, std::uint32_t taken, const Record* target, const Record* next,
                    const Record* meet) {
  ++w.counters.divergentBranches;
  Group& group = w.groups[w.current];
  if (meet != nullptr) {
    const Join* join = group.join == kNoJoin ? nullptr : &w.joins[group.join];
    if (join == nullptr || join->at != meet || join->depth != group.depth) {
      group.join = newJoin(w, meet, group.mask);
    }
  }
  Group other = group;
  // Whoever is at the meeting point already parks there first.
  const bool targetFirst = target == meet;
  other.pc = targetFirst ? next : target;
  other.mask = targetFirst ? group.mask & ~taken : taken;
  group.mask &= ~other.mask;
  w.mask = group.mask;
  w.groups.push_back(other);
  return targetFirst ? target : next;
}

const Record* arriveAtJoin(Warp& w, const Record& r) {
  Group& group = w.groups[w.current];
  if (group.join == kNoJoin) return &r + 1;
  Join& join = w.joins[group.join];
  if (join.at != &r || join.depth != group.depth) return &r + 1;
  join.arrived |= group.mask;
  if (join.arrived == join.expected) {
    group.mask = join.arrived;
    group.join = join.parent;
    join.used = false;
    w.mask = group.mask;
    return &r;  // perhaps the parent's join too
  }
  removeCurrent(w);
  return nullptr;
}

const Record* exitLanes(Warp& w, std::uint32_t lanes, const Record* next) {
  w.live &= ~lanes;
  w.liveChanged = true;
  w.cta->cluster->liveThreads -= static_cast<std::uint32_t>(__builtin_popcount(lanes));
  Group& group = w.groups[w.current];
  group.mask &= ~lanes;
  w.mask = group.mask;
  const bool gone = group.mask == 0;
  if (gone) removeCurrent(w);
  for (std::size_t i = 0; i < w.joins.size(); ++i) {
    Join& join = w.joins[i];
    if (!join.used) continue;
    join.expected &= ~lanes;
    if (join.expected == 0) {
      join.used = false;
    } else if (join.arrived == join.expected) {
      completeJoin(w, join);
    }
  }
  if (w.live == 0) --w.cta->liveWarps;
  recheckBarriers(*w.cta);
  completeCluster(*w.cta->cluster);
  return gone ? nullptr : next;
}

}  // namespace cutwork::sim

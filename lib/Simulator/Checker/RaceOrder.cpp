// RaceOrder.cpp -- what makes accesses come after each other: barriers, fences, strong accesses.
#include "Race.h"

namespace cutwork::sim {
namespace {

/// A clock that may be changed: nobody else has it.
Clock& writable(ClockRef& ref) {
  if (ref == nullptr || ref.use_count() > 1) {
    ref = ref == nullptr ? std::make_shared<Clock>() : std::make_shared<Clock>(*ref);
  }
  return const_cast<Clock&>(*ref);  // NOLINT(cppcoreguidelines-pro-type-const-cast): made above
}

template <class Visit>
void eachLane(std::uint32_t lanes, const Visit& visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(__builtin_ctz(lanes)));
}

/// What the lanes know, together.
ClockRef commonOf(const RaceWarp& warp, std::uint32_t lanes, ClockRef with = nullptr) {
  eachLane(lanes, [&](unsigned i) { with = joined(with, warp.known[i]); });
  return with;
}

void setKnown(RaceWarp& warp, std::uint32_t lanes, const ClockRef& clock) {
  eachLane(lanes, [&](unsigned i) {
    if (warp.known[i] != clock) warp.known[i] = clock;
  });
}

constexpr std::uint32_t kAll = 0xffffffffU;

}  // namespace

void RaceChecker::barrierOfAll(RaceCta& cta, const std::vector<RaceWarp*>& warps) {
  ClockRef known;
  for (const RaceWarp* warp : warps) known = commonOf(*warp, kAll, known);
  cta.floor = nextSegment_;
  if (ctasOfCluster_ == 1) cta.sharedFloor = cta.floor;
  for (RaceWarp* warp : warps) {
    setKnown(*warp, kAll, known);
    tick(*warp);
  }
}

void RaceChecker::warpBarrier(RaceWarp& warp, std::uint32_t lanes, bool all) {
  ClockRef known = commonOf(warp, lanes);
  if (all) {
    warp.selfFloor = nextSegment_;
  } else {
    writable(known).addLanes(warp.number, lanes, warp.segment + 1);
  }
  setKnown(warp, lanes, known);
  tick(warp);
}

RaceWarp::Fences& RaceChecker::fencesOf(RaceWarp& warp) {
  if (warp.fences == nullptr) warp.fences = std::make_unique<RaceWarp::Fences>();
  return *warp.fences;
}

Published RaceChecker::publication(const RaceWarp& warp, unsigned lane) const {
  return {true, warp.known[lane], warp.cta->floor, warp.selfFloor, warp.segment + 1};
}

ClockRef RaceChecker::made(const RaceWarp& warp, unsigned lane, const Published& from) const {
  auto clock =
      from.clock == nullptr ? std::make_shared<Clock>() : std::make_shared<Clock>(*from.clock);
  if (from.floor > launchFloor_) clock->addBlock(warp.cta->number, from.floor);
  if (from.selfFloor != 0) clock->addLanes(warp.number, kAll, from.selfFloor);
  clock->addLanes(warp.number, 1U << lane, from.below);
  return clock;
}

void RaceChecker::fence(RaceWarp& warp, std::uint32_t lanes) {
  RaceWarp::Fences& fences = fencesOf(warp);
  eachLane(lanes, [&](unsigned i) {
    warp.known[i] = joined(warp.known[i], fences.pending[i]);
    fences.pending[i] = nullptr;
    fences.released[i] = publication(warp, i);
  });
  tick(warp);
}

void RaceChecker::release(RaceWarp& warp, std::uint32_t lanes, ClockRef& to) {
  to = commonOf(warp, lanes, to);
  Clock& clock = writable(to);
  if (warp.cta->floor > launchFloor_) clock.addBlock(warp.cta->number, warp.cta->floor);
  if (warp.selfFloor != 0) clock.addLanes(warp.number, kAll, warp.selfFloor);
  clock.addLanes(warp.number, lanes, warp.segment + 1);
  tick(warp);
}

void RaceChecker::releaseFenced(RaceWarp& warp, std::uint32_t lanes, ClockRef& to) {
  if (warp.fences == nullptr) return;
  eachLane(lanes, [&](unsigned i) {
    const Published& from = warp.fences->released[i];
    if (from.valid) to = joined(to, made(warp, i, from));
  });
}

void RaceChecker::releaseCopies(RaceWarp& warp, unsigned lane, ClockRef& to) {
  writable(to).addLanes(warp.number | kCopies, 1U << lane, nextSegment_);
}

void RaceChecker::acquire(RaceWarp& warp, std::uint32_t lanes, const ClockRef& from) {
  if (from == nullptr) return;
  ClockRef before;
  ClockRef after = from;  // what a lane with `before` knows then
  eachLane(lanes, [&](unsigned i) {
    if (warp.known[i] != before) {
      before = warp.known[i];
      after = joined(before, from);
    }
    warp.known[i] = after;
  });
}

void RaceChecker::strongRead(RaceWarp& warp, unsigned lane, const RacePlane& plane,
                             std::uint64_t offset, Strength strength, bool acquires) {
  if (locations_.empty()) return;
  const auto found = locations_.find(&plane.write[offset / 4]);
  if (found == locations_.end()) return;
  const Location& location = found->second;
  if (!inScope(location.strength, location.cta, strength, warp.cta->number)) return;
  if (acquires) {
    acquire(warp, 1U << lane, location.clock);
  } else {
    learnLater(warp, lane, location.clock);
  }
}

void RaceChecker::learnLater(RaceWarp& warp, unsigned lane, const ClockRef& from) {
  ClockRef& pending = fencesOf(warp).pending[lane];
  pending = joined(pending, from);
}

void RaceChecker::strongWrite(RaceWarp& warp, unsigned lane, const RacePlane& plane,
                              std::uint64_t offset, Strength strength, bool releases,
                              bool keepsOlder) {
  const std::uint64_t* at = &plane.write[offset / 4];
  const bool fenced = warp.fences != nullptr && warp.fences->released[lane].valid;
  if (!releases && !fenced) {
    if (!keepsOlder && !locations_.empty()) locations_.erase(at);
    return;
  }
  Location& location = locations_[at];
  if (!keepsOlder) location.clock = nullptr;
  if (releases) {
    release(warp, 1U << lane, location.clock);
  } else {
    releaseFenced(warp, 1U << lane, location.clock);
  }
  location.strength = strength;
  location.cta = warp.cta->number;
}

}  // namespace cutwork::sim

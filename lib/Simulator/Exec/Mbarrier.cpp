// Mbarrier.cpp -- barriers in shared memory: init, arrivals, transactions, waits.
//
// The object's 64 bits are in the simulated memory; what they cannot hold is in Cta::mbarriers. A
// phase ends when an arrival or complete_tx leaves no arrivals and no bytes pending; expect_tx
// never ends one.
#include <fmt/format.h>

#include <cstring>

#include "Access.h"
#include "Blackwell.h"
#include "Decode/Program.h"
#include "Misc.h"
#include "RaceExec.h"

namespace cutwork::sim {
namespace {

/// One lane's operation on an object.
struct Object {
  Warp& w;
  const Record& r;
  unsigned lane;
  Cta* cta = nullptr;
  std::uint32_t offset = 0;
  std::byte* bytes = nullptr;
  MbarrierBits bits{};

  bool find(std::uint64_t address, bool generic);
  bool fault(std::string message) const;
  [[nodiscard]] bool raceOf(const Spot& spot) const;
  [[nodiscard]] bool isKnown() const;
  void put();
  bool arrive(std::uint32_t count, bool drop);
  bool transact(std::int64_t by);
  void endPhaseIfDone();
};

std::uint64_t addressOf(Warp& w, const Record& r, unsigned lane) {
  const std::uint64_t base = (r.flags & kMbarrierWide) != 0
                                 ? rowAt<std::uint64_t>(w, r.a)[lane]
                                 : std::uint64_t{rowAt<std::uint32_t>(w, r.a)[lane]};
  return base + static_cast<std::uint64_t>(r.imm);
}

MbarrierOp opOf(const Record& r) { return static_cast<MbarrierOp>(r.flags & 0xff); }

bool Object::find(std::uint64_t address, bool generic) {
  const Spot spot = locate(w, r, generic ? Space::Generic : Space::Shared, address, 8, lane,
                           w.undefined != nullptr, true);
  if (spot.bytes == nullptr) return false;
  if (spot.cta == nullptr) {
    raiseAt(w, r, ExitCode::Bounds, lane, address,
            fmt::format("an mbarrier at {:#x}, which is not in shared memory", address));
    return false;
  }
  cta = spot.cta;
  offset = static_cast<std::uint32_t>(spot.offset);
  bytes = spot.bytes;
  std::uint64_t packed = 0;
  std::memcpy(&packed, bytes, 8);
  bits = MbarrierBits::unpack(packed);
  return raceOf(spot);
}

/// Operations on an object are strong, but for those that make and end it.
bool Object::raceOf(const Spot& spot) const {
  constexpr auto kStrong = std::uint32_t{static_cast<unsigned>(Strength::Cluster)} << kScopeShift;
  switch (opOf(r)) {
    case MbarrierOp::Init:
    case MbarrierOp::Inval: return raceSpot(w, r, lane, spot, 8, true);
    case MbarrierOp::Test:
    case MbarrierOp::Try: return raceSpot(w, r, lane, spot, 8, false, kStrong);
    default: return raceAtomic(w, r, lane, spot, 8, kStrong);
  }
}

bool Object::fault(std::string message) const {
  raiseAt(w, r, ExitCode::Barrier, lane, offset, std::move(message));
  return false;
}

/// Whether an object was made here and nobody else wrote to it; a fault if not.
bool Object::isKnown() const {
  if (!w.launch->program->checks.sync) return true;
  const auto found = cta->mbarriers.find(offset);
  if (found == cta->mbarriers.end()) {
    return fault(fmt::format("there is no mbarrier at {:#x}: no mbarrier.init was here", offset));
  }
  if (found->second.bits == bits.pack()) return true;
  return fault(fmt::format("the mbarrier at {:#x}, initialised at {}, was overwritten", offset,
                           w.launch->program->ptxPlace(*found->second.init).text()));
}

void Object::put() {
  const std::uint64_t packed = bits.pack();
  std::memcpy(bytes, &packed, 8);
  cta->mbarriers[offset].bits = packed;
}

void Object::endPhaseIfDone() {
  if (bits.pending != 0 || bits.bytes != 0) return;
  bits.pending = bits.expected;
  bits.phase = (bits.phase + 1) & 7;
  Mbarrier& known = cta->mbarriers[offset];
  ++known.phases;
  known.ended = known.arrivals;
  wakeMbarrierWaits(*cta->cluster);
}

bool Object::arrive(std::uint32_t count, bool drop) {
  if (count == 0 || count > bits.pending) {
    return fault(fmt::format("{} arrival{} at the mbarrier at {:#x}, whose phase {} needs {} more",
                             count, count == 1 ? "" : "s", offset, cta->mbarriers[offset].phases,
                             bits.pending));
  }
  if (drop) bits.expected -= std::min(count, bits.expected);
  bits.pending -= count;
  cta->mbarriers[offset].lastArrival = &r;
  return true;
}

bool Object::transact(std::int64_t by) {
  const std::int64_t sum = bits.bytes + by;
  constexpr std::int64_t kMost = MbarrierBits::kMost;
  if (sum < -kMost || sum > kMost) {
    return fault(fmt::format("{} bytes pending at the mbarrier at {:#x}; the most is {}", sum,
                             offset, kMost));
  }
  bits.bytes = static_cast<std::int32_t>(sum);
  return true;
}

std::uint32_t countOf(Warp& w, const Record& r, unsigned lane) {
  return r.b == 0 ? 1 : rowAt<std::uint32_t>(w, r.b)[lane];
}

bool initialise(Object& o, std::uint32_t count) {
  if (count == 0 || count > MbarrierBits::kMost) {
    return o.fault(fmt::format("an mbarrier for {} arrivals; there can be 1 to {}", count,
                               MbarrierBits::kMost));
  }
  const auto found = o.cta->mbarriers.find(o.offset);
  if (o.w.launch->program->checks.sync && found != o.cta->mbarriers.end() &&
      found->second.bits == o.bits.pack() && o.bits.pending != o.bits.expected) {
    return o.fault(
        fmt::format("mbarrier.init of the mbarrier at {:#x} in the middle of its phase "
                    "{}: {} of {} arrivals are pending",
                    o.offset, found->second.phases, o.bits.pending, o.bits.expected));
  }
  o.bits = {count, count, 0, 0};
  o.cta->mbarriers[o.offset] = {0, 0, &o.r, nullptr, nullptr, nullptr};
  o.put();
  if (o.w.undefined != nullptr) std::memset(o.cta->sharedUndefined.data() + o.offset, 0, 8);
  return true;
}

/// arrive and arrive_drop; `state` gets the object before the arrival.
bool arrival(Object& o, std::uint64_t& state) {
  const Record& r = o.r;
  const bool expects = (r.flags & kMbarrierExpects) != 0;
  const std::uint32_t count = countOf(o.w, r, o.lane);
  if (expects && !o.transact(static_cast<std::int32_t>(count))) return false;
  state = o.bits.pack();
  if (!o.arrive(expects ? 1 : count, opOf(r) == MbarrierOp::Drop)) return false;
  raceRelease(o.w, 1U << o.lane, o.cta->mbarriers[o.offset].arrivals,
              (r.flags & kMbarrierRelaxed) != 0);
  if ((r.flags & kMbarrierNoComplete) != 0 && o.bits.pending == 0 && o.bits.bytes == 0) {
    return o.fault(fmt::format(
        "an arrival with .noComplete ends the phase of the mbarrier at {:#x}", o.offset));
  }
  o.endPhaseIfDone();
  o.put();
  return true;
}

/// Operations that change the object; false after a fault.
bool change(Object& o, std::uint64_t& state) {
  const MbarrierOp op = opOf(o.r);
  if (op == MbarrierOp::Init) return initialise(o, countOf(o.w, o.r, o.lane));
  if (!o.isKnown()) return false;
  if (op == MbarrierOp::Inval) {
    o.cta->mbarriers.erase(o.offset);
    return true;
  }
  if (op == MbarrierOp::Arrive || op == MbarrierOp::Drop) return arrival(o, state);
  const auto by = static_cast<std::int32_t>(countOf(o.w, o.r, o.lane));
  if (!o.transact(op == MbarrierOp::ExpectTx ? std::int64_t{by} : -std::int64_t{by})) return false;
  if (op == MbarrierOp::CompleteTx) o.endPhaseIfDone();
  o.put();
  return true;
}

/// Whether the phase that the lane asks for has ended.
bool hasEnded(const Object& o) {
  if ((o.r.flags & kMbarrierParity) != 0) {
    return (o.bits.phase & 1) != (rowAt<std::uint32_t>(o.w, o.r.c)[o.lane] & 1);
  }
  const auto state = MbarrierBits::unpack(rowAt<std::uint64_t>(o.w, o.r.c)[o.lane]);
  return (state.phase & 1) != (o.bits.phase & 1);
}

/// The lanes whose phases have ended; copies that arrive there are done first. False after a fault.
bool poll(Warp& w, const Record& r, std::uint32_t& ended) {
  ended = 0;
  for (std::uint32_t lanes = w.mask; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    Object o{w, r, lane};
    if (!o.find(addressOf(w, r, lane), (r.flags & kMbarrierGeneric) != 0) || !o.isKnown()) {
      return false;
    }
    bool yes = hasEnded(o);
    if (!yes && deliverArrivals(*o.cta, o.offset)) {
      if (w.launch->fault.any()) return false;
      std::uint64_t packed = 0;
      std::memcpy(&packed, o.bytes, 8);
      o.bits = MbarrierBits::unpack(packed);
      yes = hasEnded(o);
    }
    if (yes && w.launch->race != nullptr) {
      raceAcquire(w, 1U << lane, o.cta->mbarriers[o.offset].ended,
                  (r.flags & kMbarrierRelaxed) != 0);
    }
    ended |= (yes ? 1U : 0U) << lane;
  }
  return true;
}

const Record* wait(Warp& w, const Record& r) {
  std::uint32_t ended = 0;
  if (!poll(w, r, ended)) return nullptr;
  Group& group = w.groups[w.current];
  if (opOf(r) == MbarrierOp::Try && ended != w.mask && !group.timedOut) {
    return block(w, GroupState::Mbarrier, &r);
  }
  group.timedOut = false;
  group.waited = 0;
  w.budget -= kWaitingCost;
  std::uint32_t& to = predAt(w, r.d);
  to = (to & ~w.mask) | ended;
  if (w.undefined != nullptr) undefinedAt(w, r.d)[0] &= ~w.mask;
  return &r + 1;
}

bool refusesOperands(Warp& w, const Record& r) {
  if (w.undefined == nullptr) return false;
  std::uint32_t bad = undefinedLanes(w, r.a, (r.flags & kMbarrierWide) != 0 ? 8 : 4);
  if (r.b != 0) bad |= undefinedLanes(w, r.b, 4);
  if (r.c != 0) bad |= undefinedLanes(w, r.c, (r.flags & kMbarrierParity) != 0 ? 4 : 8);
  if (bad != 0) refuseUndefined(w, r, bad, "an operand of this mbarrier operation");
  return bad != 0;
}

const Record* pendingCount(Warp& w, const Record& r) {
  const auto* states = rowAt<std::uint64_t>(w, r.a);
  auto* to = rowAt<std::uint32_t>(w, r.d);
  for (unsigned i = 0; i < 32; ++i) {
    if ((w.mask >> i & 1) != 0) to[i] = MbarrierBits::unpack(states[i]).pending;
  }
  if (w.undefined == nullptr) return &r + 1;
  const std::uint32_t bad = undefinedLanes(w, r.a, 8);
  for (unsigned k = 0; k < 4; ++k)
    undefinedAt(w, r.d)[k] = (undefinedAt(w, r.d)[k] & ~w.mask) | bad;
  return &r + 1;
}

}  // namespace

void wakeMbarrierWaits(Cluster& cluster) {
  for (Cta& cta : cluster.ctas) {
    for (Warp& w : cta.warps) {
      for (Group& group : w.groups) {
        if (group.state == GroupState::Mbarrier) group.state = GroupState::Ready;
      }
    }
  }
}

const Record* mbarrierRecord(Warp& w, const Record& r) {
  const MbarrierOp op = opOf(r);
  if (op == MbarrierOp::Count) return pendingCount(w, r);
  if (refusesOperands(w, r)) return nullptr;
  if (op == MbarrierOp::Test || op == MbarrierOp::Try) return wait(w, r);
  ++w.counters.barriers;
  for (std::uint32_t lanes = w.mask; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    Object o{w, r, lane};
    std::uint64_t state = 0;
    if (!o.find(addressOf(w, r, lane), (r.flags & kMbarrierGeneric) != 0)) return nullptr;
    if (!change(o, state)) return nullptr;
    if (r.d != 0) rowAt<std::uint64_t>(w, r.d)[lane] = state;
  }
  for (unsigned k = 0; k < 8 && r.d != 0 && w.undefined != nullptr; ++k) {
    undefinedAt(w, r.d)[k] &= ~w.mask;
  }
  return &r + 1;
}

bool trackForCopy(Warp& w, const Record& r, unsigned lane, std::uint32_t& offset) {
  Object o{w, r, lane};
  if (!o.find(addressOf(w, r, lane), (r.flags & kMbarrierGeneric) != 0) || !o.isKnown()) {
    return false;
  }
  offset = o.offset;
  if (o.cta != w.cta) {
    return o.fault("cp.async.mbarrier.arrive at an mbarrier of another block");
  }
  if ((r.flags & kMbarrierNoIncrement) != 0) return true;
  if (o.bits.pending == MbarrierBits::kMost) {
    return o.fault(fmt::format("more than {} arrivals pending", MbarrierBits::kMost));
  }
  ++o.bits.pending;
  o.put();
  return true;
}

bool arriveForCopy(Warp& w, const Record& r, unsigned lane, std::uint32_t offset) {
  Object o{w, r, lane};
  if (!o.find(offset, false) || !o.isKnown() || !o.arrive(1, false)) return false;
  if (w.launch->race != nullptr) {
    w.launch->race->releaseCopies(w.race, lane, o.cta->mbarriers[offset].arrivals);
  }
  o.endPhaseIfDone();
  o.put();
  return true;
}

bool completeBytes(Warp& w, const Record& r, unsigned lane, Cta& cta, std::int64_t bytes) {
  std::uint64_t address = addressOf(w, r, lane);
  if ((r.flags & kMbarrierGeneric) != 0) {
    if (spaceOfGeneric(address) != Space::Shared) {
      raiseAt(w, r, ExitCode::Bounds, lane, address,
              fmt::format("an mbarrier at {:#x}, which is not in shared memory", address));
      return false;
    }
    address -= kSharedWindow;
  }
  if (&cta != w.cta) address |= std::uint64_t{cta.rank + 1} << kClusterShift;
  Object o{w, r, lane};
  if (!o.find(address, false) || !o.isKnown() || !o.transact(-bytes)) return false;
  if (w.launch->race != nullptr) {
    w.launch->race->releaseCopies(w.race, lane, o.cta->mbarriers[o.offset].arrivals);
  }
  o.endPhaseIfDone();
  o.put();
  return true;
}

std::string describeMbarrier(Warp& w, const Group& group) {
  const auto lane = static_cast<unsigned>(__builtin_ctz(group.mask));
  std::uint64_t address = addressOf(w, *group.pc, lane);
  if (address - kSharedWindow < kWindowBytes) address -= kSharedWindow;
  const std::uint64_t rank = address >> kClusterShift;
  std::vector<Cta>& ctas = w.cta->cluster->ctas;
  const Cta& cta = rank == 0 || rank > ctas.size() ? *w.cta : ctas[rank - 1];
  const auto offset = static_cast<std::uint32_t>(address & ((1U << kClusterShift) - 1));
  const auto found = cta.mbarriers.find(offset);
  if (found == cta.mbarriers.end()) return fmt::format("an mbarrier at {:#x}", offset);
  const auto bits = MbarrierBits::unpack(found->second.bits);
  std::string text = fmt::format(
      "the mbarrier at {:#x}, whose phase {} (parity {}) needs {} of {} arrivals and {} "
      "bytes",
      offset, found->second.phases, found->second.phases & 1, bits.pending, bits.expected,
      bits.bytes);
  if (found->second.lastArrival != nullptr) {
    text += fmt::format("; the last arrival was at {}",
                        w.launch->program->ptxPlace(*found->second.lastArrival).text());
  }
  return text;
}

}  // namespace cutwork::sim

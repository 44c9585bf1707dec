// RaceExec.cpp -- from lanes and records to the race checker, and from conflicts to reports.
#include "RaceExec.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "Checker/Value.h"
#include "Decode/Program.h"

namespace cutwork::sim {
namespace {

std::uint32_t instructionOf(const Warp& w, const Record& r) {
  const auto at = static_cast<std::uint64_t>(&r - w.launch->program->records.data());
  return static_cast<std::uint32_t>(at & kInstructionMask);
}

Toucher toucher(Warp& w, const Record& r, unsigned lane, Strength strength) {
  return {&w.race, whoWord(1U << lane), instructionOf(w, r), strength};
}

/// The block of a launch by its number: they start cluster by cluster.
std::array<std::uint32_t, 3> blockAt(const Launch& launch, std::uint32_t number) {
  const auto& cluster = launch.config.cluster;
  const auto& grid = launch.config.grid;
  const std::uint32_t ctas = cluster[0] * cluster[1] * cluster[2];
  const auto which = static_cast<std::uint32_t>(launch.order.at(number / ctas));
  const std::uint32_t rank = number % ctas;
  const std::uint32_t wide = grid[0] / cluster[0];
  const std::uint32_t high = grid[1] / cluster[1];
  return {which % wide * cluster[0] + rank % cluster[0],
          which / wide % high * cluster[1] + rank / cluster[0] % cluster[1],
          which / wide / high * cluster[2] + rank / cluster[0] / cluster[1]};
}

std::string_view adviceFor(const Warp& w, std::uint32_t otherWarp) {
  const RaceChecker& race = *w.launch->race;
  const std::uint32_t cta = race.ctaOf(otherWarp);
  if ((otherWarp & kCopies) != 0) {
    return "a wait at the mbarrier that the copy arrives at would order them";
  }
  if (otherWarp == w.race.number) {
    return "bar.warp.sync (__syncwarp()) or bar.sync between them would order them";
  }
  if (cta == w.race.cta->number) {
    return "bar.sync (__syncthreads()) between them would order them";
  }
  const std::size_t ctas = w.cta->cluster->ctas.size();
  if (ctas > 1 && cta / ctas == w.race.cta->number / ctas) {
    return "barrier.cluster between them would order them";
  }
  return "no barrier orders blocks: atomic operations, a flag with fences, or a launch of its own "
         "would";
}

std::uint64_t widthOf(std::uint32_t flags) {
  return (flags & kHugeRegister) != 0 ? 16U : (flags & kWideRegister) != 0 ? 8U : 4U;
}

/// The bytes that a lane of a plain store writes; how many.
std::size_t storedBytes(Warp& w, const Record& r, unsigned lane, std::uint8_t* to) {
  const std::size_t bytes = r.flags >> kSizeShift & 255;
  const unsigned count = r.flags >> 28;
  if (count == 0) {
    std::memcpy(to, w.file + r.d + lane * widthOf(r.flags), bytes);
    return bytes;
  }
  for (unsigned e = 0; e < count; ++e) {
    const Record& element = (&r)[1 + e];
    std::memset(to + e * bytes, 0, bytes);
    if (element.d != 0) {
      std::memcpy(to + e * bytes, w.file + element.d + lane * widthOf(element.flags), bytes);
    }
  }
  return count * bytes;
}

bool haveSameAddress(Warp& w, const Record& r, unsigned i, unsigned k) {
  const std::size_t width = (r.flags & kWideAddress) != 0 ? 8 : 4;
  const std::uint8_t* row = w.file + r.a;
  return std::memcmp(row + i * width, row + k * width, width) == 0;
}

/// The memory of a plane.
const std::uint8_t* memoryOf(const Warp& w, const RacePlane& plane) {
  for (const Cta& cta : w.cta->cluster->ctas) {
    if (cta.race.plane.write == plane.write) return cta.shared.data();
  }
  return reinterpret_cast<const std::uint8_t*>(w.launch->data);
}

/// What one access of a race had, at the byte where they meet: `wrote 7 (u32)`. Nothing for
/// instructions that have no values.
struct Side {
  const Record* record = nullptr;
  std::uint64_t begin = 0;  ///< of its bytes in the plane, if they are its registers'
  int lane = -1;            ///< whose registers have what is stored; -1: memory has it
  bool isOwn = false;
  bool wrote = false;
};

std::string valueOf(Warp& w, const RacePlane& plane, std::uint64_t offset, const Side& side) {
  const Statement& statement = w.launch->program->statement(*side.record);
  const bool isAtomic = statement.name == "atom" || statement.name == "red";
  const bool isLoad = statement.name == "ld" || statement.name == "ldmatrix";
  if (!isAtomic && !isLoad && statement.name != "st") return {};
  Ty type = Ty::None;
  for (const std::string_view word : statement.words) type = typeNamed(word).value_or(type);
  const unsigned bytes = type == Ty::None ? 0 : bytesOf(type);
  if (bytes == 0) return {};
  const std::uint64_t at = offset / bytes * bytes;
  std::uint8_t stored[256];
  const std::uint8_t* from = memoryOf(w, plane) + at;
  if (side.lane >= 0 && statement.name == "st") {
    const auto lane = static_cast<unsigned>(side.lane);
    const std::size_t size = storedBytes(w, *side.record, lane, stored);
    if (at < side.begin || at - side.begin + bytes > size) return {};
    from = stored + (at - side.begin);
  }
  const char* verb = isAtomic && side.isOwn ? "met" : side.wrote ? "wrote" : "read";
  return fmt::format("{} {}", verb, valueText(type, from));
}

/// The registers of a lane beside the accessing one, which stores with the same instruction and may
/// not have done so yet; -1: it has, or is of another.
int laneBeside(const Warp& w, const Record& r, const Conflict& conflict) {
  const std::uint32_t who = whoOf(conflict.word);
  const bool same = conflict.wrote && segmentOf(conflict.word) == w.race.segment && who < 32 &&
                    (conflict.word & kInstructionMask) == instructionOf(w, r);
  return same && (w.mask >> (who & 31) & 1) != 0 ? static_cast<int>(who) : -1;
}

/// An access, for a report.
struct Touch {
  const RacePlane& plane;
  std::uint64_t offset;
  unsigned bytes;
  bool write;
};

void describeOther(Warp& w, const Record& r, unsigned lane, const Touch& touch,
                   const Conflict& conflict, const Record& record) {
  const RaceChecker& race = *w.launch->race;
  const std::uint32_t other = race.warpOf(conflict.word);
  // Warps are numbered block by block.
  const auto warps = static_cast<std::uint32_t>(w.cta->warps.size());
  const bool own = other == w.race.number;
  const std::uint32_t thread =
      (other & ~kCopies) % warps * 32 + laneOf(conflict.word, own ? lane : 32);
  OtherAccess access = otherAccess(*w.launch, *w.cta, thread, record);
  access.block = blockAt(*w.launch, race.ctaOf(other));
  const int beside = laneBeside(w, r, conflict);
  if (!conflict.covered) {
    access.value = valueOf(w, touch.plane, conflict.offset,
                           {&record, touch.offset, beside, false, conflict.wrote});
  }
  w.launch->fault.other = std::move(access);
}

/// Whether a line of the user's reads and writes the place, as `x[0] += 1` does.
bool isUpdate(const Program& program, const Record& r, const Record* other, const Touch& touch,
              const Conflict& conflict) {
  if (other == nullptr || touch.write == conflict.wrote) return false;
  const SourcePlace mine = program.userPlace(r);
  const SourcePlace theirs = program.userPlace(*other);
  return mine.known() && mine.line == theirs.line && mine.file == theirs.file;
}

/// Raises the race; whether the run goes on.
bool report(Warp& w, const Record& r, unsigned lane, const Touch& touch, const Conflict& conflict) {
  const Program& program = *w.launch->program;
  const auto instruction = static_cast<std::uint32_t>(conflict.word & kInstructionMask);
  const std::size_t records = program.records.size();
  const bool known = instruction < records && records <= kInstructionMask;
  const Record* record = known ? &program.records[instruction] : nullptr;
  if (raisedBefore(w, r, ExitCode::Race, record)) return goOn(w, r, record);
  const bool inShared = touch.plane.write != w.launch->race->global().write;
  const std::uint64_t address = inShared ? touch.offset : GlobalMemory::kBase + touch.offset;
  const std::string where =
      inShared ? "shared memory" : "global memory (" + w.launch->memory->describe(address) + ")";
  raiseAt(w, r, ExitCode::Race, lane, address,
          fmt::format("a {} of {} byte{} at {:#x} in {} is not ordered with a {} by {}; {}",
                      touch.write ? "store" : "load", touch.bytes, touch.bytes == 1 ? "" : "s",
                      address, where, conflict.wrote ? "store" : "load",
                      whoOf(conflict.word) < 32             ? "another thread"
                      : whoOf(conflict.word) == kCollective ? "a warp"
                                                            : "other threads of a warp",
                      isUpdate(program, r, record, touch, conflict)
                          ? "one line reads and writes it: an atomic operation would keep what "
                            "each of them adds"
                          : adviceFor(w, w.launch->race->warpOf(conflict.word))));
  w.launch->fault.value =
      valueOf(w, touch.plane, conflict.offset,
              {&r, touch.offset, touch.write ? static_cast<int>(lane) : -1, true, touch.write});
  if (record != nullptr) describeOther(w, r, lane, touch, conflict, *record);
  return goOn(w, r, record);
}

bool raceBy(Warp& w, const Record& r, unsigned lane, const RacePlane& plane, std::uint64_t offset,
            unsigned bytes, bool write, const Toucher& who) {
  Conflict conflict;
  RaceChecker& race = *w.launch->race;
  if (race.touch(plane, offset, bytes, write, who, conflict)) return true;
  if (!report(w, r, lane, {plane, offset, bytes, write}, conflict)) return false;
  Toucher forced = who;
  forced.forced = true;
  return race.touch(plane, offset, bytes, write, forced, conflict);
}

/// Threads that compute the same thing and store it with one instruction to one place, as compilers
/// of tiles let them, are taken for one. `at` has what is there now.
bool isRepeated(Warp& w, const Record& r, unsigned lane, const RacePlane& plane,
                std::uint64_t offset, const std::byte* at) {
  const std::uint64_t word = w.launch->race->lastWrite(plane, offset);
  const std::uint32_t other = whoOf(word);
  if (segmentOf(word) < plane.floor || (word & kInstructionMask) != instructionOf(w, r)) {
    return false;
  }
  std::uint8_t own[256];
  const std::size_t bytes = storedBytes(w, r, lane, own);
  if (std::memcmp(own, at, bytes) == 0) return true;
  // A lane beside this one has not written yet.
  const bool now = segmentOf(word) == w.race.segment && other < 32 && other != lane &&
                   (w.mask >> (other & 31) & 1) != 0;
  if (!now || !haveSameAddress(w, r, lane, other)) return false;
  std::uint8_t others[256];
  return storedBytes(w, r, other, others) == bytes && std::memcmp(own, others, bytes) == 0;
}

const RacePlane* planeOf(const Warp& w, const Spot& spot) {
  if (spot.cta != nullptr) return &spot.cta->race.plane;
  return spot.global ? &w.launch->race->global() : nullptr;
}

}  // namespace

std::uint64_t raceWord(const Warp& w, const Record& r) {
  return std::uint64_t{w.race.segment} << kSegmentShift | instructionOf(w, r);
}

bool raceAccess(Warp& w, const Record& r, unsigned lane, const RacePlane& plane,
                std::uint64_t offset, std::byte* at, unsigned bytes, bool write,
                std::uint32_t flags) {
  const Strength strength = strengthOf(flags);
  const bool weak = strength == Strength::Weak;
  if (write && weak && isRepeated(w, r, lane, plane, offset, at)) return true;
  RaceChecker& race = *w.launch->race;
  const bool acquires = !write && !weak && (flags & kAcquires) != 0;
  // What it learns comes before the load itself too, as what is below the value that it read does.
  if (acquires) race.strongRead(w.race, lane, plane, offset, strength, true);
  if (!raceBy(w, r, lane, plane, offset, bytes, write, toucher(w, r, lane, strength))) return false;
  if (weak || acquires) return true;
  if (write) {
    race.strongWrite(w.race, lane, plane, offset, strength, (flags & kReleases) != 0, false);
  } else {
    race.strongRead(w.race, lane, plane, offset, strength, false);
  }
  return true;
}

bool raceSpot(Warp& w, const Record& r, unsigned lane, const Spot& spot, unsigned bytes, bool write,
              std::uint32_t flags) {
  if (w.launch->race == nullptr) return true;
  const RacePlane* plane = planeOf(w, spot);
  return plane == nullptr ||
         raceAccess(w, r, lane, *plane, spot.offset, spot.bytes, bytes, write, flags);
}

bool raceAtomic(Warp& w, const Record& r, unsigned lane, const Spot& spot, unsigned bytes,
                std::uint32_t flags) {
  if (w.launch->race == nullptr) return true;
  const RacePlane* plane = planeOf(w, spot);
  if (plane == nullptr) return true;
  RaceChecker& race = *w.launch->race;
  const Strength strength = strengthOf(flags);
  race.strongRead(w.race, lane, *plane, spot.offset, strength, (flags & kAcquires) != 0);
  Toucher who = toucher(w, r, lane, strength);
  who.compares = (flags & kComparesFlag) != 0;
  if (!raceBy(w, r, lane, *plane, spot.offset, bytes, true, who)) return false;
  race.strongWrite(w.race, lane, *plane, spot.offset, strength, (flags & kReleases) != 0, true);
  return true;
}

bool raceShared(Warp& w, const Record& r, const RacePlane& plane, std::uint64_t offset,
                unsigned bytes, bool write, bool collective) {
  const auto lane = static_cast<unsigned>(__builtin_ctz(w.mask));
  Toucher who = toucher(w, r, lane, Strength::Weak);
  who.who = collective ? std::uint64_t{kCollective} << kWhoShift : whoWord(w.mask);
  return raceBy(w, r, lane, plane, offset, bytes, write, who);
}

bool raceLook(Warp& w, const Record& r, unsigned lane, const Spot& spot, unsigned bytes,
              bool write) {
  if (w.launch->race == nullptr) return true;
  const RacePlane* plane = planeOf(w, spot);
  if (plane == nullptr) return true;
  Conflict conflict;
  const Toucher who = toucher(w, r, lane, Strength::Weak);
  if (w.launch->race->look(*plane, spot.offset, bytes, write, who, conflict)) return true;
  return report(w, r, lane, {*plane, spot.offset, bytes, write}, conflict);
}

bool raceCopied(Warp& w, const Record& r, unsigned lane, const Cta& cta, std::uint64_t offset,
                unsigned bytes, bool copies) {
  if (w.launch->race == nullptr) return true;
  Toucher who = toucher(w, r, lane, Strength::Weak);
  who.copies = copies;
  return raceBy(w, r, lane, cta.race.plane, offset, bytes, true, who);
}

void raceArrive(Warp& w, Barrier& barrier) {
  if (w.launch->race == nullptr) return;
  barrier.splits = true;
  w.launch->race->release(w.race, w.mask, barrier.clock);
}

void raceForget(const Launch& launch, std::uint64_t offset, std::uint64_t bytes) {
  if (launch.race == nullptr) return;
  const RacePlane& plane = launch.race->global();
  for (std::uint64_t granule = offset / 4; granule < (offset + bytes + 3) / 4; ++granule) {
    plane.write[granule] = 0;
    plane.read[granule] = 0;
    plane.other[granule] = 0;
  }
}

void raceBarrier(Cta& cta, Barrier& barrier, std::uint32_t number) {
  RaceChecker* race = cta.launch->race;
  if (race == nullptr) return;
  const auto waiting = [&](const Warp& w) {
    std::uint32_t lanes = 0;
    for (const Group& group : w.groups) {
      const bool here = group.state == GroupState::Barrier && group.barrier == number;
      if (here) lanes |= group.mask;
    }
    return lanes;
  };
  std::vector<RaceWarp*> warps;
  bool all = !barrier.splits;
  for (Warp& w : cta.warps) {
    if (w.live == 0) continue;
    all = all && waiting(w) == w.live;
    warps.push_back(&w.race);
  }
  if (all) {
    race->barrierOfAll(cta.race, warps);
    return;
  }
  for (Warp& w : cta.warps) {
    if (const std::uint32_t lanes = waiting(w); lanes != 0) {
      race->release(w.race, lanes, barrier.clock);
    }
  }
  for (Warp& w : cta.warps) race->acquire(w.race, waiting(w), barrier.clock);
  barrier.clock = nullptr;
  barrier.splits = false;
}

void raceWarpBarrier(Warp& w, std::uint32_t lanes) {
  if (w.launch->race != nullptr && lanes != 0) {
    w.launch->race->warpBarrier(w.race, lanes, lanes == w.live);
  }
}

void raceFence(Warp& w) {
  if (w.launch->race != nullptr) w.launch->race->fence(w.race, w.mask);
}

void raceRelease(Warp& w, std::uint32_t lanes, ClockRef& to, bool relaxed) {
  if (w.launch->race == nullptr) return;
  if (relaxed) {
    w.launch->race->releaseFenced(w.race, lanes, to);
  } else {
    w.launch->race->release(w.race, lanes, to);
  }
}

void raceAcquire(Warp& w, std::uint32_t lanes, const ClockRef& from, bool relaxed) {
  if (w.launch->race == nullptr || from == nullptr) return;
  if (!relaxed) {
    w.launch->race->acquire(w.race, lanes, from);
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    w.launch->race->learnLater(w.race, static_cast<unsigned>(__builtin_ctz(lanes)), from);
  }
}

}  // namespace cutwork::sim

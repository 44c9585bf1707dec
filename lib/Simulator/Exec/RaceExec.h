// RaceExec.h -- accesses and synchronisations as the race checker sees them.
//
// All of these do nothing if the launch is not checked for races.
#pragma once

#include "Access.h"
#include "Checker/Race.h"

namespace cutwork::sim {

/// Bits of the flags of loads, stores and atomics: a Strength, and its order.
inline constexpr unsigned kScopeShift = 20;
inline constexpr std::uint32_t kAcquires = 1U << 22;
inline constexpr std::uint32_t kReleases = 1U << 23;

inline constexpr std::uint32_t kComparesFlag = 1U << 24;  ///< of atomics: cas
inline constexpr std::uint32_t kWideAddress = 1U << 25;   ///< of loads and stores

inline Strength strengthOf(std::uint32_t flags) {
  return static_cast<Strength>(flags >> kScopeShift & 3);
}

/// What a record's word has beside the lane.
std::uint64_t raceWord(const Warp& w, const Record& r);

/// One lane's access of the bytes at `at`; false if it is a race, which is then reported.
bool raceAccess(Warp& w, const Record& r, unsigned lane, const RacePlane& plane,
                std::uint64_t offset, std::byte* at, unsigned bytes, bool write,
                std::uint32_t flags);
/// The same of a place that was located.
bool raceSpot(Warp& w, const Record& r, unsigned lane, const Spot& spot, unsigned bytes, bool write,
              std::uint32_t flags = 0);
/// Reads and writes.
bool raceAtomic(Warp& w, const Record& r, unsigned lane, const Spot& spot, unsigned bytes,
                std::uint32_t flags);
/// The lanes of a warp read one place, or (collective) the warp as one accesses it.
bool raceShared(Warp& w, const Record& r, const RacePlane& plane, std::uint64_t offset,
                unsigned bytes, bool write, bool collective);
/// Whether a lane could access the place now, without having done so.
bool raceLook(Warp& w, const Record& r, unsigned lane, const Spot& spot, unsigned bytes,
              bool write);
/// A copy in flight arrives: as its thread, or (copies) as nobody's.
bool raceCopied(Warp& w, const Record& r, unsigned lane, const Cta& cta, std::uint64_t offset,
                unsigned bytes, bool copies);

/// Nobody has accessed these bytes of global memory yet.
void raceForget(const Launch& launch, std::uint64_t offset, std::uint64_t bytes);

/// Barriers of a block and of a warp.
void raceBarrier(Cta& cta, Barrier& barrier, std::uint32_t number);
void raceArrive(Warp& w, Barrier& barrier);
void raceWarpBarrier(Warp& w, std::uint32_t lanes);
void raceFence(Warp& w);
/// The executing lanes release to a clock, or learn from it; relaxed: what a fence published.
void raceRelease(Warp& w, std::uint32_t lanes, ClockRef& to, bool relaxed);
void raceAcquire(Warp& w, std::uint32_t lanes, const ClockRef& from, bool relaxed);

}  // namespace cutwork::sim

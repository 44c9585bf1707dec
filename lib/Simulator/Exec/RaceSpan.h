// RaceSpan.h -- the race checker's fast ways: all lanes of a load or store at once. Compiled once
// per host instruction set.
//
// A word that is below the floor, or the lane's own of this segment, is no race; what is neither
// goes the slow way (RaceExec.h), lane by lane.
#pragma once

#include "RaceExec.h"

CW_SIM_BEGIN

/// The words of an instruction: the lane is added.
struct RaceWords {
  std::uint64_t floor = 0;
  std::uint64_t mine = 0;
  [[nodiscard]] std::uint64_t of(std::uint64_t lane) const { return mine | lane << kWhoShift; }
  /// Not zero: the lane of `own` has to look further.
  [[nodiscard]] std::uint64_t doubt(std::uint64_t word, std::uint64_t own) const {
    return (word < floor ? std::uint64_t{0} : ~std::uint64_t{0}) & (word ^ own) >> kWhoShift;
  }
  /// Not zero: the word is above the floor, and of another segment.
  [[nodiscard]] std::uint64_t isForeign(std::uint64_t word) const {
    return (word < floor ? std::uint64_t{0} : ~std::uint64_t{0}) & (word ^ mine) >> kSegmentShift;
  }
  [[nodiscard]] bool isOfSegment(std::uint64_t word) const {
    return (word ^ mine) >> kSegmentShift == 0;
  }
};

/// Notes a read where the write before it is fine.
inline void noteRead(const RacePlane& plane, std::uint64_t g, const RaceWords& words,
                     std::uint64_t own) {
  const std::uint64_t read = plane.read[g];
  std::uint64_t& to = words.isForeign(read) == 0 ? plane.read[g] : plane.other[g];
  to = words.isOfSegment(to) ? withReader(to, own) : own;
}

/// 32 << shift granules from g on, 1 << shift for each lane; false: some word needs a closer look,
/// and nothing was noted.
inline bool raceRunRead(const RacePlane& plane, std::uint64_t g, unsigned shift,
                        const RaceWords& words) {
  const unsigned count = 32U << shift;
  const std::uint64_t* write = plane.write + g;
  std::uint64_t* read = plane.read + g;
  std::uint64_t bad = 0;
  std::uint64_t crowded = 0;
  for (unsigned k = 0; k < count; ++k) {
    bad |= words.doubt(write[k], words.of(k >> shift));
    crowded |= words.isForeign(read[k]);
  }
  if (bad != 0) return false;
  if (crowded != 0) {
    for (unsigned k = 0; k < count; ++k) noteRead(plane, g + k, words, words.of(k >> shift));
    return true;
  }
  for (unsigned k = 0; k < count; ++k) {
    const std::uint64_t own = words.of(k >> shift);
    read[k] = words.isOfSegment(read[k]) ? withReader(read[k], own) : own;
  }
  return true;
}

inline bool raceRunWrite(const RacePlane& plane, std::uint64_t g, unsigned shift,
                         const RaceWords& words) {
  const unsigned count = 32U << shift;
  std::uint64_t* write = plane.write + g;
  std::uint64_t* read = plane.read + g;
  std::uint64_t* other = plane.other + g;
  std::uint64_t bad = 0;
  std::uint64_t readers = 0;
  for (unsigned k = 0; k < count; ++k) {
    const std::uint64_t own = words.of(k >> shift);
    bad |= words.doubt(write[k], own) | words.doubt(read[k], own) | words.doubt(other[k], own);
    readers |= read[k] | other[k];
  }
  if (bad != 0) return false;
  for (unsigned k = 0; k < count; ++k) write[k] = words.of(k >> shift);
  for (unsigned k = 0; k < count && readers != 0; ++k) {
    read[k] = 0;
    other[k] = 0;
  }
  return true;
}

/// One lane's granules; false: a closer look is needed, and nothing was noted.
template <bool Store>
bool raceLane(const RacePlane& plane, std::uint64_t g, unsigned count, const RaceWords& words,
              std::uint64_t own) {
  for (unsigned k = 0; k < count; ++k) {
    std::uint64_t doubt = words.doubt(plane.write[g + k], own);
    if (Store) doubt |= words.doubt(plane.read[g + k], own) | words.doubt(plane.other[g + k], own);
    if (doubt != 0) return false;
  }
  for (unsigned k = 0; k < count; ++k) {
    if constexpr (Store) {
      plane.write[g + k] = own;
      plane.read[g + k] = 0;
      plane.other[g + k] = 0;
    } else {
      noteRead(plane, g + k, words, own);
    }
  }
  return true;
}

/// The pages of such an access; each lane's bytes are in one.
template <bool Store>
void markPages(const RacePlane& plane, const std::uint64_t* offsets, bool few) {
  // A run of lanes is shorter than a page.
  plane.mark(offsets[0], Store);
  for (unsigned i = few ? 31 : 1; i < 32; ++i) plane.mark(offsets[i], Store);
}

/// A load or store of `bytes` for each executing lane at an offset in the plane; false after a
/// report. `run`: the lanes are one after the other; `same`: all at one place.
template <bool Store>
bool raceLanes(Warp& w, const Record& r, const RacePlane& plane, std::uint32_t floor, std::byte* at,
               const std::uint64_t* offsets, unsigned bytes, bool run, bool same) {
  if (plane.pages != nullptr) markPages<Store>(plane, offsets, run || same);
  const std::uint32_t flags = r.flags;
  const bool whole = bytes % 4 == 0 && strengthOf(flags) == Strength::Weak;
  const RaceWords words{std::uint64_t{floor} << kSegmentShift, raceWord(w, r)};
  const unsigned count = bytes / 4;
  if (whole && run && w.mask == kAllLanes) {
    const auto shift = static_cast<unsigned>(__builtin_ctz(count));
    const std::uint64_t g = offsets[0] / 4;
    if (Store ? raceRunWrite(plane, g, shift, words) : raceRunRead(plane, g, shift, words)) {
      return true;
    }
  }
  if (!Store && same && strengthOf(flags) == Strength::Weak) {
    const std::uint64_t own = words.mine | whoWord(w.mask);
    if (whole && raceLane<false>(plane, offsets[0] / 4, count, words, own)) return true;
    return raceShared(w, r, plane, offsets[0], bytes, false, false);
  }
  for (std::uint32_t lanes = w.mask; lanes != 0; lanes &= lanes - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(lanes));
    if (whole && raceLane<Store>(plane, offsets[i] / 4, count, words, words.of(i))) continue;
    if (!raceAccess(w, r, i, plane, offsets[i], at + offsets[i], bytes, Store, flags)) return false;
  }
  return true;
}

CW_SIM_END

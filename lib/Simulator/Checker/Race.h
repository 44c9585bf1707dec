// Race.h -- data races by happens-before, as the PTX memory model has it.
//
// For each four bytes three words say who wrote them last, and who has read since (two readers):
// segment (Clock.h), lane, strength, instruction. An access is a race with such a word if it does
// not come after it, unless both only read or both are strong. Others are split into bytes.
// A strong write does not displace what is weaker and not known to all: who comes after neither is
// no race with the strong one. A weaker write then takes the place of a reader.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "Clock.h"
#include "Memory/Page.h"
#include "RaceWord.h"

namespace cutwork::sim {

/// In a word of writes: the four bytes are split; the rest is an index.
inline constexpr std::uint64_t kSplit = ~std::uint64_t{0} << kSegmentShift;
/// Warps above this are the copies that a warp issued.
inline constexpr std::uint32_t kCopies = 0x80000000U;

/// How strong an access is: weak, or in a scope.
enum class Strength : std::uint8_t { Weak, Cta, Cluster, Gpu };

/// The words of an array of memory, one for each four bytes.
struct RacePlane {
  std::uint64_t* write = nullptr;
  std::uint64_t* read = nullptr;
  std::uint64_t* other = nullptr;  ///< another read
  std::uint32_t floor = 0;         ///< words below are of a launch or block that has ended
  PageMark* pages = nullptr;       ///< for meet(), where several checkers see a launch
  void mark(std::uint64_t offset, bool write) const {
    (write ? pages[offset >> kPageShift].wrote : pages[offset >> kPageShift].read) = floor;
  }
};

struct RaceCta {
  std::uint32_t number = 0;  ///< in the launch
  std::uint32_t floor = 0;   ///< what the block did below this is known to all of its threads
  /// What anyone who could did to its shared memory below this is known.
  std::uint32_t sharedFloor = 0;
  std::vector<std::uint64_t> words;
  RacePlane plane;
};

/// What a fence or a release publishes: a clock, not yet made.
struct Published {
  bool valid = false;
  ClockRef clock;
  std::uint32_t floor = 0;
  std::uint32_t selfFloor = 0;
  std::uint32_t below = 0;
};

struct RaceWarp {
  std::uint32_t number = 0;
  RaceCta* cta = nullptr;
  std::uint32_t segment = 0;
  std::uint32_t selfFloor = 0;  ///< what its lanes did below this is known to all of them
  std::array<ClockRef, 32> known;
  struct Fences {
    std::array<Published, 32> released;
    std::array<ClockRef, 32> pending;  ///< read by relaxed accesses, to be known at a fence
  };
  std::unique_ptr<Fences> fences;
};

/// One lane's access.
struct Toucher {
  RaceWarp* warp = nullptr;
  std::uint64_t who = 0;  ///< as whoWord() has it
  std::uint32_t instruction = 0;
  Strength strength = Strength::Weak;
  bool compares = false;  ///< compare-and-swap: plain reads beside it are its first guess
  bool copies = false;    ///< by a copy that nobody's wait has ordered
  bool forced = false;    ///< its race was reported: it is noted, whatever it races with
};

/// What an access races with.
struct Conflict {
  std::uint64_t word = 0;
  bool wrote = false;
  std::uint64_t offset = 0;  ///< of a byte where it does
  bool covered = false;      ///< memory may not have its value: a strong write came behind it
};

class RaceChecker {
 public:
  RaceChecker() = default;
  ~RaceChecker();
  RaceChecker(const RaceChecker&) = delete;
  RaceChecker& operator=(const RaceChecker&) = delete;

  /// A launch whose global memory has offsets below `extent`; whether further checkers see parts of
  /// it. False if the host has no memory.
  bool startLaunch(std::uint64_t extent, std::uint32_t ctasOfCluster, bool isOneOfSeveral);
  void startCta(RaceCta& cta, std::uint32_t sharedBytes);
  void startWarp(RaceWarp& warp, RaceCta& cta);

  [[nodiscard]] const RacePlane& global() const { return global_; }
  [[nodiscard]] std::uint32_t launchFloor() const { return launchFloor_; }

  /// Checks an access of a plane and notes it. False if it races with `conflict`.
  bool touch(const RacePlane& plane, std::uint64_t offset, unsigned bytes, bool write,
             const Toucher& who, Conflict& conflict);
  /// The same without noting it.
  bool look(const RacePlane& plane, std::uint64_t offset, unsigned bytes, bool write,
            const Toucher& who, Conflict& conflict);
  /// The word of the last write of a byte.
  std::uint64_t lastWrite(const RacePlane& plane, std::uint64_t offset);
  /// Who did what a word says: the warp's number in the launch.
  [[nodiscard]] std::uint32_t warpOf(std::uint64_t word) const;
  [[nodiscard]] std::uint32_t ctaOf(std::uint32_t warp) const {
    return ctaOfWarp_[warp & ~kCopies];
  }

  /// The pages that two of the checkers accessed since startLaunch, and one of them wrote to.
  static std::vector<std::uint64_t> sharedPages(std::span<RaceChecker* const> checkers);
  /// Whether they accessed the same byte of one of these pages, and one of them wrote.
  static bool meet(std::span<RaceChecker* const> checkers, std::span<const std::uint64_t> pages);

  // Order. Lanes are a mask; each call is one synchronisation of them.
  void barrierOfAll(RaceCta& cta, const std::vector<RaceWarp*>& warps);
  void warpBarrier(RaceWarp& warp, std::uint32_t lanes, bool all);
  void fence(RaceWarp& warp, std::uint32_t lanes);
  /// The lanes' accesses so far become part of `to`.
  void release(RaceWarp& warp, std::uint32_t lanes, ClockRef& to);
  /// The same as far as a fence has published them.
  void releaseFenced(RaceWarp& warp, std::uint32_t lanes, ClockRef& to);
  /// What the copies of a lane wrote until now becomes part of `to`.
  void releaseCopies(RaceWarp& warp, unsigned lane, ClockRef& to);
  void acquire(RaceWarp& warp, std::uint32_t lanes, const ClockRef& from);
  /// A lane has seen what a clock published, and will know it at its next fence.
  void learnLater(RaceWarp& warp, unsigned lane, const ClockRef& from);
  /// Accesses behind this are in a new segment.
  void tick(RaceWarp& warp);

  /// A strong access of synchronising memory. Writes publish, reads learn.
  void strongRead(RaceWarp& warp, unsigned lane, const RacePlane& plane, std::uint64_t offset,
                  Strength strength, bool acquires);
  void strongWrite(RaceWarp& warp, unsigned lane, const RacePlane& plane, std::uint64_t offset,
                   Strength strength, bool releases, bool keepsOlder);

 private:
  struct Split {
    const std::uint64_t* owner = nullptr;  ///< the word that leads here
    std::array<std::array<std::uint64_t, 3>, 4> bytes{};
  };
  struct Cell {
    std::uint64_t& write;
    std::uint64_t& read;
    std::uint64_t& other;
  };
  bool touchCell(const Cell& cell, std::uint32_t floor, bool write, const Toucher& t, bool note,
                 Conflict& conflict);
  void noteRead(const Cell& cell, std::uint32_t floor, const Toucher& t);
  static void noteWrite(const Cell& cell, std::uint32_t floor, const Toucher& t);
  [[nodiscard]] bool isFine(std::uint64_t word, std::uint32_t floor, const Toucher& t) const;
  bool access(const RacePlane& plane, std::uint64_t offset, unsigned bytes, bool write,
              const Toucher& t, bool note, Conflict& conflict);
  [[nodiscard]] bool isOrdered(std::uint64_t word, const Toucher& t) const;
  [[nodiscard]] bool inScope(Strength a, std::uint32_t ctaA, Strength b, std::uint32_t ctaB) const;
  bool growGlobal(std::uint64_t granules);
  struct Touched {
    unsigned wrote = 0, read = 0;  ///< a bit for each of four bytes
  };
  [[nodiscard]] Touched touched(std::uint64_t granule) const;
  Split& split(const RacePlane& plane, std::uint64_t granule);
  static bool haveSameReads(const Split& split);
  [[nodiscard]] ClockRef made(const RaceWarp& warp, unsigned lane, const Published& from) const;
  [[nodiscard]] Published publication(const RaceWarp& warp, unsigned lane) const;
  RaceWarp::Fences& fencesOf(RaceWarp& warp);
  std::uint32_t newSegment(std::uint32_t warp);

  RacePlane global_;
  std::uint64_t granules_ = 0;   ///< that the global plane has room for
  std::vector<PageMark> pages_;  ///< of this launch's extent, if there are several checkers
  std::uint32_t nextSegment_ = 1;
  std::uint32_t launchFloor_ = 1;
  std::uint32_t ctasOfCluster_ = 1;
  std::vector<std::uint32_t> warpOf_;     ///< by segment above launchFloor_
  std::vector<std::uint32_t> ctaOfWarp_;  ///< by warp
  std::uint32_t ctas_ = 0;
  std::vector<Split> splits_;
  struct Location {
    ClockRef clock;
    Strength strength = Strength::Weak;
    std::uint32_t cta = 0;
  };
  std::unordered_map<const std::uint64_t*, Location> locations_;
};

}  // namespace cutwork::sim

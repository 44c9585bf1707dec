// Clock.h -- what one thread knows of the others: up to which segment their accesses come before.
//
// A segment is a number that a warp takes at each of its synchronisations; numbers only grow. To
// know segment s of a thread is to come after everything that it did in segments below s. Clocks
// are shared and never change: an operation makes a new one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace cutwork::sim {

class Clock;
using ClockRef = std::shared_ptr<const Clock>;

class Clock {
 public:
  /// Everything that a block did below a segment.
  struct BlockEntry {
    std::uint32_t block;
    std::uint32_t below;
  };
  /// The same for the lanes of a warp, or of the copies of a warp.
  struct WarpEntry {
    std::uint32_t warp;
    std::array<std::uint32_t, 32> below;
  };

  /// Below which segment a lane's accesses are known; 0: nothing is.
  [[nodiscard]] std::uint32_t of(std::uint32_t block, std::uint32_t warp, unsigned lane) const;
  /// The same for the lane of which most is known.
  [[nodiscard]] std::uint32_t most(std::uint32_t block, std::uint32_t warp) const;

  void addBlock(std::uint32_t block, std::uint32_t below);
  void addLanes(std::uint32_t warp, std::uint32_t lanes, std::uint32_t below);
  void add(const Clock& other);
  [[nodiscard]] bool covers(const Clock& other) const;

 private:
  WarpEntry& warpEntry(std::uint32_t warp);
  [[nodiscard]] const WarpEntry* find(std::uint32_t warp) const;
  [[nodiscard]] std::uint32_t blockBelow(std::uint32_t block) const;

  std::vector<BlockEntry> blocks_;  ///< sorted
  std::vector<WarpEntry> warps_;    ///< sorted
};

/// The clock of who knows what both know; one of them, if it has all.
ClockRef joined(const ClockRef& a, const ClockRef& b);

}  // namespace cutwork::sim

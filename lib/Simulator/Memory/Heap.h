// Heap.h -- the places of in-kernel malloc: which parts of a range are in use.
#pragma once

#include <cstdint>
#include <map>

namespace cutwork::sim {

/// Places are taken in turn through the range, so that what was freed is used again as late as can
/// be; between two of them is a gap, so that an overrun is seen.
class Heap {
 public:
  static constexpr std::uint64_t kLimit = std::uint64_t{8} << 20;  ///< CUDA's, if nobody sets it
  static constexpr std::uint64_t kAlign = 16;
  static constexpr std::uint64_t kGap = 64;
  /// Of addresses: places of one byte, with their gaps, reach the limit first.
  static constexpr std::uint64_t kRange = std::uint64_t{64} << 20;

  /// An offset into the range, a multiple of kAlign; kRange: the limit is reached, or no hole is
  /// large enough.
  std::uint64_t take(std::uint64_t bytes);
  /// The place of so many bytes may be taken again.
  void give(std::uint64_t offset, std::uint64_t bytes);

 private:
  std::map<std::uint64_t, std::uint64_t> holes_{{0, kRange}};  ///< by offset: bytes
  std::uint64_t next_ = 0;                                     ///< where the search starts
  std::uint64_t used_ = 0;
};

}  // namespace cutwork::sim

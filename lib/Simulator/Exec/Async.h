// Async.h -- copies in flight (cp.async) and the barriers in shared memory that track them.
//
// A copy is done when it must be: when its thread waits for it, or when somebody waits at an
// mbarrier that it arrives at. A missing wait therefore shows, every time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "Checker/Clock.h"

namespace cutwork::sim {

struct Record;

/// In the shadow of shared memory, beside 1 (never written): a copy in flight will write the byte.
inline constexpr std::uint8_t kInFlight = 2;

/// A cp.async, or a cp.async.mbarrier.arrive, of the lanes for which it has not completed.
struct AsyncOperation {
  const Record* record = nullptr;
  std::uint32_t lanes = 0;
  bool arrives = false;
  unsigned bytes = 0;
  std::array<std::uint32_t, 32> group{};  ///< of the lane's commit groups
  std::array<std::uint32_t, 32> to{};     ///< in the block's shared memory: destination, mbarrier
  std::array<const std::byte*, 32> from{};
  std::array<const std::uint8_t*, 32> fromShadow{};
  std::array<std::uint8_t, 32> sourceBytes{};  ///< what is read; the rest becomes zeros
};

/// The 64 bits of an mbarrier object. They are opaque to a program; this is our arrangement.
struct MbarrierBits {
  std::uint32_t pending = 0;   ///< arrivals that the phase still needs
  std::uint32_t expected = 0;  ///< arrivals of the next phases
  std::int32_t bytes = 0;      ///< of transactions that the phase still needs
  std::uint32_t phase = 0;     ///< modulo 8

  static constexpr std::uint32_t kMost = (1U << 20) - 1;  ///< arrivals, and bytes
  [[nodiscard]] constexpr std::uint64_t pack() const {
    return std::uint64_t{pending & kMost} | std::uint64_t{expected & kMost} << 20 |
           (static_cast<std::uint64_t>(bytes) & 0x1fffff) << 40 | std::uint64_t{phase & 7} << 61;
  }
  static constexpr MbarrierBits unpack(std::uint64_t bits) {
    MbarrierBits result;
    result.pending = static_cast<std::uint32_t>(bits) & kMost;
    result.expected = static_cast<std::uint32_t>(bits >> 20) & kMost;
    result.bytes = static_cast<std::int32_t>(static_cast<std::int64_t>(bits << 3) >> 43);
    result.phase = static_cast<std::uint32_t>(bits >> 61);
    return result;
  }
};

/// What is known of an mbarrier object beside its bits.
struct Mbarrier {
  std::uint64_t bits = 0;  ///< as the last operation left them
  std::uint64_t phases = 0;
  const Record* init = nullptr;
  const Record* lastArrival = nullptr;
  ClockRef arrivals;  ///< of all phases
  ClockRef ended;     ///< of those that have ended
};

}  // namespace cutwork::sim

// Banks.h -- the banks of shared memory and how often an access has to be repeated.
//
// The rule. Shared memory has 32 banks; the 4-byte word w is in bank w mod 32, and the layout
// begins at bank 0. A warp's access is processed in phases: all 32 lanes at up to 4 bytes a lane,
// half-warps of 16 lanes at 8 bytes, quarter-warps of 8 lanes at 16 bytes. In a phase, lanes that
// touch the same word share it (broadcast), and each bank serves one word at a time. A phase so
// takes as many wavefronts as the largest number of different words in one bank: its degree. 1 is
// free of conflicts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cutwork/Support/Error.h"

namespace cutwork::tool {

inline constexpr int kBanks = 32;
inline constexpr int kWordBits = 32;
inline constexpr int kLanes = 32;

/// One phase of an access.
struct Phase {
  int firstLane = 0;
  int lastLane = 0;
  int words = 0;   ///< different words touched
  int banks = 0;   ///< banks that they are in
  int degree = 0;  ///< the most words in one bank
};

struct AccessReport {
  std::vector<Phase> phases;
  int degree = 0;               ///< the largest of any phase
  int wavefronts = 0;           ///< the sum over phases
  std::vector<int> misaligned;  ///< lanes whose address is no multiple of what they access
  [[nodiscard]] int ideal() const { return static_cast<int>(phases.size()); }
};

/// The bank of the word that holds bit `address`. Precondition: address >= 0.
inline int bankOf(std::int64_t address) { return static_cast<int>(address / kWordBits % kBanks); }

/// The access in which lane i touches `bits` bits from bit addresses[i] on. Refuses more than 32
/// lanes and anything but 1, 2, 4, 8 or 16 bytes a lane. Precondition: addresses from 0 to 2^62.
Expected<AccessReport> analyseAccess(std::span<const std::int64_t> addresses, std::int64_t bits);

}  // namespace cutwork::tool

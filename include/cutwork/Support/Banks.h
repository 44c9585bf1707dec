// cutwork/Support/Banks.h -- the banks of shared memory, and how often an access passes over them.
//
// The rule. Shared memory has 32 banks; the 4-byte word w is in bank w mod 32. A warp's access is
// processed in phases of at most 128 bytes: all 32 lanes at up to 4 bytes a lane, half-warps of 16
// lanes at 8 bytes, quarter-warps of 8 lanes at 16 bytes. In a phase, lanes that touch the same
// word share it (broadcast), and each bank serves one word at a time. A phase so takes as many
// wavefronts as the largest number of different words in one bank: its degree. 1 is free of
// conflicts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#pragma GCC visibility push(default)

namespace cutwork {

inline constexpr int kBanks = 32;
inline constexpr int kBankBits = 32;

/// Lanes of a phase in which each accesses `bits` bits.
constexpr int lanesOfPhase(std::int64_t bits) {
  return static_cast<int>(std::clamp<std::int64_t>(
      std::int64_t{kBanks} * kBankBits / std::max<std::int64_t>(bits, kBankBits), 1, 32));
}

/// What a phase does.
struct BankUse {
  int words = 0;   ///< different words touched
  int banks = 0;   ///< banks that they are in
  int degree = 0;  ///< the most words in one bank
};

/// The phase in which each lane touches `bits` bits from one of these bit addresses on.
/// Precondition: addresses from 0 on, at most 2^62.
BankUse bankUse(std::span<const std::int64_t> addresses, std::int64_t bits);

}  // namespace cutwork

#pragma GCC visibility pop

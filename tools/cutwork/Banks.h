// Banks.h -- the banks of shared memory and how often an access has to be repeated.
// (cutwork/Support/Banks.h has the rule; the layout begins at bank 0).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cutwork/Support/Banks.h"
#include "cutwork/Support/Error.h"

namespace cutwork::tool {

inline constexpr int kLanes = 32;

/// One phase of an access.
struct Phase : BankUse {
  int firstLane = 0;
  int lastLane = 0;
};

struct AccessReport {
  std::vector<Phase> phases;
  int degree = 0;               ///< the largest of any phase
  int wavefronts = 0;           ///< the sum over phases
  std::vector<int> misaligned;  ///< lanes whose address is no multiple of what they access
  [[nodiscard]] int ideal() const { return static_cast<int>(phases.size()); }
};

/// The bank of the word that holds bit `address`. Precondition: address >= 0.
inline int bankOf(std::int64_t address) { return static_cast<int>(address / kBankBits % kBanks); }

/// The access in which lane i touches `bits` bits from bit addresses[i] on. Refuses more than 32
/// lanes and anything but 1, 2, 4, 8 or 16 bytes a lane. Precondition: addresses from 0 to 2^62.
Expected<AccessReport> analyseAccess(std::span<const std::int64_t> addresses, std::int64_t bits);

}  // namespace cutwork::tool

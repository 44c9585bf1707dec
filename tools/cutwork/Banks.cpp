// Banks.cpp -- an access, phase by phase.
#include "Banks.h"

#include <fmt/format.h>

#include <algorithm>

namespace cutwork::tool {

Expected<AccessReport> analyseAccess(std::span<const std::int64_t> addresses, std::int64_t bits) {
  if (addresses.empty() || addresses.size() > kLanes) {
    return userError(
        fmt::format("an access is by 1 to {} lanes, not {}", kLanes, addresses.size()));
  }
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128) {
    return userError(fmt::format("a lane accesses 1, 2, 4, 8 or 16 bytes, not {} bits", bits));
  }
  const auto lanesInPhase = static_cast<std::size_t>(lanesOfPhase(bits));
  AccessReport report;
  for (std::size_t first = 0; first < addresses.size(); first += lanesInPhase) {
    std::size_t count = std::min(lanesInPhase, addresses.size() - first);
    const Phase phase{bankUse(addresses.subspan(first, count), bits), static_cast<int>(first),
                      static_cast<int>(first + count) - 1};
    report.degree = std::max(report.degree, phase.degree);
    report.wavefronts += phase.degree;
    report.phases.push_back(phase);
  }
  for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
    if (addresses[lane] % bits != 0) report.misaligned.push_back(static_cast<int>(lane));
  }
  return report;
}

}  // namespace cutwork::tool

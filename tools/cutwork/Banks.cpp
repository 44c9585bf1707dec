// Banks.cpp -- counting the words of each bank, phase by phase.
#include "Banks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace cutwork::tool {

namespace {

Phase phaseOf(std::span<const std::int64_t> addresses, int firstLane, std::int64_t bits) {
  std::set<std::int64_t> words;
  for (std::int64_t address : addresses) {
    std::int64_t last = (address + bits - 1) / kWordBits;
    for (std::int64_t word = address / kWordBits; word <= last; ++word) words.insert(word);
  }
  std::array<int, kBanks> inBank{};
  for (std::int64_t word : words) ++inBank[static_cast<std::size_t>(word % kBanks)];
  Phase phase;
  phase.firstLane = firstLane;
  phase.lastLane = firstLane + static_cast<int>(addresses.size()) - 1;
  phase.words = static_cast<int>(words.size());
  phase.banks =
      static_cast<int>(std::count_if(inBank.begin(), inBank.end(), [](int n) { return n > 0; }));
  phase.degree = *std::max_element(inBank.begin(), inBank.end());
  return phase;
}

}  // namespace

Expected<AccessReport> analyseAccess(std::span<const std::int64_t> addresses, std::int64_t bits) {
  if (addresses.empty() || addresses.size() > kLanes) {
    return userError(
        fmt::format("an access is by 1 to {} lanes, not {}", kLanes, addresses.size()));
  }
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128) {
    return userError(fmt::format("a lane accesses 1, 2, 4, 8 or 16 bytes, not {} bits", bits));
  }
  std::size_t lanesInPhase = bits <= 32 ? 32 : bits == 64 ? 16 : 8;
  AccessReport report;
  for (std::size_t first = 0; first < addresses.size(); first += lanesInPhase) {
    std::size_t count = std::min(lanesInPhase, addresses.size() - first);
    Phase phase = phaseOf(addresses.subspan(first, count), static_cast<int>(first), bits);
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

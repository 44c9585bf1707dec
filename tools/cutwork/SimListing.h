// SimListing.h -- lines of source with what they did in a simulated launch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cutwork/Simulator/Profile.h"

namespace cutwork::tool {

struct ListedLine {
  std::uint32_t number = 0;
  std::string text;                          ///< of the source, if it could be read
  std::optional<sim::ProfileCounts> counts;  ///< none: nothing was compiled from it
  bool gap = false;                          ///< lines before it are left out
};

struct Listing {
  std::string file;
  bool readable = false;
  std::vector<ListedLine> lines;
};

/// A listing for each file that the profile names, from the first line with counts to the last.
std::vector<Listing> listings(const sim::Profile& profile, const std::string& ptx);

}  // namespace cutwork::tool

// Page.h -- the pages of global memory that launches on several host threads tell apart.
#pragma once

#include <cstdint>

namespace cutwork::sim {

inline constexpr unsigned kPageShift = 12;
inline constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageShift;

/// Which launches last accessed a page, as a race checker numbers them: by their floors.
struct PageMark {
  std::uint32_t wrote = 0;
  std::uint32_t read = 0;
};

}  // namespace cutwork::sim

// cutwork/Simulator/Recorded.h -- the last launch that was made on a simulated Device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cutwork/Runtime/Device.h"

#pragma GCC visibility push(default)

namespace cutwork {

struct RecordedLaunch {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> cluster{};
  std::uint32_t dynamicShared = 0;
  std::vector<std::vector<std::byte>> parameters;  ///< the bytes of each
};

/// The last launch, whether or not it ended well. Nothing: there was none, or the device is not
/// simulated.
std::optional<RecordedLaunch> lastSimulatedLaunch(const Device& device);

}  // namespace cutwork

#pragma GCC visibility pop

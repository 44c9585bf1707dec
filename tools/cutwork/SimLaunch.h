// SimLaunch.h -- launch.json: which kernel, how many threads, which arguments.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "SimNpy.h"
#include "cutwork/Support/Error.h"

namespace cutwork::tool {

/// An argument: a buffer (passed as a pointer), or bytes by value.
struct SimArgument {
  bool isBuffer = false;
  bool isWritten = true;  ///< false: memory that nobody has written
  std::string name;       ///< for reports
  Npy array;              ///< of a buffer
  std::optional<std::filesystem::path> output;
  std::vector<std::uint8_t> value;
};

struct SimLaunch {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::array<std::uint32_t, 3> cluster{1, 1, 1};
  std::uint32_t dynamicShared = 0;
  std::vector<SimArgument> arguments;
};

/// Reads launch.json and the buffers beside it. Errors (User): what is wrong, and where.
Expected<SimLaunch> readLaunch(const std::filesystem::path& path);

}  // namespace cutwork::tool

// SimNpy.h -- .npy files: their header as it is, and the bytes of the array.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cutwork/Support/Status.h"

namespace cutwork::tool {

/// An array in a file: any dtype and shape, the bytes untouched.
struct Npy {
  std::string header;  ///< everything before the data
  std::vector<std::uint8_t> data;
};

/// Errors (User): no such file; not an .npy file; another number of bytes than its header says.
Expected<Npy> readNpy(const std::filesystem::path& path);
Status writeNpy(const std::filesystem::path& path, const Npy& array);
/// The header of a one-dimensional uint8 array.
std::string npyHeader(std::uint64_t bytes);

}  // namespace cutwork::tool

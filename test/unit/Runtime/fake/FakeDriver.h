// FakeDriver.h -- what the fake CUDA driver records, and what tests can tell it to do.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cutwork::test {

struct FakeLaunch {
  std::string kernel;
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint32_t shared;
  const void* stream;
  std::map<int, std::vector<std::uint32_t>> attributes;  ///< id: the first three words of its value
  std::vector<std::vector<unsigned char>> parameters;
  int device;  ///< whose context was current
};

/// One per process, in the fake library; `fakeCuda` gives it.
struct FakeCuda {
  std::vector<std::string> calls;      ///< names of the functions, in order
  std::map<std::string, int> failing;  ///< function: the result of its next call, once
  std::vector<FakeLaunch> launches;
  std::atomic<int> contextsRetained = 0;
  std::atomic<int> live = 0;  ///< allocations, streams, events and modules that exist
  std::map<std::string, std::pair<int, int>> functionAttributesSet;  ///< kernel: last (id, value)
  std::vector<std::vector<std::uint64_t>>
      tensorMaps;  ///< type, rank, address, then extents, strides

  [[nodiscard]] int count(const std::string& name) const {
    int number = 0;
    for (const std::string& call : calls) number += call == name ? 1 : 0;
    return number;
  }
};

using FakeCudaGetter = FakeCuda* (*)();

}  // namespace cutwork::test

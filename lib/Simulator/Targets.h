// Targets.h -- the simulated devices by target: their names and limits.
#pragma once

#include <span>
#include <string_view>

namespace cutwork::sim {

/// The devices that can be simulated, by the target that they have all features of.
std::span<const std::string_view> deviceTargets();

/// Whether a module for `module` runs on a device of target `device`: Target::ptxRunsOn, for a
/// target that may be older than those that the compiler makes code for.
bool runsOn(std::string_view module, std::string_view device);

/// Bytes of shared memory that a block may have, its static part included (CUDA C++ Programming
/// Guide, table "Technical specifications per compute capability").
unsigned maxSharedBytes(std::string_view device);

}  // namespace cutwork::sim

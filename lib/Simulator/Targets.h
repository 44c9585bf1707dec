// Targets.h -- the simulated devices by target: their names and limits.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "cutwork/Runtime/DeviceProperties.h"
#include "cutwork/Support/Target.h"

namespace cutwork::sim {

/// The devices that can be simulated, by the target that they have all features of.
std::span<const std::string_view> deviceTargets();

/// `sm_90a` taken apart, whether or not there is such a device; none if it is no such name.
std::optional<Target> targetNamed(std::string_view name);

/// The lowest PTX version that has a target, 78 for 7.8; 0 if it is an older one than those here.
unsigned leastVersion(std::string_view target);

/// Whether a module for `module` runs on a device of target `device`: Target::ptxRunsOn, for a
/// target that may be older than those that the compiler makes code for.
bool runsOn(std::string_view module, std::string_view device);

/// What a device of a target is like, an H200 where the target does not say; its limits are those
/// of the target. Precondition: one of deviceTargets().
DeviceProperties deviceProperties(std::string_view target);

}  // namespace cutwork::sim

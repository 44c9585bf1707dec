// LaunchConfig.cpp -- the limits of a launch, checked before the device is asked.
#include "cutwork/Runtime/LaunchConfig.h"

#include <fmt/format.h>

#include <algorithm>

namespace cutwork {

namespace {

constexpr Dim3 kNone{0, 0, 0};
constexpr Dim3 kOne{1, 1, 1};

class LaunchCheck {
 public:
  LaunchCheck(const DeviceProperties& device, const FunctionProperties& function,
              std::string_view kernel, const LaunchConfig& config)
      : device_(device), function_(function), kernel_(kernel), config_(config) {}

  Status all(std::int64_t parameters) const {
    CW_DO(extents("grid", config_.grid, device_.limits.grid));
    CW_DO(extents("block", config_.block, device_.limits.block));
    CW_DO(threads());
    CW_DO(sharedMemory());
    CW_DO(cluster());
    CW_DO(preferredCluster());
    if (config_.cooperative && !device_.limits.cooperativeLaunch) {
      return refused("a cooperative launch: {} has none", device_.name);
    }
    if (config_.programmatic && device_.target.capability < 90) {
      return refused("a programmatic launch needs compute capability 9.0, and {} is {}",
                     device_.name, device_.target.name());
    }
    if (config_.sharedMemoryCarveout < -1 || config_.sharedMemoryCarveout > 100) {
      return refused("a shared-memory carveout of {} percent: allowed are 0 to 100, or -1",
                     config_.sharedMemoryCarveout);
    }
    if (parameters >= 0 && function_.parametersKnown &&
        parameters != std::ssize(function_.parameters)) {
      return refused("{} parameters are passed, and the kernel has {}", parameters,
                     function_.parameters.size());
    }
    return Success{};
  }

 private:
  template <class... Arguments>
  [[nodiscard]] Error refused(fmt::format_string<Arguments...> text,
                              Arguments&&... arguments) const {
    return userError(fmt::format("launch of '{}': {}", kernel_,
                                 fmt::format(text, std::forward<Arguments>(arguments)...)));
  }

  Status extents(std::string_view what, const Dim3& asked, const Dim3& allowed) const {
    CW_DO(extent(what, 'x', asked.x, allowed.x));
    CW_DO(extent(what, 'y', asked.y, allowed.y));
    return extent(what, 'z', asked.z, allowed.z);
  }
  Status extent(std::string_view what, char axis, std::int64_t asked, std::int64_t allowed) const {
    if (asked >= 1 && asked <= allowed) [[likely]]
      return Success{};
    return refused("{}.{} is {}: allowed are 1 to {}", what, axis, asked, allowed);
  }

  Status threads() const {
    const std::int64_t asked = config_.block.x * config_.block.y * config_.block.z;
    if (asked > device_.limits.threadsPerBlock) {
      return refused("block {} has {} threads: allowed are {}", config_.block.text(), asked,
                     device_.limits.threadsPerBlock);
    }
    if (asked > function_.maxThreadsPerBlock) {
      const std::string registers =
          function_.registers == 0
              ? ""
              : fmt::format(", or its {} registers a thread", function_.registers);
      return refused("block {} has {} threads: this kernel allows {} (its .maxntid or .reqntid{})",
                     config_.block.text(), asked, function_.maxThreadsPerBlock, registers);
    }
    return Success{};
  }

  Status sharedMemory() const {
    const std::int64_t limit = device_.limits.sharedMemoryPerBlock;
    const std::int64_t allowed = limit - function_.staticSharedMemory;
    if (config_.sharedMemory < 0) {
      return refused("{} bytes of dynamic shared memory", config_.sharedMemory);
    }
    if (config_.sharedMemory > allowed) {
      return refused(
          "{} bytes of dynamic shared memory: allowed are {} ({} less the {} that the kernel "
          "declares)",
          config_.sharedMemory, std::max<std::int64_t>(allowed, 0), limit,
          function_.staticSharedMemory);
    }
    return Success{};
  }

  Status cluster() const {
    const Dim3& asked = config_.cluster;
    const Dim3& required = function_.requiredCluster;
    if (asked == kOne) {
      return required == kNone ? Status(Success{}) : dividesGrid("the kernel's cluster", required);
    }
    const Dim3 most{device_.limits.clusterSize, device_.limits.clusterSize,
                    device_.limits.clusterSize};
    if (device_.limits.clusterSize == 1) {
      return refused("cluster {}: {} ({}) has no clusters", asked.text(), device_.name,
                     device_.target.name());
    }
    CW_DO(extents("cluster", asked, most));
    const std::int64_t blocks = asked.x * asked.y * asked.z;
    if (blocks > device_.limits.clusterSize) {
      return refused("cluster {} has {} blocks: allowed are {}", asked.text(), blocks,
                     device_.limits.clusterSize);
    }
    if (required != kNone && required != asked) {
      return refused("cluster {}: the kernel was compiled for {}", asked.text(), required.text());
    }
    return dividesGrid("cluster", asked);
  }

  Status dividesGrid(std::string_view what, const Dim3& cluster) const {
    const Dim3& grid = config_.grid;
    if (grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0) {
      return Success{};
    }
    return refused("grid {} is no multiple of {} {}", grid.text(), what, cluster.text());
  }

  Status preferredCluster() const {
    const Dim3& asked = config_.preferredCluster;
    if (asked == kNone) return Success{};
    if (device_.target.capability < 100) {
      return refused("a preferred cluster needs compute capability 10.0, and {} is {}",
                     device_.name, device_.target.name());
    }
    const Dim3 most{device_.limits.clusterSize, device_.limits.clusterSize,
                    device_.limits.clusterSize};
    CW_DO(extents("preferred cluster", asked, most));
    const Dim3& least = config_.cluster;
    if (asked.x % least.x != 0 || asked.y % least.y != 0 || asked.z % least.z != 0) {
      return refused("preferred cluster {} is no multiple of cluster {}", asked.text(),
                     least.text());
    }
    const std::int64_t blocks = asked.x * asked.y * asked.z;
    if (blocks > device_.limits.clusterSize) {
      return refused("preferred cluster {} has {} blocks: allowed are {}", asked.text(), blocks,
                     device_.limits.clusterSize);
    }
    return Success{};
  }

  const DeviceProperties& device_;
  const FunctionProperties& function_;
  std::string_view kernel_;
  const LaunchConfig& config_;
};

}  // namespace

std::string Dim3::text() const { return fmt::format("({},{},{})", x, y, z); }

Status checkLaunch(const DeviceProperties& device, const FunctionProperties& function,
                   std::string_view kernel, const LaunchConfig& config, std::int64_t parameters) {
  return LaunchCheck(device, function, kernel, config).all(parameters);
}

}  // namespace cutwork

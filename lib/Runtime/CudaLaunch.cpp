// CudaLaunch.cpp -- launching kernels on a CUDA device, at the driver's own cost where prepared.
#include <fmt/format.h>

#include <array>

#include "CudaDevice.h"
#include "CudaModule.h"

namespace cutwork::cuda {

namespace {

constexpr Dim3 kOne{1, 1, 1};
constexpr Dim3 kNone{0, 0, 0};
constexpr std::int64_t kPortableCluster = 8;

void copyExtents(std::uint32_t (&to)[3], const Dim3& from) {
  to[0] = static_cast<std::uint32_t>(from.x);
  to[1] = static_cast<std::uint32_t>(from.y);
  to[2] = static_cast<std::uint32_t>(from.z);
}

bool needsCluster(const LoadedFunction& function, const LaunchConfig& config) {
  return config.cluster != kOne || function.clusterMustBeSet || config.preferredCluster != kNone;
}

/// The driver's form of a LaunchConfig, with its attributes. Not to be moved: it points into
/// itself.
class NativeLaunch {
 public:
  NativeLaunch(const LoadedFunction& function, const LaunchConfig& config) {
    copyExtents(native_.grid, config.grid);
    copyExtents(native_.block, config.block);
    native_.sharedBytes = static_cast<std::uint32_t>(config.sharedMemory);
    native_.stream = nativeStream(config.stream);
    native_.attributes = attributes_.data();
    if (needsCluster(function, config)) copyExtents(add(kLaunchCluster).extents, config.cluster);
    if (config.preferredCluster != kNone) {
      copyExtents(add(kLaunchPreferredCluster).extents, config.preferredCluster);
    }
    if (config.cooperative) add(kLaunchCooperative).number = 1;
    if (config.programmatic) add(kLaunchProgrammatic).number = 1;
    if (config.sharedMemoryCarveout >= 0) {
      add(kLaunchSharedCarveout).number = config.sharedMemoryCarveout;
    }
  }
  NativeLaunch(const NativeLaunch&) = delete;
  NativeLaunch& operator=(const NativeLaunch&) = delete;

  [[nodiscard]] const LaunchConfiguration& get() const { return native_; }

  Result run(const Driver& driver, Function function, const void* const* parameters,
             Stream stream) const {
    // The driver reads the values and changes nothing.
    auto** values = const_cast<void**>(parameters);
    if (native_.attributeCount == 0) {
      return driver.cuLaunchKernel(function, native_.grid[0], native_.grid[1], native_.grid[2],
                                   native_.block[0], native_.block[1], native_.block[2],
                                   native_.sharedBytes, stream, values, nullptr);
    }
    LaunchConfiguration now = native_;
    now.stream = stream;
    return driver.cuLaunchKernelEx(&now, function, values, nullptr);
  }

 private:
  LaunchAttribute& add(int id) {
    LaunchAttribute& attribute = attributes_[native_.attributeCount++];
    attribute.id = id;
    return attribute;
  }
  LaunchConfiguration native_;
  std::array<LaunchAttribute, 5> attributes_{};
};

Status launched(const Driver& driver, const LoadedFunction& function,
                const LaunchConfiguration& native, Result result) {
  if (result == kSuccess) [[likely]]
    return Success{};
  return check(driver, result,
               fmt::format("launch of '{}' (grid ({},{},{}), block ({},{},{}), {} bytes of dynamic "
                           "shared memory)",
                           function.name, native.grid[0], native.grid[1], native.grid[2],
                           native.block[0], native.block[1], native.block[2], native.sharedBytes));
}

class CudaLaunch final : public PreparedLaunch {
 public:
  CudaLaunch(const Driver& driver, Context context, const LoadedFunction& function,
             const LaunchConfig& config)
      : driver_(driver), context_(context), function_(function), native_(function, config) {}

  Status run(const void* const* parameters, StreamHandle stream) override {
    const ContextGuard guard(driver_, context_);
    CW_DO(guard.status());
    return launched(driver_, function_, native_.get(),
                    native_.run(driver_, function_.native, parameters, nativeStream(stream)));
  }

 private:
  const Driver& driver_;
  Context context_;
  const LoadedFunction& function_;
  const NativeLaunch native_;
};

}  // namespace

Status CudaDevice::allow(LoadedFunction& function, const LaunchConfig& config) {
  const std::int64_t free = properties_.limits.staticSharedMemory - function.staticShared;
  if (config.sharedMemory > free && !function.largeShared.load(std::memory_order_relaxed)) {
    // All there is, not what this launch asks: launches of other threads may ask for more.
    const std::int64_t most = properties_.limits.sharedMemoryPerBlock - function.staticShared;
    CW_DO(check(driver_.cuFuncSetAttribute(function.native, kFunctionMaxDynamicShared,
                                           static_cast<int>(most)),
                "allowing dynamic shared memory"));
    function.largeShared.store(true, std::memory_order_relaxed);
  }
  const auto blocks = [](const Dim3& cluster) { return cluster.x * cluster.y * cluster.z; };
  const bool large = blocks(config.cluster) > kPortableCluster ||
                     blocks(config.preferredCluster) > kPortableCluster;
  if (large && !function.largeCluster.load(std::memory_order_relaxed)) {
    CW_DO(check(driver_.cuFuncSetAttribute(function.native, kFunctionNonPortableCluster, 1),
                "allowing a large cluster"));
    function.largeCluster.store(true, std::memory_order_relaxed);
  }
  const bool attributes = needsCluster(function, config) || config.cooperative ||
                          config.programmatic || config.sharedMemoryCarveout >= 0;
  if (attributes && driver_.cuLaunchKernelEx == nullptr) {
    return userError(
        fmt::format("launch of '{}': clusters, cooperative and programmatic launches need "
                    "a driver for CUDA 11.8 or later, and this is one for {}.{}",
                    function.name, driver_.version / 1000, driver_.version % 1000 / 10));
  }
  return Success{};
}

Status CudaDevice::launch(FunctionHandle function, const LaunchConfig& config,
                          std::span<const void* const> parameters) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  LoadedFunction& owner = loaded(function);
  CW_DO(allow(owner, config));
  const NativeLaunch native(owner, config);
  return launched(
      driver_, owner, native.get(),
      native.run(driver_, owner.native, parameters.data(), nativeStream(config.stream)));
}

Expected<std::unique_ptr<PreparedLaunch>> CudaDevice::prepare(FunctionHandle function,
                                                              const LaunchConfig& config) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  LoadedFunction& owner = loaded(function);
  CW_DO(allow(owner, config));
  return std::unique_ptr<PreparedLaunch>(
      std::make_unique<CudaLaunch>(driver_, context_, owner, config));
}

Expected<int> CudaDevice::activeBlocks(FunctionHandle function, const LaunchConfig& config) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  LoadedFunction& owner = loaded(function);
  CW_DO(allow(owner, config));
  int blocks = 0;
  const std::int64_t threads = config.block.x * config.block.y * config.block.z;
  CW_DO(check(driver_.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                  &blocks, owner.native, static_cast<int>(threads),
                  static_cast<std::size_t>(config.sharedMemory)),
              "counting resident blocks"));
  return blocks;
}

Expected<int> CudaDevice::activeClusters(FunctionHandle function, const LaunchConfig& config) {
  if (driver_.cuOccupancyMaxActiveClusters == nullptr) {
    return userError("counting resident clusters needs a driver for CUDA 11.8 or later");
  }
  const ContextGuard guard = current();
  CW_DO(guard.status());
  LoadedFunction& owner = loaded(function);
  CW_DO(allow(owner, config));
  const NativeLaunch native(owner, config);
  int clusters = 0;
  CW_DO(check(driver_.cuOccupancyMaxActiveClusters(&clusters, owner.native, &native.get()),
              "counting resident clusters"));
  return clusters;
}

}  // namespace cutwork::cuda

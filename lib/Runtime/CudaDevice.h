// CudaDevice.h -- a CUDA device: the DeviceInterface over the CUDA driver.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "CudaDriver.h"
#include "cutwork/Runtime/DeviceInterface.h"
#include "cutwork/Runtime/DriverAssembler.h"

namespace cutwork::cuda {

struct LoadedFunction;
struct LoadedModule;

class CudaDevice final : public DeviceInterface {
 public:
  CudaDevice(const Driver& driver, DeviceNumber number, Context context,
             DeviceProperties properties);
  ~CudaDevice() override;

  [[nodiscard]] const DeviceProperties& properties() const override { return properties_; }

  // CudaMemory.cpp
  Expected<DevicePointer> allocate(std::int64_t bytes) override;
  Status release(DevicePointer address) override;
  Expected<void*> allocateHost(std::int64_t bytes) override;
  Status releaseHost(void* memory) override;
  Expected<DevicePointer> mapHost(void* memory, std::int64_t bytes) override;
  Status unmapHost(void* memory) override;
  Expected<MemoryInfo> memoryInfo() override;
  Status copyToDevice(DevicePointer to, const void* from, std::int64_t bytes,
                      StreamHandle stream) override;
  Status copyToHost(void* to, DevicePointer from, std::int64_t bytes, StreamHandle stream) override;
  Status copyOnDevice(DevicePointer to, DevicePointer from, std::int64_t bytes,
                      StreamHandle stream) override;
  Status fill(DevicePointer to, std::uint32_t value, int width, std::int64_t count,
              StreamHandle stream) override;
  Expected<TensorMap> encodeTensorMap(const TensorMapPlan& plan, DevicePointer address) override;

  // CudaStream.cpp
  Expected<StreamHandle> createStream(const StreamOptions& options) override;
  Status destroyStream(StreamHandle stream) override;
  Status synchronizeStream(StreamHandle stream) override;
  Expected<bool> streamIsIdle(StreamHandle stream) override;
  Status streamWaitsFor(StreamHandle stream, EventHandle event) override;
  Expected<EventHandle> createEvent(bool timing) override;
  Status destroyEvent(EventHandle event) override;
  Status recordEvent(EventHandle event, StreamHandle stream) override;
  Status synchronizeEvent(EventHandle event) override;
  Expected<bool> eventIsDone(EventHandle event) override;
  Expected<float> elapsedMilliseconds(EventHandle start, EventHandle end) override;
  Status synchronize() override;

  // CudaModule.cpp
  Expected<ModuleHandle> loadModule(const Image& image) override;
  Status unloadModule(ModuleHandle module) override;
  Expected<FunctionHandle> function(ModuleHandle module, const std::string& name) override;
  Expected<FunctionProperties> functionProperties(FunctionHandle function,
                                                  std::optional<std::size_t> parameters) override;
  Expected<GlobalVariable> global(ModuleHandle module, const std::string& name) override;

  // CudaLaunch.cpp
  Status launch(FunctionHandle function, const LaunchConfig& config,
                std::span<const void* const> parameters) override;
  Expected<std::unique_ptr<PreparedLaunch>> prepare(FunctionHandle function,
                                                    const LaunchConfig& config) override;
  Expected<int> activeBlocks(FunctionHandle function, const LaunchConfig& config) override;
  Expected<int> activeClusters(FunctionHandle function, const LaunchConfig& config) override;

  // DriverAssembler.cpp
  Expected<DriverAssembly> assemble(const std::string& ptx, int optimizationLevel);

 private:
  /// The opt-ins that a launch needs, made at most once per function.
  Status allow(LoadedFunction& function, const LaunchConfig& config);
  /// Ends what is under way at the process's end without a complaint.
  [[nodiscard]] Status checkRelease(Result result, std::string_view what) const;
  [[nodiscard]] Status check(Result result, std::string_view what) const {
    return cuda::check(driver_, result, what);
  }
  [[nodiscard]] ContextGuard current() const { return {driver_, context_}; }

  const Driver& driver_;
  const DeviceNumber number_;
  Context context_;
  const DeviceProperties properties_;
};

inline Stream nativeStream(StreamHandle stream) { return reinterpret_cast<Stream>(stream); }
inline Event nativeEvent(EventHandle event) { return reinterpret_cast<Event>(event); }

/// The device of that index: digits, or nothing for the first.
Expected<std::shared_ptr<DeviceInterface>> openCudaDevice(std::string_view index);

}  // namespace cutwork::cuda

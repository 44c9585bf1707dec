// StubDevice.h -- the least that implements DeviceInterface: what another kind of device starts
// from.
#pragma once

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "cutwork/Runtime/DeviceInterface.h"

namespace cutwork::test {

/// Its memory is the host's; modules and launches are counted and do nothing.
class StubDevice : public DeviceInterface {
 public:
  explicit StubDevice(std::string name, bool simulated = true) {
    properties_.name = std::move(name);
    properties_.target = {90, Target::Suffix::Architecture};
    properties_.simulated = simulated;
    properties_.limits.sharedMemoryPerBlock = 232448;
    properties_.dlpackType = 12;
    properties_.dlpackId = 5;
  }
  [[nodiscard]] const DeviceProperties& properties() const override { return properties_; }

  Expected<DevicePointer> allocate(std::int64_t bytes) override {
    return reinterpret_cast<DevicePointer>(
        std::aligned_alloc(256, static_cast<std::size_t>(bytes + 255) / 256 * 256));
  }
  Status release(DevicePointer address) override {
    std::free(reinterpret_cast<void*>(address));
    return Success{};
  }
  Expected<void*> allocateHost(std::int64_t) override { return none(); }
  Status releaseHost(void*) override { return none(); }
  Expected<DevicePointer> mapHost(void* memory, std::int64_t) override {
    return reinterpret_cast<DevicePointer>(memory);
  }
  Status unmapHost(void*) override { return Success{}; }
  Expected<MemoryInfo> memoryInfo() override { return MemoryInfo{}; }
  Status copyToDevice(DevicePointer to, const void* from, std::int64_t bytes,
                      StreamHandle) override {
    std::memcpy(reinterpret_cast<void*>(to), from, static_cast<std::size_t>(bytes));
    return Success{};
  }
  Status copyToHost(void* to, DevicePointer from, std::int64_t bytes, StreamHandle) override {
    std::memcpy(to, reinterpret_cast<const void*>(from), static_cast<std::size_t>(bytes));
    return Success{};
  }
  Status copyOnDevice(DevicePointer, DevicePointer, std::int64_t, StreamHandle) override {
    return none();
  }
  Status fill(DevicePointer, std::uint32_t, int, std::int64_t, StreamHandle) override {
    return none();
  }
  Expected<StreamHandle> createStream(const StreamOptions&) override { return none(); }
  Status destroyStream(StreamHandle) override { return none(); }
  Status synchronizeStream(StreamHandle) override { return Success{}; }
  Expected<bool> streamIsIdle(StreamHandle) override { return true; }
  Status streamWaitsFor(StreamHandle, EventHandle) override { return none(); }
  Expected<EventHandle> createEvent(bool) override { return none(); }
  Status destroyEvent(EventHandle) override { return none(); }
  Status recordEvent(EventHandle, StreamHandle) override { return none(); }
  Status synchronizeEvent(EventHandle) override { return none(); }
  Expected<bool> eventIsDone(EventHandle) override { return true; }
  Expected<float> elapsedMilliseconds(EventHandle, EventHandle) override { return none(); }
  Status synchronize() override { return Success{}; }
  Expected<ModuleHandle> loadModule(const Image& image) override {
    loaded = image;
    return reinterpret_cast<ModuleHandle>(this);
  }
  Status unloadModule(ModuleHandle) override { return Success{}; }
  Expected<FunctionHandle> function(ModuleHandle, const std::string&) override {
    return reinterpret_cast<FunctionHandle>(this);
  }
  Expected<FunctionProperties> functionProperties(FunctionHandle,
                                                  std::optional<std::size_t>) override {
    return FunctionProperties{};
  }
  Expected<GlobalVariable> global(ModuleHandle, const std::string&) override { return none(); }
  Status launch(FunctionHandle, const LaunchConfig&, std::span<const void* const>) override {
    ++launches;
    return Success{};
  }
  Expected<std::unique_ptr<PreparedLaunch>> prepare(FunctionHandle, const LaunchConfig&) override {
    return none();
  }
  Expected<int> activeBlocks(FunctionHandle, const LaunchConfig&) override { return 1; }
  Expected<int> activeClusters(FunctionHandle, const LaunchConfig&) override { return 1; }
  Expected<TensorMap> encodeTensorMap(const TensorMapPlan&, DevicePointer) override {
    return TensorMap{};
  }

  Image loaded;
  int launches = 0;

 private:
  static Error none() { return userError("a stub has no such thing"); }
  DeviceProperties properties_;
};

}  // namespace cutwork::test

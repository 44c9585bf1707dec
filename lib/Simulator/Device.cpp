// Device.cpp -- the simulated device behind the runtime's Device interface.
//
// Everything is done when it is called: a stream has nothing to wait for. One lock guards a device.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "Counters.h"
#include "Targets.h"
#include "cutwork/Runtime/Device.h"
#include "cutwork/Simulator/Register.h"
#include "cutwork/Simulator/Runs.h"
#include "cutwork/Simulator/Simulator.h"
#include "cutwork/Support/Knobs.h"

namespace cutwork::sim {
namespace {

using Clock = std::chrono::steady_clock;

// Of all devices: a program that is stopped has one switch.
std::atomic<std::uint64_t> mostInstructions{0};
std::atomic<const std::atomic<bool>*> stopSwitch{nullptr};
std::atomic<bool> profiled{false};

struct SimFunction {
  SimulatedModule* module = nullptr;
  std::string name;
  KernelInfo info;
};

class SimDevice;

/// A launch without its parameters.
class SimPrepared : public PreparedLaunch {
 public:
  SimPrepared(SimDevice& device, FunctionHandle function, const ::cutwork::LaunchConfig& config)
      : device_(device), function_(function), config_(config) {}
  Status run(const void* const* parameters, StreamHandle stream) override;

 private:
  SimDevice& device_;
  FunctionHandle function_;
  ::cutwork::LaunchConfig config_;
};

std::array<std::uint32_t, 3> three(const Dim3& dim) {
  return {static_cast<std::uint32_t>(dim.x), static_cast<std::uint32_t>(dim.y),
          static_cast<std::uint32_t>(dim.z)};
}

class SimDevice : public DeviceInterface {
 public:
  SimDevice(std::unique_ptr<SimulatedDevice> device, std::string_view target)
      : device_(std::move(device)), properties_(deviceProperties(target)) {}

  [[nodiscard]] const DeviceProperties& properties() const override { return properties_; }

  Expected<DevicePointer> allocate(std::int64_t bytes) override {
    const std::lock_guard lock(mutex_);
    CW_TRY(const std::uint64_t address, device_->allocate(static_cast<std::uint64_t>(bytes),
                                                          fmt::format("buffer {}", ++buffers_)));
    sizes_[address] = bytes;
    return address;
  }
  Status release(DevicePointer address) override {
    const std::lock_guard lock(mutex_);
    sizes_.erase(address);
    return device_->free(address);
  }
  Expected<void*> allocateHost(std::int64_t bytes) override {
    void* memory = std::malloc(static_cast<std::size_t>(bytes));
    if (memory == nullptr) return deviceError(fmt::format("the host has no {} bytes", bytes));
    return memory;
  }
  Status releaseHost(void* memory) override {
    std::free(memory);
    return Success{};
  }
  Expected<DevicePointer> mapHost(void*, std::int64_t) override {
    return userError("a simulated device does not see the host's memory; copy it");
  }
  Status unmapHost(void*) override {
    return userError("a simulated device does not see the host's memory");
  }
  Expected<MemoryInfo> memoryInfo() override {
    const std::lock_guard lock(mutex_);
    std::int64_t used = 0;
    for (const auto& [address, bytes] : sizes_) used += bytes;
    return MemoryInfo{properties_.memoryBytes - used, properties_.memoryBytes};
  }
  Status copyToDevice(DevicePointer to, const void* from, std::int64_t bytes,
                      StreamHandle) override {
    const std::lock_guard lock(mutex_);
    return device_->write(to, from, static_cast<std::uint64_t>(bytes));
  }
  Status copyToHost(void* to, DevicePointer from, std::int64_t bytes, StreamHandle) override {
    const std::lock_guard lock(mutex_);
    return device_->read(from, to, static_cast<std::uint64_t>(bytes));
  }
  Status copyOnDevice(DevicePointer to, DevicePointer from, std::int64_t bytes,
                      StreamHandle) override {
    const std::lock_guard lock(mutex_);
    std::vector<std::byte> data(static_cast<std::size_t>(bytes));
    CW_DO(device_->read(from, data.data(), data.size()));
    return device_->write(to, data.data(), data.size());
  }
  Status fill(DevicePointer to, std::uint32_t value, int width, std::int64_t count,
              StreamHandle) override {
    const std::lock_guard lock(mutex_);
    const auto size = static_cast<std::size_t>(width);
    std::vector<std::byte> data(size * static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < data.size(); i += size) std::memcpy(&data[i], &value, size);
    return device_->write(to, data.data(), data.size());
  }

  Expected<StreamHandle> createStream(const StreamOptions&) override {
    const std::lock_guard lock(mutex_);
    return reinterpret_cast<StreamHandle>(
        handles_.insert(std::make_unique<Clock::time_point>()).first->get());
  }
  Status destroyStream(StreamHandle stream) override { return forget(stream); }
  Status synchronizeStream(StreamHandle) override { return Success{}; }
  Expected<bool> streamIsIdle(StreamHandle) override { return true; }
  Status streamWaitsFor(StreamHandle, EventHandle) override { return Success{}; }
  Expected<EventHandle> createEvent(bool) override {
    const std::lock_guard lock(mutex_);
    return reinterpret_cast<EventHandle>(
        handles_.insert(std::make_unique<Clock::time_point>()).first->get());
  }
  Status destroyEvent(EventHandle event) override { return forget(event); }
  Status recordEvent(EventHandle event, StreamHandle) override {
    const std::lock_guard lock(mutex_);
    *reinterpret_cast<Clock::time_point*>(event) = Clock::now();
    return Success{};
  }
  Status synchronizeEvent(EventHandle) override { return Success{}; }
  Expected<bool> eventIsDone(EventHandle) override { return true; }
  Expected<float> elapsedMilliseconds(EventHandle start, EventHandle end) override {
    const std::lock_guard lock(mutex_);
    const std::chrono::duration<float, std::milli> apart =
        *reinterpret_cast<Clock::time_point*>(end) - *reinterpret_cast<Clock::time_point*>(start);
    return apart.count();
  }
  Status synchronize() override { return Success{}; }

  Expected<ModuleHandle> loadModule(const Image& image) override {
    const std::lock_guard lock(mutex_);
    CW_TRY(SimulatedModule * module,
           device_->loadModule(image.ptx, fmt::format("module {}", ++modules_)));
    return reinterpret_cast<ModuleHandle>(module);
  }
  Status unloadModule(ModuleHandle module) override {
    const std::lock_guard lock(mutex_);
    auto* loaded = reinterpret_cast<SimulatedModule*>(module);
    std::erase_if(functions_, [&](const auto& one) { return one->module == loaded; });
    device_->unloadModule(loaded);
    return Success{};
  }
  Expected<FunctionHandle> function(ModuleHandle module, const std::string& name) override {
    const std::lock_guard lock(mutex_);
    auto found = std::make_unique<SimFunction>();
    found->module = reinterpret_cast<SimulatedModule*>(module);
    found->name = name;
    CW_TRY(found->info, device_->kernelInfo(found->module, name));
    functions_.push_back(std::move(found));
    return reinterpret_cast<FunctionHandle>(functions_.back().get());
  }
  Expected<FunctionProperties> functionProperties(FunctionHandle function) override {
    const KernelInfo& info = reinterpret_cast<SimFunction*>(function)->info;
    FunctionProperties p;
    p.staticSharedMemory = static_cast<std::int64_t>(info.staticShared);
    p.localMemory = static_cast<std::int64_t>(info.localBytes);
    p.maxThreadsPerBlock = static_cast<std::int64_t>(info.maxThreads);
    p.requiredCluster = {info.requiredCluster[0], info.requiredCluster[1], info.requiredCluster[2]};
    p.parametersKnown = true;
    for (const ParameterInfo& parameter : info.parameters) {
      p.parameters.push_back({static_cast<std::int64_t>(parameter.offset),
                              static_cast<std::int64_t>(parameter.bytes)});
    }
    return p;
  }
  Expected<GlobalVariable> global(ModuleHandle module, const std::string& name) override {
    const std::lock_guard lock(mutex_);
    CW_TRY(const auto found, device_->variable(reinterpret_cast<SimulatedModule*>(module), name));
    return GlobalVariable{found.first, static_cast<std::int64_t>(found.second)};
  }

  Status launch(FunctionHandle function, const ::cutwork::LaunchConfig& config,
                std::span<const void* const> parameters) override {
    return launchWith(function, config, parameters.data());
  }
  Expected<std::unique_ptr<PreparedLaunch>> prepare(
      FunctionHandle function, const ::cutwork::LaunchConfig& config) override {
    return std::unique_ptr<PreparedLaunch>(std::make_unique<SimPrepared>(*this, function, config));
  }
  Expected<int> activeBlocks(FunctionHandle, const ::cutwork::LaunchConfig& config) override {
    const std::int64_t threads = config.block.x * config.block.y * config.block.z;
    const std::int64_t byThreads = 2048 / std::max<std::int64_t>(threads, 1);
    return static_cast<int>(std::clamp<std::int64_t>(byThreads, 1, 32));
  }
  Expected<int> activeClusters(FunctionHandle function,
                               const ::cutwork::LaunchConfig& config) override {
    CW_TRY(const int blocks, activeBlocks(function, config));
    const std::int64_t size = config.cluster.x * config.cluster.y * config.cluster.z;
    return static_cast<int>(blocks * properties_.multiprocessors / std::max<std::int64_t>(size, 1));
  }
  Expected<TensorMap> encodeTensorMap(const TensorMapPlan&, DevicePointer) override {
    return userError("the simulated device has no tensor copies yet (docs/simulator.md)");
  }

  Status launchWith(FunctionHandle handle, const ::cutwork::LaunchConfig& config,
                    const void* const* values) {
    const std::lock_guard lock(mutex_);
    const SimFunction& function = *reinterpret_cast<SimFunction*>(handle);
    std::vector<std::byte> parameters;
    for (std::size_t i = 0; i < function.info.parameters.size(); ++i) {
      const ParameterInfo& info = function.info.parameters[i];
      parameters.resize(info.offset + info.bytes);
      std::memcpy(parameters.data() + info.offset, values[i], info.bytes);
    }
    LaunchConfig to;
    to.grid = three(config.grid);
    to.block = three(config.block);
    to.cluster = three(config.cluster);
    to.dynamicShared = static_cast<std::uint32_t>(config.sharedMemory);
    to.maxInstructions = mostInstructions.load(std::memory_order_relaxed);
    if (to.maxInstructions == 0) to.maxInstructions = knobs().simMaxInstructions;
    to.stop = stopSwitch.load(std::memory_order_relaxed);
    to.profile = profiled.load(std::memory_order_relaxed);
    to.threads = static_cast<unsigned>(knobs().simThreads);
    CW_TRY(const LaunchResult result,
           device_->launch(function.module, function.name, to, parameters));
    runs_.launches += 1;
    add(runs_.counters, result.counters);
    if (result.fault) runs_.fault = result.fault;
    if (result.profile) note(function, *result.profile);
    if (!result.output.empty()) std::fputs(result.output.c_str(), stdout);
    if (!result.fault) return Success{};
    std::string text = result.fault->text;
    while (text.ends_with('\n')) text.pop_back();
    return deviceError(std::move(text));
  }

  SimulatedRuns takeRuns() {
    const std::lock_guard lock(mutex_);
    return std::exchange(runs_, {});
  }

 private:
  void note(const SimFunction& function, const Profile& profile) {
    const std::string_view ptx = device_->text(function.module);
    for (ProfiledKernel& one : runs_.profiles) {
      if (one.profile.kernel != profile.kernel || one.ptx != ptx) continue;
      one.profile.add(profile);
      ++one.launches;
      return;
    }
    runs_.profiles.push_back({profile, std::string(ptx), 1});
  }

  template <class Handle>
  Status forget(Handle handle) {
    const std::lock_guard lock(mutex_);
    std::erase_if(handles_, [&](const auto& one) {
      return static_cast<const void*>(one.get()) == static_cast<const void*>(handle);
    });
    return Success{};
  }

  std::mutex mutex_;
  std::unique_ptr<SimulatedDevice> device_;
  DeviceProperties properties_;
  std::map<DevicePointer, std::int64_t> sizes_;
  std::set<std::unique_ptr<Clock::time_point>>
      handles_;  ///< streams and events: when last recorded
  std::vector<std::unique_ptr<SimFunction>> functions_;
  unsigned buffers_ = 0;
  unsigned modules_ = 0;
  SimulatedRuns runs_;
};

Status SimPrepared::run(const void* const* parameters, StreamHandle) {
  return device_.launchWith(function_, config_, parameters);
}

Expected<std::shared_ptr<DeviceInterface>> openSimulated(std::string_view which) {
  const std::string target(which.empty() ? std::string_view("sm_90a") : which);
  CW_TRY(auto device, SimulatedDevice::create(target, true));
  return std::shared_ptr<DeviceInterface>(std::make_shared<SimDevice>(std::move(device), target));
}

}  // namespace

std::optional<SimulatedRuns> takeRuns(const ::cutwork::Device& device) {
  auto* simulated = dynamic_cast<SimDevice*>(&device.implementation());
  if (simulated == nullptr) return std::nullopt;
  return simulated->takeRuns();
}

void limitRuns(std::uint64_t maxInstructions, const std::atomic<bool>* stop) {
  mostInstructions.store(maxInstructions, std::memory_order_relaxed);
  stopSwitch.store(stop, std::memory_order_relaxed);
}

}  // namespace cutwork::sim

namespace cutwork {

void registerSimulatedDevices() { registerDeviceKind("sim", sim::openSimulated); }

std::optional<SimulatedRuns> takeSimulatedRuns(const Device& device) {
  return sim::takeRuns(device);
}

void profileSimulatedRuns(bool on) { sim::profiled.store(on, std::memory_order_relaxed); }

void limitSimulatedRuns(std::uint64_t maxInstructions, const std::atomic<bool>* stop) {
  sim::limitRuns(maxInstructions, stop);
}

}  // namespace cutwork

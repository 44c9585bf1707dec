// Device.cpp -- the simulated device behind the runtime's Device interface.
//
// Everything is done when it is called: a stream has nothing to wait for, but that launches in one
// that is captured are kept for later. All devices, one for each target, have the same memory, so
// that a tensor can be passed to kernels for any of them; one lock guards them.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "Counters.h"
#include "Targets.h"
#include "cutwork/Runtime/Device.h"
#include "cutwork/Runtime/Occupancy.h"
#include "cutwork/Simulator/HostMemory.h"
#include "cutwork/Simulator/Recorded.h"
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

/// Launches that a capture has kept, to be run later.
struct KeptLaunches {
  std::mutex mutex;
  std::vector<std::function<Status()>> launches;
};

struct SimFunction {
  SimulatedModule* module = nullptr;
  std::string name;
  KernelInfo info;
};

class SimDevice;

/// The name of a module in reports: that of its first kernel.
std::string firstKernel(std::string_view ptx) {
  constexpr std::string_view kMark = ".entry ";
  const std::size_t at = ptx.find(kMark);
  if (at == std::string_view::npos) return "a module";
  ptx.remove_prefix(at + kMark.size());
  return std::string(ptx.substr(0, ptx.find_first_of("( \t\r\n")));
}

/// What the devices share. Never destroyed: tensors may outlive all else.
struct Common {
  std::mutex mutex;
  /// Owns the memory; its target is of no matter.
  std::unique_ptr<SimulatedDevice> memory = SimulatedDevice::create("sm_90a").value();
  // The range as the host sees it, once it is reserved.
  std::atomic<std::uint64_t> start{0};
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> address{0};
};
Common& common() {
  static auto* const it = new Common;
  return *it;
}

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
    used_ += bytes;
    return address;
  }
  Status release(DevicePointer address) override {
    const std::lock_guard lock(mutex_);
    if (const auto found = sizes_.find(address); found != sizes_.end()) {
      used_ -= found->second;
      sizes_.erase(found);
    }
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
    return MemoryInfo{std::max<std::int64_t>(properties_.memoryBytes - used_, 0),
                      properties_.memoryBytes};
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
           device_->loadModule(image.ptx, "PTX of " + firstKernel(image.ptx)));
    return reinterpret_cast<ModuleHandle>(module);
  }
  Status unloadModule(ModuleHandle module) override {
    const std::lock_guard lock(mutex_);
    auto* loaded = reinterpret_cast<SimulatedModule*>(module);
    std::erase_if(functions_, [&](const auto& one) {
      if (one->module != loaded) return false;
      one->module = nullptr;  // for launches that were kept
      return true;
    });
    device_->unloadModule(loaded);
    return Success{};
  }
  Expected<FunctionHandle> function(ModuleHandle module, const std::string& name) override {
    const std::lock_guard lock(mutex_);
    auto found = std::make_shared<SimFunction>();
    found->module = reinterpret_cast<SimulatedModule*>(module);
    found->name = name;
    CW_TRY(found->info, device_->kernelInfo(found->module, name));
    functions_.push_back(std::move(found));
    return reinterpret_cast<FunctionHandle>(functions_.back().get());
  }
  Expected<FunctionProperties> functionProperties(FunctionHandle function,
                                                  std::optional<std::size_t>) override {
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
    return launchWith(function, config, parameters.data(), config.stream);
  }
  Expected<std::unique_ptr<PreparedLaunch>> prepare(
      FunctionHandle function, const ::cutwork::LaunchConfig& config) override {
    return std::unique_ptr<PreparedLaunch>(std::make_unique<SimPrepared>(*this, function, config));
  }
  /// By the architecture's rules; registers are not known here, and not counted.
  Expected<int> activeBlocks(FunctionHandle function,
                             const ::cutwork::LaunchConfig& config) override {
    const KernelInfo& info = reinterpret_cast<SimFunction*>(function)->info;
    BlockNeeds needs;
    needs.threads = config.block.x * config.block.y * config.block.z;
    needs.sharedMemory = config.sharedMemory + static_cast<std::int64_t>(info.staticShared);
    return static_cast<int>(occupancy(properties_.limits, needs).blocks);
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
                    const void* const* values, StreamHandle stream) {
    const std::lock_guard lock(mutex_);
    auto* function = reinterpret_cast<SimFunction*>(handle);
    std::vector<std::byte> parameters;
    for (std::size_t i = 0; i < function->info.parameters.size(); ++i) {
      const ParameterInfo& info = function->info.parameters[i];
      parameters.resize(info.offset + info.bytes);
      std::memcpy(parameters.data() + info.offset, values[i], info.bytes);
    }
    const auto kept = captured_.find(stream);
    if (kept == captured_.end()) return runNow(*function, config, parameters);
    const auto known = std::find_if(functions_.begin(), functions_.end(),
                                    [&](const auto& one) { return one.get() == function; });
    if (known == functions_.end()) return userError("a launch of a function that is gone");
    const std::lock_guard guard(kept->second->mutex);
    // Devices live as long as the process: the registry keeps them.
    kept->second->launches.push_back(
        [this, one = *known, config, parameters = std::move(parameters)] {
          const std::lock_guard again(mutex_);
          return runNow(*one, config, parameters);
        });
    return Success{};
  }

  /// From now on launches in the stream are kept there; null: they run.
  void capture(StreamHandle stream, std::shared_ptr<KeptLaunches> launches) {
    const std::lock_guard lock(mutex_);
    if (launches == nullptr) {
      captured_.erase(stream);
    } else {
      captured_[stream] = std::move(launches);
    }
  }

  // Under the lock.
  Status runNow(const SimFunction& function, const ::cutwork::LaunchConfig& config,
                std::span<const std::byte> parameters) {
    if (function.module == nullptr) {
      return userError(
          fmt::format("{}: its module was unloaded before the graph with this launch "
                      "was replayed",
                      function.name));
    }
    LaunchConfig to;
    to.grid = three(config.grid);
    to.block = three(config.block);
    to.cluster = three(config.cluster);
    to.dynamicShared = static_cast<std::uint32_t>(config.sharedMemory);
    if (config.cooperative) {
      CW_TRY(const std::uint64_t most, device_->residentBlocks(function.module, function.name, to));
      const std::int64_t blocks = config.grid.x * config.grid.y * config.grid.z;
      if (blocks > static_cast<std::int64_t>(most)) {
        return userError(fmt::format(
            "launch of '{}': a cooperative launch of {} blocks; {} holds {} of them at once",
            function.name, blocks, properties_.name, most));
      }
    }
    to.maxInstructions = mostInstructions.load(std::memory_order_relaxed);
    if (to.maxInstructions == 0) to.maxInstructions = knobs().simMaxInstructions;
    to.seed = knobs().simSeed;
    to.stopAtFirst = knobs().simStopAtFirst;
    to.stop = stopSwitch.load(std::memory_order_relaxed);
    to.profile = profiled.load(std::memory_order_relaxed);
    to.threads = knobs().simThreads;
    last_ = {function.name, to.grid, to.block, to.cluster, to.dynamicShared, {}};
    for (const ParameterInfo& one : function.info.parameters) {
      const std::byte* bytes = parameters.data() + one.offset;
      last_->parameters.emplace_back(bytes, bytes + one.bytes);
    }
    CW_TRY(const LaunchResult result,
           device_->launch(function.module, function.name, to, parameters));
    runs_.launches += 1;
    add(runs_.counters, result.counters);
    if (result.fault) runs_.fault = result.fault;
    if (result.profile) note(function, *result.profile);
    if (!result.output.empty()) std::fputs(result.output.c_str(), stdout);
    if (!result.fault) return Success{};
    return deviceError(faultsText(result));
  }

  /// What reports call the buffers that hold these addresses, until other names are given.
  void setNames(std::span<const NamedAddress> names) {
    const std::lock_guard lock(mutex_);
    device_->clearAliases();
    for (const NamedAddress& one : names) device_->alias(one.address, one.name);
  }

  std::optional<RecordedLaunch> lastLaunch() {
    const std::lock_guard lock(mutex_);
    return last_;
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

  std::mutex& mutex_ = common().mutex;
  std::unique_ptr<SimulatedDevice> device_;
  DeviceProperties properties_;
  std::map<DevicePointer, std::int64_t> sizes_;
  std::int64_t used_ = 0;
  std::set<std::unique_ptr<Clock::time_point>>
      handles_;  ///< streams and events: when last recorded
  std::vector<std::shared_ptr<SimFunction>> functions_;
  std::map<StreamHandle, std::shared_ptr<KeptLaunches>> captured_;
  unsigned buffers_ = 0;
  SimulatedRuns runs_;
  std::optional<RecordedLaunch> last_;
};

Status SimPrepared::run(const void* const* parameters, StreamHandle stream) {
  return device_.launchWith(function_, config_, parameters, stream);
}

Expected<std::shared_ptr<DeviceInterface>> openSimulated(std::string_view which) {
  const std::string target(which.empty() ? std::string_view("sm_90a") : which);
  CW_TRY(auto device, SimulatedDevice::create(target, true, common().memory.get()));
  return std::shared_ptr<DeviceInterface>(std::make_shared<SimDevice>(std::move(device), target));
}

}  // namespace

Status captureLaunches(const ::cutwork::Device& device, StreamHandle stream,
                       std::shared_ptr<KeptLaunches> launches) {
  auto* simulated = dynamic_cast<SimDevice*>(&device.implementation());
  if (simulated == nullptr) {
    return userError(fmt::format("{} is not a simulated device", device.name()));
  }
  simulated->capture(stream, std::move(launches));
  return Success{};
}

Expected<SimulatedMemory> hostMemory() {
  Common& all = common();
  const std::lock_guard lock(all.mutex);
  CW_TRY(const auto memory, all.memory->hostMemory());
  all.address = memory.second;
  all.bytes = memory.first.size();
  all.start = reinterpret_cast<std::uint64_t>(memory.first.data());
  return SimulatedMemory{memory.first.data(), memory.second,
                         static_cast<std::int64_t>(memory.first.size())};
}

DevicePointer addressOf(const void* host) noexcept {
  const Common& all = common();
  const std::uint64_t start = all.start.load(std::memory_order_acquire);
  const std::uint64_t offset = reinterpret_cast<std::uint64_t>(host) - start;
  if (start == 0 || offset >= all.bytes.load(std::memory_order_relaxed)) return 0;
  return all.address.load(std::memory_order_relaxed) + offset;
}

Status markWritten(DevicePointer address, std::int64_t bytes) {
  Common& all = common();
  const std::lock_guard lock(all.mutex);
  return all.memory->markWritten(address, static_cast<std::uint64_t>(bytes));
}

std::optional<SimulatedRuns> takeRuns(const ::cutwork::Device& device) {
  auto* simulated = dynamic_cast<SimDevice*>(&device.implementation());
  if (simulated == nullptr) return std::nullopt;
  return simulated->takeRuns();
}

std::optional<RecordedLaunch> lastLaunch(const ::cutwork::Device& device) {
  auto* simulated = dynamic_cast<SimDevice*>(&device.implementation());
  if (simulated == nullptr) return std::nullopt;
  return simulated->lastLaunch();
}

void nameBuffers(const ::cutwork::Device& device, std::span<const NamedAddress> names) {
  auto* simulated = dynamic_cast<SimDevice*>(&device.implementation());
  if (simulated != nullptr) simulated->setNames(names);
}

void limitRuns(std::uint64_t maxInstructions, const std::atomic<bool>* stop) {
  mostInstructions.store(maxInstructions, std::memory_order_relaxed);
  stopSwitch.store(stop, std::memory_order_relaxed);
}

}  // namespace cutwork::sim

namespace cutwork {

void registerSimulatedDevices() { registerDeviceKind("sim", sim::openSimulated); }

Expected<SimulatedMemory> simulatedMemory() { return sim::hostMemory(); }
DevicePointer simulatedAddress(const void* host) noexcept { return sim::addressOf(host); }
Status markSimulatedWritten(DevicePointer address, std::int64_t bytes) {
  if (bytes < 0) return userError(fmt::format("{} bytes of simulated memory", bytes));
  return sim::markWritten(address, bytes);
}

struct SimulatedLaunches::State : sim::KeptLaunches {};
SimulatedLaunches::SimulatedLaunches() : state_(std::make_shared<State>()) {}
Status SimulatedLaunches::keepFrom(const Device& device, StreamHandle stream) {
  return sim::captureLaunches(device, stream, state_);
}
Status SimulatedLaunches::stop(const Device& device, StreamHandle stream) {
  return sim::captureLaunches(device, stream, nullptr);
}
std::size_t SimulatedLaunches::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->launches.size();
}
Status SimulatedLaunches::run(std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i) {
    std::function<Status()> launch;
    {
      const std::lock_guard lock(state_->mutex);
      if (i >= state_->launches.size()) {
        return userError(fmt::format("launch {} of {} that were kept", i, state_->launches.size()));
      }
      launch = state_->launches[i];
    }
    CW_DO(launch());
  }
  return Success{};
}

std::optional<SimulatedRuns> takeSimulatedRuns(const Device& device) {
  return sim::takeRuns(device);
}

std::optional<RecordedLaunch> lastSimulatedLaunch(const Device& device) {
  return sim::lastLaunch(device);
}

void nameSimulatedBuffers(const Device& device, std::span<const NamedAddress> names) {
  sim::nameBuffers(device, names);
}
void profileSimulatedRuns(bool on) { sim::profiled.store(on, std::memory_order_relaxed); }

void limitSimulatedRuns(std::uint64_t maxInstructions, const std::atomic<bool>* stop) {
  sim::limitRuns(maxInstructions, stop);
}

}  // namespace cutwork

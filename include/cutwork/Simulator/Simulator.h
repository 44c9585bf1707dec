// cutwork/Simulator/Simulator.h -- a GPU that runs PTX on the CPU, checks it, and gives the GPU's
// bits.
//
//     auto device = SimulatedDevice::create("sm_90a");
//     auto x = device->allocate(4096, "x");
//     auto module = device->loadModule(ptx, "add.ptx");
//     auto run = device->launch(*module, "add", {.grid = {5}, .block = {128}}, parameters);
//
// A device is used by one thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cutwork/Simulator/Profile.h"
#include "cutwork/Simulator/Report.h"
#include "cutwork/Support/Status.h"

#pragma GCC visibility push(default)

namespace cutwork::sim {

/// What a device checks beside what would break the simulation itself. `true` is everything.
struct Checks {
  bool memory = true;  ///< bounds and lifetime of allocations
  bool race = true;    ///< data races
  bool sync = true;    ///< member masks of .sync instructions, the rules of mbarriers
  bool init = true;    ///< values that were never written

  constexpr Checks() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): create(target, true)
  constexpr Checks(bool all) : memory(all), race(all), sync(all), init(all) {}
  static constexpr Checks none() { return {false}; }
  [[nodiscard]] constexpr bool any() const { return memory || race || sync || init; }
};

/// What a launch counted. Lane instructions are instructions times executing lanes.
struct Counters {
  std::uint64_t warpInstructions = 0;
  std::uint64_t laneInstructions = 0;
  std::uint64_t globalLoads = 0;  ///< instructions of a warp, not lanes
  std::uint64_t globalStores = 0;
  std::uint64_t globalBytesLoaded = 0;
  std::uint64_t globalBytesStored = 0;
  std::uint64_t sharedLoads = 0;
  std::uint64_t sharedStores = 0;
  std::uint64_t atomics = 0;
  std::uint64_t barriers = 0;
  std::uint64_t divergentBranches = 0;
  std::uint64_t blocks = 0;
};

/// The end of a launch: counters, what vprintf printed, and its faults.
struct LaunchResult {
  Counters counters;
  std::string output;
  std::optional<FaultReport> fault;  ///< the first one
  /// All of them, one for each place, in the order in which they came; at most 101. Races, bounds,
  /// values that were not written and the like do not end a run: what has no memory loads zeros.
  std::vector<FaultReport> faults;
  std::uint64_t unlisted = 0;              ///< faults at places beyond those
  std::shared_ptr<const Profile> profile;  ///< if asked for; of what ran before a fault, too
  unsigned threads = 1;                    ///< of the host, that ran it
  std::string oneThread;                   ///< why it was one, if more were asked for
};

/// The first fault's text, and a line for each further one; empty if there is none.
std::string faultsText(const LaunchResult& result);

class DebugClient;

struct LaunchConfig {
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::array<std::uint32_t, 3> cluster{1, 1, 1};
  std::uint32_t dynamicShared = 0;          ///< bytes
  std::uint64_t maxInstructions = 0;        ///< of warps; 0: no limit
  const std::atomic<bool>* stop = nullptr;  ///< becomes true: the launch ends with ExitCode::Limit
  bool profile = false;                     ///< count by instruction; several times slower
  bool stopAtFirst = false;                 ///< the first fault ends the launch
  std::uint64_t seed = 0;  ///< of the order of blocks and warps; 0: as they are numbered
  /// Host threads for blocks that cannot communicate (docs/simulator.md, Threads). Results, reports
  /// and counters are those of one. With a seed there is one.
  std::uint64_t threads = 1;
  DebugClient* debug = nullptr;  ///< is asked where the launch stops (Debug.h); not with a profile
};

/// One parameter of a kernel.
struct ParameterInfo {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// What is known of a kernel before it is launched.
struct KernelInfo {
  std::vector<ParameterInfo> parameters;
  std::uint64_t staticShared = 0;                         ///< bytes of a block
  std::uint64_t localBytes = 0;                           ///< of a thread's first frame
  std::uint64_t maxThreads = 1024;                        ///< .maxntid, .reqntid
  std::array<std::uint32_t, 3> requiredCluster{0, 0, 0};  ///< zeros: none
};

/// A module on a device; ends with it.
class SimulatedModule;

class SimulatedDevice {
 public:
  /// `target`: sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, ... `sharing`: a device whose memory is
  /// this one's too; one thread at a time uses them all. Error (User): a name that is not known.
  static Expected<std::unique_ptr<SimulatedDevice>> create(
      std::string_view target, Checks checks = {}, const SimulatedDevice* sharing = nullptr);
  /// The targets that `create` takes.
  static std::span<const std::string_view> targets();

  ~SimulatedDevice();
  SimulatedDevice(const SimulatedDevice&) = delete;
  SimulatedDevice& operator=(const SimulatedDevice&) = delete;

  [[nodiscard]] const std::string& target() const;
  [[nodiscard]] const Checks& checks() const;

  /// Global memory at a multiple of 1,024 bytes; `name` is for reports. Its bytes count as not
  /// written. Error (Device): no memory.
  Expected<std::uint64_t> allocate(std::uint64_t bytes, std::string name);
  /// Errors of these (User): not within live memory.
  Status free(std::uint64_t address);
  Status write(std::uint64_t address, const void* from, std::uint64_t bytes);
  Status read(std::uint64_t address, void* to, std::uint64_t bytes) const;
  /// The host wrote these bytes itself.
  Status markWritten(std::uint64_t address, std::uint64_t bytes);
  /// Reports call the live memory that holds the address so, until the next clearAliases().
  void alias(std::uint64_t address, const std::string& name);
  void clearAliases();
  /// All of the device's memory as the host sees it, and the address of its first byte; it stays
  /// there. Error (Device): the host gives no address space.
  Expected<std::pair<std::span<std::byte>, std::uint64_t>> hostMemory();

  /// Reads PTX and gives its variables memory. Error (User): text that is not PTX, with its line; a
  /// module that this device cannot run.
  Expected<SimulatedModule*> loadModule(std::string_view ptx, std::string name);
  [[nodiscard]] std::string_view text(const SimulatedModule* module) const;
  /// Frees the module's variables.
  void unloadModule(SimulatedModule* module);
  /// The address and size of a .global or .const variable. Error (User): there is none.
  Expected<std::pair<std::uint64_t, std::uint64_t>> variable(SimulatedModule* module,
                                                             std::string_view name) const;
  [[nodiscard]] std::vector<std::string> kernels(const SimulatedModule* module) const;
  /// Error (User): no such kernel.
  Expected<std::vector<ParameterInfo>> parameters(SimulatedModule* module,
                                                  std::string_view kernel) const;

  /// Errors: no such kernel (User); an instruction in it is not known here (Device).
  Expected<KernelInfo> kernelInfo(SimulatedModule* module, std::string_view kernel);

  /// How many blocks the device holds at once: of them, those of a grid wait for each other.
  /// Registers are not counted. Error: as kernelInfo.
  Expected<std::uint64_t> residentBlocks(SimulatedModule* module, std::string_view kernel,
                                         const LaunchConfig& config);

  /// Errors (User): a launch that a device of this target cannot make, with what was asked and what
  /// is allowed; no such kernel.
  Status checkLaunch(SimulatedModule* module, std::string_view kernel, const LaunchConfig& config);

  /// Runs a kernel. `parameters` are packed as in its parameter space. What the kernel does wrong
  /// is in the result's `fault`. A cluster of (1,1,1) is what the kernel says, if anything. Errors
  /// (User): those of checkLaunch.
  Expected<LaunchResult> launch(SimulatedModule* module, std::string_view kernel,
                                const LaunchConfig& config, std::span<const std::byte> parameters);

 private:
  struct State;
  explicit SimulatedDevice(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cutwork::sim

#pragma GCC visibility pop

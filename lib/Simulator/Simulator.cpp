// Simulator.cpp -- the device that programs see: memory, modules, launches.
#include "cutwork/Simulator/Simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "Checker/Race.h"
#include "Decode/Linked.h"
#include "Memory/Global.h"
#include "Observe/Debugger.h"
#include "Observe/Profiler.h"
#include "Reader/Parser.h"
#include "Scheduler/Scheduler.h"
#include "Targets.h"
#include "cutwork/Runtime/LaunchConfig.h"
#include "cutwork/Runtime/Occupancy.h"
#include "cutwork/Support/Log.h"

namespace cutwork::sim {

class SimulatedModule {
 public:
  std::unique_ptr<LinkedModule> linked;
};

struct SimulatedDevice::State {
  std::string target;
  DeviceProperties properties;  ///< of the target
  Checks checks;
  std::shared_ptr<GlobalMemory> shared;
  GlobalMemory& memory;
  RaceChecker race;
  std::vector<std::unique_ptr<RaceChecker>> otherRaces;  ///< of further threads
  Undo undo;
  std::vector<std::unique_ptr<SimulatedModule>> modules;

  Status run(Launch& launch, LaunchResult& result);
};

namespace {

constexpr std::uint64_t kMostThreads = 64;

std::uint64_t roundUp(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

Expected<std::uint32_t> findKernel(const LinkedModule& linked, std::string_view kernel) {
  const auto found = linked.functions.find(kernel);
  if (found == linked.functions.end() || !linked.module.functions[found->second].isEntry) {
    std::string names;
    for (const Function& function : linked.module.functions) {
      if (function.isEntry) names += fmt::format("{}{}", names.empty() ? "" : ", ", function.name);
    }
    return userError(fmt::format("{} has no kernel {}; it has {}", linked.module.name, kernel,
                                 names.empty() ? "none" : names));
  }
  return found->second;
}

std::vector<ParameterInfo> parametersOf(const Function& function) {
  std::vector<ParameterInfo> result;
  std::uint64_t offset = 0;
  for (const Declaration& d : function.parameters) {
    offset = roundUp(offset, std::max<std::uint64_t>(d.alignment(), 1));
    result.push_back({std::string(d.name), offset, d.bytes()});
    offset += d.bytes();
  }
  return result;
}

FaultReport report(const Fault& fault) {
  FaultReport result;
  result.code = fault.code;
  result.message = fault.message;
  result.kernel = fault.kernel;
  result.block = fault.block;
  result.thread = fault.thread;
  result.address = fault.address;
  result.ptx = fault.ptx;
  result.user = fault.user;
  if (fault.other.known) {
    result.other = FaultOther{fault.other.block, fault.other.thread, fault.other.ptx,
                              fault.other.user, fault.other.value};
  }
  result.value = fault.value;
  result.count = fault.count;
  result.text = fault.text();
  return result;
}

/// The faults after which the launch went on, and the one that ended it.
void takeFaults(const Launch& launch, LaunchResult& result) {
  for (const Fault& fault : launch.log.faults()) result.faults.push_back(report(fault));
  result.unlisted = launch.log.unlisted();
  if (launch.fault.any()) {
    Fault last = launch.fault;
    if (last.repeated != nullptr) {
      last.message = "once more, where the run cannot go on";
      last.kernel = launch.program->kernel;
      last.ptx = launch.program->ptxPlace(*last.repeated);
      last.user = launch.program->userPlace(*last.repeated);
      last.instruction = launch.program->text(*last.repeated);
    }
    result.faults.push_back(report(last));
  }
  if (!result.faults.empty()) result.fault = result.faults.front();
}

Dim3 dim3(const std::array<std::uint32_t, 3>& values) { return {values[0], values[1], values[2]}; }

/// What the directives of a kernel say: blocks of at most so many threads, or of exactly these.
void readDirectives(const Function& function, FunctionProperties& properties, Dim3& block) {
  for (const Performance& directive : function.directives) {
    const auto value = [&](std::size_t i) {
      return i < directive.values.size() ? static_cast<std::int64_t>(std::clamp<std::uint64_t>(
                                               directive.values[i], 1, 1U << 16))
                                         : 1;
    };
    const Dim3 three{value(0), value(1), value(2)};
    if (directive.name == "maxntid" || directive.name == "reqntid") {
      properties.maxThreadsPerBlock = std::min<std::int64_t>(three.x * three.y * three.z, 1024);
    }
    if (directive.name == "reqntid") block = three;
    if (directive.name == "reqnctapercluster") properties.requiredCluster = three;
  }
}

std::uint64_t residentOn(const DeviceProperties& device, const LaunchConfig& config,
                         std::uint64_t staticShared) {
  BlockNeeds needs;
  needs.threads = std::int64_t{config.block[0]} * config.block[1] * config.block[2];
  needs.sharedMemory = static_cast<std::int64_t>(staticShared + config.dynamicShared);
  const std::int64_t blocks = occupancy(device.limits, needs).blocks * device.multiprocessors;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(blocks, 1));
}

/// The kernel decoded, now or before; null with `unknown` set for an instruction that is not known.
Expected<const Program*> programOf(LinkedModule& linked, std::uint32_t index, const Checks& checks,
                                   Fault& unknown) {
  const std::string kernel(linked.module.functions[index].name);
  const auto found = linked.programs.find(kernel);
  if (found != linked.programs.end()) return found->second.get();
  DecodeProblem problem;
  auto program = decodeKernel(linked, index, checks, problem);
  if (program == nullptr) {
    if (!problem.unknownInstruction) return userError(problem.message, problem.ptx);
    unknown.code = ExitCode::Unsupported;
    unknown.message = problem.message;
    unknown.kernel = kernel;
    unknown.ptx = problem.ptx;
    unknown.user = problem.user;
    unknown.instruction = problem.instruction;
    return nullptr;
  }
  return linked.programs.emplace(kernel, std::move(program)).first->second.get();
}

}  // namespace

std::string faultsText(const LaunchResult& result) {
  if (result.faults.empty()) return {};
  std::string text = result.faults.front().text;
  while (text.ends_with('\n')) text.pop_back();
  const std::size_t further = result.faults.size() - 1;
  if (further == 0) return text;
  text += fmt::format("\n  {} further fault{}:", further, further == 1 ? "" : "s");
  for (std::size_t i = 1; i < result.faults.size(); ++i) {
    const FaultReport& fault = result.faults[i];
    const std::string& report = fault.text;
    text += fmt::format("\n  {}", report.substr(0, report.find('\n')));
    const SourcePlace& place = fault.user.known() ? fault.user : fault.ptx;
    if (place.known()) text += fmt::format(", at {}", place.text());
    if (fault.count > 1) text += fmt::format(", {} times", fault.count);
  }
  if (result.unlisted != 0) text += fmt::format("\n  and {} at other places", result.unlisted);
  return text;
}

/// Runs on as many threads as were asked for, if it may, or else on one.
Status SimulatedDevice::State::run(Launch& launch, LaunchResult& result) {
  const auto startRace = [&](RaceChecker& one, bool isOneOfSeveral) -> Status {
    const auto& cluster = launch.config.cluster;
    const std::uint32_t ctas = cluster[0] * cluster[1] * cluster[2];
    if (one.startLaunch(launch.extent, ctas, isOneOfSeveral)) return Success{};
    return deviceError("the host gives no address space for the race checker");
  };
  const std::uint64_t clusters = clustersOf(launch.config);
  const auto threads =
      static_cast<unsigned>(std::min({launch.config.threads, kMostThreads, clusters}));
  if (launch.config.threads > 1) {
    result.oneThread = launch.observer != nullptr         ? "the run is profiled or debugged"
                       : launch.config.seed != 0          ? "the order of blocks has a seed"
                       : !launch.program->ordered.empty() ? launch.program->ordered
                       : clusters < 2                     ? "the grid is one cluster"
                                                          : "";
  }
  if (threads > 1 && result.oneThread.empty()) {
    std::vector<RaceChecker*> checkers(threads, nullptr);
    for (unsigned i = 0; checks.race && i < threads; ++i) {
      if (i > otherRaces.size()) otherRaces.push_back(std::make_unique<RaceChecker>());
      checkers[i] = i == 0 ? &race : otherRaces[i - 1].get();
      CW_DO(startRace(*checkers[i], true));
    }
    if (runLaunchOn(launch, result.counters, checkers, undo)) {
      result.threads = threads;
      return Success{};
    }
    result.oneThread = "blocks met in memory, or there was a fault, or the limit was reached";
  }
  if (checks.race) {
    CW_DO(startRace(race, false));
    launch.race = &race;
  }
  runLaunch(launch, result.counters);
  return Success{};
}

SimulatedDevice::SimulatedDevice(std::unique_ptr<State> state) : state_(std::move(state)) {}
SimulatedDevice::~SimulatedDevice() = default;

std::span<const std::string_view> SimulatedDevice::targets() { return deviceTargets(); }

Expected<std::unique_ptr<SimulatedDevice>> SimulatedDevice::create(std::string_view target,
                                                                   Checks checks,
                                                                   const SimulatedDevice* sharing) {
  const auto known = deviceTargets();
  if (std::find(known.begin(), known.end(), target) == known.end()) {
    std::string names;
    for (const std::string_view name : known)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    return userError(fmt::format("there is no target {}; there are {}", target, names));
  }
  auto memory = sharing != nullptr ? sharing->state_->shared : std::make_shared<GlobalMemory>();
  auto state = std::unique_ptr<State>(new State{
      std::string(target), deviceProperties(target), checks, memory, *memory, {}, {}, {}, {}});
  if (!checks.init) state->memory.startWritten();
  return std::unique_ptr<SimulatedDevice>(new SimulatedDevice(std::move(state)));
}

const std::string& SimulatedDevice::target() const { return state_->target; }
const Checks& SimulatedDevice::checks() const { return state_->checks; }

Expected<std::uint64_t> SimulatedDevice::allocate(std::uint64_t bytes, std::string name) {
  return state_->memory.allocate(bytes, std::move(name));
}
Status SimulatedDevice::free(std::uint64_t address) { return state_->memory.free(address); }
Status SimulatedDevice::write(std::uint64_t address, const void* from, std::uint64_t bytes) {
  return state_->memory.write(address, from, bytes);
}
Status SimulatedDevice::read(std::uint64_t address, void* to, std::uint64_t bytes) const {
  return state_->memory.read(address, to, bytes);
}

Status SimulatedDevice::markWritten(std::uint64_t address, std::uint64_t bytes) {
  return state_->memory.markWritten(address, bytes);
}
void SimulatedDevice::alias(std::uint64_t address, const std::string& name) {
  state_->memory.alias(address, name);
}
void SimulatedDevice::clearAliases() { state_->memory.clearAliases(); }

Expected<std::pair<std::span<std::byte>, std::uint64_t>> SimulatedDevice::hostMemory() {
  CW_DO(state_->memory.reserve());
  return std::pair{std::span(state_->memory.data(), state_->memory.reserved()),
                   GlobalMemory::kBase};
}

Expected<SimulatedModule*> SimulatedDevice::loadModule(std::string_view ptx, std::string name) {
  CW_TRY(Module module, readModule(ptx, std::move(name)));
  if (!runsOn(module.target, state_->target)) {
    return userError(fmt::format("{} is for {}, which a device of target {} does not run",
                                 module.name, module.target, state_->target));
  }
  if (const unsigned least = leastVersion(module.target); module.version < least) {
    return userError(fmt::format("{} has .version {}.{}, and {} is a target from {}.{} on",
                                 module.name, module.version / 10, module.version % 10,
                                 module.target, least / 10, least % 10));
  }
  auto loaded = std::make_unique<SimulatedModule>();
  CW_TRY(loaded->linked, linkModule(std::move(module), state_->memory));
  state_->modules.push_back(std::move(loaded));
  return state_->modules.back().get();
}

void SimulatedDevice::unloadModule(SimulatedModule* module) {
  const auto found = std::find_if(state_->modules.begin(), state_->modules.end(),
                                  [&](const auto& one) { return one.get() == module; });
  if (found == state_->modules.end()) return;
  for (const auto& [name, address] : module->linked->addresses) {
    [[maybe_unused]] const auto freed = state_->memory.free(address);
  }
  for (const auto& [declaration, address] : module->linked->inBodies) {
    [[maybe_unused]] const auto freed = state_->memory.free(address);
  }
  state_->modules.erase(found);
}

std::string_view SimulatedDevice::text(const SimulatedModule* module) const {
  return *module->linked->module.text;
}

Expected<std::pair<std::uint64_t, std::uint64_t>> SimulatedDevice::variable(
    SimulatedModule* module, std::string_view name) const {
  const auto found = module->linked->addresses.find(name);
  if (found == module->linked->addresses.end()) {
    return userError(fmt::format("{} has no variable {}", module->linked->module.name, name));
  }
  return std::pair{found->second, module->linked->variables.at(name)->bytes()};
}

std::vector<std::string> SimulatedDevice::kernels(const SimulatedModule* module) const {
  std::vector<std::string> names;
  for (const Function& function : module->linked->module.functions) {
    if (function.isEntry) names.emplace_back(function.name);
  }
  return names;
}

Expected<std::vector<ParameterInfo>> SimulatedDevice::parameters(SimulatedModule* module,
                                                                 std::string_view kernel) const {
  CW_TRY(const std::uint32_t index, findKernel(*module->linked, kernel));
  return parametersOf(module->linked->module.functions[index]);
}

Expected<KernelInfo> SimulatedDevice::kernelInfo(SimulatedModule* module, std::string_view kernel) {
  CW_TRY(const std::uint32_t index, findKernel(*module->linked, kernel));
  const Function& function = module->linked->module.functions[index];
  Fault unknown;
  CW_TRY(const Program* program, programOf(*module->linked, index, state_->checks, unknown));
  if (program == nullptr) return deviceError(report(unknown).text);
  KernelInfo info;
  info.parameters = parametersOf(function);
  info.staticShared = program->staticShared - kSharedStart;
  info.localBytes = program->frameBytes;
  FunctionProperties properties;
  Dim3 block{0, 0, 0};
  readDirectives(function, properties, block);
  info.maxThreads = static_cast<std::uint64_t>(properties.maxThreadsPerBlock);
  info.requiredCluster = {static_cast<std::uint32_t>(properties.requiredCluster.x),
                          static_cast<std::uint32_t>(properties.requiredCluster.y),
                          static_cast<std::uint32_t>(properties.requiredCluster.z)};
  return info;
}

Expected<std::uint64_t> SimulatedDevice::residentBlocks(SimulatedModule* module,
                                                        std::string_view kernel,
                                                        const LaunchConfig& config) {
  CW_TRY(const KernelInfo info, kernelInfo(module, kernel));
  return residentOn(state_->properties, config, info.staticShared);
}

Status SimulatedDevice::checkLaunch(SimulatedModule* module, std::string_view kernel,
                                    const LaunchConfig& config) {
  CW_TRY(const std::uint32_t index, findKernel(*module->linked, kernel));
  const Function& function = module->linked->module.functions[index];
  FunctionProperties properties;
  Dim3 block{0, 0, 0};
  readDirectives(function, properties, block);
  Fault unknown;
  CW_TRY(const Program* program, programOf(*module->linked, index, state_->checks, unknown));
  if (program != nullptr) properties.staticSharedMemory = program->staticShared - kSharedStart;
  ::cutwork::LaunchConfig asked;
  asked.grid = dim3(config.grid);
  asked.block = dim3(config.block);
  asked.cluster = dim3(config.cluster);
  asked.sharedMemory = config.dynamicShared;
  CW_DO(::cutwork::checkLaunch(state_->properties, properties, kernel, asked, -1));
  if (block != Dim3{0, 0, 0} && block != asked.block) {
    return userError(fmt::format("launch of '{}': block {}: this kernel requires {} (.reqntid)",
                                 kernel, asked.block.text(), block.text()));
  }
  return Success{};
}

Expected<LaunchResult> SimulatedDevice::launch(SimulatedModule* module, std::string_view kernel,
                                               const LaunchConfig& config,
                                               std::span<const std::byte> parameters) {
  LinkedModule& linked = *module->linked;
  CW_TRY(const std::uint32_t index, findKernel(linked, kernel));
  const Function& function = linked.module.functions[index];
  CW_DO(checkLaunch(module, kernel, config));
  const std::vector<ParameterInfo> expected = parametersOf(function);
  const std::uint64_t bytes = expected.empty() ? 0 : expected.back().offset + expected.back().bytes;
  if (parameters.size() < bytes) {
    return userError(fmt::format("the kernel {} has {} bytes of parameters, and {} were given",
                                 kernel, bytes, parameters.size()));
  }
  LaunchResult result;
  Fault unknown;
  CW_TRY(const Program* decoded, programOf(linked, index, state_->checks, unknown));
  if (decoded == nullptr) {
    result.faults.push_back(report(unknown));
    result.fault = result.faults.front();
    return result;
  }
  const Program& program = *decoded;
  const std::uint64_t shared = std::uint64_t{program.staticShared} + config.dynamicShared;
  GlobalMemory& memory = state_->memory;
  CW_TRY(
      const std::uint64_t parameterAddress,
      memory.allocate(std::max<std::uint64_t>(bytes, 1), fmt::format("parameters of {}", kernel)));
  CW_DO(memory.write(parameterAddress, parameters.data(), bytes));
  if (program.usesHeap) CW_DO(memory.startHeap());
  Launch launch;
  launch.program = &program;
  launch.memory = &memory;
  launch.data = memory.data();
  launch.shadow = memory.shadow();
  launch.extent = memory.extent();
  launch.config = config;
  if (config.cluster == std::array<std::uint32_t, 3>{1, 1, 1}) {  // then it is what the kernel says
    CW_TRY(const KernelInfo info, kernelInfo(module, kernel));
    if (info.requiredCluster[0] != 0) launch.config.cluster = info.requiredCluster;
  }
  launch.parameters = parameters.data();
  launch.parameterBytes = parameters.size();
  launch.parameterAddress = parameterAddress;
  launch.sharedBytes = static_cast<std::uint32_t>(shared);
  launch.residentCtas = residentOn(state_->properties, config, program.staticShared - kSharedStart);
  std::optional<Profiler> profiler;
  std::optional<Debugger> debugger;
  if (config.debug != nullptr) {
    launch.config.stopAtFirst = true;  // where it happened, there the debugger stops
    launch.observer = &debugger.emplace(program, *config.debug);
    launch.program = &debugger->program();
  } else if (config.profile) {
    launch.observer = &profiler.emplace(program);
    launch.program = &profiler->program();
  }
  const Status ran = state_->run(launch, result);
  if (profiler) result.profile = std::make_shared<const Profile>(profiler->profile());
  [[maybe_unused]] const auto freed = memory.free(parameterAddress);
  CW_DO(ran);
  result.output = std::move(launch.output);
  takeFaults(launch, result);
  if (!result.oneThread.empty()) {
    CW_LOG(Info, fmt::format("{} ran on one host thread: {}", kernel, result.oneThread));
  }
  return result;
}

}  // namespace cutwork::sim

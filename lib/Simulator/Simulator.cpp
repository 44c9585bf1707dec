// Simulator.cpp -- the device that programs see: memory, modules, launches.
#include "cutwork/Simulator/Simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "Decode/Linked.h"
#include "Memory/Global.h"
#include "Reader/Parser.h"
#include "Scheduler/Scheduler.h"
#include "Targets.h"

namespace cutwork::sim {

class SimulatedModule {
 public:
  std::unique_ptr<LinkedModule> linked;
};

struct SimulatedDevice::State {
  std::string target;
  bool checked = true;
  GlobalMemory memory;
  std::vector<std::unique_ptr<SimulatedModule>> modules;
};

namespace {

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
  result.text = fault.text();
  return result;
}

/// What no GPU would launch.
Status checkConfig(const Function& function, const LaunchConfig& config) {
  static constexpr std::array<std::uint64_t, 3> kMaxGrid = {0x7fffffff, 65535, 65535};
  static constexpr std::array<std::uint64_t, 3> kMaxBlock = {1024, 1024, 64};
  std::uint64_t threads = 1;
  std::uint64_t ctas = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (config.grid[i] == 0 || config.grid[i] > kMaxGrid[i]) {
      return userError(fmt::format("a grid of {} in dimension {}; 1 to {} are possible",
                                   config.grid[i], "xyz"[i], kMaxGrid[i]));
    }
    if (config.block[i] == 0 || config.block[i] > kMaxBlock[i]) {
      return userError(fmt::format("a block of {} in dimension {}; 1 to {} are possible",
                                   config.block[i], "xyz"[i], kMaxBlock[i]));
    }
    if (config.cluster[i] == 0 || config.grid[i] % config.cluster[i] != 0) {
      return userError(
          fmt::format("a grid of {} in dimension {} is no multiple of the cluster's {}",
                      config.grid[i], "xyz"[i], config.cluster[i]));
    }
    threads *= config.block[i];
    ctas *= config.cluster[i];
  }
  if (threads > 1024)
    return userError(fmt::format("a block of {} threads; 1024 is the limit", threads));
  if (ctas > 16) return userError(fmt::format("a cluster of {} blocks; 16 is the limit", ctas));
  for (const Performance& directive : function.directives) {
    if (directive.name == "reqntid" || directive.name == "reqnctapercluster") {
      const auto& wanted = directive.name == "reqntid" ? config.block : config.cluster;
      for (unsigned i = 0; i < 3; ++i) {
        const std::uint64_t value = i < directive.values.size() ? directive.values[i] : 1;
        if (value != wanted[i]) {
          return userError(fmt::format("the kernel {} says .{}, and the launch has ({},{},{})",
                                       function.name, directive.name, wanted[0], wanted[1],
                                       wanted[2]));
        }
      }
    }
    if (directive.name == "maxntid") {
      std::uint64_t most = 1;
      for (const std::uint64_t value : directive.values) most *= std::max<std::uint64_t>(value, 1);
      if (threads > most) {
        return userError(
            fmt::format("the kernel {} says .maxntid {}, and the launch has {} threads",
                        function.name, most, threads));
      }
    }
  }
  return Success{};
}

/// The kernel decoded, now or before; null with `unknown` set for an instruction that is not known.
Expected<const Program*> programOf(LinkedModule& linked, std::uint32_t index, bool checked,
                                   Fault& unknown) {
  const std::string kernel(linked.module.functions[index].name);
  const auto found = linked.programs.find(kernel);
  if (found != linked.programs.end()) return found->second.get();
  DecodeProblem problem;
  auto program = decodeKernel(linked, index, checked, problem);
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

SimulatedDevice::SimulatedDevice(std::unique_ptr<State> state) : state_(std::move(state)) {}
SimulatedDevice::~SimulatedDevice() = default;

std::span<const std::string_view> SimulatedDevice::targets() { return deviceTargets(); }

Expected<std::unique_ptr<SimulatedDevice>> SimulatedDevice::create(std::string_view target,
                                                                   bool checked) {
  const auto known = deviceTargets();
  if (std::find(known.begin(), known.end(), target) == known.end()) {
    std::string names;
    for (const std::string_view name : known)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    return userError(fmt::format("there is no target {}; there are {}", target, names));
  }
  auto state = std::make_unique<State>();
  state->target = target;
  state->checked = checked;
  return std::unique_ptr<SimulatedDevice>(new SimulatedDevice(std::move(state)));
}

const std::string& SimulatedDevice::target() const { return state_->target; }
bool SimulatedDevice::checked() const { return state_->checked; }

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

Expected<SimulatedModule*> SimulatedDevice::loadModule(std::string_view ptx, std::string name) {
  CW_TRY(Module module, readModule(ptx, std::move(name)));
  if (!runsOn(module.target, state_->target)) {
    return userError(fmt::format("{} is for {}, which a device of target {} does not run",
                                 module.name, module.target, state_->target));
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
  state_->modules.erase(found);
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
  CW_TRY(const Program* program, programOf(*module->linked, index, state_->checked, unknown));
  if (program == nullptr) return deviceError(report(unknown).text);
  KernelInfo info;
  info.parameters = parametersOf(function);
  info.staticShared = program->staticShared - kSharedStart;
  info.localBytes = program->frameBytes;
  for (const Performance& directive : function.directives) {
    if (directive.name == "maxntid" || directive.name == "reqntid") {
      info.maxThreads = 1;
      for (const std::uint64_t value : directive.values) {
        info.maxThreads *= std::clamp<std::uint64_t>(value, 1, 1024);
      }
    }
    if (directive.name == "reqnctapercluster") {
      for (std::size_t i = 0; i < 3; ++i) {
        const bool given = i < directive.values.size();
        info.requiredCluster[i] = given ? static_cast<std::uint32_t>(directive.values[i]) : 1;
      }
    }
  }
  return info;
}

Expected<LaunchResult> SimulatedDevice::launch(SimulatedModule* module, std::string_view kernel,
                                               const LaunchConfig& config,
                                               std::span<const std::byte> parameters) {
  LinkedModule& linked = *module->linked;
  CW_TRY(const std::uint32_t index, findKernel(linked, kernel));
  const Function& function = linked.module.functions[index];
  CW_DO(checkConfig(function, config));
  const std::vector<ParameterInfo> expected = parametersOf(function);
  const std::uint64_t bytes = expected.empty() ? 0 : expected.back().offset + expected.back().bytes;
  if (parameters.size() < bytes) {
    return userError(fmt::format("the kernel {} has {} bytes of parameters, and {} were given",
                                 kernel, bytes, parameters.size()));
  }
  LaunchResult result;
  Fault unknown;
  CW_TRY(const Program* decoded, programOf(linked, index, state_->checked, unknown));
  if (decoded == nullptr) {
    result.fault = report(unknown);
    return result;
  }
  const Program& program = *decoded;
  const std::uint64_t shared = std::uint64_t{program.staticShared} + config.dynamicShared;
  if (shared - kSharedStart > maxSharedBytes(state_->target)) {
    return userError(fmt::format("a block of {} would need {} bytes of shared memory; {} has {}",
                                 kernel, shared - kSharedStart, state_->target,
                                 maxSharedBytes(state_->target)));
  }
  GlobalMemory& memory = state_->memory;
  CW_TRY(
      const std::uint64_t parameterAddress,
      memory.allocate(std::max<std::uint64_t>(bytes, 1), fmt::format("parameters of {}", kernel)));
  CW_DO(memory.write(parameterAddress, parameters.data(), bytes));
  Launch launch;
  launch.program = &program;
  launch.memory = &memory;
  launch.data = memory.data();
  launch.shadow = memory.shadow();
  launch.extent = memory.extent();
  launch.config = config;
  launch.parameters = parameters.data();
  launch.parameterBytes = parameters.size();
  launch.parameterAddress = parameterAddress;
  launch.sharedBytes = static_cast<std::uint32_t>(shared);
  runLaunch(launch, result.counters);
  [[maybe_unused]] const auto freed = memory.free(parameterAddress);
  result.output = std::move(launch.output);
  if (launch.fault.any()) result.fault = report(launch.fault);
  return result;
}

}  // namespace cutwork::sim

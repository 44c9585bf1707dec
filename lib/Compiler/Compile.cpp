// Compile.cpp -- compiled functions: their artefacts, their kernels on devices, their calls.
#include "cutwork/Compiler/Compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <regex>

#include "Compiler/HostContext.h"
#include "Compiler/Pipeline.h"
#include "Compiler/PtxPlaces.h"
#include "cutwork/Codegen/Disassembler.h"
#include "cutwork/Runtime/DriverAssembler.h"
#include "cutwork/Runtime/Image.h"
#include "cutwork/Runtime/Module.h"
#include "cutwork/Simulator/Register.h"
#include "cutwork/Simulator/Runs.h"
#include "cutwork/Support/Knobs.h"
#include "cutwork/Support/Log.h"

namespace cutwork {

namespace {

// A function's kernels, loaded on one device.
struct Loaded {
  Device device;
  std::vector<HostFunction*> kernels;
  HostDevice* handle;
  HostContext context;

  explicit Loaded(const Device& d) : device(d), handle(hostHandle(d)), context() {}
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() {
    const HostTable* table = cw_rt_table(HostTable::kVersion);
    for (HostFunction* kernel : kernels) table->function_release(kernel);
    table->device_release(handle);
  }
};

constexpr std::size_t kInlineSlots = 128;

}  // namespace

struct CompiledFunction::Impl {
  compiler::Artefacts made;
  std::vector<ArgumentSpec> specs;
  CompileOptions options;
  std::size_t slots = 0;
  std::mutex mutex;
  std::vector<std::unique_ptr<Loaded>> loaded;
  std::atomic<Loaded*> last = nullptr;
  std::once_flag askedBest;
  std::optional<Expected<Device>> best;
  std::optional<Assembled> assembled;

  Expected<const Assembled*> assembly(const Device* device) {
    std::lock_guard lock(mutex);
    if (assembled) return &*assembled;
    if (made.ptx.empty()) {
      return userError(fmt::format(
          "'{}' {}", made.name,
          made.host == nullptr ? "is not compiled: CUTE_DSL_DRYRUN is set" : "has no kernel"));
    }
    AssembleOptions with;
    with.optimizationLevel = options.optimisation;
    with.maxRegisters = options.maxRegisters;
    with.ptxasOptions = options.ptxasOptions;
    if (device != nullptr) {
      with.driver =
          [device, level = options.optimisation](const std::string& ptx) -> Expected<DriverCubin> {
        CW_TRY(DriverAssembly built, assembleWithDriver(*device, ptx, level));
        return DriverCubin{std::move(built.cubin), std::move(built.log)};
      };
    }
    CW_TRY(Assembled built, compiler::assembleOrFind(made, with));
    CW_DO(report(built));
    // Not in its place before: where that fails, the next call says the same.
    assembled = std::move(built);
    return &*assembled;
  }

  /// Writes and logs what knobs ask for of something assembled.
  Status report(const Assembled& built) const {
    // What is left to the driver is not there to be kept.
    if (knobs().keepCubin && !built.cubin.empty()) {
      std::string_view bytes(reinterpret_cast<const char*>(built.cubin.data()), built.cubin.size());
      CW_DO(compiler::keep(made.name, "cubin", bytes));
    }
    if (knobs().keepSass && !built.cubin.empty()) {
      const Expected<std::string> text = disassemble(built.cubin);
      if (text.ok()) CW_DO(compiler::keep(made.name, "sass", *text));
      if (!text.ok()) CW_LOG(Warn, "CUTE_DSL_KEEP_SASS: " + text.error().message());
    }
    std::vector<std::string> remarks;
    for (const AssemblerRemark& remark : built.remarks) {
      remarks.push_back(fmt::format("{}: {}", remark.place.text(), remark.text));
      CW_LOG(Warn, remarks.back());
    }
    return judge(remarks);
  }

  /// Error (User): there are remarks, and they are to be errors.
  Status judge(const std::vector<std::string>& remarks) const {
    if (!knobs().warningsAsErrors || remarks.empty()) return Success{};
    return userError(fmt::format("'{}' has remarks, and CUTE_DSL_WARNINGS_AS_ERRORS is set:\n  {}",
                                 made.name, fmt::join(remarks, "\n  ")));
  }

  /// Assembles at once what would be assembled later or not at all: files that are to be kept, and
  /// options that the assembler may refuse.
  Status assembleNow() {
    const bool files = knobs().keepCubin || knobs().keepSass;
    if (made.ptx.empty() || (!files && options.ptxasOptions.empty())) return Success{};
    for (const AssemblerTool& tool : assemblerTools()) {
      if (!tool.reason.empty()) continue;
      CW_TRY(const Assembled* built, assembly(nullptr));
      static_cast<void>(built);
      return Success{};
    }
    CW_LOG(Warn, fmt::format("'{}': no assembler is found, so {}", made.name,
                             files ? "no cubin is kept" : "the options of ptxas are not checked"));
    return Success{};
  }

  /// Faults of a simulated device call buffers by the arguments that they are passed as.
  void nameBuffers(const Device& device, const std::uint64_t* slots) const {
    std::vector<NamedAddress> names;
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const ArgumentSpec& spec = specs[i];
      // The first slot of both is the address.
      if (std::holds_alternative<TensorSpec>(spec) || std::holds_alternative<PointerSpec>(spec)) {
        names.push_back(
            {static_cast<DevicePointer>(*slots), argumentText(options.argumentNames, i)});
      }
      slots += slotsOf(std::span(&spec, 1));
    }
    nameSimulatedBuffers(device, names);
  }

  /// What is loaded on a device, or null; it becomes the most recent. Under the mutex.
  Loaded* find(const Device& device) {
    for (auto& entry : loaded) {
      if (entry->device == device) return last = entry.get();
    }
    return nullptr;
  }

  Expected<Image> imageFor(const Device& device) {
    Image image = Image::fromPtx(made.ptx);
    image.target = made.target;
    if (!made.ptx.empty() && !device.properties().simulated) {
      CW_TRY(const Assembled* built, assembly(&device));
      image.cubin = built->cubin;
    }
    return image;
  }

  Expected<Loaded*> load(const Device& device) {
    Loaded* recent = last.load(std::memory_order_acquire);
    if (recent != nullptr && recent->device == device) return recent;
    {
      // Calls may go to two devices in turn: nothing is made again for them.
      std::lock_guard lock(mutex);
      if (Loaded* known = find(device)) return known;
    }
    CW_TRY(Image image, imageFor(device));
    std::lock_guard lock(mutex);
    if (Loaded* known = find(device)) return known;  // another thread's, meanwhile
    auto fresh = std::make_unique<Loaded>(device);
    if (!made.ptx.empty()) {
      auto module = device.loadModule(image);
      if (!module.ok()) return compiler::atUserLine(module.error(), made.ptx);
      for (const std::string& kernel : made.kernels) {
        auto function = module->function(kernel);
        if (!function.ok()) return compiler::atUserLine(function.error(), made.ptx);
        fresh->kernels.push_back(hostHandle(*function));
      }
    }
    fresh->context = {cw_rt_table(HostTable::kVersion), fresh->kernels.data(), fresh->handle};
    loaded.push_back(std::move(fresh));
    return last = loaded.back().get();
  }
};

namespace {

const Device* deviceOf(std::span<const CallArgument> arguments) {
  for (const CallArgument& argument : arguments) {
    if (argument.device() != nullptr) return argument.device();
  }
  return nullptr;
}

Status checkDevices(const Device& device, std::span<const CallArgument> arguments,
                    std::span<const std::string> names) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Device* other = arguments[i].device();
    if (other == nullptr || other->sharesMemoryWith(device)) continue;
    return userError(fmt::format("{} is on {}, the call runs on {}", argumentText(names, i),
                                 other->name(), device.name()));
  }
  return Success{};
}

Error failureOf(std::int32_t status) {
  const HostTable* table = cw_rt_table(HostTable::kVersion);
  return {static_cast<ErrorKind>(status - 1), table->last_error()};
}

}  // namespace

Status CompiledFunction::call(std::span<const CallArgument> arguments) const {
  if (const Device* device = deviceOf(arguments)) return callOn(*device, arguments);
  // Of a function without arrays: asked once, since the answer does not change.
  std::call_once(impl_->askedBest, [&] {
    registerSimulatedDevices();
    impl_->best.emplace(Device::best());
  });
  const std::optional<Expected<Device>>& best = impl_->best;
  if (!best) return internalError("the best device was not asked for");
  if (!best->ok()) return best->error();
  return callOn(best->value(), arguments);
}

Status CompiledFunction::callOn(const Device& device,
                                std::span<const CallArgument> arguments) const {
  const std::vector<std::string>& names = impl_->options.argumentNames;
  CW_DO(checkDevices(device, arguments, names));
  std::array<std::uint64_t, kInlineSlots> inside;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  std::vector<std::uint64_t> more;
  std::span<std::uint64_t> slots(inside.data(), impl_->slots);
  if (impl_->slots > kInlineSlots) {
    more.resize(impl_->slots);
    slots = more;
  }
  CW_DO(encodeArguments(impl_->specs, arguments, slots, names));
  return callSlots(device, slots.data());
}

Status CompiledFunction::callSlots(const Device& device, const std::uint64_t* slots) const {
  if (impl_->made.host == nullptr) return Success{};  // CUTE_DSL_DRYRUN
  CW_TRY(Loaded * loaded, impl_->load(device));
  if (device.properties().simulated) impl_->nameBuffers(device, slots);
  std::int32_t status = impl_->made.host(&loaded->context, slots);
  if (status != 0) return failureOf(status);
  return Success{};
}

const std::vector<ArgumentSpec>& CompiledFunction::specs() const { return impl_->specs; }

const std::string& CompiledFunction::name() const { return impl_->made.name; }
const Target& CompiledFunction::target() const { return impl_->made.target; }
const std::string& CompiledFunction::mlir() const { return impl_->made.mlir; }
const std::string& CompiledFunction::loweredMlir() const { return impl_->made.lowered; }
const std::string& CompiledFunction::llvm() const { return impl_->made.llvm; }
const std::string& CompiledFunction::ptx() const { return impl_->made.ptx; }
const std::vector<std::string>& CompiledFunction::kernels() const { return impl_->made.kernels; }

Expected<std::vector<std::byte>> CompiledFunction::cubin() const {
  CW_TRY(const Assembled* built, impl_->assembly(nullptr));
  return built->cubin;
}
Expected<std::vector<EntryResources>> CompiledFunction::resources() const {
  CW_TRY(const Assembled* built, impl_->assembly(nullptr));
  return built->entries;
}
std::vector<std::string> CompiledFunction::remarks() const {
  std::vector<std::string> all = impl_->made.remarks;
  std::lock_guard lock(impl_->mutex);
  if (!impl_->assembled) return all;
  for (const AssemblerRemark& remark : impl_->assembled->remarks) {
    all.push_back(fmt::format("{}: {}", remark.place.text(), remark.text));
  }
  return all;
}

Expected<Occupancy> CompiledFunction::occupancy(const std::string& kernel, std::int64_t threads,
                                                std::int64_t dynamicSharedMemory) const {
  CW_TRY(const std::vector<EntryResources> all, resources());
  const auto found = std::ranges::find(all, kernel, &EntryResources::name);
  if (found == all.end()) {
    return userError(fmt::format("there is no kernel '{}'; '{}' has {}", kernel, name(),
                                 fmt::join(kernels(), ", ")));
  }
  registerSimulatedDevices();
  CW_TRY(const Device like, Device::open("sim:" + target().name()));
  return cutwork::occupancy(like.properties().limits,
                            {threads, found->registers, found->sharedMemory + dynamicSharedMemory});
}

Expected<int> CompiledFunction::activeBlocks(const Device& device, const std::string& kernel,
                                             std::int64_t threads,
                                             std::int64_t dynamicSharedMemory) const {
  if (device.properties().simulated) {
    CW_TRY(const Occupancy all, occupancy(kernel, threads, dynamicSharedMemory));
    return static_cast<int>(all.blocks);
  }
  CW_TRY(const Image image, impl_->imageFor(device));
  CW_TRY(const Module module, device.loadModule(image));
  CW_TRY(const Function function, module.function(kernel));
  LaunchConfig config;
  config.block = {threads, 1, 1};
  config.sharedMemory = dynamicSharedMemory;
  return function.activeBlocks(config);
}

Expected<Target> targetFor(const CompileOptions& options, const Device* device) {
  registerSimulatedDevices();
  if (options.target) return *options.target;
  if (!knobs().arch.empty()) return Target::parse(knobs().arch);
  if (device != nullptr) return device->target();
  CW_TRY(Device best, Device::best());
  return best.target();
}

namespace {

void logRemarks(const std::vector<std::string>& remarks) {
  if (knobs().remarks.empty()) return;
  const std::regex wanted(knobs().remarks);
  for (const std::string& remark : remarks) {
    if (std::regex_search(remark, wanted)) CW_LOG(Warn, remark);
  }
}

}  // namespace

Expected<CompiledFunction> compileTrace(HostTrace& trace, std::vector<ArgumentSpec> specs,
                                        const CompileOptions& options) {
  trace.finish();
  if (options.optimisation < 0 || options.optimisation > 3) {
    return userError(fmt::format("CompileOptions: optimisation is {}; 0 to 3 are possible",
                                 options.optimisation));
  }
  constexpr int kMostRegisters = 255;
  if (options.maxRegisters < 0 || options.maxRegisters > kMostRegisters) {
    return userError(
        fmt::format("CompileOptions: maxRegisters is {}; 0 (no limit) to {} are "
                    "possible",
                    options.maxRegisters, kMostRegisters));
  }
  auto impl = std::make_shared<CompiledFunction::Impl>();
  impl->options = options;
  CW_TRY(impl->options.ptxasOptions, ptxasOptions(options.ptxasOptions));
  impl->slots = slotsOf(specs);
  impl->specs = std::move(specs);
  CW_DO(compiler::keepPlaces(trace.impl()));
  if (knobs().dryRun) {
    CW_TRY(impl->made, compiler::traced(trace.impl()));
    CW_LOG(Warn, "CUTE_DSL_DRYRUN: '" + impl->made.name + "' is traced and verified, not compiled");
    CW_DO(compiler::show(impl->made));
    return CompiledFunction(std::move(impl));
  }
  CW_TRY(impl->made, compiler::lowerOrFind(trace.impl(), options));
  logRemarks(impl->made.remarks);
  CW_DO(impl->judge(impl->made.remarks));
  CW_DO(impl->assembleNow());
  return CompiledFunction(std::move(impl));
}

Status compiler::keep(const std::string& name, std::string_view ending, std::string_view text) {
  namespace fs = std::filesystem;
  fs::path folder = knobs().dumpDir.empty() ? fs::path(".") : fs::path(knobs().dumpDir);
  std::error_code failed;
  fs::create_directories(folder, failed);
  fs::path path = folder / fmt::format("{}.{}", name, ending);
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) return userError(fmt::format("{} cannot be written", path.string()));
  return Success{};
}

}  // namespace cutwork

// Compile.cpp -- compiled functions: their artefacts, their kernels on devices, their calls.
#include "cutwork/Compiler/Compile.h"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include "Compiler/HostContext.h"
#include "Compiler/Pipeline.h"
#include "Compiler/PtxPlaces.h"
#include "cutwork/Runtime/DriverAssembler.h"
#include "cutwork/Runtime/Image.h"
#include "cutwork/Runtime/Module.h"
#include "cutwork/Simulator/Register.h"
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
    if (made.ptx.empty()) return userError(fmt::format("'{}' has no kernel", made.name));
    AssembleOptions with;
    with.optimizationLevel = options.optimisation;
    with.maxRegisters = options.maxRegisters;
    if (device != nullptr) {
      with.driver =
          [device, level = options.optimisation](const std::string& ptx) -> Expected<DriverCubin> {
        CW_TRY(DriverAssembly built, assembleWithDriver(*device, ptx, level));
        return DriverCubin{std::move(built.cubin), std::move(built.log)};
      };
    }
    CW_TRY(assembled, compiler::assembleOrFind(made, with));
    if (knobs().keepCubin) {
      std::string_view bytes(reinterpret_cast<const char*>(assembled->cubin.data()),
                             assembled->cubin.size());
      CW_DO(compiler::keep(made.name, "cubin", bytes));
    }
    for (const AssemblerRemark& remark : assembled->remarks) {
      CW_LOG(Warn, fmt::format("{}: {}", remark.place.text(), remark.text));
    }
    return &*assembled;
  }

  /// What is loaded on a device, or null; it becomes the most recent. Under the mutex.
  Loaded* find(const Device& device) {
    for (auto& entry : loaded) {
      if (entry->device == device) return last = entry.get();
    }
    return nullptr;
  }

  Expected<Loaded*> load(const Device& device) {
    Loaded* recent = last.load(std::memory_order_acquire);
    if (recent != nullptr && recent->device == device) return recent;
    {
      // Calls may go to two devices in turn: nothing is made again for them.
      std::lock_guard lock(mutex);
      if (Loaded* known = find(device)) return known;
    }
    Image image = Image::fromPtx(made.ptx);
    image.target = made.target;
    if (!made.ptx.empty() && !device.properties().simulated) {
      CW_TRY(const Assembled* built, assembly(&device));
      image.cubin = built->cubin;
    }
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

Status checkDevices(const Device& device, std::span<const CallArgument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Device* other = arguments[i].device();
    if (other == nullptr || *other == device) continue;
    return userError(
        fmt::format("argument {} is on {}, the call runs on {}", i, other->name(), device.name()));
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
  CW_DO(checkDevices(device, arguments));
  std::array<std::uint64_t, kInlineSlots> inside;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  std::vector<std::uint64_t> more;
  std::span<std::uint64_t> slots(inside.data(), impl_->slots);
  if (impl_->slots > kInlineSlots) {
    more.resize(impl_->slots);
    slots = more;
  }
  CW_DO(encodeArguments(impl_->specs, arguments, slots));
  return callSlots(device, slots.data());
}

Status CompiledFunction::callSlots(const Device& device, const std::uint64_t* slots) const {
  CW_TRY(Loaded * loaded, impl_->load(device));
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

Expected<Target> targetFor(const CompileOptions& options, const Device* device) {
  registerSimulatedDevices();
  if (options.target) return *options.target;
  if (!knobs().arch.empty()) return Target::parse(knobs().arch);
  if (device != nullptr) return device->target();
  CW_TRY(Device best, Device::best());
  return best.target();
}

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
  impl->slots = slotsOf(specs);
  impl->specs = std::move(specs);
  CW_TRY(impl->made, compiler::lowerOrFind(trace.impl(), options));
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

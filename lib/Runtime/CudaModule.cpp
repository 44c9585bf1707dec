// CudaModule.cpp -- loading modules on a CUDA device, and finding their functions and variables.
#include "CudaModule.h"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "AddressCast.h"
#include "CudaDevice.h"
#include "cutwork/Support/Log.h"

namespace cutwork::cuda {

namespace {

/// What the driver's assembler wrote, without the blank lines at its end.
std::string textOf(const std::vector<char>& log) {
  std::string text(log.data());
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::int64_t attributeOf(const Driver& driver, Function function, int attribute) {
  int value = 0;
  if (driver.cuFuncGetAttribute(&value, attribute, function) != kSuccess) return 0;
  return value;
}

/// Behind the last one the driver fails, which tools that watch it report: so `count` ends the
/// asking where it is known.
void addParameters(const Driver& driver, Function function, std::optional<std::size_t> count,
                   FunctionProperties& properties) {
  if (driver.cuFuncGetParamInfo == nullptr) return;  // before CUDA 12.4
  properties.parametersKnown = true;
  for (std::size_t index = 0; !count || index < *count; ++index) {
    std::size_t offset = 0;
    std::size_t size = 0;
    if (driver.cuFuncGetParamInfo(function, index, &offset, &size) != kSuccess) return;
    properties.parameters.push_back(
        {static_cast<std::int64_t>(offset), static_cast<std::int64_t>(size)});
  }
}

}  // namespace

Expected<ModuleHandle> CudaDevice::loadModule(const Image& image) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  const bool fromPtx = image.cubin.empty();
  constexpr std::size_t kLogBytes = 8192;
  std::vector<char> info(kLogBytes);
  std::vector<char> error(kLogBytes);
  std::array<int, 5> options = {kJitInfoLog, kJitInfoLogBytes, kJitErrorLog, kJitErrorLogBytes,
                                kJitLineInfo};
  std::array<void*, 5> values = {info.data(), pointerAt(kLogBytes), error.data(),
                                 pointerAt(kLogBytes), pointerAt(1)};
  const void* data = fromPtx ? static_cast<const void*>(image.ptx.c_str())
                             : static_cast<const void*>(image.cubin.data());
  Module module = nullptr;
  const Result result =
      driver_.cuModuleLoadDataEx(&module, data, options.size(), options.data(), values.data());
  info.back() = error.back() = '\0';
  if (result != kSuccess) {
    std::string text =
        fmt::format("loading a module on {}: {}", properties_.name, resultText(driver_, result));
    if (const std::string log = textOf(error); !log.empty()) text += "\n" + log;
    // PTX is the user's program, or made of it: that it is refused is told as its fault.
    if (result == kNoBinaryForGpu) text += " (a module for another architecture)";
    if (result == kUnsupportedPtxVersion) {
      text += fmt::format(" (the driver is for CUDA {}.{})", driver_.version / 1000,
                          driver_.version % 1000 / 10);
    }
    return userError(std::move(text));
  }
  if (fromPtx) CW_LOG(Info, fmt::format("assembled by the driver ({})", driver_.path));
  if (const std::string log = textOf(info); !log.empty()) CW_LOG(Debug, log);
  return reinterpret_cast<ModuleHandle>(std::make_unique<LoadedModule>(module).release());
}

Status CudaDevice::unloadModule(ModuleHandle module) {
  const std::unique_ptr<LoadedModule> owner(&loaded(module));
  const ContextGuard guard = current();
  return checkRelease(driver_.cuModuleUnload(owner->native), "unloading a module");
}

Expected<FunctionHandle> CudaDevice::function(ModuleHandle module, const std::string& name) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  LoadedModule& owner = loaded(module);
  const std::lock_guard lock(owner.mutex);
  auto found = owner.functions.find(name);
  if (found == owner.functions.end()) {
    Function function = nullptr;
    const Result result = driver_.cuModuleGetFunction(&function, owner.native, name.c_str());
    if (result == kNotFound) {
      return userError(fmt::format("the module has no kernel named '{}'", name));
    }
    CW_DO(check(result, "finding a kernel"));
    const bool clusterMustBeSet = attributeOf(driver_, function, kFunctionClusterMustBeSet) != 0 &&
                                  attributeOf(driver_, function, kFunctionClusterX) == 0;
    found = owner.functions
                .try_emplace(name, function, name,
                             attributeOf(driver_, function, kFunctionSharedBytes), clusterMustBeSet)
                .first;
  }
  return reinterpret_cast<FunctionHandle>(&found->second);
}

Expected<FunctionProperties> CudaDevice::functionProperties(FunctionHandle function,
                                                            std::optional<std::size_t> parameters) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  const LoadedFunction& owner = loaded(function);
  const auto attribute = [&](int which) { return attributeOf(driver_, owner.native, which); };
  FunctionProperties properties;
  properties.registers = attribute(kFunctionRegisters);
  properties.staticSharedMemory = owner.staticShared;
  properties.localMemory = attribute(kFunctionLocalBytes);
  properties.constantMemory = attribute(kFunctionConstantBytes);
  properties.maxThreadsPerBlock = attribute(kFunctionMaxThreads);
  properties.requiredCluster = {attribute(kFunctionClusterX), attribute(kFunctionClusterY),
                                attribute(kFunctionClusterZ)};
  properties.clusterMustBeSet = owner.clusterMustBeSet;
  addParameters(driver_, owner.native, parameters, properties);
  return properties;
}

Expected<GlobalVariable> CudaDevice::global(ModuleHandle module, const std::string& name) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  Pointer address = 0;
  std::size_t bytes = 0;
  const Result result =
      driver_.cuModuleGetGlobal_v2(&address, &bytes, loaded(module).native, name.c_str());
  if (result == kNotFound) {
    return userError(fmt::format("the module has no variable named '{}'", name));
  }
  CW_DO(check(result, "finding a variable"));
  return GlobalVariable{address, static_cast<std::int64_t>(bytes)};
}

}  // namespace cutwork::cuda

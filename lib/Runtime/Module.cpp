// Module.cpp -- modules, functions and launches as users hold them.
#include "cutwork/Runtime/Module.h"

#include <fmt/format.h>

#include "DeviceState.h"

namespace cutwork {

using detail::FunctionRecord;
using detail::ModuleRecord;

namespace {

DeviceInterface& deviceOf(const FunctionRecord& function) {
  return *function.module->state->device;
}

}  // namespace

Launch::Launch(std::shared_ptr<const FunctionRecord> function,
               std::unique_ptr<PreparedLaunch> prepared, StreamHandle stream)
    : function_(std::move(function)), prepared_(std::move(prepared)), stream_(stream) {}

const std::string& Function::name() const { return record_->name; }
const FunctionProperties& Function::properties() const { return record_->properties; }
FunctionHandle Function::handle() const { return record_->handle; }

Status Function::launch(const LaunchConfig& config, std::span<const void* const> parameters) const {
  DeviceInterface& device = deviceOf(*record_);
  CW_DO(checkLaunch(device.properties(), record_->properties, record_->name, config,
                    std::ssize(parameters)));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i] == nullptr) [[unlikely]] {
      return userError(fmt::format("launch of '{}': no value for parameter {}", record_->name, i));
    }
  }
  return device.launch(record_->handle, config, parameters);
}

Status Function::checkSizes(std::span<const std::int64_t> sizes) const {
  const FunctionProperties& function = record_->properties;
  if (!function.parametersKnown || function.parameters.size() != sizes.size()) {
    return Success{};  // the number is checked with the launch
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (function.parameters[i].size != sizes[i]) [[unlikely]] {
      return userError(
          fmt::format("launch of '{}': parameter {} has {} bytes, and the value passed has {}",
                      record_->name, i, function.parameters[i].size, sizes[i]));
    }
  }
  return Success{};
}

Expected<Launch> Function::prepare(const LaunchConfig& config) const {
  DeviceInterface& device = deviceOf(*record_);
  CW_DO(checkLaunch(device.properties(), record_->properties, record_->name, config, -1));
  CW_TRY(auto prepared, device.prepare(record_->handle, config));
  return Launch(record_, std::move(prepared), config.stream);
}

Expected<int> Function::activeBlocks(const LaunchConfig& config) const {
  DeviceInterface& device = deviceOf(*record_);
  CW_DO(checkLaunch(device.properties(), record_->properties, record_->name, config, -1));
  return device.activeBlocks(record_->handle, config);
}

Expected<int> Function::activeClusters(const LaunchConfig& config) const {
  DeviceInterface& device = deviceOf(*record_);
  CW_DO(checkLaunch(device.properties(), record_->properties, record_->name, config, -1));
  return device.activeClusters(record_->handle, config);
}

ModuleHandle Module::handle() const { return record_->handle; }

Expected<Function> Module::function(const std::string& name) const {
  ModuleRecord& module = *record_;
  const std::lock_guard lock(module.mutex);
  auto found = module.functions.find(name);
  if (found == module.functions.end()) {
    CW_TRY(FunctionHandle handle, module.state->device->function(module.handle, name));
    const auto count = ptxParameterCount(module.image.ptx, name);
    CW_TRY(FunctionProperties properties, module.state->device->functionProperties(handle, count));
    found =
        module.functions.emplace(name, FunctionRecord{&module, name, handle, std::move(properties)})
            .first;
  }
  return Function(std::shared_ptr<const FunctionRecord>(record_, &found->second));
}

Expected<GlobalVariable> Module::global(const std::string& name) const {
  return record_->state->device->global(record_->handle, name);
}

}  // namespace cutwork

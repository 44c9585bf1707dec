// DeviceRegistry.cpp -- the kinds of device by name, and the devices that are open.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <mutex>

#include "CudaDevice.h"
#include "DeviceState.h"
#include "OpenDevices.h"
#include "cutwork/Support/Knobs.h"
#include "cutwork/Support/Log.h"

namespace cutwork {

namespace {

constexpr std::string_view kSimulated = "sim:sm_90a";

struct Registry {
  std::mutex mutex;
  std::map<std::string, DeviceFactory, std::less<>> kinds;
  std::map<std::string, std::shared_ptr<detail::DeviceState>, std::less<>> open;
};

/// Never destroyed: devices end with the process, after all statics that use them.
Registry& registry() {
  static Registry* const registry = [] {
    auto* made = new Registry;
    made->kinds.emplace("cuda", cuda::openCudaDevice);
    return made;
  }();
  return *registry;
}

std::string kindNames(const Registry& all) {
  std::string names;
  for (const auto& [kind, factory] : all.kinds) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kind);
  }
  return names;
}

}  // namespace

void registerDeviceKind(std::string kind, DeviceFactory factory) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.kinds.insert_or_assign(std::move(kind), std::move(factory));
}

std::vector<std::string> deviceKinds() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::vector<std::string> names;
  names.reserve(all.kinds.size());
  for (const auto& [kind, factory] : all.kinds) names.push_back(kind);
  return names;
}

Expected<Device> Device::open(std::string_view name) {
  const std::size_t colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  const std::string_view which =
      colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1);
  Registry& all = registry();
  DeviceFactory factory;
  {
    const std::lock_guard lock(all.mutex);
    if (const auto found = all.open.find(name); found != all.open.end()) {
      return Device(found->second);
    }
    const auto found = all.kinds.find(kind);
    if (found == all.kinds.end()) {
      return userError(
          fmt::format("no device '{}': the kinds of device here are {} (cuda:0, "
                      "sim:sm_90a)",
                      name.substr(0, 64), kindNames(all)));
    }
    factory = found->second;
  }
  // Not under the lock: opening takes a while, and a kind may open other devices.
  CW_TRY(auto implementation, factory(which));
  const std::lock_guard lock(all.mutex);
  // `cuda` and `cuda:0` are one device: the name that the device gives itself decides.
  const std::string& itself = implementation->properties().name;
  auto found = all.open.find(itself);
  if (found == all.open.end()) {
    found =
        all.open.emplace(itself, std::make_shared<detail::DeviceState>(std::move(implementation)))
            .first;
  }
  const auto state = found->second;
  all.open.try_emplace(std::string(name), state);
  return Device(state);
}

Expected<Device> Device::best() {
  const Expected<Knobs>& knobs = tryKnobs();
  if (!knobs.ok()) return knobs.error();
  if (!knobs->device.empty()) {
    Expected<Device> named = open(knobs->device);
    if (named.ok()) return named;
    return std::move(named).takeError().within("CUTWORK_DEVICE: ");
  }
  Expected<Device> first = open("cuda:0");
  if (first.ok()) return first;
  CW_LOG(Info, fmt::format("{}; using {}", first.error().message(), kSimulated));
  if (!knobs->arch.empty()) {  // kernels are compiled for it, so it is what should run them
    Expected<Device> chosen = open(fmt::format("sim:{}", knobs->arch));
    if (chosen.ok()) return chosen;
    CW_LOG(Info, fmt::format("CUTE_DSL_ARCH: {}", chosen.error().message()));
  }
  Expected<Device> simulated = open(kSimulated);
  if (simulated.ok()) return simulated;
  return userError(
      fmt::format("no device: {}; {}", first.error().message(), simulated.error().message()));
}

Expected<Device> deviceOfDLPack(const dlpack::Device& device) {
  if (device.type == dlpack::kCuda || device.type == dlpack::kCudaManaged) {
    return Device::open(fmt::format("cuda:{}", device.id));
  }
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  for (const auto& [name, state] : all.open) {
    const DeviceProperties& properties = state->device->properties();
    if (properties.dlpackType == device.type && properties.dlpackId == device.id) {
      return detail::DeviceState::handleOf(state);
    }
  }
  return userError(fmt::format("DLPack: no device of type {} and number {} is open here",
                               device.type, device.id));
}

}  // namespace cutwork

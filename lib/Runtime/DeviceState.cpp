// DeviceState.cpp -- modules and tensor maps are made once and remembered.
#include "DeviceState.h"

#include <fmt/format.h>

#include <string_view>

#include "cutwork/Support/Log.h"

namespace cutwork::detail {

namespace {

/// An error that nobody can be told of.
void logFailure(const Status& status) {
  if (!status.ok()) CW_LOG(Warn, status.error().message());
}

template <class T>
std::string_view bytesOf(const T& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size()};
}

std::size_t mixed(std::size_t a, std::size_t b) { return (a * 0x9E3779B97F4A7C15U) ^ b; }

std::size_t hashOf(const Image& image) {
  const std::hash<std::string_view> hash;
  return mixed(hash(image.ptx), hash(bytesOf(image.cubin)));
}

}  // namespace

ModuleRecord::~ModuleRecord() {
  state->forget(this);
  logFailure(state->device->unloadModule(handle));
}

Allocation::~Allocation() { logFailure(state->device->release(address)); }

std::size_t TensorMapMemo::Hash::operator()(const Key& key) const {
  static_assert(std::has_unique_object_representations_v<TensorMapPlan>);
  const std::string_view plan(reinterpret_cast<const char*>(&key.plan), sizeof key.plan);
  return mixed(std::hash<std::string_view>()(plan), std::hash<DevicePointer>()(key.address));
}

Expected<TensorMap> TensorMapMemo::get(DeviceInterface& device, const TensorMapPlan& plan,
                                       DevicePointer address) {
  constexpr std::size_t kMost = 4096;  // half a megabyte
  const Key key{plan, address};
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = maps_.find(key); found != maps_.end()) return found->second;
  }
  const DeviceProperties& properties = device.properties();
  CW_DO(checkTensorMap(plan, address,
                       {properties.target.capability, properties.limits.sharedMemoryPerBlock}));
  CW_TRY(const TensorMap map, device.encodeTensorMap(plan, address));
  const std::lock_guard lock(mutex_);
  if (maps_.size() >= kMost) maps_.clear();
  maps_.emplace(key, map);
  return map;
}

Expected<std::shared_ptr<ModuleRecord>> DeviceState::load(const Image& image) {
  const std::size_t hash = hashOf(image);
  // Records may end here, and then take the mutex: so they are declared before it is locked.
  Records looked;
  std::shared_ptr<ModuleRecord> record;
  {
    const std::lock_guard lock(mutex_);
    if (auto found = find(hash, image, looked)) return found;
  }
  CW_TRY(const ImagePart part, choosePart(image, device->properties()));
  Image used = image;
  if (part == ImagePart::Ptx) used.cubin.clear();
  if (part == ImagePart::Cubin) used.ptx.clear();
  StageTimer timer("load");
  CW_TRY(ModuleHandle handle, device->loadModule(used));
  timer.stop();
  record = std::make_shared<ModuleRecord>(shared_from_this(), handle, image);
  const std::lock_guard lock(mutex_);
  // Another thread may have loaded it meanwhile; then ours is unloaded.
  if (auto found = find(hash, image, looked)) return found;
  modules_.emplace(hash, std::pair(record.get(), std::weak_ptr(record)));
  return record;
}

std::shared_ptr<ModuleRecord> DeviceState::find(std::size_t hash, const Image& image,
                                                Records& looked) {
  const auto [begin, end] = modules_.equal_range(hash);
  for (auto each = begin; each != end; ++each) {
    looked.push_back(each->second.second.lock());
    if (looked.back() && looked.back()->image == image) return looked.back();
  }
  return nullptr;
}

void DeviceState::forget(const ModuleRecord* record) {
  const std::lock_guard lock(mutex_);
  std::erase_if(modules_, [&](const auto& entry) { return entry.second.first == record; });
}

}  // namespace cutwork::detail

// DeviceState.h -- what the handles of one open device share: modules and tensor maps it remembers.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cutwork/Runtime/Device.h"

namespace cutwork::detail {

struct ModuleRecord;

/// A kernel; lives as long as its module's record, which handles share.
struct FunctionRecord {
  ModuleRecord* module;
  std::string name;
  FunctionHandle handle;
  FunctionProperties properties;
};

/// A loaded module, unloaded with the record.
struct ModuleRecord {
  ModuleRecord(std::shared_ptr<DeviceState> deviceState, ModuleHandle moduleHandle, Image loaded)
      : state(std::move(deviceState)), handle(moduleHandle), image(std::move(loaded)) {}
  ModuleRecord(const ModuleRecord&) = delete;
  ModuleRecord& operator=(const ModuleRecord&) = delete;
  ~ModuleRecord();

  const std::shared_ptr<DeviceState> state;
  ModuleHandle handle;
  const Image image;  ///< as the user gave it: what loading it again is compared with
  std::mutex mutex;   ///< of functions
  std::map<std::string, FunctionRecord, std::less<>> functions;
};

/// Memory of a device, released with the struct.
struct Allocation {
  Allocation(std::shared_ptr<DeviceState> deviceState, DevicePointer memory)
      : state(std::move(deviceState)), address(memory) {}
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;
  ~Allocation();

  const std::shared_ptr<DeviceState> state;
  const DevicePointer address;
};

/// Encoded tensor maps by plan and address. Encoding is a function of these alone, so that what is
/// remembered is never out of date.
class TensorMapMemo {
 public:
  Expected<TensorMap> get(DeviceInterface& device, const TensorMapPlan& plan,
                          DevicePointer address);

 private:
  struct Key {
    TensorMapPlan plan;
    DevicePointer address;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  std::mutex mutex_;
  std::unordered_map<Key, TensorMap, Hash> maps_;
};

class DeviceState : public std::enable_shared_from_this<DeviceState> {
 public:
  explicit DeviceState(std::shared_ptr<DeviceInterface> implementation)
      : device(std::move(implementation)) {}

  Expected<std::shared_ptr<ModuleRecord>> load(const Image& image);
  static Device handleOf(std::shared_ptr<DeviceState> state) { return Device(std::move(state)); }

  const std::shared_ptr<DeviceInterface> device;
  TensorMapMemo tensorMaps;

 private:
  friend struct ModuleRecord;
  using Records = std::vector<std::shared_ptr<ModuleRecord>>;
  /// With the mutex held. What was looked at is put into `looked`, to be let go without the mutex.
  std::shared_ptr<ModuleRecord> find(std::size_t hash, const Image& image, Records& looked);
  void forget(const ModuleRecord* record);

  std::mutex mutex_;
  std::unordered_multimap<std::size_t, std::pair<ModuleRecord*, std::weak_ptr<ModuleRecord>>>
      modules_;
};

}  // namespace cutwork::detail

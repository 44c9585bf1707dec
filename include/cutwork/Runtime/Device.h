// cutwork/Runtime/Device.h -- a device to run kernels on: opening it, memory, streams, modules.
//
//     Device device = Device::best();                    // or Device::open("cuda:0"), "sim:sm_90a"
//     Buffer x = device.allocate(1 << 20);
//     Module module = device.loadModule(Image::fromPtx(text));
//     Function f = module.function("scale");
//     orThrow(f({.grid = {1024}, .block = {256}}, x.address(), 2.0F));
//     orThrow(device.synchronize());
//
// A Device is a handle: copying it copies a pointer. All of it may be used from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cutwork/Runtime/DeviceInterface.h"

#pragma GCC visibility push(default)

namespace cutwork {

class Buffer;
class Event;
class Module;
class Stream;
namespace detail {
class DeviceState;
}

class Device {
 public:
  /// `cuda` (the first), `cuda:N`, `sim`, `sim:sm_90a`, or a kind that registerDeviceKind added.
  /// The same name gives the same device for as long as the process lives. Errors (User): a name
  /// that is none, with those that are; an index out of range, with the range; no driver, with the
  /// reason.
  static Expected<Device> open(std::string_view name);
  /// What CUTWORK_DEVICE names; or else the first CUDA device if there is one; or else the
  /// simulated device for CUTE_DSL_ARCH; or else `sim:sm_90a`.
  static Expected<Device> best();
  /// A device of one's own making, not remembered under a name.
  static Device over(std::shared_ptr<DeviceInterface> implementation);

  // No moves: what is moved from would be no device.
  Device(const Device&) = default;
  Device& operator=(const Device&) = default;
  ~Device() = default;

  [[nodiscard]] const DeviceProperties& properties() const;
  [[nodiscard]] const std::string& name() const { return properties().name; }
  [[nodiscard]] const Target& target() const { return properties().target; }
  /// What implements it; calls there are not checked.
  [[nodiscard]] DeviceInterface& implementation() const;

  // Memory. Sizes are bytes; a negative one and a null address are refused.
  /// Zero bytes give an empty buffer with address 0.
  [[nodiscard]] Expected<Buffer> allocate(std::int64_t bytes) const;
  /// Copies, and waits until the copy is done.
  [[nodiscard]] Status copyToDevice(DevicePointer to, const void* from, std::int64_t bytes) const;
  [[nodiscard]] Status copyToHost(void* to, DevicePointer from, std::int64_t bytes) const;
  [[nodiscard]] Status copyOnDevice(DevicePointer to, DevicePointer from, std::int64_t bytes) const;
  /// Copies in the order of a stream. Host memory must live until then.
  [[nodiscard]] Status copyToDeviceAsync(DevicePointer to, const void* from, std::int64_t bytes,
                                         StreamHandle stream) const;
  [[nodiscard]] Status copyToHostAsync(void* to, DevicePointer from, std::int64_t bytes,
                                       StreamHandle stream) const;
  [[nodiscard]] Status copyOnDeviceAsync(DevicePointer to, DevicePointer from, std::int64_t bytes,
                                         StreamHandle stream) const;
  /// `count` times the low `width` bytes of `value`, in stream order; width 1, 2 or 4, and the
  /// address a multiple of it.
  [[nodiscard]] Status fill(DevicePointer to, std::uint32_t value, int width, std::int64_t count,
                            StreamHandle stream = nullptr) const;
  [[nodiscard]] Expected<MemoryInfo> memoryInfo() const;

  [[nodiscard]] Expected<Stream> createStream(const StreamOptions& options = {}) const;
  [[nodiscard]] Expected<Event> createEvent(bool timing = true) const;
  /// Waits for everything on the device, and reports what failed there.
  [[nodiscard]] Status synchronize() const;

  /// Loads a module; an image that is loaded already gives the same module. Errors (User): an image
  /// for another architecture, or one that this kind of device cannot read.
  [[nodiscard]] Expected<Module> loadModule(const Image& image) const;

  /// The only maker of TMA descriptors. What it has encoded it remembers by plan and address.
  [[nodiscard]] Expected<TensorMap> encodeTensorMap(const TensorMapPlan& plan,
                                                    DevicePointer address) const;

  friend bool operator==(const Device& a, const Device& b) { return a.state_ == b.state_; }
  /// Whether what is in the memory of one is in that of the other: all simulated devices, whatever
  /// their targets, share theirs.
  [[nodiscard]] bool sharesMemoryWith(const Device& other) const {
    return *this == other || (properties().simulated && other.properties().simulated);
  }

 private:
  friend class detail::DeviceState;
  explicit Device(std::shared_ptr<detail::DeviceState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::DeviceState> state_;
};

/// Makes a device from what follows the colon in its name; empty if there is no colon.
using DeviceFactory =
    std::function<Expected<std::shared_ptr<DeviceInterface>>(std::string_view which)>;

/// Adds a kind of device, or replaces one (devices that are open stay). `kind` is the name before
/// the colon. lib/Simulator registers `sim`.
void registerDeviceKind(std::string kind, DeviceFactory factory);

/// The kinds that are registered, sorted: `cuda` always.
std::vector<std::string> deviceKinds();

/// How many CUDA devices there are; the error says why there are none.
Expected<int> cudaDeviceCount();

}  // namespace cutwork

#pragma GCC visibility pop

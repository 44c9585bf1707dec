// Device.cpp -- the handle that users hold: what they give is checked, then the device is asked.
#include "cutwork/Runtime/Device.h"

#include <fmt/format.h>

#include "DeviceState.h"
#include "cutwork/Runtime/Buffer.h"
#include "cutwork/Runtime/Module.h"
#include "cutwork/Runtime/Stream.h"

namespace cutwork {

namespace {

/// Whether there is anything to copy, or what is wrong with it.
Expected<bool> checkCopy(std::string_view what, bool addressesKnown, std::int64_t bytes) {
  if (bytes < 0) return userError(fmt::format("{}: {} bytes", what, bytes));
  if (bytes > 0 && !addressesKnown) return userError(fmt::format("{}: a null address", what));
  return bytes > 0;
}

}  // namespace

Device Device::over(std::shared_ptr<DeviceInterface> implementation) {
  return Device(std::make_shared<detail::DeviceState>(std::move(implementation)));
}

const DeviceProperties& Device::properties() const { return state_->device->properties(); }

DeviceInterface& Device::implementation() const { return *state_->device; }

Expected<Buffer> Device::allocate(std::int64_t bytes) const {
  if (bytes < 0) return userError(fmt::format("allocate: {} bytes", bytes));
  if (bytes == 0) return Buffer(nullptr, 0, 0);
  CW_TRY(const DevicePointer address, state_->device->allocate(bytes));
  return Buffer(std::make_shared<const detail::Allocation>(state_, address), address, bytes);
}

Status Device::copyToDeviceAsync(DevicePointer to, const void* from, std::int64_t bytes,
                                 StreamHandle stream) const {
  CW_TRY(const bool any, checkCopy("copy to the device", to != 0 && from != nullptr, bytes));
  return any ? state_->device->copyToDevice(to, from, bytes, stream) : Status(Success{});
}

Status Device::copyToHostAsync(void* to, DevicePointer from, std::int64_t bytes,
                               StreamHandle stream) const {
  CW_TRY(const bool any, checkCopy("copy to the host", to != nullptr && from != 0, bytes));
  return any ? state_->device->copyToHost(to, from, bytes, stream) : Status(Success{});
}

Status Device::copyOnDeviceAsync(DevicePointer to, DevicePointer from, std::int64_t bytes,
                                 StreamHandle stream) const {
  CW_TRY(const bool any, checkCopy("copy on the device", to != 0 && from != 0, bytes));
  return any ? state_->device->copyOnDevice(to, from, bytes, stream) : Status(Success{});
}

Status Device::copyToDevice(DevicePointer to, const void* from, std::int64_t bytes) const {
  CW_DO(copyToDeviceAsync(to, from, bytes, nullptr));
  return state_->device->synchronizeStream(nullptr);
}

Status Device::copyToHost(void* to, DevicePointer from, std::int64_t bytes) const {
  CW_DO(copyToHostAsync(to, from, bytes, nullptr));
  return state_->device->synchronizeStream(nullptr);
}

Status Device::copyOnDevice(DevicePointer to, DevicePointer from, std::int64_t bytes) const {
  CW_DO(copyOnDeviceAsync(to, from, bytes, nullptr));
  return state_->device->synchronizeStream(nullptr);
}

Status Device::fill(DevicePointer to, std::uint32_t value, int width, std::int64_t count,
                    StreamHandle stream) const {
  if (width != 1 && width != 2 && width != 4) {
    return userError(fmt::format("fill: a width of {} bytes: allowed are 1, 2 and 4", width));
  }
  CW_TRY(const bool any, checkCopy("fill", to != 0, count));
  if (to % static_cast<DevicePointer>(width) != 0) {
    return userError(fmt::format("fill: the address 0x{:x} is no multiple of {} bytes", to, width));
  }
  return any ? state_->device->fill(to, value, width, count, stream) : Status(Success{});
}

Expected<MemoryInfo> Device::memoryInfo() const { return state_->device->memoryInfo(); }

Expected<Stream> Device::createStream(const StreamOptions& options) const {
  CW_TRY(StreamHandle handle, state_->device->createStream(options));
  return Stream(*this, std::shared_ptr<OpaqueStream>(handle, [state = state_](StreamHandle stream) {
    const Status ignored = state->device->destroyStream(stream);
  }));
}

Expected<Event> Device::createEvent(bool timing) const {
  CW_TRY(EventHandle handle, state_->device->createEvent(timing));
  std::shared_ptr<OpaqueEvent> owner(handle, [state = state_](EventHandle event) {
    const Status ignored = state->device->destroyEvent(event);
  });
  return Event(*this, std::move(owner), timing);
}

Status Device::synchronize() const { return state_->device->synchronize(); }

Expected<Module> Device::loadModule(const Image& image) const {
  CW_TRY(auto record, state_->load(image));
  return Module(std::move(record));
}

Expected<TensorMap> Device::encodeTensorMap(const TensorMapPlan& plan,
                                            DevicePointer address) const {
  return state_->tensorMaps.get(*state_->device, plan, address);
}

// -- buffers

Status Buffer::copyFrom(const void* host, std::int64_t bytes) const {
  if (bytes > bytes_) {
    return userError(fmt::format("copy of {} bytes into a buffer of {}", bytes, bytes_));
  }
  if (!memory_) return Success{};
  return detail::DeviceState::handleOf(memory_->state).copyToDevice(address_, host, bytes);
}

Status Buffer::copyTo(void* host, std::int64_t bytes) const {
  if (bytes > bytes_) {
    return userError(fmt::format("copy of {} bytes out of a buffer of {}", bytes, bytes_));
  }
  if (!memory_) return Success{};
  return detail::DeviceState::handleOf(memory_->state).copyToHost(host, address_, bytes);
}

// -- streams and events

Stream Stream::borrowed(const Device& device, StreamHandle handle) {
  return {device, std::shared_ptr<OpaqueStream>(handle, [](StreamHandle) {})};
}

Status Stream::synchronize() const { return device_.implementation().synchronizeStream(handle()); }

Expected<bool> Stream::isIdle() const { return device_.implementation().streamIsIdle(handle()); }

Status Stream::waitFor(const Event& event) const {
  // Events of another device are fine: CUDA waits across devices. Other kinds of device are not.
  if (&event.device_.implementation() != &device_.implementation() &&
      (device_.properties().simulated || event.device_.properties().simulated)) {
    return userError(fmt::format("a stream of {} cannot wait for an event of {}", device_.name(),
                                 event.device_.name()));
  }
  return device_.implementation().streamWaitsFor(handle(), event.handle());
}

Status Event::record(const Stream& stream) const {
  if (!(stream.device() == device_)) {
    return userError(fmt::format("an event of {} cannot be recorded in a stream of {}",
                                 device_.name(), stream.device().name()));
  }
  return device_.implementation().recordEvent(handle(), stream.handle());
}

Status Event::synchronize() const { return device_.implementation().synchronizeEvent(handle()); }

Expected<bool> Event::isDone() const { return device_.implementation().eventIsDone(handle()); }

Expected<float> Event::millisecondsTo(const Event& end) const {
  if (!(end.device_ == device_)) {
    return userError(
        fmt::format("time between events of {} and {}", device_.name(), end.device_.name()));
  }
  if (!timing_ || !end.timing_) {
    return userError("time between events that were created without timing");
  }
  return device_.implementation().elapsedMilliseconds(handle(), end.handle());
}

}  // namespace cutwork

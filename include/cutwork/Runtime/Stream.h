// cutwork/Runtime/Stream.h -- streams and events: the order of work on a device, and its time.
#pragma once

#include <memory>

#include "cutwork/Runtime/Device.h"

#pragma GCC visibility push(default)

namespace cutwork {

class Event;

/// A queue of work; work in one stream is done in order. Copies are the same stream. Destroying the
/// last one does not wait: what is queued is still done.
class Stream {
 public:
  /// Another library's stream on this device (torch's `cuda_stream`, a CUstream); not destroyed
  /// here. Null is the default stream.
  static Stream borrowed(const Device& device, StreamHandle handle);

  // No moves: what is moved from would be no stream.
  Stream(const Stream&) = default;
  Stream& operator=(const Stream&) = default;
  ~Stream() = default;

  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] StreamHandle handle() const { return handle_.get(); }
  /// For LaunchConfig::stream and the functions that take one.
  operator StreamHandle() const { return handle(); }

  /// Waits until all that is queued is done; reports what failed.
  [[nodiscard]] Status synchronize() const;
  [[nodiscard]] Expected<bool> isIdle() const;
  /// What is queued from now on waits for the event.
  [[nodiscard]] Status waitFor(const Event& event) const;

 private:
  friend class Device;
  Stream(const Device& device, std::shared_ptr<OpaqueStream> handle)
      : device_(device), handle_(std::move(handle)) {}
  Device device_;
  std::shared_ptr<OpaqueStream> handle_;
};

/// A point in a stream. Copies are the same event.
class Event {
 public:
  [[nodiscard]] EventHandle handle() const { return handle_.get(); }

  /// Puts the event at the end of what is queued in the stream. Error (User): the stream is another
  /// device's.
  [[nodiscard]] Status record(const Stream& stream) const;
  [[nodiscard]] Status synchronize() const;
  [[nodiscard]] Expected<bool> isDone() const;
  /// Milliseconds from this event to `end`. Both must have timing, be recorded, and be done.
  [[nodiscard]] Expected<float> millisecondsTo(const Event& end) const;

 private:
  friend class Device;
  friend class Stream;
  Event(const Device& device, std::shared_ptr<OpaqueEvent> handle, bool timing)
      : device_(device), handle_(std::move(handle)), timing_(timing) {}
  Device device_;
  std::shared_ptr<OpaqueEvent> handle_;
  bool timing_;
};

}  // namespace cutwork

#pragma GCC visibility pop

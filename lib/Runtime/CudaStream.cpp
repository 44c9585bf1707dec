// CudaStream.cpp -- a CUDA device's streams and events.
#include "CudaDevice.h"

namespace cutwork::cuda {

namespace {

/// The answer of a query: done, not done, or an error.
Expected<bool> isDone(const Driver& driver, Result result, std::string_view what) {
  if (result == kNotReady) return false;
  CW_DO(check(driver, result, what));
  return true;
}

}  // namespace

Expected<StreamHandle> CudaDevice::createStream(const StreamOptions& options) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  Stream stream = nullptr;
  const unsigned flags = options.nonBlocking ? kStreamNonBlocking : 0;
  CW_DO(check(driver_.cuStreamCreateWithPriority(&stream, flags, options.priority),
              "creating a stream"));
  return reinterpret_cast<StreamHandle>(stream);
}

Status CudaDevice::destroyStream(StreamHandle stream) {
  const ContextGuard guard = current();
  return checkRelease(driver_.cuStreamDestroy_v2(nativeStream(stream)), "destroying a stream");
}

Status CudaDevice::synchronizeStream(StreamHandle stream) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  return check(driver_.cuStreamSynchronize(nativeStream(stream)), "waiting for a stream");
}

Expected<bool> CudaDevice::streamIsIdle(StreamHandle stream) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  return isDone(driver_, driver_.cuStreamQuery(nativeStream(stream)), "asking a stream");
}

Status CudaDevice::streamWaitsFor(StreamHandle stream, EventHandle event) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  return check(driver_.cuStreamWaitEvent(nativeStream(stream), nativeEvent(event), 0),
               "making a stream wait for an event");
}

Expected<EventHandle> CudaDevice::createEvent(bool timing) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  Event event = nullptr;
  CW_DO(
      check(driver_.cuEventCreate(&event, timing ? 0 : kEventDisableTiming), "creating an event"));
  return reinterpret_cast<EventHandle>(event);
}

Status CudaDevice::destroyEvent(EventHandle event) {
  const ContextGuard guard = current();
  return checkRelease(driver_.cuEventDestroy_v2(nativeEvent(event)), "destroying an event");
}

Status CudaDevice::recordEvent(EventHandle event, StreamHandle stream) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  return check(driver_.cuEventRecord(nativeEvent(event), nativeStream(stream)),
               "recording an event");
}

Status CudaDevice::synchronizeEvent(EventHandle event) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  return check(driver_.cuEventSynchronize(nativeEvent(event)), "waiting for an event");
}

Expected<bool> CudaDevice::eventIsDone(EventHandle event) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  return isDone(driver_, driver_.cuEventQuery(nativeEvent(event)), "asking an event");
}

Expected<float> CudaDevice::elapsedMilliseconds(EventHandle start, EventHandle end) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  float milliseconds = 0;
  CW_DO(check(driver_.cuEventElapsedTime(&milliseconds, nativeEvent(start), nativeEvent(end)),
              "the time between two events"));
  return milliseconds;
}

Status CudaDevice::synchronize() {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  return check(driver_.cuCtxSynchronize(), "waiting for the device");
}

}  // namespace cutwork::cuda

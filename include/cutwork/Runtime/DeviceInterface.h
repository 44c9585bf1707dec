// cutwork/Runtime/DeviceInterface.h -- what a kind of device implements: CUDA here, lib/Simulator.
//
// Users hold a Device (Device.h), which checks what it is given and remembers modules and tensor
// maps; an implementation may rely on that. Everything may be called from any thread. No call
// changes the calling thread's current CUDA device. Errors: ErrorKind::Device for what the device
// reports, ErrorKind::User for what it refuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cutwork/Runtime/DeviceProperties.h"
#include "cutwork/Runtime/Image.h"
#include "cutwork/Runtime/LaunchConfig.h"
#include "cutwork/Support/Status.h"
#include "cutwork/Support/TensorMapPlan.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// An address in the device's global memory, as kernels see it. 0 is no address.
using DevicePointer = std::uint64_t;
using ModuleHandle = struct OpaqueModule*;
using FunctionHandle = struct OpaqueFunction*;

struct MemoryInfo {
  std::int64_t freeBytes = 0;
  std::int64_t totalBytes = 0;
};
struct StreamOptions {
  bool nonBlocking = true;  ///< does not wait for the default stream
  int priority = 0;         ///< lower numbers first, as in CUDA
};
struct GlobalVariable {
  DevicePointer address = 0;
  std::int64_t bytes = 0;
};

/// A checked launch with everything prepared but the parameters.
class PreparedLaunch {
 public:
  PreparedLaunch() = default;
  PreparedLaunch(const PreparedLaunch&) = delete;
  PreparedLaunch& operator=(const PreparedLaunch&) = delete;
  virtual ~PreparedLaunch() = default;
  /// `parameters[i]` points to the value of parameter i; the values are read before this returns.
  /// There must be as many as the kernel has: they are not counted here.
  virtual Status run(const void* const* parameters, StreamHandle stream) = 0;
};

class DeviceInterface {
 public:
  DeviceInterface() = default;
  DeviceInterface(const DeviceInterface&) = delete;
  DeviceInterface& operator=(const DeviceInterface&) = delete;
  virtual ~DeviceInterface() = default;

  /// Does not change.
  [[nodiscard]] virtual const DeviceProperties& properties() const = 0;

  // -- memory. Sizes are bytes. Addresses that allocate gives are multiples of 256.
  virtual Expected<DevicePointer> allocate(std::int64_t bytes) = 0;  ///< bytes > 0
  virtual Status release(DevicePointer address) = 0;
  virtual Expected<void*> allocateHost(std::int64_t bytes) = 0;  ///< page-locked
  virtual Status releaseHost(void* memory) = 0;
  /// Makes memory of the host visible to kernels, without a copy; and undoes it.
  virtual Expected<DevicePointer> mapHost(void* memory, std::int64_t bytes) = 0;
  virtual Status unmapHost(void* memory) = 0;
  virtual Expected<MemoryInfo> memoryInfo() = 0;
  /// In stream order; from or to pageable host memory they may return late, never early.
  virtual Status copyToDevice(DevicePointer to, const void* from, std::int64_t bytes,
                              StreamHandle stream) = 0;
  virtual Status copyToHost(void* to, DevicePointer from, std::int64_t bytes,
                            StreamHandle stream) = 0;
  virtual Status copyOnDevice(DevicePointer to, DevicePointer from, std::int64_t bytes,
                              StreamHandle stream) = 0;
  /// `count` times the low `width` bytes (1, 2 or 4) of value; `to` is a multiple of width.
  virtual Status fill(DevicePointer to, std::uint32_t value, int width, std::int64_t count,
                      StreamHandle stream) = 0;

  // -- streams and events
  virtual Expected<StreamHandle> createStream(const StreamOptions& options) = 0;
  virtual Status destroyStream(StreamHandle stream) = 0;
  virtual Status synchronizeStream(StreamHandle stream) = 0;
  virtual Expected<bool> streamIsIdle(StreamHandle stream) = 0;
  virtual Status streamWaitsFor(StreamHandle stream, EventHandle event) = 0;
  virtual Expected<EventHandle> createEvent(bool timing) = 0;
  virtual Status destroyEvent(EventHandle event) = 0;
  virtual Status recordEvent(EventHandle event, StreamHandle stream) = 0;
  virtual Status synchronizeEvent(EventHandle event) = 0;
  virtual Expected<bool> eventIsDone(EventHandle event) = 0;
  virtual Expected<float> elapsedMilliseconds(EventHandle start, EventHandle end) = 0;
  virtual Status synchronize() = 0;  ///< waits for everything; reports faults of kernels

  // -- modules. The image has the one part that choosePart (Image.h) found for this device.
  virtual Expected<ModuleHandle> loadModule(const Image& image) = 0;
  virtual Status unloadModule(ModuleHandle module) = 0;
  virtual Expected<FunctionHandle> function(ModuleHandle module, const std::string& name) = 0;
  /// `parameters`: how many it has, where that is known.
  virtual Expected<FunctionProperties> functionProperties(
      FunctionHandle function, std::optional<std::size_t> parameters) = 0;
  virtual Expected<GlobalVariable> global(ModuleHandle module, const std::string& name) = 0;

  // -- launches. The configuration has passed checkLaunch, with the number of parameters.
  virtual Status launch(FunctionHandle function, const LaunchConfig& config,
                        std::span<const void* const> parameters) = 0;
  /// `config.stream` is not used: PreparedLaunch::run takes one.
  virtual Expected<std::unique_ptr<PreparedLaunch>> prepare(FunctionHandle function,
                                                            const LaunchConfig& config) = 0;
  /// Blocks that are resident on one multiprocessor at once, and clusters on the device.
  virtual Expected<int> activeBlocks(FunctionHandle function, const LaunchConfig& config) = 0;
  virtual Expected<int> activeClusters(FunctionHandle function, const LaunchConfig& config) = 0;

  /// The plan and the address have passed checkTensorMap.
  virtual Expected<TensorMap> encodeTensorMap(const TensorMapPlan& plan, DevicePointer address) = 0;
};

}  // namespace cutwork

#pragma GCC visibility pop

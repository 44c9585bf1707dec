// cutwork/Runtime/HostTable.h -- the one C table through which compiled host code calls the
// runtime.
//
// Host code, made in this process or ahead of time, gets the table from cw_rt_table and calls
// through its pointers, so that it links nothing. The layout is frozen for a version: fields are
// only added, at the end (a test holds the offsets). A function that can fail returns 0 or the kind
// of its error, plus one; last_error then has the text. No exception leaves a function.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "cutwork/Support/TensorMapPlan.h"

#pragma GCC visibility push(default)

namespace cutwork {

struct HostDevice;  // owned handles; each has its release function
struct HostModule;
struct HostFunction;

/// LaunchConfig with a fixed layout.
struct HostLaunch {
  std::int64_t grid[3];
  std::int64_t block[3];
  std::int64_t cluster[3];
  std::int64_t preferredCluster[3];  ///< zeros: none
  std::int64_t sharedMemory;         ///< bytes, dynamic
  void* stream;
  std::int32_t cooperative;
  std::int32_t programmatic;
  std::int32_t sharedMemoryCarveout;  ///< -1: the driver decides
  std::int32_t reserved;
};

struct HostTable {
  static constexpr std::uint32_t kVersion = 1;

  std::uint32_t version;
  std::uint32_t bytes;  ///< of this table: fields beyond it do not exist

  /// This thread's last failure; an empty text before the first. Valid until the next failure.
  const char* (*last_error)();
  /// Records a failure of the host code itself, and returns what it returns: kind plus one.
  std::int32_t (*fail)(std::int32_t kind, const char* text, std::int64_t length);
  /// Standard output, or what setHostPrinter says.
  void (*print)(const char* text, std::int64_t length);

  std::int32_t (*device_best)(HostDevice** device);
  std::int32_t (*device_open)(const char* name, HostDevice** device);
  void (*device_release)(HostDevice* device);
  /// PTX, a cubin, or both; what is not there is null with length 0.
  std::int32_t (*module_load)(HostDevice* device, const char* ptx, std::int64_t ptxLength,
                              const void* cubin, std::int64_t cubinLength, HostModule** module);
  void (*module_release)(HostModule* module);
  std::int32_t (*function_get)(HostModule* module, const char* name, HostFunction** function);
  void (*function_release)(HostFunction* function);
  /// `parameters[i]` points to the value of parameter i; values are read before it returns.
  std::int32_t (*launch)(HostFunction* function, const HostLaunch* config,
                         const void* const* parameters, std::int64_t count);

  std::int32_t (*encode_tensor_map)(HostDevice* device, const TensorMapPlan* plan,
                                    std::uint64_t address, TensorMap* map);
  std::int32_t (*allocate)(HostDevice* device, std::int64_t bytes, std::uint64_t* address);
  std::int32_t (*release)(HostDevice* device, std::uint64_t address);
  std::int32_t (*copy_to_device)(HostDevice* device, std::uint64_t to, const void* from,
                                 std::int64_t bytes, void* stream);
  std::int32_t (*copy_to_host)(HostDevice* device, void* to, std::uint64_t from, std::int64_t bytes,
                               void* stream);
  std::int32_t (*copy_on_device)(HostDevice* device, std::uint64_t to, std::uint64_t from,
                                 std::int64_t bytes, void* stream);
  std::int32_t (*fill)(HostDevice* device, std::uint64_t to, std::uint32_t value,
                       std::int32_t width, std::int64_t count, void* stream);
  std::int32_t (*stream_synchronize)(HostDevice* device, void* stream);
  /// C's conversions in `format`, each with the next 8-byte value: integers as 64 bits, %f %e %g as
  /// doubles, %c and %p as integers.
  void (*print_format)(const char* format, const std::int64_t* values, std::int64_t count);
};

/// Handles for host code to objects that the caller holds; released with the table's functions.
class Device;
class Function;
HostDevice* hostHandle(const Device& device);
HostFunction* hostHandle(const Function& function);

/// Where host code prints, from now on; nothing: standard output. Called by one thread at a time.
void setHostPrinter(std::function<void(std::string_view)> printer);

/// The stream (a CUstream) of this thread's launches that name none, from now on; gives the one
/// before. At first it is null, the device's default stream.
void* setHostStream(void* stream) noexcept;
/// The stream that was set.
void* hostStream() noexcept;

}  // namespace cutwork

#pragma GCC visibility pop

/// The table, or null if this runtime does not have that version.
extern "C" const cutwork::HostTable* cw_rt_table(std::uint32_t version) noexcept;

// CudaTypes.h -- the part of the CUDA driver's binary interface that is used here, in our own words.
//
// No header of CUDA is needed to build. Numbers and layouts are those of the public documentation of
// the CUDA driver API; the static_asserts hold the layouts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cutwork::cuda {

using Result = int;
using DeviceNumber = int;
using Pointer = unsigned long long;
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using LinkState = struct LinkStateTag*;

enum ResultCode : int {
  kSuccess = 0,
  kOutOfMemory = 2,
  kDeinitialized = 4,
  kNoDevice = 100,
  kNoBinaryForGpu = 209,
  kUnsupportedPtxVersion = 222,
  kNotFound = 500,
  kNotReady = 600,
};

/// CUdevice_attribute
enum DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxBlockX = 2,
  kMaxBlockY = 3,
  kMaxBlockZ = 4,
  kMaxGridX = 5,
  kMaxGridY = 6,
  kMaxGridZ = 7,
  kSharedMemoryPerBlock = 8,
  kWarpSize = 10,
  kRegistersPerBlock = 12,
  kClockRate = 13,
  kMultiprocessors = 16,
  kMemoryClockRate = 36,
  kMemoryBusWidth = 37,
  kL2CacheSize = 38,
  kThreadsPerMultiprocessor = 39,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kSharedMemoryPerMultiprocessor = 81,
  kRegistersPerMultiprocessor = 82,
  kCooperativeLaunch = 95,
  kSharedMemoryPerBlockOptin = 97,
  kBlocksPerMultiprocessor = 106,
  kReservedSharedMemoryPerBlock = 111,
  kClusterLaunch = 120,
};

/// CUfunction_attribute
enum FunctionAttribute : int {
  kFunctionMaxThreads = 0,
  kFunctionSharedBytes = 1,
  kFunctionConstantBytes = 2,
  kFunctionLocalBytes = 3,
  kFunctionRegisters = 4,
  kFunctionMaxDynamicShared = 8,
  kFunctionClusterMustBeSet = 10,
  kFunctionClusterX = 11,
  kFunctionClusterY = 12,
  kFunctionClusterZ = 13,
  kFunctionNonPortableCluster = 14,
};

/// CUjit_option
enum JitOption : int {
  kJitMaxRegisters = 0,
  kJitInfoLog = 3,
  kJitInfoLogBytes = 4,
  kJitErrorLog = 5,
  kJitErrorLogBytes = 6,
  kJitOptimizationLevel = 7,
  kJitLogVerbose = 12,
  kJitLineInfo = 13,
};
inline constexpr int kJitInputPtx = 1;

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kHostPortable = 1;
inline constexpr unsigned kHostDeviceMap = 2;

/// CUlaunchAttributeID
enum LaunchAttributeId : int {
  kLaunchCooperative = 2,
  kLaunchCluster = 4,
  kLaunchProgrammatic = 6,
  kLaunchPreferredCluster = 11,
  kLaunchSharedCarveout = 14,
};

/// CUlaunchAttribute: a number, and 64 bytes that depend on it.
struct LaunchAttribute {
  int id = 0;
  int padding = 0;
  union {
    char bytes[64] = {};
    std::int32_t number;
    std::uint32_t extents[3];
  };
};
static_assert(sizeof(LaunchAttribute) == 72 && offsetof(LaunchAttribute, bytes) == 8);

/// CUlaunchConfig
struct LaunchConfiguration {
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t sharedBytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  std::uint32_t attributeCount = 0;
};
static_assert(sizeof(LaunchConfiguration) == 56 && offsetof(LaunchConfiguration, stream) == 32 &&
              offsetof(LaunchConfiguration, attributes) == 40 &&
              offsetof(LaunchConfiguration, attributeCount) == 48);

}  // namespace cutwork::cuda

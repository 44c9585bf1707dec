// CudaTypes.h -- the part of the CUDA driver's binary interface that is used here, in our own
// words.
//
// No header of CUDA is needed to build. Numbers and layouts are those of the public documentation
// of the CUDA driver API; the static_asserts hold the layouts.
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

inline constexpr int kSuccess = 0;
inline constexpr int kOutOfMemory = 2;
inline constexpr int kDeinitialized = 4;
inline constexpr int kNoDevice = 100;
inline constexpr int kNoBinaryForGpu = 209;
inline constexpr int kUnsupportedPtxVersion = 222;
inline constexpr int kNotFound = 500;
inline constexpr int kNotReady = 600;

/// CUdevice_attribute
inline constexpr int kMaxThreadsPerBlock = 1;
inline constexpr int kMaxBlockX = 2;
inline constexpr int kMaxBlockY = 3;
inline constexpr int kMaxBlockZ = 4;
inline constexpr int kMaxGridX = 5;
inline constexpr int kMaxGridY = 6;
inline constexpr int kMaxGridZ = 7;
inline constexpr int kSharedMemoryPerBlock = 8;
inline constexpr int kWarpSize = 10;
inline constexpr int kRegistersPerBlock = 12;
inline constexpr int kClockRate = 13;
inline constexpr int kMultiprocessors = 16;
inline constexpr int kMemoryClockRate = 36;
inline constexpr int kMemoryBusWidth = 37;
inline constexpr int kL2CacheSize = 38;
inline constexpr int kThreadsPerMultiprocessor = 39;
inline constexpr int kCapabilityMajor = 75;
inline constexpr int kCapabilityMinor = 76;
inline constexpr int kSharedMemoryPerMultiprocessor = 81;
inline constexpr int kRegistersPerMultiprocessor = 82;
inline constexpr int kCooperativeLaunch = 95;
inline constexpr int kSharedMemoryPerBlockOptin = 97;
inline constexpr int kBlocksPerMultiprocessor = 106;
inline constexpr int kReservedSharedMemoryPerBlock = 111;
inline constexpr int kClusterLaunch = 120;

/// CUfunction_attribute
inline constexpr int kFunctionMaxThreads = 0;
inline constexpr int kFunctionSharedBytes = 1;
inline constexpr int kFunctionConstantBytes = 2;
inline constexpr int kFunctionLocalBytes = 3;
inline constexpr int kFunctionRegisters = 4;
inline constexpr int kFunctionMaxDynamicShared = 8;
inline constexpr int kFunctionClusterMustBeSet = 10;
inline constexpr int kFunctionClusterX = 11;
inline constexpr int kFunctionClusterY = 12;
inline constexpr int kFunctionClusterZ = 13;
inline constexpr int kFunctionNonPortableCluster = 14;

/// CUjit_option
inline constexpr int kJitMaxRegisters = 0;
inline constexpr int kJitInfoLog = 3;
inline constexpr int kJitInfoLogBytes = 4;
inline constexpr int kJitErrorLog = 5;
inline constexpr int kJitErrorLogBytes = 6;
inline constexpr int kJitOptimizationLevel = 7;
inline constexpr int kJitLogVerbose = 12;
inline constexpr int kJitLineInfo = 13;
inline constexpr int kJitInputPtx = 1;

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kHostPortable = 1;
inline constexpr unsigned kHostDeviceMap = 2;

/// CUlaunchAttributeID
inline constexpr int kLaunchCooperative = 2;
inline constexpr int kLaunchCluster = 4;
inline constexpr int kLaunchProgrammatic = 6;
inline constexpr int kLaunchPreferredCluster = 11;
inline constexpr int kLaunchSharedCarveout = 14;

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

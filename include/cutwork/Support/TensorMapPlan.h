// cutwork/Support/TensorMapPlan.h -- what a TMA descriptor says, as a plain struct.
//
// lib/Atoms computes plans, host code fills in run-time extents and strides, a Device encodes them:
// the struct is part of the interface of compiled host code, so its layout is frozen (a test holds
// its offsets). Modes are in the order of the hardware: mode 0 is the contiguous one.
// Source: CUDA driver API, cuTensorMapEncodeTiled; PTX ISA, section 5.5 (Tensors).
#pragma once

#include <cstdint>
#include <string_view>

#include "cutwork/Support/Status.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// Element types; the numbers are the driver's.
enum class TensorMapType : std::uint8_t {
  UInt8 = 0,
  UInt16 = 1,
  UInt32 = 2,
  Int32 = 3,
  UInt64 = 4,
  Int64 = 5,
  Float16 = 6,
  Float32 = 7,
  Float64 = 8,
  BFloat16 = 9,
  Float32Ftz = 10,
  TFloat32 = 11,
  TFloat32Ftz = 12,
  U4x16Align8 = 13,   ///< 16 packed 4-bit elements in 8 bytes
  U4x16Align16 = 14,  ///< 16 packed 4-bit elements in the first 8 of 16 bytes of shared memory
  U6x16Align16 = 15,  ///< 16 packed 6-bit elements in the first 12 of 16 bytes
};
/// `f16`; `?` for a number that is no type.
std::string_view tensorMapTypeName(TensorMapType type);
/// Bits of an element in global memory; 0 for a number that is no type.
int tensorMapTypeBits(TensorMapType type);

enum class TensorMapInterleave : std::uint8_t { None = 0, Bytes16 = 1, Bytes32 = 2 };
enum class TensorMapSwizzle : std::uint8_t {
  None = 0,
  Bytes32 = 1,
  Bytes64 = 2,
  Bytes128 = 3,
  Bytes128Atom32 = 4,
  Bytes128Atom32Flip8 = 5,
  Bytes128Atom64 = 6,
};
enum class TensorMapL2 : std::uint8_t { None = 0, Bytes64 = 1, Bytes128 = 2, Bytes256 = 3 };
enum class TensorMapFill : std::uint8_t { Zeros = 0, NanRequestZeroFma = 1 };

/// One tiled tensor map, but for the address.
struct TensorMapPlan {
  static constexpr int kMaxRank = 5;

  TensorMapType type = TensorMapType::UInt8;
  std::uint8_t rank = 1;  ///< 1 to 5
  TensorMapInterleave interleave = TensorMapInterleave::None;
  TensorMapSwizzle swizzle = TensorMapSwizzle::None;
  TensorMapL2 l2 = TensorMapL2::None;
  TensorMapFill fill = TensorMapFill::Zeros;
  std::uint8_t reserved[2] = {};
  std::uint32_t box[kMaxRank] = {};  ///< elements of each mode that one copy moves
  std::uint32_t elementStrides[kMaxRank] = {1, 1, 1, 1, 1};  ///< every how manieth is copied
  std::int64_t extents[kMaxRank] = {};  ///< elements of each mode in global memory
  std::int64_t strides[kMaxRank] = {};  ///< bytes; [0] is not used: mode 0 is contiguous

  friend bool operator==(const TensorMapPlan&, const TensorMapPlan&) = default;
};

/// An encoded tensor map: opaque, as the device made it, to be passed to kernels by value.
struct alignas(64) TensorMap {
  std::uint8_t bytes[128];
};

/// What the rules depend on.
struct TensorMapLimits {
  int capability = 100;  ///< 90 for 9.0, which lacks packed types and swizzles of larger atoms
  std::int64_t sharedMemory = 232448;  ///< bytes of a block: the most that a box may have
};

/// Refuses, with what was asked and what is allowed, every plan and address that the hardware's
/// rules exclude. What passes, the driver accepts (compared on an H200: bench/gpu).
Status checkTensorMap(const TensorMapPlan& plan, std::uint64_t address,
                      const TensorMapLimits& limits = {});

}  // namespace cutwork

#pragma GCC visibility pop

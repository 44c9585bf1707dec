// cutwork/Runtime/DLPack.h -- DLPack's binary interface: how libraries hand arrays to each other.
//
// The structs have the layout of dlpack.h 1.1 (unversioned ones: every version); a pointer to its
// struct may be cast to ours. Source: the DLPack specification, "C API".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cutwork/Support/Error.h"

#pragma GCC visibility push(default)

namespace cutwork::dlpack {

inline constexpr std::int32_t kCpu = 1;
inline constexpr std::int32_t kCuda = 2;
inline constexpr std::int32_t kCudaHost = 3;  ///< page-locked memory of the host
inline constexpr std::int32_t kExtension = 12;
inline constexpr std::int32_t kCudaManaged = 13;
struct Device {
  std::int32_t type = kCpu;
  std::int32_t id = 0;
  friend bool operator==(const Device&, const Device&) = default;
};

inline constexpr std::uint8_t kInt = 0;
inline constexpr std::uint8_t kUInt = 1;
inline constexpr std::uint8_t kFloat = 2;
inline constexpr std::uint8_t kOpaque = 3;
inline constexpr std::uint8_t kBFloat = 4;
inline constexpr std::uint8_t kComplex = 5;
inline constexpr std::uint8_t kBool = 6;
inline constexpr std::uint8_t kFloat8E3M4 = 7;
inline constexpr std::uint8_t kFloat8E4M3 = 8;
inline constexpr std::uint8_t kFloat8E4M3B11Fnuz = 9;
inline constexpr std::uint8_t kFloat8E4M3Fn = 10;
inline constexpr std::uint8_t kFloat8E4M3Fnuz = 11;
inline constexpr std::uint8_t kFloat8E5M2 = 12;
inline constexpr std::uint8_t kFloat8E5M2Fnuz = 13;
inline constexpr std::uint8_t kFloat8E8M0Fnu = 14;
inline constexpr std::uint8_t kFloat6E2M3Fn = 15;
inline constexpr std::uint8_t kFloat6E3M2Fn = 16;
inline constexpr std::uint8_t kFloat4E2M1Fn = 17;

/// An element's type: a kind of number, its bits, and how many of them one element is.
struct DataType {
  std::uint8_t code = kFloat;
  std::uint8_t bits = 32;
  std::uint16_t lanes = 1;

  /// `float32`, `bfloat16`, `bool`, `float8_e4m3fn`, `int8x4`.
  [[nodiscard]] std::string text() const;
  /// The reverse. Error (User): no such name.
  static Expected<DataType> parse(std::string_view name);
  /// Bits of one element with all its lanes.
  [[nodiscard]] std::int64_t elementBits() const { return std::int64_t{bits} * lanes; }
  friend bool operator==(const DataType&, const DataType&) = default;
};

struct Tensor {
  void* data = nullptr;
  Device device;
  std::int32_t rank = 0;
  DataType type;
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;  ///< in elements; null: compact, last mode contiguous
  std::uint64_t byteOffset = 0;     ///< of the first element from `data`
};

struct ManagedTensor {
  Tensor tensor;
  void* context = nullptr;
  void (*deleter)(ManagedTensor* self) = nullptr;
};

struct Version {
  std::uint32_t major = 1;
  std::uint32_t minor = 1;
};
inline constexpr std::uint64_t kReadOnly = 1;
inline constexpr std::uint64_t kIsCopied = 2;
inline constexpr std::uint64_t kSubBytePadded = 4;  ///< each element smaller than a byte has one

struct ManagedTensorVersioned {
  Version version;
  void* context = nullptr;
  void (*deleter)(ManagedTensorVersioned* self) = nullptr;
  std::uint64_t flags = 0;
  Tensor tensor;
};

static_assert(sizeof(Device) == 8 && sizeof(DataType) == 4 && sizeof(Tensor) == 48 &&
              offsetof(Tensor, rank) == 16 && offsetof(Tensor, type) == 20 &&
              offsetof(Tensor, byteOffset) == 40 && sizeof(ManagedTensor) == 64 &&
              sizeof(ManagedTensorVersioned) == 80 &&
              offsetof(ManagedTensorVersioned, flags) == 24);

}  // namespace cutwork::dlpack

#pragma GCC visibility pop

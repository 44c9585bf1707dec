// cutwork/Runtime/Array.h -- an array on a device or the host: element type, shape, strides.
//
//     Array x = Array::empty(device, DataType::parse("float32"), {128, 64});
//     Array y = Array::fromDLPack(managedTensor);       // torch, numpy, jax, ...: no copy
//     orThrow(x.copyFrom(y));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cutwork/Runtime/DLPack.h"
#include "cutwork/Runtime/Device.h"

#pragma GCC visibility push(default)

namespace cutwork {

using dlpack::DataType;

/// Copies are the same array: the memory is shared, and given back with the last of them. Strides
/// are in elements, of any sign.
class Array {
 public:
  /// New memory, compact with the last mode contiguous, not initialised. Errors (User): a negative
  /// extent, more than 2^63-1 bytes.
  static Expected<Array> empty(const Device& device, DataType type,
                               std::vector<std::int64_t> shape);
  /// Memory of the device that something else keeps, from its first element on. Errors (User): the
  /// lengths of shape and strides differ; a negative extent or stride; an address that is not
  /// aligned to the element.
  static Expected<Array> at(const Device& device, DevicePointer address, DataType type,
                            std::vector<std::int64_t> shape, std::vector<std::int64_t> strides);
  static Expected<Array> emptyOnHost(DataType type, std::vector<std::int64_t> shape);

  /// Another library's array, without a copy. Takes the tensor over if it succeeds: its deleter
  /// runs when the last copy goes; after an error it is still the caller's. Errors (User): a
  /// version, device or type that is not known, a malformed shape, an address that is not aligned
  /// to the element.
  static Expected<Array> fromDLPack(dlpack::ManagedTensor* tensor);
  static Expected<Array> fromDLPack(dlpack::ManagedTensorVersioned* tensor);

  /// This array for another library, without a copy; the receiver calls the deleter. The first
  /// refuses an array that is read-only, which the unversioned form cannot say.
  [[nodiscard]] Expected<dlpack::ManagedTensor*> toDLPack() const;
  [[nodiscard]] dlpack::ManagedTensorVersioned* toDLPackVersioned() const;

  [[nodiscard]] DataType type() const { return type_; }
  [[nodiscard]] int rank() const { return static_cast<int>(shape_.size()); }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
  [[nodiscard]] const std::vector<std::int64_t>& strides() const { return strides_; }
  [[nodiscard]] std::int64_t size() const;  ///< elements
  /// Where the first element is, from the start of the memory.
  [[nodiscard]] std::int64_t byteOffset() const { return byteOffset_; }
  /// Of the first element; on the host, the pointer as a number. 0 only if there is no element.
  [[nodiscard]] std::uint64_t address() const;
  /// The same on the host; null for an array on a device.
  [[nodiscard]] void* hostData() const;
  [[nodiscard]] bool isOnHost() const { return !device_.has_value(); }
  /// Nothing for an array on the host.
  [[nodiscard]] const std::optional<Device>& device() const { return device_; }
  [[nodiscard]] bool isReadOnly() const { return readOnly_; }
  /// Whether the elements fill one run of memory without gaps or overlaps, in any order of modes.
  [[nodiscard]] bool isDense() const;
  /// `float32 (128,64):(64,1) on cuda:0`.
  [[nodiscard]] std::string text() const;

  /// Another view of the same memory, beginning `elements` after this one's first element. Errors
  /// (User): ranks differ; the view leaves the memory, where its size is known.
  [[nodiscard]] Expected<Array> view(std::int64_t elements, std::vector<std::int64_t> shape,
                                     std::vector<std::int64_t> strides) const;

  /// The same, as elements of another type; the beginning is `byteOffset` bytes after the start of
  /// the memory. Errors (User): as view; an offset that is not aligned to the element.
  [[nodiscard]] Expected<Array> view(DataType type, std::int64_t byteOffset,
                                     std::vector<std::int64_t> shape,
                                     std::vector<std::int64_t> strides) const;

  /// Copies all elements, from or to any device or the host, and waits. Errors (User): another
  /// type, shape or strides; an array that is not dense; this one is read-only.
  [[nodiscard]] Status copyFrom(const Array& from) const;

 private:
  Array() = default;
  static Expected<Array> ofTensor(const dlpack::Tensor& tensor);
  [[nodiscard]] dlpack::Tensor tensor(std::span<std::int64_t> shapeAndStrides) const;

  std::shared_ptr<const void> owner_;  ///< gives the memory back
  std::uint64_t base_ = 0;             ///< the start of the memory
  std::optional<std::int64_t> bytes_;  ///< of the memory, if it is ours
  std::int64_t byteOffset_ = 0;
  DataType type_;
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> strides_;
  std::optional<Device> device_;
  std::int32_t hostType_ = dlpack::kCpu;
  bool readOnly_ = false;
};

}  // namespace cutwork

#pragma GCC visibility pop

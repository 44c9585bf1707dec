// ArrayDLPack.cpp -- arrays from and to other libraries, without copies.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "AddressCast.h"
#include "ArrayShape.h"
#include "OpenDevices.h"
#include "cutwork/Runtime/Array.h"

namespace cutwork {

namespace {

constexpr int kMaxRank = 64;

/// What a struct that was handed out keeps alive, and its extents.
template <class Managed>
struct Exported {
  Managed managed;
  Array array;
  Extents shapeAndStrides;

  static void destroy(Managed* self) { delete static_cast<Exported*>(self->context); }
};

template <class Managed>
std::shared_ptr<const void> takeOver(Managed* tensor) {
  return {tensor, [tensor](const void*) {
            if (tensor->deleter != nullptr) tensor->deleter(tensor);
          }};
}

Status checkTensor(const dlpack::Tensor& tensor) {
  if (tensor.rank < 0 || tensor.rank > kMaxRank) {
    return userError(fmt::format("DLPack: rank {}: allowed are 0 to {}", tensor.rank, kMaxRank));
  }
  if (tensor.rank > 0 && tensor.shape == nullptr) return userError("DLPack: no shape");
  if (tensor.type.code > dlpack::kFloat4E2M1Fn) {
    return userError(fmt::format("DLPack: unknown type code {}", tensor.type.code));
  }
  return Success{};
}

/// The alignment that elements have: their size if that is a power of two, at most 16 bytes.
std::uint64_t alignmentOf(DataType type) {
  const std::int64_t bytes = type.elementBits() / 8;
  std::uint64_t alignment = 1;
  while (alignment < 16 && bytes % static_cast<std::int64_t>(alignment * 2) == 0 && bytes != 0) {
    alignment *= 2;
  }
  return alignment;
}

}  // namespace

Expected<Array> Array::ofTensor(const dlpack::Tensor& tensor) {
  CW_DO(checkTensor(tensor));
  Array array;
  array.type_ = tensor.type;
  array.shape_.assign(tensor.shape, tensor.shape + tensor.rank);
  CW_TRY(const std::int64_t bytes, compactBytes(array.type_, array.shape_));
  if (tensor.strides != nullptr) {
    array.strides_.assign(tensor.strides, tensor.strides + tensor.rank);
  } else {
    array.strides_ = compactStrides(array.shape_);
  }
  CW_TRY(const Reach reach, reachOf(array.type_, array.shape_, array.strides_));
  if (tensor.byteOffset > static_cast<std::uint64_t>(INT64_MAX)) {
    return userError(fmt::format("DLPack: an offset of {} bytes", tensor.byteOffset));
  }
  array.base_ = reinterpret_cast<std::uint64_t>(tensor.data);
  array.byteOffset_ = static_cast<std::int64_t>(tensor.byteOffset);
  if (bytes > 0 && reach.any && array.base_ == 0) return userError("DLPack: no data");
  const std::uint64_t alignment = alignmentOf(array.type_);
  if (reach.any && array.address() % alignment != 0) {
    return userError(
        fmt::format("DLPack: the address 0x{:x} of the first element is misaligned: "
                    "{} needs a multiple of {} bytes",
                    array.address(), array.type_.text(), alignment));
  }
  if (tensor.device.type == dlpack::kCpu || tensor.device.type == dlpack::kCudaHost) {
    array.hostType_ = tensor.device.type;
    return array;
  }
  CW_TRY(array.device_, deviceOfDLPack(tensor.device));
  return array;
}

Expected<Array> Array::fromDLPack(dlpack::ManagedTensor* tensor) {
  if (tensor == nullptr) return userError("DLPack: no tensor");
  CW_TRY(Array array, ofTensor(tensor->tensor));
  array.owner_ = takeOver(tensor);
  return array;
}

Expected<Array> Array::fromDLPack(dlpack::ManagedTensorVersioned* tensor) {
  if (tensor == nullptr) return userError("DLPack: no tensor");
  if (tensor->version.major != 1) {
    return userError(fmt::format("DLPack: version {}.{}: 1.x is known", tensor->version.major,
                                 tensor->version.minor));
  }
  if ((tensor->flags & dlpack::kSubBytePadded) != 0 && tensor->tensor.type.elementBits() % 8 != 0) {
    return userError(fmt::format("DLPack: {} with each element padded to a byte is not supported",
                                 tensor->tensor.type.text()));
  }
  CW_TRY(Array array, ofTensor(tensor->tensor));
  array.readOnly_ = (tensor->flags & dlpack::kReadOnly) != 0;
  array.owner_ = takeOver(tensor);
  return array;
}

dlpack::Tensor Array::tensor(std::span<std::int64_t> shapeAndStrides) const {
  dlpack::Tensor tensor;
  tensor.data = pointerAt(base_);
  tensor.device =
      device_ ? dlpack::Device{device_->properties().dlpackType, device_->properties().dlpackId}
              : dlpack::Device{hostType_, 0};
  tensor.rank = rank();
  tensor.type = type_;
  std::copy(shape_.begin(), shape_.end(), shapeAndStrides.begin());
  std::copy(strides_.begin(), strides_.end(), shapeAndStrides.begin() + rank());
  tensor.shape = shapeAndStrides.data();
  tensor.strides = shapeAndStrides.data() + rank();
  tensor.byteOffset = static_cast<std::uint64_t>(byteOffset_);
  return tensor;
}

Expected<dlpack::ManagedTensor*> Array::toDLPack() const {
  if (readOnly_) {
    return userError(
        fmt::format("DLPack: {} is read-only: only the versioned form can say so", text()));
  }
  using Out = Exported<dlpack::ManagedTensor>;
  auto* out = new Out{{}, *this, Extents(2 * shape_.size() + 1)};
  out->managed.tensor = tensor(out->shapeAndStrides);
  out->managed.context = out;
  out->managed.deleter = Out::destroy;
  return &out->managed;
}

dlpack::ManagedTensorVersioned* Array::toDLPackVersioned() const {
  using Out = Exported<dlpack::ManagedTensorVersioned>;
  auto* out = new Out{{}, *this, Extents(2 * shape_.size() + 1)};
  out->managed.tensor = tensor(out->shapeAndStrides);
  out->managed.context = out;
  out->managed.deleter = Out::destroy;
  out->managed.flags = readOnly_ ? dlpack::kReadOnly : 0;
  return &out->managed;
}

}  // namespace cutwork

// Array.cpp -- arrays: making them, what they are, views and copies.
#include "cutwork/Runtime/Array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>

#include "AddressCast.h"
#include "ArrayShape.h"
#include "cutwork/Runtime/Buffer.h"

namespace cutwork {

namespace {

constexpr std::align_val_t kHostAlignment{256};

}  // namespace

Expected<Array> Array::empty(const Device& device, DataType type, std::vector<std::int64_t> shape) {
  CW_TRY(const std::int64_t bytes, compactBytes(type, shape));
  CW_TRY(const Buffer buffer, device.allocate(bytes));
  Array array;
  array.owner_ = std::make_shared<const Buffer>(buffer);
  array.base_ = buffer.address();
  array.bytes_ = bytes;
  array.type_ = type;
  array.strides_ = compactStrides(shape);
  array.shape_ = std::move(shape);
  array.device_ = device;
  return array;
}

Expected<Array> Array::at(const Device& device, DevicePointer address, DataType type,
                          std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
  if (shape.size() != strides.size()) {
    return userError(fmt::format("array: {} extents and {} strides", shape.size(), strides.size()));
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0 || strides[i] < 0) {
      return userError(
          fmt::format("array: mode {} has extent {} and stride {}: neither may be "
                      "negative",
                      i, shape[i], strides[i]));
    }
  }
  const std::uint64_t alignment = std::max(1, type.bits / 8);
  if (address % alignment != 0) {
    return userError(fmt::format(
        "array: the address {:#x} is no multiple of the element's {} bytes", address, alignment));
  }
  Array array;
  array.base_ = address;
  array.type_ = type;
  array.shape_ = std::move(shape);
  array.strides_ = std::move(strides);
  array.device_ = device;
  return array;
}

Expected<Array> Array::emptyOnHost(DataType type, std::vector<std::int64_t> shape) {
  CW_TRY(const std::int64_t bytes, compactBytes(type, shape));
  Array array;
  if (bytes > 0) {
    void* memory = ::operator new(static_cast<std::size_t>(bytes), kHostAlignment, std::nothrow);
    if (memory == nullptr) {
      return deviceError(fmt::format("the host is out of memory: {} bytes asked", bytes));
    }
    array.owner_ = std::shared_ptr<const void>(
        memory, [memory](const void*) { ::operator delete(memory, kHostAlignment); });
    array.base_ = reinterpret_cast<std::uint64_t>(memory);
  }
  array.bytes_ = bytes;
  array.type_ = type;
  array.strides_ = compactStrides(shape);
  array.shape_ = std::move(shape);
  return array;
}

std::int64_t Array::size() const { return elementsOf(shape_); }

std::uint64_t Array::address() const {
  return base_ == 0 ? 0 : base_ + static_cast<std::uint64_t>(byteOffset_);
}

void* Array::hostData() const { return isOnHost() ? pointerAt(address()) : nullptr; }

bool Array::isDense() const {
  std::vector<std::size_t> modes;
  for (std::size_t mode = 0; mode < shape_.size(); ++mode) {
    if (shape_[mode] == 0) return true;
    if (shape_[mode] != 1) modes.push_back(mode);
  }
  std::sort(modes.begin(), modes.end(),
            [&](std::size_t a, std::size_t b) { return strides_[a] < strides_[b]; });
  std::int64_t expected = 1;
  for (const std::size_t mode : modes) {
    if (strides_[mode] != expected) return false;
    expected *= shape_[mode];
  }
  return true;
}

std::string Array::text() const {
  return fmt::format("{} ({}):({}) on {}", type_.text(), fmt::join(shape_, ","),
                     fmt::join(strides_, ","), device_ ? device_->name() : "the host");
}

Expected<Array> Array::view(std::int64_t elements, std::vector<std::int64_t> shape,
                            std::vector<std::int64_t> strides) const {
  CW_TRY(const Reach reach, reachOf(type_, shape, strides));
  std::int64_t bits = 0;
  if (__builtin_mul_overflow(elements, type_.elementBits(), &bits) || bits % 8 != 0) {
    return userError(fmt::format("view: {} elements of type {} are no whole number of bytes",
                                 elements, type_.text()));
  }
  Array made = *this;
  if (__builtin_add_overflow(byteOffset_, bits / 8, &made.byteOffset_)) {
    return userError(fmt::format("view: an offset of {} elements", elements));
  }
  if (bytes_ && reach.any) {
    std::int64_t first = 0;
    std::int64_t end = 0;
    const bool overflow = __builtin_add_overflow(made.byteOffset_, reach.firstByte, &first) ||
                          __builtin_add_overflow(made.byteOffset_, reach.endByte, &end);
    if (overflow || first < 0 || end > *bytes_) {
      return userError(fmt::format(
          "view: ({}):({}) from element {} on takes bytes {} to {}, and the "
          "memory of {} has {}",
          fmt::join(shape, ","), fmt::join(strides, ","), elements, first, end, text(), *bytes_));
    }
  }
  made.shape_ = std::move(shape);
  made.strides_ = std::move(strides);
  return made;
}

Expected<Array> Array::view(DataType type, std::int64_t byteOffset, std::vector<std::int64_t> shape,
                            std::vector<std::int64_t> strides) const {
  const std::int64_t bytes = type.elementBits() / 8;
  if (bytes == 0 || byteOffset % bytes != 0) {
    return userError(fmt::format("view: byte {} is no place for an element of type {}", byteOffset,
                                 type.text()));
  }
  Array from = *this;
  from.type_ = type;
  from.byteOffset_ = 0;
  return from.view(byteOffset / bytes, std::move(shape), std::move(strides));
}

Status Array::copyFrom(const Array& from) const {
  if (from.type_ != type_ || from.shape_ != shape_) {
    return userError(
        fmt::format("copy from {} to {}: types and shapes must be the same", from.text(), text()));
  }
  if (readOnly_) return userError(fmt::format("copy to {}: it is read-only", text()));
  CW_TRY(const std::int64_t bytes, compactBytes(type_, shape_));
  if (bytes == 0) return Success{};
  if (!isDense() || !from.isDense() || !sameOrder(shape_, strides_, from.strides_)) {
    return userError(fmt::format("copy from {} to {}: both must be dense, with the same strides",
                                 from.text(), text()));
  }
  const Device* here = device_ ? &*device_ : nullptr;
  const Device* there = from.device_ ? &*from.device_ : nullptr;
  if (here == nullptr) {
    if (there != nullptr) return there->copyToHost(hostData(), from.address(), bytes);
    std::memmove(hostData(), from.hostData(), static_cast<std::size_t>(bytes));
    return Success{};
  }
  if (there == nullptr) return here->copyToDevice(address(), from.hostData(), bytes);
  if (*here == *there) return here->copyOnDevice(address(), from.address(), bytes);
  // From device to device by way of the host: correct for every pair of kinds.
  CW_TRY(const Array host, emptyOnHost({dlpack::kUInt, 8, 1}, {bytes}));
  CW_DO(there->copyToHost(host.hostData(), from.address(), bytes));
  return here->copyToDevice(address(), host.hostData(), bytes);
}

}  // namespace cutwork

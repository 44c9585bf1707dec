// ArgumentsAtOnce.cpp -- the slots of arguments that fit, without the making of results.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cutwork/Compiler/Arguments.h"

namespace cutwork {

namespace {

constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();

bool fits32(std::int64_t value) { return value == static_cast<std::int32_t>(value); }

bool onHost(std::int32_t deviceType) {
  return deviceType == dlpack::kCpu || deviceType == dlpack::kCudaHost;
}

bool holds(const LeafSpec& spec, std::int64_t value) {
  if (spec.divisor != 1 && value % spec.divisor != 0) return false;
  return spec.width != cute::Width::I32 || fits32(value);
}

// As encodeLeaf of Arguments.cpp, which has the messages.
bool encodeLeaf(const LeafSpec& spec, std::int64_t value, std::uint64_t*& slot) {
  if (spec.known) return value == spec.value;
  if (!holds(spec, value)) return false;
  *slot++ = static_cast<std::uint64_t>(value);
  return true;
}

}  // namespace

std::int64_t strideOf(const LeafSpec& spec, std::int64_t extent, std::int64_t stride) {
  if (extent != 1) return stride;
  if (spec.known) return spec.value;
  return holds(spec, stride) ? stride : 0;
}

bool encodeTensorAtOnce(const TensorSpec& spec, const dlpack::Tensor& tensor,
                        std::uint64_t* slots) {
  const std::size_t rank = spec.shape.size();
  if (tensor.type != dataType(spec.type) || tensor.rank != static_cast<std::int32_t>(rank) ||
      (rank != 0 && tensor.strides == nullptr)) {
    return false;
  }
  if (onHost(tensor.device.type) != (spec.space == cute::AddressSpace::generic)) return false;
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(tensor.data) + tensor.byteOffset;
  if (address % static_cast<std::uint64_t>(spec.alignment) != 0) return false;
  *slots++ = address;
  double elements = 1;
  bool narrow = false;
  for (std::size_t i = 0; i < rank; ++i) {
    if (!encodeLeaf(spec.shape[i], tensor.shape[i], slots)) return false;
    elements *= static_cast<double>(tensor.shape[i]);
    narrow |= !spec.shape[i].known && spec.shape[i].width == cute::Width::I32;
  }
  if (narrow && elements > static_cast<double>(kInt32Max)) return false;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t stride = strideOf(spec.stride[i], tensor.shape[i], tensor.strides[i]);
    if (!encodeLeaf(spec.stride[i], stride, slots)) return false;
  }
  return true;
}

bool encodeNumberAtOnce(cute::DType type, std::int64_t value, std::uint64_t& slot) {
  if (type == cute::DType::Boolean) {
    slot = value != 0 ? 1 : 0;
    return true;
  }
  if (cute::isFloat(type)) return encodeNumberAtOnce(type, static_cast<double>(value), slot);
  const int bits = cute::width(type);
  slot = static_cast<std::uint64_t>(value);
  if (bits == 64) return cute::isSigned(type) || value >= 0;
  if (!cute::isSigned(type)) return value >= 0 && value >> bits == 0;
  const std::int64_t most = (std::int64_t{1} << (bits - 1)) - 1;
  return value <= most && value >= -most - 1;
}

bool encodeNumberAtOnce(cute::DType type, double value, std::uint64_t& slot) {
  if (type == cute::DType::Float32) {
    const auto narrow = static_cast<float>(value);
    slot = std::bit_cast<std::uint32_t>(narrow);
    return std::isfinite(narrow) || !std::isfinite(value);
  }
  if (type != cute::DType::Float64) return false;
  slot = std::bit_cast<std::uint64_t>(value);
  return true;
}

}  // namespace cutwork

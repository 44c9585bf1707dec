// TensorMapPlan.cpp -- the rules that a TMA descriptor obeys, checked before the driver is asked.
//
// Source: CUDA driver API 13.0, cuTensorMapEncodeTiled; what it does not say (the size of the box,
// the inner mode with interleave, what Hopper lacks) was found by asking the driver on an H200.
#include "cutwork/Support/TensorMapPlan.h"

#include <fmt/format.h>

#include <array>

namespace cutwork {

namespace {

struct TypeRow {
  std::string_view name;
  int bits;
};
constexpr std::array kTypes{
    TypeRow{"u8", 8},        TypeRow{"u16", 16},     TypeRow{"u32", 32},
    TypeRow{"s32", 32},      TypeRow{"u64", 64},     TypeRow{"s64", 64},
    TypeRow{"f16", 16},      TypeRow{"f32", 32},     TypeRow{"f64", 64},
    TypeRow{"bf16", 16},     TypeRow{"f32.ftz", 32}, TypeRow{"tf32", 32},
    TypeRow{"tf32.ftz", 32}, TypeRow{"u4x16.a8", 4}, TypeRow{"u4x16.a16", 4},
    TypeRow{"u6x16.a16", 6},
};

constexpr std::int64_t kMaxExtent = std::int64_t{1} << 32;
constexpr std::int64_t kMaxStride = std::int64_t{1} << 40;
constexpr std::uint32_t kMaxBox = 256;
constexpr std::uint32_t kMaxElementStride = 8;

bool paddedInShared(TensorMapType type) {
  return type == TensorMapType::U4x16Align16 || type == TensorMapType::U6x16Align16;
}

/// Bytes of a row of the swizzle pattern: the most that the box's inner mode may have. 0: no limit.
int swizzleSpan(TensorMapSwizzle swizzle) {
  switch (swizzle) {
    case TensorMapSwizzle::None: return 0;
    case TensorMapSwizzle::Bytes32: return 32;
    case TensorMapSwizzle::Bytes64: return 64;
    default: return 128;
  }
}

template <class... Arguments>
Error refused(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return userError("tensor map: " + fmt::format(text, std::forward<Arguments>(arguments)...));
}

Status checkEnumerators(const TensorMapPlan& plan) {
  if (plan.rank < 1 || plan.rank > TensorMapPlan::kMaxRank) {
    return refused("rank {}: allowed are 1 to {}", plan.rank, TensorMapPlan::kMaxRank);
  }
  if (tensorMapTypeBits(plan.type) == 0) {
    return refused("element type number {}: allowed are 0 to {}", static_cast<int>(plan.type),
                   kTypes.size() - 1);
  }
  if (plan.interleave > TensorMapInterleave::Bytes32) {
    return refused("interleave number {}: allowed are 0 to 2", static_cast<int>(plan.interleave));
  }
  if (plan.swizzle > TensorMapSwizzle::Bytes128Atom64) {
    return refused("swizzle number {}: allowed are 0 to 6", static_cast<int>(plan.swizzle));
  }
  if (plan.l2 > TensorMapL2::Bytes256) {
    return refused("L2 promotion number {}: allowed are 0 to 3", static_cast<int>(plan.l2));
  }
  if (plan.fill > TensorMapFill::NanRequestZeroFma) {
    return refused("fill number {}: allowed are 0 and 1", static_cast<int>(plan.fill));
  }
  return Success{};
}

Status checkTogether(const TensorMapPlan& plan) {
  if (plan.interleave != TensorMapInterleave::None && plan.rank < 3) {
    return refused("rank {} with interleave: allowed are 3 to 5", plan.rank);
  }
  if (plan.interleave == TensorMapInterleave::Bytes32 &&
      plan.swizzle != TensorMapSwizzle::Bytes32) {
    return refused("a 32-byte interleave needs the 32-byte swizzle");
  }
  if (plan.fill == TensorMapFill::NanRequestZeroFma) {
    const auto type = plan.type;
    const bool floating = (type >= TensorMapType::Float16 && type <= TensorMapType::TFloat32Ftz);
    if (!floating) {
      return refused("fill with NaN of elements of type {}: allowed for floating-point types",
                     tensorMapTypeName(type));
    }
  }
  if (paddedInShared(plan.type)) {
    const bool swizzleFits = plan.swizzle == TensorMapSwizzle::None ||
                             plan.swizzle == TensorMapSwizzle::Bytes128 ||
                             (plan.swizzle == TensorMapSwizzle::Bytes128Atom32) ||
                             (plan.swizzle == TensorMapSwizzle::Bytes128Atom64);
    if (plan.interleave != TensorMapInterleave::None || !swizzleFits) {
      return refused("type {}: allowed without interleave and with no swizzle or one of 128 bytes",
                     tensorMapTypeName(plan.type));
    }
  }
  return Success{};
}

Status checkModes(const TensorMapPlan& plan) {
  const std::int64_t strideUnit =
      paddedInShared(plan.type) || plan.interleave == TensorMapInterleave::Bytes32 ? 32 : 16;
  for (int mode = 0; mode < plan.rank; ++mode) {
    if (plan.extents[mode] < 1 || plan.extents[mode] > kMaxExtent) {
      return refused("extent {} of mode {}: allowed are 1 to 2^32", plan.extents[mode], mode);
    }
    if (plan.box[mode] < 1 || plan.box[mode] > kMaxBox) {
      return refused("box extent {} of mode {}: allowed are 1 to {}", plan.box[mode], mode,
                     kMaxBox);
    }
    if (plan.elementStrides[mode] < 1 || plan.elementStrides[mode] > kMaxElementStride) {
      return refused("element stride {} of mode {}: allowed are 1 to {}", plan.elementStrides[mode],
                     mode, kMaxElementStride);
    }
    if (mode == 0) continue;
    const std::int64_t stride = plan.strides[mode];
    if (stride < 0 || stride >= kMaxStride || stride % strideUnit != 0) {
      return refused("stride of {} bytes of mode {}: allowed are multiples of {} below 2^40",
                     stride, mode, strideUnit);
    }
  }
  return Success{};
}

Status checkInnerMode(const TensorMapPlan& plan) {
  const int bits = tensorMapTypeBits(plan.type);
  if (paddedInShared(plan.type)) {
    if (plan.extents[0] % 128 != 0) {
      return refused("extent {} of mode 0 of type {}: allowed are multiples of 128",
                     plan.extents[0], tensorMapTypeName(plan.type));
    }
    if (plan.box[0] != 128) {
      return refused("box extent {} of mode 0 of type {}: allowed is 128", plan.box[0],
                     tensorMapTypeName(plan.type));
    }
    return Success{};
  }
  if (bits == 4 && plan.extents[0] % 2 != 0) {
    return refused("extent {} of mode 0 of type {}: allowed are even ones", plan.extents[0],
                   tensorMapTypeName(plan.type));
  }
  const std::int64_t boxBytes = std::int64_t{plan.box[0]} * bits / 8;
  if (std::int64_t{plan.box[0]} * bits % 128 != 0) {
    return refused(
        "mode 0 of the box has {} bytes ({} elements of type {}): allowed are multiples of 16",
        boxBytes, plan.box[0], tensorMapTypeName(plan.type));
  }
  const int span = swizzleSpan(plan.swizzle);
  if (plan.interleave == TensorMapInterleave::None && span != 0 && boxBytes > span) {
    return refused("mode 0 of the box has {} bytes: allowed with this swizzle are at most {}",
                   boxBytes, span);
  }
  return Success{};
}

/// The whole box, as it is in shared memory.
Status checkBox(const TensorMapPlan& plan, const TensorMapLimits& limits) {
  // 16 elements of a padded type have 16 bytes.
  const int bits = paddedInShared(plan.type) ? 8 : tensorMapTypeBits(plan.type);
  std::int64_t elements = 1;  // at most 256^5
  for (int mode = 0; mode < plan.rank; ++mode) {
    const std::int64_t step = plan.elementStrides[mode];
    elements *= (plan.box[mode] + step - 1) / step;
  }
  if (elements * bits / 8 <= limits.sharedMemory) return Success{};
  return refused("the box has {} bytes: allowed are {}, the shared memory of a block",
                 elements * bits / 8, limits.sharedMemory);
}

Status checkCapability(const TensorMapPlan& plan, const TensorMapLimits& limits) {
  constexpr int kBlackwell = 100;
  if (limits.capability >= kBlackwell) return Success{};
  if (plan.type >= TensorMapType::U4x16Align8) {
    return refused("type {} needs compute capability 10.0, and this device has {}.{}",
                   tensorMapTypeName(plan.type), limits.capability / 10, limits.capability % 10);
  }
  if (plan.swizzle >= TensorMapSwizzle::Bytes128Atom32) {
    return refused("swizzle number {} needs compute capability 10.0, and this device has {}.{}",
                   static_cast<int>(plan.swizzle), limits.capability / 10, limits.capability % 10);
  }
  return Success{};
}

}  // namespace

std::string_view tensorMapTypeName(TensorMapType type) {
  const auto number = static_cast<std::size_t>(type);
  return number < kTypes.size() ? kTypes[number].name : "?";
}

int tensorMapTypeBits(TensorMapType type) {
  const auto number = static_cast<std::size_t>(type);
  return number < kTypes.size() ? kTypes[number].bits : 0;
}

Status checkTensorMap(const TensorMapPlan& plan, std::uint64_t address,
                      const TensorMapLimits& limits) {
  CW_DO(checkEnumerators(plan));
  CW_DO(checkCapability(plan, limits));
  CW_DO(checkTogether(plan));
  CW_DO(checkModes(plan));
  CW_DO(checkInnerMode(plan));
  CW_DO(checkBox(plan, limits));
  const std::uint64_t unit =
      paddedInShared(plan.type) || plan.interleave == TensorMapInterleave::Bytes32 ? 32 : 16;
  if (address == 0 || address % unit != 0) {
    return refused("global address 0x{:x}: allowed are multiples of {} bytes", address, unit);
  }
  return Success{};
}

}  // namespace cutwork

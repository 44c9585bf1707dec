// Arguments.cpp -- tensor arguments, their marks, and the slots of a call.
#include "cutwork/Compiler/Arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>
#include <utility>

namespace cutwork {

namespace {

using cute::DType;

constexpr std::array<std::pair<DType, DataType>, cute::kDTypes - 1> kTypes{{
    {DType::Boolean, {dlpack::kBool, 8, 1}},
    {DType::Int8, {dlpack::kInt, 8, 1}},
    {DType::Int16, {dlpack::kInt, 16, 1}},
    {DType::Int32, {dlpack::kInt, 32, 1}},
    {DType::Int64, {dlpack::kInt, 64, 1}},
    {DType::Uint8, {dlpack::kUInt, 8, 1}},
    {DType::Uint16, {dlpack::kUInt, 16, 1}},
    {DType::Uint32, {dlpack::kUInt, 32, 1}},
    {DType::Uint64, {dlpack::kUInt, 64, 1}},
    {DType::Float16, {dlpack::kFloat, 16, 1}},
    {DType::BFloat16, {dlpack::kBFloat, 16, 1}},
    {DType::Float32, {dlpack::kFloat, 32, 1}},
    {DType::Float64, {dlpack::kFloat, 64, 1}},
    {DType::Float8E4M3FN, {dlpack::kFloat8E4M3Fn, 8, 1}},
    {DType::Float8E5M2, {dlpack::kFloat8E5M2, 8, 1}},
}};

constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();

// Of an extent that comes with each call: the size of the array is computed in it.
cute::Width extentWidth(const Array& array) {
  return array.size() > kInt32Max ? cute::Width::I64 : cute::Width::I32;
}

LeafSpec known(std::int64_t value) { return {true, value, cute::Width::I32, 1}; }

TensorSpec knownSpec(const Array& array, std::int64_t alignment) {
  TensorSpec spec;
  spec.type = elementType(array.type()).value();
  spec.space = array.isOnHost() ? cute::AddressSpace::generic : cute::AddressSpace::gmem;
  spec.alignment = alignment == 0 ? elementBytes(spec.type) : alignment;
  for (std::size_t i = 0; i < array.shape().size(); ++i) {
    std::int64_t extent = array.shape()[i];
    spec.shape.push_back(known(extent));
    // Also of an extent of 1: a tile may be larger, and what is known of the stride is known of
    // addresses. Calls may have another stride there.
    spec.stride.push_back(known(array.strides()[i]));
  }
  return spec;
}

// The mode of stride 1, or -1 if there is none or several are as good.
int leadingMode(const Array& array) {
  int found = -1;
  int large = -1;
  int count = 0;
  int countLarge = 0;
  for (int i = 0; i < array.rank(); ++i) {
    if (array.strides()[static_cast<std::size_t>(i)] != 1) continue;
    found = i, ++count;
    if (array.shape()[static_cast<std::size_t>(i)] > 1) large = i, ++countLarge;
  }
  if (countLarge == 1) return large;
  return count >= 1 && countLarge == 0 ? found : -1;
}

std::uint16_t halfBits(double value) {
  return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
}

std::uint16_t bfloatBits(double value) {
  auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (value != value) return 0x7fc0;
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// The largest finite value of a type that numbers are passed in; 0: of no such type.
double largest(DType type) {
  switch (type) {
    case DType::Float64: return std::numeric_limits<double>::max();
    case DType::Float32:
    case DType::TFloat32: return std::numeric_limits<float>::max();
    case DType::Float16: return 65504;
    case DType::BFloat16: return 0x1.fep127;
    default: return 0;
  }
}

Expected<std::uint64_t> encodeFloat(DType type, double value) {
  if (const double most = largest(type);
      most != 0 && std::isfinite(value) && std::fabs(value) > most)
    return userError(
        fmt::format("{} does not fit a {}: {} to {}", value, cute::name(type), -most, most));
  switch (type) {
    case DType::Float64: return std::bit_cast<std::uint64_t>(value);
    case DType::Float32:
    case DType::TFloat32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case DType::Float16: return halfBits(value);
    case DType::BFloat16: return bfloatBits(value);
    default: return userError(fmt::format("a {} cannot be passed as a number", cute::name(type)));
  }
}

Expected<std::uint64_t> encodeScalar(DType type, const CallArgument::Value& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    if (cute::isFloat(type)) return encodeFloat(type, *number);
    return userError(fmt::format("a {} was expected, not the float {}", cute::name(type), *number));
  }
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr) {
    return userError(fmt::format("a {} was expected, not an array or a stream", cute::name(type)));
  }
  if (cute::isFloat(type)) return encodeFloat(type, static_cast<double>(*number));
  if (type == DType::Boolean) return *number != 0 ? 1 : 0;
  int bits = cute::width(type);
  bool isSigned = cute::isSigned(type);
  std::int64_t least = isSigned ? std::numeric_limits<std::int64_t>::min() >> (64 - bits) : 0;
  std::int64_t most = bits == 64 ? std::numeric_limits<std::int64_t>::max()
                      : isSigned ? (std::int64_t{1} << (bits - 1)) - 1
                                 : (std::int64_t{1} << bits) - 1;
  bool anything = bits == 64;
  if (!anything && (*number < least || *number > most)) {
    return userError(
        fmt::format("{} does not fit a {}: {} to {}", *number, cute::name(type), least, most));
  }
  return static_cast<std::uint64_t>(*number);
}

Expected<std::uint64_t> encodePointer(const PointerSpec& spec, const CallArgument::Value& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr) return userError("an address was expected, which is an integer");
  auto address = static_cast<std::uint64_t>(*number);
  if (address % static_cast<std::uint64_t>(spec.alignment) == 0) return address;
  return userError(
      fmt::format("the address 0x{:x} is aligned to {} bytes; the function was compiled "
                  "for an alignment of {}",
                  address, address & (~address + 1), spec.alignment));
}

Status encodeLeaf(const LeafSpec& spec, std::int64_t value, std::string_view what, std::size_t mode,
                  std::span<std::uint64_t>& slots) {
  if (spec.known) {
    if (value == spec.value) return Success{};
    return userError(fmt::format("{} {} is {}; the function was compiled for {}", what, mode, value,
                                 spec.value));
  }
  if (value % spec.divisor != 0) {
    return userError(fmt::format("{} {} is {}; the function was compiled for multiples of {}", what,
                                 mode, value, spec.divisor));
  }
  if (spec.width == cute::Width::I32 && (value > kInt32Max || value < -kInt32Max - 1)) {
    return userError(
        fmt::format("{} {} is {}, which needs 64 bits; the function was compiled for "
                    "32-bit ones: compile it for an array of that size",
                    what, mode, value));
  }
  slots.front() = static_cast<std::uint64_t>(value);
  slots = slots.subspan(1);
  return Success{};
}

Status encodeTensor(const TensorSpec& spec, const Array& array, std::span<std::uint64_t>& slots) {
  if (array.type() != dataType(spec.type)) {
    return userError(fmt::format("an array of {} was passed where {} was compiled for",
                                 array.type().text(), dataType(spec.type).text()));
  }
  if (array.shape().size() != spec.shape.size()) {
    return userError(fmt::format("an array of rank {} was passed where rank {} was compiled for",
                                 array.shape().size(), spec.shape.size()));
  }
  bool host = spec.space == cute::AddressSpace::generic;
  if (array.isOnHost() != host) {
    return userError(fmt::format("the array is {}; the function was compiled for one {}",
                                 array.isOnHost() ? "on the host" : "on a device",
                                 host ? "on the host" : "on a device"));
  }
  std::uint64_t address = array.address();
  if (address % static_cast<std::uint64_t>(spec.alignment) != 0) {
    return userError(
        fmt::format("the address 0x{:x} is aligned to {} bytes; the function was "
                    "compiled for an alignment of {}",
                    address, address & (~address + 1), spec.alignment));
  }
  slots.front() = address;
  slots = slots.subspan(1);
  double elements = 1;
  bool narrow = false;
  for (std::size_t i = 0; i < spec.shape.size(); ++i) {
    CW_DO(encodeLeaf(spec.shape[i], array.shape()[i], "extent", i, slots));
    elements *= static_cast<double>(array.shape()[i]);
    narrow |= !spec.shape[i].known && spec.shape[i].width == cute::Width::I32;
  }
  if (narrow && elements > static_cast<double>(kInt32Max)) {
    return userError(
        fmt::format("the array has {} elements, whose number needs 64 bits; the function was "
                    "compiled for 32-bit ones: compile it for an array of that size",
                    array.size()));
  }
  for (std::size_t i = 0; i < spec.stride.size(); ++i) {
    const std::int64_t stride = strideOf(spec.stride[i], array.shape()[i], array.strides()[i]);
    CW_DO(encodeLeaf(spec.stride[i], stride, "stride", i, slots));
  }
  return Success{};
}

Status encode(const ArgumentSpec& spec, const CallArgument& argument,
              std::span<std::uint64_t>& slots) {
  if (const auto* tensor = std::get_if<TensorSpec>(&spec)) {
    const auto* array = std::get_if<const Array*>(&argument.value());
    if (array == nullptr) return userError("an array was expected, not a number or a stream");
    return encodeTensor(*tensor, **array, slots);
  }
  if (const auto* scalar = std::get_if<ScalarSpec>(&spec)) {
    CW_TRY(slots.front(), encodeScalar(scalar->type, argument.value()));
  } else if (const auto* pointer = std::get_if<PointerSpec>(&spec)) {
    CW_TRY(slots.front(), encodePointer(*pointer, argument.value()));
  } else {
    const auto* stream = std::get_if<StreamHandle>(&argument.value());
    if (stream == nullptr) return userError("a stream was expected");
    slots.front() = reinterpret_cast<std::uint64_t>(*stream);
  }
  slots = slots.subspan(1);
  return Success{};
}

// The common cases, without the making of results: calls are measured in nanoseconds. False: not
// one of them.
bool encodeAtOnce(const ArgumentSpec& spec, const CallArgument& argument, std::uint64_t& slot) {
  if (std::holds_alternative<StreamSpec>(spec)) {
    const auto* stream = std::get_if<StreamHandle>(&argument.value());
    if (stream == nullptr) return false;
    slot = reinterpret_cast<std::uint64_t>(*stream);
    return true;
  }
  const auto* scalar = std::get_if<ScalarSpec>(&spec);
  if (scalar == nullptr) return false;
  if (const auto* number = std::get_if<std::int64_t>(&argument.value())) {
    bool fits = scalar->type == DType::Int64 ||
                (scalar->type == DType::Int32 && *number == static_cast<std::int32_t>(*number));
    if (fits) slot = static_cast<std::uint64_t>(*number);
    return fits;
  }
  const auto* real = std::get_if<double>(&argument.value());
  if (real == nullptr || scalar->type != DType::Float32) return false;
  return encodeNumberAtOnce(DType::Float32, *real, slot);
}

// Modes from outermost to innermost by their strides.
std::vector<int> orderOfStrides(const Array& array) {
  std::vector<int> order(static_cast<std::size_t>(array.rank()));
  std::iota(order.begin(), order.end(), 0);
  // Equal strides stay in order; by index, since libstdc++'s stable_sort is deprecated inside.
  std::ranges::sort(order, [&](int a, int b) {
    std::int64_t left = array.strides()[static_cast<std::size_t>(a)];
    std::int64_t right = array.strides()[static_cast<std::size_t>(b)];
    return left != right ? left > right : a < b;
  });
  return order;
}

}  // namespace

Expected<DType> elementType(DataType type) {
  for (const auto& [ours, theirs] : kTypes) {
    if (theirs == type) return ours;
  }
  return userError(fmt::format("arrays of {} have no element type in kernels", type.text()));
}

DataType dataType(DType type) {
  for (const auto& [ours, theirs] : kTypes) {
    if (ours == type) return theirs;
  }
  return {dlpack::kFloat, 32, 1};  // TFloat32: kept as float32
}

TensorArgument from_dlpack(const Array& array, std::int64_t alignment) {
  if (alignment != 0 && !std::has_single_bit(static_cast<std::uint64_t>(alignment))) {
    userError(fmt::format("from_dlpack: an alignment is a power of two, not {}", alignment))
        .raise();
  }
  return {array, knownSpec(array, alignment)};
}

TensorArgument dynamic(const Array& array) {
  constexpr std::uint64_t kMost = 16;
  std::uint64_t address = array.address() | kMost;
  TensorSpec spec = knownSpec(array, 0);
  spec.alignment = std::max(static_cast<std::int64_t>(address & (~address + 1)), spec.alignment);
  int leading = leadingMode(array);
  for (std::size_t i = 0; i < spec.shape.size(); ++i) {
    spec.shape[i] = {false, 0, extentWidth(array), 1};
    std::int64_t stride = array.strides()[i];
    if (static_cast<int>(i) == leading) {
      spec.stride[i] = known(1);
    } else if (stride == 0) {
      spec.stride[i] = known(0);
    } else {
      spec.stride[i] = {false, 0, cute::Width::I64, 1};
    }
  }
  return {array, spec};
}

TensorArgument& TensorArgument::mark_layout_dynamic(int leading) {
  std::int64_t alignment = spec_.alignment;
  if (leading >= array_.rank() || leading < -1) {
    userError(fmt::format("mark_layout_dynamic: there is no mode {}; the rank is {}", leading,
                          array_.rank()))
        .raise();
  }
  if (leading >= 0 && array_.strides()[static_cast<std::size_t>(leading)] != 1) {
    userError(fmt::format("Expected strides[leading_dim] == 1, but got {}",
                          array_.strides()[static_cast<std::size_t>(leading)]))
        .raise();
  }
  spec_ = dynamic(array_).spec();
  spec_.alignment = alignment;
  if (leading < 0) return *this;
  for (std::size_t i = 0; i < spec_.stride.size(); ++i) {
    bool one = static_cast<int>(i) == leading;
    if (one) spec_.stride[i] = known(1);
    if (!one && spec_.stride[i].known && spec_.stride[i].value == 1) {
      spec_.stride[i] = {false, 0, cute::Width::I64, 1};
    }
  }
  return *this;
}

TensorArgument& TensorArgument::mark_compact_shape_dynamic(int mode, std::vector<int> order,
                                                           std::int64_t divisibility) {
  auto refuse = [](std::string text) {
    userError("mark_compact_shape_dynamic: " + std::move(text)).raise();
  };
  if (mode < 0 || mode >= array_.rank()) {
    refuse(fmt::format("there is no mode {}; the rank is {}", mode, array_.rank()));
  }
  if (order.empty()) order = orderOfStrides(array_);
  std::vector<int> sorted = order;
  std::ranges::sort(sorted);
  std::vector<int> all(static_cast<std::size_t>(array_.rank()));
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) {
    refuse(fmt::format("[{}] is no order of {} modes", fmt::join(order, ", "), array_.rank()));
  }
  std::int64_t extent = array_.shape()[static_cast<std::size_t>(mode)];
  if (divisibility < 1 || extent % divisibility != 0) {
    refuse(
        fmt::format("the extent {} of mode {} is no multiple of {}", extent, mode, divisibility));
  }
  spec_.shape[static_cast<std::size_t>(mode)] = {false, 0, extentWidth(array_), divisibility};
  // From the innermost mode out: strides are the products of the extents inside.
  std::int64_t product = 1;
  std::int64_t divisor = 1;
  bool isKnown = true;
  for (int inner : std::views::reverse(order)) {
    auto i = static_cast<std::size_t>(inner);
    std::int64_t actual = array_.shape()[i];
    if (actual != 1 && array_.strides()[i] != product) {
      refuse(fmt::format("mode {} has stride {}, which is {} in a compact array of that order",
                         inner, array_.strides()[i], product));
    }
    const LeafSpec& leaf = spec_.shape[i];
    if (actual == 1 && leaf.known) {
      spec_.stride[i] = known(0);
    } else {
      spec_.stride[i] = isKnown ? known(product) : LeafSpec{false, 0, cute::Width::I64, divisor};
    }
    product *= actual;
    divisor *= leaf.known ? actual : leaf.divisor;
    isKnown = isKnown && leaf.known;
  }
  return *this;
}

std::size_t slotsOf(std::span<const ArgumentSpec> specs) {
  std::size_t count = 0;
  for (const ArgumentSpec& spec : specs) {
    ++count;
    const auto* tensor = std::get_if<TensorSpec>(&spec);
    if (tensor == nullptr) continue;
    auto isPassed = [](const LeafSpec& leaf) { return !leaf.known; };
    count += static_cast<std::size_t>(std::ranges::count_if(tensor->shape, isPassed));
    count += static_cast<std::size_t>(std::ranges::count_if(tensor->stride, isPassed));
  }
  return count;
}

std::string argumentText(std::span<const std::string> names, std::size_t i) {
  return i < names.size() ? "argument " + names[i] : fmt::format("argument {}", i);
}

Status encodeArguments(std::span<const ArgumentSpec> specs, std::span<const CallArgument> arguments,
                       std::span<std::uint64_t> slots, std::span<const std::string> names) {
  if (specs.size() != arguments.size()) {
    return userError(fmt::format("{} arguments were passed; the function takes {}",
                                 arguments.size(), specs.size()));
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (encodeAtOnce(specs[i], arguments[i], slots.front())) {
      slots = slots.subspan(1);
      continue;
    }
    Status status = encode(specs[i], arguments[i], slots);
    if (!status.ok()) return std::move(status).takeError().within(argumentText(names, i) + ": ");
  }
  return Success{};
}

}  // namespace cutwork

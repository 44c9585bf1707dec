// HostArray.cpp -- arrays of a case on the host: their values, and what kernels are compiled for.
#include "cutwork/Cases/HostArray.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>

namespace cutwork {

namespace {

constexpr std::int64_t kPeriod = 1'000'003;
constexpr std::int64_t kAlignment = 16;

// A hash of 64 bits: SplitMix64's finalizer.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t hashOf(std::string_view name) {
  std::uint64_t hash = 0;
  for (const char c : name) hash = mixed(hash ^ static_cast<unsigned char>(c));
  return hash;
}

std::byte* address(const Array& array) { return static_cast<std::byte*>(array.hostData()); }

}  // namespace

std::string shapeText(const CaseShape& shape) {
  return shape.empty() ? "1" : fmt::format("{}", fmt::join(shape, "x"));
}

Expected<CaseShape> parseShape(std::string_view text) {
  CaseShape shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::int64_t extent = 0;
    const auto [after, failed] = std::from_chars(at, end, extent);
    if (failed != std::errc() || extent < 1 || (after != end && *after != 'x')) {
      return userError(
          fmt::format("'{}' is no shape: expected positive extents, as in 1024x512", text));
    }
    shape.push_back(extent);
    if (after == end) return shape;
    at = after + 1;
  }
}

HostArray::HostArray(std::string name, cute::DType type, const CaseShape& shape, bool output)
    : name_(std::move(name)),
      type_(type),
      output_(output),
      data_(Array::emptyOnHost(dataType(type), shape).value()) {}

std::uint64_t HostArray::bits(std::int64_t i) const {
  std::uint64_t bits = 0;
  const std::int64_t width = elementBytes(type_);
  std::memcpy(&bits, address(data_) + i * width, static_cast<std::size_t>(width));
  return bits;
}

void HostArray::setBits(std::int64_t i, std::uint64_t bits) {
  const std::int64_t width = elementBytes(type_);
  std::memcpy(address(data_) + i * width, &bits, static_cast<std::size_t>(width));
}

HostArray& HostArray::uniform(std::uint64_t seed, double low, double high) {
  const std::uint64_t stream = mixed(seed ^ hashOf(name_));
  const std::int64_t made = std::min(size(), kPeriod);
  for (std::int64_t i = 0; i < made; ++i) {
    const std::uint64_t random = mixed(stream + static_cast<std::uint64_t>(i));
    set(i, low + (high - low) * static_cast<double>(random >> 11) * 0x1p-53);
  }
  for (std::int64_t i = made; i < size(); i += kPeriod) {
    const std::int64_t count = std::min(kPeriod, size() - i);
    const std::int64_t width = elementBytes(type_);
    std::memcpy(address(data_) + i * width, address(data_),
                static_cast<std::size_t>(count * width));
  }
  return *this;
}

TensorSpec HostArray::spec() const {
  TensorArgument argument = from_dlpack(data_, kAlignment);
  std::vector<int> order(data_.shape().size());  // of the modes, from outermost to innermost
  std::iota(order.begin(), order.end(), 0);
  for (int mode = 0; mode < data_.rank() && divisor_ > 0; ++mode) {
    argument.mark_compact_shape_dynamic(mode, order, mode + 1 == data_.rank() ? divisor_ : 1);
  }
  TensorSpec spec = argument.spec();
  spec.space = cute::AddressSpace::gmem;
  return spec;
}

HostArray& CaseArrays::input(std::string name, cute::DType type, const CaseShape& shape, double low,
                             double high) {
  arrays_.emplace_back(std::move(name), type, shape, false);
  return arrays_.back().uniform(seed_, low, high);
}

HostArray& CaseArrays::output(std::string name, cute::DType type, const CaseShape& shape) {
  arrays_.emplace_back(std::move(name), type, shape, true);
  return arrays_.back();
}

const HostArray& CaseArrays::operator[](std::string_view name) const {
  const auto found = std::ranges::find(arrays_, name, &HostArray::name);
  if (found == arrays_.end()) {
    internalError(fmt::format("the case has no array '{}'", name)).raise();
  }
  return *found;
}

std::vector<TensorSpec> CaseArrays::specs() const {
  std::vector<TensorSpec> specs;
  specs.reserve(arrays_.size());
  for (const HostArray& array : arrays_) specs.push_back(array.spec());
  return specs;
}

std::int64_t CaseArrays::bytes() const {
  std::int64_t sum = 0;
  for (const HostArray& array : arrays_) sum += array.bytes();
  return sum;
}

}  // namespace cutwork

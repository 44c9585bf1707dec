// ArrayShape.cpp -- sizes and reaches of arrays, with every product checked.
#include "ArrayShape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cutwork {

namespace {

Error tooLarge(const Extents& shape) {
  return userError(
      fmt::format("an array of shape ({}) has more than 2^63-1 bytes", fmt::join(shape, ",")));
}

Status checkShape(dlpack::DataType type, const Extents& shape) {
  if (type.bits == 0 || type.lanes == 0) {
    return userError(fmt::format("an element type of {} bits and {} lanes", type.bits, type.lanes));
  }
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      return userError(
          fmt::format("an array of shape ({}): extents are not negative", fmt::join(shape, ",")));
    }
  }
  return Success{};
}

/// floor(bits / 8) and ceil(bits / 8), for either sign.
std::int64_t floorBytes(std::int64_t bits) { return bits >> 3; }
std::int64_t ceilBytes(std::int64_t bits) { return (bits >> 3) + ((bits & 7) != 0 ? 1 : 0); }

}  // namespace

std::int64_t elementsOf(const Extents& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent == 0) return 0;
  }
  for (const std::int64_t extent : shape) elements *= extent;
  return elements;
}

Extents compactStrides(const Extents& shape) {
  Extents strides(shape.size());
  std::int64_t next = 1;
  for (std::size_t mode = shape.size(); mode-- > 0;) {
    strides[mode] = next;
    next *= std::max<std::int64_t>(shape[mode], 1);
  }
  return strides;
}

Expected<std::int64_t> compactBytes(dlpack::DataType type, const Extents& shape) {
  CW_DO(checkShape(type, shape));
  std::int64_t bits = type.elementBits();
  bool empty = false;
  for (const std::int64_t extent : shape) {
    // Extents of 0 do not hide an overflow of the others: strides are computed from those.
    empty = empty || extent == 0;
    if (__builtin_mul_overflow(bits, std::max<std::int64_t>(extent, 1), &bits)) {
      return tooLarge(shape);
    }
  }
  return empty ? 0 : ceilBytes(bits);
}

Expected<Reach> reachOf(dlpack::DataType type, const Extents& shape, const Extents& strides) {
  CW_DO(checkShape(type, shape));
  if (shape.size() != strides.size()) {
    return userError(fmt::format("shape ({}) and strides ({}) have different ranks",
                                 fmt::join(shape, ","), fmt::join(strides, ",")));
  }
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return Reach{};
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool overflow = false;
  for (std::size_t mode = 0; mode < shape.size(); ++mode) {
    std::int64_t way = 0;
    overflow = overflow || __builtin_mul_overflow(shape[mode] - 1, strides[mode], &way);
    std::int64_t& end = way < 0 ? first : last;
    overflow = overflow || __builtin_add_overflow(end, way, &end);
  }
  std::int64_t bits = 0;
  overflow = overflow || __builtin_mul_overflow(first, type.elementBits(), &first) ||
             __builtin_mul_overflow(last, type.elementBits(), &bits) ||
             __builtin_add_overflow(bits, type.elementBits(), &bits);
  if (overflow) return tooLarge(shape);
  return Reach{true, floorBytes(first), ceilBytes(bits)};
}

bool sameOrder(const Extents& shape, const Extents& a, const Extents& b) {
  for (std::size_t mode = 0; mode < shape.size(); ++mode) {
    if (shape[mode] > 1 && a[mode] != b[mode]) return false;
  }
  return true;
}

}  // namespace cutwork

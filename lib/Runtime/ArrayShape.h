// ArrayShape.h -- arithmetic over shapes and strides that cannot overflow unseen.
#pragma once

#include <cstdint>
#include <vector>

#include "cutwork/Runtime/DLPack.h"
#include "cutwork/Support/Status.h"

namespace cutwork {

using Extents = std::vector<std::int64_t>;

/// Elements of a shape that was checked.
std::int64_t elementsOf(const Extents& shape);

/// Row-major strides of a shape that was checked.
Extents compactStrides(const Extents& shape);

/// Bytes that a compact array has. Errors (User): a negative extent, an element without bits, an
/// array beyond 2^63-1 bytes.
Expected<std::int64_t> compactBytes(dlpack::DataType type, const Extents& shape);

/// The bytes that an array touches, from its first element's.
struct Reach {
  bool any = false;  ///< whether there is an element
  std::int64_t firstByte = 0;
  std::int64_t endByte = 0;
};
Expected<Reach> reachOf(dlpack::DataType type, const Extents& shape, const Extents& strides);

/// Whether both strides put the elements in the same order; modes of extent 1 do not count.
bool sameOrder(const Extents& shape, const Extents& a, const Extents& b);

}  // namespace cutwork

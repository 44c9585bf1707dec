// AccessPlan.h -- how the elements of a layout are read or written: as few and as wide accesses as
// its strides and the pointer's alignment allow.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cutwork/Support/Error.h"

namespace cutwork::transforms {

/// One access of `count` consecutive elements, from element `first` of the vector on. Its offset
/// from the pointer, in elements, is `offset` plus the sum of factors[j] times dynamic operand j.
struct Access {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t offset = 0;
  std::vector<std::int64_t> factors;
  std::int64_t alignment = 1;  ///< bytes, known
};

/// The accesses for a layout text with `bits` wide elements (a multiple of 8) behind a pointer
/// aligned to `alignment` bytes; none is wider than `widest` bits or more than its alignment, and
/// none crosses a multiple of `period` elements (0: no period).
Expected<std::vector<Access>> planAccesses(std::string_view text, int bits, std::int64_t alignment,
                                           int widest, std::int64_t period = 0);

}  // namespace cutwork::transforms

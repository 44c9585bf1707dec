// AddressCast.h -- numbers that are addresses: what devices and other libraries give.
#pragma once

#include <cstdint>

namespace cutwork {

/// The pointer whose address is this number. Optimisers learn nothing from it, and need not: what
/// it points to is outside their sight.
inline void* pointerAt(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace cutwork

// HostContext.h -- what compiled host code is given besides its arguments.
#pragma once

#include <cstddef>

#include "cutwork/Runtime/HostTable.h"

namespace cutwork {

struct HostContext {
  const HostTable* table;
  HostFunction* const* kernels;  ///< in the order of the launches
  HostDevice* device;
};

}  // namespace cutwork

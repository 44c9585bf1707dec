// HostLayoutCheck.cpp -- the offsets that lowering writes down are those of the structs.
#include "Compiler/HostContext.h"
#include "Transforms/HostLayout.h"

namespace cutwork::transforms {

static_assert(offsetof(HostContext, table) == kContextTable &&
              offsetof(HostContext, kernels) == kContextKernels &&
              offsetof(HostContext, device) == kContextDevice);
static_assert(offsetof(HostTable, launch) == kTableLaunch &&
              offsetof(HostTable, print_format) == kTablePrintFormat);
static_assert(offsetof(HostLaunch, preferredCluster) == kLaunchPreferred &&
              offsetof(HostLaunch, sharedMemory) == kLaunchShared &&
              offsetof(HostLaunch, stream) == kLaunchStream &&
              offsetof(HostLaunch, cooperative) == kLaunchCooperative &&
              offsetof(HostLaunch, programmatic) == kLaunchProgrammatic &&
              offsetof(HostLaunch, sharedMemoryCarveout) == kLaunchCarveout &&
              sizeof(HostLaunch) == kLaunchBytes);

}  // namespace cutwork::transforms

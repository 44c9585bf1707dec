// Debug.h -- `cutwork debug kernel.ptx launch.json`: steps through a simulated kernel.
#pragma once

#include "Commands.h"

namespace cutwork::tool {

/// Adds `debug` to `app`.
void addDebugCommand(CLI::App& app, Invocation& invocation);

}  // namespace cutwork::tool

// Cache.h -- `cutwork cache`: what the kernel store holds, and clearing and checking it.
#pragma once

#include "Commands.h"

namespace cutwork::tool {

/// Adds `cache` with list, stats, clear and verify to `app`.
void addCacheCommand(CLI::App& app, Invocation& invocation);

}  // namespace cutwork::tool

// Info.h -- `cutwork info`: devices, assemblers, versions, knobs, and what is missing.
#pragma once

#include "Commands.h"

namespace cutwork::tool {

/// Adds `info` to `app`.
void addInfoCommand(CLI::App& app, Invocation& invocation);

}  // namespace cutwork::tool

// Run.h -- `cutwork run`: a Python script that imports cutlass, as it is.
#pragma once

#include "Commands.h"

namespace cutwork::tool {

void addRunCommand(CLI::App& app, Invocation& invocation);

}  // namespace cutwork::tool

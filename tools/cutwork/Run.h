// Run.h -- the commands that Python does: `cutwork run`, `new`, verify and bench of kernel files.
#pragma once

#include <optional>

#include "Commands.h"

namespace cutwork::tool {

/// `run SCRIPT`: a Python script that imports cutlass, as it is.
void addRunCommand(CLI::App& app, Invocation& invocation);
/// `new KIND DIR`.
void addNewCommand(CLI::App& app, Invocation& invocation);
/// `verify` and `bench` with a file NAME.py in the place of a case: Python reads the rest of the
/// command line. Nothing if it is not that; returns at all only if Python cannot be started.
std::optional<ExitCode> runKernelFile(int argc, char** argv);

}  // namespace cutwork::tool

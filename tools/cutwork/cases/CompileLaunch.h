// CompileLaunch.h -- `cutwork compile --launch`: a launch of the compiled case for `cutwork sim`.
#pragma once

#include <string>

#include "cutwork/Cases/Case.h"

namespace cutwork::tool {

/// Writes the launch that the host function makes with these arrays to `file`, and the inputs as
/// .npy files beside it. What the launch is the simulated device says, which begins it and stops
/// it. Error (User): a file cannot be written; the function launches nothing.
Status writeLaunch(const std::string& file, const CaseArrays& arrays,
                   const CompiledFunction& function);

}  // namespace cutwork::tool

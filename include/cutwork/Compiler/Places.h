// cutwork/Compiler/Places.h -- the lines of a traced program.
#pragma once

#include <string>

#include "cutwork/DSL/Host.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// The places of a trace's operations, as a text: of two traces with the same IR and the same
/// places, messages and line tables are the same too. Ends the trace.
std::string placesOfTrace(HostTrace& trace);

}  // namespace cutwork

#pragma GCC visibility pop

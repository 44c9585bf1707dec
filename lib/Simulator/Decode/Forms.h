// Forms.h -- which types and modifiers an elementwise instruction has.
#pragma once

#include "Exec/Op.h"

namespace cutwork::sim {

/// Whether the ISA has the operation of `pick` with its types and modifiers.
bool isForm(const Pick& pick);

}  // namespace cutwork::sim

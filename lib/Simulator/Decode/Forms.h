// Forms.h -- which types and modifiers an elementwise instruction has.
#pragma once

#include <string_view>

#include "Exec/Op.h"

namespace cutwork::sim {

/// Whether the ISA has the operation of `pick` with its types and modifiers.
bool isForm(const Pick& pick);
/// Whether numbers of a type can be compared with setp and set as `word` says.
bool isComparison(std::string_view word, Ty type, bool ftz);
/// Whether set has this type of result for such numbers.
bool isSetResult(Ty result, Ty type);

}  // namespace cutwork::sim

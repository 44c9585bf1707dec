// Variables.h -- the source's variables at a stop: which are in scope, where, and what they hold.
#pragma once

#include <unordered_map>

#include "Decode/Program.h"
#include "Dwarf.h"
#include "cutwork/Simulator/Debug.h"

namespace cutwork::sim {

class DebugView;

/// Debug information, and where the labels are that it names.
struct SourceVariables {
  Dwarf dwarf;
  std::unordered_map<std::string_view, SourceRef> labels;
};

SourceVariables readVariables(const Module& module);

/// Those in scope at a statement, the innermost of a name. Errors as DebugStop::variables has them.
Expected<DebugVariables> variablesAt(const SourceVariables& sources, const DebugView& view,
                                     SourceRef at);

}  // namespace cutwork::sim

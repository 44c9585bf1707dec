// LayoutExplain.h -- `cutwork layout explain`: the steps of an operation.
#pragma once

#include "Explanation.h"
#include "Expression.h"

namespace cutwork::tool {

/// Explains the outermost operation; operations inside it are evaluated. An error is what an
/// operation refused. Precondition: the expression is a call.
Expected<Explanation> explain(const Expression& expression);

/// "composition, logical_divide, ...": what is explained step by step; all else gets its
/// definition.
std::string explainedOperations();

}  // namespace cutwork::tool

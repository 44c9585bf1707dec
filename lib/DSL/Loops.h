// Loops.h -- loop ops, their counters and unrolling; going into bodies.
#pragma once

#include <mlir/Dialect/SCF/IR/SCF.h>

#include "DSL/Trace.h"
#include "cutwork/DSL/Control.h"

namespace cutwork::cute {

/// unroll: times, 1 forbids it, 0 says nothing. Full unrolling is a pass's; the number is LLVM's.
void annotate(mlir::scf::ForOp loop, int unroll, bool full);

/// Operations go to the end of a body from here on, before its terminator if it has one. Error
/// (User): bodies nested too deep.
void enterBody(Trace& trace, mlir::Block& block);
/// The loop op of a range, from 0 by 1, with an empty body; and the range's own counter, as
/// operations of the body where the builder stands.
mlir::scf::ForOp makeLoop(Trace& trace, const Range& range);
Numeric counterOf(Trace& trace, mlir::scf::ForOp loop, const Range& range);

}  // namespace cutwork::cute

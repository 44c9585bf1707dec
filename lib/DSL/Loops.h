// Loops.h -- what a loop op says about its unrolling.
#pragma once

#include <mlir/Dialect/SCF/IR/SCF.h>

namespace cutwork::cute {

/// unroll: times, 1 forbids it, 0 says nothing. Full unrolling is a pass's; the number is LLVM's.
void annotate(mlir::scf::ForOp loop, int unroll, bool full);

}  // namespace cutwork::cute

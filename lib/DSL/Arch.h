// Arch.h -- the dialects of the machine's ops, and loop annotations, which live in them.
#pragma once

namespace mlir {
class MLIRContext;
}

namespace cutwork::cute {

void loadArchDialects(mlir::MLIRContext& context);

}  // namespace cutwork::cute

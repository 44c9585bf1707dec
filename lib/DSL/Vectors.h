// Vectors.h -- vectors from elements and back.
#pragma once

#include "DSL/Trace.h"

namespace cutwork::cute {

mlir::Value makeVector(Trace& trace, llvm::ArrayRef<mlir::Value> elements);
mlir::Value elementOf(Trace& trace, mlir::Value vector, std::int64_t index);

}  // namespace cutwork::cute

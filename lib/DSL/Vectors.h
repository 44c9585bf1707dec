// Vectors.h -- vectors from elements and back.
#pragma once

#include "DSL/Trace.h"

namespace cutwork::cute {

/// More LLVM takes minutes for, and they are more than the registers of a thread.
inline constexpr std::int64_t kMostVectorElements = 1024;

mlir::Value makeVector(Trace& trace, llvm::ArrayRef<mlir::Value> elements);
/// Error (User): extents that are not static and positive; more elements than a vector may have.
void checkVectorShape(std::string_view what, const IntTuple& shape, Where where);
mlir::Value elementOf(Trace& trace, mlir::Value vector, std::int64_t index);

}  // namespace cutwork::cute

// Cute.h -- the cute dialect: its types and ops.
#pragma once

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/OpImplementation.h>
#include <mlir/Interfaces/InferTypeOpInterface.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include "IR/CuteDialect.h.inc"
#include "IR/CuteEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "IR/CuteTypes.h.inc"

#define GET_OP_CLASSES
#include "IR/MemoryOps.h.inc"

#define GET_OP_CLASSES
#include "IR/NumericOps.h.inc"

#define GET_OP_CLASSES
#include "IR/TileOps.h.inc"

#define GET_OP_CLASSES
#include "IR/HostOps.h.inc"

namespace cutwork::ir {

/// Notes on a gpu.module that its instructions need a PTX version, 80 for 8.0: the highest of all
/// that were asked for counts.
void requirePtx(mlir::Operation* module, int version);

}  // namespace cutwork::ir

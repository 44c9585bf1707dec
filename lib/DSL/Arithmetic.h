// Arithmetic.h -- arith and math ops for the element types, on scalars and vectors alike.
#pragma once

#include "DSL/Trace.h"

namespace cutwork::cute {

enum class Binary : std::uint8_t {
  Add,
  Sub,
  Mul,
  FloorDiv,
  TrueDiv,
  Mod,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  Min,
  Max,
  Pow,    ///< of floats, as Atan2
  Atan2,  ///< of y and x
};
std::string_view symbol(Binary op);

enum class Compare : std::uint8_t { Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual };

/// The type that the operands of an operation on `a` and `b` are brought to first, and its result's
/// type. Error (User): the operation is not for these types.
Expected<DType> operandType(Binary op, DType a, DType b);

/// Operands are of type `type`, which operandType gave; scalars, or vectors of one size.
mlir::Value emitBinary(Trace& trace, Binary op, DType type, mlir::Value a, mlir::Value b);
/// i1 values.
mlir::Value emitCompare(Trace& trace, Compare op, DType type, mlir::Value a, mlir::Value b);
/// A scalar or vector of `from` as `to`.
mlir::Value emitCast(Trace& trace, mlir::Value value, DType from, DType to);
/// The same, rounded as said. Error (User): a rounding that the types have not.
mlir::Value emitConvert(Trace& trace, mlir::Value value, DType from, DType to, Rounding rounding,
                        bool saturate, Where where);
/// The value's type with another element type.
mlir::Type withElement(mlir::Type type, mlir::Type element);
/// A value of one element type as the type of its elements in memory, and back.
mlir::Type storageType(Trace& trace, DType type);
mlir::Value toStorage(Trace& trace, mlir::Value value, DType type);
mlir::Value fromStorage(Trace& trace, mlir::Value value, DType type);

}  // namespace cutwork::cute

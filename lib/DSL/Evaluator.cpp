// Evaluator.cpp -- the layout algebra's arithmetic on run-time integers, as arith ops.
#include "DSL/Arithmetic.h"
#include "DSL/Trace.h"

namespace cutwork::cute {

namespace {

mlir::Value emit(Trace& trace, IntOp op, DType type, mlir::Value a, mlir::Value b) {
  auto binary = [&](Binary which, mlir::Value x) { return emitBinary(trace, which, type, x, b); };
  auto truth = [&](Compare which) {
    return emitCast(trace, emitCompare(trace, which, type, a, b), DType::Boolean, type);
  };
  // -floor(-a / b) for the ceiling: a + b - 1 could overflow.
  auto minus = [&](mlir::Value x) {
    return emitBinary(trace, Binary::Sub, type, trace.constant(0, x.getType()), x);
  };
  switch (op) {
    case IntOp::Add: return binary(Binary::Add, a);
    case IntOp::Sub: return binary(Binary::Sub, a);
    case IntOp::Mul: return binary(Binary::Mul, a);
    case IntOp::FloorDiv: return binary(Binary::FloorDiv, a);
    case IntOp::FloorMod: return binary(Binary::Mod, a);
    case IntOp::CeilDiv: return minus(binary(Binary::FloorDiv, minus(a)));
    case IntOp::Min: return binary(Binary::Min, a);
    case IntOp::Max: return binary(Binary::Max, a);
    case IntOp::And: return binary(Binary::And, a);
    case IntOp::Xor: return binary(Binary::Xor, a);
    case IntOp::Shl: return binary(Binary::Shl, a);
    case IntOp::Shr: return binary(Binary::Shr, a);
    case IntOp::Equal: return truth(Compare::Equal);
    case IntOp::Less: return truth(Compare::Less);
    case IntOp::Convert: return a;
  }
  return a;
}

}  // namespace

Int IrEvaluator::apply(IntOp op, Int a, Int b, Width width, std::int64_t divisor) {
  for (Int operand : {a, b}) {
    if (operand.isDynamic() && operand.dynamic().evaluator != this) {
      return Int::invalid(Invalid::TwoEvaluators);
    }
  }
  // Comparisons are of the operands' width, whatever their result's is.
  Width compute = std::max({width, a.width(), b.width()});
  if (op == IntOp::Convert) compute = width;
  Where where = trace_.lastWhere();
  DType type = compute == Width::I64 ? DType::Int64 : DType::Int32;
  mlir::Value left = trace_.use(a, compute, where);
  mlir::Value right = op == IntOp::Convert ? left : trace_.use(b, compute, where);
  return wrap(emit(trace_, op, type, left, right), divisor);
}

}  // namespace cutwork::cute

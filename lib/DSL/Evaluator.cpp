// Evaluator.cpp -- the layout algebra's arithmetic on run-time integers, as arith ops.
#include <mlir/Dialect/Arith/IR/Arith.h>

#include <bit>

#include "DSL/Trace.h"

namespace cutwork::cute {

namespace {

namespace arith = mlir::arith;

class Emitter {
 public:
  Emitter(Trace& trace, Width width)
      : trace_(trace), type_(trace.builder().getIntegerType(static_cast<unsigned>(width))) {}

  template <class Op>
  mlir::Value make(mlir::Value a, mlir::Value b) {
    return Op::create(trace_.builder(), trace_.here(), a, b);
  }
  mlir::Value compare(arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) {
    return arith::CmpIOp::create(trace_.builder(), trace_.here(), predicate, a, b);
  }
  mlir::Value number(mlir::Value truth) {
    return arith::ExtUIOp::create(trace_.builder(), trace_.here(), type_, truth);
  }
  mlir::Value constant(std::int64_t value) { return trace_.constant(value, type_); }

  // Rounded down. A power of two is a shift, which costs one instruction.
  mlir::Value floorDiv(mlir::Value a, mlir::Value b, Int divisor) {
    if (isPowerOfTwo(divisor)) return make<arith::ShRSIOp>(a, constant(log2(divisor)));
    mlir::Value quotient = make<arith::DivSIOp>(a, b);
    mlir::Value rest = make<arith::SubIOp>(a, make<arith::MulIOp>(quotient, b));
    // One less where there is a rest of the sign that b has not.
    mlir::Value zero = constant(0);
    mlir::Value inexact = compare(arith::CmpIPredicate::ne, rest, zero);
    mlir::Value opposite =
        compare(arith::CmpIPredicate::slt, make<arith::XOrIOp>(rest, b), zero);
    mlir::Value down = number(make<arith::AndIOp>(inexact, opposite));
    return make<arith::SubIOp>(quotient, down);
  }
  mlir::Value floorMod(mlir::Value a, mlir::Value b, Int divisor) {
    if (isPowerOfTwo(divisor)) return make<arith::AndIOp>(a, constant(divisor.value() - 1));
    return make<arith::SubIOp>(a, make<arith::MulIOp>(floorDiv(a, b, divisor), b));
  }
  mlir::Value ceilDiv(mlir::Value a, mlir::Value b, Int divisor) {
    // -floor(-a / b): a + b - 1 could overflow.
    mlir::Value zero = constant(0);
    mlir::Value down = floorDiv(make<arith::SubIOp>(zero, a), b, divisor);
    return make<arith::SubIOp>(zero, down);
  }

 private:
  static bool isPowerOfTwo(Int value) {
    return value.isStatic() && value.value() > 0 &&
           std::has_single_bit(static_cast<std::uint64_t>(value.value()));
  }
  static std::int64_t log2(Int value) {
    return std::countr_zero(static_cast<std::uint64_t>(value.value()));
  }
  Trace& trace_;
  mlir::Type type_;
};

mlir::Value emit(Emitter& e, IntOp op, mlir::Value a, mlir::Value b, Int right) {
  switch (op) {
    case IntOp::Add: return e.make<arith::AddIOp>(a, b);
    case IntOp::Sub: return e.make<arith::SubIOp>(a, b);
    case IntOp::Mul: return e.make<arith::MulIOp>(a, b);
    case IntOp::FloorDiv: return e.floorDiv(a, b, right);
    case IntOp::FloorMod: return e.floorMod(a, b, right);
    case IntOp::CeilDiv: return e.ceilDiv(a, b, right);
    case IntOp::Min: return e.make<arith::MinSIOp>(a, b);
    case IntOp::Max: return e.make<arith::MaxSIOp>(a, b);
    case IntOp::And: return e.make<arith::AndIOp>(a, b);
    case IntOp::Xor: return e.make<arith::XOrIOp>(a, b);
    case IntOp::Shl: return e.make<arith::ShLIOp>(a, b);
    case IntOp::Shr: return e.make<arith::ShRSIOp>(a, b);
    case IntOp::Equal: return e.number(e.compare(arith::CmpIPredicate::eq, a, b));
    case IntOp::Less: return e.number(e.compare(arith::CmpIPredicate::slt, a, b));
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
  Emitter emitter(trace_, compute);
  mlir::Value left = trace_.use(a, compute, where);
  mlir::Value right = op == IntOp::Convert ? left : trace_.use(b, compute, where);
  return wrap(emit(emitter, op, left, right, b), divisor);
}

}  // namespace cutwork::cute

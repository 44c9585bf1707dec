// Math.cpp -- elementary functions as ops of the math dialect.
#include "cutwork/DSL/Math.h"

#include <fmt/format.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include "DSL/Arithmetic.h"
#include "DSL/Trace.h"

namespace cutwork::cute {

namespace {

namespace arith = mlir::arith;
namespace math = mlir::math;

using Emit = mlir::Value (*)(Trace& trace, mlir::Value x, bool fast);

arith::FastMathFlags flagsOf(bool fast) {
  return fast ? arith::FastMathFlags::afn | arith::FastMathFlags::arcp : arith::FastMathFlags::none;
}

template <class Op>
mlir::Value emitMath(Trace& trace, mlir::Value x, bool fast) {
  return Op::create(trace.builder(), trace.here(), x, flagsOf(fast));
}

mlir::Value one(Trace& trace, mlir::Type type) {
  mlir::Type element = mlir::isa<mlir::VectorType>(type)
                           ? mlir::cast<mlir::VectorType>(type).getElementType()
                           : type;
  mlir::TypedAttr value = trace.builder().getFloatAttr(element, 1.0);
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type)) {
    value = mlir::DenseElementsAttr::get(vector, value);
  }
  return arith::ConstantOp::create(trace.builder(), trace.here(), value);
}

mlir::Value emitRcp(Trace& trace, mlir::Value x, bool fast) {
  return arith::DivFOp::create(trace.builder(), trace.here(), one(trace, x.getType()), x,
                               flagsOf(fast));
}

mlir::Value emitSigmoid(Trace& trace, mlir::Value x, bool fast) {
  mlir::Value minus = arith::NegFOp::create(trace.builder(), trace.here(), x);
  mlir::Value power = emitMath<math::ExpOp>(trace, minus, fast);
  mlir::Value sum =
      arith::AddFOp::create(trace.builder(), trace.here(), one(trace, x.getType()), power);
  return emitRcp(trace, sum, fast);
}

// What is computed in, for an operand of `type`.
DType floatFor(DType type, Where where) {
  if (!isFloat(type)) return width(type) == 64 ? DType::Float64 : DType::Float32;
  orRefuse(promote(type, type), where);
  return type;
}

// Sigmoid is several operations: of narrow floats each would round.
bool isWhole(Emit emit) { return emit != &emitSigmoid; }

Numeric unary(Emit emit, const Arg& x, bool fast) {
  DType type = floatFor(x.type(), x.where());
  DType inside = isWhole(emit) || width(type) >= 32 ? type : DType::Float32;
  Trace& trace = Trace::at(x.where());
  mlir::Value value = emit(trace, trace.use(x.to(inside), x.where()), fast);
  return {type, trace.wrap(emitCast(trace, value, inside, type))};
}

TensorSSA unary(Emit emit, const VectorOperand& x, bool fast) {
  DType type = floatFor(x.value().type(), x.where());
  DType inside = isWhole(emit) || width(type) >= 32 ? type : DType::Float32;
  Trace& trace = Trace::at(x.where());
  TensorSSA operand = x.value().to(inside, x.where());
  mlir::Value value = emit(trace, trace.use(operand.value(), x.where()), fast);
  return {type, x.value().shape(), trace.wrap(emitCast(trace, value, inside, type))};
}

}  // namespace

#define CW_FUNCTION(name, emit)                                                     \
  Numeric name(const Arg& x, bool fastmath) { return unary(&(emit), x, fastmath); } \
  TensorSSA name(const VectorOperand& x, bool fastmath) { return unary(&(emit), x, fastmath); }
CW_FUNCTION(exp, emitMath<math::ExpOp>)
CW_FUNCTION(exp2, emitMath<math::Exp2Op>)
CW_FUNCTION(log, emitMath<math::LogOp>)
CW_FUNCTION(log2, emitMath<math::Log2Op>)
CW_FUNCTION(log10, emitMath<math::Log10Op>)
CW_FUNCTION(sqrt, emitMath<math::SqrtOp>)
CW_FUNCTION(rsqrt, emitMath<math::RsqrtOp>)
CW_FUNCTION(sin, emitMath<math::SinOp>)
CW_FUNCTION(cos, emitMath<math::CosOp>)
CW_FUNCTION(tan, emitMath<math::TanOp>)
CW_FUNCTION(asin, emitMath<math::AsinOp>)
CW_FUNCTION(acos, emitMath<math::AcosOp>)
CW_FUNCTION(atan, emitMath<math::AtanOp>)
CW_FUNCTION(tanh, emitMath<math::TanhOp>)
CW_FUNCTION(erf, emitMath<math::ErfOp>)
CW_FUNCTION(floor, emitMath<math::FloorOp>)
CW_FUNCTION(ceil, emitMath<math::CeilOp>)
CW_FUNCTION(absf, emitMath<math::AbsFOp>)
CW_FUNCTION(rcp, emitRcp)
CW_FUNCTION(sigmoid, emitSigmoid)
#undef CW_FUNCTION

Numeric fma(const Arg& a, const Arg& b, const Arg& c) {
  Where where = a.where();
  DType type = orRefuse(promote(orRefuse(promote(a.type(), b.type()), where), c.type()), where);
  if (!isFloat(type)) return Arg(a * b, where) + c;
  Trace& trace = Trace::at(where);
  mlir::Value x = trace.use(a.to(type), where);
  mlir::Value y = trace.use(b.to(type), where);
  mlir::Value z = trace.use(c.to(type), where);
  return {type, trace.wrap(math::FmaOp::create(trace.builder(), trace.here(), x, y, z))};
}

TensorSSA fma(const VectorOperand& a, const VectorOperand& b, const VectorOperand& c) {
  Where where = a.where();
  DType type = a.value().type();
  bool same = b.value().type() == type && c.value().type() == type &&
              a.value().shape() == b.value().shape() && a.value().shape() == c.value().shape();
  if (!same || !isFloat(type)) {
    refuse("fma: three vectors of one float type and shape are expected", where);
  }
  Trace& trace = Trace::at(where);
  mlir::Value x = trace.use(a.value().value(), where);
  mlir::Value y = trace.use(b.value().value(), where);
  mlir::Value z = trace.use(c.value().value(), where);
  return {type, a.value().shape(),
          trace.wrap(math::FmaOp::create(trace.builder(), trace.here(), x, y, z))};
}

}  // namespace cutwork::cute

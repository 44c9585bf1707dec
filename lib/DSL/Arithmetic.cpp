// Arithmetic.cpp -- arith and math ops for the element types.
#include "DSL/Arithmetic.h"

#include <fmt/format.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/IR/Matchers.h>
#include <mlir/IR/TypeUtilities.h>

#include "IR/Cute.h"

namespace cutwork::cute {

namespace {

namespace arith = mlir::arith;

mlir::Value splatConstant(Trace& trace, mlir::Type type, std::int64_t value) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  mlir::TypedAttr one =
      mlir::isa<mlir::FloatType>(element)
          ? mlir::TypedAttr(trace.builder().getFloatAttr(element, static_cast<double>(value)))
          : mlir::TypedAttr(trace.builder().getIntegerAttr(element, value));
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type)) {
    one = mlir::DenseElementsAttr::get(vector, one);
  }
  return arith::ConstantOp::create(trace.builder(), trace.here(), one);
}

template <class Op>
mlir::Value make(Trace& trace, mlir::Value a, mlir::Value b) {
  return Op::create(trace.builder(), trace.here(), a, b);
}

// n where every element is the constant 2^n; nothing otherwise.
std::optional<std::int64_t> powerOfTwo(mlir::Value value) {
  llvm::APInt constant;
  if (!mlir::matchPattern(value, mlir::m_ConstantInt(&constant))) return std::nullopt;
  if (!constant.isStrictlyPositive() || !constant.isPowerOf2()) return std::nullopt;
  return constant.logBase2();
}

// floor(a / b). A power of two is a shift, which costs one instruction; else the truncated
// quotient, one less where the signs differ and it is not exact.
mlir::Value floorDivSigned(Trace& trace, mlir::Value a, mlir::Value b) {
  if (auto bits = powerOfTwo(b)) {
    return make<arith::ShRSIOp>(trace, a, splatConstant(trace, a.getType(), *bits));
  }
  mlir::Value quotient = make<arith::DivSIOp>(trace, a, b);
  mlir::Value product = make<arith::MulIOp>(trace, quotient, b);
  mlir::Value inexact =
      arith::CmpIOp::create(trace.builder(), trace.here(), arith::CmpIPredicate::ne, product, a);
  mlir::Value zero = splatConstant(trace, a.getType(), 0);
  mlir::Value mixed =
      arith::CmpIOp::create(trace.builder(), trace.here(), arith::CmpIPredicate::slt,
                            make<arith::XOrIOp>(trace, a, b), zero);
  mlir::Value down = make<arith::AndIOp>(trace, inexact, mixed);
  mlir::Value less = make<arith::SubIOp>(trace, quotient, splatConstant(trace, a.getType(), 1));
  return arith::SelectOp::create(trace.builder(), trace.here(), down, less, quotient);
}

mlir::Value emitFloat(Trace& trace, Binary op, mlir::Value a, mlir::Value b) {
  switch (op) {
    case Binary::Add: return make<arith::AddFOp>(trace, a, b);
    case Binary::Sub: return make<arith::SubFOp>(trace, a, b);
    case Binary::Mul: return make<arith::MulFOp>(trace, a, b);
    case Binary::Mod: return make<arith::RemFOp>(trace, a, b);
    case Binary::Min: return make<arith::MinimumFOp>(trace, a, b);
    case Binary::Max: return make<arith::MaximumFOp>(trace, a, b);
    case Binary::Pow: return make<mlir::math::PowFOp>(trace, a, b);
    case Binary::Atan2: return make<mlir::math::Atan2Op>(trace, a, b);
    default: return make<arith::DivFOp>(trace, a, b);
  }
}

mlir::Value emitInteger(Trace& trace, Binary op, bool isSigned, mlir::Value a, mlir::Value b) {
  switch (op) {
    case Binary::Add: return make<arith::AddIOp>(trace, a, b);
    case Binary::Sub: return make<arith::SubIOp>(trace, a, b);
    case Binary::Mul: return make<arith::MulIOp>(trace, a, b);
    case Binary::And: return make<arith::AndIOp>(trace, a, b);
    case Binary::Or: return make<arith::OrIOp>(trace, a, b);
    case Binary::Xor: return make<arith::XOrIOp>(trace, a, b);
    case Binary::Shl: return make<arith::ShLIOp>(trace, a, b);
    case Binary::Shr:
      return isSigned ? make<arith::ShRSIOp>(trace, a, b) : make<arith::ShRUIOp>(trace, a, b);
    case Binary::Min:
      return isSigned ? make<arith::MinSIOp>(trace, a, b) : make<arith::MinUIOp>(trace, a, b);
    case Binary::Max:
      return isSigned ? make<arith::MaxSIOp>(trace, a, b) : make<arith::MaxUIOp>(trace, a, b);
    case Binary::FloorDiv:
      return isSigned ? floorDivSigned(trace, a, b) : make<arith::DivUIOp>(trace, a, b);
    default: break;
  }
  if (!isSigned) return make<arith::RemUIOp>(trace, a, b);
  if (auto bits = powerOfTwo(b)) {
    std::int64_t mask = (std::int64_t{1} << *bits) - 1;
    return make<arith::AndIOp>(trace, a, splatConstant(trace, a.getType(), mask));
  }
  mlir::Value multiple = make<arith::MulIOp>(trace, floorDivSigned(trace, a, b), b);
  return make<arith::SubIOp>(trace, a, multiple);
}

arith::CmpIPredicate integerPredicate(Compare op, bool isSigned) {
  switch (op) {
    case Compare::Less: return isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
    case Compare::LessEqual:
      return isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule;
    case Compare::Greater: return isSigned ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt;
    case Compare::GreaterEqual:
      return isSigned ? arith::CmpIPredicate::sge : arith::CmpIPredicate::uge;
    case Compare::Equal: return arith::CmpIPredicate::eq;
    case Compare::NotEqual: return arith::CmpIPredicate::ne;
  }
  return arith::CmpIPredicate::eq;
}

arith::CmpFPredicate floatPredicate(Compare op) {
  switch (op) {
    case Compare::Less: return arith::CmpFPredicate::OLT;
    case Compare::LessEqual: return arith::CmpFPredicate::OLE;
    case Compare::Greater: return arith::CmpFPredicate::OGT;
    case Compare::GreaterEqual: return arith::CmpFPredicate::OGE;
    case Compare::Equal: return arith::CmpFPredicate::OEQ;
    case Compare::NotEqual: return arith::CmpFPredicate::UNE;
  }
  return arith::CmpFPredicate::OEQ;
}

template <class Op>
mlir::Value cast(Trace& trace, mlir::Value value, mlir::Type to) {
  return Op::create(trace.builder(), trace.here(), to, value);
}

mlir::Value castFloats(Trace& trace, mlir::Value value, DType from, DType to, mlir::Type type) {
  if (width(from) < width(to)) return cast<arith::ExtFOp>(trace, value, type);
  if (width(from) > width(to)) return cast<arith::TruncFOp>(trace, value, type);
  if (width(from) == 32) return value;  // f32 and tf32: the same bits
  // Of equal width: by way of f32, which holds both.
  mlir::Type wide = withElement(type, trace.typeOf(DType::Float32));
  return cast<arith::TruncFOp>(trace, cast<arith::ExtFOp>(trace, value, wide), type);
}

mlir::Value castIntegers(Trace& trace, mlir::Value value, DType from, DType to, mlir::Type type) {
  if (width(from) == width(to)) return value;
  if (width(from) > width(to)) return cast<arith::TruncIOp>(trace, value, type);
  return isSigned(from) ? cast<arith::ExtSIOp>(trace, value, type)
                        : cast<arith::ExtUIOp>(trace, value, type);
}

}  // namespace

std::string_view symbol(Binary op) {
  constexpr std::string_view kSymbols[] = {"+", "-",  "*",  "//",  "/",   "%",   "&",    "|",
                                           "^", "<<", ">>", "min", "max", "pow", "atan2"};
  return kSymbols[static_cast<std::size_t>(op)];
}

Expected<DType> operandType(Binary op, DType a, DType b) {
  bool bitwise = op == Binary::And || op == Binary::Or || op == Binary::Xor;
  bool shift = op == Binary::Shl || op == Binary::Shr;
  if (bitwise && a == DType::Boolean && b == DType::Boolean) return DType::Boolean;
  if ((bitwise || shift) && (isFloat(a) || isFloat(b))) {
    return userError(
        fmt::format("{} is for integers, not {} and {}", symbol(op), name(a), name(b)));
  }
  if (shift) return a == DType::Boolean ? DType::Int32 : a;
  CW_TRY(DType type, promote(a, b));
  const bool ofFloats = op == Binary::TrueDiv || op == Binary::Pow || op == Binary::Atan2;
  if (ofFloats && !isFloat(type))
    return width(type) == 64 && op != Binary::TrueDiv ? DType::Float64 : DType::Float32;
  return type;
}

mlir::Type withElement(mlir::Type type, mlir::Type element) {
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type)) {
    return mlir::VectorType::get(vector.getShape(), element);
  }
  return element;
}

mlir::Value emitBinary(Trace& trace, Binary op, DType type, mlir::Value a, mlir::Value b) {
  return isFloat(type) ? emitFloat(trace, op, a, b) : emitInteger(trace, op, isSigned(type), a, b);
}

mlir::Value emitCompare(Trace& trace, Compare op, DType type, mlir::Value a, mlir::Value b) {
  if (isFloat(type)) {
    return arith::CmpFOp::create(trace.builder(), trace.here(), floatPredicate(op), a, b);
  }
  return arith::CmpIOp::create(trace.builder(), trace.here(), integerPredicate(op, isSigned(type)),
                               a, b);
}

mlir::Value emitCast(Trace& trace, mlir::Value value, DType from, DType to) {
  if (from == to) return value;
  // What an f32 has more is cut off, to the nearest, as the conversion instruction does.
  if (to == DType::TFloat32) {
    if (from != DType::Float32) value = emitCast(trace, value, from, DType::Float32);
    return emitConvert(trace, value, DType::Float32, to, Rounding::rna, false, trace.lastWhere());
  }
  mlir::Type type = withElement(value.getType(), trace.typeOf(to));
  if (to == DType::Boolean) {
    return emitCompare(trace, Compare::NotEqual, from, value,
                       splatConstant(trace, value.getType(), 0));
  }
  if (isFloat(from) && isFloat(to)) return castFloats(trace, value, from, to, type);
  // Out of range LLVM's own conversion has no answer; this one stays within the type's range.
  if (isFloat(from)) {
    return emitConvert(trace, value, from, to, Rounding::rz, false, trace.lastWhere());
  }
  if (isFloat(to)) {
    return isSigned(from) ? cast<arith::SIToFPOp>(trace, value, type)
                          : cast<arith::UIToFPOp>(trace, value, type);
  }
  return castIntegers(trace, value, from, to, type);
}

mlir::Value emitConvert(Trace& trace, mlir::Value value, DType from, DType to, Rounding rounding,
                        bool saturate, Where where) {
  if (from == DType::Boolean || to == DType::Boolean) return emitCast(trace, value, from, to);
  if (rounding == Rounding::rna && to != DType::TFloat32) {
    refuse(fmt::format("rounding rna is for TFloat32, not {}", name(to)), where);
  }
  bool directed = rounding == Rounding::rm || rounding == Rounding::rp;
  if (directed && to == DType::TFloat32) {
    refuse("a TFloat32 is rounded by rn, rz or rna, not by rm or rp", where);
  }
  // There is nothing finite beyond the range of f32 and f64.
  saturate = saturate && to != DType::Float32 && to != DType::TFloat32 && to != DType::Float64;
  auto unit = [&](bool is) { return is ? trace.builder().getUnitAttr() : mlir::UnitAttr(); };
  mlir::Type type = withElement(value.getType(), trace.typeOf(to));
  auto how = static_cast<ir::Rounding>(rounding);
  return ir::Convert::create(trace.builder(), trace.here(), type, value,
                             ir::RoundingAttr::get(&trace.context(), how), unit(saturate),
                             unit(to == DType::TFloat32), unit(isInteger(from) && !isSigned(from)),
                             unit(isInteger(to) && !isSigned(to)));
}

mlir::Type storageType(Trace& trace, DType type) {
  return storageBits(type) == 8 ? trace.builder().getI8Type() : trace.typeOf(type);
}

mlir::Value toStorage(Trace& trace, mlir::Value value, DType type) {
  if (type == DType::Boolean) return emitCast(trace, value, DType::Boolean, DType::Uint8);
  if (!isFloat(type) || width(type) != 8) return value;
  return cast<arith::BitcastOp>(trace, value,
                                withElement(value.getType(), trace.builder().getI8Type()));
}

mlir::Value fromStorage(Trace& trace, mlir::Value value, DType type) {
  if (type == DType::Boolean) return emitCast(trace, value, DType::Uint8, DType::Boolean);
  if (!isFloat(type) || width(type) != 8) return value;
  return cast<arith::BitcastOp>(trace, value, withElement(value.getType(), trace.typeOf(type)));
}

}  // namespace cutwork::cute

// Numeric.cpp -- traced scalars: constants that fold, and operators that emit.
#include "cutwork/DSL/Numeric.h"

#include "cutwork/DSL/Math.h"

#include <fmt/format.h>
#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APSInt.h>
#include <mlir/Dialect/Arith/IR/Arith.h>

#include <cmath>
#include <limits>

#include "DSL/Arithmetic.h"
#include "DSL/Trace.h"

namespace cutwork::cute {

namespace {

const llvm::fltSemantics& semanticsOf(DType type) {
  switch (type) {
    case DType::Float64: return llvm::APFloat::IEEEdouble();
    case DType::Float16: return llvm::APFloat::IEEEhalf();
    case DType::BFloat16: return llvm::APFloat::BFloat();
    case DType::Float8E4M3FN: return llvm::APFloat::Float8E4M3FN();
    case DType::Float8E5M2: return llvm::APFloat::Float8E5M2();
    default: return llvm::APFloat::IEEEsingle();
  }
}

double roundTo(const llvm::fltSemantics& semantics, double value,
               llvm::APFloat::roundingMode rounding = llvm::APFloat::rmNearestTiesToEven) {
  llvm::APFloat number(value);
  bool inexact = false;
  number.convert(semantics, rounding, &inexact);
  return number.convertToDouble();
}
// To f8 as the machine does it: beyond the largest number there is the largest number.
double saturated(DType type, double value) {
  if (width(type) != 8 || std::isnan(value)) return value;
  double most = llvm::APFloat::getLargest(semanticsOf(type)).convertToDouble();
  return std::clamp(value, -most, most);
}

double roundTo(DType type, double value) {
  return roundTo(semanticsOf(type), saturated(type, value));
}

// An integer, rounded once.
double roundTo(DType type, std::int64_t value, bool isSigned) {
  if (width(type) == 8) {  // what an f64 rounds is beyond every f8
    return roundTo(type, isSigned ? static_cast<double>(value)
                                  : static_cast<double>(static_cast<std::uint64_t>(value)));
  }
  llvm::APFloat number(semanticsOf(type));
  llvm::APInt integer(64, static_cast<std::uint64_t>(value), isSigned);
  number.convertFromAPInt(integer, isSigned, llvm::APFloat::rmNearestTiesToEven);
  return number.convertToDouble();
}

std::int64_t wrapTo(DType type, std::int64_t value) {
  if (type == DType::Boolean) return value != 0 ? 1 : 0;
  int bits = width(type);
  if (bits == 64) return value;
  auto low = static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
  bool negative = isSigned(type) && (low >> (bits - 1)) != 0;
  return negative ? static_cast<std::int64_t>(low | (~std::uint64_t{0} << bits))
                  : static_cast<std::int64_t>(low);
}

// Towards zero, and brought into the type's range, as cute.convert does it. NaN of Float64, or to
// 64 bits, becomes the number with only the highest bit set; others become 0.
std::int64_t truncate(DType type, double value, DType from) {
  auto bits = static_cast<unsigned>(width(type));
  if (std::isnan(value)) {
    bool highest = from == DType::Float64 || bits == 64;
    return highest ? wrapTo(type, static_cast<std::int64_t>(std::uint64_t{1} << (bits - 1))) : 0;
  }
  llvm::APSInt integer(bits, /*isUnsigned=*/!isSigned(type));
  bool exact = false;
  llvm::APFloat(value).convertToInteger(integer, llvm::APFloat::rmTowardZero, &exact);
  return isSigned(type) ? integer.getSExtValue()
                        : static_cast<std::int64_t>(integer.getZExtValue());
}

bool isLess(double a, double b) { return a < b || (a == b && std::signbit(a) > std::signbit(b)); }

Numeric foldFloat(Binary op, DType type, double a, double b) {
  switch (op) {
    case Binary::Add: return Numeric::constant(type, a + b);
    case Binary::Sub: return Numeric::constant(type, a - b);
    case Binary::Mul: return Numeric::constant(type, a * b);
    case Binary::Mod: return Numeric::constant(type, std::fmod(a, b));
    case Binary::Min: return Numeric::constant(type, std::isnan(a) || isLess(a, b) ? a : b);
    case Binary::Max: return Numeric::constant(type, std::isnan(a) || isLess(b, a) ? a : b);
    case Binary::Pow: return Numeric::constant(type, std::pow(a, b));
    case Binary::Atan2: return Numeric::constant(type, std::atan2(a, b));
    default: return Numeric::constant(type, a / b);
  }
}

// In unsigned arithmetic, which wraps; the result is cut to the type.
Numeric foldInteger(Binary op, DType type, std::int64_t a, std::int64_t b) {
  auto x = static_cast<std::uint64_t>(a);
  auto y = static_cast<std::uint64_t>(b);
  bool less = isSigned(type) ? a < b : x < y;
  auto shifted = [&](std::uint64_t r) { return y < 64 ? r : 0; };
  std::uint64_t result = 0;
  switch (op) {
    case Binary::Add: result = x + y; break;
    case Binary::Sub: result = x - y; break;
    case Binary::Mul: result = x * y; break;
    case Binary::And: result = x & y; break;
    case Binary::Or: result = x | y; break;
    case Binary::Xor: result = x ^ y; break;
    case Binary::Shl: result = shifted(x << (y & 63)); break;
    case Binary::Shr:
      result = isSigned(type) ? static_cast<std::uint64_t>(a >> std::min<std::uint64_t>(y, 63))
                              : shifted(x >> (y & 63));
      break;
    case Binary::Min: result = less ? x : y; break;
    case Binary::Max: result = less ? y : x; break;
    // By -1 apart: the least number has no quotient but itself, wrapped.
    case Binary::FloorDiv:
      result = !isSigned(type) ? x / y
               : b == -1       ? 0 - x
                               : static_cast<std::uint64_t>(floorDiv(Int(a), Int(b)).value());
      break;
    default:
      result = !isSigned(type) ? x % y
               : b == -1       ? 0
                               : static_cast<std::uint64_t>(floorMod(Int(a), Int(b)).value());
  }
  return Numeric::constant(type, static_cast<std::int64_t>(result));
}

bool holds(Compare op, auto a, auto b) {
  switch (op) {
    case Compare::Less: return a < b;
    case Compare::LessEqual: return a <= b;
    case Compare::Greater: return a > b;
    case Compare::GreaterEqual: return a >= b;
    case Compare::Equal: return a == b;
    case Compare::NotEqual: return a != b;
  }
  return false;
}

// Where an operation was written: at its left operand.
Where whereOf(const Arg& a) { return a.where(); }

Numeric binary(Binary op, const Arg& a, const Arg& b) {
  Where where = whereOf(a);
  DType type = orRefuse(operandType(op, a.type(), b.type()), where);
  bool shift = op == Binary::Shl || op == Binary::Shr;
  if (op == Binary::FloorDiv && isFloat(type)) op = Binary::TrueDiv;
  Numeric x = a.to(type);
  Numeric y = b.to(type);
  // As it was written: in the type of what is shifted it could wrap.
  if (const Numeric& by = b.value(); shift && by.isConstant()) {
    if (by.integer() < 0 || by.integer() >= width(type)) {
      refuse(fmt::format("a shift of a value of {} bits by {}; 0 to {} is possible", width(type),
                         by.integer(), width(type) - 1),
             where);
    }
  }
  bool divides = !isFloat(type) && (op == Binary::FloorDiv || op == Binary::Mod);
  if (divides && y.isConstant() && y.integer() == 0) refuse("integer division by zero", where);
  if (x.isConstant() && y.isConstant()) {
    return isFloat(type) ? foldFloat(op, type, x.floating(), y.floating())
                         : foldInteger(op, type, x.integer(), y.integer());
  }
  Trace& trace = Trace::at(where);
  mlir::Value left = trace.use(x, where);
  mlir::Value right = trace.use(y, where);
  return {type, trace.wrap(emitBinary(trace, op, type, left, right))};
}

Boolean compare(Compare op, const Arg& a, const Arg& b) {
  Where where = whereOf(a);
  DType type = a.type() == DType::Boolean && b.type() == DType::Boolean
                   ? DType::Boolean
                   : orRefuse(promote(a.type(), b.type()), where);
  Numeric x = a.to(type);
  Numeric y = b.to(type);
  if (x.isConstant() && y.isConstant()) {
    bool result = isFloat(type)    ? holds(op, x.floating(), y.floating())
                  : isSigned(type) ? holds(op, x.integer(), y.integer())
                                   : holds(op, static_cast<std::uint64_t>(x.integer()),
                                           static_cast<std::uint64_t>(y.integer()));
    return Numeric::constant(DType::Boolean, std::int64_t{result});
  }
  Trace& trace = Trace::at(where);
  mlir::Value left = trace.use(x, where);
  mlir::Value right = trace.use(y, where);
  return Numeric(DType::Boolean, trace.wrap(emitCompare(trace, op, type, left, right)));
}

Arg asBoolean(const Arg& a) { return {a.to(DType::Boolean), a.where()}; }

}  // namespace

Numeric Numeric::constant(DType type, std::int64_t value) {
  Numeric n(type, Value());
  if (isFloat(type)) {
    n.floating_ = roundTo(type, value, /*isSigned=*/true);
  } else {
    n.integer_ = wrapTo(type, value);
  }
  return n;
}

Numeric Numeric::constant(DType type, double value) {
  Numeric n(type, Value());
  if (isFloat(type)) {
    n.floating_ = roundTo(type, value);
  } else if (type == DType::Boolean) {
    n.integer_ = value != 0 ? 1 : 0;
  } else {
    n.integer_ = truncate(type, value, DType::Float64);
  }
  return n;
}

std::int64_t Numeric::integer() const {
  return isFloat(type_) ? truncate(DType::Int64, floating_, type_) : integer_;
}

double Numeric::floating() const {
  if (isFloat(type_)) return floating_;
  return isSigned(type_) ? static_cast<double>(integer_)
                         : static_cast<double>(static_cast<std::uint64_t>(integer_));
}

Numeric Numeric::to(DType type, Where where) const {
  if (type == type_) return *this;
  if (isConstant()) {
    if (!isFloat(type_) && !isFloat(type)) return constant(type, integer_);
    if (type == DType::TFloat32) {
      // What an f32 has more is cut off, to the nearest, ties away, as at run time.
      Numeric made(type, Value());
      made.floating_ = roundTo(llvm::APFloat::FloatTF32(), to(DType::Float32, where).floating_,
                               llvm::APFloat::rmNearestTiesToAway);
      return made;
    }
    if (isFloat(type_) && !isInteger(type)) return constant(type, floating_);
    Numeric made(type, Value());
    if (isFloat(type)) {
      made.floating_ = roundTo(type, integer_, isSigned(type_));
    } else {
      made.integer_ = truncate(type, floating_, type_);
    }
    return made;
  }
  Trace& trace = Trace::at(where);
  return {type, trace.wrap(emitCast(trace, trace.use(value_, where), type_, type))};
}

Numeric Numeric::to(DType type, Rounding rounding, bool saturate, Where where) const {
  Trace& trace = Trace::at(where);
  mlir::Value value = trace.use(*this, where);
  return {type, trace.wrap(emitConvert(trace, value, type_, type, rounding, saturate, where))};
}

Numeric Numeric::bitcast(DType type, Where where) const {
  if (storageBits(type) != storageBits(type_) || width(type) != width(type_)) {
    refuse(fmt::format("bitcast: {} has {} bits and {} has {}", name(type_), width(type_),
                       name(type), width(type)),
           where);
  }
  Trace& trace = Trace::at(where);
  mlir::Value value = trace.use(*this, where);
  mlir::Type to = trace.typeOf(type);
  if (value.getType() != to) {
    value = mlir::arith::BitcastOp::create(trace.builder(), trace.here(), to, value);
  }
  return {type, trace.wrap(value)};
}

Int Numeric::toInt(Where where) const {
  if (isFloat(type_)) {
    refuse(fmt::format("{} cannot be an extent, a stride or a coordinate; those are integers",
                       name(type_)),
           where);
  }
  if (isConstant()) return {integer_};
  Trace& trace = Trace::current(where);
  DType as = width(type_) == 64 || type_ == DType::Uint32 ? DType::Int64 : DType::Int32;
  trace.locate(where);
  return trace.evaluator().wrap(trace.use(to(as, where), where), 1);
}

// Not in braces: those would make a tuple of one.
Numeric::operator IntTuple() const {
  return IntTuple(toInt(lastPlace()));  // a conversion has no place of its own
}

std::string Numeric::text() const {
  if (!isConstant()) return fmt::format("{}(?)", name(type_));
  if (isFloat(type_)) return fmt::format("{}({})", name(type_), floating_);
  if (!isSigned(type_)) {
    return fmt::format("{}({})", name(type_), static_cast<std::uint64_t>(integer_));
  }
  return fmt::format("{}({})", name(type_), integer_);
}

Numeric Arg::literal(std::int64_t value, bool boolean, bool isUnsigned) {
  if (boolean) return Numeric::constant(DType::Boolean, value);
  if (isUnsigned && value < 0) return Numeric::constant(DType::Uint64, value);
  bool fits = value >= std::numeric_limits<std::int32_t>::min() &&
              value <= std::numeric_limits<std::int32_t>::max();
  return Numeric::constant(fits ? DType::Int32 : DType::Int64, value);
}

namespace {
Numeric numericOf(Int value, Where where) {
  if (value.isInvalid()) refuse(describe(value.reason()), where);
  if (value.isStatic()) {
    return Numeric::constant(value.width() == Width::I64 ? DType::Int64 : DType::Int32,
                             value.value());
  }
  Trace& trace = Trace::current(where);
  return {value.width() == Width::I64 ? DType::Int64 : DType::Int32,
          trace.wrap(trace.use(value, value.width(), where))};
}
Numeric numericOf(IntTupleView leaf, Where where) {
  if (!leaf.isInt()) {
    refuse(fmt::format("an integer was expected, not {}", leaf.text()), where);
  }
  return numericOf(leaf.value(), where);
}
Numeric equalityOf(const IntEquality& condition, Where where) {
  if (equal(condition.a(), condition.b()) != Truth::Unknown) {
    return Numeric::constant(DType::Boolean, std::int64_t{static_cast<bool>(condition)});
  }
  Arg a(condition.a(), where);
  Arg b(condition.b(), where);
  return condition.negated() ? a != b : a == b;
}
}  // namespace

Arg::Arg(Int value, Where where) : value_(numericOf(value, where)), where_(where) {}
Arg::Arg(const IntEquality& condition, Where where)
    : value_(equalityOf(condition, where)), where_(where) {}
Arg::Arg(IntTupleView leaf, Where where) : value_(numericOf(leaf, where)), where_(where) {}
Arg::Arg(const IntTuple& leaf, Where where) : Arg(leaf.view(), where) {}

Numeric Arg::to(DType type) const {
  bool exact = weak_ && value_.type() == DType::Float32 && type != DType::TFloat32 &&
               !std::isnan(exact_);  // of which an f32 makes another integer than an f64
  if (exact) return Numeric::constant(type, exact_);
  return value_.to(type, where_);
}

namespace {
// A negative number is a pattern of bits for an unsigned type.
bool holdsInteger(DType type, const Numeric& literal) {
  std::int64_t value = literal.integer();
  if (literal.type() == DType::Uint64) return type == DType::Uint64;
  if (width(type) == 64) return true;
  std::int64_t half = std::int64_t{1} << (width(type) - 1);
  return value >= -half && value < (isSigned(type) ? half : 2 * half);
}
}  // namespace

Numeric Arg::fit(DType type) const {
  Numeric made = to(type);
  if (!weak_ || type == DType::Boolean || value_.type() == DType::Boolean) return made;
  bool written = isFloat(value_.type());
  bool fits = isFloat(type) ? std::isfinite(made.floating()) || (written && !std::isfinite(exact_))
              : written     ? made.to(DType::Float64).floating() == exact_
                            : holdsInteger(type, value_);
  if (fits) return made;
  std::string text = written ? fmt::format("{}", exact_)
                     : value_.type() == DType::Uint64
                         ? fmt::format("{}", static_cast<std::uint64_t>(value_.integer()))
                         : fmt::format("{}", value_.integer());
  refuse(fmt::format("{} is no {}; if another number is meant, convert it: {}({})", text,
                     name(type), name(type), text),
         where_);
}

Numeric operator+(const Arg& a, const Arg& b) { return binary(Binary::Add, a, b); }
Numeric operator-(const Arg& a, const Arg& b) { return binary(Binary::Sub, a, b); }
Numeric operator*(const Arg& a, const Arg& b) { return binary(Binary::Mul, a, b); }
Numeric operator/(const Arg& a, const Arg& b) { return binary(Binary::FloorDiv, a, b); }
Numeric operator%(const Arg& a, const Arg& b) { return binary(Binary::Mod, a, b); }
Numeric operator&(const Arg& a, const Arg& b) { return binary(Binary::And, a, b); }
Numeric operator|(const Arg& a, const Arg& b) { return binary(Binary::Or, a, b); }
Numeric operator^(const Arg& a, const Arg& b) { return binary(Binary::Xor, a, b); }
Numeric operator<<(const Arg& a, const Arg& b) { return binary(Binary::Shl, a, b); }
Numeric operator>>(const Arg& a, const Arg& b) { return binary(Binary::Shr, a, b); }
Numeric true_div(const Arg& a, const Arg& b) { return binary(Binary::TrueDiv, a, b); }
Numeric min(const Arg& a, const Arg& b) { return binary(Binary::Min, a, b); }
Numeric max(const Arg& a, const Arg& b) { return binary(Binary::Max, a, b); }
Numeric pow(const Arg& base, const Arg& exponent) { return binary(Binary::Pow, base, exponent); }
Numeric atan2(const Arg& y, const Arg& x) { return binary(Binary::Atan2, y, x); }
Numeric operator~(const Arg& a) {
  bool boolean = a.type() == DType::Boolean;
  return binary(Binary::Xor, a,
                Arg(Numeric::constant(a.type(), std::int64_t{boolean ? 1 : -1}), a.where()));
}
Numeric operator-(const Arg& a) {
  DType type = a.type() == DType::Boolean ? DType::Int32 : a.type();
  if (!isFloat(type)) {
    return binary(Binary::Sub, Arg(Numeric::constant(type, std::int64_t{0}), a.where()), a);
  }
  if (a.value().isConstant()) return Numeric::constant(type, -a.value().floating());
  orRefuse(promote(type, type), a.where());
  Trace& trace = Trace::at(a.where());
  mlir::Value value = trace.use(a.value(), a.where());
  return {type, trace.wrap(mlir::arith::NegFOp::create(trace.builder(), trace.here(), value))};
}

Boolean operator<(const Arg& a, const Arg& b) { return compare(Compare::Less, a, b); }
Boolean operator<=(const Arg& a, const Arg& b) { return compare(Compare::LessEqual, a, b); }
Boolean operator>(const Arg& a, const Arg& b) { return compare(Compare::Greater, a, b); }
Boolean operator>=(const Arg& a, const Arg& b) { return compare(Compare::GreaterEqual, a, b); }
Boolean operator==(const Arg& a, const Arg& b) { return compare(Compare::Equal, a, b); }
Boolean operator!=(const Arg& a, const Arg& b) { return compare(Compare::NotEqual, a, b); }
Boolean operator&&(const Arg& a, const Arg& b) {
  return binary(Binary::And, asBoolean(a), asBoolean(b));
}
Boolean operator||(const Arg& a, const Arg& b) {
  return binary(Binary::Or, asBoolean(a), asBoolean(b));
}
Boolean operator!(const Arg& a) { return binary(Binary::Xor, asBoolean(a), Arg(true, a.where())); }

// Written where the operation before it was, as near as is known.
namespace {
Arg here(const Numeric& a) { return {a, lastPlace()}; }
Arg here(bool a) { return {a, lastPlace()}; }
}  // namespace
Boolean operator&&(const Numeric& a, const Numeric& b) { return here(a) && here(b); }
Boolean operator&&(const Numeric& a, bool b) { return here(a) && here(b); }
Boolean operator&&(bool a, const Numeric& b) { return here(a) && here(b); }
Boolean operator||(const Numeric& a, const Numeric& b) { return here(a) || here(b); }
Boolean operator||(const Numeric& a, bool b) { return here(a) || here(b); }
Boolean operator||(bool a, const Numeric& b) { return here(a) || here(b); }
Boolean operator!(const Numeric& a) { return !here(a); }

Numeric select(const Arg& condition, const Arg& a, const Arg& b) {
  Where where = condition.where();
  DType type = a.isWeak() && !b.isWeak()   ? b.type()
               : b.isWeak() && !a.isWeak() ? a.type()
               : a.type() == b.type()      ? a.type()
                                           : orRefuse(promote(a.type(), b.type()), where);
  Numeric x = a.fit(type);
  Numeric y = b.fit(type);
  Numeric chosen = condition.to(DType::Boolean);
  if (chosen.isConstant()) return chosen.integer() != 0 ? x : y;
  Trace& trace = Trace::at(where);
  mlir::Value c = trace.use(chosen, where);
  mlir::Value left = trace.use(x, where);
  mlir::Value right = trace.use(y, where);
  return {type,
          trace.wrap(mlir::arith::SelectOp::create(trace.builder(), trace.here(), c, left, right))};
}

}  // namespace cutwork::cute

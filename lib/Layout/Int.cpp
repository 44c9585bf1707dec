// Int.cpp -- arithmetic on static and dynamic integers: folding, widths, divisors.
#include "cutwork/Layout/Int.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "cutwork/Layout/Evaluator.h"

namespace cutwork::cute {

namespace {

std::int64_t magnitude(std::int64_t v) {
  if (v == std::numeric_limits<std::int64_t>::min())
    return std::numeric_limits<std::int64_t>::max();
  return v < 0 ? -v : v;
}

bool fits32(std::int64_t v) { return v == static_cast<std::int32_t>(v); }

// gcd where 0 stands for "divisible by everything"; never 0 for the divisor of a dynamic result.
std::int64_t commonDivisor(std::int64_t a, std::int64_t b) {
  std::int64_t g = std::gcd(a, b);
  return g == 0 ? 1 : g;
}

std::int64_t productDivisor(std::int64_t a, std::int64_t b) {
  std::int64_t p = 0;
  if (__builtin_mul_overflow(a, b, &p)) return std::max(a, b);  // still divides the product
  return std::max<std::int64_t>(p, 1);
}

std::int64_t resultDivisor(IntOp op, Int a, Int b) {
  std::int64_t da = a.divisor();
  std::int64_t db = b.divisor();
  switch (op) {
    case IntOp::Add:
    case IntOp::Sub:
    case IntOp::Min:
    case IntOp::Max:
    case IntOp::FloorMod: return commonDivisor(da, db);
    case IntOp::Mul: return productDivisor(da, db);
    case IntOp::FloorDiv:
    case IntOp::CeilDiv:
      if (b.isStatic() && b.value() != 0 && da % b.value() == 0)
        return std::max<std::int64_t>(da / db, 1);
      return 1;
    case IntOp::Shr: {
      bool exact = b.isStatic() && b.value() >= 0 && b.value() < 62 &&
                   da % (std::int64_t{1} << b.value()) == 0;
      return exact ? std::max<std::int64_t>(da >> b.value(), 1) : 1;
    }
    case IntOp::Convert: return std::max<std::int64_t>(da, 1);
    case IntOp::Shl: {
      if (b.isStatic() && b.value() >= 0 && b.value() < 62) {
        return productDivisor(da, std::int64_t{1} << b.value());
      }
      return std::max<std::int64_t>(da, 1);
    }
    default: return 1;
  }
}

Int apply(IntOp op, Int a, Int b) {
  if (a.isInvalid()) return a;
  if (b.isInvalid()) return b;
  if (a.isStatic() && b.isStatic()) return evaluate(op, a.value(), b.value());
  bool division = op == IntOp::FloorDiv || op == IntOp::FloorMod || op == IntOp::CeilDiv;
  if (division && b.is(0)) return Int::invalid(Invalid::DivisionByZero);
  Evaluator* evaluator = (a.isDynamic() ? a : b).dynamic().evaluator;
  if (a.isDynamic() && b.isDynamic() && b.dynamic().evaluator != evaluator) {
    return Int::invalid(Invalid::TwoEvaluators);
  }
  Width width = std::max(a.width(), b.width());
  return evaluator->apply(op, a, b, width, resultDivisor(op, a, b));
}

}  // namespace

const char* describe(Invalid reason) {
  switch (reason) {
    case Invalid::Overflow: return "a value does not fit in 64 bits";
    case Invalid::DivisionByZero: return "division by zero";
    case Invalid::TwoEvaluators: return "dynamic integers of two evaluators are mixed";
  }
  return "no value";
}

Int Int::invalid(Invalid reason) {
  Int i(static_cast<std::int64_t>(reason));
  i.kind_ = Kind::Invalid;
  return i;
}

std::int64_t Int::divisor() const {
  if (isDynamic()) return dynamic_->divisor;
  return isStatic() ? magnitude(value_) : 1;
}

Width Int::width() const {
  if (isDynamic()) return dynamic_->width;
  return fits32(value_) ? Width::I32 : Width::I64;
}

std::string Int::text() const {
  if (isStatic()) return std::to_string(value_);
  if (isInvalid()) return "!";
  bool wide = dynamic_->width == Width::I64;
  if (!wide && dynamic_->divisor == 1) return "?";
  std::string text = wide ? "?{i64" : "?{";
  if (dynamic_->divisor != 1) {
    if (wide) text += ' ';
    text += "div=" + std::to_string(dynamic_->divisor);
  }
  return text + "}";
}

bool same(const Int& a, const Int& b) {
  if (a.kind() != b.kind()) return false;
  if (a.isStatic()) return a.value() == b.value();
  if (a.isInvalid()) return a.reason() == b.reason();
  const DynamicInt& x = a.dynamic();
  const DynamicInt& y = b.dynamic();
  return x.evaluator == y.evaluator && x.handle == y.handle && x.width == y.width;
}

IntEquality::operator bool() const {
  Truth known = equal(a_, b_);
  if (known == Truth::Unknown) {
    userError("whether " + a_.text() + " and " + b_.text() +
              " are equal is not known while tracing: use if_, return_if or select for what "
              "depends on it")
        .raise();
  }
  return (known == Truth::Yes) != negated_;
}

Int operator+(Int a, Int b) {
  if (a.isStatic() && b.isStatic()) return evaluate(IntOp::Add, a.value(), b.value());
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return apply(IntOp::Add, a, b);
}

Int operator-(Int a, Int b) {
  if (b.is(0)) return a;
  if (a.isDynamic() && same(a, b)) return 0;
  return apply(IntOp::Sub, a, b);
}

Int operator*(Int a, Int b) {
  if (a.isStatic() && b.isStatic()) return evaluate(IntOp::Mul, a.value(), b.value());
  if (a.isInvalid() || b.is(1)) return a;
  if (b.isInvalid() || a.is(1)) return b;
  if (a.is(0) || b.is(0)) return 0;
  return apply(IntOp::Mul, a, b);
}

Int floorDiv(Int a, Int b) {
  if (b.is(1) || a.isInvalid()) return a;
  if (b.isDynamic() && same(a, b)) return 1;
  if (a.is(0) && b.isDynamic()) return 0;
  return apply(IntOp::FloorDiv, a, b);
}

Int floorMod(Int a, Int b) {
  if (a.isInvalid()) return a;
  if (b.is(1)) return 0;
  if (b.isDynamic() && (same(a, b) || a.is(0))) return 0;
  if (a.isDynamic() && b.isStatic() && b.value() != 0 && a.divisor() % b.value() == 0) return 0;
  return apply(IntOp::FloorMod, a, b);
}

Int ceilDiv(Int a, Int b) {
  if (b.is(1) || a.isInvalid()) return a;
  if (b.isDynamic() && same(a, b)) return 1;
  if (a.is(0) && b.isDynamic()) return 0;
  if (a.isDynamic() && b.isStatic() && b.value() != 0 && a.divisor() % b.value() == 0) {
    return apply(IntOp::FloorDiv, a, b);  // exact: the cheaper of the two
  }
  return apply(IntOp::CeilDiv, a, b);
}

Int min(Int a, Int b) { return same(a, b) ? a : apply(IntOp::Min, a, b); }
Int max(Int a, Int b) { return same(a, b) ? a : apply(IntOp::Max, a, b); }

Int abs(Int a) {
  if (a.isInvalid()) return a;
  if (a.isStatic() && a.value() >= 0) return a;
  return max(a, -a);
}

Int bitAnd(Int a, Int b) {
  if (a.is(0) || b.is(0)) return 0;
  return apply(IntOp::And, a, b);
}
Int bitXor(Int a, Int b) {
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return apply(IntOp::Xor, a, b);
}
Int shift(Int a, int bits) {
  if (bits == 0 || a.is(0)) return a;
  return bits > 0 ? apply(IntOp::Shl, a, bits) : apply(IntOp::Shr, a, -bits);
}
Int shiftLeft(Int a, Int bits) { return bits.is(0) ? a : apply(IntOp::Shl, a, bits); }

Int isEqual(Int a, Int b) {
  Truth known = equal(a, b);
  return known == Truth::Unknown ? apply(IntOp::Equal, a, b) : Int(known == Truth::Yes ? 1 : 0);
}
Int isLess(Int a, Int b) { return a.isDynamic() && same(a, b) ? Int(0) : apply(IntOp::Less, a, b); }
Int both(Int a, Int b) {
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  return bitAnd(a, b);
}
Int either(Int a, Int b) {
  if (a.is(1) || b.is(1)) return 1;
  if (a.is(0)) return b;
  return b.is(0) ? a : max(a, b);
}

Int widen(Int a) {
  if (!a.isDynamic() || a.width() == Width::I64) return a;
  return a.dynamic().evaluator->apply(IntOp::Convert, a, 0, Width::I64, a.divisor());
}

Int assumeDivisible(Int a, std::int64_t divisor) {
  if (!a.isDynamic() || divisor <= 1) return a;
  std::int64_t together = a.divisor() / std::gcd(a.divisor(), divisor);
  if (__builtin_mul_overflow(together, divisor, &together)) return Int::invalid(Invalid::Overflow);
  return together == a.divisor()
             ? a
             : a.dynamic().evaluator->apply(IntOp::Convert, a, 0, a.width(), together);
}

Truth equal(Int a, Int b) {
  if (a.isInvalid() || b.isInvalid()) return Truth::Unknown;
  if (a.isStatic() && b.isStatic()) return a.value() == b.value() ? Truth::Yes : Truth::No;
  if (same(a, b)) return Truth::Yes;
  // A static value that the other's divisor does not divide can not be taken.
  if (a.isStatic() && a.value() % b.divisor() != 0) return Truth::No;
  if (b.isStatic() && b.value() % a.divisor() != 0) return Truth::No;
  return Truth::Unknown;
}

Truth divides(Int b, Int a) {
  if (a.isInvalid() || b.isInvalid()) return Truth::Unknown;
  if (a.is(0) || b.is(1) || b.is(-1) || same(a, b)) return Truth::Yes;
  if (a.isStatic() && b.isStatic()) {
    return b.value() != 0 && a.value() % b.value() == 0 ? Truth::Yes : Truth::No;
  }
  if (b.isStatic() && b.value() != 0 && a.divisor() % b.value() == 0) return Truth::Yes;
  // Every multiple of b's divisor divides only multiples of that divisor.
  if (a.isStatic() && a.value() % b.divisor() != 0) return Truth::No;
  return Truth::Unknown;
}

Truth lessEqualPositive(Int a, Int b) {
  if (a.isInvalid() || b.isInvalid()) return Truth::Unknown;
  if (same(a, b)) return Truth::Yes;
  if (a.isStatic() && b.isStatic()) return a.value() <= b.value() ? Truth::Yes : Truth::No;
  if (a.isStatic()) return a.value() <= b.divisor() ? Truth::Yes : Truth::Unknown;
  if (b.isStatic()) return a.divisor() > b.value() ? Truth::No : Truth::Unknown;
  return Truth::Unknown;
}

}  // namespace cutwork::cute

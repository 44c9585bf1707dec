// Evaluator.cpp -- evaluation of one operation, and the evaluator that computes on the host.
#include "cutwork/Layout/Evaluator.h"

#include <algorithm>
#include <limits>

namespace cutwork::cute {

namespace {

using Limits = std::numeric_limits<std::int64_t>;

Int quotient(IntOp op, std::int64_t a, std::int64_t b) {
  if (b == 0) return Int::invalid(Invalid::DivisionByZero);
  if (a == Limits::min() && b == -1) {
    return op == IntOp::FloorMod ? Int(0) : Int::invalid(Invalid::Overflow);
  }
  std::int64_t q = a / b;
  std::int64_t r = a % b;
  bool exact = r == 0;
  bool negative = (a < 0) != (b < 0);
  if (op == IntOp::FloorMod) return exact || !negative ? r : r + b;
  if (op == IntOp::CeilDiv) return exact || negative ? q : q + 1;
  return exact || !negative ? q : q - 1;
}

Int shiftLeft(std::int64_t a, std::int64_t bits) {
  if (bits < 0 || bits > 62) return a == 0 ? Int(0) : Int::invalid(Invalid::Overflow);
  std::int64_t r = 0;
  if (__builtin_mul_overflow(a, std::int64_t{1} << bits, &r))
    return Int::invalid(Invalid::Overflow);
  return r;
}

}  // namespace

Evaluator::~Evaluator() = default;

bool Evaluator::assume(Int /*condition*/, std::string_view /*rule*/) { return true; }

Int Evaluator::dynamic(std::uint64_t handle, Width width, std::int64_t divisor) {
  return Int(
      integers_.emplace_back(DynamicInt{this, handle, std::max<std::int64_t>(divisor, 1), width}));
}

const char* name(IntOp op) {
  switch (op) {
    case IntOp::Add: return "+";
    case IntOp::Sub: return "-";
    case IntOp::Mul: return "*";
    case IntOp::FloorDiv: return "/";
    case IntOp::FloorMod: return "%";
    case IntOp::CeilDiv: return "ceil_div";
    case IntOp::Min: return "min";
    case IntOp::Max: return "max";
    case IntOp::And: return "&";
    case IntOp::Xor: return "^";
    case IntOp::Shl: return "<<";
    case IntOp::Shr: return ">>";
    case IntOp::Equal: return "==";
    case IntOp::Less: return "<";
    case IntOp::Convert: return "convert";
  }
  return "?";
}

Int evaluate(IntOp op, std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  switch (op) {
    case IntOp::Add:
      return __builtin_add_overflow(a, b, &r) ? Int::invalid(Invalid::Overflow) : Int(r);
    case IntOp::Sub:
      return __builtin_sub_overflow(a, b, &r) ? Int::invalid(Invalid::Overflow) : Int(r);
    case IntOp::Mul:
      return __builtin_mul_overflow(a, b, &r) ? Int::invalid(Invalid::Overflow) : Int(r);
    case IntOp::FloorDiv:
    case IntOp::FloorMod:
    case IntOp::CeilDiv: return quotient(op, a, b);
    case IntOp::Min: return std::min(a, b);
    case IntOp::Max: return std::max(a, b);
    case IntOp::And: return a & b;
    case IntOp::Xor: return a ^ b;
    case IntOp::Shl: return shiftLeft(a, b);
    case IntOp::Shr: return b < 0 || b > 63 ? Int(a < 0 ? -1 : 0) : Int(a >> b);
    case IntOp::Equal: return a == b ? 1 : 0;
    case IntOp::Less: return a < b ? 1 : 0;
    case IntOp::Convert: return a;
  }
  return 0;
}

Int fit(Int value, Width width) {
  if (value.isStatic() && width == Width::I32 && value.width() == Width::I64) {
    return Int::invalid(Invalid::Overflow);
  }
  return value;
}

Int HostEvaluator::make(std::int64_t value, Width width, std::int64_t divisor) {
  if (fit(value, width).isInvalid()) return Int::invalid(Invalid::Overflow);
  values_.push_back(value);
  return dynamic(values_.size() - 1, width, divisor);
}

std::int64_t HostEvaluator::valueOf(Int a) {
  if (!a.isDynamic()) return a.value();
  return static_cast<const HostEvaluator*>(a.dynamic().evaluator)->values_[a.dynamic().handle];
}

Int HostEvaluator::apply(IntOp op, Int a, Int b, Width width, std::int64_t divisor) {
  Int r = fit(evaluate(op, valueOf(a), valueOf(b)), width);
  return r.isInvalid() ? r : make(r.value(), width, divisor);
}

bool HostEvaluator::assume(Int condition, std::string_view rule) {
  if (!condition.isInvalid() && valueOf(condition) != 0) return true;
  broken_ += rule;
  broken_ += '\n';
  return true;
}

}  // namespace cutwork::cute

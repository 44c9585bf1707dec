// cutwork/Layout/Int.h -- the leaf of the algebra: an integer that is known now, or only later.
//
// An Int is one of
//
//   static     a 64-bit value, known now; it prints as itself: 4
//   dynamic    a value that exists only at run time. The algebra sees an opaque handle with a width
//              (32 or 64 bits), a divisor that is known to divide the value, and an Evaluator that
//              does arithmetic on handles. It prints as ?, ?{div=4}, ?{i64}, ?{i64 div=4}
//   invalid    the answer of arithmetic that has none: 64-bit overflow, division by zero, operands
//              of two evaluators. It goes through further arithmetic unchanged, so that formulas
//              below can be written as formulas; every function that returns a tuple or a layout
//              looks for it once, at the end, and refuses.
//
// Arithmetic folds what is known: 0 * x = 0, 1 * x = x, x / 1 = x, and x mod m = 0 where the known
// divisor of x is a multiple of m. What is left is handed to the evaluator.
//
//   width      of a result: the wider of its dynamic operands'; 64 where a static operand needs it.
//   divisor    x + y: gcd; x * y: product; x / m: the quotient where it is exact, else 1;
//              x mod m: gcd(divisor of x, m).
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#pragma GCC visibility push(default)

namespace cutwork::cute {

class Evaluator;
class Int;

/// Bits of a dynamic integer.
enum class Width { I32 = 32, I64 = 64 };

/// What is known of a statement about Ints.
enum class Truth { No, Unknown, Yes };

/// A dynamic integer as its evaluator keeps it. Lives as long as the evaluator.
struct DynamicInt {
  Evaluator* evaluator;
  std::uint64_t handle;  ///< means something to the evaluator only
  std::int64_t divisor;  ///< divides the value; at least 1
  Width width;
};

/// Why arithmetic has no answer.
enum class Invalid { Overflow, DivisionByZero, TwoEvaluators };
const char* describe(Invalid reason);

class Int {
 public:
  enum class Kind { Static, Dynamic, Invalid };

  constexpr Int(std::int64_t value = 0) : value_(value) {}
  explicit Int(const DynamicInt& dynamic) : dynamic_(&dynamic), kind_(Kind::Dynamic) {}
  static Int invalid(Invalid reason);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool isStatic() const { return kind_ == Kind::Static; }
  [[nodiscard]] bool isDynamic() const { return kind_ == Kind::Dynamic; }
  [[nodiscard]] bool isInvalid() const { return kind_ == Kind::Invalid; }
  /// Static and equal to v.
  [[nodiscard]] bool is(std::int64_t v) const { return isStatic() && value_ == v; }

  /// Precondition: isStatic().
  [[nodiscard]] std::int64_t value() const { return value_; }
  /// Precondition: isDynamic().
  [[nodiscard]] const DynamicInt& dynamic() const { return *dynamic_; }
  /// Precondition: isInvalid().
  [[nodiscard]] Invalid reason() const { return static_cast<Invalid>(value_); }

  /// The largest number known to divide this: |value|, or the dynamic divisor. 0 for a static 0,
  /// which everything divides.
  [[nodiscard]] std::int64_t divisor() const;
  /// Bits needed: a dynamic's own width; 64 for a static value outside 32 bits.
  [[nodiscard]] Width width() const;
  /// `4`, `?`, `?{div=4}`, `?{i64 div=4}`; an invalid one prints as `!`.
  [[nodiscard]] std::string text() const;

  friend Int operator+(Int a, Int b);
  friend Int operator-(Int a, Int b);
  friend Int operator*(Int a, Int b);
  friend Int operator-(Int a) { return Int(0) - a; }

 private:
  union {
    std::int64_t value_;
    const DynamicInt* dynamic_;
  };
  Kind kind_ = Kind::Static;
};

/// `a == b` or `a != b`: known now, or a condition of the kernel that is traced (if_, select).
class IntEquality {
 public:
  IntEquality(Int a, Int b, bool negated) : a_(a), b_(b), negated_(negated) {}
  /// Throws a user's error where it depends on run-time values.
  operator bool() const;
  [[nodiscard]] Int a() const { return a_; }
  [[nodiscard]] Int b() const { return b_; }
  [[nodiscard]] bool negated() const { return negated_; }

 private:
  Int a_;
  Int b_;
  bool negated_;
};
inline IntEquality operator==(const Int& a, const Int& b) { return {a, b, false}; }
inline IntEquality operator!=(const Int& a, const Int& b) { return {a, b, true}; }
/// The same static value, or the same handle of the same evaluator. Two handles that happen to hold
/// equal values are not the same.
bool same(const Int& a, const Int& b);

Int operator+(Int a, Int b);
Int operator-(Int a, Int b);
Int operator*(Int a, Int b);

/// floor(a / b). Invalid for b = 0.
Int floorDiv(Int a, Int b);
/// a - b * floor(a / b), the sign of b. Invalid for b = 0.
Int floorMod(Int a, Int b);
/// ceil(a / b). Invalid for b = 0.
Int ceilDiv(Int a, Int b);
Int min(Int a, Int b);
Int max(Int a, Int b);
/// |a|; a dynamic one is max(a, -a).
Int abs(Int a);
/// Bitwise operations on the two's complement, for swizzles.
Int bitAnd(Int a, Int b);
Int bitXor(Int a, Int b);
/// a * 2^bits; a shift to the right (arithmetic) for negative bits. |bits| < 64.
Int shift(Int a, int bits);
/// a * 2^bits for bits >= 0.
Int shiftLeft(Int a, Int bits);
/// 1 where the comparison holds, else 0.
Int isEqual(Int a, Int b);
Int isLess(Int a, Int b);
/// Logical and, or of conditions that are 0 or 1.
Int both(Int a, Int b);
Int either(Int a, Int b);
/// The same value as 64 bits; static values are left alone.
Int widen(Int a);
/// The same value with one more known divisor (lcm of both). Invalid only by overflow.
Int assumeDivisible(Int a, std::int64_t divisor);

/// Whether a = b for every value that the dynamic operands may take.
Truth equal(Int a, Int b);
/// Whether b divides a. b = 0 divides only 0.
Truth divides(Int b, Int a);
/// Whether a <= b, where dynamic operands are known to be positive (extents): a positive multiple
/// of d is at least d.
Truth lessEqualPositive(Int a, Int b);

}  // namespace cutwork::cute

#pragma GCC visibility pop

// cutwork/DSL/Numeric.h -- scalars of a kernel: constants that fold while tracing, and run-time
// values.
//
//     Int32 i = arch::thread_idx().x;
//     Int32 j = i * 4 + 1;                    // emits; the literals are constants
//     Boolean inside = j < n && i >= 0;       // && and || evaluate both sides
//     Float32 y = cute::select(inside, x, 0);
//
// A traced value has no value while the program is traced: it does not convert to bool, and it
// cannot be assigned to (mutable variables of the kernel are Var<T>, Control.h). Between integers
// `/` is floor division and `%` has the sign of the divisor, as in Python; true_div gives the
// Float32 quotient. Types combine as promote() says; literals are Int32 (Int64 or Uint64 if
// they need it), Float32 or Boolean.
#pragma once

#include <concepts>
#include <type_traits>

#include "cutwork/DSL/Types.h"
#include "cutwork/DSL/Value.h"
#include "cutwork/Layout/IntTuple.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

class Element;
class VarBase;

class Numeric {
 public:
  /// A constant: integers wrap to the type's width, floats round to its precision, or to an
  /// integer type as to() does.
  static Numeric constant(DType type, std::int64_t value);
  static Numeric constant(DType type, double value);
  Numeric(DType type, Value value) : type_(type), value_(value) {}
  Numeric(const Numeric&) = default;
  Numeric& operator=(const Numeric&) = delete;  ///< use Var<T>
  ~Numeric() = default;

  [[nodiscard]] DType type() const { return type_; }
  [[nodiscard]] bool isConstant() const { return !value_; }
  /// Of a constant, as an integer or a float; converted if it is the other.
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] double floating() const;
  /// Precondition: not a constant.
  [[nodiscard]] Value value() const { return value_; }

  /// The value in another type. Float to integer truncates and stays within the type's range,
  /// narrowing integers wrap, to Boolean is != 0, to a float rounds to nearest even.
  [[nodiscard]] Numeric to(DType type, Where where = Where::current()) const;
  /// The same with a rounding that is named. `saturate`: what is beyond the type's largest finite
  /// number, or its range, becomes that number. docs/math.md has every conversion.
  [[nodiscard]] Numeric to(DType type, Rounding rounding, bool saturate = false,
                           Where where = Where::current()) const;
  /// The same bits as another type of the same width. Error (User): of another width.
  [[nodiscard]] Numeric bitcast(DType type, Where where = Where::current()) const;
  /// For shapes, strides and coordinates: static if constant. Error (User): not an integer.
  operator IntTuple() const;
  [[nodiscard]] Int toInt(Where where = Where::current()) const;
  /// `Int32(?)`, `Float32(0.5)`.
  [[nodiscard]] std::string text() const;

  template <class B>
    requires std::same_as<B, bool>
  explicit operator B() const {
    static_assert(!std::is_same_v<B, bool>,
                  "a traced value has no value while tracing: use if_(condition, [&] {...}), "
                  "while_, return_if or select");
    return false;
  }

 private:
  DType type_;
  Value value_;
  union {
    std::int64_t integer_ = 0;
    double floating_;
  };
};

/// An operand: a traced scalar, a C++ number, an Int of a layout, an element of a tensor or a
/// variable, with the place where it was written.
class Arg {
 public:
  Arg(const Numeric& value, Where where = Where::current()) : value_(value), where_(where) {}
  template <std::integral T>
  Arg(T value, Where where = Where::current())
      : value_(literal(static_cast<std::int64_t>(value), std::is_same_v<T, bool>,
                       std::is_unsigned_v<T>)),
        where_(where),
        weak_(true) {}
  template <std::floating_point T>
  Arg(T value, Where where = Where::current())
      : value_(Numeric::constant(DType::Float32, static_cast<double>(value))),
        where_(where),
        exact_(static_cast<double>(value)),
        weak_(true) {}
  Arg(Int value, Where where = Where::current());
  Arg(const IntEquality& condition, Where where = Where::current());
  Arg(IntTupleView leaf, Where where = Where::current());
  Arg(const IntTuple& leaf, Where where = Where::current());
  Arg(const Element& element, Where where = Where::current());
  Arg(const VarBase& variable, Where where = Where::current());

  [[nodiscard]] const Numeric& value() const { return value_; }
  [[nodiscard]] DType type() const { return value_.type(); }
  [[nodiscard]] Where where() const { return where_; }
  /// A C++ literal, which takes the type of what it meets in select, where, fill and stores.
  [[nodiscard]] bool isWeak() const { return weak_; }
  /// The operand in `type`: a literal as if it had been written in that type. fit refuses (User) a
  /// literal that the type cannot hold.
  [[nodiscard]] Numeric to(DType type) const;
  [[nodiscard]] Numeric fit(DType type) const;

 private:
  static Numeric literal(std::int64_t value, bool boolean, bool isUnsigned);
  Numeric value_;
  Where where_;
  double exact_ = 0;
  bool weak_ = false;
};

template <class T>
concept Operand = std::convertible_to<T, Arg>;

/// A scalar of a type that the C++ type says.
template <DType D>
class Scalar : public Numeric {
 public:
  static constexpr DType kType = D;
  Scalar(const Arg& value) : Numeric(value.to(D)) {}
  template <Operand T>
  Scalar(const T& value, Where where = Where::current()) : Numeric(Arg(value, where).to(D)) {}
  Scalar(const Scalar&) = default;
};

using Boolean = Scalar<DType::Boolean>;
using Int8 = Scalar<DType::Int8>;
using Int16 = Scalar<DType::Int16>;
using Int32 = Scalar<DType::Int32>;
using Int64 = Scalar<DType::Int64>;
using Uint8 = Scalar<DType::Uint8>;
using Uint16 = Scalar<DType::Uint16>;
using Uint32 = Scalar<DType::Uint32>;
using Uint64 = Scalar<DType::Uint64>;
using Float16 = Scalar<DType::Float16>;
using BFloat16 = Scalar<DType::BFloat16>;
using Float32 = Scalar<DType::Float32>;
using TFloat32 = Scalar<DType::TFloat32>;
using Float64 = Scalar<DType::Float64>;
using Float8E4M3FN = Scalar<DType::Float8E4M3FN>;
using Float8E5M2 = Scalar<DType::Float8E5M2>;

Numeric operator+(const Arg& a, const Arg& b);
Numeric operator-(const Arg& a, const Arg& b);
Numeric operator*(const Arg& a, const Arg& b);
/// Between integers floor(a / b); else the quotient.
Numeric operator/(const Arg& a, const Arg& b);
/// Between integers a - b * floor(a / b); between floats C's fmod.
Numeric operator%(const Arg& a, const Arg& b);
Numeric operator&(const Arg& a, const Arg& b);
Numeric operator|(const Arg& a, const Arg& b);
Numeric operator^(const Arg& a, const Arg& b);
Numeric operator<<(const Arg& a, const Arg& b);
/// Arithmetic for signed, logical for unsigned.
Numeric operator>>(const Arg& a, const Arg& b);
Numeric operator-(const Arg& a);
Numeric operator~(const Arg& a);

/// Ordered comparisons: false where an operand is NaN; != is true there.
Boolean operator<(const Arg& a, const Arg& b);
Boolean operator<=(const Arg& a, const Arg& b);
Boolean operator>(const Arg& a, const Arg& b);
Boolean operator>=(const Arg& a, const Arg& b);
Boolean operator==(const Arg& a, const Arg& b);
Boolean operator!=(const Arg& a, const Arg& b);
/// Both sides are evaluated; numbers count as != 0.
Boolean operator&&(const Arg& a, const Arg& b);
Boolean operator||(const Arg& a, const Arg& b);
Boolean operator!(const Arg& a);
Boolean operator&&(const Numeric& a, const Numeric& b);
Boolean operator&&(const Numeric& a, bool b);
Boolean operator&&(bool a, const Numeric& b);
Boolean operator||(const Numeric& a, const Numeric& b);
Boolean operator||(const Numeric& a, bool b);
Boolean operator||(bool a, const Numeric& b);
Boolean operator!(const Numeric& a);

Numeric true_div(const Arg& a, const Arg& b);  ///< a float: Float32 for integers
/// NaN if either operand is; the promoted type.
Numeric min(const Arg& a, const Arg& b);
Numeric max(const Arg& a, const Arg& b);
/// a where the condition holds, else b; both are evaluated. A literal takes the other's type.
Numeric select(const Arg& condition, const Arg& a, const Arg& b);

}  // namespace cutwork::cute

#pragma GCC visibility pop

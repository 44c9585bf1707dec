// MathEmit.h -- arithmetic on MLIR values in C++ operators, for the bodies of the math functions.
#pragma once

#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinTypes.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cutwork::transforms::math {

class Emit;

/// A scalar value and the place where operations on it are put. Both operands of an operator have
/// the same type; a C++ number becomes a constant of that type.
struct Num {
  Emit* emit = nullptr;
  mlir::Value value;

  [[nodiscard]] mlir::Type type() const { return value.getType(); }
  [[nodiscard]] bool isReal() const { return mlir::isa<mlir::FloatType>(type()); }
  [[nodiscard]] unsigned width() const { return type().getIntOrFloatBitWidth(); }
  /// A constant of this type.
  template <class T>
    requires std::is_arithmetic_v<T>
  [[nodiscard]] Num like(T number) const;
};

enum class Compare : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

using Body = std::function<std::vector<Num>()>;

/// Builds operations at one place.
class Emit {
 public:
  /// `module`: the gpu.module or module, which gets the helper functions.
  Emit(mlir::OpBuilder& builder, mlir::Location where, mlir::Operation* module)
      : builder_(builder), where_(where), module_(module) {}

  [[nodiscard]] mlir::OpBuilder& builder() const { return builder_; }
  [[nodiscard]] mlir::Location where() const { return where_; }
  [[nodiscard]] Num of(mlir::Value value) { return {this, value}; }
  [[nodiscard]] mlir::Type f32() const { return builder_.getF32Type(); }
  [[nodiscard]] mlir::Type f64() const { return builder_.getF64Type(); }
  [[nodiscard]] mlir::Type integer(unsigned bits) const { return builder_.getIntegerType(bits); }

  Num constant(mlir::Type type, double number);
  Num constant(mlir::Type type, std::int64_t number);

  /// Inline PTX without side effects: "cvt.rm.f16.f32 $0, $1;" with LLVM's constraints.
  Num assembly(std::string_view text, std::string_view constraints, mlir::Type result,
               std::span<const Num> operands);
  Num intrinsic(std::string_view name, mlir::Type result, std::span<const Num> operands);

  /// A call of a function of another library.
  Num external(std::string_view name, mlir::Type result, std::span<const Num> operands);
  /// A call of the module's function `name`, which is made by `body` (given the arguments) the
  /// first time. LLVM may inline it unless `outline`.
  std::vector<Num> call(std::string_view name, std::span<const mlir::Type> results,
                        std::span<const Num> operands, bool outline,
                        const std::function<std::vector<Num>(std::span<const Num>)>& body);
  /// One of two bodies is executed.
  std::vector<Num> branch(Num condition, const Body& yes, const Body& no);
  /// While `condition` of the values holds they become `step` of them.
  std::vector<Num> loop(std::span<const Num> start,
                        const std::function<Num(std::span<const Num>)>& condition,
                        const std::function<std::vector<Num>(std::span<const Num>)>& step);
  /// An element of a constant table of 64-bit integers in the module.
  Num lookUp(std::string_view name, std::span<const std::uint64_t> table, Num index);

 private:
  mlir::OpBuilder& builder_;
  mlir::Location where_;
  mlir::Operation* module_;
};

template <class T>
  requires std::is_arithmetic_v<T>
Num Num::like(T number) const {
  if (isReal()) return emit->constant(type(), static_cast<double>(number));
  return emit->constant(type(), static_cast<std::int64_t>(number));
}

// Arithmetic: of integers with the wrap of their width; division is for reals only.
Num operator+(Num a, Num b);
Num operator-(Num a, Num b);
Num operator*(Num a, Num b);
Num operator/(Num a, Num b);
Num operator-(Num a);
Num operator&(Num a, Num b);
Num operator|(Num a, Num b);
Num operator^(Num a, Num b);
Num operator<<(Num a, int bits);
Num shiftLeft(Num a, Num bits);
Num logicalRight(Num a, int bits);
Num logicalRight(Num a, Num bits);
Num arithmeticRight(Num a, int bits);
Num quotient(Num a, Num b, bool isSigned);  ///< of integers, towards zero
Num remainderOf(Num a, Num b);              ///< of signed integers, with the sign of a
Num leadingZeros(Num a);

#define CUTWORK_MATH_MIXED(op)       \
  template <class T>                 \
    requires std::is_arithmetic_v<T> \
  Num operator op(Num a, T b) {      \
    return a op a.like(b);           \
  }                                  \
  template <class T>                 \
    requires std::is_arithmetic_v<T> \
  Num operator op(T a, Num b) {      \
    return b.like(a) op b;           \
  }
CUTWORK_MATH_MIXED(+)
CUTWORK_MATH_MIXED(-)
CUTWORK_MATH_MIXED(*)
CUTWORK_MATH_MIXED(/)
CUTWORK_MATH_MIXED(&)
CUTWORK_MATH_MIXED(|)
CUTWORK_MATH_MIXED(^)
#undef CUTWORK_MATH_MIXED

/// Ordered comparison of reals (a NaN makes it false; NotEqual: true), signed of integers.
Num compare(Compare how, Num a, Num b);
Num compareUnsigned(Compare how, Num a, Num b);
template <class T>
  requires std::is_arithmetic_v<T>
Num compare(Compare how, Num a, T b) {
  return compare(how, a, a.like(b));
}
Num isNan(Num a);
Num select(Num condition, Num a, Num b);

// Reals.
Num fma(Num a, Num b, Num c);
Num magnitude(Num a);
Num withSign(Num magnitude, Num sign);
Num squareRoot(Num a);
Num floor(Num a);
Num ceil(Num a);
Num truncate(Num a);
Num roundEven(Num a);
Num larger(Num a, Num b);   ///< a NaN wins
Num smaller(Num a, Num b);  ///< a NaN wins
/// coefficients[0] + x * coefficients[1] + ..., each step one fma; `first` is where it begins.
Num polynomial(Num x, std::span<const double> coefficients);

// Conversions.
Num bits(Num real);  ///< the encoding as an integer
Num element(Num vector, std::int64_t i);
Num asType(Num number, mlir::Type type);                  ///< the same bits
Num fromBits(Num integer);                                ///< f16, f32, f64 by the width
Num resized(Num integer, unsigned width, bool isSigned);  ///< extended or truncated
Num toReal(Num integer, mlir::Type type, bool isSigned = true);
Num toInteger(Num real, unsigned width);  ///< towards zero; it must fit
Num widened(Num real, mlir::Type type);   ///< to f32 or f64
Num narrowed(Num real, mlir::Type type);  ///< to nearest even

}  // namespace cutwork::transforms::math

// cutwork/DSL/TensorSSA.h -- an immutable value of many elements: what a tensor's load gives.
//
//     TensorSSA x = gA.load();                           // static shape
//     TensorSSA y = where(x > 0, x, x * 0.01);
//     Float32 s = y.to(DType::Float32).reduce(ReductionOp::ADD, 0.0);
//
// Elements are in colexicographic order of the shape (first mode fastest), whatever the strides of
// the tensor were. Operands broadcast: a scalar to all elements, an extent of 1 to any; a shape of
// lower rank gets extents of 1 on the right, so that mode 0 meets mode 0.
#pragma once

#include "cutwork/DSL/Coordinate.h"
#include "cutwork/DSL/Numeric.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

enum class ReductionOp { ADD, MUL, MAX, MIN };

class TensorSSA {
 public:
  TensorSSA(DType type, IntTuple shape, Value value)
      : type_(type), shape_(std::move(shape)), value_(value) {}
  TensorSSA(const TensorSSA&) = default;
  TensorSSA& operator=(const TensorSSA&) = delete;  ///< use a register tensor
  ~TensorSSA() = default;

  [[nodiscard]] DType type() const { return type_; }
  [[nodiscard]] const IntTuple& shape() const { return shape_; }
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] Value value() const { return value_; }

  [[nodiscard]] TensorSSA to(DType type, Where where = Where::current()) const;
  [[nodiscard]] TensorSSA to(DType type, Rounding rounding, bool saturate = false,
                             Where where = Where::current()) const;
  /// The same bits as elements of the same width.
  [[nodiscard]] TensorSSA bitcast(DType type, Where where = Where::current()) const;
  /// The same elements, in their order, with another shape of the same size.
  [[nodiscard]] TensorSSA reshape(const IntTuple& shape, Where where = Where::current()) const;
  [[nodiscard]] TensorSSA broadcast_to(const IntTuple& shape, Where where = Where::current()) const;
  /// All elements and `initial` combined, in a tree over the elements. MAX and MIN are for floats
  /// and give NaN where an element is NaN.
  [[nodiscard]] Numeric reduce(ReductionOp op, const Arg& initial) const;
  /// Modes where `profile` has an integer are reduced, those where it has _ stay.
  [[nodiscard]] TensorSSA reduce(ReductionOp op, const Arg& initial, const IntTuple& profile) const;
  /// One element, by a static coordinate or index. Error (User): there is none.
  [[nodiscard]] Numeric operator[](const Coordinate& at) const;
  /// `tensor_value<vector<12xf32> o (3, 4)>`.
  [[nodiscard]] std::string text() const;

 private:
  DType type_;
  IntTuple shape_;
  Value value_;
};

/// A TensorSSA operand with its place.
class VectorOperand {
 public:
  VectorOperand(const TensorSSA& value, Where where = Where::current())
      : value_(value), where_(where) {}
  [[nodiscard]] const TensorSSA& value() const { return value_; }
  [[nodiscard]] Where where() const { return where_; }

 private:
  TensorSSA value_;
  Where where_;
};

// A op B with one or both of them vectors.
#define CW_VECTOR_OPERATOR(op)                                           \
  TensorSSA operator op(const VectorOperand& a, const VectorOperand& b); \
  TensorSSA operator op(const VectorOperand& a, const Arg& b);           \
  TensorSSA operator op(const Arg& a, const VectorOperand& b);
CW_VECTOR_OPERATOR(+)
CW_VECTOR_OPERATOR(-)
CW_VECTOR_OPERATOR(*)
CW_VECTOR_OPERATOR(/)
CW_VECTOR_OPERATOR(%)
CW_VECTOR_OPERATOR(&)
CW_VECTOR_OPERATOR(|)
CW_VECTOR_OPERATOR(^)
CW_VECTOR_OPERATOR(<<)
CW_VECTOR_OPERATOR(>>)
CW_VECTOR_OPERATOR(<)
CW_VECTOR_OPERATOR(<=)
CW_VECTOR_OPERATOR(>)
CW_VECTOR_OPERATOR(>=)
CW_VECTOR_OPERATOR(==)
CW_VECTOR_OPERATOR(!=)
#undef CW_VECTOR_OPERATOR
TensorSSA operator-(const VectorOperand& a);
TensorSSA operator~(const VectorOperand& a);
/// Of Booleans.
TensorSSA operator!(const VectorOperand& a);

TensorSSA true_div(const VectorOperand& a, const VectorOperand& b);
TensorSSA true_div(const VectorOperand& a, const Arg& b);
TensorSSA true_div(const Arg& a, const VectorOperand& b);
TensorSSA min(const VectorOperand& a, const VectorOperand& b);
TensorSSA min(const VectorOperand& a, const Arg& b);
TensorSSA min(const Arg& a, const VectorOperand& b);
TensorSSA max(const VectorOperand& a, const VectorOperand& b);
TensorSSA max(const VectorOperand& a, const Arg& b);
TensorSSA max(const Arg& a, const VectorOperand& b);

/// Elementwise a where the condition holds, else b. A literal takes the other's type.
TensorSSA where(const VectorOperand& condition, const VectorOperand& a, const VectorOperand& b);
TensorSSA where(const VectorOperand& condition, const VectorOperand& a, const Arg& b);
TensorSSA where(const VectorOperand& condition, const Arg& a, const VectorOperand& b);
TensorSSA where(const VectorOperand& condition, const Arg& a, const Arg& b);
/// A vector of one value.
TensorSSA full(const IntTuple& shape, const Arg& value, DType type);
TensorSSA full_like(const VectorOperand& like, const Arg& value);
TensorSSA zeros_like(const VectorOperand& like);
/// Whether any, or all, elements of a vector of Booleans are true.
Boolean any_(const VectorOperand& a);
Boolean all_(const VectorOperand& a);

}  // namespace cutwork::cute

#pragma GCC visibility pop

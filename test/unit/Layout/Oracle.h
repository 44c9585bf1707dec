// Oracle.h -- layouts as plain functions, from the definitions only, for tests to compare with.
//
// Nothing of lib/Layout is used but reading shapes, strides and swizzle parameters out of its
// classes. Everything is done by enumeration, as naively as possible.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cutwork/Layout/ComposedLayout.h"
#include "cutwork/Layout/Tiler.h"

namespace cutwork::oracle {

using Number = std::int64_t;
/// Outermost mode first; empty for a plain integer.
using Path = std::vector<int>;

/// A nested tuple.
struct Tree {
  enum class Kind : std::uint8_t { Integer, Hole, Tuple };
  Kind kind = Kind::Tuple;
  Number value = 0;
  Path path;
  std::vector<Tree> modes;

  static Tree integer(Number v) { return {Kind::Integer, v, {}, {}}; }
  static Tree hole() { return {Kind::Hole, 0, {}, {}}; }
  static Tree tuple(std::vector<Tree> modes) { return {Kind::Tuple, 0, {}, std::move(modes)}; }
  [[nodiscard]] bool isTuple() const { return kind == Kind::Tuple; }
  [[nodiscard]] bool isInteger() const { return kind == Kind::Integer; }
  [[nodiscard]] bool isHole() const { return kind == Kind::Hole; }
  [[nodiscard]] std::size_t rank() const { return isTuple() ? modes.size() : 1; }
  [[nodiscard]] int depth() const;
  [[nodiscard]] Number product() const;
  /// Mode i; of a leaf itself.
  [[nodiscard]] const Tree& mode(std::size_t i) const { return isTuple() ? modes[i] : *this; }
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Tree&, const Tree&) = default;
};

Tree read(cute::IntTupleView tuple);
/// The leaves from left to right.
std::vector<Tree> leaves(const Tree& tree);
bool congruent(const Tree& a, const Tree& b);

/// An integer, or a coordinate: the sum of integers at paths. Zeros are left out.
struct Value {
  Number plain = 0;
  std::vector<std::pair<Path, Number>> terms;  // sorted by path

  Value() = default;
  Value(Number n) : plain(n) {}
  void add(const Path& path, Number n);
  friend Value operator+(const Value& a, const Value& b);
  friend auto operator<=>(const Value&, const Value&) = default;
  friend bool operator==(const Value&, const Value&) = default;
  [[nodiscard]] std::string text() const;
};

/// A coordinate tuple, or an integer, as a value: each leaf at its path.
Value valueOf(const Tree& tree);

/// x ^ ((x & Y) shifted), bit by bit.
struct Xor {
  int bits;
  int base;
  int shift;
  [[nodiscard]] Number operator()(Number x) const;
};

/// A layout or a composed layout.
class Function {
 public:
  Function(Tree shape, Tree stride) : shape_(std::move(shape)), stride_(std::move(stride)) {
    flatten();
  }
  static Function of(cute::LayoutView layout);
  static Function of(const cute::AnyLayout& layout);

  [[nodiscard]] const Tree& shape() const { return shape_; }
  [[nodiscard]] const Tree& stride() const { return stride_; }
  [[nodiscard]] Number size() const { return shape_.product(); }
  [[nodiscard]] std::size_t rank() const { return shape_.rank(); }
  [[nodiscard]] bool isComposed() const { return inner_ != nullptr || swizzle_.has_value(); }
  /// Without swizzle, inner layout and offset.
  [[nodiscard]] Function outer() const { return {shape_, stride_}; }
  /// Mode i of the outer layout.
  [[nodiscard]] Function mode(std::size_t i) const { return {shape_.mode(i), stride_.mode(i)}; }
  /// The value at a linear coordinate; beyond the size along the last leaf.
  [[nodiscard]] Value at(Number linear) const;
  /// The value at a coordinate of any kind; a hole counts as 0. Throws if it does not fit.
  [[nodiscard]] Value at(const Tree& coordinate) const;
  /// The value at a value of another layout: a linear coordinate or a coordinate.
  [[nodiscard]] Value at(const Value& value) const;
  /// The same function with `more` added under the inner function.
  [[nodiscard]] Function shifted(const Value& more) const;
  [[nodiscard]] std::string text() const { return shape_.text() + ":" + stride_.text(); }

  struct Leaf {
    Number extent;
    Number stride;
    Path path;
  };
  [[nodiscard]] const std::vector<Leaf>& leaves() const& { return leaves_; }
  [[nodiscard]] std::vector<Leaf> leaves() && { return std::move(leaves_); }

 private:
  void flatten();
  [[nodiscard]] Value finish(const Value& outer) const;
  Tree shape_;
  Tree stride_;
  std::vector<Leaf> leaves_;
  std::optional<Xor> swizzle_;
  std::shared_ptr<const Function> inner_;
  Value offset_;
};

/// Linear coordinates to compare at: all of them if there are at most a thousand, else a sample
/// with the first and the last ones.
std::vector<Number> points(Number size);
/// Where two functions of the linear coordinate differ on their common size; "" if nowhere.
std::string difference(const Function& got, const Function& want);
/// All values of the domain. Precondition: the size is small.
std::vector<Value> values(const Function& f);
/// The leaves that have a stride, as one flat layout.
Function withoutZeros(const Function& f);
/// The leaves with this path, as a flat layout of integers.
Function alongPath(const Function& f, const Path& path);
bool isInjective(const Function& f);
/// Whether each mode, in the order of strides, begins at a multiple of where the one before it
/// ends; modes of extent 1 count only if asked for (a dynamic extent that is 1 is not seen as
/// such). Where not, complements round their gaps down, and not everything is reached.
bool isRegular(const Function& f, bool withOnes);

/// The first `count` numbers y0 < y1 < ... such that the sets f + y are disjoint, each the least
/// that is not yet in one: what a complement has to be, as far as its values are. Empty if the sets
/// overlap.
std::vector<Number> freePlaces(const Function& f, std::size_t count);

}  // namespace cutwork::oracle

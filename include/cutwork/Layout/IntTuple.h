// cutwork/Layout/IntTuple.h -- integers in nested tuples: shapes, strides, coordinates.
//
// Definition. An IntTuple is a leaf, or a tuple of zero or more IntTuples. A leaf is an integer
// (Int), a scaled basis element v@i, or the hole _.
//
//   4          a leaf; rank 1, depth 0
//   (4)        a tuple of one, which is not 4; rank 1, depth 1
//   (4,(2,3))  rank 2, depth 2, size 24
//   ()         the empty tuple; rank 0, size 1
//   2@1        a scaled basis element: the coordinate that is 2 in mode 1 and 0 elsewhere
//   1@0@1      nested ones print the innermost mode first: mode 0 inside mode 1, E<1,0>
//   (_,3)      a hole keeps its mode where a tuple is used as a coordinate to slice with
//
// In memory a tuple is one array of nodes in the order of its text, each with the number of nodes
// below it; a subtuple is a pointer into that array (IntTupleView). Up to 32 nodes (a flat tuple of
// rank 31) live inside the object.
//
//   IntTuple shape{4, {2, 3}};                  // (4,(2,3))
//   IntTuple leaf(4), one{4};                   // 4 and (4): braces make tuples
//   shape.rank() == 2; shape[1][0].value() == 2; shape.text() == "(4,(2,3))";
#pragma once

#include <initializer_list>
#include <iterator>
#include <ostream>
#include <span>
#include <string>

#include "cutwork/Layout/Int.h"
#include "cutwork/Layout/NodeArray.h"
#include "cutwork/Support/Error.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// Nesting that text and operations may reach; deeper is refused.
inline constexpr int kMaxDepth = 32;
/// Nodes that one tuple may have; more is refused.
inline constexpr std::size_t kMaxNodes = 1 << 16;

/// A subtuple of an IntTuple; valid as long as that lives and is not assigned to.
class IntTupleView {
 public:
  explicit IntTupleView(const Node* node) : node_(node) {}

  [[nodiscard]] bool isTuple() const { return node_->kind == NodeKind::Tuple; }
  [[nodiscard]] bool isLeaf() const { return !isTuple(); }
  [[nodiscard]] bool isHole() const { return node_->kind == NodeKind::Hole; }
  /// A leaf that is an integer, without a basis.
  [[nodiscard]] bool isInt() const { return isLeaf() && !isHole() && node_->basis.depth() == 0; }
  [[nodiscard]] bool isBasis() const { return isLeaf() && node_->basis.depth() != 0; }

  /// Number of modes; a leaf has rank 1.
  [[nodiscard]] int rank() const { return isTuple() ? static_cast<int>(node_->count) : 1; }
  /// 0 for a leaf, else 1 + the largest depth of a mode.
  [[nodiscard]] int depth() const;
  /// Mode i; a leaf is its own mode 0. Precondition: 0 <= i < rank().
  [[nodiscard]] IntTupleView operator[](int i) const;
  /// The integer of a leaf (of v@i: v). Precondition: a leaf that is no hole.
  [[nodiscard]] Int value() const { return node_->integer; }
  /// The basis of a leaf; depth 0 if it is a plain integer.
  [[nodiscard]] BasisPath basis() const { return node_->basis; }

  /// The modes; a leaf is its own only mode.
  class Iterator;
  [[nodiscard]] Iterator begin() const;
  [[nodiscard]] Iterator end() const;
  /// All nodes of this subtuple in the order of the text, itself first.
  [[nodiscard]] std::span<const Node> nodes() const { return {node_, node_->span}; }

  [[nodiscard]] std::string text() const;
  /// Same structure and same leaves; dynamic leaves are equal by handle.
  friend bool operator==(IntTupleView a, IntTupleView b);

 private:
  const Node* node_;
};

class IntTupleView::Iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = IntTupleView;
  using difference_type = std::ptrdiff_t;
  using pointer = const IntTupleView*;
  using reference = IntTupleView;
  Iterator() = default;
  explicit Iterator(const Node* node) : node_(node) {}
  IntTupleView operator*() const { return IntTupleView(node_); }
  Iterator& operator++() { return node_ += node_->span, *this; }
  Iterator operator++(int) { return std::exchange(*this, Iterator(node_ + node_->span)); }
  friend bool operator==(const Iterator&, const Iterator&) = default;

 private:
  const Node* node_ = nullptr;
};

class IntTuple {
 public:
  /// The empty tuple ().
  IntTuple() : IntTuple(std::initializer_list<IntTuple>{}) {}
  /// A leaf.
  IntTuple(Int value) { nodes_.push(Node::leaf(value)); }
  IntTuple(std::int64_t value) : IntTuple(Int(value)) {}
  IntTuple(int value) : IntTuple(Int(value)) {}
  /// A tuple of these modes.
  IntTuple(std::initializer_list<IntTuple> modes);
  explicit IntTuple(std::span<const IntTuple> modes);
  /// A copy of a subtuple.
  IntTuple(IntTupleView view);
  /// The hole _.
  static IntTuple hole();
  /// value@path, the outermost mode first in `path` (E<1,0> is {1, 0}). An empty path gives
  /// `value`.
  static IntTuple basis(Int value, BasisPath path);

  [[nodiscard]] IntTupleView view() const { return IntTupleView(nodes_.data()); }
  operator IntTupleView() const { return view(); }
  [[nodiscard]] bool isTuple() const { return view().isTuple(); }
  [[nodiscard]] bool isLeaf() const { return view().isLeaf(); }
  [[nodiscard]] bool isHole() const { return view().isHole(); }
  [[nodiscard]] bool isInt() const { return view().isInt(); }
  [[nodiscard]] int rank() const { return view().rank(); }
  [[nodiscard]] int depth() const { return view().depth(); }
  [[nodiscard]] Int value() const { return view().value(); }
  [[nodiscard]] IntTupleView operator[](int i) const { return view()[i]; }
  [[nodiscard]] IntTupleView::Iterator begin() const { return view().begin(); }
  [[nodiscard]] IntTupleView::Iterator end() const { return view().end(); }
  [[nodiscard]] std::string text() const { return view().text(); }
  friend bool operator==(const IntTuple& a, const IntTuple& b) { return a.view() == b.view(); }

 private:
  friend class IntTupleBuilder;
  NodeArray nodes_;
};

/// Writes an IntTuple in the order of its text: open(), leaves and subtuples, close(). Exactly one
/// leaf, subtuple or bracketed tuple makes a whole. What exceeds kMaxNodes or kMaxDepth is dropped
/// and reported by finish.
class IntTupleBuilder {
 public:
  void open();
  void close();
  void leaf(Int value) { push(Node::leaf(value)); }
  void leaf(Int value, BasisPath basis);
  void hole();
  void append(IntTupleView view);
  /// All modes of `view`: of a leaf, itself.
  void appendModes(IntTupleView view);
  /// The tuple. Precondition: every open() has its close(). An invalid leaf or a limit reached is a
  /// user error; `operation` begins its message.
  Expected<IntTuple> finish();
  /// The same where the caller knows that the input was valid and nothing was computed.
  IntTuple take();

 private:
  void push(const Node& node);
  NodeArray nodes_;
  std::uint32_t open_[kMaxDepth];
  int depth_ = 0;
  bool full_ = false;
};

inline std::ostream& operator<<(std::ostream& out, Int value) { return out << value.text(); }
inline std::ostream& operator<<(std::ostream& out, IntTupleView tuple) {
  return out << tuple.text();
}
inline std::ostream& operator<<(std::ostream& out, const IntTuple& tuple) {
  return out << tuple.text();
}

/// The first invalid leaf's reason as an error; nothing if there is none.
Expected<IntTuple> checked(IntTuple tuple);
Expected<Int> checked(Int value);

}  // namespace cutwork::cute

#pragma GCC visibility pop

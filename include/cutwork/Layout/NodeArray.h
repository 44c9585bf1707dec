// cutwork/Layout/NodeArray.h -- how an IntTuple lies in memory: nodes, basis paths, their array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

#include "cutwork/Layout/Int.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// The modes that lead to a basis element, outermost first: E<1,0> has path {1,0}. At most 7 modes,
/// each below 256, so that a path is one word.
class BasisPath {
 public:
  static constexpr int kMaxDepth = 7;
  static constexpr std::int64_t kMaxMode = 255;

  constexpr BasisPath() = default;
  /// Precondition: at most kMaxDepth modes from 0 to kMaxMode.
  constexpr BasisPath(std::initializer_list<int> modes) {
    for (int mode : modes) push(mode);
  }
  [[nodiscard]] constexpr int depth() const { return static_cast<int>(word_ >> 56); }
  [[nodiscard]] constexpr int operator[](int i) const {
    return static_cast<int>((word_ >> (8 * i)) & 0xff);
  }
  /// Adds an inner mode; does nothing at kMaxDepth.
  constexpr void push(int mode) {
    int d = depth();
    if (d == kMaxDepth) return;
    word_ += std::uint64_t{1} << 56;
    word_ |= static_cast<std::uint64_t>(mode & 0xff) << (8 * d);
  }
  /// The path without its outermost mode. Precondition: depth() > 0.
  [[nodiscard]] constexpr BasisPath inner() const {
    BasisPath rest;
    for (int i = 1; i < depth(); ++i) rest.push((*this)[i]);
    return rest;
  }
  friend constexpr bool operator==(BasisPath, BasisPath) = default;

 private:
  std::uint64_t word_ = 0;  // a byte a mode, the count in the highest
};

enum class NodeKind { Integer, Hole, Tuple };

/// One node of an IntTuple in the order of the text.
struct Node {
  Int integer;              ///< of an Integer
  BasisPath basis;          ///< of an Integer
  std::uint32_t count = 0;  ///< of a Tuple: its modes
  std::uint32_t span = 1;   ///< nodes of this subtuple, itself included
  NodeKind kind = NodeKind::Integer;

  static Node leaf(Int value) {
    Node n;
    n.integer = value;
    return n;
  }
};

/// A growing array of trivially copyable T, the first N inside the object.
template <class T, std::size_t N>
class SmallArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // The inline elements are deliberately not initialised: only the first size_ are ever read.
  SmallArray() {}  // NOLINT(modernize-use-equals-default)
  SmallArray(const SmallArray& other) { assign(other.data(), other.size_); }
  SmallArray(SmallArray&& other) noexcept { take(other); }
  SmallArray& operator=(const SmallArray& other) {
    if (this != &other) assign(other.data(), other.size_);
    return *this;
  }
  SmallArray& operator=(SmallArray&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~SmallArray() = default;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const T* data() const { return heap_ ? heap_.get() : inline_; }
  [[nodiscard]] T* data() { return heap_ ? heap_.get() : inline_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }
  /// Precondition: !empty().
  [[nodiscard]] T& back() { return data()[size_ - 1]; }
  [[nodiscard]] const T& back() const { return data()[size_ - 1]; }

  void push(const T& element) {
    T copy = element;  // growing may free what `element` refers to
    if (size_ == capacity_) grow(size_ + 1);
    data()[size_++] = copy;
  }
  /// Precondition: `elements` is not part of this array.
  void append(const T* elements, std::size_t count) {
    if (size_ + count > capacity_) grow(size_ + count);
    std::copy_n(elements, count, data() + size_);
    size_ += count;
  }

 private:
  void assign(const T* elements, std::size_t count) {
    size_ = 0;
    append(elements, count);
  }
  void take(SmallArray& other) {
    if (!other.heap_) return assign(other.inline_, other.size_);
    heap_ = std::move(other.heap_);
    size_ = other.size_;
    capacity_ = other.capacity_;
    other.size_ = 0;
    other.capacity_ = N;
  }
  void grow(std::size_t atLeast) {
    std::size_t capacity = std::max(atLeast, capacity_ * 2);
    std::unique_ptr<T[]> bigger(new T[capacity]);
    std::copy_n(data(), size_, bigger.get());
    heap_ = std::move(bigger);
    capacity_ = capacity;
  }

  std::size_t size_ = 0;
  std::size_t capacity_ = N;
  std::unique_ptr<T[]> heap_;
  union {
    T inline_[N];
  };
};

using NodeArray = SmallArray<Node, 32>;

}  // namespace cutwork::cute

#pragma GCC visibility pop

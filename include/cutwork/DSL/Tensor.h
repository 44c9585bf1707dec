// cutwork/DSL/Tensor.h -- a tensor: a pointer, or a coordinate, after a layout.
//
//     Tensor tile = local_tile(gA, {128, 64}, {bid, _});      // a view; nothing is read
//     Tensor mine = tile(tid, _);                              // _ keeps a mode: a view
//     Float32 x = mine(0);                                     // a coordinate: an element
//     mine(0) = x + 1;
//     TensorSSA v = mine.load();                               // all of it, if the shape is static
//
// A tensor whose iterator is a coordinate (make_identity_tensor) gives coordinates: what element i
// of a tile is in the whole, for predicates.
#pragma once

#include <optional>

#include "cutwork/DSL/Coordinate.h"
#include "cutwork/DSL/Pointer.h"
#include "cutwork/DSL/TensorSSA.h"
#include "cutwork/Layout/ComposedLayout.h"
#include "cutwork/Layout/Tiler.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

class Tensor {
 public:
  Tensor(const Pointer& pointer, AnyLayout layout)
      : pointer_(pointer), layout_(std::move(layout)) {}
  /// A coordinate tensor: element c is start + layout(c).
  Tensor(IntTuple start, AnyLayout layout) : start_(std::move(start)), layout_(std::move(layout)) {}

  [[nodiscard]] bool isCoordinate() const { return !pointer_; }
  /// Error (User), here and of the next two: a coordinate tensor.
  [[nodiscard]] const Pointer& iterator() const;
  [[nodiscard]] const IntTuple& start() const { return start_; }
  [[nodiscard]] DType element_type() const { return iterator().type(); }
  [[nodiscard]] AddressSpace memspace() const { return iterator().space(); }
  [[nodiscard]] const AnyLayout& layout() const { return layout_; }
  [[nodiscard]] const IntTuple& shape() const { return layout_.outer().shape(); }
  [[nodiscard]] const IntTuple& stride() const { return layout_.outer().stride(); }

  /// With a _ among the coordinates the sub-tensor of those modes; else the element at the
  /// coordinate. One coordinate for each mode, or one for all.
  template <Index A>
  auto operator()(const A& a, Where where = Where::current()) const;
  template <Index A, Index B>
  auto operator()(const A& a, const B& b, Where where = Where::current()) const;
  template <Index A, Index B, Index C>
  auto operator()(const A& a, const B& b, const C& c, Where where = Where::current()) const;
  template <Index A, Index B, Index C, Index D>
  auto operator()(const A& a, const B& b, const C& c, const D& d,
                  Where where = Where::current()) const;
  template <Index A, Index B, Index C, Index D, Index E>
  auto operator()(const A& a, const B& b, const C& c, const D& d, const E& e,
                  Where where = Where::current()) const;
  [[nodiscard]] Tensor slice(const IntTuple& coord, Where where = Where::current()) const;

  /// All elements, in the order of linear coordinates. Error (User): a shape that is not static.
  [[nodiscard]] TensorSSA load(Where where = Where::current()) const;
  /// Errors (User): another size; another element type (convert with to()).
  void store(const VectorOperand& value) const;
  void fill(const Arg& value) const;

  /// `tensor<ptr<f32, gmem> o (4,3):(3,1)>`.
  [[nodiscard]] std::string text() const;

 private:
  template <bool Slices>
  auto part(const IntTuple& coord, Where where) const;
  std::optional<Pointer> pointer_;
  IntTuple start_;
  AnyLayout layout_;
};

/// An element of a tensor, to be read or written; reading happens where it is used.
class Element {
 public:
  Element(Tensor tensor, IntTuple coord, Where where = Where::current())
      : tensor_(std::move(tensor)), coord_(std::move(coord)), where_(where) {}
  Element(const Element&) = default;
  ~Element() = default;
  /// Reads. Error (User): a coordinate tensor, a coordinate that does not fit.
  [[nodiscard]] Numeric load(Where where = Where::current()) const;
  /// Writes. Widens within a kind; a literal takes the element's type. Error (User): narrowing.
  void operator=(const Arg& value) const { store(value); }  // NOLINT: a proxy for memory
  void operator=(const Element& value) const { store(Arg(value, value.where_)); }  // NOLINT
  void operator+=(const Arg& value) const {
    store(Arg(load(value.where()) + value, value.where()));
  }
  void operator*=(const Arg& value) const {
    store(Arg(load(value.where()) * value, value.where()));
  }
  void store(const Arg& value) const;
  /// Of a coordinate tensor: the coordinate.
  operator IntTuple() const { return coordinate(where_); }
  [[nodiscard]] IntTuple coordinate(Where where = Where::current()) const;

 private:
  Tensor tensor_;
  IntTuple coord_;
  Where where_;  ///< where it was named
};

template <bool Slices>
auto Tensor::part(const IntTuple& coord, Where where) const {
  if constexpr (Slices) {
    return slice(coord, where);
  } else {
    return Element(*this, coord, where);
  }
}
template <Index A>
auto Tensor::operator()(const A& a, Where where) const {
  return part<kSlices<A>>(static_cast<IntTuple>(a), where);
}
template <Index A, Index B>
auto Tensor::operator()(const A& a, const B& b, Where where) const {
  return part<kSlices<A, B>>(IntTuple{static_cast<IntTuple>(a), static_cast<IntTuple>(b)}, where);
}
template <Index A, Index B, Index C>
auto Tensor::operator()(const A& a, const B& b, const C& c, Where where) const {
  return part<kSlices<A, B, C>>(
      IntTuple{static_cast<IntTuple>(a), static_cast<IntTuple>(b), static_cast<IntTuple>(c)},
      where);
}
template <Index A, Index B, Index C, Index D>
auto Tensor::operator()(const A& a, const B& b, const C& c, const D& d, Where where) const {
  return part<kSlices<A, B, C, D>>(IntTuple{static_cast<IntTuple>(a), static_cast<IntTuple>(b),
                                            static_cast<IntTuple>(c), static_cast<IntTuple>(d)},
                                   where);
}
template <Index A, Index B, Index C, Index D, Index E>
auto Tensor::operator()(const A& a, const B& b, const C& c, const D& d, const E& e,
                        Where where) const {
  return part<kSlices<A, B, C, D, E>>(
      IntTuple{static_cast<IntTuple>(a), static_cast<IntTuple>(b), static_cast<IntTuple>(c),
               static_cast<IntTuple>(d), static_cast<IntTuple>(e)},
      where);
}

/// Whether every leaf of a is less than its partner in b. Error (User): not congruent.
Boolean elem_less(const Coordinate& a, const Coordinate& b);

Tensor make_tensor(const Pointer& pointer, const AnyLayout& layout);
Tensor make_tensor(const Pointer& pointer, const Layout& layout);
Tensor make_tensor(const Pointer& pointer, const ComposedLayout& layout);
Tensor make_identity_tensor(const Coordinate& shape);
/// Registers, not initialised. Error (User): a layout that is not static.
Tensor make_rmem_tensor(const AnyLayout& layout, DType type, Where where = Where::current());
Tensor make_rmem_tensor(const Layout& layout, DType type, Where where = Where::current());
Tensor make_rmem_tensor(const IntTuple& shape, DType type, Where where = Where::current());
/// Registers for the elements of a tensor: its shape, compact in the order of its strides.
Tensor make_fragment_like(const Tensor& like, Where where = Where::current());
Tensor make_fragment_like(const Tensor& like, DType type, Where where = Where::current());
/// The same bytes as elements of another size.
Tensor recast_tensor(const Tensor& tensor, DType type, Where where = Where::current());

// The algebra on a tensor's layout; the iterator moves with it.
Tensor logical_divide(const Tensor& t, const Tiler& tiler, Where where = Where::current());
Tensor zipped_divide(const Tensor& t, const Tiler& tiler, Where where = Where::current());
Tensor tiled_divide(const Tensor& t, const Tiler& tiler, Where where = Where::current());
Tensor flat_divide(const Tensor& t, const Tiler& tiler, Where where = Where::current());
Tensor composition(const Tensor& t, const Tiler& tiler, Where where = Where::current());
Tensor coalesce(const Tensor& t, Where where = Where::current());
Tensor group_modes(const Tensor& t, int begin, int end, Where where = Where::current());
Tensor domain_offset(const IntTuple& coord, const Tensor& t, Where where = Where::current());
Tensor local_tile(const Tensor& t, const Tiler& tiler, const IntTuple& coord,
                  Where where = Where::current());
Tensor local_tile(const Tensor& t, const Tiler& tiler, const IntTuple& coord, const IntTuple& proj,
                  Where where = Where::current());
Tensor local_partition(const Tensor& t, const Layout& threads, const Arg& index,
                       Where where = Where::current());
inline Int size(const Tensor& t) { return size(t.layout().outer().view()); }
inline Int size(const Tensor& t, int mode) { return size(t.layout().outer()[mode]); }
inline int rank(const Tensor& t) { return t.layout().outer().rank(); }

}  // namespace cutwork::cute

#pragma GCC visibility pop

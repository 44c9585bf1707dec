// cutwork/Layout/Layout.h -- the layout: a function from coordinates to integers.
//
// Definition. A layout L = S:D is a shape S and strides D of the same profile. It is the function
//
//     L(c) = sum over the leaves of  c_i * D_i          for a coordinate c congruent to S.
//
// Its domain has three kinds of coordinates, equivalent by the colexicographic order (first mode
// fastest), taken at every level of nesting:
//
//     natural    congruent to S            ((1,0),2)
//     by mode    one integer for a mode    (1,2)
//     linear     one integer in all        9
//
//     L = ((2,2),4):((1,8),2)              as a function of (row, column):
//                                             0   2   4   6
//     size 16, cosize 16, rank 2, depth 2     1   3   5   7
//     L((1,1),3) = 1*1 + 1*8 + 3*2 = 15       8  10  12  14
//     L(3,3) = L(15) = 15                     9  11  13  15
//
// A linear coordinate is split by the extents of all modes but the last, which takes what is left:
// L(i) is defined for every i >= 0 and continues along the last mode beyond the size.
//
// Strides may be 0 (all coordinates of the mode share a value), negative, or scaled basis elements
// v@i; a layout with basis strides maps to coordinates: (4,8):(1@1,1@0) is the transposition
// (i,j) -> (j,i). Extents and strides are static or dynamic (Int.h), up to 64 bits.
//
// Everything else in this folder makes layouts from layouts:
//
//     Construct.h       layouts from shapes
//     Coordinates.h     coordinates to values and back
//     Modes.h           picking and regrouping modes
//     Coalesce.h        the same function, written shorter
//     Composition.h     A after B
//     Complement.h      what a layout leaves out
//     Inverse.h         values back to coordinates
//     Divide.h          tiles of a layout
//     Product.h         repetitions of a layout
//     Slice.h           part of a coordinate fixed
//     Recast.h          the same bytes, other elements
//     Common.h          where two layouts agree
//     Partition.h       tiles and threads' parts
//     Swizzle.h         XOR of address bits
//     ComposedLayout.h  a swizzle or layout after a layout
//     Text.h            the text form, read and written
#pragma once

#include <string>

#include "cutwork/Layout/IntTuple.h"
#include "cutwork/Support/Error.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// A layout or a mode of one, by reference: valid as long as the layout lives.
struct LayoutView {
  IntTupleView shape;
  IntTupleView stride;

  [[nodiscard]] int rank() const { return shape.rank(); }
  [[nodiscard]] int depth() const { return shape.depth(); }
  [[nodiscard]] bool isLeaf() const { return shape.isLeaf(); }
  /// Mode i. Precondition: 0 <= i < rank().
  [[nodiscard]] LayoutView operator[](int i) const { return {shape[i], stride[i]}; }
  /// `(4,8):(1,4)`.
  [[nodiscard]] std::string text() const { return shape.text() + ":" + stride.text(); }
};

class Layout {
 public:
  /// The empty layout ():(), the constant 0 on one coordinate.
  Layout() = default;
  /// A copy of a mode.
  Layout(LayoutView view) : shape_(view.shape), stride_(view.stride) {}

  /// shape:stride. Refuses strides that are not congruent to the shape, extents that are not
  /// positive integers, and strides that are neither integers nor scaled basis elements.
  static Expected<Layout> make(IntTuple shape, IntTuple stride);
  /// The same where the caller has established all that; checks only for invalid leaves.
  static Expected<Layout> fromParts(Expected<IntTuple> shape, Expected<IntTuple> stride);
  /// extent:stride, a layout of one leaf mode; nothing is checked.
  static Layout leaf(Int extent, IntTupleView stride) {
    return {Checked(), IntTuple(extent), stride};
  }

  [[nodiscard]] const IntTuple& shape() const { return shape_; }
  [[nodiscard]] const IntTuple& stride() const { return stride_; }
  [[nodiscard]] LayoutView view() const { return {shape_.view(), stride_.view()}; }
  operator LayoutView() const { return view(); }
  [[nodiscard]] int rank() const { return shape_.rank(); }
  [[nodiscard]] int depth() const { return shape_.depth(); }
  /// Mode i, without its wrapping: (4,8):(1,4) has mode 1 = 8:4. Precondition: 0 <= i < rank().
  [[nodiscard]] LayoutView operator[](int i) const { return view()[i]; }
  [[nodiscard]] std::string text() const { return view().text(); }

  /// The same shape and the same strides; not the same function (equal functions may be written in
  /// several ways: see coalesce).
  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  struct Checked {};
  // The tag keeps {4,8} from being read as a layout.
  Layout(Checked, IntTuple shape, IntTuple stride)
      : shape_(std::move(shape)), stride_(std::move(stride)) {}
  IntTuple shape_;
  IntTuple stride_;
};

/// Writes the shape and the strides of a layout side by side.
class LayoutBuilder {
 public:
  void open() { shape_.open(), stride_.open(); }
  void close() { shape_.close(), stride_.close(); }
  void leaf(Int extent, Int stride) { shape_.leaf(extent), stride_.leaf(stride); }
  void leaf(Int extent, Int stride, BasisPath basis) {
    shape_.leaf(extent), stride_.leaf(stride, basis);
  }
  void append(LayoutView view) { shape_.append(view.shape), stride_.append(view.stride); }
  void appendModes(LayoutView view) {
    shape_.appendModes(view.shape), stride_.appendModes(view.stride);
  }
  Expected<Layout> finish() { return Layout::fromParts(shape_.finish(), stride_.finish()); }

 private:
  IntTupleBuilder shape_;
  IntTupleBuilder stride_;
};

inline std::ostream& operator<<(std::ostream& out, LayoutView layout) {
  return out << layout.text();
}

inline int rank(LayoutView layout) { return layout.rank(); }
inline int depth(LayoutView layout) { return layout.depth(); }
/// Number of coordinates: the product of the extents.
Int size(LayoutView layout);
/// For integer strides, one more than the largest value: 1 + sum (s-1)*|d|.
///     cosize((4,(3,2)):(2,(8,1))) = 1 + 3*2 + 2*8 + 1*1 = 24
/// With basis strides, the size of coshape.
Expected<Int> cosize(LayoutView layout);
/// For integer strides cosize; with basis strides the least shape that has every value of the
/// layout as a coordinate.
///     coshape((4,2):(1@0,1@1)) = (4,2)
Expected<IntTuple> coshape(LayoutView layout);
/// Whether any stride is a scaled basis element: the values are coordinates.
bool hasBasisStrides(LayoutView layout);
/// Whether every extent, and every stride, is static.
bool isStatic(LayoutView layout);
bool isStatic(IntTupleView tuple);
/// Whether a and b are the same shape:stride; unknown where that depends on dynamic leaves.
Truth equal(LayoutView a, LayoutView b);

}  // namespace cutwork::cute

#pragma GCC visibility pop

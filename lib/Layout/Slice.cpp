// Slice.cpp -- part of a coordinate fixed: slices, their offsets, swizzles that become constant.
#include "cutwork/Layout/Slice.h"

#include <bit>

#include "Compose.h"
#include "FlatModes.h"
#include "Refusal.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

enum class Keep : std::uint8_t { Holes, Others };

// Appends the kept modes of t to `out`, flattened.
Status keepInto(IntTupleBuilder& out, IntTupleView coord, IntTupleView t, Keep keep) {
  if (coord.isLeaf()) {
    if (coord.isHole() == (keep == Keep::Holes)) out.append(t);
    return Success{};
  }
  if (t.isLeaf() || coord.rank() != t.rank()) {
    return refuse("the coordinate {} does not fit {}", coord.text(), t.text());
  }
  for (int i = 0; i < coord.rank(); ++i) {
    auto done = keepInto(out, coord[i], t[i], keep);
    if (!done) return inMode(std::move(done).takeError(), i);
  }
  return Success{};
}

Expected<IntTuple> kept(IntTupleView coord, IntTupleView t, Keep keep) {
  if (coord.isLeaf() && coord.isHole() == (keep == Keep::Holes)) return IntTuple(t);
  IntTupleBuilder out;
  out.open();
  CW_DO(keepInto(out, coord, t, keep));
  out.close();
  return out.finish();
}

Expected<Layout> kept(IntTupleView coord, LayoutView layout, Keep keep) {
  return Layout::fromParts(kept(coord, layout.shape, keep), kept(coord, layout.stride, keep));
}

// All bits that may be set in a value of `modes`; -1 (all) if that is not known.
std::int64_t touchedBits(const FlatModes& modes) {
  std::int64_t touched = 0;
  bool carries = false;
  Int largest = 0;
  for (const FlatMode& mode : modes) {
    bool plain = mode.extent.isStatic() && mode.stride.isStatic() && mode.stride.value() > 0 &&
                 mode.basis.depth() == 0;
    if (!plain) return -1;
    std::int64_t bits = 0;
    constexpr std::int64_t kExact =
        1024;  // beyond, a mask from the lowest to the highest bit will do
    std::int64_t d = mode.stride.value();
    Int last = mode.stride * (mode.extent - 1);
    largest = largest + last;
    if (largest.isInvalid()) return -1;
    if (mode.extent.value() <= kExact) {
      for (std::int64_t i = 1; i < mode.extent.value(); ++i) bits |= i * d;
    } else {
      bits = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(last.value()) + 1) -
                                       1);
      bits &= ~((d & -d) - 1);
    }
    carries = carries || (touched & bits) != 0;
    touched |= bits;
  }
  if (!carries) return touched;
  std::int64_t lowest = touched & -touched;
  auto top =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(largest.value()) + 1) - 1);
  return top & ~(lowest - 1);
}

// The bits of the values, and those that a mode of extent 1 would set if it had another element.
std::int64_t reachableBits(LayoutView layout) {
  FlatModes modes;
  for (FlatMode mode : flatModes(layout)) {
    if (mode.stride.is(0)) continue;
    if (mode.extent.is(1)) mode.extent = 2;
    modes.push(mode);
  }
  return touchedBits(modes);
}

// x -> S(offset + x) - S(offset) as a layout of x, for x that sets only bits of `touched`: each bit
// is a mode of extent 2. Possible where offset + x never carries and where of the bit that is read
// and the one that it is XORed into at most one varies.
Expected<Layout> swizzleAsLayout(const Swizzle& swizzle, std::int64_t offset,
                                 std::int64_t touched) {
  std::int64_t reads =
      (touched & swizzle.readBits()) >> (swizzle.base() + std::max(swizzle.shift(), 0));
  std::int64_t writes =
      (touched & swizzle.writtenBits()) >> (swizzle.base() - std::min(swizzle.shift(), 0));
  if ((touched & offset) != 0 || (reads & writes) != 0)
    return refuse("the swizzle does not become affine");
  std::int64_t all = swizzle.readBits() | swizzle.writtenBits();
  auto top = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(all)));
  FlatModes bits;
  for (int i = 0; i < top; ++i) {
    std::int64_t bit = std::int64_t{1} << i;
    Int moved = (touched & bit) != 0 ? swizzle(offset | bit) - swizzle(offset) : Int(bit);
    bits.push({2, moved, {}});
  }
  bits.push({2, shift(1, top), {}});  // all bits above, since the last mode continues
  return fromModes(bits);
}

// The part of `offset` that the swizzle neither reads nor writes, if adding it changes no other
// bit.
std::int64_t outsideSwizzle(const Swizzle& swizzle, std::int64_t offset, std::int64_t touched) {
  if ((touched & offset) != 0) return 0;
  return offset & ~(swizzle.readBits() | swizzle.writtenBits());
}

// Slices the outer layout of a swizzled one; see slice_and_offset.
Expected<OffsetLayout> sliceSwizzled(const Swizzle& swizzle, std::int64_t offset,
                                     const Layout& outer) {
  std::int64_t touched = reachableBits(outer);
  if (auto affine = swizzleAsLayout(swizzle, offset, touched)) {
    if (auto sliced = compose(affine->view(), outer.view())) {
      return OffsetLayout{*std::move(sliced), IntTuple(swizzle(offset))};
    }
  }
  std::int64_t outside = outsideSwizzle(swizzle, offset, touched);
  CW_TRY(ComposedLayout made, ComposedLayout::make(swizzle, IntTuple(offset - outside), outer));
  return OffsetLayout{std::move(made), IntTuple(outside)};
}

bool hasFixed(IntTupleView coord) {
  for (const Node& node : coord.nodes()) {
    if (node.kind == NodeKind::Integer) return true;
  }
  return false;
}

Expected<OffsetLayout> sliceOff(IntTupleView coord, const AnyLayout& layout) {
  CW_TRY(Layout outer, kept(coord, layout.outer(), Keep::Holes));
  CW_TRY(IntTuple fixed, crd2idx(coord, layout.outer()));
  if (layout.plain()) return OffsetLayout{std::move(outer), std::move(fixed)};
  const ComposedLayout& composed = *layout.composed();
  CW_TRY(IntTuple inside, tuple_add(composed.offset(), fixed));
  const Swizzle* swizzle = composed.swizzle();
  bool known = inside.isInt() && inside.value().isStatic() && inside.value().value() >= 0;
  if (swizzle != nullptr && hasFixed(coord) && known)
    return sliceSwizzled(*swizzle, inside.value().value(), outer);
  CW_TRY(ComposedLayout made,
         ComposedLayout::make(composed.inner(), std::move(inside), std::move(outer)));
  return OffsetLayout{std::move(made), IntTuple(0)};
}

Expected<OffsetLayout> moveDomain(IntTupleView coord, const AnyLayout& layout) {
  CW_TRY(IntTuple fixed, crd2idx(coord, layout.outer()));
  if (layout.plain()) return OffsetLayout{layout, std::move(fixed)};
  const ComposedLayout& composed = *layout.composed();
  CW_TRY(IntTuple inside, tuple_add(composed.offset(), fixed));
  CW_TRY(ComposedLayout made,
         ComposedLayout::make(composed.inner(), std::move(inside), composed.outer()));
  return OffsetLayout{std::move(made), IntTuple(0)};
}

}  // namespace

Expected<IntTuple> slice(const IntTuple& coord, const IntTuple& t) {
  return named(kept(coord, t, Keep::Holes), "slice", coord, t);
}

Expected<AnyLayout> slice(const IntTuple& coord, const AnyLayout& layout) {
  auto sliced = sliceOff(coord, layout);
  if (!sliced) return named(std::move(sliced).takeError(), "slice", coord, layout);
  return sliced->layout;
}

Expected<IntTuple> dice(const IntTuple& coord, const IntTuple& t) {
  return named(kept(coord, t, Keep::Others), "dice", coord, t);
}

Expected<AnyLayout> dice(const IntTuple& coord, const AnyLayout& layout) {
  return named(
      layout.map([&](const Layout& outer) { return kept(coord, outer.view(), Keep::Others); }),
      "dice", coord, layout);
}

Expected<OffsetLayout> slice_and_offset(const IntTuple& coord, const AnyLayout& layout) {
  return named(sliceOff(coord, layout), "slice_and_offset", coord, layout);
}

Expected<OffsetLayout> domain_offset(const IntTuple& coord, const AnyLayout& layout) {
  return named(moveDomain(coord, layout), "domain_offset", coord, layout);
}

}  // namespace cutwork::cute

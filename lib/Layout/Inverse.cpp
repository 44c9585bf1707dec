// Inverse.cpp -- right and left inverses, null spaces, swizzles moved through layouts.
#include "cutwork/Layout/Inverse.h"

#include <bit>

#include "ComplementModes.h"
#include "Compose.h"
#include "CoordinateSum.h"
#include "Refusal.h"

namespace cutwork::cute {

namespace {

// A mode of L with its place in L's linear coordinate.
struct Placed {
  FlatMode mode;
  Int place;
};
using PlacedModes = SmallArray<Placed, 16>;

PlacedModes placed(LayoutView layout) {
  PlacedModes out;
  Int place = 1;
  for (const FlatMode& mode : coalescedModes(layout)) {
    out.push({mode, place});
    place = place * mode.extent;
  }
  return out;
}

Error unknownStride(Int stride, Int next) {
  return refuse("it is not known whether the stride {} is {}, which would continue the inverse",
                stride.text(), next.text());
}

// The modes of the right inverse for values with basis `path`: each continues where the last one
// ended. Strides only grow along the way, so those up to the last one are behind.
Expected<FlatModes> rightModes(const PlacedModes& modes, BasisPath path, WhenUnknown unknown) {
  FlatModes out;
  Int next = 1;
  SmallArray<const Placed*, 16> ahead;
  for (const Placed& p : modes) {
    if (p.mode.basis == path && !p.mode.stride.is(0)) ahead.push(&p);
  }
  while (!next.isInvalid()) {
    const Placed* found = nullptr;
    for (const Placed* p : ahead) {
      Truth continues = equal(p->mode.stride, next);
      if (continues == Truth::Yes && found == nullptr) found = p;
      if (continues == Truth::Unknown && unknown == WhenUnknown::Refuse)
        return unknownStride(p->mode.stride, next);
    }
    if (found == nullptr) break;
    out.push({found->mode.extent, found->place, {}});
    next = found->mode.stride * found->mode.extent;
    SmallArray<const Placed*, 16> rest;
    for (const Placed* p : ahead) {
      bool behind = p == found || (p->mode.stride.isStatic() && found->mode.stride.isStatic() &&
                                   p->mode.stride.value() <= found->mode.stride.value());
      if (!behind) rest.push(p);
    }
    ahead = rest;
  }
  return coalescedModes(out);
}

// The modes of the left inverse for values with basis `path`.
Expected<FlatModes> leftModes(const PlacedModes& modes, BasisPath path) {
  FlatModes strides;  // each mode's place rides along in the basis-free list below
  PlacedModes of;
  for (const Placed& p : modes) {
    if (p.mode.basis == path && !p.mode.stride.is(0)) of.push(p), strides.push(p.mode);
  }
  CW_TRY(FlatModes sorted, sortedByStride(strides));
  FlatModes out;
  auto placeOf = [&](const FlatMode& mode) {
    for (const Placed& p : of) {
      if (same(p.mode.stride, mode.stride) && same(p.mode.extent, mode.extent)) return p.place;
    }
    return Int(0);
  };
  if (!sorted.empty() && !sorted[0].stride.is(1)) out.push({sorted[0].stride, 0, {}});
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const FlatMode& mode = sorted[i];
    Int extent = mode.extent;
    if (i + 1 < sorted.size()) {
      Int next = sorted[i + 1].stride;
      Int end = mode.stride * mode.extent;
      if (divides(mode.stride, next) != Truth::Yes) {
        return refuse("the stride {} is not divisible by the stride {}", next.text(),
                      mode.stride.text());
      }
      if (lessEqualPositive(end, next) != Truth::Yes) {
        return refuse("the modes of stride {} and {} overlap, or it is not known that they do not",
                      mode.stride.text(), next.text());
      }
      extent = floorDiv(next, mode.stride);
    }
    out.push({extent, placeOf(mode), {}});
  }
  return coalescedModes(out);
}

// Writes `leaf(path)` for each integer mode of the coordinates that the layout maps to.
template <class Leaf>
Status byCoordinate(LayoutBuilder& out, IntTupleView coordinates, BasisPath path, Leaf&& leaf) {
  if (coordinates.isLeaf()) {
    CW_TRY(FlatModes modes, leaf(path));
    appendAsOne(out, modes);
    return Success{};
  }
  out.open();
  for (int i = 0; i < coordinates.rank(); ++i) {
    BasisPath inner = path;
    inner.push(i);
    CW_DO(byCoordinate(out, coordinates[i], inner, leaf));
  }
  out.close();
  return Success{};
}

// The profile of the values: an integer, or a coordinate tuple of zeros.
Expected<IntTuple> valueProfile(LayoutView layout) {
  CoordinateSum sum;
  for (const FlatMode& mode : flatModes(layout)) {
    bool leftOut = mode.basis.depth() == 0 && (mode.extent.is(1) || mode.stride.is(0));
    if (!leftOut) sum.add(mode.basis, mode.basis.depth() == 0 ? Int(1) : Int(0));
  }
  return sum.finish();
}

Expected<Layout> rightInverse(LayoutView layout, WhenUnknown unknown) {
  CW_TRY(IntTuple profile, valueProfile(layout));
  PlacedModes modes = placed(layout);
  LayoutBuilder out;
  CW_DO(byCoordinate(out, profile, {},
                     [&](BasisPath path) { return rightModes(modes, path, unknown); }));
  return out.finish();
}

Expected<Layout> leftInverse(LayoutView layout) {
  CW_TRY(IntTuple profile, valueProfile(layout));
  PlacedModes modes = placed(layout);
  LayoutBuilder out;
  CW_DO(byCoordinate(out, profile, {}, [&](BasisPath path) { return leftModes(modes, path); }));
  return out.finish();
}

// The inverse of S o 0 o L is L^-1 after S, since a swizzle is its own inverse.
template <class Inverse>
Expected<AnyLayout> inverseOf(const AnyLayout& layout, Inverse&& inverse) {
  CW_TRY(Layout outer, inverse(layout.outer()));
  if (layout.plain()) return AnyLayout(std::move(outer));
  const ComposedLayout& composed = *layout.composed();
  if (composed.swizzle() == nullptr)
    return refuse("only a plain or a swizzled layout has an inverse here");
  if (!isStatic(composed.offset().view())) {
    return refuse("it is not known whether the offset {} is 0", composed.offset().text());
  }
  if (!(composed.offset() == IntTuple(0)))
    return refuse("only a swizzled layout with offset 0 has an inverse here");
  CW_TRY(Swizzle moved, swizzleThrough(*composed.swizzle(), outer));
  CW_TRY(ComposedLayout made, ComposedLayout::make(moved, 0, std::move(outer)));
  return AnyLayout(std::move(made));
}

bool powerOfTwo(Int v) {
  return v.isStatic() && v.value() > 0 &&
         std::has_single_bit(static_cast<std::uint64_t>(v.value()));
}
int log2(Int v) { return std::countr_zero(static_cast<std::uint64_t>(v.value())); }

}  // namespace

Expected<Swizzle> swizzleThrough(const Swizzle& swizzle, LayoutView layout) {
  if (swizzle.isIdentity()) return swizzle;
  SmallArray<int, 64> goesTo;  // bit i of the coordinate is this bit of the value
  std::int64_t taken = 0;
  for (const FlatMode& mode : coalescedModes(layout)) {
    if (!powerOfTwo(mode.extent) || !powerOfTwo(mode.stride) || mode.basis.depth() != 0) {
      return refuse("the swizzle {} can not move through {}, which does not map bits to bits",
                    swizzle.text(), layout.text());
    }
    for (int bit = 0; bit < log2(mode.extent); ++bit) {
      int to = log2(mode.stride) + bit;
      if (to > 62 || (taken >> to & 1) != 0) {
        return refuse("the swizzle {} can not move through {}, which is not injective",
                      swizzle.text(), layout.text());
      }
      taken |= std::int64_t{1} << to;
      goesTo.push(to);
    }
  }
  int written = swizzle.base() - std::min(swizzle.shift(), 0);
  int read = swizzle.base() + std::max(swizzle.shift(), 0);
  for (int i = 0; i < swizzle.bits(); ++i) {
    auto last = static_cast<int>(goesTo.size()) - 1;
    if (read + i > last || written + i > last) {
      return refuse("the swizzle {} reaches beyond the size of {}", swizzle.text(), layout.text());
    }
    auto at = [&](int bit) { return goesTo[static_cast<std::size_t>(bit)]; };
    if (at(read + i) != at(read) + i || at(written + i) != at(written) + i) {
      return refuse("the swizzle {} is torn apart by {}", swizzle.text(), layout.text());
    }
  }
  int from = goesTo[static_cast<std::size_t>(read)];
  int to = goesTo[static_cast<std::size_t>(written)];
  return Swizzle::make(swizzle.bits(), std::min(from, to), from - to);
}

Expected<Layout> right_inverse(const Layout& layout, WhenUnknown unknown) {
  return named(rightInverse(layout, unknown), "right_inverse", layout);
}

Expected<AnyLayout> right_inverse(const AnyLayout& layout) {
  return named(
      inverseOf(layout, [](const Layout& l) { return rightInverse(l, WhenUnknown::Refuse); }),
      "right_inverse", layout);
}

Expected<Layout> left_inverse(const Layout& layout) {
  return named(leftInverse(layout), "left_inverse", layout);
}

Expected<AnyLayout> left_inverse(const AnyLayout& layout) {
  return named(inverseOf(layout, [](const Layout& l) { return leftInverse(l); }), "left_inverse",
               layout);
}

Expected<Layout> nullspace(const Layout& layout) {
  FlatModes out;
  Int place = 1;
  for (const FlatMode& mode : flatModes(layout)) {
    if (mode.stride.is(0)) out.push({mode.extent, mode.extent.is(1) ? Int(0) : place, {}});
    place = place * mode.extent;
  }
  return named(fromModes(out), "nullspace", layout);
}

Expected<Layout> nullspace(const AnyLayout& layout) { return nullspace(layout.outer()); }

}  // namespace cutwork::cute

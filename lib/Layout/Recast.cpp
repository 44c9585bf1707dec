// Recast.cpp -- layouts of the same bytes in larger or smaller elements.
#include "cutwork/Layout/Recast.h"

#include <bit>
#include <numeric>

#include "FlatModes.h"
#include "Refusal.h"

namespace cutwork::cute {

namespace {

Error unknownStride(Int stride, std::int64_t n) {
  return refuse("it is not known whether the stride {} is a multiple of {}", stride.text(), n);
}

Expected<FlatMode> upcastMode(FlatMode mode, std::int64_t n) {
  if (mode.stride.is(0)) return mode;
  if (divides(n, mode.stride) == Truth::Yes) {
    mode.stride = floorDiv(mode.stride, n);
    return mode;
  }
  if (mode.extent.is(1)) {
    mode.stride = ceilDiv(mode.stride, n);
    return mode;
  }
  if (!mode.stride.isStatic()) return unknownStride(mode.stride, n);
  Int step = abs(mode.stride);
  if (divides(step, n) != Truth::Yes) {
    return refuse("neither of the stride {} and {} divides the other", mode.stride.text(), n);
  }
  Int together = floorDiv(n, step);
  mode.stride = mode.stride.value() > 0 ? 1 : -1;
  if (divides(together, mode.extent) == Truth::Yes) {
    mode.extent = floorDiv(mode.extent, together);
  } else if (lessEqualPositive(mode.extent, together) == Truth::Yes) {
    mode.extent = 1;
  } else if (mode.extent.isStatic()) {
    return refuse("the extent {} is not divisible by {}, the coordinates that fall together",
                  mode.extent.text(), together.text());
  } else {
    return refuse(
        "it is not known whether the extent {} is divisible by {}, the coordinates that fall "
        "together",
        mode.extent.text(), together.text());
  }
  return mode;
}

bool isContiguous(const FlatMode& mode) { return mode.stride.is(1) || mode.stride.is(-1); }

Expected<FlatMode> downcastMode(FlatMode mode, std::int64_t n) {
  if (mode.stride.isDynamic() && mode.stride.divisor() == 1) {
    return refuse("it is not known whether the stride {} is 1", mode.stride.text());
  }
  if (isContiguous(mode)) {
    mode.extent = mode.extent * n;
  } else {
    mode.stride = mode.stride * n;
  }
  return mode;
}

using ModeRule = Expected<FlatMode> (*)(FlatMode, std::int64_t);

Status recastInto(LayoutBuilder& out, LayoutView layout, std::int64_t n, ModeRule rule) {
  if (layout.isLeaf()) {
    CW_TRY(FlatMode mode,
           rule({layout.shape.value(), layout.stride.value(), layout.stride.basis()}, n));
    out.leaf(mode.extent, mode.stride, mode.basis);
    return Success{};
  }
  out.open();
  for (int i = 0; i < layout.rank(); ++i) {
    auto done = recastInto(out, layout[i], n, rule);
    if (!done) return inMode(std::move(done).takeError(), i);
  }
  out.close();
  return Success{};
}

/// Whether the elements of a recast fill whole ones. Where they do not, there is no right answer;
/// then every mode of stride 1 grows, as in CuTe.
enum class Parts : std::uint8_t { Whole, Broken };

// A larger element's parts lie along one mode, so one mode of stride 1 grows: one with an extent
// above 1, else the first. The others, of extent 1, get stride 0 here, which keeps downcastMode
// from them.
Layout withOneContiguous(LayoutView layout) {
  bool taken = false;
  for (const FlatMode& mode : flatModes(layout)) {
    taken = taken || (isContiguous(mode) && !mode.extent.is(1));
  }
  LayoutBuilder out;
  auto write = [&](auto& self, LayoutView mode) -> void {
    if (mode.isLeaf()) {
      FlatMode leaf{mode.shape.value(), mode.stride.value(), mode.stride.basis()};
      bool idle = leaf.extent.is(1) && isContiguous(leaf) && std::exchange(taken, true);
      return out.leaf(leaf.extent, idle ? Int(0) : leaf.stride, leaf.basis);
    }
    out.open();
    for (int i = 0; i < mode.rank(); ++i) self(self, mode[i]);
    out.close();
  };
  write(write, layout);
  return *out.finish();
}

Expected<Layout> recast(LayoutView layout, std::int64_t n, ModeRule rule,
                        Parts parts = Parts::Whole) {
  if (n <= 0) return refuse("{} is no number of elements", n);
  if (n == 1) return Layout(layout);
  for (const FlatMode& mode : flatModes(layout)) {
    if (mode.stride.isStatic() && mode.stride.value() < 0) {
      return refuse("the stride {} is negative", mode.stride.text());
    }
  }
  if (hasBasisStrides(layout)) return refuse("the values are coordinates, not offsets of elements");
  LayoutBuilder out;
  bool oneGrows = rule == downcastMode && parts == Parts::Whole;
  Layout from = oneGrows ? withOneContiguous(layout) : Layout(layout);
  CW_DO(recastInto(out, from, n, rule));
  return out.finish();
}

enum class Direction : std::uint8_t { Up, Down };

Expected<ComposedLayout> recast(const ComposedLayout& layout, std::int64_t n, Direction direction) {
  bool up = direction == Direction::Up;
  CW_TRY(Layout outer, recast(layout.outer(), n, up ? upcastMode : downcastMode));
  if (layout.swizzle() == nullptr)
    return refuse("only a swizzle can be recast, not {}", layout.text());
  if (!std::has_single_bit(static_cast<std::uint64_t>(n))) {
    return refuse("a swizzle is recast by powers of two, not by {}", n);
  }
  int by = std::countr_zero(static_cast<std::uint64_t>(n));
  const Swizzle& s = *layout.swizzle();
  CW_TRY(
      Swizzle moved,
      Swizzle::make(s.bits(), s.isIdentity() ? s.base() : s.base() + (up ? -by : by), s.shift()));
  Int offset = layout.offset().value();
  if (up && divides(n, offset) != Truth::Yes) {
    return refuse("the offset {} is not divisible by {}, or it is not known to be", offset.text(),
                  n);
  }
  return ComposedLayout::make(moved, up ? floorDiv(offset, n) : offset * n, std::move(outer));
}

Expected<AnyLayout> recast(const AnyLayout& layout, std::int64_t n, Direction direction,
                           Parts parts = Parts::Whole) {
  if (layout.plain()) {
    CW_TRY(Layout made, recast(*layout.plain(), n,
                               direction == Direction::Up ? upcastMode : downcastMode, parts));
    return AnyLayout(std::move(made));
  }
  CW_TRY(ComposedLayout made, recast(*layout.composed(), n, direction));
  return AnyLayout(std::move(made));
}

template <class L>
Expected<L> recastBits(std::int64_t newBits, std::int64_t oldBits, const L& layout) {
  if (newBits <= 0 || oldBits <= 0) return refuse("elements of {} and {} bits", newBits, oldBits);
  std::int64_t common = std::gcd(newBits, oldBits);
  CW_TRY(AnyLayout larger, recast(AnyLayout(layout), newBits / common, Direction::Up));
  Int bits = size(AnyLayout(layout).outer().view()) * oldBits;
  Parts parts = divides(newBits, bits) == Truth::No ? Parts::Broken : Parts::Whole;
  CW_TRY(AnyLayout made, recast(larger, oldBits / common, Direction::Down, parts));
  if constexpr (std::is_same_v<L, Layout>) {
    return *made.plain();
  } else {
    return made;
  }
}

}  // namespace

Expected<Layout> upcast(const Layout& layout, std::int64_t n) {
  return named(recast(layout.view(), n, upcastMode), "upcast", layout, Int(n));
}
Expected<AnyLayout> upcast(const AnyLayout& layout, std::int64_t n) {
  return named(recast(layout, n, Direction::Up), "upcast", layout, Int(n));
}
Expected<Layout> downcast(const Layout& layout, std::int64_t n) {
  return named(recast(layout.view(), n, downcastMode), "downcast", layout, Int(n));
}
Expected<AnyLayout> downcast(const AnyLayout& layout, std::int64_t n) {
  return named(recast(layout, n, Direction::Down), "downcast", layout, Int(n));
}
Expected<Layout> recast_layout(std::int64_t newBits, std::int64_t oldBits, const Layout& layout) {
  return named(recastBits(newBits, oldBits, layout), "recast_layout", Int(newBits), Int(oldBits),
               layout);
}
Expected<AnyLayout> recast_layout(std::int64_t newBits, std::int64_t oldBits,
                                  const AnyLayout& layout) {
  return named(recastBits(newBits, oldBits, layout), "recast_layout", Int(newBits), Int(oldBits),
               layout);
}

}  // namespace cutwork::cute

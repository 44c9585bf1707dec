// Coalesce.cpp -- dropping and merging modes, filtering, flattening.
#include "cutwork/Layout/Coalesce.h"

#include "FlatModes.h"
#include "Refusal.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

// Whether `next` continues `mode`, proved from static values.
bool continues(const FlatMode& mode, const FlatMode& next) {
  return mode.extent.isStatic() && mode.stride.isStatic() && next.stride.isStatic() &&
         mode.basis == next.basis && same(mode.extent * mode.stride, next.stride);
}

void addCoalesced(FlatModes& modes, FlatMode mode) {
  if (mode.extent.is(1)) return;
  if (mode.stride.is(0)) mode.basis = {};
  if (!modes.empty() && continues(modes.back(), mode)) {
    modes.back().extent = modes.back().extent * mode.extent;
  } else {
    modes.push(mode);
  }
}

template <class F>
void forEachLeaf(LayoutView layout, F&& f) {
  std::span<const Node> shape = layout.shape.nodes();
  std::span<const Node> stride = layout.stride.nodes();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].kind == NodeKind::Integer)
      f(FlatMode{shape[i].integer, stride[i].integer, stride[i].basis});
  }
}

Status coalesceInto(LayoutBuilder& out, LayoutView layout, IntTupleView profile) {
  if (profile.isLeaf()) {
    appendAsOne(out, coalescedModes(layout));
    return Success{};
  }
  if (profile.rank() > layout.rank()) {
    return refuse("the profile {} has more modes than {}", profile.text(), layout.text());
  }
  if (profile.rank() == 0) {
    out.append(layout);
    return Success{};
  }
  out.open();
  for (int i = 0; i < layout.rank(); ++i) {
    if (i >= profile.rank()) {
      out.append(layout[i]);
      continue;
    }
    auto done = coalesceInto(out, layout[i], profile[i]);
    if (!done) return inMode(std::move(done).takeError(), i);
  }
  out.close();
  return Success{};
}

// Writes `layout` with extent 1 where `isZero(extent's profile entry)`.
Status filterInto(IntTupleBuilder& out, IntTupleView shape, IntTupleView profile) {
  if (profile.isLeaf()) {
    bool zero = profile.isLeaf() && !profile.isHole() && profile.value().is(0);
    if (!zero) {
      out.append(shape);
      return Success{};
    }
    CW_TRY(IntTuple ones, repeat_like(1, shape));
    out.append(ones);
    return Success{};
  }
  if (shape.isLeaf() || profile.rank() > shape.rank()) {
    return refuse("the profile {} has more modes than {}", profile.text(), shape.text());
  }
  out.open();
  for (int i = 0; i < shape.rank(); ++i) {
    if (i >= profile.rank()) {
      out.append(shape[i]);
      continue;
    }
    auto done = filterInto(out, shape[i], profile[i]);
    if (!done) return inMode(std::move(done).takeError(), i);
  }
  out.close();
  return Success{};
}

Expected<Layout> filterZeros(const Layout& layout, IntTupleView profile) {
  IntTupleBuilder shape;
  CW_DO(filterInto(shape, layout.shape(), profile));
  return Layout::fromParts(shape.finish(), layout.stride());
}

Expected<Layout> coalesceByProfile(const Layout& layout, IntTupleView profile) {
  LayoutBuilder out;
  CW_DO(coalesceInto(out, layout, profile));
  return out.finish();
}

}  // namespace

FlatModes flatModes(LayoutView layout) {
  FlatModes modes;
  forEachLeaf(layout, [&](const FlatMode& mode) { modes.push(mode); });
  return modes;
}

FlatModes coalescedModes(LayoutView layout) {
  FlatModes modes;
  forEachLeaf(layout, [&](const FlatMode& mode) { addCoalesced(modes, mode); });
  return modes;
}

FlatModes coalescedModes(const FlatModes& list) {
  FlatModes modes;
  for (const FlatMode& mode : list) addCoalesced(modes, mode);
  return modes;
}

FlatModes filteredModes(LayoutView layout) {
  FlatModes modes;
  forEachLeaf(layout, [&](const FlatMode& mode) {
    if (!mode.stride.is(0)) addCoalesced(modes, mode);
  });
  return modes;
}

void appendAsOne(LayoutBuilder& out, const FlatModes& modes) {
  if (modes.empty()) return out.leaf(1, 0);
  if (modes.size() > 1) out.open();
  for (const FlatMode& mode : modes) out.leaf(mode.extent, mode.stride, mode.basis);
  if (modes.size() > 1) out.close();
}

Expected<Layout> fromModes(const FlatModes& modes) {
  LayoutBuilder out;
  appendAsOne(out, modes);
  return out.finish();
}

Expected<Layout> coalesce(const Layout& layout) {
  if (layout.rank() == 0) return layout;
  return named(fromModes(coalescedModes(layout)), "coalesce", layout);
}

Expected<AnyLayout> coalesce(const AnyLayout& layout) {
  return layout.map([](const Layout& outer) { return coalesce(outer); });
}

Expected<Layout> coalesce(const Layout& layout, const IntTuple& profile) {
  return named(coalesceByProfile(layout, profile), "coalesce", layout, profile);
}

Expected<AnyLayout> coalesce(const AnyLayout& layout, const IntTuple& profile) {
  return layout.map([&](const Layout& outer) { return coalesce(outer, profile); });
}

Expected<Layout> filter_zeros(const Layout& layout) { return filterZeros(layout, layout.stride()); }

Expected<Layout> filter_zeros(const Layout& layout, const IntTuple& profile) {
  return named(filterZeros(layout, profile), "filter_zeros", layout, profile);
}

Expected<Layout> filter(const Layout& layout) {
  if (layout.rank() == 0) return layout;
  return named(fromModes(filteredModes(layout)), "filter", layout);
}

Expected<AnyLayout> filter_zeros(const AnyLayout& layout) {
  return layout.map([](const Layout& outer) { return filter_zeros(outer); });
}

Expected<AnyLayout> filter(const AnyLayout& layout) {
  return layout.map([](const Layout& outer) { return filter(outer); });
}

Expected<Layout> flatten(const Layout& layout) {
  return Layout::fromParts(flatten(layout.shape().view()), flatten(layout.stride().view()));
}

Expected<AnyLayout> flatten(const AnyLayout& layout) {
  return layout.map([](const Layout& outer) { return flatten(outer); });
}

}  // namespace cutwork::cute

// Complement.cpp -- gaps between the values of a layout, for integers and by coordinate mode.
#include "cutwork/Layout/Complement.h"

#include <algorithm>

#include "ComplementModes.h"
#include "Refusal.h"
#include "Walk.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

enum class LastMode : std::uint8_t { Keep, DropIfOne };

// The gaps as the modes of a complement.
Expected<FlatModes> complementModes(const FlatModes& modes, IntTupleView cotarget, BasisPath basis,
                                    LastMode last) {
  CW_TRY(FlatModes found, gaps(modes, cotarget, basis));
  if (last == LastMode::Keep) return found;
  FlatModes shorter = coalescedModes(found);
  if (!shorter.empty()) return shorter;
  FlatModes one;
  one.push({1, found.back().stride, basis});
  return one;
}

FlatModes withPath(const FlatModes& modes, BasisPath path) {
  FlatModes of;
  for (const FlatMode& mode : modes) {
    if (mode.basis == path) of.push(mode);
  }
  return of;
}

// Whether any mode's basis lies strictly inside `path`; the number of modes there.
int modesInside(const FlatModes& modes, BasisPath path) {
  int count = 0;
  for (const FlatMode& mode : modes) {
    if (mode.basis.depth() <= path.depth()) continue;
    bool inside = true;
    for (int i = 0; i < path.depth(); ++i) inside = inside && mode.basis[i] == path[i];
    if (inside) count = std::max(count, mode.basis[path.depth()] + 1);
  }
  return count;
}

struct CoordinateComplement {
  const FlatModes& modes;
  LastMode last;

  Status into(LayoutBuilder& out, IntTupleView cotarget, BasisPath path, bool known) const {
    int count = modesInside(modes, path);
    bool top = path.depth() == 0;
    if (known && cotarget.isTuple() && (count > 0 || top)) count = std::max(count, cotarget.rank());
    if (count == 0) {
      CW_TRY(FlatModes found, complementModes(withPath(modes, path),
                                              known ? cotarget : IntTuple(1).view(), path, last));
      appendAsOne(out, found);
      return Success{};
    }
    if (!withPath(modes, path).empty()) return refuse("basis strides name overlapping modes");
    out.open();
    for (int i = 0; i < count; ++i) {
      BasisPath inner = path;
      inner.push(i);
      bool has = known && (cotarget.isTuple() ? i < cotarget.rank() : i == 0);
      auto done = into(out, has ? cotarget[i] : cotarget, inner, has);
      if (!done) return inMode(std::move(done).takeError(), i);
    }
    out.close();
    return Success{};
  }
};

Expected<Layout> complementIn(LayoutView layout, IntTupleView cotarget, LastMode last) {
  FlatModes modes = filteredModes(layout);
  LayoutBuilder out;
  if (!hasBasisStrides(layout)) {
    CW_TRY(FlatModes found, complementModes(modes, cotarget, {}, last));
    appendAsOne(out, found);
    return out.finish();
  }
  for (const FlatMode& mode : modes) {
    if (mode.basis.depth() == 0) return refuse("integer and basis strides are mixed");
  }
  // Extents of 1 still say which coordinate modes there are.
  FlatModes all = modes;
  for (const FlatMode& mode : flatModes(layout)) {
    if (mode.extent.is(1) && mode.basis.depth() != 0) all.push({1, 0, mode.basis});
  }
  CoordinateComplement by{all, last};
  CW_DO(by.into(out, cotarget, {}, last == LastMode::DropIfOne));
  return out.finish();
}

Expected<IntTuple> positiveCotarget(IntTupleView cotarget) {
  for (const Node& node : cotarget.nodes()) {
    if (node.kind == NodeKind::Tuple) continue;
    bool positive = !node.integer.isStatic() || node.integer.value() > 0;
    bool fine = node.kind == NodeKind::Integer && node.basis.depth() == 0 && positive;
    if (!fine) return refuse("the cotarget {} is not made of positive integers", cotarget.text());
  }
  return IntTuple(cotarget);
}

}  // namespace

Expected<FlatModes> sortedByStride(const FlatModes& modes) {
  for (const FlatMode& mode : modes) {
    if (mode.stride.isStatic() && mode.stride.value() < 0) {
      return refuse("the stride {} is negative", mode.stride.text());
    }
    if (mode.stride.isDynamic() && modes.size() > 1) {
      return refuse("it is not known how the stride {} compares with the others",
                    mode.stride.text());
    }
    if (mode.stride.isDynamic()) {
      CW_DO(assume(isLess(0, mode.stride),
                   fmt::format("the stride {} is positive", mode.stride.text())));
    }
  }
  FlatModes sorted = modes;
  std::sort(sorted.begin(), sorted.end(), [](const FlatMode& a, const FlatMode& b) {
    if (!same(a.stride, b.stride)) return a.stride.value() < b.stride.value();
    return a.extent.isStatic() && b.extent.isStatic() && a.extent.value() < b.extent.value();
  });
  return sorted;
}

Expected<FlatModes> gaps(const FlatModes& modes, IntTupleView cotarget, BasisPath basis) {
  FlatModes found;
  Int end = 1;
  CW_TRY(FlatModes sorted, sortedByStride(modes));
  for (const FlatMode& mode : sorted) {
    if (mode.stride.is(0)) continue;
    if (lessEqualPositive(end, mode.stride) != Truth::Yes) {
      std::string rule =
          fmt::format("the stride {} reaches beyond {}, where the modes before it end",
                      mode.stride.text(), end.text());
      if (end.isStatic() && mode.stride.isStatic()) {
        return refuse(
            "the stride {} lies before {}, where the modes before it end: the layout is not "
            "injective",
            mode.stride.text(), end.text());
      }
      CW_DO(assume(isLess(end - 1, mode.stride), rule));
    }
    Int gap = floorDiv(mode.stride, end);
    if (!gap.is(1)) found.push({gap, end, basis});
    end = mode.stride * mode.extent;
  }
  CW_TRY(IntTuple count, ceil_div(cotarget, IntTuple(end)));
  found.push({product(count), end, basis});
  return found;
}

Expected<Layout> complementOf(LayoutView layout, IntTupleView cotarget) {
  CW_TRY(IntTuple target, positiveCotarget(cotarget));
  return complementIn(layout, target, LastMode::DropIfOne);
}

Expected<Layout> complement(const Layout& layout) {
  return named(complementIn(layout, IntTuple(1), LastMode::Keep), "complement", layout);
}

Expected<Layout> complement(const Layout& layout, const IntTuple& cotarget) {
  // By mode only where the layout maps to coordinates; else the size is meant.
  IntTuple target = hasBasisStrides(layout) ? IntTuple(cotarget) : IntTuple(product(cotarget));
  auto checkedTarget = positiveCotarget(cotarget);
  if (!checkedTarget)
    return named(std::move(checkedTarget).takeError(), "complement", layout, cotarget);
  return named(complementOf(layout, target), "complement", layout, cotarget);
}

Expected<Layout> complement(const AnyLayout& layout) { return complement(layout.outer()); }

Expected<Layout> complement(const AnyLayout& layout, const IntTuple& cotarget) {
  return complement(layout.outer(), cotarget);
}

}  // namespace cutwork::cute

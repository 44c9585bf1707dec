// Modes.cpp -- picking modes of tuples and layouts, and grouping them anew.
#include "cutwork/Layout/Modes.h"

#include "Refusal.h"

namespace cutwork::cute {

namespace {

// The same change made to shape and strides; both have the same profile, so both agree to it.
template <class F>
Expected<Layout> toBoth(const Layout& layout, F&& f) {
  return Layout::fromParts(f(layout.shape().view()), f(layout.stride().view()));
}

Error noMode(int mode, IntTupleView t) {
  return refuse("there is no mode {} in {}, which has rank {}", mode, t.text(), t.rank());
}

bool hasRange(IntTupleView t, int begin, int end) {
  return 0 <= begin && begin <= end && end <= t.rank();
}

Error noRange(int begin, int end, IntTupleView t) {
  return refuse("there are no modes {} to {} in {}, which has rank {}", begin, end, t.text(),
                t.rank());
}

Expected<IntTuple> selectModes(IntTupleView t, std::span<const int> modes) {
  IntTupleBuilder out;
  out.open();
  for (int mode : modes) {
    if (mode < 0 || mode >= t.rank()) return noMode(mode, t);
    out.append(t[mode]);
  }
  out.close();
  return out.finish();
}

Expected<IntTuple> getMode(IntTupleView t, std::span<const int> path) {
  IntTupleView at = t;
  for (int mode : path) {
    if (at.isLeaf() || mode < 0 || mode >= at.rank()) return noMode(mode, at);
    at = at[mode];
  }
  return IntTuple(at);
}

Expected<IntTuple> takeModes(IntTupleView t, int begin, int end) {
  if (!hasRange(t, begin, end)) return noRange(begin, end, t);
  IntTupleBuilder out;
  out.open();
  for (int i = begin; i < end; ++i) out.append(t[i]);
  out.close();
  return out.finish();
}

Expected<IntTuple> groupModes(IntTupleView t, int begin, int end) {
  if (!hasRange(t, begin, end)) return noRange(begin, end, t);
  IntTupleBuilder out;
  out.open();
  for (int i = 0; i < begin; ++i) out.append(t[i]);
  if (begin < end) {
    out.open();
    for (int i = begin; i < end; ++i) out.append(t[i]);
    out.close();
  }
  for (int i = end; i < t.rank(); ++i) out.append(t[i]);
  out.close();
  return out.finish();
}

// t with `count` times `element` before or behind its modes; a leaf with none stays a leaf.
Expected<IntTuple> extended(IntTupleView t, IntTupleView element, int count, bool atEnd) {
  if (count <= 0) return IntTuple(t);
  if (count > static_cast<int>(kMaxNodes))
    return refuse("a rank of more than {} is not supported", kMaxNodes);
  IntTupleBuilder out;
  out.open();
  if (atEnd) out.appendModes(t);
  for (int i = 0; i < count; ++i) out.append(element);
  if (!atEnd) out.appendModes(t);
  out.close();
  return out.finish();
}

Expected<Layout> extended(const Layout& t, const Layout& element, int count, bool atEnd) {
  return Layout::fromParts(extended(t.shape().view(), element.shape(), count, atEnd),
                           extended(t.stride().view(), element.stride(), count, atEnd));
}

}  // namespace

Expected<IntTuple> select(const IntTuple& t, std::span<const int> modes) {
  return named(selectModes(t, modes), "select", t);
}
Expected<Layout> select(const Layout& t, std::span<const int> modes) {
  return named(toBoth(t, [&](IntTupleView v) { return selectModes(v, modes); }), "select", t);
}

Expected<IntTuple> get(const IntTuple& t, std::span<const int> path) {
  return named(getMode(t, path), "get", t);
}
Expected<Layout> get(const Layout& t, std::span<const int> path) {
  return named(toBoth(t, [&](IntTupleView v) { return getMode(v, path); }), "get", t);
}

Expected<IntTuple> take(const IntTuple& t, int begin, int end) {
  return named(takeModes(t, begin, end), "take", t);
}
Expected<Layout> take(const Layout& t, int begin, int end) {
  return named(toBoth(t, [&](IntTupleView v) { return takeModes(v, begin, end); }), "take", t);
}

Expected<IntTuple> group(const IntTuple& t, int begin, int end) {
  return named(groupModes(t, begin, end), "group", t);
}
Expected<Layout> group(const Layout& t, int begin, int end) {
  return named(toBoth(t, [&](IntTupleView v) { return groupModes(v, begin, end); }), "group", t);
}

Expected<IntTuple> append(const IntTuple& t, const IntTuple& element) {
  return named(extended(t, element, 1, true), "append", t, element);
}
Expected<Layout> append(const Layout& t, const Layout& element) {
  return named(extended(t, element, 1, true), "append", t, element);
}
Expected<IntTuple> append(const IntTuple& t, const IntTuple& element, int rank) {
  return named(extended(t, element, rank - t.rank(), true), "append", t, element);
}
Expected<Layout> append(const Layout& t, const Layout& element, int rank) {
  return named(extended(t, element, rank - t.rank(), true), "append", t, element);
}
Expected<IntTuple> prepend(const IntTuple& t, const IntTuple& element) {
  return named(extended(t, element, 1, false), "prepend", t, element);
}
Expected<Layout> prepend(const Layout& t, const Layout& element) {
  return named(extended(t, element, 1, false), "prepend", t, element);
}
Expected<IntTuple> prepend(const IntTuple& t, const IntTuple& element, int rank) {
  return named(extended(t, element, rank - t.rank(), false), "prepend", t, element);
}
Expected<Layout> prepend(const Layout& t, const Layout& element, int rank) {
  return named(extended(t, element, rank - t.rank(), false), "prepend", t, element);
}

}  // namespace cutwork::cute

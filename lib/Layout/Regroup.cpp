// Regroup.cpp -- zipped, tiled and flat forms of what divides and products make.
#include "Regroup.h"

#include "Refusal.h"

namespace cutwork::cute {

namespace {

Status unzip(LayoutBuilder& firsts, LayoutBuilder& seconds, LayoutView pairs, const Tiler& tiler) {
  if (!tiler.isByMode()) {
    if (pairs.isLeaf() || pairs.rank() != 2) {
      return refuse("{} is no pair of a tile and its rest, which a hole needs", pairs.text());
    }
    firsts.append(pairs[0]);
    seconds.append(pairs[1]);
    return Success{};
  }
  firsts.open();
  seconds.open();
  int rank = static_cast<int>(tiler.modes().size());
  for (int i = 0; i < pairs.rank(); ++i) {
    if (i >= rank) {
      seconds.append(pairs[i]);
      continue;
    }
    auto done = unzip(firsts, seconds, pairs[i], tiler.modes()[static_cast<std::size_t>(i)]);
    if (!done) return inMode(std::move(done).takeError(), i);
  }
  firsts.close();
  seconds.close();
  return Success{};
}

}  // namespace

Expected<Layout> regroup(LayoutView pairs, const Tiler& tiler, Grouping grouping) {
  LayoutBuilder firstBuilder;
  LayoutBuilder secondBuilder;
  CW_DO(unzip(firstBuilder, secondBuilder, pairs, tiler));
  CW_TRY(Layout first, firstBuilder.finish());
  CW_TRY(Layout second, secondBuilder.finish());
  LayoutBuilder out;
  out.open();
  if (grouping == Grouping::Flat) {
    out.appendModes(first);
  } else {
    out.append(first);
  }
  if (grouping == Grouping::Zipped) {
    out.append(second);
  } else {
    out.appendModes(second);
  }
  out.close();
  return out.finish();
}

}  // namespace cutwork::cute

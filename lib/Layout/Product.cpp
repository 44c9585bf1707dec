// Product.cpp -- repetitions of a layout, and tiling up to a shape.
#include "cutwork/Layout/Product.h"

#include "ComplementModes.h"
#include "Compose.h"
#include "Refusal.h"
#include "Regroup.h"
#include "Walk.h"
#include "cutwork/Layout/Construct.h"
#include "cutwork/Layout/Modes.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

// The places that `block` leaves free, as far as the values of `tiler` reach.
Expected<Layout> freePlaces(LayoutView block, const Layout& tiler) {
  if (hasBasisStrides(block)) return refuse("the block {} has basis strides", block.text());
  CW_TRY(Int reach, cosize(tiler));
  FlatModes modes = filteredModes(block);
  Int distinct = 1;
  for (const FlatMode& mode : modes) distinct = distinct * mode.extent;
  CW_TRY(FlatModes found, gaps(modes, IntTuple(distinct * reach), {}));
  return fromModes(found);
}

// The repetitions alone.
Expected<Layout> repeats(LayoutView block, const Layout& tiler) {
  CW_TRY(Layout places, freePlaces(block, tiler));
  return compose(places.view(), tiler.view());
}

Status multiplyInto(LayoutBuilder& out, LayoutView block, const Tiler& tiler) {
  if (tiler.isHole()) {
    out.append(block);
    return Success{};
  }
  if (tiler.isLayout()) {
    CW_TRY(Layout repeated, repeats(block, tiler.layout()));
    out.open(), out.append(block), out.append(repeated), out.close();
    return Success{};
  }
  int rank = static_cast<int>(tiler.modes().size());
  if (rank > block.rank())
    return refuse("the tiler {} has more modes than {}", tiler.text(), block.text());
  out.open();
  for (int i = 0; i < block.rank(); ++i) {
    if (i >= rank) {
      out.append(block[i]);
      continue;
    }
    auto done = multiplyInto(out, block[i], tiler.modes()[static_cast<std::size_t>(i)]);
    if (!done) return inMode(std::move(done).takeError(), i);
  }
  out.close();
  return Success{};
}

Expected<Layout> multiply(LayoutView block, const Tiler& tiler) {
  LayoutBuilder out;
  CW_DO(multiplyInto(out, block, tiler));
  return out.finish();
}

Expected<Layout> multiplyGrouped(LayoutView block, const Tiler& tiler, Grouping grouping) {
  CW_TRY(Layout pairs, multiply(block, tiler));
  return regroup(pairs, tiler, grouping);
}

// A layout of rank `rank`, with 1:0 for the modes that are missing.
Expected<Layout> padded(const Layout& layout, int rank) {
  return append(layout, Layout::leaf(1, IntTuple(0)), rank);
}

// Block and repetitions of a product whose operands have been made of one rank.
struct Paired {
  Layout block;
  Layout repeats;
};

Expected<Paired> paired(const Layout& block, const Layout& tiler) {
  int rank = std::max(block.rank(), tiler.rank());
  CW_TRY(Layout a, padded(block, rank));
  CW_TRY(Layout b, padded(tiler, rank));
  CW_TRY(Layout repeated, repeats(a, b));
  return Paired{std::move(a), std::move(repeated)};
}

Expected<Layout> blocked(const Layout& block, const Layout& tiler) {
  if (block.shape().isTuple() && block.rank() == 1 && tiler.shape().isLeaf()) {
    return refuse("the tiler {} is an integer on a tuple of one mode; write it as a tuple too",
                  tiler.text());
  }
  CW_TRY(Paired pair, paired(block, tiler));
  LayoutBuilder out;
  out.open();
  if (pair.block.shape().isLeaf()) {
    out.open(), out.append(pair.block), out.append(pair.repeats), out.close();
  } else {
    for (int i = 0; i < pair.block.rank(); ++i) {
      out.open(), out.append(pair.block[i]), out.append(pair.repeats[i]), out.close();
    }
  }
  out.close();
  return out.finish();
}

Expected<Layout> raked(const Layout& block, const Layout& tiler) {
  CW_TRY(Paired pair, paired(block, tiler));
  LayoutBuilder out;
  out.open();
  for (int i = 0; i < pair.block.rank(); ++i) {
    FlatModes modes;
    // The repetitions of an integer tiler are one mode, even if the walk has split it.
    LayoutView repeated =
        tiler.shape().isLeaf() && pair.block.rank() == 1 ? pair.repeats.view() : pair.repeats[i];
    for (LayoutView part : {repeated, LayoutView(pair.block[i])}) {
      for (const FlatMode& mode : flatModes(part)) modes.push(mode);
    }
    FlatModes shorter = coalescedModes(modes);
    if (shorter.empty()) shorter.push(modes.back());
    appendAsOne(out, shorter);
  }
  out.close();
  return out.finish();
}

Expected<IntTuple> repetitions(IntTupleView target, LayoutView block) {
  IntTupleBuilder out;
  out.open();
  for (int i = 0; i < target.rank(); ++i) {
    Int wanted = product(target[i]);
    Int has = i < block.rank() ? product(block.shape[i]) : Int(1);
    if (divides(has, wanted) == Truth::No) {
      return inMode(
          refuse("the extent {} is not divisible by the block's {}", wanted.text(), has.text()), i);
    }
    if (divides(has, wanted) == Truth::Unknown) {
      auto done = assume(
          isEqual(floorMod(wanted, has), 0),
          fmt::format("the extent {} is divisible by the block's {}", wanted.text(), has.text()));
      if (!done) return inMode(std::move(done).takeError(), i);
    }
    out.leaf(floorDiv(wanted, has));
  }
  out.close();
  return out.finish();
}

Expected<Layout> tileTo(const Layout& block, IntTupleView target, const IntTuple* order) {
  if (block.rank() > target.rank()) {
    return refuse("the block {} has more modes than the target {}", block.text(), target.text());
  }
  for (const Node& node : target.nodes()) {
    bool extent =
        node.kind == NodeKind::Tuple || (node.kind == NodeKind::Integer && node.basis.depth() == 0);
    if (!extent) return refuse("the target {} is no shape", target.text());
  }
  CW_TRY(Layout base, padded(block, target.rank()));
  CW_TRY(IntTuple counts, repetitions(target, base));
  CW_TRY(Layout tiler, order ? make_ordered_layout(counts, *order) : make_layout_left(counts));
  return blocked(base, tiler);
}

}  // namespace

Expected<Layout> logical_product(const Layout& block, const Tiler& tiler) {
  return named(multiply(block, tiler), "logical_product", block, tiler);
}
Expected<Layout> zipped_product(const Layout& block, const Tiler& tiler) {
  return named(multiplyGrouped(block, tiler, Grouping::Zipped), "zipped_product", block, tiler);
}
Expected<Layout> tiled_product(const Layout& block, const Tiler& tiler) {
  return named(multiplyGrouped(block, tiler, Grouping::Tiled), "tiled_product", block, tiler);
}
Expected<Layout> flat_product(const Layout& block, const Tiler& tiler) {
  return named(multiplyGrouped(block, tiler, Grouping::Flat), "flat_product", block, tiler);
}
Expected<AnyLayout> logical_product(const AnyLayout& block, const Tiler& tiler) {
  return block.map([&](const Layout& outer) { return logical_product(outer, tiler); });
}
Expected<AnyLayout> zipped_product(const AnyLayout& block, const Tiler& tiler) {
  return block.map([&](const Layout& outer) { return zipped_product(outer, tiler); });
}
Expected<AnyLayout> tiled_product(const AnyLayout& block, const Tiler& tiler) {
  return block.map([&](const Layout& outer) { return tiled_product(outer, tiler); });
}
Expected<AnyLayout> flat_product(const AnyLayout& block, const Tiler& tiler) {
  return block.map([&](const Layout& outer) { return flat_product(outer, tiler); });
}

Expected<Layout> blocked_product(const Layout& block, const Layout& tiler) {
  return named(blocked(block, tiler), "blocked_product", block, tiler);
}
Expected<Layout> raked_product(const Layout& block, const Layout& tiler) {
  return named(raked(block, tiler), "raked_product", block, tiler);
}
Expected<AnyLayout> blocked_product(const AnyLayout& block, const Layout& tiler) {
  return block.map([&](const Layout& outer) { return blocked_product(outer, tiler); });
}
Expected<AnyLayout> raked_product(const AnyLayout& block, const Layout& tiler) {
  return block.map([&](const Layout& outer) { return raked_product(outer, tiler); });
}

Expected<Layout> tile_to_shape(const Layout& block, const IntTuple& target) {
  return named(tileTo(block, target, nullptr), "tile_to_shape", block, target);
}
Expected<Layout> tile_to_shape(const Layout& block, const IntTuple& target, const IntTuple& order) {
  return named(tileTo(block, target, &order), "tile_to_shape", block, target, order);
}
Expected<AnyLayout> tile_to_shape(const AnyLayout& block, const IntTuple& target) {
  return block.map([&](const Layout& outer) { return tile_to_shape(outer, target); });
}
Expected<AnyLayout> tile_to_shape(const AnyLayout& block, const IntTuple& target,
                                  const IntTuple& order) {
  return block.map([&](const Layout& outer) { return tile_to_shape(outer, target, order); });
}

}  // namespace cutwork::cute

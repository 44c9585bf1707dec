// Partition.cpp -- tiles, threads' parts, thread-value layouts, image masks.
#include "cutwork/Layout/Partition.h"

#include <vector>

#include "Compose.h"
#include "Refusal.h"
#include "cutwork/Layout/Construct.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/Divide.h"
#include "cutwork/Layout/Inverse.h"
#include "cutwork/Layout/Product.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

// `coord`, filled with holes behind to `rank` modes; an integer stays.
IntTuple filled(IntTupleView coord, int rank) {
  if (coord.isLeaf()) return IntTuple(coord);
  IntTupleBuilder out;
  out.open();
  out.appendModes(coord);
  for (int i = coord.rank(); i < rank; ++i) out.hole();
  out.close();
  return out.take();
}

IntTuple holes(int rank) { return filled(IntTuple(), rank); }

Expected<OffsetLayout> tileAt(const AnyLayout& layout, const Tiler& tiler, IntTupleView coord) {
  CW_TRY(AnyLayout zipped, zipped_divide(layout, tiler));
  LayoutView tile = zipped.outer()[0];
  LayoutView rest = zipped.outer()[1];
  IntTuple tileCoord = tile.isLeaf() ? IntTuple::hole() : holes(tile.rank());
  return slice_and_offset(IntTuple{tileCoord, filled(coord, rest.rank())}, zipped);
}

Expected<IntTuple> projected(IntTupleView t, IntTupleView projection) {
  if (projection.isLeaf() || t.isLeaf() || t.rank() != projection.rank()) {
    return refuse("the projection {} does not fit {}", projection.text(), t.text());
  }
  IntTupleBuilder out;
  out.open();
  for (int i = 0; i < t.rank(); ++i) {
    if (!projection[i].isHole()) out.append(t[i]);
  }
  out.close();
  return out.finish();
}

Expected<Tiler> projected(const Tiler& tiler, IntTupleView projection) {
  if (!tiler.isByMode() || projection.isLeaf() ||
      static_cast<int>(tiler.modes().size()) != projection.rank()) {
    return refuse("the projection {} does not fit the tiler {}", projection.text(), tiler.text());
  }
  std::vector<Tiler> modes;
  for (int i = 0; i < projection.rank(); ++i) {
    if (!projection[i].isHole()) modes.push_back(tiler.modes()[static_cast<std::size_t>(i)]);
  }
  return Tiler::byMode(std::move(modes));
}

Expected<OffsetLayout> partOf(const AnyLayout& layout, const Layout& threads, Int index,
                              const IntTuple* projection) {
  CW_TRY(IntTuple coord, idx2crd(IntTuple(index), threads.shape(), threads.stride()));
  IntTupleBuilder flatBuilder;
  flatBuilder.open();
  for (int i = 0; i < threads.rank(); ++i) {
    IntTupleView mode = threads.shape().isLeaf() ? coord.view() : coord[i];
    CW_TRY(IntTuple linear, crd2idx(mode, threads.shape()[i]));
    flatBuilder.append(linear);
  }
  flatBuilder.close();
  CW_TRY(IntTuple flat, flatBuilder.finish());
  CW_TRY(IntTuple sizes, product_each(threads.shape()));
  if (projection != nullptr) {
    CW_TRY(flat, projected(flat, *projection));
    CW_TRY(sizes, projected(sizes, *projection));
  }
  CW_TRY(Tiler tiler, Tiler::fromShape(sizes));
  CW_TRY(AnyLayout zipped, zipped_divide(layout, tiler));
  LayoutView rest = zipped.outer()[1];
  return slice_and_offset(IntTuple{flat, rest.isLeaf() ? IntTuple::hole() : holes(rest.rank())},
                          zipped);
}

// Whether the layout takes every integer below its size once.
Status isCompactBijection(const Layout& layout, std::string_view what) {
  CW_TRY(Layout inverse, right_inverse(layout));
  if (equal(size(inverse), size(layout)) == Truth::No) {
    return refuse(
        "the {} {} are no compact bijection: they do not take every integer below {} once", what,
        layout.text(), size(layout).text());
  }
  return Success{};
}

Expected<TiledTV> layoutTV(const Layout& threads, const Layout& values) {
  CW_DO(isCompactBijection(threads, "threads"));
  CW_DO(isCompactBijection(values, "values"));
  CW_TRY(Layout tile, raked_product(threads, values));
  CW_TRY(Layout inverse, right_inverse(tile));
  CW_TRY(Layout order, make_layout(IntTuple{size(threads), size(values)}));
  CW_TRY(Layout tv, compose(inverse.view(), order.view()));
  CW_TRY(IntTuple tiler, product_each(tile.shape()));
  return TiledTV{std::move(tiler), std::move(tv)};
}

Expected<Int> imageMask(const Layout& layout, IntTupleView coord, int mode) {
  if (layout.shape().isLeaf() || mode < 0 || mode >= layout.rank() || coord.isLeaf() ||
      coord.rank() != layout.rank()) {
    return refuse("there is no mode {} in coordinate {} and layout", mode, coord.text());
  }
  IntTupleBuilder varied;
  varied.open();
  for (int i = 0; i < coord.rank(); ++i) i == mode ? varied.hole() : varied.append(coord[i]);
  varied.close();
  CW_TRY(IntTuple open, varied.finish());
  CW_TRY(OffsetLayout part, slice_and_offset(open, layout));
  CW_TRY(std::vector<IntTuple> values, evaluate(part.layout));
  if (!part.offset.isInt()) return refuse("the values are coordinates");
  constexpr std::int64_t kBits = 62;
  std::int64_t mask = 0;
  for (const IntTuple& value : values) {
    if (!value.isInt() || value.value().value() < 0 || value.value().value() > kBits) {
      return refuse("the value {} is no bit of a mask", value.text());
    }
    mask |= std::int64_t{1} << value.value().value();
  }
  Int moved = shiftLeft(mask, part.offset.value());
  if (moved.isInvalid()) {
    return refuse("the values at offset {} are no bits of a mask of 63", part.offset.text());
  }
  return moved;
}

}  // namespace

Expected<OffsetLayout> local_tile(const AnyLayout& layout, const Tiler& tiler,
                                  const IntTuple& coord) {
  return named(tileAt(layout, tiler, coord), "local_tile", layout, tiler, coord);
}

Expected<OffsetLayout> local_tile(const AnyLayout& layout, const Tiler& tiler,
                                  const IntTuple& coord, const IntTuple& projection) {
  auto compute = [&]() -> Expected<OffsetLayout> {
    CW_TRY(Tiler chosen, projected(tiler, projection));
    CW_TRY(IntTuple at, projected(coord, projection));
    return tileAt(layout, chosen, at);
  };
  return named(compute(), "local_tile", layout, tiler, coord, projection);
}

Expected<OffsetLayout> local_partition(const AnyLayout& layout, const Layout& threads, Int index) {
  return named(partOf(layout, threads, index, nullptr), "local_partition", layout, threads, index);
}

Expected<OffsetLayout> local_partition(const AnyLayout& layout, const Layout& threads, Int index,
                                       const IntTuple& projection) {
  return named(partOf(layout, threads, index, &projection), "local_partition", layout, threads,
               index, projection);
}

Expected<TiledTV> make_layout_tv(const Layout& threads, const Layout& values) {
  return named(layoutTV(threads, values), "make_layout_tv", threads, values);
}

Expected<Int> make_layout_image_mask(const Layout& layout, const IntTuple& coord, int mode) {
  return named(imageMask(layout, coord, mode), "make_layout_image_mask", layout, coord);
}

}  // namespace cutwork::cute

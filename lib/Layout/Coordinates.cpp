// Coordinates.cpp -- layouts as functions: coordinates to values and back.
#include "cutwork/Layout/Coordinates.h"

#include "CoordinateSum.h"
#include "Refusal.h"
#include "Walk.h"
#include "cutwork/Layout/Construct.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

// coordinate * stride; where the product is an offset and not known now, in 64 bits.
Int scaled(Int coord, IntTupleView stride) {
  Int d = stride.value();
  if (stride.isBasis() || (coord.isStatic() && d.isStatic())) return coord * d;
  return widen(coord) * widen(d);
}

Expected<Int> splittable(Int index, IntTupleView shape) {
  if (index.isStatic() && index.value() < 0) {
    return refuse("the negative coordinate {} has no place in {}", index.text(), shape.text());
  }
  return index;
}

// Adds the terms of an integer coordinate: the modes but the last take their part of it.
Status addLinear(CoordinateSum& sum, Int index, LayoutView layout) {
  if (layout.isLeaf()) {
    sum.add(layout.stride.basis(), scaled(index, layout.stride));
    return Success{};
  }
  if (layout.rank() == 0) {
    if (index.isStatic() && !index.is(0))
      return refuse("the only coordinate of () is 0, not {}", index.text());
    return Success{};
  }
  if (layout.rank() > 1) {
    CW_TRY(index, splittable(index, layout.shape));
  }
  int last = layout.rank() - 1;
  int i = 0;
  auto stride = layout.stride.begin();
  for (IntTupleView extent : layout.shape) {
    LayoutView mode{extent, *stride++};
    if (i++ == last) return addLinear(sum, index, mode);
    Int modeSize = product(extent);
    CW_DO(addLinear(sum, floorMod(index, modeSize), mode));
    index = floorDiv(index, modeSize);
  }
  return Success{};
}

// Adds the terms of a coordinate of any kind.
Status addTerms(CoordinateSum& sum, IntTupleView coord, LayoutView layout) {
  if (coord.isHole()) return addLinear(sum, 0, layout);
  if (coord.isLeaf()) {
    if (!coord.isInt()) return refuse("the coordinate {} is not an integer", coord.text());
    return addLinear(sum, coord.value(), layout);
  }
  if (layout.isLeaf() || coord.rank() != layout.rank()) {
    return refuse("the coordinate {} does not fit the shape {}", coord.text(), layout.shape.text());
  }
  for (int i = 0; i < coord.rank(); ++i) {
    auto done = addTerms(sum, coord[i], layout[i]);
    if (!done) return inMode(std::move(done).takeError(), i);
  }
  return Success{};
}

Expected<IntTuple> valueAt(IntTupleView coord, LayoutView layout) {
  CoordinateSum sum;
  CW_DO(addTerms(sum, coord, layout));
  return sum.finish();
}

Expected<IntTuple> valueAt(IntTupleView coord, const ComposedLayout& layout) {
  CW_TRY(IntTuple outer, valueAt(coord, layout.outer().view()));
  CW_TRY(IntTuple inside, tuple_add(layout.offset(), outer));
  if (const Swizzle* swizzle = layout.swizzle())
    return checked(IntTuple((*swizzle)(inside.value())));
  return valueAt(inside, std::get<Layout>(layout.inner()).view());
}

Expected<IntTuple> coordinateOf(IntTupleView index, IntTupleView shape) {
  if (shape.isLeaf()) {
    if (!index.isInt())
      return refuse("the index {} does not fit the shape {}", index.text(), shape.text());
    return IntTuple(index);
  }
  if (index.isTuple() && index.rank() != shape.rank()) {
    return refuse("the index {} does not fit the shape {}", index.text(), shape.text());
  }
  if (index.isLeaf() && !index.isInt())
    return refuse("the index {} is not an integer", index.text());
  Int rest = index.isLeaf() ? index.value() : Int(0);
  CW_TRY(rest, splittable(rest, shape));
  IntTupleBuilder out;
  out.open();
  for (int i = 0; i < shape.rank(); ++i) {
    bool last = i == shape.rank() - 1;
    Int modeSize = product(shape[i]);
    // Inside the domain the last mode needs no remainder; run time is not spent on it.
    bool remainder = !last || rest.isStatic();
    IntTuple part = index.isTuple() ? IntTuple(index[i])
                                    : IntTuple(remainder ? floorMod(rest, modeSize) : rest);
    auto mode = coordinateOf(part, shape[i]);
    if (!mode) return inMode(std::move(mode).takeError(), i);
    out.append(*mode);
    rest = floorDiv(rest, modeSize);
  }
  out.close();
  return out.finish();
}

Expected<IntTuple> coordinateOf(IntTupleView index, LayoutView layout) {
  if (layout.isLeaf()) {
    if (!index.isInt() || !layout.stride.isInt()) {
      return refuse("the index {} does not fit {}", index.text(), layout.text());
    }
    Int stride = layout.stride.value();
    if (stride.is(0) || layout.shape.value().is(1)) return IntTuple(0);
    if (stride.isDynamic()) {
      Int nonzero = either(isLess(0, stride), isLess(stride, 0));
      CW_DO(assume(nonzero, fmt::format("the stride {} is not 0", stride.text())));
    }
    return checked(IntTuple(floorMod(floorDiv(index.value(), stride), layout.shape.value())));
  }
  if (index.isTuple() && index.rank() != layout.rank()) {
    return refuse("the index {} does not fit {}", index.text(), layout.text());
  }
  IntTupleBuilder out;
  out.open();
  for (int i = 0; i < layout.rank(); ++i) {
    auto mode = coordinateOf(index.isTuple() ? index[i] : index, layout[i]);
    if (!mode) return inMode(std::move(mode).takeError(), i);
    out.append(*mode);
  }
  out.close();
  return out.finish();
}

// Adds one in colexicographic order; `carry` says whether this part is to be moved on.
Expected<IntTuple> increment(IntTupleView coord, IntTupleView shape, bool last, bool& carry) {
  if (coord.isTuple() != shape.isTuple() || (coord.isTuple() && coord.rank() != shape.rank())) {
    return refuse("the coordinate {} is not congruent to the shape {}", coord.text(), shape.text());
  }
  if (coord.isLeaf()) {
    if (!coord.isInt() || !shape.isInt() || !coord.value().isStatic() ||
        !shape.value().isStatic()) {
      return refuse("{} in {} is not static", coord.text(), shape.text());
    }
    if (!carry) return IntTuple(coord);
    Int next = coord.value() + 1;
    carry = !last && equal(next, shape.value()) == Truth::Yes;
    return checked(IntTuple(carry ? Int(0) : next));
  }
  IntTupleBuilder out;
  out.open();
  for (int i = 0; i < coord.rank(); ++i) {
    bool inLast = last && i == coord.rank() - 1;
    auto mode = increment(coord[i], shape[i], inLast, carry);
    if (!mode) return inMode(std::move(mode).takeError(), i);
    out.append(*mode);
  }
  out.close();
  return out.finish();
}

struct PairText {
  IntTupleView shape;
  IntTupleView stride;
  [[nodiscard]] std::string text() const { return shape.text() + ":" + stride.text(); }
};

}  // namespace

Expected<IntTuple> crd2idx(const IntTuple& coord, const Layout& layout) {
  return named(valueAt(coord, layout.view()), "crd2idx", coord, layout);
}

Expected<IntTuple> crd2idx(const IntTuple& coord, const AnyLayout& layout) {
  if (layout.plain()) return crd2idx(coord, *layout.plain());
  return named(valueAt(coord, *layout.composed()), "crd2idx", coord, layout);
}

Expected<IntTuple> crd2idx(const IntTuple& coord, const IntTuple& shape) {
  auto compact = make_layout_left(shape);
  if (!compact) return named(std::move(compact).takeError(), "crd2idx", coord, shape);
  return named(valueAt(coord, compact->view()), "crd2idx", coord, shape);
}

Expected<IntTuple> idx2crd(const IntTuple& index, const IntTuple& shape) {
  return named(coordinateOf(index, shape), "idx2crd", index, shape);
}

Expected<IntTuple> idx2crd(const IntTuple& index, const IntTuple& shape, const IntTuple& stride) {
  PairText pair{shape, stride};
  if (!congruent(shape, stride)) {
    return named(refuse("shape and stride have different profiles"), "idx2crd", index, pair);
  }
  return named(coordinateOf(index, LayoutView{shape, stride}), "idx2crd", index, pair);
}

Expected<IntTuple> increment_coord(const IntTuple& coord, const IntTuple& shape) {
  bool carry = true;
  return named(increment(coord, shape, true, carry), "increment_coord", coord, shape);
}

namespace {

Status visitValues(const AnyLayout& layout, std::int64_t limit,
                   const std::function<void(const IntTuple&)>& visit) {
  Int count = size(layout.outer());
  if (!count.isStatic() || !isStatic(layout.outer())) {
    return refuse("evaluate: the layout {} is not static", layout.text());
  }
  if (count.value() > limit) {
    return refuse("evaluate: {} has {} values, more than {}", layout.text(), count.value(), limit);
  }
  for (std::int64_t i = 0; i < count.value(); ++i) {
    CW_TRY(IntTuple value, crd2idx(IntTuple(i), layout));
    visit(value);
  }
  return Success{};
}

}  // namespace

Status for_each_value(const AnyLayout& layout, const std::function<void(const IntTuple&)>& visit) {
  return visitValues(layout, kMaxVisited, visit);
}

Expected<std::vector<IntTuple>> evaluate(const AnyLayout& layout) {
  std::vector<IntTuple> values;
  CW_DO(
      visitValues(layout, kMaxEvaluated, [&](const IntTuple& value) { values.push_back(value); }));
  return values;
}

}  // namespace cutwork::cute

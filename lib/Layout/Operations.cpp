// Operations.cpp -- the table of operations by name, and their evaluation on text.
#include "cutwork/Layout/Operations.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "OperationArguments.h"
#include "Refusal.h"
#include "cutwork/Layout/Coalesce.h"
#include "cutwork/Layout/Common.h"
#include "cutwork/Layout/Complement.h"
#include "cutwork/Layout/Composition.h"
#include "cutwork/Layout/Construct.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/Divide.h"
#include "cutwork/Layout/Inverse.h"
#include "cutwork/Layout/Modes.h"
#include "cutwork/Layout/Partition.h"
#include "cutwork/Layout/Product.h"
#include "cutwork/Layout/Recast.h"
#include "cutwork/Layout/Slice.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

using Text = Expected<std::string>;
using Arguments = OperationArguments;

template <class T>
Text textOf(Expected<T> value) {
  if (!value) return std::move(value).takeError();
  return value->text();
}

Text textOf(Truth truth, std::string_view question) {
  if (truth == Truth::Unknown) return refuse("it is not known whether {}", question);
  return std::string(truth == Truth::Yes ? "true" : "false");
}

Text textOf(Expected<OffsetLayout> value) {
  if (!value) return std::move(value).takeError();
  return value->layout.text() + " ; " + value->offset.text();
}

// f(outer layout) for a layout operand, f(tuple) for another.
template <class OnLayout, class OnTuple>
Text onEither(Arguments& a, OnLayout&& onLayout, OnTuple&& onTuple) {
  if (a.isLayout(0)) {
    CW_TRY(AnyLayout layout, a.anyLayout(0));
    return textOf(layout.map([&](const Layout& outer) { return onLayout(outer); }));
  }
  CW_TRY(IntTuple tuple, a.tuple(0));
  return textOf(onTuple(tuple.view()));
}

// f(layout) of any layout.
template <class F>
Text onLayout(Arguments& a, F&& f) {
  CW_TRY(AnyLayout layout, a.anyLayout(0));
  return textOf(f(layout));
}

// f(layout, tiler).
template <class F>
Text withTiler(Arguments& a, F&& f) {
  CW_TRY(AnyLayout layout, a.anyLayout(0));
  CW_TRY(Tiler tiler, a.tiler(1));
  return textOf(f(layout, tiler));
}

// f(tuple, tuple).
template <class F>
Text onTuples(Arguments& a, F&& f) {
  CW_TRY(IntTuple x, a.tuple(0));
  CW_TRY(IntTuple y, a.tuple(1));
  return f(x.view(), y.view());
}

template <class F>
Text onShape(Arguments& a, F&& f) {
  CW_TRY(IntTuple shape, a.tuple(0));
  return textOf(f(shape));
}

Text coalesceText(Arguments& a) {
  CW_TRY(AnyLayout layout, a.anyLayout(0));
  if (a.count() == 1) return textOf(coalesce(layout));
  CW_TRY(IntTuple profile, a.tuple(1));
  return textOf(coalesce(layout, profile));
}

Text compositionText(Arguments& a) {
  CW_TRY(AnyLayout left, a.anyLayout(0));
  if (!a.isComposed(1))
    return withTiler(a, [](const AnyLayout& l, const Tiler& t) { return composition(l, t); });
  CW_TRY(AnyLayout right, a.anyLayout(1));
  return textOf(composition(left, *right.composed()));
}

Text complementText(Arguments& a) {
  CW_TRY(AnyLayout layout, a.anyLayout(0));
  if (a.count() == 1) return textOf(complement(layout));
  CW_TRY(IntTuple cotarget, a.tuple(1));
  return textOf(complement(layout, cotarget));
}

template <class F>
Text blockAndLayout(Arguments& a, F&& f) {
  CW_TRY(AnyLayout block, a.anyLayout(0));
  CW_TRY(Layout tiler, a.layout(1));
  return textOf(f(block, tiler));
}

Text tileToShapeText(Arguments& a) {
  CW_TRY(AnyLayout block, a.anyLayout(0));
  CW_TRY(IntTuple target, a.shape(1));
  if (a.count() == 2) return textOf(tile_to_shape(block, target));
  CW_TRY(IntTuple order, a.tuple(2));
  return textOf(tile_to_shape(block, target, order));
}

template <class OnLayout, class OnTuple>
Text atCoordinate(Arguments& a, OnLayout&& onLayout, OnTuple&& onTuple) {
  CW_TRY(IntTuple coord, a.tuple(0));
  if (a.isLayout(1)) {
    CW_TRY(AnyLayout layout, a.anyLayout(1));
    return textOf(onLayout(coord.view(), layout));
  }
  CW_TRY(IntTuple tuple, a.tuple(1));
  return textOf(onTuple(coord.view(), tuple.view()));
}

Text idx2crdText(Arguments& a) {
  CW_TRY(IntTuple index, a.tuple(0));
  if (a.isLayout(1)) {
    CW_TRY(AnyLayout layout, a.anyLayout(1));
    return textOf(idx2crd(index, layout.outer().shape(), layout.outer().stride()));
  }
  CW_TRY(IntTuple shape, a.shape(1));
  if (a.count() == 2) return textOf(idx2crd(index, shape));
  // The third operand of the conformance notation names the strides of the layout that the index
  // counts the coordinates of; the order of coordinates does not depend on them.
  CW_TRY(IntTuple stride, a.tuple(2));
  if (!congruent(shape.view(), stride.view()))
    return refuse("idx2crd: shape and stride have different profiles [{} and {}:{}]", index.text(),
                  shape.text(), stride.text());
  return textOf(idx2crd(index, shape));
}

Text evaluateText(Arguments& a) {
  CW_TRY(AnyLayout layout, a.anyLayout(0));
  std::string list = "[";
  auto add = [&](const IntTuple& value) { list += (list.size() > 1 ? "," : "") + value.text(); };
  CW_DO(for_each_value(layout, add));
  return list + "]";
}

Text swizzleText(Arguments& a) {
  CW_TRY(Swizzle swizzle, a.swizzle(0));
  CW_TRY(std::int64_t begin, a.integer(1));
  CW_TRY(std::int64_t end, a.integer(2));
  if (begin < 0 || end < begin || end - begin > kMaxVisited) {
    return refuse("swizzle_apply: the range {} to {} is not one of at most {} values from 0 on",
                  begin, end, kMaxVisited);
  }
  std::string list = "[";
  for (std::int64_t i = begin; i < end; ++i) {
    if (i > begin) list += ',';
    list += swizzle(i).text();
  }
  return list + "]";
}

// f(outer layout), or of a shape: where `extents`, of positive ones only.
template <class F>
Text sizeOf(Arguments& a, F&& f, bool extents = false) {
  if (a.isLayout(0)) {
    CW_TRY(AnyLayout layout, a.anyLayout(0));
    return textOf(f(layout.outer().view()));
  }
  CW_TRY(IntTuple shape, extents ? a.shape(0) : a.tuple(0));
  return textOf(f(LayoutView{shape.view(), shape.view()}));
}

template <class F>
Text withModes(Arguments& a, F&& f) {
  CW_TRY(std::vector<int> modes, a.modes(1));
  std::span<const int> list(modes);
  return onEither(
      a, [&](const Layout& l) { return f(l, list); }, [&](IntTupleView t) { return f(t, list); });
}

template <class F>
Text withRange(Arguments& a, F&& f) {
  CW_TRY(std::int64_t begin, a.integer(1));
  CW_TRY(std::int64_t end, a.integer(2));
  if (begin != static_cast<int>(begin) || end != static_cast<int>(end))
    return refuse("{}: there are no modes {} to {} in {}", a.name(), begin, end, a.text(0));
  int b = static_cast<int>(begin);
  int e = static_cast<int>(end);
  return onEither(
      a, [&](const Layout& l) { return f(l, b, e); }, [&](IntTupleView t) { return f(t, b, e); });
}

// append and prepend: f(x, element) or f(x, element, rank).
template <class F>
Text extend(Arguments& a, F&& f) {
  std::int64_t rank = -1;
  if (a.count() == 3) {
    CW_TRY(rank, a.integer(2));
    if (rank < 0 || rank > static_cast<std::int64_t>(kMaxNodes))
      return refuse("{}: {} is no rank [{} and {}]", a.name(), rank, a.text(0), a.text(1));
  }
  if (a.isLayout(0)) {
    CW_TRY(AnyLayout layout, a.anyLayout(0));
    CW_TRY(Layout element, a.layout(1));
    return textOf(
        layout.map([&](const Layout& outer) { return f(outer, element, static_cast<int>(rank)); }));
  }
  CW_TRY(IntTuple tuple, a.tuple(0));
  CW_TRY(IntTuple element, a.tuple(1));
  return textOf(f(tuple.view(), element.view(), static_cast<int>(rank)));
}

template <class F>
Text withNumber(Arguments& a, F&& f) {
  CW_TRY(AnyLayout layout, a.anyLayout(0));
  CW_TRY(std::int64_t n, a.integer(1));
  return textOf(f(layout, n));
}

Text recastText(Arguments& a) {
  CW_TRY(std::int64_t newBits, a.integer(0));
  CW_TRY(std::int64_t oldBits, a.integer(1));
  CW_TRY(AnyLayout layout, a.anyLayout(2));
  return textOf(recast_layout(newBits, oldBits, layout));
}

Text filterZerosText(Arguments& a) {
  CW_TRY(AnyLayout layout, a.anyLayout(0));
  if (a.count() == 1) return textOf(filter_zeros(layout));
  CW_TRY(IntTuple profile, a.tuple(1));
  return textOf(layout.map([&](const Layout& outer) { return filter_zeros(outer, profile); }));
}

Text commonText(Arguments& a, bool wantLayout) {
  CW_TRY(Layout x, a.layout(0));
  CW_TRY(Layout y, a.layout(1));
  return wantLayout ? textOf(max_common_layout(x, y)) : textOf(max_common_vector(x, y));
}

Text orderedText(Arguments& a) {
  CW_TRY(IntTuple shape, a.tuple(0));
  CW_TRY(IntTuple order, a.tuple(1));
  return textOf(make_ordered_layout(shape, order));
}

Text ceilDivText(Arguments& a) {
  CW_TRY(IntTuple shape, a.tuple(0));
  if (!a.isTiler(1))
    return onTuples(a, [](IntTupleView x, IntTupleView y) { return textOf(ceil_div(x, y)); });
  CW_TRY(Tiler tiler, a.tiler(1));
  return textOf(ceil_div(shape, tiler));
}

Text evenlyText(Arguments& a) {
  CW_TRY(IntTuple shape, a.shape(0));
  CW_TRY(Tiler tiler, a.tiler(1));
  return textOf(evenly_divides(shape, tiler), "the tiler divides the shape evenly");
}

Text distributeText(Arguments& a) {
  CW_TRY(IntTuple shape, a.shape(0));
  CW_TRY(std::int64_t n, a.integer(1));
  return textOf(domain_distribute(shape, n));
}

Text makeLayoutText(Arguments& a) {
  if (a.isLayout(0)) {
    std::vector<Layout> modes;
    for (std::size_t i = 0; i < a.count(); ++i) {
      CW_TRY(Layout mode, a.layout(i));
      modes.push_back(std::move(mode));
    }
    return textOf(make_layout(modes));
  }
  if (a.count() > 2) return refuse("make_layout takes a shape and strides, or layouts");
  CW_TRY(IntTuple shape, a.tuple(0));
  if (a.count() == 1) return textOf(make_layout(shape));
  CW_TRY(IntTuple stride, a.tuple(1));
  return textOf(make_layout(shape, stride));
}

Text tilerShapeText(Arguments& a) {
  CW_TRY(Tiler tiler, a.tiler(0));
  return textOf(tiler_shape(tiler));
}

Text tilerText(Arguments& a) {
  CW_TRY(Tiler tiler, a.tiler(0));
  return textOf(tiler_to_layout(tiler));
}

Text partitionText(Arguments& a) {
  CW_TRY(AnyLayout layout, a.anyLayout(0));
  CW_TRY(Layout threads, a.layout(1));
  CW_TRY(IntTuple index, a.tuple(2));
  if (!index.isInt())
    return refuse("local_partition: the thread index {} is not an integer", index.text());
  if (a.count() == 3) return textOf(local_partition(layout, threads, index.value()));
  CW_TRY(IntTuple projection, a.tuple(3));
  return textOf(local_partition(layout, threads, index.value(), projection));
}

Text localTileText(Arguments& a) {
  CW_TRY(AnyLayout layout, a.anyLayout(0));
  CW_TRY(Tiler tiler, a.tiler(1));
  CW_TRY(IntTuple coord, a.tuple(2));
  if (a.count() == 3) return textOf(local_tile(layout, tiler, coord));
  CW_TRY(IntTuple projection, a.tuple(3));
  return textOf(local_tile(layout, tiler, coord, projection));
}

Text layoutTVText(Arguments& a) {
  CW_TRY(Layout threads, a.layout(0));
  CW_TRY(Layout values, a.layout(1));
  CW_TRY(TiledTV made, make_layout_tv(threads, values));
  return made.tiler.text() + " ; " + made.tv.text();
}

Text imageMaskText(Arguments& a) {
  CW_TRY(Layout layout, a.layout(0));
  CW_TRY(IntTuple coord, a.tuple(1));
  CW_TRY(std::int64_t mode, a.integer(2));
  if (mode != static_cast<int>(mode)) return refuse("there is no mode {}", mode);
  return textOf(make_layout_image_mask(layout, coord, static_cast<int>(mode)));
}

struct Operation {
  OperationInfo info;
  std::size_t least;
  std::size_t most;
  Text (*evaluate)(Arguments&);
};

#include "OperationTable.inc"

}  // namespace

namespace {

// Some refusals come from deeper down; here every one gets its operation and operands.
Text withOperation(Text answer, std::string_view name, std::span<const std::string> operands) {
  if (answer) return answer;
  std::string message = answer.error().message();
  if (!message.starts_with(fmt::format("{}:", name)))
    message = fmt::format("{}: {}", name, message);
  if (!message.ends_with(']')) message += fmt::format(" [{}]", fmt::join(operands, " and "));
  return userError(std::move(message));
}

}  // namespace

std::span<const OperationInfo> operations() {
  static const std::vector<OperationInfo> infos = [] {
    std::vector<OperationInfo> list;
    for (const Operation& operation : kOperations) list.push_back(operation.info);
    return list;
  }();
  return infos;
}

Text evaluateOperation(std::string_view name, std::span<const std::string> operands,
                       const DynamicFactory& dynamic) {
  const auto* found = std::find_if(std::begin(kOperations), std::end(kOperations),
                                   [&](const Operation& o) { return o.info.name == name; });
  if (found == std::end(kOperations)) return unknownOperation(name, operations());
  if (operands.size() < found->least || operands.size() > found->most) {
    return refuse("{} takes {}; {} operand{} given", name, found->info.operands, operands.size(),
                  operands.size() == 1 ? " is" : "s are");
  }
  Arguments arguments(name, operands, dynamic);
  return withOperation(found->evaluate(arguments), name, operands);
}

}  // namespace cutwork::cute

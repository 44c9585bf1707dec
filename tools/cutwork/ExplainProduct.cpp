// ExplainProduct.cpp -- the six products, and tiling up to a shape.
#include <fmt/format.h>

#include <algorithm>

#include "ExplainWalk.h"
#include "cutwork/Layout/Coalesce.h"
#include "cutwork/Layout/Complement.h"
#include "cutwork/Layout/Construct.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/Modes.h"
#include "cutwork/Layout/Product.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::tool {

using cute::AnyLayout;
using cute::Int;
using cute::IntTuple;
using cute::IntTupleView;
using cute::Layout;
using cute::LayoutView;
using cute::Tiler;

namespace {

// The free places of a block, as far as B's values reach.
Expected<Layout> placesFor(const Layout& block, const Layout& b, std::string* reason) {
  CW_TRY(Layout distinct, cute::filter(block));
  CW_TRY(Int reach, cute::cosize(b));
  Int cotarget = cute::size(distinct) * reach;
  CW_TRY(Layout places, cute::complement(block, IntTuple(cotarget)));
  if (reason != nullptr) {
    *reason =
        fmt::format("{} * {} = {}, the different values of the block times the cosize of the tiler",
                    cute::size(distinct).text(), reach.text(), cotarget.text());
  }
  return places;
}

class Multiplier {
 public:
  explicit Multiplier(Explanation& out) : out_(out) {}

  // B's repetitions in the places that A leaves free.
  Expected<Layout> repeats(const Layout& a, const Layout& b, const std::string& of,
                           const std::string& name) {
    std::string reason;
    CW_TRY(Layout places, placesFor(a, b, &reason));
    out_.step(fmt::format("C = the complement of {} = {}: the places that {} leaves free: {}", of,
                          a.text(), of, places.text()))
        .details.push_back(fmt::format("up to {}", reason));
    return walk(out_, places, b, "C", name);
  }

  Expected<Layout> multiply(const Layout& a, const Tiler& tiler, const std::string& of,
                            const std::string& name) {
    if (tiler.isHole()) {
      out_.step(fmt::format("{} is a hole: {} = {} is not repeated", name, of, a.text()));
      return a;
    }
    cute::LayoutBuilder made;
    made.open();
    if (tiler.isLayout()) {
      CW_TRY(Layout part, repeats(a, tiler.layout(), of, name));
      made.append(a), made.append(part), made.close();
      return made.finish();
    }
    for (int i = 0; i < a.rank(); ++i) {
      Layout mode(a[i]);
      std::size_t at = static_cast<std::size_t>(i);
      if (at >= tiler.modes().size()) {
        out_.step(fmt::format("{}{} = {} has no tiler and is not repeated", of, i, mode.text()));
        made.append(mode);
        continue;
      }
      CW_TRY(Layout part, multiply(mode, tiler.modes()[at], fmt::format("{}{}", of, i),
                                   fmt::format("{}{}", name, i)));
      made.append(part);
    }
    made.close();
    return made.finish();
  }

 private:
  Explanation& out_;
};

Expected<Layout> padded(const Layout& layout, int rank) {
  return cute::append(layout, Layout::leaf(1, IntTuple(0)), rank);
}

// The linear coordinate of a pair, by mode: first + size(first mode) * second.
IntTuple paired(IntTupleView first, IntTupleView second, IntTupleView firstShape) {
  std::vector<IntTuple> modes;
  modes.reserve(static_cast<std::size_t>(firstShape.rank()));
  for (int i = 0; i < firstShape.rank(); ++i) {
    modes.emplace_back(first[i].value() + cute::product(firstShape[i]) * second[i].value());
  }
  return IntTuple(std::span<const IntTuple>(modes));
}

// One integer for each mode, of the linear coordinate `i`.
Expected<IntTuple> byMode(std::size_t i, IntTupleView shape) {
  CW_TRY(IntTuple sizes, cute::product_each(shape));
  return cute::idx2crd(IntTuple(static_cast<std::int64_t>(i)), sizes.view());
}

// R at block coordinate i and repetition j against A(i) + C(B(j)).
using CoordinateOf = std::function<Expected<IntTuple>(std::size_t, std::size_t)>;
Expected<Check> compare(const Layout& a, const Layout& b, const AnyLayout& r,
                        const CoordinateOf& at) {
  CW_TRY(Layout places, placesFor(a, b, nullptr));
  CW_TRY(std::vector<IntTuple> block, valuesForCheck(a));
  CW_TRY(std::vector<IntTuple> order, valuesForCheck(b));
  std::size_t count = block.size() * order.size();
  CW_TRY([[maybe_unused]] std::vector<IntTuple> all, valuesForCheck(r));
  Check check{fmt::format("R has A(i) + C(B(j)) at block coordinate i and repetition j, for {}",
                          allCoordinates(count)),
              {}};
  CW_TRY(check.fails,
         firstFailure(count, [&](std::size_t k) -> Expected<std::optional<std::string>> {
           std::size_t i = k % block.size();
           std::size_t j = k / block.size();
           CW_TRY(IntTuple place, cute::crd2idx(order[j], places));
           CW_TRY(IntTuple wanted, cute::tuple_add(block[i], place));
           CW_TRY(IntTuple coordinate, at(i, j));
           CW_TRY(IntTuple found, cute::crd2idx(coordinate, r.outer()));
           if (wanted == found) return std::optional<std::string>();
           return std::optional(
               fmt::format("R{} = {}, not {}", coordinate.text(), found.text(), wanted.text()));
         }));
  return check;
}

// blocked_product and raked_product: returns the result put together from the steps.
Expected<Layout> pairProduct(ExplainTask& task, const Layout& block, const Layout& tiler,
                             bool raked) {
  int rank = std::max(block.rank(), tiler.rank());
  CW_TRY(Layout a, padded(block, rank));
  CW_TRY(Layout b, padded(tiler, rank));
  if (!(a == block) || !(b == tiler)) {
    task.out.step(fmt::format("made of one rank: A = {}, B = {}", a.text(), b.text()));
  }
  CW_TRY(Layout repeated, Multiplier(task.out).repeats(a, b, "A", "B"));
  cute::LayoutBuilder made;
  made.open();
  bool leaf = a.shape().isLeaf();
  for (int i = 0; i < (leaf ? 1 : a.rank()); ++i) {
    LayoutView blockMode = leaf ? a.view() : a[i];
    // The repetitions of one mode are one mode, even where the walk has split it.
    bool one = raked ? b.shape().isLeaf() : leaf;
    LayoutView repeatMode = one ? repeated.view() : repeated[i];
    std::vector<LayoutView> parts{blockMode, repeatMode};
    if (raked) std::swap(parts[0], parts[1]);
    cute::LayoutBuilder pair;
    pair.open(), pair.append(parts[0]), pair.append(parts[1]), pair.close();
    CW_TRY(Layout mode, pair.finish());
    if (raked) {
      CW_TRY(mode, cute::coalesce(mode));
    }
    made.append(mode);
  }
  made.close();
  task.out.step(raked ? "modes paired, repetitions first, and each coalesced: ((b0,a0),(b1,a1),...)"
                      : "modes paired: ((a0,b0),(a1,b1),...)");
  setCheck(task.out, [&]() -> Expected<Check> {
    CW_TRY(AnyLayout r, task.resultLayout());
    return compare(a, b, r, [&](std::size_t i, std::size_t j) -> Expected<IntTuple> {
      CW_TRY(IntTuple x, byMode(i, a.shape()));
      CW_TRY(IntTuple y, byMode(j, b.shape()));
      return raked ? paired(y, x, b.shape()) : paired(x, y, a.shape());
    });
  });
  return made.finish();
}

Status explainPairProduct(ExplainTask& task, const AnyLayout& a, bool raked) {
  task.out.definition =
      raked ? "raked_product(A, B): the modes of C o B, A's repetitions, paired with A's modes"
            : "blocked_product(A, B): the modes of A paired with those of C o B, its repetitions";
  CW_TRY(Layout b, task.plainLayout(1));
  CW_TRY(Layout made, pairProduct(task, a.outer(), b, raked));
  CW_TRY(AnyLayout result, task.resultLayout());
  if (cute::isStatic(made.view()) && !agree(made, result.outer())) {
    return inconsistent(task.operation, made.text(), result.text());
  }
  return Success{};
}

}  // namespace

Status explainProduct(ExplainTask& task) {
  CW_TRY(AnyLayout a, task.layout(0));
  if (a.composed())
    task.out.step(fmt::format("the block is composed; its outer layout A = {} is repeated",
                              a.outer().text()));
  if (task.operation == "blocked_product") return explainPairProduct(task, a, false);
  if (task.operation == "raked_product") return explainPairProduct(task, a, true);
  CW_TRY(Tiler tiler, task.tiler(1));
  CW_TRY(AnyLayout result, task.resultLayout());
  CW_TRY(AnyLayout logical, cute::logical_product(a, tiler));
  task.out.definition =
      "logical_product(A, B) = (A, C o B), C = complement(A): the block; its repetitions";
  if (tiler.isByMode()) task.out.definition += "; by mode where B is";
  CW_TRY(Layout made, Multiplier(task.out).multiply(a.outer(), tiler, "A", "B"));
  if (cute::isStatic(made.view()) && !agree(made, logical.outer())) {
    return inconsistent(task.operation, made.text(), logical.outer().text());
  }
  if (task.operation != "logical_product") {
    task.out.step("block and repetitions together: " + logical.text());
    std::string_view grouping = task.operation == "zipped_product" ? "((blocks),(repetitions))"
                                : task.operation == "tiled_product"
                                    ? "((blocks),repetition,repetition,...)"
                                    : "(block,block,...,repetition,repetition,...)";
    task.out.step(fmt::format("regrouped as {}: {}", grouping, result.text()));
  }
  setCheck(task.out, [&]() -> Expected<Check> {
    if (tiler.isLayout()) {
      std::int64_t inBlock = cute::size(a.outer()).isStatic() ? cute::size(a.outer()).value() : 1;
      return compare(
          a.outer(), tiler.layout(), result,
          [&](std::size_t i, std::size_t j) -> Expected<IntTuple> {
            return IntTuple(static_cast<std::int64_t>(i) + static_cast<std::int64_t>(j) * inBlock);
          });
    }
    CW_TRY(std::vector<IntTuple> x, valuesForCheck(logical));
    CW_TRY(std::vector<IntTuple> y, valuesForCheck(result));
    return Check{fmt::format("regrouping keeps all {} values", x.size()), valuesDiffer(x, y)};
  });
  return Success{};
}

Status explainTileToShape(ExplainTask& task) {
  CW_TRY(AnyLayout block, task.layout(0));
  CW_TRY(IntTuple target, task.tuple(1));
  task.out.definition =
      "tile_to_shape(A, M) = blocked_product(A, B), B compact, so that mode i has the size of M's";
  CW_TRY(Layout a, padded(block.outer(), target.rank()));
  std::vector<IntTuple> counts;
  Step& step = task.out.step("how often the block fits into each mode of " + target.text());
  for (int i = 0; i < target.rank(); ++i) {
    Int wanted = cute::product(target[i]);
    Int has = cute::product(a.shape()[i]);
    counts.emplace_back(cute::floorDiv(wanted, has));
    step.details.push_back(
        fmt::format("mode {}: {} / {} = {}", i, wanted.text(), has.text(), counts.back().text()));
  }
  IntTuple shape{std::span<const IntTuple>(counts)};
  Expected<Layout> tiler = cute::make_layout_left(shape);
  if (task.operands.size() > 2) {
    CW_TRY(IntTuple order, task.tuple(2));
    tiler = cute::make_ordered_layout(shape, order);
  }
  CW_TRY(Layout b, std::move(tiler));
  task.out.step(task.operands.size() > 2
                    ? fmt::format("B, in the order {}: {}", task.operands[2], b.text())
                    : fmt::format("B, first mode first: {}", b.text()));
  CW_TRY(Layout made, pairProduct(task, a, b, false));
  CW_TRY(AnyLayout result, task.resultLayout());
  if (cute::isStatic(made.view()) && !agree(made, result.outer())) {
    return inconsistent(task.operation, made.text(), result.text());
  }
  return Success{};
}

}  // namespace cutwork::tool

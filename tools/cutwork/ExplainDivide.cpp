// ExplainDivide.cpp -- the four divides: tiles and rests.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ExplainWalk.h"
#include "cutwork/Layout/Coalesce.h"
#include "cutwork/Layout/Complement.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/Divide.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::tool {

using cute::AnyLayout;
using cute::Int;
using cute::IntTuple;
using cute::Layout;
using cute::LayoutView;
using cute::Tiler;

namespace {

// Up to where the rest has to reach: the size of A, each coalesced extent rounded up for itself.
Expected<IntTuple> cotargetOf(LayoutView a, const Layout& tile) {
  if (cute::hasBasisStrides(tile.view())) return IntTuple(a.shape);
  CW_TRY(Layout behind, cute::complement(tile));
  Int end = leavesOf(behind.view()).back().stride.value();
  CW_TRY(Layout shorter, cute::coalesce(Layout(a)));
  CW_TRY(IntTuple counts, cute::ceil_div(shorter.shape().view(), IntTuple(end)));
  Int size = cute::size(a);
  Int rounded = cute::product(counts) * end;
  return IntTuple(cute::lessEqualPositive(size, rounded) == cute::Truth::Yes ? rounded : size);
}

class Divider {
 public:
  explicit Divider(Explanation& out) : out_(out) {}

  Expected<Layout> divide(const Layout& a, const Tiler& tiler, const std::string& of,
                          const std::string& name) {
    if (tiler.isHole()) {
      out_.step(fmt::format("{} is a hole: {} = {} is not divided", name, of, a.text()));
      return a;
    }
    if (tiler.isLayout()) return byLayout(a, tiler.layout(), of, name);
    cute::LayoutBuilder made;
    made.open();
    for (int i = 0; i < a.rank(); ++i) {
      Layout mode(a[i]);
      std::size_t at = static_cast<std::size_t>(i);
      if (at >= tiler.modes().size()) {
        out_.step(fmt::format("{}{} = {} has no tiler and is not divided", of, i, mode.text()));
        made.append(mode);
        continue;
      }
      CW_TRY(Layout part, divide(mode, tiler.modes()[at], fmt::format("{}{}", of, i),
                                 fmt::format("{}{}", name, i)));
      made.append(part);
    }
    made.close();
    return made.finish();
  }

 private:
  Expected<Layout> byLayout(const Layout& a, const Layout& tile, const std::string& of,
                            const std::string& name) {
    CW_TRY(IntTuple cotarget, cotargetOf(a.view(), tile));
    CW_TRY(Layout rest, cute::complement(tile, cotarget));
    Step& step =
        out_.step(fmt::format("{} = {} divided by {} = {}", of, a.text(), name, tile.text()));
    Int size = cute::size(a);
    bool even = cotarget.isInt() && cute::equal(cotarget.value(), size) == cute::Truth::Yes;
    std::string why =
        cotarget.isTuple() ? "by coordinate mode"
        : even             ? "the size of " + of
               : fmt::format("the size {} of {}, rounded up to whole tiles", size.text(), of);
    step.details.push_back(
        fmt::format("C = complement({}, {}) = {}: where the tiles begin, up to {} ({})", name,
                    cotarget.text(), rest.text(), cotarget.text(), why));
    step.details.push_back(fmt::format("{} o ({}, C) = ({} o {}, {} o C)", of, name, of, name, of));
    if (cute::size(rest).is(1)) rest = Layout::leaf(1, IntTuple(0));
    CW_TRY(Layout tiles, walk(out_, a, tile, of, name));
    CW_TRY(Layout places, walk(out_, a, rest, of, "C", WalkRounding::Up));
    cute::LayoutBuilder made;
    made.open(), made.append(tiles), made.append(places), made.close();
    return made.finish();
  }

  Explanation& out_;
};

// The values of the tiles against those of A: the same where the tiles divide it, else all of them.
Expected<Check> compare(const AnyLayout& a, const AnyLayout& r) {
  CW_TRY(std::vector<IntTuple> whole, valuesForCheck(a));
  CW_TRY(std::vector<IntTuple> tiles, valuesForCheck(r));
  if (whole.size() == tiles.size()) {
    Check check{fmt::format("the tiles have each of A's {} elements exactly once", whole.size()),
                {}};
    check.fails = valuesDiffer(whole, tiles);
    return check;
  }
  Check check{fmt::format("the tiles have all of A's {} elements, and {} places beyond A",
                          whole.size(), tiles.size() - std::min(tiles.size(), whole.size())),
              {}};
  std::set<std::string> reached;
  for (const IntTuple& value : tiles) reached.insert(value.text());
  for (const IntTuple& value : whole) {
    if (!reached.contains(value.text())) check.fails = fmt::format("no tile has {}", value.text());
  }
  return check;
}

std::string_view groupingOf(std::string_view operation) {
  if (operation == "zipped_divide") return "((tiles),(rests))";
  if (operation == "tiled_divide") return "((tiles),rest,rest,...)";
  return "(tile,tile,...,rest,rest,...)";
}

// R(c) = A((B,C)(c)) of a single tile layout, which says more than that the elements are the same.
Expected<Check> compareByDefinition(const AnyLayout& a, const Layout& tile, const AnyLayout& r) {
  CW_TRY(IntTuple cotarget, cotargetOf(a.outer().view(), tile));
  CW_TRY(Layout rest, cute::complement(tile, cotarget));
  CW_TRY(std::vector<IntTuple> tiles, valuesForCheck(tile));
  CW_TRY(std::vector<IntTuple> places, valuesForCheck(rest));
  CW_TRY(std::vector<IntTuple> found, valuesForCheck(r));
  Check check{fmt::format("R(i,j) = A(B(i) + C(j)) for {}", allCoordinates(found.size())), {}};
  if (tiles.size() * places.size() != found.size()) {
    check.fails = fmt::format("R has {} coordinates", found.size());
    return check;
  }
  CW_TRY(check.fails,
         firstFailure(found.size(), [&](std::size_t at) -> Expected<std::optional<std::string>> {
           std::size_t i = at % tiles.size();
           std::size_t j = at / tiles.size();
           CW_TRY(IntTuple sum, cute::tuple_add(tiles[i], places[j]));
           CW_TRY(IntTuple wanted, cute::crd2idx(withZeros(sum, a.outer().shape()), a));
           if (wanted == found[at]) return std::optional<std::string>();
           return std::optional(fmt::format("R({},{}) = {}, A({}) = {}", i, j, found[at].text(),
                                            sum.text(), wanted.text()));
         }));
  return check;
}

}  // namespace

Expected<bool> explainDivide(ExplainTask& task) {
  CW_TRY(AnyLayout a, task.layout(0));
  CW_TRY(Tiler tiler, task.tiler(1));
  CW_TRY(AnyLayout result, task.resultLayout());
  CW_TRY(AnyLayout logical, cute::logical_divide(a, tiler));
  task.out.definition =
      "logical_divide(A, B) = A o (B, C) with C = complement(B, size(A)): mode 0 is the tile, mode "
      "1 runs over the tiles";
  if (tiler.isByMode()) task.out.definition += "; by mode for a tiler by mode";
  std::string of = a.plain() ? "A" : "A'";
  if (a.composed())
    task.out.step(
        fmt::format("A is composed; its outer layout A' = {} is divided", a.outer().text()));
  CW_TRY(Layout made, Divider(task.out).divide(a.outer(), tiler, of, "B"));
  if (cute::isStatic(made.view()) && !(made == logical.outer())) {
    return inconsistent(task.operation, made.text(), logical.outer().text());
  }
  task.out.step("tile and rest together: " + logical.text());
  if (task.operation != "logical_divide") {
    task.out.step(fmt::format("regrouped as {}: {}", groupingOf(task.operation), result.text()));
  }
  setCheck(task.out, [&]() -> Expected<Check> {
    bool even = cute::equal(cute::size(result.outer()), cute::size(a.outer())) == cute::Truth::Yes;
    if (even && tiler.isLayout()) return compareByDefinition(a, tiler.layout(), result);
    return compare(a, result);
  });
  return true;
}

}  // namespace cutwork::tool

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

// Up to where the rest has to reach: the size of A, where each extent is rounded up for itself:
// those of the leaves as they are written, or of the coalesced ones.
Expected<IntTuple> cotargetOf(LayoutView a, const Layout& tile, bool coalesced) {
  if (cute::hasBasisStrides(tile.view())) return IntTuple(a.shape);
  CW_TRY(Layout behind, cute::complement(tile));
  Int end = leavesOf(behind.view()).back().stride.value();
  IntTuple shape(a.shape);
  if (coalesced) {
    CW_TRY(Layout shorter, cute::coalesce(Layout(a)));
    shape = shorter.shape();
  }
  CW_TRY(IntTuple counts, cute::ceil_div(cute::flatten(shape).view(), IntTuple(end)));
  Int size = cute::size(a);
  Int rounded = cute::product(counts) * end;
  return IntTuple(cute::lessEqualPositive(size, rounded) == cute::Truth::Yes ? rounded : size);
}

struct Rest {
  IntTuple cotarget;
  Layout layout;
};
// The rest with as many tiles as the library has found.
Expected<Rest> restOf(LayoutView a, const Layout& tile, Int tiles) {
  for (bool coalesced : {false, true}) {
    CW_TRY(IntTuple cotarget, cotargetOf(a, tile, coalesced));
    CW_TRY(Layout rest, cute::complement(tile, cotarget));
    if (coalesced || cute::equal(cute::size(rest), tiles) == cute::Truth::Yes) {
      return Rest{std::move(cotarget), std::move(rest)};
    }
  }
  return internalError("no count of the tiles was tried");
}

class Divider {
 public:
  explicit Divider(Explanation& out) : out_(out) {}

  // `found` is what the library has divided A into.
  Expected<Layout> divide(const Layout& a, const Tiler& tiler, LayoutView found,
                          const std::string& of, const std::string& name) {
    if (tiler.isHole()) {
      out_.step(fmt::format("{} is a hole: {} = {} is not divided", name, of, a.text()));
      return a;
    }
    if (tiler.isLayout()) return byLayout(a, tiler.layout(), cute::size(found[1]), of, name);
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
      CW_TRY(Layout part, divide(mode, tiler.modes()[at], found[i], fmt::format("{}{}", of, i),
                                 fmt::format("{}{}", name, i)));
      made.append(part);
    }
    made.close();
    return made.finish();
  }

 private:
  Expected<Layout> byLayout(const Layout& a, const Layout& tile, Int count, const std::string& of,
                            const std::string& name) {
    CW_TRY(Rest found, restOf(a.view(), tile, count));
    const auto& [cotarget, rest] = found;
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
    CW_TRY(Layout tiles, walk(out_, a, tile, of, name));
    CW_TRY(Layout places, walk(out_, a, rest, of, "C"));
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
  CW_TRY(Rest rest,
         restOf(a.outer().view(), tile, cute::floorDiv(cute::size(r.outer()), cute::size(tile))));
  CW_TRY(std::vector<IntTuple> tiles, valuesForCheck(tile));
  CW_TRY(std::vector<IntTuple> places, valuesForCheck(rest.layout));
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

Status explainDivide(ExplainTask& task) {
  CW_TRY(AnyLayout a, task.layout(0));
  CW_TRY(Tiler tiler, task.tiler(1));
  CW_TRY(AnyLayout result, task.resultLayout());
  CW_TRY(AnyLayout logical, cute::logical_divide(a, tiler));
  task.out.definition =
      "logical_divide(A, B) = A o (B, C), C = complement(B, size(A)): the tile; over the tiles";
  if (tiler.isByMode()) task.out.definition += "; by mode where B is";
  std::string of = a.plain() ? "A" : "A'";
  if (a.composed())
    task.out.step(
        fmt::format("A is composed; its outer layout A' = {} is divided", a.outer().text()));
  CW_TRY(Layout made, Divider(task.out).divide(a.outer(), tiler, logical.outer().view(), of, "B"));
  if (cute::isStatic(made.view()) && !agree(made, logical.outer())) {
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
  return Success{};
}

}  // namespace cutwork::tool

// ExplainComposition.cpp -- composition: A after B.
#include <fmt/format.h>

#include "ExplainWalk.h"
#include "cutwork/Layout/Composition.h"
#include "cutwork/Layout/Coordinates.h"

namespace cutwork::tool {

using cute::AnyLayout;
using cute::IntTuple;
using cute::Layout;
using cute::Tiler;

namespace {

// R(c) = A(B(c)) for B's values.
Expected<Check> compare(const AnyLayout& a, const std::vector<IntTuple>& b, const AnyLayout& r) {
  CW_TRY(std::vector<IntTuple> found, valuesForCheck(r));
  Check check{fmt::format("R(c) = A(B(c)) for {}", allCoordinates(b.size())), {}};
  if (found.size() != b.size()) {
    check.fails = fmt::format("R has {} coordinates", found.size());
    return check;
  }
  CW_TRY(check.fails,
         firstFailure(b.size(), [&](std::size_t i) -> Expected<std::optional<std::string>> {
           IntTuple at = withZeros(b[i], a.outer().shape());
           CW_TRY(IntTuple wanted, cute::crd2idx(at, a));
           if (wanted == found[i]) return std::optional<std::string>();
           return std::optional(
               fmt::format("R({}) = {}, A({}) = {}", i, found[i].text(), at.text(), wanted.text()));
         }));
  return check;
}

}  // namespace

Status explainComposition(ExplainTask& task) {
  CW_TRY(AnyLayout a, task.layout(0));
  CW_TRY(AnyLayout result, task.resultLayout());
  task.out.definition = "R = A o B has R(c) = A(B(c)) for every coordinate c of B";
  const Layout& outer = a.outer();
  std::string of = a.plain() ? "A" : "A'";
  if (a.composed()) {
    task.out
        .step(fmt::format("A is composed; the part before its outer layout A' = {} stays",
                          outer.text()))
        .details.emplace_back("R = (inner o offset o A') o B = inner o offset o (A' o B)");
  }
  if (task.operands[1].find('o') != std::string::npos) {
    CW_TRY(AnyLayout b, task.layout(1));
    task.out
        .step(fmt::format("B is swizzled; A maps bits to bits, so the swizzle moves behind A: {}",
                          result.text()))
        .details.push_back(
            fmt::format("A o B = swizzle' o 0 o (A o B'), with B' = {}", b.outer().text()));
    CW_TRY(Layout made, walk(task.out, outer, b.outer(), of, "B'"));
    if (cute::isStatic(made.view()) && !agree(made, result.outer())) {
      return inconsistent("composition", made.text(), result.text());
    }
    setCheck(task.out, [&]() -> Expected<Check> {
      CW_TRY(std::vector<IntTuple> values, valuesForCheck(b));
      return compare(a, values, result);
    });
    return Success{};
  }
  CW_TRY(Tiler b, task.tiler(1));
  CW_TRY(Layout made, walkTiler(task.out, outer, b, of, "B"));
  if (cute::isStatic(made.view()) && !agree(made, result.outer())) {
    return inconsistent("composition", made.text(), result.text());
  }
  setCheck(task.out, [&]() -> Expected<Check> {
    CW_TRY(Layout whole, cute::tiler_to_layout(withoutHoles(b, outer.view())));
    CW_TRY(std::vector<IntTuple> values, valuesForCheck(whole));
    return compare(a, values, result);
  });
  return Success{};
}

}  // namespace cutwork::tool

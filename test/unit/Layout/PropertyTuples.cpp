// PropertyTuples.cpp -- functions of tuples: products, divisions, comparisons.
#include <algorithm>

#include "Property.h"
#include "cutwork/Layout/Divide.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::test {
namespace {

using cute::IntTuple;
using cute::IntTupleView;
using oracle::Number;
using oracle::Tree;

IntTuple tupleOf(const std::vector<IntTuple>& modes) {
  return IntTuple(std::span<const IntTuple>(modes));
}

// Two tuples of one profile.
Items congruentPair(Generator& g) {
  IntTuple a = g.coordinate(g.shape(), 0);
  IntTuple b = g.mapped(a.view(), [&](IntTupleView) { return IntTuple(g.between(0, 12)); });
  return {a, b};
}

// Another tuple that often has the same profile, or a finer one.
IntTuple similar(Generator& g, IntTupleView t, int depth = 0) {
  if (t.isLeaf()) {
    if (!g.chance(25) || depth > 2) return t;
    Number part = g.divisorOf(std::max<Number>(t.value().value(), 1));
    return IntTuple{part, std::max<Number>(t.value().value(), 1) / part};
  }
  std::vector<IntTuple> modes;
  for (IntTupleView mode : t) modes.push_back(similar(g, mode, depth + 1));
  if (g.chance(8)) modes.emplace_back(2);
  return tupleOf(modes);
}

Items similarPair(Generator& g) {
  IntTuple a = g.shape();
  return {a, g.chance(10) ? g.shape() : similar(g, a)};
}

bool refines(const Tree& a, const Tree& b) {
  if (!a.isTuple()) return true;
  return b.isTuple() &&
         std::equal(a.modes.begin(), a.modes.end(), b.modes.begin(), b.modes.end(), refines);
}

bool compatibleTrees(const Tree& a, const Tree& b) {
  if (!a.isTuple()) return a.value == b.product();
  return b.isTuple() && std::equal(a.modes.begin(), a.modes.end(), b.modes.begin(), b.modes.end(),
                                   compatibleTrees);
}

std::string boolean(const Items& out, bool want) {
  return unequal("it", treeAt(out, 0).value, Number{want});
}

// What divides mode by mode: the same profile, or an integer for a tuple.
IntTuple divisors(Generator& g, IntTupleView t, bool exact) {
  if (t.isLeaf() || g.chance(15)) {
    if (!exact) return g.between(1, 12);
    Number whole = productOf(t);
    return g.chance(70) ? g.divisorOf(whole) : whole * g.between(1, 3);
  }
  std::vector<IntTuple> modes;
  for (IntTupleView mode : t) {
    if (!modes.empty() && g.chance(10)) break;
    modes.push_back(divisors(g, mode, exact));
  }
  return tupleOf(modes);
}

Number ceilOf(Number a, Number b) { return (a + b - 1) / b; }

// The rule for tuples, with `divide` for two integers; `used` is what an integer becomes behind a
// mode.
template <class Divide>
std::optional<Tree> divided(const Tree& a, const Tree& b, Divide&& divide) {
  if (!a.isTuple()) {
    auto q = divide(a.value, b.product());
    if (!q) return std::nullopt;
    return Tree::integer(*q);
  }
  Tree out;
  Number rest = b.isTuple() ? 0 : b.value;
  for (std::size_t i = 0; i < a.rank(); ++i) {
    if (b.isTuple() && i >= b.rank()) {
      out.modes.push_back(a.modes[i]);
      continue;
    }
    auto mode = divided(a.modes[i], b.isTuple() ? b.modes[i] : Tree::integer(rest), divide);
    if (!mode) return std::nullopt;
    out.modes.push_back(*mode);
    if (b.isTuple()) continue;
    auto left = divide(rest, a.modes[i].product());
    if (!left) return std::nullopt;
    rest = *left;
  }
  return out;
}

std::string notQuotient(const Items& in, const Items& out, bool exact) {
  auto want =
      divided(treeAt(in, 0), treeAt(in, 1), [&](Number a, Number b) -> std::optional<Number> {
        if (!exact) return ceilOf(a, b);
        if (a % b == 0) return a / b;
        if (b % a == 0) return 1;
        return std::nullopt;
      });
  if (!want) return "neither divides the other";
  return unequal("it", treeAt(out, 0), *want);
}

Tree roundedUp(const Tree& a, const Tree& b) {
  if (!a.isTuple()) return Tree::integer(ceilOf(a.value, b.value) * b.value);
  Tree out;
  for (std::size_t i = 0; i < a.rank(); ++i)
    out.modes.push_back(i < b.rank() ? roundedUp(a.modes[i], b.modes[i]) : a.modes[i]);
  return out;
}

// Congruent to the beginning of t.
IntTuple multiples(Generator& g, IntTupleView t) {
  if (t.isLeaf()) return g.between(1, 12);
  std::vector<IntTuple> modes;
  for (IntTupleView mode : t) {
    if (!modes.empty() && g.chance(10)) break;
    modes.push_back(multiples(g, mode));
  }
  return tupleOf(modes);
}

Tree sum(const Tree& a, const Tree& b) {
  if (!a.isTuple() && !b.isTuple()) return Tree::integer(a.value + b.value);
  if (!a.isTuple() && a.value == 0) return b;
  if (!b.isTuple() && b.value == 0) return a;
  Tree out;
  for (std::size_t i = 0; i < std::max(a.rank(), b.rank()); ++i) {
    if (i >= a.rank() || i >= b.rank()) {
      out.modes.push_back(i >= a.rank() ? b.modes[i] : a.modes[i]);
    } else {
      out.modes.push_back(sum(a.modes[i], b.modes[i]));
    }
  }
  return out;
}

Tree prefixes(const Tree& t, Number& running) {
  if (!t.isTuple()) {
    Tree leaf = Tree::integer(running);
    running *= t.value;
    return leaf;
  }
  Tree out;
  for (const Tree& mode : t.modes) out.modes.push_back(prefixes(mode, running));
  return out;
}

const bool kAdded = addProperties({
    {.name = "product",
     .operands =
         [](Generator& g) {
           return Items{g.chance(90) ? g.shape() : IntTuple{g.largeExtent(), g.extent()}};
         },
     .apply =
         [](const Items& in) { return asItems(checked(IntTuple(cute::product(tupleAt(in, 0))))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return unequal("it", treeAt(out, 0).value, treeAt(in, 0).product());
         },
     .accepted = 95,
     .answered = 100,
     .caught = 100},
    {.name = "product_each",
     .operands = [](Generator& g) { return Items{g.shape()}; },
     .apply = [](const Items& in) { return asItems(product_each(tupleAt(in, 0))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           Tree want;
           for (std::size_t i = 0; i < treeAt(in, 0).rank(); ++i)
             want.modes.push_back(Tree::integer(treeAt(in, 0).mode(i).product()));
           return unequal("it", treeAt(out, 0), want);
         },
     .accepted = 100,
     .answered = 100,
     .caught = 100},
    {.name = "prefix_product",
     .operands = [](Generator& g) { return Items{g.shape()}; },
     .apply = [](const Items& in) { return asItems(prefix_product(tupleAt(in, 0))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           Number running = 1;
           return unequal("it", treeAt(out, 0), prefixes(treeAt(in, 0), running));
         },
     .accepted = 100,
     .answered = 100,
     .caught = 100},
    {.name = "inner_product",
     .operands = congruentPair,
     .apply =
         [](const Items& in) { return asItems(inner_product(tupleAt(in, 0), tupleAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           Number want = 0;
           std::vector<Tree> a = oracle::leaves(treeAt(in, 0));
           std::vector<Tree> b = oracle::leaves(treeAt(in, 1));
           for (std::size_t i = 0; i < a.size(); ++i) want += a[i].value * b[i].value;
           return unequal("it", treeAt(out, 0).value, want);
         },
     .accepted = 100,
     .answered = 100,
     .caught = 100},
    {.name = "elem_less",
     .operands = congruentPair,
     .apply = [](const Items& in) { return asItems(elemLess(tupleAt(in, 0), tupleAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           std::vector<Tree> a = oracle::leaves(treeAt(in, 0));
           std::vector<Tree> b = oracle::leaves(treeAt(in, 1));
           bool want = std::equal(a.begin(), a.end(), b.begin(),
                                  [](const Tree& x, const Tree& y) { return x.value < y.value; });
           return boolean(out, want);
         },
     .accepted = 100,
     .answered = 100,
     .caught = 100},
    {.name = "congruent",
     .operands = similarPair,
     .apply =
         [](const Items& in) {
           return asItems(
               Expected<IntTuple>(IntTuple(congruent(tupleAt(in, 0), tupleAt(in, 1)) ? 1 : 0)));
         },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return boolean(out, oracle::congruent(treeAt(in, 0), treeAt(in, 1)));
         },
     .accepted = 100,
     .answered = 100,
     .caught = 100},
    {.name = "weakly_congruent",
     .operands = similarPair,
     .apply =
         [](const Items& in) {
           return asItems(Expected<IntTuple>(
               IntTuple(weakly_congruent(tupleAt(in, 0), tupleAt(in, 1)) ? 1 : 0)));
         },
     .wrong = [](const Items& in, const Items& out,
                 Form /*form*/) { return boolean(out, refines(treeAt(in, 0), treeAt(in, 1))); },
     .accepted = 100,
     .answered = 100,
     .caught = 100},
    {.name = "compatible",
     .operands = similarPair,
     .apply = [](const Items& in) { return asItems(compatible(tupleAt(in, 0), tupleAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return boolean(out, compatibleTrees(treeAt(in, 0), treeAt(in, 1)));
         },
     .accepted = 100,
     .answered = 5,
     .caught = 100},
    {.name = "equal",
     .operands =
         [](Generator& g) {
           IntTuple a = g.coordinate(g.shape(), 10);
           return Items{a, g.chance(60)
                               ? a
                               : (g.chance(50) ? g.mapped(a.view(),
                                                          [&](IntTupleView l) {
                                                            return l.isHole()
                                                                       ? IntTuple(l)
                                                                       : IntTuple(g.below(4));
                                                          })
                                               : g.shape())};
         },
     .apply =
         [](const Items& in) {
           return asItems(cute::equal(tupleAt(in, 0).view(), tupleAt(in, 1).view()));
         },
     .wrong = [](const Items& in, const Items& out,
                 Form /*form*/) { return boolean(out, treeAt(in, 0) == treeAt(in, 1)); },
     .accepted = 100,
     .answered = 5,
     .caught = 100},
    {.name = "ceil_div",
     .operands =
         [](Generator& g) {
           IntTuple a = g.shape();
           return Items{a, divisors(g, a, false)};
         },
     .apply =
         [](const Items& in) { return asItems(ceil_div(tupleAt(in, 0), tupleAt(in, 1).view())); },
     .wrong = [](const Items& in, const Items& out,
                 Form /*form*/) { return notQuotient(in, out, false); },
     .accepted = 95,
     .answered = 90,
     .caught = 100},
    {.name = "ceil_div_by_tiler",
     .operands =
         [](Generator& g) {
           IntTuple a = g.shape();
           return Items{a, g.tiler(a, 0)};
         },
     .apply = [](const Items& in) { return asItems(ceil_div(tupleAt(in, 0), tilerAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           if (form == Form::Dynamic) return std::string();
           std::function<Tree(const cute::Tiler&)> counts = [&](const cute::Tiler& t) {
             if (t.isLayout())
               return Tree::integer(
                   withoutZeros(oracle::Function::of(cute::LayoutView(t.layout()))).size());
             Tree modes;
             for (const cute::Tiler& mode : t.modes()) modes.modes.push_back(counts(mode));
             return modes;
           };
           auto want = divided(treeAt(in, 0), counts(tilerAt(in, 1)), [](Number a, Number b) {
             return std::optional<Number>(ceilOf(a, b));
           });
           return unequal("it", treeAt(out, 0), *want);
         },
     .accepted = 90,
     .answered = 80,
     .caught = 100,
     .likeStatic = false},
    {.name = "shape_div",
     .operands =
         [](Generator& g) {
           IntTuple a = g.shape();
           return Items{a, divisors(g, a, true)};
         },
     .apply = [](const Items& in) { return asItems(shape_div(tupleAt(in, 0), tupleAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           std::string wrong = notQuotient(in, out, true);
           // That one divides the other is the caller's precondition where it is not known.
           return form == Form::Dynamic && wrong.starts_with("neither") ? "" : wrong;
         },
     .accepted = 50,
     .answered = 50,
     .caught = 100},
    {.name = "round_up",
     .operands =
         [](Generator& g) {
           IntTuple a = g.shape();
           return Items{a, multiples(g, a)};
         },
     .apply = [](const Items& in) { return asItems(round_up(tupleAt(in, 0), tupleAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return unequal("it", treeAt(out, 0), roundedUp(treeAt(in, 0), treeAt(in, 1)));
         },
     .accepted = 100,
     .answered = 90,
     .caught = 100},
    {.name = "tuple_add",
     .operands =
         [](Generator& g) {
           Items both = congruentPair(g);
           if (g.chance(20)) return Items{both[0], IntTuple(0)};
           return both;
         },
     .apply = [](const Items& in) { return asItems(tuple_add(tupleAt(in, 0), tupleAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return unequal("it", treeAt(out, 0), sum(treeAt(in, 0), treeAt(in, 1)));
         },
     .fixed = 2,
     .accepted = 100,
     .answered = 90,
     .caught = 95},
    {.name = "unflatten",
     .operands =
         [](Generator& g) {
           IntTuple profile = g.shape();
           return Items{
               cute::flatten(g.mapped(profile.view(),
                                      [&](IntTupleView) { return IntTuple(g.between(0, 99)); })
                                 .view()),
               profile};
         },
     .apply = [](const Items& in) { return asItems(unflatten(tupleAt(in, 0), tupleAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           Tree got = treeAt(out, 0);
           if (!oracle::congruent(got, treeAt(in, 1))) return std::string("the profile is another");
           return unequal("its leaves", Tree::tuple(oracle::leaves(got)),
                          Tree::tuple(oracle::leaves(treeAt(in, 0))));
         },
     .accepted = 100,
     .answered = 100,
     .caught = 100},
    {.name = "repeat_like",
     .operands =
         [](Generator& g) {
           return Items{IntTuple(g.between(-9, 9)), g.coordinate(g.shape(), 10)};
         },
     .apply =
         [](const Items& in) {
           return asItems(repeat_like(tupleAt(in, 0).value(), tupleAt(in, 1)));
         },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           if (!oracle::congruent(treeAt(out, 0), treeAt(in, 1)))
             return std::string("the profile is another");
           for (const Tree& leaf : oracle::leaves(treeAt(out, 0))) {
             if (!(leaf == treeAt(in, 0))) return std::string("a leaf is another value");
           }
           return std::string();
         },
     .accepted = 100,
     .answered = 100,
     .caught = 100},
});

}  // namespace
}  // namespace cutwork::test

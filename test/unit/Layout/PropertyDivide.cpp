// PropertyDivide.cpp -- the four divides, and when a tiler divides evenly.
#include <algorithm>

#include "Property.h"
#include "cutwork/Layout/Divide.h"

namespace cutwork::test {
namespace {

using cute::AnyLayout;
using cute::Layout;
using cute::Tiler;
using oracle::Function;
using oracle::Number;
using oracle::Tree;
using oracle::Value;

constexpr Number kMany = 3000;

std::vector<Value> sorted(std::vector<Value> values) {
  std::sort(values.begin(), values.end());
  return values;
}

// mode 1 runs over the tiles: R(t, r) = A(B(t) + y(r)) with the free places y of B in their order.
std::string notTiles(const Function& tiles, const Function& a, const Function& b) {
  std::vector<Number> places = oracle::freePlaces(b, static_cast<std::size_t>(tiles.size()));
  if (places.empty()) return "";
  for (Number r = 0; r < tiles.size(); ++r) {
    Value want = a.at(places[static_cast<std::size_t>(r)]);
    std::string wrong = unequal("tile " + std::to_string(r) + " begins at", tiles.at(r), want);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

// Whether A is written in one mode, which goes on beyond its end.
bool oneMode(const Function& a) {
  int modes = 0;
  for (const auto& leaf : a.leaves()) modes += leaf.extent > 1 ? 1 : 0;
  return modes <= 1 || a.leaves().size() == 1;
}

std::string notCovered(const Function& got, const Function& a) {
  if (got.size() < a.size()) return "it has fewer elements than A";
  if (got.size() > kMany) return "";
  std::vector<Value> have = sorted(oracle::values(got));
  std::vector<Value> want = sorted(oracle::values(a));
  if (have.size() == want.size()) return have == want ? "" : "its values are not A's";
  return std::includes(have.begin(), have.end(), want.begin(), want.end())
             ? ""
             : "not all of A's values are there";
}

std::string notDividedBy(const Function& got, const Function& a, const Layout& tile) {
  if (!got.shape().isTuple() || got.rank() != 2) return "it is no pair of tile and rest";
  std::string wrong = notComposed(got.mode(0), a, Tiler(tile));
  if (!wrong.empty()) return "the tile: " + wrong;
  Function b = Function::of(cute::LayoutView(tile));
  bool distinct = withoutZeros(b).size() == b.size();
  bool small = got.size() <= kMany && a.size() <= kMany;
  if (distinct && small) wrong = notCovered(got, a);
  bool exact = got.size() == a.size() || oneMode(a);
  bool positive = std::all_of(b.leaves().begin(), b.leaves().end(),
                              [](const auto& l) { return l.path.empty() && l.stride >= 0; });
  if (wrong.empty() && exact && positive && small && b.size() * got.size() <= kMany * 10)
    wrong = notTiles(got.mode(1), a, b);
  return wrong;
}

std::string notDivided(const Function& got, const Function& a, const Tiler& tiler) {
  if (tiler.isHole()) return otherModes(got, a);
  if (tiler.isLayout()) return notDividedBy(got, a, tiler.layout());
  if (!got.shape().isTuple() || got.rank() != a.rank()) return "the rank is not A's";
  for (std::size_t i = 0; i < got.rank(); ++i) {
    bool tiled = i < tiler.modes().size();
    std::string wrong = tiled ? notDivided(got.mode(i), a.mode(i), tiler.modes()[i])
                              : otherModes(got.mode(i), a.mode(i));
    if (!wrong.empty()) return "mode " + std::to_string(i) + ": " + wrong;
  }
  return "";
}

Items divideOperands(Generator& g) {
  Layout a = g.anyPlain();
  if (basisStrides(a) || g.chance(85)) {
    if (g.chance(8)) return {AnyLayout(a), Tiler(g.withBasis(a.shape()))};
    return {g.anyLayout(a), g.tiler(a.shape())};
  }
  // What does not come out even, in one mode.
  return {g.anyLayout(Layout::leaf(g.between(1, 60), cute::IntTuple(g.between(1, 9)))),
          Tiler(g.between(1, 12))};
}

// ---- regrouping, as trees ----

struct Pair {
  Tree first;
  Tree second;
};

// What the tiler makes of a tree of pairs: all firsts, all seconds.
Pair unzipped(const Tree& pairs, const Tiler& tiler) {
  if (!tiler.isByMode()) return {pairs.mode(0), pairs.mode(1)};
  Pair out{Tree::tuple({}), Tree::tuple({})};
  for (std::size_t i = 0; i < pairs.rank(); ++i) {
    if (i >= tiler.modes().size()) {
      out.second.modes.push_back(pairs.mode(i));
      continue;
    }
    Pair inner = unzipped(pairs.mode(i), tiler.modes()[i]);
    out.first.modes.push_back(inner.first);
    out.second.modes.push_back(inner.second);
  }
  return out;
}

void appendModes(Tree& out, const Tree& t) {
  for (std::size_t i = 0; i < t.rank(); ++i) out.modes.push_back(t.mode(i));
}

Tree regrouped(const Tree& pairs, const Tiler& tiler, char how) {
  Pair both = unzipped(pairs, tiler);
  Tree out = Tree::tuple({});
  if (how == 'f') {
    appendModes(out, both.first);
  } else {
    out.modes.push_back(both.first);
  }
  if (how == 'z') {
    out.modes.push_back(both.second);
  } else {
    appendModes(out, both.second);
  }
  return out;
}

std::string notGrouped(const Items& in, const Items& out, char how) {
  std::string wrong =
      notDivided(functionAt(out, 1).outer(), functionAt(in, 0).outer(), tilerAt(in, 1));
  if (!wrong.empty()) return wrong;
  Function logical = functionAt(out, 1).outer();
  Function want(regrouped(logical.shape(), tilerAt(in, 1), how),
                regrouped(logical.stride(), tilerAt(in, 1), how));
  return otherModes(functionAt(out, 0).outer(), want);
}

template <class Divide>
Expected<Items> withLogical(const Items& in, Divide&& divide) {
  CW_TRY(AnyLayout grouped, divide(layoutAt(in, 0), tilerAt(in, 1)));
  CW_TRY(AnyLayout logical, logical_divide(layoutAt(in, 0), tilerAt(in, 1)));
  return Items{grouped, logical};
}

template <class Divide>
Property grouped(const char* name, char how, Divide divide) {
  return {.name = name,
          .operands =
              [](Generator& g) {
                Layout a = g.anyPlain();
                return Items{g.anyLayout(a), g.tiler(a.shape(), 0)};
              },
          .apply = [divide](const Items& in) { return withLogical(in, divide); },
          .wrong =
              [how](const Items& in, const Items& out, Form /*form*/) {
                std::string wrong = otherInner(layoutAt(out, 0), layoutAt(in, 0));
                return wrong.empty() ? notGrouped(in, out, how) : wrong;
              },
          .accepted = 40,
          .answered = 15,
          .caught = 90,
          .likeStatic = false};
}

// ---- even division ----

// Whether a tile of n consecutive elements ends with the extents it goes through.
bool reachesEvenly(const Tree& shape, Number n) {
  for (const Tree& leaf : oracle::leaves(shape)) {
    if (n == 1) break;
    if (leaf.value % n == 0) return true;
    if (n % leaf.value != 0) return false;
    n /= leaf.value;
  }
  return n == 1;
}

bool coversEvenly(const Tree& shape, const Tiler& tiler) {
  if (tiler.isHole()) return true;
  if (tiler.isLayout()) return reachesEvenly(shape, tiler.layout().shape().value().value());
  if (!shape.isTuple() || tiler.modes().size() > shape.rank()) return false;
  for (std::size_t i = 0; i < tiler.modes().size(); ++i) {
    if (!coversEvenly(shape.modes[i], tiler.modes()[i])) return false;
  }
  return true;
}

// Integers and holes by mode.
Tiler integerTiler(Generator& g, cute::IntTupleView shape) {
  if (g.chance(15)) return Tiler::hole();
  if (shape.isLeaf() || g.chance(30))
    return Tiler(g.chance(70) ? g.divisorOf(productOf(shape)) : g.extent());
  std::vector<Tiler> modes;
  for (int i = 0; i < shape.rank() && (i == 0 || !g.chance(15)); ++i)
    modes.push_back(integerTiler(g, shape[i]));
  return Tiler::byMode(std::move(modes));
}

const bool kAdded = addProperties({
    {.name = "logical_divide",
     .operands = divideOperands,
     .apply =
         [](const Items& in) { return asItems(logical_divide(layoutAt(in, 0), tilerAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           std::string wrong = otherInner(layoutAt(out, 0), layoutAt(in, 0));
           if (!wrong.empty()) return wrong;
           return notDivided(functionAt(out, 0).outer(), functionAt(in, 0).outer(), tilerAt(in, 1));
         },
     .accepted = 40,
     .answered = 15,
     .likeStatic = false},
    grouped("zipped_divide", 'z',
            [](const AnyLayout& l, const Tiler& t) { return zipped_divide(l, t); }),
    grouped("tiled_divide", 't',
            [](const AnyLayout& l, const Tiler& t) { return tiled_divide(l, t); }),
    grouped("flat_divide", 'f',
            [](const AnyLayout& l, const Tiler& t) { return flat_divide(l, t); }),
    {.name = "evenly_divides",
     .operands =
         [](Generator& g) {
           cute::IntTuple shape = g.shape();
           return Items{shape, integerTiler(g, shape)};
         },
     .apply =
         [](const Items& in) { return asItems(evenly_divides(tupleAt(in, 0), tilerAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return unequal("it", treeAt(out, 0).value,
                          Number{coversEvenly(treeAt(in, 0), tilerAt(in, 1))});
         },
     .accepted = 100,
     .answered = 5},
});

}  // namespace
}  // namespace cutwork::test

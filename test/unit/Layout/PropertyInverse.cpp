// PropertyInverse.cpp -- complements, inverses, null spaces, by coordinate mode for basis strides.
#include <algorithm>
#include <set>

#include "Property.h"
#include "cutwork/Layout/Complement.h"
#include "cutwork/Layout/Inverse.h"

namespace cutwork::test {

using cute::AnyLayout;
using cute::Layout;
using oracle::Function;
using oracle::Number;
using oracle::Path;
using oracle::Tree;
using oracle::Value;

namespace {

constexpr Number kMany = 20000;

// Where the values of f begin again. A dynamic extent may be 1 and is counted all the same.
Number period(const Function& f, Form form) {
  Number end = 1;
  for (const auto& leaf : f.leaves()) {
    if (leaf.extent > 1 || form == Form::Dynamic) end = std::max(end, leaf.extent * leaf.stride);
  }
  return end;
}

}  // namespace

std::string notComplement(const Function& layout, const Function& c, Number cotarget, Form form) {
  Function l = oracle::withoutZeros(layout);
  for (const auto& leaf : c.leaves()) {
    if (leaf.extent <= 0) return "an extent is not positive";
  }
  Number end = period(l, Form::Static);
  Number other = period(l, form);
  bool regular = oracle::isRegular(l, form == Form::Dynamic);
  Number most = std::max((cotarget + end - 1) / end * end, (cotarget + other - 1) / other * other);
  if (regular && l.size() * c.size() < cotarget) return "together they do not reach the cotarget";
  if (l.size() * c.size() > most) return "it reaches beyond " + std::to_string(most);
  if (l.size() * c.size() > kMany) return "";
  std::set<Number> reached;
  for (const Value& y : oracle::values(c)) {
    for (const Value& x : oracle::values(l)) {
      if (!reached.insert(x.plain + y.plain).second)
        return std::to_string(x.plain + y.plain) + " is reached twice";
    }
  }
  for (Number i = 0; regular && i < cotarget; ++i) {
    if (!reached.contains(i)) return std::to_string(i) + " is not reached";
  }
  for (Number i = 1; i < c.size(); ++i) {
    if (c.at(i).plain <= c.at(i - 1).plain) return "the values do not increase";
  }
  return "";
}

namespace {

bool reachesInside(const Function& l, const Path& path) {
  for (const auto& leaf : l.leaves()) {
    if (leaf.path.size() > path.size() && std::equal(path.begin(), path.end(), leaf.path.begin()))
      return true;
  }
  return false;
}

// The coordinate modes; one that the layout does not reach into is an integer.
void collectLeaves(const Tree& coordinates, const Path& path, const Function& l,
                   std::vector<std::pair<Path, Number>>& out) {
  if (!path.empty() && !reachesInside(l, path)) {
    out.emplace_back(path, coordinates.product());
    return;
  }
  for (std::size_t i = 0; i < coordinates.rank(); ++i) {
    Path inner = path;
    inner.push_back(static_cast<int>(i));
    collectLeaves(coordinates.modes[i], inner, l, out);
  }
}

// The complement of each coordinate mode for itself.
std::string notComplementByMode(const Function& l, const Function& c, const Tree& cotarget,
                                Form form) {
  std::vector<std::pair<Path, Number>> modes;
  collectLeaves(cotarget, {}, l, modes);
  for (const auto& [path, extent] : modes) {
    std::string wrong = notComplement(alongPath(l, path), alongPath(c, path), extent, form);
    if (!wrong.empty()) return "coordinate mode " + std::to_string(path.back()) + ": " + wrong;
  }
  return "";
}

Items complementOperands(Generator& g) {
  Layout l = g.chance(70) ? g.injective() : g.layout();
  Number size = std::min<Number>(functionAt({AnyLayout(l)}, 0).size(), 300);
  if (g.chance(30)) return {g.anyLayout(l), g.shape(300)};
  return {g.anyLayout(l), cute::IntTuple(std::max<Number>(
                              1, g.chance(50) ? size * g.between(1, 5) : g.between(1, 300)))};
}

// Basis strides over these coordinates, with each of them in use.
Items basisComplementOperands(Generator& g) {
  cute::IntTuple coordinates{g.extent() + 1, g.extent() + 1, g.extent() + 1};
  if (g.chance(50))
    coordinates = cute::IntTuple{g.extent() + 1, cute::IntTuple{g.extent() + 1, g.extent() + 1}};
  return {AnyLayout(g.withBasis(coordinates)), coordinates};
}

// ---- inverses ----

Layout invertible(Generator& g) {
  if (g.chance(20)) return g.identityLike();
  if (g.chance(60)) return g.compact(300);
  return g.chance(50) ? g.injective() : g.layout();
}

// Each coordinate of R as the value that L has to have there.
Value coordinateValue(const Function& r, const Tree& profile, Number& linear) {
  if (!profile.isTuple()) {
    Number c = linear % r.size();
    linear /= r.size();
    return c;
  }
  Value sum;
  for (std::size_t i = 0; i < profile.rank(); ++i) {
    Value part = coordinateValue(r.mode(i), profile.modes[i], linear);
    if (part.terms.empty()) sum.add({static_cast<int>(i)}, part.plain);
    for (const auto& [path, n] : part.terms) {
      Path longer{static_cast<int>(i)};
      longer.insert(longer.end(), path.begin(), path.end());
      sum.add(longer, n);
    }
  }
  return sum;
}

// The profile of the values of f: () for each coordinate mode that is a tuple.
Tree valueProfile(const Function& f) {
  Tree profile = Tree::integer(0);
  for (const auto& leaf : f.leaves()) {
    Tree* at = &profile;
    for (int step : leaf.path) {
      if (!at->isTuple()) *at = Tree::tuple({});
      while (static_cast<int>(at->modes.size()) <= step) at->modes.push_back(Tree::integer(0));
      at = &at->modes[static_cast<std::size_t>(step)];
    }
  }
  return profile;
}

std::string notLongest(const Function& l, const Function& r) {
  for (const auto& leaf : l.leaves()) {
    if (leaf.stride < 0 || !leaf.path.empty()) return "";
  }
  if (l.size() > kMany || !oracle::isInjective(l)) return "";
  for (const Value& v : oracle::values(l)) {
    if (v.plain == r.size())
      return "L has the value " + std::to_string(r.size()) + ", where it ends";
  }
  return "";
}

std::string notRightInverse(const Items& in, const Items& out, Form form) {
  Function l = functionAt(in, 0);
  Function r = functionAt(out, 0);
  Tree profile = valueProfile(l);
  for (Number i : oracle::points(r.size())) {
    Number linear = i;
    Value want =
        r.isComposed() || !profile.isTuple() ? Value(i) : coordinateValue(r, profile, linear);
    Number at = r.at(i).plain;
    if (at < 0 || at >= l.size()) return "R(" + std::to_string(i) + ") is no coordinate of L";
    std::string wrong = unequal("L(R(" + std::to_string(i) + "))", l.at(at), want);
    if (!wrong.empty()) return wrong;
  }
  if (form == Form::Static && !r.isComposed()) return notLongest(l, r);
  return "";
}

std::string notLeftInverse(const Items& in, const Items& out, Form /*form*/) {
  Function l = functionAt(in, 0);
  Function r = functionAt(out, 0);
  bool injective = l.size() <= kMany && oracle::isInjective(l);
  for (Number i : oracle::points(l.size())) {
    Value back = r.at(l.at(i));
    std::string name = std::to_string(i);
    std::string wrong = unequal("L(R(L(" + name + ")))", l.at(back), l.at(i));
    if (wrong.empty() && injective) wrong = unequal("R(L(" + name + "))", back, Value(i));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

Layout leftInvertible(Generator& g) {
  if (g.chance(15)) return g.identityLike();
  if (g.chance(40)) return g.compact(300);
  if (g.chance(30)) return g.injective();
  // Strides that divide one another, with gaps, in some order.
  std::vector<Piece> pieces;
  Number place = g.chance(50) ? 1 : g.extent();
  for (std::int64_t i = g.between(1, 4); i > 0; --i) {
    Number e = g.extent();
    pieces.push_back({e, place});
    place *= e * (g.chance(50) ? g.between(1, 3) : 1);
  }
  if (g.chance(50)) g.shuffle(pieces);
  return g.ofPieces(pieces);
}

std::string notNullspace(const Items& in, const Items& out, Form form) {
  Function l = functionAt(in, 0).outer();
  Function n = functionAt(out, 0);
  Number free = 1;
  for (const auto& leaf : l.leaves()) free *= leaf.stride == 0 ? leaf.extent : 1;
  // A dynamic stride counts as one that is not 0.
  std::string wrong = form == Form::Static ? unequal("the size", n.size(), free) : "";
  if (!wrong.empty()) return wrong;
  std::set<Number> seen;
  for (Number i : oracle::points(n.size())) {
    Number at = n.at(i).plain;
    if (at < 0 || at >= l.size()) return std::to_string(at) + " is no coordinate";
    if (!(l.at(at) == Value(0))) return "L(" + std::to_string(at) + ") is not 0";
    if (n.size() <= 1000 && !seen.insert(at).second) return "a coordinate is there twice";
  }
  return "";
}

Items withZeroStrides(Generator& g) {
  Layout l = g.anyPlain();
  cute::IntTuple stride = g.mapped(l.stride().view(), [&](cute::IntTupleView s) {
    return g.chance(40) ? cute::IntTuple(0) : cute::IntTuple(s);
  });
  return {g.anyLayout(Layout::make(l.shape(), stride))};
}

const bool kAdded = addProperties({
    {.name = "complement",
     .operands = complementOperands,
     .apply = [](const Items& in) { return asItems(complement(layoutAt(in, 0), tupleAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           return notComplement(functionAt(in, 0).outer(), functionAt(out, 0),
                                treeAt(in, 1).product(), form);
         },
     .accepted = 50,
     .answered = 10,
     .likeStatic = false},
    {.name = "complement_without_cotarget",
     .operands =
         [](Generator& g) { return Items{g.anyLayout(g.chance(70) ? g.injective() : g.layout())}; },
     .apply = [](const Items& in) { return asItems(complement(layoutAt(in, 0))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           return notComplement(functionAt(in, 0).outer(), functionAt(out, 0), 1, form);
         },
     .accepted = 50,
     .answered = 10,
     .likeStatic = false},
    {.name = "complement_of_basis_strides",
     .operands = basisComplementOperands,
     .apply = [](const Items& in) { return asItems(complement(layoutAt(in, 0), tupleAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           return notComplementByMode(functionAt(in, 0), functionAt(out, 0), treeAt(in, 1), form);
         },
     .accepted = 60,
     .answered = 10,
     .likeStatic = false},
    {.name = "right_inverse",
     .operands = [](Generator& g) { return Items{g.anyLayout(invertible(g))}; },
     .apply = [](const Items& in) { return asItems(right_inverse(layoutAt(in, 0))); },
     .wrong = notRightInverse,
     .accepted = 60,
     .answered = 2,
     .likeStatic = false},
    {.name = "right_inverse_that_stops",
     .operands = [](Generator& g) { return Items{AnyLayout(invertible(g))}; },
     .apply =
         [](const Items& in) {
           return asItems(right_inverse(plainAt(in, 0), cute::WhenUnknown::Stop));
         },
     .wrong = notRightInverse,
     .accepted = 60,
     .answered = 20,
     .likeStatic = false},
    {.name = "left_inverse",
     .operands = [](Generator& g) { return Items{g.anyLayout(leftInvertible(g))}; },
     .apply = [](const Items& in) { return asItems(left_inverse(layoutAt(in, 0))); },
     .wrong = notLeftInverse,
     .accepted = 50,
     .answered = 2,
     .caught = 50,
     .likeStatic = false},
    {.name = "nullspace",
     .operands = withZeroStrides,
     .apply = [](const Items& in) { return asItems(nullspace(layoutAt(in, 0))); },
     .wrong = notNullspace,
     .accepted = 90,
     .answered = 20,
     .likeStatic = false},
});

}  // namespace
}  // namespace cutwork::test

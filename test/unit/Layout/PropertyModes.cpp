// PropertyModes.cpp -- picking modes and grouping them: on tuples and on layouts.
#include "Property.h"
#include "cutwork/Layout/Modes.h"

namespace cutwork::test {
namespace {

using cute::AnyLayout;
using cute::IntTuple;
using cute::Layout;
using oracle::Function;
using oracle::Number;
using oracle::Tree;

std::vector<int> modesOf(const Items& in, std::size_t i) {
  std::vector<int> modes;
  for (const Tree& leaf : oracle::leaves(treeAt(in, i)))
    modes.push_back(static_cast<int>(leaf.value));
  return modes;
}
int numberAt(const Items& in, std::size_t i) { return static_cast<int>(treeAt(in, i).value); }

IntTuple tupleOf(const std::vector<IntTuple>& modes) {
  return IntTuple(std::span<const IntTuple>(modes));
}

// ---- the same on trees ----

Tree selected(const Tree& t, const std::vector<int>& modes) {
  Tree out;
  for (int mode : modes) out.modes.push_back(t.mode(static_cast<std::size_t>(mode)));
  return out;
}

Tree reached(const Tree& t, const std::vector<int>& path) {
  Tree at = t;
  for (int mode : path) at = Tree(at.modes[static_cast<std::size_t>(mode)]);
  return at;
}

Tree between(const Tree& t, int begin, int end) {
  Tree out;
  for (int i = begin; i < end; ++i) out.modes.push_back(t.mode(static_cast<std::size_t>(i)));
  return out;
}

Tree grouped(const Tree& t, int begin, int end) {
  Tree out = between(t, 0, begin);
  if (begin < end) out.modes.push_back(between(t, begin, end));
  for (const Tree& mode : between(t, end, static_cast<int>(t.rank())).modes)
    out.modes.push_back(mode);
  return out;
}

Tree extended(const Tree& t, const Tree& element, int count, bool atEnd) {
  if (count <= 0) return t;
  Tree out = between(t, 0, static_cast<int>(t.rank()));
  for (int i = 0; i < count; ++i)
    out.modes.insert(atEnd ? out.modes.end() : out.modes.begin(), element);
  return out;
}

// Whether the result is `change` of the tuple, or of shape and strides alike.
template <class Change>
std::string notChanged(const Items& in, const Items& out, Change&& change) {
  if (std::holds_alternative<IntTuple>(in[0]))
    return unequal("it", treeAt(out, 0), change(treeAt(in, 0), 's'));
  Function f = functionAt(in, 0);
  return otherModes(functionAt(out, 0), Function(change(f.shape(), 's'), change(f.stride(), 'd')));
}

// The operation on a tuple or a layout.
template <class F>
Expected<Items> onEither(const Items& in, F&& f) {
  if (std::holds_alternative<IntTuple>(in[0])) return asItems(f(tupleAt(in, 0).view(), 1));
  return asItems(f(plainAt(in, 0), 1));
}

Item either(Generator& g) {
  if (g.chance(50)) return g.coordinate(g.shape(), 5);
  return AnyLayout(g.anyPlain());
}

int rankOf(const Item& item) {
  if (const auto* t = std::get_if<IntTuple>(&item)) return t->rank();
  return std::get<AnyLayout>(item).outer().rank();
}

Items withRange(Generator& g) {
  Item item = either(g);
  int rank = rankOf(item);
  auto begin = static_cast<int>(g.between(0, rank));
  return {item, IntTuple(begin), IntTuple(static_cast<int>(g.between(begin, rank)))};
}

Items withModes(Generator& g) {
  Item item = either(g);
  std::vector<IntTuple> modes;
  for (std::int64_t i = g.between(0, 4); i > 0; --i) modes.emplace_back(g.below(rankOf(item)));
  return {item, tupleOf(modes)};
}

Items withPath(Generator& g) {
  Item item = either(g);
  const auto* t = std::get_if<IntTuple>(&item);
  Tree at =
      t != nullptr ? oracle::read(*t) : oracle::read(std::get<AnyLayout>(item).outer().shape());
  std::vector<IntTuple> path;
  while (at.isTuple() && at.rank() > 0 && !g.chance(25)) {
    std::int64_t mode = g.below(static_cast<std::int64_t>(at.rank()));
    path.emplace_back(mode);
    at = Tree(at.modes[static_cast<std::size_t>(mode)]);
  }
  return {item, tupleOf(path)};
}

Items withElement(Generator& g) {
  Item item = either(g);
  auto rank = static_cast<int>(g.between(0, 6));
  if (std::holds_alternative<IntTuple>(item)) return {item, g.shape(20), IntTuple(rank)};
  return {item, AnyLayout(g.withGaps(g.shape(20))), IntTuple(rank)};
}

// append and prepend: with a rank, or by one where the rank is 0.
template <class F>
Expected<Items> extend(const Items& in, F&& f) {
  int rank = numberAt(in, 2);
  if (std::holds_alternative<IntTuple>(in[0]))
    return asItems(f(tupleAt(in, 0).view(), tupleAt(in, 1).view(), rank));
  return asItems(f(plainAt(in, 0), plainAt(in, 1), rank));
}

std::string notExtended(const Items& in, const Items& out, bool atEnd) {
  int rank = numberAt(in, 2);
  return notChanged(in, out, [&](const Tree& t, char part) {
    int count = rank == 0 ? 1 : rank - static_cast<int>(t.rank());
    if (std::holds_alternative<IntTuple>(in[1])) return extended(t, treeAt(in, 1), count, atEnd);
    Function element = functionAt(in, 1);
    return extended(t, part == 's' ? element.shape() : element.stride(), count, atEnd);
  });
}

Number extentOf(const Function& f) {
  Number reach = 1;
  for (const auto& leaf : f.leaves())
    reach += (leaf.extent - 1) * (leaf.stride < 0 ? -leaf.stride : leaf.stride);
  return reach;
}

// One more than the largest value, by enumeration where there is no negative stride.
std::string notCosize(const Items& in, const Items& out, Form /*form*/) {
  Function f = functionAt(in, 0).outer();
  Number got = treeAt(out, 0).value;
  bool enumerable = f.size() <= 3000;
  Number largest = 0;
  for (const auto& leaf : f.leaves()) enumerable = enumerable && leaf.stride >= 0;
  for (Number i = 0; enumerable && i < f.size(); ++i) largest = std::max(largest, f.at(i).plain);
  if (enumerable) return unequal("it", got, largest + 1);
  return unequal("it", got, extentOf(f));
}

// Each integer of the coshape is one more than the largest value at its path.
std::string notCoshape(const Items& in, const Items& out, Form /*form*/) {
  Function f = functionAt(in, 0);
  std::vector<Tree> got = oracle::leaves(treeAt(out, 0));
  std::vector<oracle::Path> paths;
  std::function<void(const Tree&, const oracle::Path&)> walk = [&](const Tree& t,
                                                                   const oracle::Path& path) {
    if (!t.isTuple()) return paths.push_back(path);
    for (std::size_t i = 0; i < t.rank(); ++i) {
      oracle::Path inner = path;
      inner.push_back(static_cast<int>(i));
      walk(t.modes[i], inner);
    }
  };
  walk(treeAt(out, 0), {});
  for (std::size_t i = 0; i < paths.size(); ++i) {
    std::string wrong =
        unequal("mode " + std::to_string(i), got[i].value, extentOf(alongPath(f, paths[i])));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

const bool kAdded = addProperties({
    {.name = "select",
     .operands = withModes,
     .apply =
         [](const Items& in) {
           return onEither(in, [&](const auto& t, int) { return select(t, modesOf(in, 1)); });
         },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return notChanged(in, out,
                             [&](const Tree& t, char) { return selected(t, modesOf(in, 1)); });
         },
     .fixed = 2,
     .accepted = 100,
     .answered = 100,
     .caught = 95},
    {.name = "get",
     .operands = withPath,
     .apply =
         [](const Items& in) {
           return onEither(in, [&](const auto& t, int) { return get(t, modesOf(in, 1)); });
         },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return notChanged(in, out,
                             [&](const Tree& t, char) { return reached(t, modesOf(in, 1)); });
         },
     .fixed = 2,
     .accepted = 100,
     .answered = 100,
     .caught = 95},
    {.name = "take",
     .operands = withRange,
     .apply =
         [](const Items& in) {
           return onEither(
               in, [&](const auto& t, int) { return take(t, numberAt(in, 1), numberAt(in, 2)); });
         },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return notChanged(in, out, [&](const Tree& t, char) {
             return between(t, numberAt(in, 1), numberAt(in, 2));
           });
         },
     .fixed = 6,
     .accepted = 100,
     .answered = 100,
     .caught = 95},
    {.name = "group",
     .operands = withRange,
     .apply =
         [](const Items& in) {
           return onEither(
               in, [&](const auto& t, int) { return group(t, numberAt(in, 1), numberAt(in, 2)); });
         },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return notChanged(in, out, [&](const Tree& t, char) {
             return grouped(t, numberAt(in, 1), numberAt(in, 2));
           });
         },
     .fixed = 6,
     .accepted = 100,
     .answered = 100,
     .caught = 95},
    {.name = "append",
     .operands = withElement,
     .apply =
         [](const Items& in) {
           return extend(in, [](const auto& t, const auto& e, int rank) {
             return rank == 0 ? append(t, e) : append(t, e, rank);
           });
         },
     .wrong = [](const Items& in, const Items& out,
                 Form /*form*/) { return notExtended(in, out, true); },
     .fixed = 4,
     .accepted = 100,
     .answered = 100,
     .caught = 95},
    {.name = "prepend",
     .operands = withElement,
     .apply =
         [](const Items& in) {
           return extend(in, [](const auto& t, const auto& e, int rank) {
             return rank == 0 ? prepend(t, e) : prepend(t, e, rank);
           });
         },
     .wrong = [](const Items& in, const Items& out,
                 Form /*form*/) { return notExtended(in, out, false); },
     .fixed = 4,
     .accepted = 100,
     .answered = 100,
     .caught = 95},
    {.name = "size_rank_depth",
     .operands = [](Generator& g) { return Items{g.anyLayout(g.anyPlain())}; },
     .apply =
         [](const Items& in) {
           const Layout& l = plainAt(in, 0);
           return asItems(checked(IntTuple{cute::size(l), cute::rank(l), cute::depth(l)}));
         },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           Function f = functionAt(in, 0);
           Tree want =
               Tree::tuple({Tree::integer(f.size()), Tree::integer(static_cast<Number>(f.rank())),
                            Tree::integer(f.shape().depth())});
           return unequal("it", treeAt(out, 0), want);
         },
     .accepted = 100,
     .answered = 100,
     .caught = 100},
    {.name = "cosize",
     .operands = [](Generator& g) { return Items{AnyLayout(g.layout())}; },
     .apply = [](const Items& in) { return asItems(cosize(plainAt(in, 0))); },
     .wrong = notCosize,
     .accepted = 95,
     .answered = 100,
     .caught = 100},
    {.name = "coshape",
     .operands = [](Generator& g) { return Items{AnyLayout(g.identityLike())}; },
     .apply = [](const Items& in) { return asItems(coshape(plainAt(in, 0))); },
     .wrong = notCoshape,
     .accepted = 95,
     .answered = 100,
     .caught = 95},
});

}  // namespace
}  // namespace cutwork::test

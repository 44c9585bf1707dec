// PropertyCoordinates.cpp -- coordinates to values and back, slices, offsets.
#include <algorithm>

#include "Property.h"
#include "cutwork/Layout/Construct.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/Slice.h"

namespace cutwork::test {
namespace {

using cute::IntTuple;
using cute::IntTupleView;
using cute::Layout;
using oracle::Function;
using oracle::Number;
using oracle::Tree;
using oracle::Value;

Items coordinateAndLayout(Generator& g, int holes) {
  Layout l = g.anyPlain();
  IntTuple c = g.coordinate(l.shape(), holes);
  return {c, g.anyLayout(l)};
}

// A coordinate as the compact layout of the shape takes it.
Number linearOf(const Tree& coordinate, const Tree& shape) {
  if (!coordinate.isTuple()) return coordinate.isHole() ? 0 : coordinate.value;
  Number sum = 0;
  Number place = 1;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    sum += place * linearOf(coordinate.modes[i], shape.modes[i]);
    place *= shape.modes[i].product();
  }
  return sum;
}

bool inside(const Tree& coordinate, const Tree& shape) {
  if (!oracle::congruent(coordinate, shape)) return false;
  std::vector<Tree> c = oracle::leaves(coordinate);
  std::vector<Tree> s = oracle::leaves(shape);
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (c[i].value < 0 || c[i].value >= s[i].value) return false;
  }
  return true;
}

// Indices by mode for the modes of `shape`, or one for all.
IntTuple indices(Generator& g, IntTupleView shape) {
  if (shape.isLeaf() || g.chance(50)) return g.below(productOf(shape));
  std::vector<IntTuple> modes;
  for (IntTupleView mode : shape) modes.push_back(indices(g, mode));
  return IntTuple(std::span<const IntTuple>(modes));
}

std::string notCoordinate(const Items& in, const Items& out, Form /*form*/) {
  Tree shape = treeAt(in, 1);
  Tree c = treeAt(out, 0);
  if (!inside(c, shape)) return "it is no natural coordinate of the shape";
  return unequal("its index", linearOf(c, shape), linearOf(treeAt(in, 0), shape));
}

std::string notLeafByLeaf(const Items& in, const Items& out, Form /*form*/) {
  Tree shape = treeAt(in, 1);
  Tree c = treeAt(out, 0);
  if (!inside(c, shape)) return "it is no natural coordinate of the shape";
  std::vector<Tree> leaves = oracle::leaves(c);
  std::vector<Tree> strides = oracle::leaves(treeAt(in, 2));
  std::vector<Tree> extents = oracle::leaves(shape);
  Number index = treeAt(in, 0).value;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    Number d = strides[i].value;
    Number want = d == 0 ? 0 : index / d % extents[i].value;
    std::string wrong = unequal("leaf " + std::to_string(i), leaves[i].value, want);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

// ---- slices ----

// The modes of `t` at the holes (or not at them) of the coordinate, in order.
void kept(const Tree& coordinate, const Tree& t, bool holes, std::vector<Tree>& out) {
  if (!coordinate.isTuple()) {
    if (coordinate.isHole() == holes) out.push_back(t);
    return;
  }
  for (std::size_t i = 0; i < coordinate.rank(); ++i)
    kept(coordinate.modes[i], t.modes[i], holes, out);
}

Tree keptTree(const Tree& coordinate, const Tree& t, bool holes) {
  std::vector<Tree> modes;
  kept(coordinate, t, holes, modes);
  if (!coordinate.isTuple() && coordinate.isHole() == holes) return t;
  return Tree::tuple(modes);
}

// The coordinate with its holes filled by the digits of a linear coordinate of the kept modes.
Tree filled(const Tree& coordinate, const Tree& shape, Number& linear) {
  if (coordinate.isHole()) {
    Number size = shape.product();
    Tree c = Tree::integer(linear % size);
    linear /= size;
    return c;
  }
  if (!coordinate.isTuple()) return coordinate;
  Tree out;
  for (std::size_t i = 0; i < coordinate.rank(); ++i)
    out.modes.push_back(filled(coordinate.modes[i], shape.modes[i], linear));
  return out;
}

// Whether every coordinate of `coarse` is one of `fine`.
bool refines(const Tree& coarse, const Tree& fine) {
  if (!coarse.isTuple()) return coarse.value == fine.product();
  if (!fine.isTuple() || coarse.rank() != fine.rank()) return false;
  return std::equal(coarse.modes.begin(), coarse.modes.end(), fine.modes.begin(), refines);
}

std::string notSliced(const Items& in, const Items& out, bool withOffset) {
  Tree coordinate = treeAt(in, 0);
  Function l = functionAt(in, 1);
  Function s = functionAt(out, 0);
  Tree shape = keptTree(coordinate, l.shape(), true);
  // A swizzle that is linear there becomes strides of powers of two, and the modes finer.
  bool linear = l.isComposed() && !s.isComposed();
  if (!(linear ? refines(shape, s.shape()) : s.shape() == shape)) {
    return "the shape is " + s.shape().text() + ", not " + shape.text();
  }
  Value offset = withOffset ? oracle::valueOf(treeAt(out, 1)) : Value(0);
  if (!l.isComposed()) {
    std::string wrong = otherModes(s, Function(shape, keptTree(coordinate, l.stride(), true)));
    if (!wrong.empty()) return wrong;
  }
  for (Number i : oracle::points(shape.product())) {
    Number linear = i;
    Tree c = filled(coordinate, l.shape(), linear);
    Value want = l.at(c);
    // Without the offset a plain slice is right up to a constant; a composed one has it inside.
    if (!withOffset && i == 0) offset = Value(want.plain - s.at(0).plain);
    if (!withOffset && !want.terms.empty()) return "";
    std::string wrong = unequal("its value at " + c.text(), offset + s.at(i), want);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

Expected<Items> withOffset(Expected<cute::OffsetLayout> made) {
  if (!made) return std::move(made).takeError();
  return Items{made->layout, made->offset};
}

std::string notMoved(const Items& in, const Items& out, Form /*form*/) {
  Function l = functionAt(in, 1);
  Function moved = functionAt(out, 0);
  Value offset = oracle::valueOf(treeAt(out, 1));
  Value by = l.outer().at(treeAt(in, 0));
  for (Number i : oracle::points(l.size())) {
    Value want = l.isComposed() ? l.shifted(by).at(i) : by + l.at(i);
    std::string wrong = unequal("its value at " + std::to_string(i), offset + moved.at(i), want);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

const bool kAdded = addProperties({
    {.name = "crd2idx",
     .operands = [](Generator& g) { return coordinateAndLayout(g, g.pick({0, 0, 20})); },
     .apply = [](const Items& in) { return asItems(crd2idx(tupleAt(in, 0), layoutAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return unequal("it", oracle::valueOf(treeAt(out, 0)),
                          functionAt(in, 1).at(treeAt(in, 0)));
         },
     .accepted = 95,
     .answered = 100,
     .caught = 100},
    {.name = "crd2idx_of_shape",
     .operands =
         [](Generator& g) {
           IntTuple shape = g.shape();
           return Items{g.coordinate(shape, g.pick({0, 20})), shape};
         },
     .apply =
         [](const Items& in) { return asItems(crd2idx(tupleAt(in, 0), tupleAt(in, 1).view())); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return unequal("it", treeAt(out, 0).value, linearOf(treeAt(in, 0), treeAt(in, 1)));
         },
     .accepted = 95,
     .answered = 100,
     .caught = 100},
    {.name = "evaluate",
     .operands =
         [](Generator& g) {
           Layout l = g.chance(50) ? g.identityLike() : g.withGaps(g.shape());
           return Items{g.anyLayout(l)};
         },
     .apply = [](const Items& in) -> Expected<Items> {
       CW_TRY(std::vector<IntTuple> values, evaluate(layoutAt(in, 0)));
       return Items(values.begin(), values.end());
     },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           Function l = functionAt(in, 0);
           std::string wrong =
               unequal("the number of values", static_cast<Number>(out.size()), l.size());
           for (std::size_t i = 0; wrong.empty() && i < out.size(); ++i) {
             wrong = unequal("value " + std::to_string(i), oracle::valueOf(treeAt(out, i)),
                             l.at(static_cast<Number>(i)));
           }
           return wrong;
         },
     .fixed = ~0U,
     .accepted = 95,
     .caught = 100},
    {.name = "idx2crd",
     .operands =
         [](Generator& g) {
           IntTuple shape = g.shape();
           return Items{indices(g, shape), shape};
         },
     .apply = [](const Items& in) { return asItems(idx2crd(tupleAt(in, 0), tupleAt(in, 1))); },
     .wrong = notCoordinate,
     .accepted = 100,
     .answered = 100,
     .caught = 95},
    {.name = "idx2crd_with_strides",
     .operands =
         [](Generator& g) {
           Layout l = g.chance(60) ? g.compact() : g.withGaps(g.shape());
           return Items{IntTuple(g.below(productOf(l.shape()) * 2)), l.shape(), l.stride()};
         },
     .apply =
         [](const Items& in) {
           return asItems(idx2crd(tupleAt(in, 0), tupleAt(in, 1), tupleAt(in, 2)));
         },
     .wrong = notLeafByLeaf,
     .accepted = 100,
     .answered = 5,
     .caught = 95,
     .likeStatic = false},
    {.name = "increment_coord",
     .operands =
         [](Generator& g) {
           IntTuple shape = g.shape(60);
           Number i = g.below(productOf(shape));
           return Items{*idx2crd(IntTuple(i), shape), shape};
         },
     .apply =
         [](const Items& in) { return asItems(increment_coord(tupleAt(in, 0), tupleAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           Tree shape = treeAt(in, 1);
           Number next = linearOf(treeAt(in, 0), shape) + 1;
           if (next < shape.product() && !inside(treeAt(out, 0), shape))
             return std::string("it is outside");
           return unequal("its index", linearOf(treeAt(out, 0), shape), next);
         },
     .fixed = ~0U,
     .accepted = 100,
     .caught = 100},
    {.name = "slice",
     .operands = [](Generator& g) { return coordinateAndLayout(g, 40); },
     .apply = [](const Items& in) { return asItems(slice(tupleAt(in, 0), layoutAt(in, 1))); },
     .wrong = [](const Items& in, const Items& out,
                 Form /*form*/) { return notSliced(in, out, false); },
     .accepted = 95,
     .answered = 95,
     .caught = 80,
     .likeStatic = false},
    {.name = "slice_of_tuple",
     .operands =
         [](Generator& g) {
           IntTuple shape = g.shape();
           return Items{g.coordinate(shape, 40), shape};
         },
     .apply = [](const Items& in) { return asItems(slice(tupleAt(in, 0), tupleAt(in, 1).view())); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return unequal("it", treeAt(out, 0), keptTree(treeAt(in, 0), treeAt(in, 1), true));
         },
     .accepted = 100,
     .answered = 100,
     .caught = 95},
    {.name = "dice",
     .operands = [](Generator& g) { return coordinateAndLayout(g, 40); },
     .apply = [](const Items& in) { return asItems(dice(tupleAt(in, 0), layoutAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           Tree c = treeAt(in, 0);
           Function l = functionAt(in, 1);
           std::string wrong = otherInner(layoutAt(out, 0), layoutAt(in, 1));
           if (!wrong.empty()) return wrong;
           return otherModes(functionAt(out, 0).outer(), Function(keptTree(c, l.shape(), false),
                                                                  keptTree(c, l.stride(), false)));
         },
     .accepted = 95,
     .answered = 95,
     .caught = 95},
    {.name = "dice_of_tuple",
     .operands =
         [](Generator& g) {
           IntTuple shape = g.shape();
           return Items{g.coordinate(shape, 40), shape};
         },
     .apply = [](const Items& in) { return asItems(dice(tupleAt(in, 0), tupleAt(in, 1).view())); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return unequal("it", treeAt(out, 0), keptTree(treeAt(in, 0), treeAt(in, 1), false));
         },
     .accepted = 100,
     .answered = 100,
     .caught = 95},
    {.name = "slice_and_offset",
     .operands = [](Generator& g) { return coordinateAndLayout(g, 40); },
     .apply =
         [](const Items& in) {
           return withOffset(slice_and_offset(tupleAt(in, 0), layoutAt(in, 1)));
         },
     .wrong = [](const Items& in, const Items& out,
                 Form /*form*/) { return notSliced(in, out, true); },
     .accepted = 95,
     .answered = 95,
     .caught = 80,
     .likeStatic = false},
    {.name = "domain_offset",
     .operands = [](Generator& g) { return coordinateAndLayout(g, 10); },
     .apply =
         [](const Items& in) { return withOffset(domain_offset(tupleAt(in, 0), layoutAt(in, 1))); },
     .wrong = notMoved,
     .accepted = 95,
     .answered = 95,
     .caught = 70,
     .likeStatic = false},
});

}  // namespace
}  // namespace cutwork::test

// PropertyCompose.cpp -- A after B: by layout, by mode, with basis strides, with swizzles.
#include <algorithm>

#include "Property.h"
#include "cutwork/Layout/Composition.h"

namespace cutwork::test {

using cute::AnyLayout;
using cute::Layout;
using cute::Tiler;
using oracle::Function;
using oracle::Tree;

std::string otherInner(const AnyLayout& got, const AnyLayout& want) {
  if ((got.plain() != nullptr) != (want.plain() != nullptr))
    return "the inner function is lost or added";
  if (got.plain() != nullptr) return "";
  std::string wrong = unequal("the offset", oracle::read(got.composed()->offset()),
                              oracle::read(want.composed()->offset()));
  return got.composed()->inner() == want.composed()->inner() ? wrong
                                                             : "the inner function is another";
}

std::string otherModes(const Function& got, const Function& want) {
  if (got.text() == want.text()) return "";
  return "it is " + got.text() + ", not " + want.text();
}

namespace {

// Whether every coordinate of `coarse` is one of `fine`.
bool refines(const Tree& coarse, const Tree& fine) {
  if (!coarse.isTuple()) return coarse.value == fine.product();
  if (!fine.isTuple() || coarse.rank() != fine.rank()) return false;
  return std::equal(coarse.modes.begin(), coarse.modes.end(), fine.modes.begin(), refines);
}

std::string notAfter(const Function& got, const Function& a, const Function& b) {
  if (!refines(b.shape(), got.shape()))
    return "the shape " + b.shape().text() + " is not compatible with " + got.shape().text();
  for (oracle::Number i : oracle::points(b.size())) {
    std::string wrong = unequal("R(" + std::to_string(i) + ")", got.at(i), a.at(b.at(i)));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string notComposed(const Function& got, const Function& a, const Tiler& tiler) {
  if (tiler.isHole()) return got.text() == a.text() ? "" : "a mode at a hole is changed";
  if (tiler.isLayout()) return notAfter(got, a, Function::of(cute::LayoutView(tiler.layout())));
  if (!got.shape().isTuple() || got.rank() != tiler.modes().size())
    return "the rank is not the tiler's";
  for (std::size_t i = 0; i < got.rank(); ++i) {
    std::string wrong = notComposed(got.mode(i), a.mode(i), tiler.modes()[i]);
    if (!wrong.empty()) return "mode " + std::to_string(i) + ": " + wrong;
  }
  return "";
}

namespace {

Layout negativeWalk(Generator& g) {
  cute::IntTuple shape = g.shape(50);
  cute::IntTuple stride =
      g.mapped(shape.view(), [&](cute::IntTupleView) { return cute::IntTuple(g.between(-9, 9)); });
  return Layout::make(shape, stride);
}

Items compositionOperands(Generator& g) {
  Layout a =
      g.chance(25) ? Layout::leaf(g.extent(), cute::IntTuple(g.between(-9, 40))) : g.anyPlain();
  bool oneMode = a.shape().isLeaf();
  if (oneMode && g.chance(50)) return {AnyLayout(a), AnyLayout(negativeWalk(g))};
  if (g.chance(20))
    return {g.chance(90) ? AnyLayout(a) : g.anyLayout(a), AnyLayout(g.withBasis(a.shape()))};
  if (g.chance(85)) return {g.anyLayout(a), AnyLayout(g.walkOf(a.shape()))};
  return {g.anyLayout(a), AnyLayout(g.layout())};
}

std::string composed(const Items& in, const Items& out, Form /*form*/) {
  std::string wrong = otherInner(layoutAt(out, 0), layoutAt(in, 0));
  if (!wrong.empty()) return wrong;
  Function b = functionAt(in, 1);
  wrong = notAfter(functionAt(out, 0).outer(), functionAt(in, 0).outer(), b);
  // A swizzle and an inner layout included; basis strides name modes of the outer layout.
  if (wrong.empty() && !basisStrides(plainAt(in, 1)))
    wrong = notAfter(functionAt(out, 0), functionAt(in, 0), b);
  return wrong;
}

// Extents and strides that are powers of two, each bit used once.
Layout bitsToBits(Generator& g) {
  std::vector<std::int64_t> extents;
  for (std::int64_t i = g.between(1, 4); i > 0; --i)
    extents.push_back(std::int64_t{1} << g.between(1, 3));
  std::vector<Piece> pieces = g.refined(extents);
  if (g.chance(60)) g.shuffle(pieces);
  return g.ofPieces(pieces);
}

Items swizzledOperands(Generator& g) {
  Layout a = bitsToBits(g);
  Layout b = g.walkOf(a.shape());
  return {AnyLayout(a), AnyLayout(*cute::ComposedLayout::make(g.swizzle(), 0, b))};
}

std::string swizzleMoved(const Items& in, const Items& out, Form /*form*/) {
  Function a = functionAt(in, 0);
  Function b = functionAt(in, 1);
  if (functionAt(out, 0).size() != b.size()) return "the size is another";
  for (oracle::Number i : oracle::points(b.size())) {
    // Beyond the size of A its last mode would continue; the swizzle has to stay inside.
    std::string wrong =
        unequal("R(" + std::to_string(i) + ")", functionAt(out, 0).at(i), a.at(b.at(i)));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

void removeHoles(Generator& g, Tiler& tiler) {
  if (tiler.isHole()) tiler = Tiler(g.extent());
  if (!tiler.isByMode()) return;
  std::vector<Tiler> modes = tiler.modes();
  for (Tiler& mode : modes) removeHoles(g, mode);
  tiler = Tiler::byMode(std::move(modes));
}

// The value of a tiler's layout at a coordinate: each leaf layout at its own part.
oracle::Value tilerValue(const Tiler& tiler, const Tree& coordinate, const oracle::Path& path) {
  oracle::Value sum;
  if (tiler.isLayout()) {
    sum.add(path, Function::of(cute::LayoutView(tiler.layout())).at(coordinate).plain);
    return sum;
  }
  for (std::size_t i = 0; i < tiler.modes().size(); ++i) {
    oracle::Path inner = path;
    inner.push_back(static_cast<int>(i));
    sum = sum + tilerValue(tiler.modes()[i], coordinate.modes[i], inner);
  }
  return sum;
}

// A natural coordinate of `shape`, from a linear one.
Tree split(const Tree& shape, oracle::Number& linear) {
  if (!shape.isTuple()) {
    Tree c = Tree::integer(linear % shape.value);
    linear /= shape.value;
    return c;
  }
  Tree out;
  for (const Tree& mode : shape.modes) out.modes.push_back(split(mode, linear));
  return out;
}

std::string tilerAsLayout(const Items& in, const Items& out, Form /*form*/) {
  Function got = functionAt(out, 0);
  for (oracle::Number i : oracle::points(got.size())) {
    oracle::Number rest = i;
    Tree c = split(got.shape(), rest);
    std::string wrong =
        unequal("its value at " + c.text(), got.at(c), tilerValue(tilerAt(in, 0), c, {}));
    if (!wrong.empty()) return wrong;
  }
  return unequal("the size", got.size(),
                 oracle::read(*cute::tiler_shape(tilerAt(in, 0))).product());
}

const bool kAdded = addProperties({
    {.name = "composition",
     .operands = compositionOperands,
     .apply =
         [](const Items& in) {
           return asItems(composition(layoutAt(in, 0), Tiler(plainAt(in, 1))));
         },
     .wrong = composed,
     .accepted = 40,
     .answered = 30},
    {.name = "composition_by_tiler",
     .operands =
         [](Generator& g) {
           Layout a = g.anyPlain();
           return Items{g.anyLayout(a), g.tiler(a.shape())};
         },
     .apply = [](const Items& in) { return asItems(composition(layoutAt(in, 0), tilerAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           std::string wrong = otherInner(layoutAt(out, 0), layoutAt(in, 0));
           if (wrong.empty())
             wrong =
                 notComposed(functionAt(out, 0).outer(), functionAt(in, 0).outer(), tilerAt(in, 1));
           return wrong;
         },
     .accepted = 40,
     .answered = 30},
    {.name = "composition_after_swizzle",
     .operands = swizzledOperands,
     .apply =
         [](const Items& in) {
           return asItems(composition(layoutAt(in, 0), *layoutAt(in, 1).composed()));
         },
     .wrong = swizzleMoved,
     .fixed = ~0U,
     .accepted = 20},
    {.name = "tiler_to_layout",
     .operands =
         [](Generator& g) {
           Tiler tiler = g.tiler(g.shape());
           removeHoles(g, tiler);
           return Items{tiler};
         },
     .apply = [](const Items& in) { return asItems(tiler_to_layout(tilerAt(in, 0))); },
     .wrong = tilerAsLayout,
     .accepted = 80,
     .answered = 90},
    {.name = "tiler_to_layout_composes_like_the_tiler",
     .operands =
         [](Generator& g) {
           Layout a = g.layout();
           Tiler tiler = g.tiler(a.shape());
           removeHoles(g, tiler);
           return Items{AnyLayout(a), tiler};
         },
     .apply = [](const Items& in) -> Expected<Items> {
       CW_TRY(Layout tile, tiler_to_layout(tilerAt(in, 1)));
       return asItems(composition(plainAt(in, 0), tile));
     },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return notComposed(functionAt(out, 0), functionAt(in, 0), tilerAt(in, 1));
         },
     .accepted = 40,
     .answered = 30},
});

}  // namespace
}  // namespace cutwork::test

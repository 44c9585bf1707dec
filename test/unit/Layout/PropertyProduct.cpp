// PropertyProduct.cpp -- repetitions of a block: the products, tiling up to a shape.
#include <algorithm>

#include "Property.h"
#include "cutwork/Layout/Product.h"

namespace cutwork::test {
namespace {

using cute::AnyLayout;
using cute::IntTuple;
using cute::Layout;
using cute::Tiler;
using oracle::Function;
using oracle::Number;
using oracle::Tree;
using oracle::Value;

constexpr Number kMany = 4000;

// The place that B(j) = k means: the k-th free place of the block. Nothing if that is not
// enumerated.
class Places {
 public:
  Places(const Function& block, const Function& b, Form form) {
    if (form == Form::Dynamic && !oracle::isRegular(oracle::withoutZeros(block), true)) return;
    Number largest = 0;
    for (const auto& leaf : b.leaves())
      largest += (leaf.extent - 1) * std::max<Number>(leaf.stride, 0);
    bool integers = std::all_of(b.leaves().begin(), b.leaves().end(),
                                [](const auto& l) { return l.stride >= 0 && l.path.empty(); });
    Number reach = 0;
    for (const auto& leaf : block.leaves())
      reach += (leaf.extent - 1) * std::max<Number>(leaf.stride, 0);
    if (integers && (largest + 1) * block.size() <= kMany && reach <= kMany) {
      places_ = oracle::freePlaces(block, static_cast<std::size_t>(largest + 1));
    }
  }
  [[nodiscard]] bool known() const { return !places_.empty(); }
  [[nodiscard]] Number at(const Value& k) const {
    return places_[static_cast<std::size_t>(k.plain)];
  }

 private:
  std::vector<Number> places_;
};

std::string notRepeated(const Function& got, const Function& block, const Tiler& tiler, Form form) {
  if (tiler.isHole()) return otherModes(got, block);
  if (tiler.isByMode()) {
    if (!got.shape().isTuple() || got.rank() != block.rank()) return "the rank is not the block's";
    for (std::size_t i = 0; i < got.rank(); ++i) {
      bool tiled = i < tiler.modes().size();
      std::string wrong = tiled ? notRepeated(got.mode(i), block.mode(i), tiler.modes()[i], form)
                                : otherModes(got.mode(i), block.mode(i));
      if (!wrong.empty()) return "mode " + std::to_string(i) + ": " + wrong;
    }
    return "";
  }
  if (!got.shape().isTuple() || got.rank() != 2) return "it is no pair of block and repetitions";
  std::string wrong = otherModes(got.mode(0), block);
  if (!wrong.empty()) return "the block: " + wrong;
  Function b = Function::of(cute::LayoutView(tiler.layout()));
  Function repeats = got.mode(1);
  wrong = unequal("the number of repetitions", repeats.size(), b.size());
  Places places(block, b, form);
  for (Number j = 0; wrong.empty() && places.known() && j < b.size(); ++j) {
    wrong = unequal("repetition " + std::to_string(j), repeats.at(j), Value(places.at(b.at(j))));
  }
  return wrong;
}

Layout block(Generator& g) {
  if (g.chance(50)) return g.compact(30);
  return g.chance(70) ? g.injective(30) : g.withGaps(g.shape(30));
}

Tiler repeatsByMode(Generator& g, cute::IntTupleView shape) {
  if (g.chance(15)) return Tiler::hole();
  if (shape.isLeaf() || g.chance(50))
    return g.chance(50) ? Tiler(g.between(1, 6)) : Tiler(g.compact(12));
  std::vector<Tiler> modes;
  for (int i = 0; i < shape.rank() && (i == 0 || !g.chance(15)); ++i)
    modes.push_back(repeatsByMode(g, shape[i]));
  return Tiler::byMode(std::move(modes));
}

Items productOperands(Generator& g) {
  Layout a = block(g);
  if (g.chance(50))
    return {g.anyLayout(a), Tiler(g.chance(70) ? g.injective(20) : g.withGaps(g.shape(12)))};
  return {g.anyLayout(a), repeatsByMode(g, a.shape())};
}

// ---- regrouping ----

// The grouped product has the modes of the logical one: the same function of the coordinates by
// path.
std::string notRegrouped(const Items& in, const Items& out, char how, Form form) {
  Function logical = functionAt(out, 1).outer();
  std::string wrong = notRepeated(logical, functionAt(in, 0).outer(), tilerAt(in, 1), form);
  if (!wrong.empty()) return wrong;
  Function got = functionAt(out, 0).outer();
  wrong = unequal("the size", got.size(), logical.size());
  if (!wrong.empty()) return wrong;
  const Tiler& tiler = tilerAt(in, 1);
  if (how == 'z' && got.rank() != 2) return "it is no pair";
  if (!tiler.isLayout() || how == 'f') return "";
  return unequal("the value at the end", got.at(got.size() - 1), logical.at(logical.size() - 1));
}

template <class Product>
Property grouped(const char* name, char how, Product product) {
  return {.name = name,
          .operands =
              [](Generator& g) {
                Items operands = productOperands(g);
                return operands;
              },
          .apply = [product](const Items& in) -> Expected<Items> {
            CW_TRY(AnyLayout made, product(layoutAt(in, 0), tilerAt(in, 1)));
            CW_TRY(AnyLayout logical, logical_product(layoutAt(in, 0), tilerAt(in, 1)));
            return Items{made, logical};
          },
          .wrong = [how](const Items& in, const Items& out,
                         Form form) { return notRegrouped(in, out, how, form); },
          .accepted = 35,
          .answered = 10,
          .caught = 60,
          .likeStatic = false};
}

// ---- blocked, raked, tile_to_shape ----

// Mode i of a layout that is padded with 1:0; an integer layout is its own mode 0.
Function paddedMode(const Function& f, std::size_t i) {
  if (i < f.rank()) return f.mode(i);
  return {Tree::integer(1), Tree::integer(0)};
}

// At a = (a0,a1,..) and b: the block's value plus the place of B(b). `index` is how both make one
// coordinate.
template <class Index>
std::string notPaired(const Function& got, const Function& block, const Function& b, Index&& index,
                      Form form) {
  std::size_t rank = std::max(block.rank(), b.rank());
  if (!got.shape().isTuple() || got.rank() != rank) return "the rank is not the larger one";
  Places places(block, b, form);
  for (Number t = 0; t < block.size(); ++t) {
    for (Number j = 0; j < b.size(); ++j) {
      Number restA = t;
      Number restB = j;
      Value sum;
      for (std::size_t i = 0; i < rank; ++i) {
        Number sizeA = paddedMode(block, i).size();
        Number sizeB = paddedMode(b, i).size();
        sum = sum + got.mode(i).at(index(restA % sizeA, sizeA, restB % sizeB, sizeB));
        restA /= sizeA;
        restB /= sizeB;
      }
      if (!places.known()) return "";
      Value want = block.at(t) + Value(places.at(b.at(j)));
      std::string wrong =
          unequal("element " + std::to_string(t) + " of block " + std::to_string(j), sum, want);
      if (!wrong.empty()) return wrong;
    }
  }
  return unequal("the size", got.size(), block.size() * b.size());
}

Number blockFirst(Number a, Number sizeA, Number b, Number /*sizeB*/) { return a + sizeA * b; }
Number tilerFirst(Number a, Number /*sizeA*/, Number b, Number sizeB) { return b + sizeB * a; }

Items pairOperands(Generator& g) {
  if (g.chance(80)) return {g.anyLayout(g.compact(20)), AnyLayout(g.compact(12))};
  return {g.anyLayout(block(g)), AnyLayout(g.injective(12))};
}

// A target that mode i of the block divides.
IntTuple targetOf(Generator& g, const Layout& l) {
  std::vector<IntTuple> modes;
  modes.reserve(8);
  for (int i = 0; i < l.rank(); ++i) modes.emplace_back(productOf(l.shape()[i]) * g.between(1, 3));
  if (g.chance(30)) modes.emplace_back(g.between(1, 3));
  return IntTuple(std::span<const IntTuple>(modes));
}

// Repetitions in order: the compact index of (b0,b1,..) with the smallest order fastest.
Function orderedRepeats(const Function& block, const Tree& target, const Tree* order) {
  Tree shape;
  for (std::size_t i = 0; i < target.rank(); ++i) {
    shape.modes.push_back(Tree::integer(target.mode(i).product() / paddedMode(block, i).size()));
  }
  Tree stride = Tree::tuple(std::vector<Tree>(shape.rank(), Tree::integer(0)));
  Number running = 1;
  for (std::size_t done = 0; done < shape.rank(); ++done) {
    std::size_t next = shape.rank();
    for (std::size_t i = 0; i < shape.rank(); ++i) {
      bool free = stride.modes[i].value == 0;
      bool before = next == shape.rank() ||
                    (order != nullptr && order->modes[i].value < order->modes[next].value);
      if (free && before) next = i;
    }
    stride.modes[next].value = running;
    running *= shape.modes[next].value;
  }
  return {shape, stride};
}

std::string notTiledTo(const Items& in, const Items& out, const Tree* order, Form form) {
  Function block = functionAt(in, 0).outer();
  Tree target = treeAt(in, 1);
  Function got = functionAt(out, 0).outer();
  if (!got.shape().isTuple() || got.rank() != target.rank()) return "the rank is not the target's";
  for (std::size_t i = 0; i < target.rank(); ++i) {
    std::string wrong = unequal("the size of mode " + std::to_string(i), got.mode(i).size(),
                                target.mode(i).product());
    if (!wrong.empty()) return wrong;
  }
  return notPaired(got, block, orderedRepeats(block, target, order), blockFirst, form);
}

Layout tupleBlock(Generator& g) {
  Layout l = g.compact(20);
  if (l.shape().isLeaf()) return Layout::make(IntTuple{l.shape()}, IntTuple{l.stride()});
  return l;
}

const bool kAdded = addProperties({
    {.name = "logical_product",
     .operands = productOperands,
     .apply =
         [](const Items& in) { return asItems(logical_product(layoutAt(in, 0), tilerAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           std::string wrong = otherInner(layoutAt(out, 0), layoutAt(in, 0));
           if (!wrong.empty()) return wrong;
           return notRepeated(functionAt(out, 0).outer(), functionAt(in, 0).outer(), tilerAt(in, 1),
                              form);
         },
     .accepted = 40,
     .answered = 10,
     .likeStatic = false},
    grouped("zipped_product", 'z',
            [](const AnyLayout& l, const Tiler& t) { return zipped_product(l, t); }),
    grouped("tiled_product", 't',
            [](const AnyLayout& l, const Tiler& t) { return tiled_product(l, t); }),
    grouped("flat_product", 'f',
            [](const AnyLayout& l, const Tiler& t) { return flat_product(l, t); }),
    {.name = "blocked_product",
     .operands = pairOperands,
     .apply =
         [](const Items& in) { return asItems(blocked_product(layoutAt(in, 0), plainAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           Function got = functionAt(out, 0).outer();
           return notPaired(got, functionAt(in, 0).outer(), functionAt(in, 1), blockFirst, form);
         },
     .accepted = 50,
     .answered = 5,
     .likeStatic = false},
    {.name = "raked_product",
     .operands = pairOperands,
     .apply =
         [](const Items& in) { return asItems(raked_product(layoutAt(in, 0), plainAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           Function got = functionAt(out, 0).outer();
           return notPaired(got, functionAt(in, 0).outer(), functionAt(in, 1), tilerFirst, form);
         },
     .accepted = 50,
     .answered = 5,
     .likeStatic = false},
    {.name = "tile_to_shape",
     .operands =
         [](Generator& g) {
           Layout l = tupleBlock(g);
           IntTuple target = targetOf(g, l);
           return Items{g.anyLayout(l), target};
         },
     .apply =
         [](const Items& in) { return asItems(tile_to_shape(layoutAt(in, 0), tupleAt(in, 1))); },
     .wrong = [](const Items& in, const Items& out,
                 Form form) { return notTiledTo(in, out, nullptr, form); },
     .accepted = 80,
     .answered = 5,
     .likeStatic = false},
    {.name = "tile_to_shape_in_order",
     .operands =
         [](Generator& g) {
           Layout l = tupleBlock(g);
           IntTuple target = targetOf(g, l);
           std::vector<IntTuple> order;
           order.reserve(8);
           for (int i = 0; i < target.rank(); ++i) order.emplace_back(i);
           g.shuffle(order);
           return Items{AnyLayout(l), target, IntTuple(std::span<const IntTuple>(order))};
         },
     .apply =
         [](const Items& in) {
           return asItems(tile_to_shape(plainAt(in, 0), tupleAt(in, 1), tupleAt(in, 2)));
         },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           Tree order = treeAt(in, 2);
           return notTiledTo(in, out, &order, form);
         },
     .fixed = 4,
     .accepted = 80,
     .answered = 5,
     .likeStatic = false},
});

}  // namespace
}  // namespace cutwork::test

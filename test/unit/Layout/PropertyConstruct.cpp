// PropertyConstruct.cpp -- layouts from shapes: compact, ordered, like another, identity.
#include <algorithm>

#include "Property.h"
#include "cutwork/Layout/Construct.h"

namespace cutwork::test {
namespace {

using cute::AnyLayout;
using cute::IntTuple;
using cute::Layout;
using oracle::Function;
using oracle::Number;
using oracle::Tree;
using oracle::Value;

// Strides of the leaves when they follow one another as `order` says; those of equal order begin at
// the same stride. Extents of 1 have stride 0.
std::string notCompact(const Function& got, const std::vector<Number>& order) {
  const auto& leaves = got.leaves();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    Number before = 1;
    for (std::size_t j = 0; j < leaves.size(); ++j)
      before *= order[j] < order[i] ? leaves[j].extent : 1;
    std::string wrong = unequal("stride " + std::to_string(i), leaves[i].stride,
                                leaves[i].extent == 1 ? 0 : before);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::vector<Number> counted(std::size_t n, bool down) {
  std::vector<Number> order;
  order.reserve(8);
  for (std::size_t i = 0; i < n; ++i) order.push_back(static_cast<Number>(down ? n - i : i));
  return order;
}

std::string compactly(const Items& in, const Items& out, bool rowMajor) {
  Function got = functionAt(out, 0);
  if (!(got.shape() == treeAt(in, 0))) return "the shape is another";
  return notCompact(got, counted(got.leaves().size(), rowMajor));
}

IntTuple orderFor(Generator& g, cute::IntTupleView shape) {
  if (shape.isLeaf() || g.chance(20)) return g.below(4);
  std::vector<IntTuple> modes;
  for (cute::IntTupleView mode : shape) modes.push_back(orderFor(g, mode));
  return IntTuple(std::span<const IntTuple>(modes));
}

// Strides in order of parts; inside a part its first mode is fastest.
void orderedStrides(const Tree& shape, const Tree& order,
                    std::vector<std::pair<Number, const Tree*>>& parts) {
  if (!order.isTuple()) {
    parts.emplace_back(order.value, &shape);
    return;
  }
  for (std::size_t i = 0; i < order.rank(); ++i)
    orderedStrides(shape.modes[i], order.modes[i], parts);
}

std::string notOrdered(const Items& in, const Items& out, Form /*form*/) {
  Tree shape = treeAt(in, 0);
  Function got = functionAt(out, 0);
  if (!(got.shape() == shape)) return "the shape is another";
  std::vector<std::pair<Number, const Tree*>> parts;
  Tree order = treeAt(in, 1);
  orderedStrides(shape, order, parts);
  std::size_t leaf = 0;
  for (const auto& [place, part] : parts) {
    Number running = 1;
    for (const auto& [other, before] : parts) running *= other < place ? before->product() : 1;
    for (const Tree& extent : oracle::leaves(*part)) {
      std::string wrong = unequal("stride " + std::to_string(leaf), got.leaves()[leaf].stride,
                                  extent.value == 1 ? 0 : running);
      if (!wrong.empty()) return wrong;
      running *= extent.value;
      ++leaf;
    }
  }
  return "";
}

std::string notLike(const Items& in, const Items& out, Form form) {
  Function got = functionAt(out, 0);
  Function like = functionAt(in, 0).outer();
  if (!(got.shape() == like.shape())) return "the shape is another";
  Number used = 1;
  std::vector<Number> strides;
  for (std::size_t i = 0; i < like.leaves().size(); ++i) {
    const auto& a = like.leaves()[i];
    if (a.stride == 0 && form == Form::Static && got.leaves()[i].stride != 0)
      return "a stride 0 is lost";
    if (a.stride == 0 && got.leaves()[i].stride == 0) continue;
    used *= a.extent;
    for (std::size_t j = 0; j < like.leaves().size() && form == Form::Static; ++j) {
      const auto& b = like.leaves()[j];
      bool smaller =
          b.stride != 0 && std::abs(a.stride) < std::abs(b.stride) && a.extent > 1 && b.extent > 1;
      if (smaller && got.leaves()[i].stride >= got.leaves()[j].stride)
        return "the order of the strides is another";
    }
  }
  Function distinct = oracle::withoutZeros(got);
  if (distinct.size() != (form == Form::Static ? used : distinct.size()))
    return "it has other modes of stride 0";
  if (distinct.size() > 3000) return "";
  std::vector<Value> values = oracle::values(distinct);
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] == Value(static_cast<Number>(i)))) return "it is not compact";
  }
  return "";
}

// Strides that are all different, or 0.
Layout withOrder(Generator& g) {
  IntTuple shape = g.shape();
  std::vector<Number> strides;
  strides.reserve(8);
  for (std::size_t i = 0; i < 8; ++i)
    strides.push_back(static_cast<Number>(i * 7 + 1 + static_cast<std::size_t>(g.below(7))));
  g.shuffle(strides);
  std::size_t at = 0;
  IntTuple stride = g.mapped(shape.view(), [&](cute::IntTupleView) {
    Number d = strides[at++ % 8];
    return IntTuple(g.chance(15) ? 0 : (g.chance(20) ? -d : d));
  });
  return Layout::make(shape, stride);
}

std::string notIdentity(const Items& in, const Items& out, Form /*form*/) {
  Function got = functionAt(out, 0);
  Tree shape = treeAt(in, 0);
  if (!(got.shape() == shape)) return "the shape is another";
  for (Number i : oracle::points(got.size())) {
    Number rest = i;
    std::function<Tree(const Tree&)> split = [&](const Tree& t) {
      if (!t.isTuple()) {
        Tree c = Tree::integer(rest % t.value);
        rest /= t.value;
        return c;
      }
      Tree c;
      for (const Tree& mode : t.modes) c.modes.push_back(split(mode));
      return c;
    };
    Tree c = split(shape);
    std::string wrong = unequal("its value at " + c.text(), got.at(i), oracle::valueOf(c));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

Items modesToJoin(Generator& g) {
  Items items;
  for (std::int64_t i = g.between(1, 4); i > 0; --i)
    items.emplace_back(AnyLayout(g.withGaps(g.shape(12))));
  return items;
}

std::string notJoined(const Items& in, const Items& out, Form /*form*/) {
  Function got = functionAt(out, 0);
  if (!got.shape().isTuple() || got.rank() != in.size())
    return "the rank is not the number of layouts";
  for (std::size_t i = 0; i < in.size(); ++i) {
    std::string wrong = otherModes(got.mode(i), functionAt(in, i));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

Expected<Items> joined(const Items& in) {
  std::vector<Layout> modes;
  modes.reserve(8);
  for (std::size_t i = 0; i < in.size(); ++i) modes.push_back(plainAt(in, i));
  return asItems(cute::make_layout(std::span<const Layout>(modes)));
}

const bool kAdded = addProperties({
    {.name = "make_layout",
     .operands = [](Generator& g) { return Items{g.shape()}; },
     .apply = [](const Items& in) { return asItems(cute::make_layout(tupleAt(in, 0))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           if (form == Form::Dynamic)
             return functionAt(out, 0).shape() == treeAt(in, 0)
                        ? std::string()
                        : std::string("the shape is another");
           return compactly(in, out, false);
         },
     .accepted = 100,
     .answered = 100,
     .caught = 90},
    {.name = "make_layout_left",
     .operands = [](Generator& g) { return Items{g.shape()}; },
     .apply = [](const Items& in) { return asItems(cute::make_layout_left(tupleAt(in, 0))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           if (form == Form::Dynamic)
             return functionAt(out, 0).shape() == treeAt(in, 0)
                        ? std::string()
                        : std::string("the shape is another");
           return compactly(in, out, false);
         },
     .accepted = 100,
     .answered = 100,
     .caught = 90},
    {.name = "make_layout_right",
     .operands = [](Generator& g) { return Items{g.shape()}; },
     .apply = [](const Items& in) { return asItems(cute::make_layout_right(tupleAt(in, 0))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           if (form == Form::Dynamic)
             return functionAt(out, 0).shape() == treeAt(in, 0)
                        ? std::string()
                        : std::string("the shape is another");
           return compactly(in, out, true);
         },
     .accepted = 100,
     .answered = 100,
     .caught = 90},
    {.name = "make_layout_with_strides",
     .operands =
         [](Generator& g) {
           Layout l = g.anyPlain();
           if (g.chance(10)) return Items{g.shape(), l.stride()};
           return Items{l.shape(), l.stride()};
         },
     .apply =
         [](const Items& in) { return asItems(cute::make_layout(tupleAt(in, 0), tupleAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           if (!oracle::congruent(treeAt(in, 0), treeAt(in, 1)))
             return std::string("the profiles differ");
           return otherModes(functionAt(out, 0), Function(treeAt(in, 0), treeAt(in, 1)));
         },
     .accepted = 80,
     .answered = 100,
     .caught = 100},
    {.name = "make_layout_of_modes",
     .operands = modesToJoin,
     .apply = joined,
     .wrong = notJoined,
     .accepted = 100,
     .answered = 100,
     .caught = 100},
    {.name = "make_ordered_layout",
     .operands =
         [](Generator& g) {
           IntTuple shape = g.shape();
           return Items{shape, orderFor(g, shape)};
         },
     .apply =
         [](const Items& in) {
           return asItems(cute::make_ordered_layout(tupleAt(in, 0), tupleAt(in, 1)));
         },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           if (form == Form::Dynamic)
             return functionAt(out, 0).shape() == treeAt(in, 0)
                        ? std::string()
                        : std::string("the shape is another");
           return notOrdered(in, out, form);
         },
     .fixed = 2,
     .accepted = 100,
     .answered = 95,
     .caught = 90},
    {.name = "make_layout_like",
     .operands = [](Generator& g) { return Items{g.anyLayout(withOrder(g))}; },
     .apply = [](const Items& in) { return asItems(cute::make_layout_like(layoutAt(in, 0))); },
     .wrong = notLike,
     .accepted = 95,
     .answered = 90,
     .caught = 80,
     .likeStatic = false},
    {.name = "make_identity_layout",
     .operands = [](Generator& g) { return Items{g.shape()}; },
     .apply = [](const Items& in) { return asItems(cute::make_identity_layout(tupleAt(in, 0))); },
     .wrong = notIdentity,
     .accepted = 100,
     .answered = 100,
     .caught = 95},
});

}  // namespace
}  // namespace cutwork::test

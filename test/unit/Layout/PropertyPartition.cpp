// PropertyPartition.cpp -- tiles, threads' parts, thread-value layouts, masks; where layouts agree.
#include <algorithm>
#include <numeric>

#include "Property.h"
#include "cutwork/Layout/Common.h"
#include "cutwork/Layout/Partition.h"

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

IntTuple tupleOf(const std::vector<IntTuple>& modes) {
  return IntTuple(std::span<const IntTuple>(modes));
}

Expected<Items> withOffset(Expected<cute::OffsetLayout> made) {
  if (!made) return std::move(made).takeError();
  return Items{made->layout, made->offset};
}

// A layout of two or three modes.
Layout tensor(Generator& g) {
  std::vector<IntTuple> modes;
  for (std::int64_t i = g.between(2, 3); i > 0; --i)
    modes.push_back(g.chance(75) ? IntTuple(g.between(1, 24)) : g.shape(16));
  return g.chance(30)
             ? *cute::Layout::make(tupleOf(modes), g.mapped(tupleOf(modes).view(),
                                                            [&](cute::IntTupleView) {
                                                              return IntTuple(g.between(0, 30));
                                                            }))
             : g.withGaps(tupleOf(modes));
}

// Integers by mode; divisors mostly.
IntTuple tileShape(Generator& g, const Layout& l) {
  std::vector<IntTuple> modes;
  for (int i = 0; i < l.rank(); ++i) {
    bool one = l.shape()[i].isLeaf();
    modes.emplace_back(one && g.chance(20) ? g.between(1, 9)
                                           : g.divisorOf(productOf(l.shape()[i])));
  }
  return tupleOf(modes);
}

// A tile number by mode, some of them holes.
IntTuple tileCoordinate(Generator& g, const Layout& l, const IntTuple& tile) {
  std::vector<IntTuple> modes;
  for (int i = 0; i < tile.rank(); ++i) {
    Number count =
        (productOf(l.shape()[i]) + tile[i].value().value() - 1) / tile[i].value().value();
    modes.emplace_back(g.chance(40) ? IntTuple::hole() : IntTuple(g.below(count)));
  }
  return tupleOf(modes);
}

// Integers by mode as one linear coordinate is split by extents.
std::vector<Number> digits(Number linear, const std::vector<Number>& extents) {
  std::vector<Number> out;
  for (Number extent : extents) {
    out.push_back(linear % extent);
    linear /= extent;
  }
  return out;
}

Tree byMode(const std::vector<Number>& c) {
  Tree out;
  for (Number n : c) out.modes.push_back(Tree::integer(n));
  return out;
}

// Of the tile: element x of tile k in mode i is at x + n * k; tiles at holes run behind the tile.
// Whether tiles of n end with the extents of a nested mode; otherwise each extent is rounded up for
// itself, and the tiles are not simply side by side.
bool sideBySide(const Function& mode, Number n) {
  if (mode.leaves().size() == 1) return true;
  for (const auto& leaf : mode.leaves()) {
    if (n == 1 || leaf.extent % n == 0) return true;
    if (n % leaf.extent != 0) return false;
    n /= leaf.extent;
  }
  return n == 1;
}

std::string notTile(const Items& out, const Function& l, const std::vector<Number>& tile,
                    const Tree& coordinate) {
  Function got = functionAt(out, 0);
  for (std::size_t i = 0; i < tile.size(); ++i) {
    if (!sideBySide(l.mode(i), tile[i])) return "";
  }
  Value offset = oracle::valueOf(treeAt(out, 1));
  std::vector<Number> extents = tile;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tile.size(); ++i) {
    if (!coordinate.modes[i].isHole()) continue;
    open.push_back(i);
    extents.push_back((l.mode(i).size() + tile[i] - 1) / tile[i]);
  }
  Number size = 1;
  for (Number e : extents) size *= e;
  std::string wrong = unequal("the size", got.size(), size);
  if (!wrong.empty()) return wrong;
  for (Number i : oracle::points(size)) {
    std::vector<Number> c = digits(i, extents);
    std::vector<Number> at(c.begin(), c.begin() + static_cast<std::ptrdiff_t>(tile.size()));
    for (std::size_t m = 0; m < tile.size(); ++m)
      at[m] += coordinate.modes[m].isHole() ? 0 : tile[m] * coordinate.modes[m].value;
    for (std::size_t o = 0; o < open.size(); ++o) at[open[o]] += tile[open[o]] * c[tile.size() + o];
    wrong = unequal("element " + std::to_string(i), offset + got.at(i), l.at(byMode(at)));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::vector<Number> numbers(const Tree& t) {
  std::vector<Number> out;
  for (const Tree& leaf : oracle::leaves(t)) out.push_back(leaf.value);
  return out;
}

Items localTileOperands(Generator& g) {
  Layout l = tensor(g);
  IntTuple tile = tileShape(g, l);
  IntTuple coordinate = tileCoordinate(g, l, tile);
  return {g.anyLayout(l), tile, coordinate};
}

// Only the modes that the projection keeps; a mode that the layout lacks is put between.
Items projectedOperands(Generator& g) {
  Items operands = localTileOperands(g);
  std::int64_t at = g.below(3);
  std::vector<IntTuple> tile;
  std::vector<IntTuple> coordinate;
  std::vector<IntTuple> projection;
  for (int i = 0; i < tupleAt(operands, 1).rank(); ++i) {
    if (i == at)
      tile.emplace_back(7), coordinate.emplace_back(3), projection.push_back(IntTuple::hole());
    tile.emplace_back(tupleAt(operands, 1)[i]);
    coordinate.emplace_back(tupleAt(operands, 2)[i]);
    projection.emplace_back(1);
  }
  return {operands[0], tupleOf(tile), tupleOf(coordinate), tupleOf(projection)};
}

Tree projected(const Tree& t, const Tree& projection) {
  Tree out;
  for (std::size_t i = 0; i < t.rank(); ++i) {
    if (!projection.modes[i].isHole()) out.modes.push_back(t.modes[i]);
  }
  return out;
}

// ---- threads ----

Layout threadLayout(Generator& g, int rank) {
  std::vector<IntTuple> modes;
  modes.reserve(8);
  for (int i = 0; i < rank; ++i) modes.emplace_back(g.pick({1, 2, 2, 4, 3, 8}));
  std::vector<IntTuple> order;
  order.reserve(8);
  for (int i = 0; i < rank; ++i) order.emplace_back(i);
  if (g.chance(50)) g.shuffle(order);
  Number place = 1;
  std::vector<IntTuple> strides(static_cast<std::size_t>(rank), IntTuple(0));
  for (const IntTuple& next : order) {
    auto i = static_cast<std::size_t>(next.value().value());
    strides[i] = IntTuple(modes[i].value().is(1) ? 0 : place);
    place *= modes[i].value().value();
  }
  return Layout::make(tupleOf(modes), tupleOf(strides));
}

Items partitionOperands(Generator& g) {
  Layout threads = threadLayout(g, 2);
  std::vector<IntTuple> modes;
  modes.reserve(8);
  for (int i = 0; i < 2; ++i)
    modes.emplace_back(threads.shape()[i].value().value() * g.between(1, 4) +
                       (g.chance(10) ? 1 : 0));
  Layout l = g.withGaps(tupleOf(modes));
  return {g.anyLayout(l), AnyLayout(threads), IntTuple(g.below(productOf(threads.shape())))};
}

// The coordinate of a thread: where the thread layout has its number.
std::vector<Number> threadCoordinate(const Function& threads, Number index) {
  std::vector<Number> extents;
  extents.reserve(8);
  for (std::size_t i = 0; i < threads.rank(); ++i) extents.push_back(threads.mode(i).size());
  for (Number t = 0; t < threads.size(); ++t) {
    if (threads.at(t) == Value(index)) return digits(t, extents);
  }
  return {};
}

std::string notPart(const Items& in, const Items& out, Form /*form*/) {
  Function l = functionAt(in, 0);
  Function threads = functionAt(in, 1);
  std::vector<Number> thread = threadCoordinate(threads, treeAt(in, 2).value);
  Function got = functionAt(out, 0);
  Value offset = oracle::valueOf(treeAt(out, 1));
  std::vector<Number> counts;
  Number size = 1;
  for (std::size_t i = 0; i < thread.size(); ++i) {
    Number n = threads.mode(i).size();
    counts.push_back((l.mode(i).size() + n - 1) / n);
    size *= counts.back();
  }
  std::string wrong = unequal("the size", got.size(), size);
  for (Number r = 0; wrong.empty() && r < size; ++r) {
    std::vector<Number> at = digits(r, counts);
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = thread[i] + threads.mode(i).size() * at[i];
    wrong = unequal("element " + std::to_string(r), offset + got.at(r), l.at(byMode(at)));
  }
  return wrong;
}

// tv(t, v) is where value v of thread t lies in the tile: x = v_m + V_m * t_m in each mode.
std::string notThreadValue(const Items& in, const Items& out, Form /*form*/) {
  Function threads = functionAt(in, 0);
  Function values = functionAt(in, 1);
  Function tv = functionAt(out, 1);
  Tree tiler = treeAt(out, 0);
  for (std::size_t i = 0; i < 2; ++i) {
    std::string wrong = unequal("the tile's extent", tiler.mode(i).value,
                                threads.mode(i).size() * values.mode(i).size());
    if (!wrong.empty()) return wrong;
  }
  if (tv.rank() != 2 || tv.mode(0).size() != threads.size() || tv.mode(1).size() != values.size())
    return "its modes are not threads and values";
  for (Number t = 0; t < threads.size(); ++t) {
    std::vector<Number> thread = threadCoordinate(threads, t);
    for (Number v = 0; v < values.size(); ++v) {
      std::vector<Number> value = threadCoordinate(values, v);
      if (thread.empty() || value.empty()) return "threads or values are no compact bijection";
      Number m = value[0] + values.mode(0).size() * thread[0];
      Number n = value[1] + values.mode(1).size() * thread[1];
      Value got = tv.at(Tree::tuple({Tree::integer(t), Tree::integer(v)}));
      std::string wrong = unequal("value " + std::to_string(v) + " of thread " + std::to_string(t),
                                  got, Value(m + tiler.mode(0).value * n));
      if (!wrong.empty()) return wrong;
    }
  }
  return "";
}

Items maskOperands(Generator& g) {
  Layout l = g.withGaps(g.nested(2, [&] { return IntTuple(g.between(1, 4)); }, 1));
  if (l.rank() < 2) l = Layout(cute::LayoutView(*Layout::make(IntTuple{2, 4}, IntTuple{4, 1})));
  std::vector<IntTuple> coordinate;
  coordinate.reserve(8);
  for (int i = 0; i < l.rank(); ++i) coordinate.emplace_back(g.below(productOf(l.shape()[i])));
  return {AnyLayout(l), tupleOf(coordinate), IntTuple(g.below(l.rank()))};
}

std::string notMask(const Items& in, const Items& out, Form /*form*/) {
  Function l = functionAt(in, 0);
  Tree c = treeAt(in, 1);
  auto mode = static_cast<std::size_t>(treeAt(in, 2).value);
  std::set<Number> bits;
  for (Number i = 0; i < l.mode(mode).size(); ++i) {
    c.modes[mode] = Tree::integer(i);
    bits.insert(l.at(c).plain);
  }
  for (int bit = 0; bit < 63; ++bit) {
    bool set = (treeAt(out, 0).value >> bit & 1) != 0;
    if (set != bits.contains(bit)) return "bit " + std::to_string(bit) + " is wrong";
  }
  return "";
}

// ---- where layouts agree ----

Items commonOperands(Generator& g) {
  Layout a = g.compact(200);
  if (g.chance(30)) return {AnyLayout(a), AnyLayout(g.compact(200))};
  if (g.chance(30)) return {AnyLayout(a), AnyLayout(a)};
  // The same beginning.
  Layout b = g.withGaps(a.shape());
  return {AnyLayout(a), AnyLayout(b)};
}

std::string notCommon(const Function& r, const Items& in) {
  Function a = functionAt(in, 0);
  Function b = functionAt(in, 1);
  for (Number i : oracle::points(r.size())) {
    Number c = r.at(i).plain;
    std::string wrong = unequal("a(R(" + std::to_string(i) + "))", a.at(c), Value(i));
    if (wrong.empty()) wrong = unequal("b(R(" + std::to_string(i) + "))", b.at(c), Value(i));
    if (wrong.empty() && (c >= a.size() || c >= b.size())) wrong = "R reaches beyond a or b";
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string notAligned(const Items& in, const Items& out, Form form) {
  Function l = functionAt(in, 0);
  Number n = treeAt(out, 0).value;
  if (l.isComposed() || l.size() > 3000) return n >= 1 ? "" : "it is less than 1";
  if (n < 1) return "it is less than 1";
  std::set<Number> taken;
  for (const Value& v : oracle::values(l)) taken.insert(v.plain);
  for (Number v : taken) {
    if (n == 1) break;
    Number first = v - v % n - (v % n < 0 ? n : 0);
    for (Number i = first; i < first + n; ++i) {
      if (!taken.contains(i)) return std::to_string(v) + " is in no whole run";
    }
  }
  bool compact = *taken.begin() == 0 && *taken.rbegin() == l.size() - 1 && oracle::isInjective(l);
  if (form == Form::Static && compact) return unequal("it", n, l.size());
  return "";
}

std::string notDistributed(const Items& in, const Items& out, Form /*form*/) {
  Function r = functionAt(out, 0);
  Number n = treeAt(in, 1).value;
  Number size = treeAt(in, 0).product();
  if (r.size() > n || n % r.size() != 0) return "its size does not divide n";
  if (!oracle::isInjective(r)) return "a coordinate is taken twice";
  for (const Value& v : oracle::values(r)) {
    if (v.plain < 0 || v.plain >= size) return v.text() + " is no coordinate";
  }
  std::vector<Number> extents = numbers(treeAt(in, 0));
  Number taken = 1;
  for (Number e : extents) taken *= std::gcd(n / taken, e);
  return unequal("the size", r.size(), taken);
}

const bool kAdded = addProperties({
    {.name = "local_tile",
     .operands = localTileOperands,
     .apply = [](const Items& in) -> Expected<Items> {
       CW_TRY(Tiler tiler, Tiler::fromShape(tupleAt(in, 1)));
       return withOffset(local_tile(layoutAt(in, 0), tiler, tupleAt(in, 2)));
     },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           return notTile(out, functionAt(in, 0), numbers(treeAt(in, 1)), treeAt(in, 2));
         },
     .accepted = 50,
     .answered = 30,
     .caught = 90,
     .likeStatic = false},
    {.name = "local_tile_projected",
     .operands = projectedOperands,
     .apply = [](const Items& in) -> Expected<Items> {
       CW_TRY(Tiler tiler, Tiler::fromShape(tupleAt(in, 1)));
       return withOffset(local_tile(layoutAt(in, 0), tiler, tupleAt(in, 2), tupleAt(in, 3)));
     },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           Tree projection = treeAt(in, 3);
           return notTile(out, functionAt(in, 0), numbers(projected(treeAt(in, 1), projection)),
                          projected(treeAt(in, 2), projection));
         },
     .fixed = 8,
     .accepted = 50,
     .answered = 30,
     .caught = 90,
     .likeStatic = false},
    {.name = "local_partition",
     .operands = partitionOperands,
     .apply =
         [](const Items& in) {
           return withOffset(
               local_partition(layoutAt(in, 0), plainAt(in, 1), tupleAt(in, 2).value()));
         },
     .wrong = notPart,
     .accepted = 80,
     .answered = 30,
     .caught = 80,
     .likeStatic = false},
    {.name = "make_layout_tv",
     .operands =
         [](Generator& g) {
           Layout threads = threadLayout(g, 2);
           if (g.chance(10)) threads = Layout(cute::LayoutView(g.withGaps(threads.shape())));
           return Items{AnyLayout(threads), AnyLayout(threadLayout(g, 2))};
         },
     .apply = [](const Items& in) -> Expected<Items> {
       CW_TRY(cute::TiledTV made, cute::make_layout_tv(plainAt(in, 0), plainAt(in, 1)));
       return Items{made.tiler, AnyLayout(made.tv)};
     },
     .wrong = notThreadValue,
     .fixed = ~0U,
     .accepted = 80,
     .caught = 80},
    {.name = "make_layout_image_mask",
     .operands = maskOperands,
     .apply =
         [](const Items& in) {
           return asItems(make_layout_image_mask(plainAt(in, 0), tupleAt(in, 1),
                                                 static_cast<int>(treeAt(in, 2).value)));
         },
     .wrong = notMask,
     .fixed = ~0U,
     .accepted = 50,
     .caught = 90},
    {.name = "max_common_layout",
     .operands = commonOperands,
     .apply =
         [](const Items& in) {
           return asItems(cute::max_common_layout(plainAt(in, 0), plainAt(in, 1)));
         },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           bool same = form == Form::Static && plainAt(in, 0) == plainAt(in, 1);
           if (same && functionAt(out, 0).size() != functionAt(in, 0).size() &&
               oracle::isInjective(functionAt(in, 0))) {
             Number n = functionAt(out, 0).size();
             for (const Value& v : oracle::values(functionAt(in, 0))) {
               if (v.plain == n) return std::string("equal layouts have more in common");
             }
           }
           return notCommon(functionAt(out, 0), in);
         },
     .accepted = 60,
     .answered = 20,
     .caught = 60,
     .likeStatic = false},
    {.name = "max_common_vector",
     .operands = commonOperands,
     .apply = [](const Items& in) -> Expected<Items> {
       CW_TRY(cute::Int n, cute::max_common_vector(plainAt(in, 0), plainAt(in, 1)));
       CW_TRY(Layout common, cute::max_common_layout(plainAt(in, 0), plainAt(in, 1)));
       return Items{IntTuple(n), AnyLayout(common)};
     },
     .wrong =
         [](const Items& /*in*/, const Items& out, Form /*form*/) {
           return unequal("it", treeAt(out, 0).value, functionAt(out, 1).size());
         },
     .accepted = 60,
     .answered = 20,
     .caught = 60,
     .likeStatic = false},
    {.name = "max_alignment",
     .operands =
         [](Generator& g) { return Items{g.anyLayout(g.chance(70) ? g.compact() : g.layout())}; },
     .apply = [](const Items& in) { return asItems(cute::max_alignment(layoutAt(in, 0))); },
     .wrong = notAligned,
     .accepted = 95,
     .answered = 90,
     .caught = 40,
     .likeStatic = false},
    {.name = "domain_distribute",
     .operands = [](Generator& g) { return Items{g.shape(), IntTuple(g.between(1, 64))}; },
     .apply =
         [](const Items& in) {
           return asItems(cute::domain_distribute(tupleAt(in, 0), treeAt(in, 1).value));
         },
     .wrong = notDistributed,
     .fixed = ~0U,
     .accepted = 95,
     .caught = 60},
});

}  // namespace
}  // namespace cutwork::test

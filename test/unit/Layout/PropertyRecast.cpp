// PropertyRecast.cpp -- layouts of the same bytes in other elements.
#include <algorithm>
#include <numeric>

#include "Property.h"
#include "cutwork/Layout/Recast.h"

namespace cutwork::test {
namespace {

using cute::AnyLayout;
using cute::ComposedLayout;
using cute::IntTuple;
using cute::Layout;
using oracle::Function;
using oracle::Number;

Number magnitude(Number d) { return d < 0 ? -d : d; }

// One mode in elements n times larger: coordinate c falls into element c * d / n.
std::string notLarger(const Function::Leaf& got, const Function::Leaf& want, Number n) {
  Number last = (want.extent - 1) * magnitude(want.stride);
  bool together = want.stride % n != 0 && want.extent > 1;
  Number extent = together ? last / n + 1 : want.extent;
  std::string wrong = unequal("an extent", got.extent, extent);
  for (Number c = 0; wrong.empty() && c < std::min<Number>(want.extent, 100) && want.extent > 1;
       ++c) {
    Number element = c * magnitude(want.stride) / n;
    Number at = together ? element : c;
    Number value = want.stride < 0 ? -element : element;
    wrong = unequal("the element of coordinate " + std::to_string(c), at * got.stride, value);
  }
  return wrong;
}

// One mode in elements n times smaller: consecutive ones become more, others are spread.
std::string notSmaller(const Function::Leaf& got, const Function::Leaf& want, Number n) {
  // One coordinate at stride 1 may stay one, where another mode is the contiguous one.
  if (want.extent == 1 && got.extent == 1) return "";
  bool contiguous = magnitude(want.stride) == 1;
  std::string wrong = unequal("an extent", got.extent, contiguous ? want.extent * n : want.extent);
  return wrong.empty() ? unequal("a stride", got.stride, contiguous ? want.stride : want.stride * n)
                       : wrong;
}

using LeafCheck = std::string (*)(const Function::Leaf&, const Function::Leaf&, Number);

std::string notRecast(const Function& got, const Function& want, Number n, LeafCheck check) {
  if (!oracle::congruent(got.shape(), want.shape())) return "the profile is another";
  for (std::size_t i = 0; i < got.leaves().size(); ++i) {
    std::string wrong = check(got.leaves()[i], want.leaves()[i], n);
    if (!wrong.empty()) return "leaf " + std::to_string(i) + ": " + wrong;
  }
  return "";
}

// The elements, as multiples of one unit, that a layout touches when each is `width` units wide.
std::set<Number> units(const Function& f, Number width) {
  std::set<Number> out;
  for (const oracle::Value& v : oracle::values(f)) {
    for (Number k = 0; k < width; ++k) out.insert(v.plain * width + k);
  }
  return out;
}

int contiguousLeaves(const Function& f) {
  int count = 0;
  for (const auto& leaf : f.leaves()) count += leaf.stride == 1 && leaf.extent > 1 ? 1 : 0;
  return count;
}

bool anyNegative(const Function& f) {
  return std::any_of(f.leaves().begin(), f.leaves().end(),
                     [](const auto& l) { return l.stride < 0; });
}

// The same bytes: where one mode is contiguous and the extents come out even.
// A dynamic extent that is 1 is not seen as such, and its mode counts as contiguous too.
std::string otherBytes(const Function& got, Number gotWidth, const Function& want, Number wantWidth,
                       Form form) {
  for (const auto& leaf : want.leaves()) {
    if (form == Form::Dynamic && leaf.extent == 1 && leaf.stride == 1) return "";
  }
  bool small = got.size() * gotWidth <= 4000 && want.size() * wantWidth <= 4000;
  if (!small || contiguousLeaves(want) != 1 || anyNegative(want) || !oracle::isInjective(want))
    return "";
  for (const auto& leaf : want.leaves()) {
    if (leaf.stride != 1 && leaf.stride != 0 && leaf.stride * wantWidth % gotWidth != 0) return "";
    if (leaf.stride == 1 && leaf.extent * wantWidth % gotWidth != 0) return "";
  }
  return units(got, gotWidth) == units(want, wantWidth) ? "" : "it is other bytes";
}

// Strides that are multiples or divisors of powers of two.
Layout recastable(Generator& g) {
  std::vector<Piece> pieces;
  Number place = g.pick<Number>({1, 1, 1, 2, 4, 3});
  for (std::int64_t i = g.between(1, 4); i > 0; --i) {
    Number e = g.pick<Number>({2, 4, 8, 16, 3, 6, 12, 1});
    if (pieces.size() > 1 || place > 200) e = g.extent();
    pieces.push_back({e, g.chance(6) ? -place : place});
    place *= e * (g.chance(20) ? 2 : 1);
  }
  if (g.chance(50)) g.shuffle(pieces);
  if (g.chance(15)) pieces.push_back({g.extent(), 0});
  return g.ofPieces(pieces);
}

// With a swizzle whose base and offset can follow.
AnyLayout recastableAny(Generator& g) {
  Layout l = recastable(g);
  if (!g.chance(15)) return l;
  cute::Swizzle s = cute::Swizzle::make(g.below(3), g.between(3, 6), 3);
  return *ComposedLayout::make(s, 16 * g.below(4), l);
}

// base and offset of the swizzle follow the elements.
std::string otherSwizzle(const AnyLayout& got, const AnyLayout& want, Number up, Number down) {
  if (want.plain() != nullptr) return got.plain() != nullptr ? "" : "a swizzle is added";
  if (got.plain() != nullptr) return "the swizzle is lost";
  const cute::Swizzle& a = *got.composed()->swizzle();
  const cute::Swizzle& b = *want.composed()->swizzle();
  Number offset = want.composed()->offset().value().value();
  std::string wrong =
      unequal("the offset", got.composed()->offset().value().value() * up, offset * down);
  if (!wrong.empty() || b.isIdentity()) return wrong;
  oracle::Xor s{a.bits(), a.base(), a.shift()};
  oracle::Xor t{b.bits(), b.base(), b.shift()};
  for (Number x = 0; x < 1024; ++x) {
    // The byte address x * up * down in units of both.
    wrong = unequal("the swizzle of " + std::to_string(x), s(x * down) * up, t(x * up) * down);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

Number numberAt(const Items& in, std::size_t i) { return treeAt(in, i).value; }

const bool kAdded = addProperties({
    {.name = "upcast",
     .operands =
         [](Generator& g) {
           return Items{recastableAny(g), IntTuple(g.pick({1, 2, 2, 4, 4, 8, 3}))};
         },
     .apply = [](const Items& in) { return asItems(upcast(layoutAt(in, 0), numberAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           Function got = functionAt(out, 0).outer();
           Function want = functionAt(in, 0).outer();
           Number n = numberAt(in, 1);
           std::string wrong = n == 1 ? otherModes(got, want) : notRecast(got, want, n, notLarger);
           if (wrong.empty()) wrong = otherBytes(got, n, want, 1, form);
           if (wrong.empty()) wrong = otherSwizzle(layoutAt(out, 0), layoutAt(in, 0), n, 1);
           return wrong;
         },
     .fixed = 2,
     .accepted = 40,
     .answered = 5,
     .likeStatic = false},
    {.name = "downcast",
     .operands =
         [](Generator& g) { return Items{recastableAny(g), IntTuple(g.pick({1, 2, 4, 8}))}; },
     .apply = [](const Items& in) { return asItems(downcast(layoutAt(in, 0), numberAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           Function got = functionAt(out, 0).outer();
           Function want = functionAt(in, 0).outer();
           std::string wrong = notRecast(got, want, numberAt(in, 1), notSmaller);
           if (wrong.empty()) wrong = otherBytes(got, 1, want, numberAt(in, 1), form);
           if (wrong.empty())
             wrong = otherSwizzle(layoutAt(out, 0), layoutAt(in, 0), 1, numberAt(in, 1));
           return wrong;
         },
     .fixed = 2,
     .accepted = 80,
     .answered = 5,
     .likeStatic = false},
    {.name = "recast_layout",
     .operands =
         [](Generator& g) {
           return Items{IntTuple(g.pick({4, 6, 8, 16, 32, 64})),
                        IntTuple(g.pick({4, 6, 8, 16, 32})), recastableAny(g)};
         },
     .apply =
         [](const Items& in) {
           return asItems(recast_layout(numberAt(in, 0), numberAt(in, 1), layoutAt(in, 2)));
         },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           Number common = std::gcd(numberAt(in, 0), numberAt(in, 1));
           Number up = numberAt(in, 0) / common;
           Number down = numberAt(in, 1) / common;
           Function got = functionAt(out, 0).outer();
           Function want = functionAt(in, 2).outer();
           std::string wrong = otherSwizzle(layoutAt(out, 0), layoutAt(in, 2), up, down);
           if (wrong.empty()) wrong = otherBytes(got, up, want, down, form);
           if (!wrong.empty() || (up > 1 && down > 1)) return wrong;
           if (up == 1 && down == 1) return otherModes(got, want);
           return up > 1 ? notRecast(got, want, up, notLarger)
                         : notRecast(got, want, down, notSmaller);
         },
     .fixed = 3,
     .accepted = 40,
     .answered = 5,
     .caught = 50,
     .likeStatic = false},
});

}  // namespace
}  // namespace cutwork::test

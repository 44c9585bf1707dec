// TupleAlgebra.cpp -- functions of shapes and coordinates that need no layout.
#include "cutwork/Layout/TupleAlgebra.h"

#include "Refusal.h"

namespace cutwork::cute {

namespace {

// A leaf that arithmetic can use.
Expected<Int> integer(IntTupleView leaf) {
  if (leaf.isInt()) return leaf.value();
  return refuse("{} is not an integer", leaf.text());
}

Expected<IntTuple> asTuple(Int value) { return checked(IntTuple(value)); }

Expected<Int> positive(IntTupleView leaf) {
  CW_TRY(Int value, integer(leaf));
  if (value.isStatic() && value.value() <= 0)
    return refuse("the divisor {} is not positive", value.text());
  return value;
}

using LeafDivision = Expected<Int> (*)(Int, Int);

// The structure that ceil_div and shape_div share; `divide` is the rule for two integers.
Expected<IntTuple> divideTuples(IntTupleView a, IntTupleView b, LeafDivision divide) {
  if (a.isLeaf() && b.isLeaf()) {
    CW_TRY(Int x, integer(a));
    CW_TRY(Int y, positive(b));
    CW_TRY(Int q, divide(x, y));
    return asTuple(q);
  }
  if (a.isLeaf()) return divideTuples(a, IntTuple(product(b)), divide);
  IntTupleBuilder out;
  out.open();
  if (b.isLeaf()) {
    CW_TRY(Int rest, positive(b));
    for (IntTupleView mode : a) {
      CW_TRY(IntTuple q, divideTuples(mode, IntTuple(rest), divide));
      out.append(q);
      CW_TRY(rest, divide(rest, product(mode)));
    }
  } else {
    if (b.rank() > a.rank()) return refuse("{} has more modes than {}", b.text(), a.text());
    for (int i = 0; i < a.rank(); ++i) {
      if (i >= b.rank()) {
        out.append(a[i]);
        continue;
      }
      auto q = divideTuples(a[i], b[i], divide);
      if (!q) return inMode(std::move(q).takeError(), i);
      out.append(*q);
    }
  }
  out.close();
  return out.finish();
}

Expected<Int> ceilRule(Int a, Int b) { return checked(ceilDiv(a, b)); }

Expected<Int> shapeRule(Int a, Int b) {
  if (divides(b, a) == Truth::Yes) return checked(floorDiv(a, b));
  Truth inverse = divides(a, b);
  if (inverse == Truth::Yes) return Int(1);
  if (divides(b, a) == Truth::No && inverse == Truth::No) {
    return refuse("neither of {} and {} divides the other", a.text(), b.text());
  }
  // One divides the other, which is the caller's precondition; ceil is right in both cases.
  return checked(ceilDiv(a, b));
}

void flattenInto(IntTupleBuilder& out, IntTupleView t) {
  for (const Node& node : t.nodes()) {
    if (node.kind == NodeKind::Integer) out.leaf(node.integer, node.basis);
    if (node.kind == NodeKind::Hole) out.hole();
  }
}

// Writes t's structure with each leaf given by `leaf`.
template <class Leaf>
void mapLeaves(IntTupleBuilder& out, IntTupleView t, Leaf&& leaf) {
  if (t.isLeaf()) return leaf(t);
  out.open();
  for (IntTupleView mode : t) mapLeaves(out, mode, leaf);
  out.close();
}

Expected<Int> sumProducts(IntTupleView a, IntTupleView b) {
  if (a.isTuple() != b.isTuple() || (a.isTuple() && a.rank() != b.rank())) {
    return refuse("{} and {} have different profiles", a.text(), b.text());
  }
  if (a.isLeaf()) {
    CW_TRY(Int x, integer(a));
    CW_TRY(Int y, integer(b));
    return checked(x * y);
  }
  Int sum = 0;
  for (int i = 0; i < a.rank(); ++i) {
    auto term = sumProducts(a[i], b[i]);
    if (!term) return inMode(std::move(term).takeError(), i);
    sum = sum + *term;
  }
  return checked(sum);
}

Expected<Int> allLess(IntTupleView a, IntTupleView b) {
  if (a.isTuple() != b.isTuple() || (a.isTuple() && a.rank() != b.rank())) {
    return refuse("{} and {} are not congruent", a.text(), b.text());
  }
  if (a.isLeaf()) {
    CW_TRY(Int x, integer(a));
    CW_TRY(Int y, integer(b));
    return checked(isLess(x, y));
  }
  Int all = 1;
  for (int i = 0; i < a.rank(); ++i) {
    auto less = allLess(a[i], b[i]);
    if (!less) return inMode(std::move(less).takeError(), i);
    all = both(all, *less);
  }
  return checked(all);
}

Expected<IntTuple> roundUp(IntTupleView a, IntTupleView b) {
  if (a.isLeaf() && b.isLeaf()) {
    CW_TRY(Int x, integer(a));
    CW_TRY(Int y, positive(b));
    return asTuple(ceilDiv(x, y) * y);
  }
  if (a.isLeaf() || b.isLeaf() || b.rank() > a.rank()) {
    return refuse("{} does not fit the modes of {}", b.text(), a.text());
  }
  IntTupleBuilder out;
  out.open();
  for (int i = 0; i < a.rank(); ++i) {
    if (i >= b.rank()) {
      out.append(a[i]);
      continue;
    }
    auto mode = roundUp(a[i], b[i]);
    if (!mode) return inMode(std::move(mode).takeError(), i);
    out.append(*mode);
  }
  out.close();
  return out.finish();
}

bool isZero(IntTupleView t) { return t.isInt() && t.value().is(0); }

Expected<IntTuple> addTuples(IntTupleView a, IntTupleView b) {
  if (isZero(a)) return IntTuple(b);
  if (isZero(b)) return IntTuple(a);
  if (a.isLeaf() != b.isLeaf()) return refuse("{} and {} can not be added", a.text(), b.text());
  if (a.isLeaf()) {
    CW_TRY(Int x, integer(a));
    CW_TRY(Int y, integer(b));
    return asTuple(x + y);
  }
  IntTupleBuilder out;
  out.open();
  for (int i = 0; i < std::max(a.rank(), b.rank()); ++i) {
    if (i >= a.rank() || i >= b.rank()) {
      out.append(i >= a.rank() ? b[i] : a[i]);
      continue;
    }
    auto sum = addTuples(a[i], b[i]);
    if (!sum) return inMode(std::move(sum).takeError(), i);
    out.append(*sum);
  }
  out.close();
  return out.finish();
}

Truth conjunction(Truth a, Truth b) { return std::min(a, b); }

}  // namespace

Int product(IntTupleView t) {
  Int p = 1;
  for (const Node& node : t.nodes()) {
    if (node.kind == NodeKind::Integer) p = p * node.integer;
  }
  return p;
}

Expected<IntTuple> product_each(const IntTuple& t) {
  IntTupleBuilder out;
  out.open();
  for (IntTupleView mode : t) out.leaf(product(mode));
  out.close();
  return named(out.finish(), "product_each", t);
}

Expected<IntTuple> prefix_product(const IntTuple& t) {
  IntTupleBuilder out;
  Int running = 1;
  Expected<Int> fault = Int(0);
  mapLeaves(out, t, [&](IntTupleView leaf) {
    auto value = integer(leaf);
    if (!value) fault = std::move(value).takeError();
    out.leaf(running);
    running = running * leaf.value();
  });
  if (!fault) return named(std::move(fault).takeError(), "prefix_product", t);
  return named(out.finish(), "prefix_product", t);
}

Expected<Int> inner_product(const IntTuple& a, const IntTuple& b) {
  return named(sumProducts(a, b), "inner_product", a, b);
}

IntTuple flatten(IntTupleView t) {
  if (t.isLeaf()) return t;
  IntTupleBuilder out;
  out.open();
  flattenInto(out, t);
  out.close();
  return out.take();
}

Expected<IntTuple> unflatten(const IntTuple& flat, const IntTuple& profile) {
  IntTupleView::Iterator next = flat.begin();
  int left = flat.rank();
  IntTupleBuilder out;
  mapLeaves(out, profile, [&](IntTupleView) {
    if (left-- <= 0) return;
    out.append(*next);
    ++next;
  });
  if (left != 0) {
    return refuse("unflatten: {} and {} have different numbers of leaves", flat.text(),
                  profile.text());
  }
  return out.finish();
}

Expected<IntTuple> repeat_like(Int value, const IntTuple& target) {
  IntTupleBuilder out;
  mapLeaves(out, target, [&](IntTupleView) { out.leaf(value); });
  return out.finish();
}

bool congruent(IntTupleView a, IntTupleView b) {
  if (a.isLeaf() || b.isLeaf()) return a.isLeaf() == b.isLeaf();
  if (a.rank() != b.rank()) return false;
  return std::equal(a.begin(), a.end(), b.begin(), congruent);
}

bool weakly_congruent(IntTupleView a, IntTupleView b) {
  if (a.isLeaf()) return true;
  if (b.isLeaf() || a.rank() != b.rank()) return false;
  return std::equal(a.begin(), a.end(), b.begin(), weakly_congruent);
}

Truth compatible(IntTupleView a, IntTupleView b) {
  if (a.isLeaf()) return equal(product(a), product(b));
  if (b.isLeaf() || a.rank() != b.rank()) return Truth::No;
  Truth all = Truth::Yes;
  for (int i = 0; i < a.rank(); ++i) all = conjunction(all, compatible(a[i], b[i]));
  return all;
}

Truth equal(IntTupleView a, IntTupleView b) {
  if (a.isLeaf() != b.isLeaf() || a.isHole() != b.isHole()) return Truth::No;
  if (a.isHole()) return Truth::Yes;
  if (a.isLeaf()) return a.basis() == b.basis() ? equal(a.value(), b.value()) : Truth::No;
  if (a.rank() != b.rank()) return Truth::No;
  Truth all = Truth::Yes;
  for (int i = 0; i < a.rank(); ++i) all = conjunction(all, equal(a[i], b[i]));
  return all;
}

Expected<IntTuple> ceil_div(const IntTuple& a, const IntTuple& b) {
  return named(divideTuples(a, b, ceilRule), "ceil_div", a, b);
}

Expected<IntTuple> shape_div(const IntTuple& a, const IntTuple& b) {
  return named(divideTuples(a, b, shapeRule), "shape_div", a, b);
}

Expected<IntTuple> round_up(const IntTuple& a, const IntTuple& b) {
  return named(roundUp(a, b), "round_up", a, b);
}

Expected<IntTuple> tuple_add(const IntTuple& a, const IntTuple& b) {
  return named(addTuples(a, b), "tuple_add", a, b);
}

Expected<Int> elemLess(const IntTuple& a, const IntTuple& b) {
  return named(allLess(a, b), "elem_less", a, b);
}

}  // namespace cutwork::cute

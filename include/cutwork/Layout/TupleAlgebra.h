// cutwork/Layout/TupleAlgebra.h -- functions of shapes and coordinates that need no layout.
//
// Tuples are combined by mode; an integer stands for the whole of what it meets. Definitions are
// given for leaves; the rule for tuples is in each comment. Every Expected says why it refused.
#pragma once

#include "cutwork/Layout/IntTuple.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// The product of all leaves; of () it is 1. The size of a shape.
///     product((2,(3,4))) = 24
Int product(IntTupleView t);
inline Int size(IntTupleView shape) { return product(shape); }
inline int rank(IntTupleView t) { return t.rank(); }
inline int depth(IntTupleView t) { return t.depth(); }

/// The product of each mode; of a leaf, the tuple of it.
///     product_each(((2,3),4)) = (6,4)
Expected<IntTuple> product_each(const IntTuple& t);

/// The exclusive running product of the leaves from the left, in the profile of t: the strides of
/// the compact layout whose first mode is fastest.
///     prefix_product(((2,3),4)) = ((1,2),6)
Expected<IntTuple> prefix_product(const IntTuple& t);

/// The sum of the products of partner leaves. Refuses operands that are not congruent.
///     inner_product((1,2),(3,2)) = 7
Expected<Int> inner_product(const IntTuple& a, const IntTuple& b);

/// All leaves in one tuple; a leaf stays a leaf.
///     flatten((2,(3,4))) = (2,3,4)
IntTuple flatten(IntTupleView t);
/// The leaves of `flat` in the profile of `profile`. Refuses another number of leaves.
///     unflatten((2,3,4), (1,(1,1))) = (2,(3,4))
Expected<IntTuple> unflatten(const IntTuple& flat, const IntTuple& profile);
/// `value` at every leaf of `target`.
Expected<IntTuple> repeat_like(Int value, const IntTuple& target);

/// Whether a and b have the same nesting.
bool congruent(IntTupleView a, IntTupleView b);
/// Whether b's nesting refines a's: a leaf of a may meet anything. Every coordinate of a shape is
/// weakly congruent to it.
bool weakly_congruent(IntTupleView a, IntTupleView b);
/// Whether b refines a as shapes: every coordinate into a is one into b, so a leaf of a equals the
/// size of what it meets. Unknown if that is not decided for dynamic leaves.
Truth compatible(IntTupleView a, IntTupleView b);
/// Whether a = b, structure included; structurally different ones are No, not an error.
Truth equal(IntTupleView a, IntTupleView b);

/// ceil(a / b). A tuple by a tuple: mode by mode, modes beyond b's rank as they are. A tuple by an
/// integer: b is used up from the left, b becoming ceil(b / a_i). An integer by a tuple: by its
/// product. Refuses a divisor that is not positive.
///     ceil_div((10,6),(3,4)) = (4,2);  ceil_div((4,5,6), 40) = (1,1,3)
Expected<IntTuple> ceil_div(const IntTuple& a, const IntTuple& b);
/// a / b where b divides a, 1 where a divides b; refuses where neither does. Tuples as in ceil_div.
///     shape_div((64,64), 128) = (1,32)
Expected<IntTuple> shape_div(const IntTuple& a, const IntTuple& b);
/// The least multiple of b that is at least a: ceil_div(a, b) * b; tuples by mode, modes beyond b's
/// rank as they are.
///     round_up((10,6),(3,4)) = (12,8)
Expected<IntTuple> round_up(const IntTuple& a, const IntTuple& b);

/// a + b, leaf by leaf; a tuple may be shorter, and an integer 0 is added to anything.
///     tuple_add((1,2),(3)) = (4,2)
Expected<IntTuple> tuple_add(const IntTuple& a, const IntTuple& b);

/// 1 where every leaf of a is less than its partner in b, else 0; dynamic where that is not known.
/// Refuses operands that are not congruent.
///     elem_less((1,2),(2,3)) = 1;  elem_less((0,3),(2,3)) = 0
Expected<Int> elemLess(const IntTuple& a, const IntTuple& b);

}  // namespace cutwork::cute

#pragma GCC visibility pop

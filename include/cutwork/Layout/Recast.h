// cutwork/Layout/Recast.h -- the same bytes seen as elements of another size.
//
// Definition. upcast(L, N) is L in elements N times as large: where consecutive coordinates of a
// mode of stride d < N fall into one larger element, they become one coordinate.
//
//     extent s, stride d:    d = 0           as it is
//                            N divides d     s : d/N
//                            d divides N     s/(N/d) : 1     1 if s <= N/d: one element in part
//
// downcast(L, N) is L in elements N times smaller: s:1 becomes s*N:1, any other stride d*N.
// recast_layout(new, old, L) is upcast by new/gcd, then downcast by old/gcd, for elements of `old`
// and `new` bits.
//
//     upcast((4,8):(1,4), 2)         = (2,8):(1,2)
//     downcast((2,8):(1,2), 2)       = (4,8):(1,4)
//     recast_layout(32, 8, (32,4):(1,32)) = (8,4):(1,8)
//
// Refused: a negative stride, a stride that falls inside a larger element, an extent that ends
// inside one, and a dynamic stride or extent whose divisor does not decide the case.
//
// A swizzle S<b,m,s> moves its base by log2(N), so N is a power of two then; the offset is
// multiplied or divided.
#pragma once

#include "cutwork/Layout/ComposedLayout.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

Expected<Layout> upcast(const Layout& layout, std::int64_t n);
Expected<AnyLayout> upcast(const AnyLayout& layout, std::int64_t n);
Expected<Layout> downcast(const Layout& layout, std::int64_t n);
Expected<AnyLayout> downcast(const AnyLayout& layout, std::int64_t n);
Expected<Layout> recast_layout(std::int64_t newBits, std::int64_t oldBits, const Layout& layout);
Expected<AnyLayout> recast_layout(std::int64_t newBits, std::int64_t oldBits,
                                  const AnyLayout& layout);

}  // namespace cutwork::cute

#pragma GCC visibility pop

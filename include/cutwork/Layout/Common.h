// cutwork/Layout/Common.h -- where two layouts agree, how far one is contiguous, how a domain is
// shared.
#pragma once

#include "cutwork/Layout/ComposedLayout.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// The longest prefix R of right_inverse(b) with a(R(i)) = b(R(i)) = i: the coordinates whose
/// elements lie consecutively, and at the same place, in both. 1:0 if there is no more than one.
/// Refuses layouts that do not compose.
///     max_common_layout((2,4,1):(1,2,0), (2,(1,4)):(1,(0,2))) = 8:1
/// Dynamic leaves end it early (WhenUnknown::Stop): what is reported is common, there may be more.
Expected<Layout> max_common_layout(const Layout& a, const Layout& b);
/// Its size: how many consecutive elements correspond. What vectorised copies are decided from.
///     max_common_vector((32,2):(1,32), (4,8,2):(1,4,32)) = 64
Expected<Int> max_common_vector(const Layout& a, const Layout& b);

/// The largest N for which the layout takes whole runs of N consecutive values, each starting at a
/// multiple of N: the run that starts at 0 and the strides beyond it have N in common. What is
/// stored under the layout may be aligned to as much.
///     max_alignment((4,3):(1,4)) = 12;   max_alignment((4,3):(1,6)) = 2
/// Of a composed layout and of one with basis strides 1.
Expected<Int> max_alignment(const AnyLayout& layout);

/// A layout of at most n coordinates into `shape`, taking from each mode in turn what n and the
/// extent have in common.
///     domain_distribute((192,(8,8)), 128) = (64,2):(1,192)
Expected<Layout> domain_distribute(const IntTuple& shape, std::int64_t n);

}  // namespace cutwork::cute

#pragma GCC visibility pop

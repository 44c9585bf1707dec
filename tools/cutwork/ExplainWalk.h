// ExplainWalk.h -- the steps of a composition: how each mode of B walks through A's modes.
#pragma once

#include <string>

#include "ExplainTask.h"

namespace cutwork::tool {

/// Adds a step for A's coalesced modes and one for each leaf mode of B; returns A o B put together
/// from the pieces. `name` is B's letter, `of` A's. With dynamic integers no steps are added and
/// the library is asked. An extent that a step does not divide is rounded up, as a divide does with
/// its rest. Precondition: the library composes A and B.
Expected<cute::Layout> walk(Explanation& out, const cute::Layout& a, const cute::Layout& b,
                            const std::string& of, const std::string& name);

/// The same for a tiler: mode by mode where it is by mode.
Expected<cute::Layout> walkTiler(Explanation& out, const cute::Layout& a, const cute::Tiler& b,
                                 const std::string& of, const std::string& name);

/// `tiler` without holes, as far as A's coordinates go: a hole takes the whole mode.
cute::Tiler withoutHoles(const cute::Tiler& tiler, cute::LayoutView a);
/// `coordinate` with zeros for the modes that `shape` has beyond it.
cute::IntTuple withZeros(cute::IntTupleView coordinate, cute::IntTupleView shape);

}  // namespace cutwork::tool

// FlatModes.h -- a layout as a flat list of modes, the form that the algorithms work on.
#pragma once

#include "cutwork/Layout/Layout.h"

namespace cutwork::cute {

struct FlatMode {
  Int extent;
  Int stride;
  BasisPath basis;
};

using FlatModes = SmallArray<FlatMode, 16>;

/// The leaves of a layout in order.
FlatModes flatModes(LayoutView layout);
/// The same after dropping extents of 1 and merging neighbours (coalesce). May be empty.
FlatModes coalescedModes(LayoutView layout);
FlatModes coalescedModes(const FlatModes& list);
/// The same without modes of stride 0.
FlatModes filteredModes(LayoutView layout);

/// The layout of these modes: a bare mode if there is one, a flat tuple if there are several. None:
/// 1:0.
Expected<Layout> fromModes(const FlatModes& modes);
/// Appends the modes to `out` as one entry, in the same form.
void appendAsOne(LayoutBuilder& out, const FlatModes& modes);

}  // namespace cutwork::cute

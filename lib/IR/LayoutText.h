// LayoutText.h -- the layout that an op's text and dynamic operands describe.
#pragma once

#include <string_view>

#include "cutwork/Layout/Layout.h"

namespace cutwork::ir {

/// What is known of a layout text by itself: the layout with placeholders for `?`, and how many
/// there are.
struct LayoutShape {
  std::int64_t size = 0;
  std::size_t dynamicLeaves = 0;
};

/// Reads the text of an op's layout. Refuses malformed text, a dynamic extent, basis strides.
Expected<LayoutShape> readLayoutText(std::string_view text);

}  // namespace cutwork::ir

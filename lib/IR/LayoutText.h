// LayoutText.h -- the layout that an op's text and dynamic operands describe.
#pragma once

#include <string_view>
#include <vector>

#include "cutwork/Layout/Layout.h"
#include "cutwork/Layout/Recording.h"

namespace cutwork::ir {

/// What is known of a layout text by itself: the layout with placeholders for `?`, and how many
/// there are.
struct LayoutShape {
  std::int64_t size = 0;
  std::size_t dynamicLeaves = 0;
};

/// The layout of an op's text, with inputs of `placeholders` for its `?`. Refuses malformed text, a
/// dynamic extent, basis strides.
Expected<cute::Layout> parseLayoutText(std::string_view text,
                                       cute::RecordingEvaluator& placeholders);
/// The same, reduced to what a verifier asks.
Expected<LayoutShape> readLayoutText(std::string_view text);
/// The extent of each mode. Refuses the same.
Expected<std::vector<std::int64_t>> modeExtents(std::string_view text);

}  // namespace cutwork::ir

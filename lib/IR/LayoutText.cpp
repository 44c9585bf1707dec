// LayoutText.cpp -- reading the layouts of ops.
#include "IR/LayoutText.h"

#include "cutwork/Layout/Text.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::ir {

Expected<cute::Layout> parseLayoutText(std::string_view text,
                                       cute::RecordingEvaluator& placeholders) {
  CW_TRY(cute::Layout layout, cute::parseLayout(text, [&](cute::Width width, std::int64_t divisor) {
           return placeholders.input(width, divisor);
         }));
  if (!cute::isStatic(layout.shape().view())) return userError("the shape is not static");
  if (cute::hasBasisStrides(layout)) return userError("the strides are coordinates");
  return layout;
}

Expected<LayoutShape> readLayoutText(std::string_view text) {
  cute::RecordingEvaluator placeholders;
  CW_TRY(const cute::Layout layout, parseLayoutText(text, placeholders));
  cute::Int size = cute::size(layout);
  if (!size.isStatic()) return userError("the size does not fit in 64 bits");
  return LayoutShape{size.value(), placeholders.inputs()};
}

Expected<std::vector<std::int64_t>> modeExtents(std::string_view text) {
  cute::RecordingEvaluator placeholders;
  CW_TRY(const cute::Layout layout, parseLayoutText(text, placeholders));
  std::vector<std::int64_t> extents;
  extents.reserve(static_cast<std::size_t>(layout.rank()));
  for (int mode = 0; mode < layout.rank(); ++mode) {
    const cute::Int extent = cute::size(layout[mode]);
    if (!extent.isStatic()) return userError("a mode's extent does not fit in 64 bits");
    extents.push_back(extent.value());
  }
  return extents;
}

}  // namespace cutwork::ir

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

}  // namespace cutwork::ir

// cutwork/Layout/Text.h -- the text form of tuples, layouts and tilers, read and written.
//
//     tuple     := integer | basis | '_' | '?' dynamic | '(' [tuple {',' tuple}] ')'
//     basis     := integer {'@' integer}            innermost mode first: 1@0@1 is mode 0 of mode 1
//     dynamic   := '' | '{' ['i64'] ['div=' integer] '}'
//     layout    := tuple ':' tuple
//     composed  := (swizzle | layout) 'o' tuple 'o' layout
//     swizzle   := 'S<' integer ',' integer ',' integer '>'
//     tiler     := layout | tuple | '_' | '[' [tiler {',' tiler}] ']'
//
// Spaces between tokens are allowed. Writing is text() of each class and gives this form without
// spaces but after the commas of [...] and around 'o'. Errors name the column and what was
// expected.
#pragma once

#include <functional>
#include <string_view>

#include "cutwork/Layout/ComposedLayout.h"
#include "cutwork/Layout/Tiler.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// Makes the dynamic integer for a `?` that was read.
using DynamicFactory = std::function<Int(Width width, std::int64_t divisor)>;

/// Without a factory a `?` is refused.
Expected<IntTuple> parseTuple(std::string_view text, const DynamicFactory& dynamic = {});
Expected<Int> parseInt(std::string_view text, const DynamicFactory& dynamic = {});
Expected<Layout> parseLayout(std::string_view text, const DynamicFactory& dynamic = {});
/// A layout or a composed layout.
Expected<AnyLayout> parseAnyLayout(std::string_view text, const DynamicFactory& dynamic = {});
Expected<Swizzle> parseSwizzle(std::string_view text);
Expected<Tiler> parseTiler(std::string_view text, const DynamicFactory& dynamic = {});

}  // namespace cutwork::cute

#pragma GCC visibility pop

// Vectorise.h -- whether elements of a tensor can be read or written so many at once, and why not.
#pragma once

#include <optional>
#include <string>

#include "cutwork/DSL/Tensor.h"

namespace cutwork::cute {

/// Why `count` consecutive elements cannot be one access of that width; nothing if they can.
/// Registers always can: LLVM sees through them. `side` is the source or the target, for the text.
std::optional<std::string> whyNotVector(const Tensor& t, std::int64_t count, std::string_view side);

/// The most elements, a power of two up to `most`, that both can move at once.
std::int64_t widestVector(const Tensor& source, const Tensor& target, std::int64_t most);

}  // namespace cutwork::cute

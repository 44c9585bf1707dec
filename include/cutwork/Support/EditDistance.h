// cutwork/Support/EditDistance.h -- how far two names are apart, for "did you mean".
#pragma once

#include <cstddef>
#include <string_view>

#pragma GCC visibility push(default)

namespace cutwork {

/// How many letters are to be put in, left out or changed to make one of the other (Levenshtein's
/// distance).
std::size_t editDistance(std::string_view a, std::string_view b);

}  // namespace cutwork

#pragma GCC visibility pop

// PtxPlaces.h -- errors in a line of PTX, at the line of the user's program that it came from.
#pragma once

#include <string>

#include "cutwork/Support/Error.h"

namespace cutwork::compiler {

/// The error with the user's place, if its place is a line of `ptx` and a .loc of the same function
/// says where that came from; else the error as it is.
Error atUserLine(Error error, const std::string& ptx);

}  // namespace cutwork::compiler

// LayoutEval.h -- `cutwork layout eval`: JSON lines in, JSON lines out.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace cutwork::tool {

/// The answer to one line `{"op":..., "args":[...]}`: `{"result":...}` or `{"error":...}`. Any
/// input is answered; a malformed line is an error line.
std::string answerLine(std::string_view line);

/// Answers each non-empty line of `in` with one line on `out`. False if `out` could not be written.
bool layoutEval(std::istream& in, std::ostream& out);

}  // namespace cutwork::tool

// Output.h -- writing results to standard output and to files, with failures noticed.
#pragma once

#include <string>
#include <string_view>

#include "cutwork/Support/Status.h"

namespace cutwork::tool {

/// Writes all of `text`. Error: why it could not be written.
Status writeStandardOutput(std::string_view text);
/// Replaces the file's contents.
Status writeFile(const std::string& path, std::string_view text);

/// The text with what a terminal would act on written as \x1b: control characters but tabs and line
/// ends, and bytes that are no UTF-8.
std::string printable(std::string_view text);

/// Columns of the terminal on standard output; 0 if that is no terminal.
int terminalColumns();

}  // namespace cutwork::tool

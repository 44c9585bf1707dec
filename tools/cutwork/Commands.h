// Commands.h -- the commands of cutwork: their options, their help, what they run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "cutwork/Support/ExitCode.h"

namespace cutwork::tool {

/// What the command line says beside the command's own options, and the command to run.
struct Invocation {
  bool json = false;
  bool version = false;
  std::function<ExitCode()> run;  ///< empty if no command was given
};

/// Adds `layout` with eval, show and explain to `app`. `invocation` outlives the parsing and the
/// run.
void addLayoutCommands(CLI::App& app, Invocation& invocation);

/// Reports an error as the last line of standard error; returns `code`.
ExitCode fail(ExitCode code, const std::string& message);
/// Writes standard output; returns `code`, or Usage after reporting that it cannot be written.
ExitCode finish(const std::string& text, ExitCode code = ExitCode::Done);

/// For CLI11: text that is not empty; a whole number from `least` to 2^64 - 1.
CLI::Validator notEmpty();
CLI::Validator naturalNumber(std::uint64_t least);
/// A finite number from 0 on.
CLI::Validator tolerance();

}  // namespace cutwork::tool

// main.cpp -- the program cutwork: command line, exit codes, reports of our bugs.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>

#include "Cache.h"
#include "Commands.h"
#include "Debug.h"
#include "Info.h"
#include "Output.h"
#include "Run.h"
#include "Sim.h"
#ifdef CUTWORK_COMPILER
#include "cases/CaseCommands.h"
#endif
#include "cutwork/Support/Error.h"
#include "cutwork/Support/Knobs.h"

namespace cutwork::tool {

namespace {

constexpr const char* kFooter = R"(Example:
  cutwork layout show '((2,2),4):((1,8),2)'

`cutwork COMMAND --help` explains a command. Exit codes: 0 done; 1 the result is wrong; 2 usage or
malformed input; 3 refused; 10-20 faults of the simulated device; 70 a bug in Cutwork.)";

ExitCode printVersion(bool json) {
  if (!json) return finish("cutwork " CUTWORK_VERSION "\n");
  return finish(nlohmann::ordered_json{{"name", "cutwork"}, {"version", CUTWORK_VERSION}}.dump() +
                "\n");
}

// The command line as far as it was understood: "cutwork layout show".
std::string commandPath(const CLI::App& app) {
  std::string path = app.get_name();
  for (auto inner = app.get_subcommands(); !inner.empty();
       inner = inner.back()->get_subcommands()) {
    path += " " + inner.back()->get_name();
  }
  return path;
}

ExitCode usageError(const CLI::App& app, const std::string& problem) {
  std::fputs(fmt::format("`{} --help` says what is accepted.\n", commandPath(app)).c_str(), stderr);
  return fail(ExitCode::Usage, problem);
}

ExitCode run(int argc, char** argv) {
  Invocation invocation;
  CLI::App app("CuTe layouts and kernels, without a GPU where there is none.", "cutwork");
  app.add_flag("--version", invocation.version, "Print the version");
  app.add_flag("--json", invocation.json, "Print results as JSON");
  app.footer(kFooter);
  addLayoutCommands(app, invocation);
  addSimCommand(app, invocation);
  addDebugCommand(app, invocation);
  addNewCommand(app, invocation);
#ifdef CUTWORK_COMPILER
  addCaseCommands(app, invocation);
#endif
  addRunCommand(app, invocation);
  addCacheCommand(app, invocation);
  addInfoCommand(app, invocation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return finish(app.help());
  } catch (const CLI::CallForAllHelp&) {
    return finish(app.help("", CLI::AppFormatMode::All));
  } catch (const CLI::ParseError& error) {
    return usageError(app, error.what());
  }
  if (const auto& knobs = tryKnobs(); !knobs) return fail(ExitCode::Usage, knobs.error().message());
  if (invocation.version) return printVersion(invocation.json);
  if (invocation.run) return invocation.run();
  return usageError(app, fmt::format("expected a command after '{}'", commandPath(app)));
}

// An exception that nothing below was meant to let through.
ExitCode bug(const std::string& text) { return fail(ExitCode::Internal, text); }

ExitCode guarded(int argc, char** argv) {
  try {
    if (const auto ended = runKernelFile(argc, argv)) return *ended;
    return run(argc, argv);
  } catch (const UserError& error) {
    return fail(ExitCode::Refused, error.what());
  } catch (const Exception& error) {
    return bug(error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::Limit, "the host is out of memory");
  } catch (const std::exception& error) {
    return bug(internalError(error.what()).text());
  }
}

}  // namespace

ExitCode fail(ExitCode code, const std::string& message) {
  std::fputs(printable("cutwork: error: " + message + "\n").c_str(), stderr);
  return code;
}

CLI::Validator notEmpty() {
  return {[](std::string& text) { return text.empty() ? "it is empty" : std::string(); }, ""};
}

CLI::Validator naturalNumber(std::uint64_t least) {
  return {[least](std::string& text) -> std::string {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [at, error] = std::from_chars(text.data(), end, value);
            if (error == std::errc() && at == end && value >= least) return {};
            return fmt::format("'{}' is no whole number from {} to {}", text, least,
                               std::numeric_limits<std::uint64_t>::max());
          },
          ""};
}

CLI::Validator tolerance() {
  return {[](std::string& text) -> std::string {
            double value = 0;
            const char* end = text.data() + text.size();
            const auto [at, error] = std::from_chars(text.data(), end, value);
            if (error == std::errc() && at == end && std::isfinite(value) && value >= 0) return {};
            return fmt::format("'{}' is no finite number from 0 on", text);
          },
          ""};
}

ExitCode finish(const std::string& text, ExitCode code) {
  auto written = writeStandardOutput(text);
  return written.ok() ? code : fail(ExitCode::Usage, written.error().message());
}

}  // namespace cutwork::tool

int main(int argc, char** argv) { return cutwork::asInt(cutwork::tool::guarded(argc, argv)); }

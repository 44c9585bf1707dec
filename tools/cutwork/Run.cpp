// Run.cpp -- `cutwork run SCRIPT`: python -m cutwork SCRIPT, with the Python and the package that
// belong to this program.
#include "Run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "Output.h"
#include "cutwork/Support/Knobs.h"

namespace cutwork::tool {

namespace {

constexpr const char* kRunHelp = R"(
The script imports cutlass and gets Cutwork. Without a GPU it runs on the simulated device, and
torch has a simulated GPU. Arguments, standard output and the exit code are the script's.
CUTWORK_PYTHON names the Python to use; else the one that Cutwork was built for, else python3.

Example:
  cutwork run elementwise_add.py --M 64 --N 128)";

// The folder of this program; empty if the system does not say.
std::filesystem::path programFolder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : program.parent_path();
}

std::string python() {
  if (!knobs().python.empty()) return knobs().python;
  std::error_code error;
  if (std::filesystem::exists(CUTWORK_PYTHON_EXECUTABLE, error)) return CUTWORK_PYTHON_EXECUTABLE;
  return "python3";
}

// What Python runs: cutwork's main program. The package of a build tree is beside bin; one that is
// installed is found by Python itself.
std::string mainProgram() {
  const std::filesystem::path package = programFolder().parent_path() / "python";
  std::error_code error;
  std::string path;
  if (std::filesystem::exists(package / "cutwork" / "__init__.py", error)) {
    path = nlohmann::json(package.string()).dump();  // quoted as Python quotes it
    path = fmt::format("import sys; sys.path.insert(0, {}); ", path);
  }
  return path + "import runpy; runpy.run_module('cutwork', run_name='__main__', alter_sys=True)";
}

ExitCode runScript(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return fail(ExitCode::Usage, "run: expected a script");
  std::vector<std::string> words{python(), "-c", mainProgram()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return fail(ExitCode::Refused,
              fmt::format("run: '{}' cannot be started: {}; CUTWORK_PYTHON names another Python",
                          words[0], std::strerror(errno)));
}

}  // namespace

void addRunCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* run = app.add_subcommand("run", "Run a Python script that imports cutlass");
  run->footer(kRunHelp);
  // Everything behind the command is the script's, options too.
  run->prefix_command();
  run->callback(
      [run, &invocation] { invocation.run = [run] { return runScript(run->remaining()); }; });
}

}  // namespace cutwork::tool

// Run.cpp -- `cutwork run SCRIPT`, `new`, and verify and bench of kernel files: python -m cutwork,
// with the Python and the package that belong to this program.
#include "Run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
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

constexpr const char* kNewHelp = R"(
Example:
  cutwork new elementwise my_kernel)";

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

// Before the package is run: whether there is one, and not just a folder of that name.
constexpr const char* kFindPackage = R"(import importlib.util, sys
found = importlib.util.find_spec('cutwork')
if found is None or found.origin is None:
    sys.stderr.write(
        f"cutwork: error: {sys.argv[1]}: {sys.executable} has no package cutwork: run `pip install "
        ".` with it in Cutwork's source folder, or name a Python that has it in CUTWORK_PYTHON\n")
    sys.exit(3)
)";

class RunUsage : public CLI::Formatter {
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: cutwork run SCRIPT [ARGUMENTS...]\n";
  }
};

// What Python runs: cutwork's main program. The package of a build tree is beside bin; one that is
// installed is found by Python itself.
std::string mainProgram() {
  const std::filesystem::path package = programFolder().parent_path() / "python";
  std::error_code error;
  std::string path;
  if (std::filesystem::exists(package / "cutwork" / "__init__.py", error)) {
    path = nlohmann::json(package.string()).dump();  // quoted as Python quotes it
    path = fmt::format("import sys; sys.path.insert(0, {})\n", path);
  }
  return path + kFindPackage +
         "import runpy; runpy.run_module('cutwork', run_name='__main__', alter_sys=True)";
}

// Becomes `python -m cutwork COMMAND ARGUMENTS...`; returns only if that cannot be started.
ExitCode becomePython(const std::string& command, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{python(), "-c", mainProgram(), command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return fail(ExitCode::Refused,
              fmt::format("{}: '{}' cannot be started: {}; CUTWORK_PYTHON names another Python",
                          command, words[0], std::strerror(errno)));
}

ExitCode runScript(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return fail(ExitCode::Usage, "run: expected a script");
  return becomePython("run", arguments);
}

bool isPythonFile(const std::string& text) {
  return !text.starts_with('-') && text.ends_with(".py");
}

}  // namespace

std::optional<ExitCode> runKernelFile(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool json = !words.empty() && words[0] == "--json";
  if (json) words.erase(words.begin());
  if (words.empty() || (words[0] != "verify" && words[0] != "bench")) return std::nullopt;
  const std::string command = words[0];
  words.erase(words.begin());
  if (std::ranges::none_of(words, isPythonFile)) return std::nullopt;
  if (const auto& read = tryKnobs(); !read) return fail(ExitCode::Usage, read.error().message());
  if (json) words.emplace_back("--json");
  return becomePython(command, words);
}

void addNewCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* create = app.add_subcommand("new", "Write a Python project to start from");
  create->footer(kNewHelp);
  create->set_help_flag();  // Python's half has the options
  create->prefix_command();
  create->callback([create, &invocation] {
    invocation.run = [create] { return becomePython("new", create->remaining()); };
  });
}

void addRunCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* run = app.add_subcommand("run", "Run a Python script that imports cutlass");
  run->footer(kRunHelp);
  run->formatter(std::make_shared<RunUsage>());
  // Everything behind the command is the script's, options too.
  run->prefix_command();
  run->callback(
      [run, &invocation] { invocation.run = [run] { return runScript(run->remaining()); }; });
}

}  // namespace cutwork::tool

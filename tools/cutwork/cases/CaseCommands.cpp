// CaseCommands.cpp -- `cutwork cases`, and what the commands on cases share.
#include "CaseCommands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>

#include "cutwork/Simulator/Register.h"
#include "cutwork/Simulator/Runs.h"

namespace cutwork::tool {

namespace {

constexpr const char* kCasesHelp = R"(
Example:
  cutwork cases --json)";

ExitCode listCases(bool json) {
  const auto cases = allCases();
  if (!cases.ok()) return fail(ExitCode::Internal, cases.error().text());
  if (json) {
    auto list = nlohmann::ordered_json::array();
    for (const Case* one : *cases) {
      list.push_back({{"name", one->name},
                      {"description", one->description},
                      {"extents", one->extents},
                      {"shape", one->shape},
                      {"odd_shapes", one->oddShapes},
                      {"rtol", one->rtol},
                      {"atol", one->atol}});
    }
    return finish(list.dump() + "\n");
  }
  std::size_t wide = 0;
  for (const Case* one : *cases) wide = std::max(wide, one->name.size());
  std::string text;
  for (const Case* one : *cases) {
    text += fmt::format("{:<{}}  {} ({} {})\n", one->name, wide, one->description, one->extents,
                        shapeText(one->shape));
  }
  return finish(text);
}

}  // namespace

void addCaseName(CLI::App& command, CaseOptions& options) {
  command.add_option("CASE", options.name, "As `cutwork cases` lists them")->required();
}
void addShape(CLI::App& command, CaseOptions& options) {
  command.add_option("--shape", options.shape, "Extents, as in 1024x512; else the case's")
      ->check(notEmpty());
}
void addDevice(CLI::App& command, CaseOptions& options) {
  command
      .add_option("--device", options.device,
                  "cuda:0, sim:sm_90a, ...; else the best that there is")
      ->check(notEmpty());
}
void addSeed(CLI::App& command, CaseOptions& options) {
  command.add_option("--seed", options.seed, "Of the random inputs")
      ->check(naturalNumber(0))
      ->capture_default_str();
}
void addMaxInstructions(CLI::App& command, CaseOptions& options) {
  command
      .add_option("--max-instructions", options.maxInstructions,
                  "On a simulated device, stop with code 18 after so many instructions of warps")
      ->check(naturalNumber(1))
      ->type_name("N");
}

namespace {
std::atomic<bool> interrupted{false};

void onInterrupt(int) {
  interrupted.store(true, std::memory_order_relaxed);
  std::signal(SIGINT, SIG_DFL);  // a second one ends the program at once
}
}  // namespace

StoppableRun::StoppableRun(std::uint64_t maxInstructions) {
  limitSimulatedRuns(maxInstructions, &interrupted);
  const auto before = std::signal(SIGINT, onInterrupt);
  if (before == SIG_IGN) std::signal(SIGINT, SIG_IGN);  // in the background nothing stops it
}
StoppableRun::~StoppableRun() { limitSimulatedRuns(0, nullptr); }

void StoppableRun::endIfInterrupted() {
  if (!interrupted.load(std::memory_order_relaxed)) return;
  std::signal(SIGINT, SIG_DFL);
  std::raise(SIGINT);
}

Expected<std::optional<CaseShape>> shapeOf(const CaseOptions& options, const Case& which) {
  if (options.shape.empty()) return std::optional<CaseShape>();
  CW_TRY(CaseShape shape, parseShape(options.shape));
  if (shape.size() != which.shape.size()) {
    return userError(fmt::format("--shape {}: {} has {} extents, {}, and this has {}",
                                 options.shape, which.name, which.shape.size(), which.extents,
                                 shape.size()));
  }
  return std::optional<CaseShape>(std::move(shape));
}

Expected<Device> deviceOf(const CaseOptions& options) {
  registerSimulatedDevices();
  return options.device.empty() ? Device::best() : Device::open(options.device);
}

Progress::Progress() : shown_(isatty(STDERR_FILENO) == 1) {}

void Progress::say(const std::string& text) {
  if (shown_) std::fputs(fmt::format("\r\033[K{}", text).c_str(), stderr);
}

void Progress::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void addCaseCommands(CLI::App& app, Invocation& invocation) {
  auto json = std::make_shared<bool>(false);
  CLI::App* cases = app.add_subcommand("cases", "List the kernels that verify and bench know");
  cases->add_flag("--json", *json, "Print them as JSON");
  cases->footer(kCasesHelp);
  cases->callback([json, &invocation] {
    invocation.run = [json, &invocation] { return listCases(*json || invocation.json); };
  });
  addVerifyCommand(app, invocation);
  addBenchCommand(app, invocation);
  addCompileCommand(app, invocation);
}

}  // namespace cutwork::tool

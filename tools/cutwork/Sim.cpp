// Sim.cpp -- `cutwork sim`: its options, and one launch of a kernel on the simulated device.
#include "Sim.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "Output.h"
#include "SimCounters.h"
#include "SimLaunch.h"
#include "SimProfile.h"
#include "cutwork/Simulator/ProfileText.h"
#include "cutwork/Simulator/Simulator.h"
#include "cutwork/Support/Knobs.h"

namespace cutwork::tool {
namespace {

constexpr const char* kSimHelp = R"(
LAUNCH is a JSON file:
  {"kernel": "add", "grid": [5,1,1], "block": [128,1,1], "cluster": [1,1,1], "dynamic_smem": 0,
   "args": [{"buffer": "x.npy"}, {"buffer": "o.npy", "output": "o.out.npy"}, {"i32": 5000}]}

An argument is a buffer from an .npy file (any dtype; passed as a pointer; written to `output` after
the run), {"uninitialised": bytes, "output": "o.npy"}, a number by its type (i32, i64, f32, f64,
and b64, which is unsigned), {"bytes": "<base64>"} by value, or {"null": true}. Files are beside
the JSON.

A fault is reported on standard error with its place, and exits with 10 to 20. Ctrl-C stops a run
and reports where it was.

Example:
  cutwork sim add.ptx launch.json --device sim:sm_90a
)";

/// Set by Ctrl-C; the launch looks at it.
std::atomic<bool> interrupted{false};

/// The first Ctrl-C ends the run with a report; a second one ends the program at once.
void onInterrupt(int) {
  interrupted.store(true, std::memory_order_relaxed);
  std::signal(SIGINT, SIG_DFL);
}

Expected<std::string> readText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  // A folder opens, and fails when it is read.
  if (!file || std::filesystem::is_directory(path)) {
    return userError(fmt::format("cannot read {}", path));
  }
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

/// Where an access was: `file` and `line` are the user's, where .loc gives them.
nlohmann::ordered_json placeJson(const SourcePlace& ptx, const SourcePlace& user,
                                 const std::array<std::uint32_t, 3>& block,
                                 const std::array<std::uint32_t, 3>& thread) {
  nlohmann::ordered_json json{{"ptx_line", ptx.line}};
  if (user.known()) {
    json["file"] = user.file;
    json["line"] = user.line;
    json["column"] = user.column;
  }
  json["block"] = block;
  json["thread"] = thread;
  return json;
}

nlohmann::ordered_json faultJson(const sim::FaultReport& fault) {
  std::string_view name;
  for (const ExitCodeInfo& info : kExitCodes) {
    if (info.code == fault.code) name = info.name;
  }
  nlohmann::ordered_json json{{"kind", name}, {"code", asInt(fault.code)}};
  json.update(placeJson(fault.ptx, fault.user, fault.block, fault.thread));
  if (fault.other) {
    json["other"] =
        placeJson(fault.other->ptx, fault.other->user, fault.other->block, fault.other->thread);
  }
  json["message"] = fault.message;
  return json;
}

/// The checks of a list like "memory,race". Error (User): a name that is none.
Expected<sim::Checks> checksOf(const SimOptions& options) {
  sim::Checks checks = sim::Checks::none();
  if (!options.check) return checks;
  std::string_view rest = options.checks;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (name == "memory") {
      checks.memory = true;
    } else if (name == "race") {
      checks.race = true;
    } else if (name == "sync") {
      checks.sync = true;
    } else if (name == "init") {
      checks.init = true;
    } else {
      return userError(fmt::format("--check {}: expected memory, race, sync or init, not '{}'",
                                   options.checks, name));
    }
  }
  return checks;
}

/// Loads, launches and saves; the launch's result. `code` is what an error means.
Expected<sim::LaunchResult> simulate(const SimOptions& options, SimLaunch& launch,
                                     const std::string& ptx, ExitCode& code) {
  constexpr std::string_view kKind = "sim:";
  const std::string_view target = std::string_view(options.device).starts_with(kKind)
                                      ? std::string_view(options.device).substr(kKind.size())
                                      : std::string_view(options.device);
  CW_TRY(const sim::Checks checks, checksOf(options));
  CW_TRY(auto device, sim::SimulatedDevice::create(target, checks));
  // What is wrong in the PTX has a line; what the device does not run has none.
  const auto judge = [&](const auto& outcome) {
    if (!outcome.ok() && !outcome.error().place().known()) code = ExitCode::Refused;
  };
  auto loaded = device->loadModule(ptx, options.ptx);
  judge(loaded);
  CW_TRY(sim::SimulatedModule * module, std::move(loaded));
  CW_TRY(const auto infos, device->parameters(module, launch.kernel));
  if (infos.size() != launch.arguments.size()) {
    return userError(fmt::format("the kernel {} has {} parameters, and {} has {} arguments",
                                 launch.kernel, infos.size(), options.launch,
                                 launch.arguments.size()));
  }
  std::vector<std::byte> parameters;
  std::vector<std::uint64_t> addresses;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    SimArgument& argument = launch.arguments[i];
    std::uint64_t address = 0;
    if (argument.isBuffer) {
      CW_TRY(address, device->allocate(argument.array.data.size(), "buffer " + argument.name));
      if (argument.isWritten) {
        CW_DO(device->write(address, argument.array.data.data(), argument.array.data.size()));
      }
      argument.value.resize(sizeof address);
      std::memcpy(argument.value.data(), &address, sizeof address);
    }
    addresses.push_back(address);
    if (argument.value.size() != infos[i].bytes) {
      return userError(fmt::format(
          "{}: argument {} has {} bytes, and the parameter {} of {} has {}", options.launch, i,
          argument.value.size(), infos[i].name, launch.kernel, infos[i].bytes));
    }
    parameters.resize(infos[i].offset + infos[i].bytes);
    std::memcpy(parameters.data() + infos[i].offset, argument.value.data(), argument.value.size());
  }
  sim::LaunchConfig config;
  config.grid = launch.grid;
  config.block = launch.block;
  config.cluster = launch.cluster;
  config.dynamicShared = launch.dynamicShared;
  config.maxInstructions = options.maxInstructions;
  config.stop = &interrupted;
  config.profile = options.profile;
  config.threads = static_cast<unsigned>(
      options.threads != 0 ? options.threads : std::min<std::uint64_t>(knobs().simThreads, 1024));
  config.debug = options.debug;
  auto launched = device->launch(module, launch.kernel, config, parameters);
  judge(launched);
  CW_TRY(sim::LaunchResult result, std::move(launched));
  if (result.fault) return result;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    SimArgument& argument = launch.arguments[i];
    if (!argument.output) continue;
    CW_DO(device->read(addresses[i], argument.array.data.data(), argument.array.data.size()));
    CW_DO(writeNpy(*argument.output, argument.array));
  }
  return result;
}

std::string runJson(const SimOptions& options, const SimLaunch& launch,
                    const sim::LaunchResult& run, double seconds) {
  nlohmann::ordered_json out{{"ok", !run.fault.has_value()},
                             {"kernel", launch.kernel},
                             {"device", options.device},
                             {"checked", options.check},
                             {"seconds", seconds},
                             {"threads", run.threads},
                             {"faults", nlohmann::ordered_json::array()},
                             {"counters", countersJson(run.counters)}};
  if (!run.oneThread.empty()) out["one_thread"] = run.oneThread;
  if (run.fault) out["faults"].push_back(faultJson(*run.fault));
  if (run.profile) out["profile"] = profileJson(*run.profile);
  if (!run.output.empty()) out["output"] = run.output;
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string runText(const SimOptions& options, const sim::LaunchResult& run,
                    const std::string& ptx) {
  std::string text = run.output;
  if (!text.empty() && text.back() != '\n' && run.profile) text += '\n';
  if (run.profile && options.html.empty()) text += sim::profileText(*run.profile, ptx);
  return text;
}

}  // namespace

ExitCode runSim(const SimOptions& options) {
  const auto ptx = readText(options.ptx);
  if (!ptx.ok()) return fail(ExitCode::Usage, ptx.error().text());
  auto launch = readLaunch(options.launch);
  if (!launch.ok()) return fail(ExitCode::Usage, launch.error().text());
  const auto before = std::signal(SIGINT, onInterrupt);
  if (before == SIG_IGN) std::signal(SIGINT, SIG_IGN);  // in the background nothing stops it
  const auto start = std::chrono::steady_clock::now();
  ExitCode code = ExitCode::Usage;
  const auto result = simulate(options, launch.value(), ptx.value(), code);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::signal(SIGINT, before);
  if (!result.ok()) {
    const bool noMemory = result.error().kind() == ErrorKind::Device;
    return fail(noMemory ? ExitCode::Limit : code, result.error().text());
  }
  if (options.quit) return ExitCode::Done;
  const sim::LaunchResult& run = result.value();
  if (!options.html.empty() && run.profile) {
    const Status written = writeFile(options.html, profileHtml(*run.profile, ptx.value()));
    if (!written.ok()) return fail(ExitCode::Usage, written.error().text());
  }
  const std::string text = options.json ? runJson(options, launch.value(), run, elapsed.count())
                                        : runText(options, run, ptx.value());
  if (!run.fault) return finish(text);
  if (!text.empty()) finish(text);
  std::string report = run.fault->text;
  while (!report.empty() && report.back() == '\n') report.pop_back();
  if (interrupted.load(std::memory_order_relaxed) && run.fault->code == ExitCode::Limit) {
    // The signal that was asked for ends the program, so that whoever waits for it knows.
    fail(ExitCode::Limit, "interrupted: " + report.substr(report.find(": ") + 2));
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
  return fail(run.fault->code, report);
}

void addLaunchOptions(CLI::App& command, SimOptions& options) {
  command.add_option("PTX", options.ptx, "The module's text")->required();
  command.add_option("LAUNCH", options.launch, "The launch, as JSON")->required();
  command.add_option("--device", options.device, "sim:TARGET")->capture_default_str();
  command
      .add_option("--check", options.checks, "What to check: some of memory, race, sync and init")
      ->type_name("LIST")
      ->capture_default_str();
  command.add_flag("!--no-check", options.check, "Run without checks");
  command
      .add_option("--max-instructions", options.maxInstructions,
                  "Stop with code 18 after so many instructions of warps")
      ->check(naturalNumber(1))
      ->type_name("N");
}

void addSimCommand(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<SimOptions>();
  CLI::App* sim =
      app.add_subcommand("sim", "Run a PTX kernel on the simulated device, with checks");
  addLaunchOptions(*sim, *options);
  sim->add_flag("--json", options->json, "Print counters, and a fault, as JSON");
  sim->add_flag("--profile", options->profile,
                "Count by instruction: lanes, sectors, bank conflicts");
  sim->add_option("--threads", options->threads,
                  "Host threads for blocks that cannot communicate; else CUTWORK_SIM_THREADS says")
      ->check(naturalNumber(1))
      ->type_name("N");
  sim->add_option("--html", options->html, "Write the profile to a page")->type_name("FILE");
  sim->footer(kSimHelp);
  sim->callback([options, &invocation] {
    invocation.run = [options, &invocation] {
      options->json = options->json || invocation.json;
      options->profile = options->profile || !options->html.empty();
      return runSim(*options);
    };
  });
}

}  // namespace cutwork::tool

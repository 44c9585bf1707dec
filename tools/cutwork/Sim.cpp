// Sim.cpp -- `cutwork sim`: its options, and one launch of a kernel on the simulated device.
#include "Sim.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

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

Faults are reported on standard error with their places, and the first one's kind is the exit
status, 10 to 20. Ctrl-C stops a run and reports where it was.

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
  json["count"] = fault.count;
  if (!fault.value.empty()) json["value"] = fault.value;
  if (fault.other) {
    nlohmann::ordered_json& other = json["other"];
    other = placeJson(fault.other->ptx, fault.other->user, fault.other->block, fault.other->thread);
    if (!fault.other->value.empty()) other["value"] = fault.other->value;
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

std::uint64_t seedOf(const SimOptions& options) { return options.seed.value_or(knobs().simSeed); }

/// Loads, launches, and reads what the run wrote into `launch`; the launch's result. `code` is what
/// an error means.
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
  config.maxInstructions =
      options.maxInstructions != 0 ? options.maxInstructions : knobs().simMaxInstructions;
  config.stop = &interrupted;
  config.profile = options.profile;
  config.stopAtFirst = options.stopAtFirst || knobs().simStopAtFirst;
  config.seed = seedOf(options);
  config.threads = options.threads != 0 ? options.threads : knobs().simThreads;
  config.debug = options.debug;
  auto launched = device->launch(module, launch.kernel, config, parameters);
  judge(launched);
  CW_TRY(sim::LaunchResult result, std::move(launched));
  if (result.fault) return result;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    SimArgument& argument = launch.arguments[i];
    if (!argument.output) continue;
    CW_DO(device->read(addresses[i], argument.array.data.data(), argument.array.data.size()));
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
  for (const sim::FaultReport& fault : run.faults) out["faults"].push_back(faultJson(fault));
  if (run.unlisted != 0) out["faults_not_listed"] = run.unlisted;
  if (!run.oneThread.empty()) out["one_thread"] = run.oneThread;
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

/// One line of what was done, for who sees no fault and no output.
std::string summary(const SimOptions& options, const SimLaunch& launch,
                    const sim::LaunchResult& run) {
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  std::string text = fmt::format(
      "cutwork: {} ran on {}: {} block{} of {} thread{}, {} instructions of warps, no fault{}",
      launch.kernel, options.device, run.counters.blocks, run.counters.blocks == 1 ? "" : "s",
      threads, threads == 1 ? "" : "s", run.counters.warpInstructions,
      options.check ? "" : " (--no-check)");
  for (const SimArgument& argument : launch.arguments) {
    if (argument.output) text += "; wrote " + argument.output->string();
  }
  if (!options.html.empty()) text += "; wrote " + options.html;
  return text;
}

/// Every fault; the code of the first.
ExitCode failAll(const SimOptions& options, const sim::LaunchResult& run) {
  const ExitCode code = run.fault ? run.fault->code : ExitCode::Done;
  bool wasStopped = false;
  for (const sim::FaultReport& fault : run.faults) {
    std::string report = fault.text;
    while (!report.empty() && report.back() == '\n') report.pop_back();
    if (seedOf(options) != 0) report += fmt::format("\n  with --seed {}", seedOf(options));
    const bool stopped =
        interrupted.load(std::memory_order_relaxed) && fault.code == ExitCode::Limit;
    if (stopped) report = "interrupted: " + report.substr(report.find(": ") + 2);
    fail(fault.code, report);
    wasStopped = wasStopped || stopped;
  }
  if (run.unlisted != 0) {
    fail(code, fmt::format("and {} faults at other places", run.unlisted));
  }
  if (wasStopped) {
    // The signal that was asked for ends the program, so that whoever waits for it knows.
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
  return code;
}

/// Reports what could not run, or not be saved; with --json as an object too, so that whoever reads
/// standard output always finds one.
ExitCode refuse(const SimOptions& options, ExitCode code, const std::string& message) {
  if (options.json) {
    const nlohmann::ordered_json out{{"ok", false},
                                     {"error", message},
                                     {"code", asInt(code)},
                                     {"faults", nlohmann::ordered_json::array()},
                                     {"counters", nlohmann::ordered_json::object()}};
    finish(out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }
  return fail(code, message);
}

/// The files that a run needs, and what it did.
struct Run {
  std::string ptx;
  SimLaunch launch;  ///< behind the run: with what it wrote
  sim::LaunchResult result;
  double seconds = 0;
};

/// Reads the files. Not Done: an error, which has been printed.
ExitCode readRun(const SimOptions& options, Run& run) {
  auto ptx = readText(options.ptx);
  if (!ptx.ok()) return refuse(options, ExitCode::Usage, ptx.error().text());
  auto launch = readLaunch(options.launch);
  if (!launch.ok()) return refuse(options, ExitCode::Usage, launch.error().text());
  run.ptx = std::move(ptx.value());
  run.launch = std::move(launch.value());
  return ExitCode::Done;
}

/// Not Done: an error, which has been printed. A fault is none.
ExitCode launchOnce(const SimOptions& options, Run& run) {
  const auto before = std::signal(SIGINT, onInterrupt);
  if (before == SIG_IGN) std::signal(SIGINT, SIG_IGN);  // in the background nothing stops it
  const auto start = std::chrono::steady_clock::now();
  ExitCode code = ExitCode::Usage;
  auto result = simulate(options, run.launch, run.ptx, code);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::signal(SIGINT, before);
  if (!result.ok()) {
    const bool noMemory = result.error().kind() == ErrorKind::Device;
    return refuse(options, noMemory ? ExitCode::Limit : code, result.error().text());
  }
  run.result = std::move(result.value());
  return ExitCode::Done;
}

/// Saves and prints what a run did.
ExitCode finishRun(const SimOptions& options, const Run& run) {
  if (options.quit) return ExitCode::Done;
  if (!options.html.empty() && run.result.profile) {
    const Status written = writeFile(
        options.html, sim::profilePage(run.launch.kernel + " on " + options.device,
                                       {{"", sim::profileHtml(*run.result.profile, run.ptx)}}));
    if (!written.ok()) return refuse(options, ExitCode::Usage, written.error().text());
  }
  const std::string text = options.json ? runJson(options, run.launch, run.result, run.seconds)
                                        : runText(options, run.result, run.ptx);
  if (run.result.fault) {
    if (!text.empty()) finish(text);
    return failAll(options, run.result);
  }
  for (const SimArgument& argument : run.launch.arguments) {
    if (!argument.output) continue;
    const Status written = writeNpy(*argument.output, argument.array);
    if (!written.ok()) return refuse(options, ExitCode::Usage, written.error().text());
  }
  const ExitCode done = finish(text);
  if (done == ExitCode::Done && !options.json) {
    std::fputs(printable(summary(options, run.launch, run.result) + "\n").c_str(), stderr);
  }
  return done;
}

ExitCode runOnce(const SimOptions& options) {
  Run run;
  ExitCode code = readRun(options, run);
  if (code == ExitCode::Done) code = launchOnce(options, run);
  return code == ExitCode::Done ? finishRun(options, run) : code;
}

/// The outputs of the run are those of the other.
Status compareRuns(const Run& first, const Run& other, std::uint64_t from, std::uint64_t seed) {
  for (std::size_t i = 0; i < first.launch.arguments.size(); ++i) {
    const auto& output = first.launch.arguments[i].output;
    if (!output) continue;
    const auto& left = first.launch.arguments[i].array.data;
    const auto [a, b] = std::ranges::mismatch(left, other.launch.arguments[i].array.data);
    if (a == left.end()) continue;
    return userError(
        fmt::format("output {} differs between --seed {} and --seed {}, first at byte {} of its "
                    "data: it depends on the order of blocks and warps",
                    output->string(), from, seed, a - left.begin()));
  }
  return Success{};
}

/// A run for each seed. The first that has a fault, or writes something else than the first one, is
/// the last; outputs are saved where all agree.
ExitCode runSeeds(SimOptions options, std::uint64_t from, std::uint64_t to) {
  Run files;
  if (const ExitCode code = readRun(options, files); code != ExitCode::Done) return code;
  Run first;
  for (std::uint64_t seed = from;; ++seed) {
    options.seed = seed;
    Run run = files;
    if (const ExitCode code = launchOnce(options, run); code != ExitCode::Done) return code;
    if (run.result.fault) return finishRun(options, run);
    if (seed == from) first = run;
    const Status same = compareRuns(first, run, from, seed);
    if (!same.ok()) return refuse(options, ExitCode::WrongResult, same.error().text());
    if (seed == to) return finishRun(options, run);
  }
}

}  // namespace

ExitCode runSim(const SimOptions& options) {
  if (options.seeds.empty()) return runOnce(options);
  const std::string_view text = options.seeds;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  const char* const begin = options.seeds.c_str();
  const char* const end = begin + text.size();
  const auto first = std::from_chars(begin, end, from);
  const bool dash = first.ec == std::errc() && first.ptr != end && *first.ptr == '-';
  const auto last = std::from_chars(dash ? first.ptr + 1 : end, end, to);
  if (!dash || last.ec != std::errc() || last.ptr != end || to < from) {
    return refuse(options, ExitCode::Usage,
                  fmt::format("--seeds {}: expected two numbers, as 0-9, the first not above the "
                              "second",
                              text));
  }
  return runSeeds(options, from, to);
}

void addLaunchOptions(CLI::App& command, SimOptions& options) {
  command.add_option("PTX", options.ptx, "The module's text")->required();
  command.add_option("LAUNCH", options.launch, "The launch, as JSON")->required();
  command.add_option("--device", options.device, "sim:TARGET")->capture_default_str();
  command
      .add_option("--check", options.checks, "What to check: some of memory, race, sync and init")
      ->type_name("LIST")
      ->capture_default_str();
  command.add_flag_callback(
      "--no-check", [&options] { options.check = false; }, "Run without checks");
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
  sim->add_flag("--json", options->json, "Print counters, and the faults, as JSON");
  sim->add_flag("--stop-at-first", options->stopAtFirst, "End the run with its first fault");
  CLI::Option* seed =
      sim->add_option("--seed", options->seed, "Order of blocks and warps; 0: as they are numbered")
          ->type_name("N");
  sim->add_option("--seeds", options->seeds,
                  "Run once for each seed from A to B; the results must be the same")
      ->type_name("A-B")
      ->excludes(seed);
  sim->add_flag("--profile", options->profile,
                "Count by instruction: lanes, sectors, bank conflicts");
  sim->add_option("--threads", options->threads,
                  "Host threads for independent blocks; else CUTWORK_SIM_THREADS")
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

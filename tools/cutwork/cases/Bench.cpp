// Bench.cpp -- `cutwork bench`: how long a case takes, and against what.
#include "cutwork/Cases/Bench.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "../SimCounters.h"
#include "CaseCommands.h"
#include "cutwork/Cases/Verify.h"

namespace cutwork::tool {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kBenchHelp = R"(
On a GPU: warm-up, then single runs between events, each after the L2 cache has been overwritten, in
turn with runs of what --vs names: a copy on the device that moves the same bytes, or another case
of the same shape. On a simulated device: one run, the host's time and what was counted.

A Python file with kernel_fn, reference_fn and get_inputs is timed in the same way:
`cutwork bench kernel.py`, `cutwork bench kernel.py --help`.

Example:
  cutwork bench relu --shape 16384x16384 --vs copy)";

struct BenchCommand {
  CaseOptions of;
  BenchOptions options;
  std::string versus = "copy";
  bool json = false;
};

std::string timeText(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.3f} ms", seconds * 1e3) : fmt::format("{:.3f} s", seconds);
}

double perSecond(double amount, const Timing& timing) { return amount / timing.median; }

Json timingJson(const Timing& t) {
  return {
      {"runs", t.runs}, {"median", t.median}, {"p10", t.low}, {"p90", t.high}, {"least", t.least}};
}

std::string jsonText(const BenchCommand& command, const Device& device, const BenchReport& r) {
  const bool simulated = r.counters.has_value();
  Json all{{"case", command.of.name},        {"device", device.name()}, {"shape", r.shape},
           {"simulated", simulated},         {"bytes", r.bytes},        {"flops", r.flops},
           {"seconds", timingJson(r.timing)}};
  if (simulated) {
    all["counters"] = countersJson(*r.counters);
  } else {
    all["bytes_per_second"] = perSecond(r.bytes, r.timing);
    if (r.flops > 0) all["flops_per_second"] = perSecond(r.flops, r.timing);
  }
  if (r.versus) {
    all["versus"] = {{"what", command.versus},
                     {"bytes", r.versusBytes},
                     {"seconds", timingJson(*r.versus)},
                     {"speedup", r.versus->median / r.timing.median}};
  }
  return all.dump() + "\n";
}

std::string simulatedText(const BenchReport& r, const sim::Counters& c) {
  std::string text = "  simulated: not a GPU time\n";
  text += fmt::format("  host time          {}\n", timeText(r.timing.median));
  text += fmt::format("  blocks             {}\n", c.blocks);
  text += fmt::format("  warp instructions  {}\n", c.warpInstructions);
  text += fmt::format("  lane instructions  {} ({:.3g} a second)\n", c.laneInstructions,
                      perSecond(static_cast<double>(c.laneInstructions), r.timing));
  text += fmt::format("  global memory      {} bytes loaded, {} stored\n", c.globalBytesLoaded,
                      c.globalBytesStored);
  text += fmt::format("  global accesses    {} loads, {} stores (of warps)\n", c.globalLoads,
                      c.globalStores);
  text += fmt::format("  shared accesses    {} loads, {} stores\n", c.sharedLoads, c.sharedStores);
  return text + fmt::format("  barriers           {}\n", c.barriers);
}

std::string realText(const BenchCommand& command, const BenchReport& r) {
  std::string text =
      fmt::format("  time   {} median of {} runs; {} to {} in 8 of 10, {} the least\n",
                  timeText(r.timing.median), r.timing.runs, timeText(r.timing.low),
                  timeText(r.timing.high), timeText(r.timing.least));
  text += fmt::format("  moves  {:.4g} MB, {:.1f} GB/s\n", r.bytes * 1e-6,
                      perSecond(r.bytes, r.timing) * 1e-9);
  if (r.flops > 0) {
    text += fmt::format("  does   {:.4g} GFLOP, {:.1f} GFLOP/s\n", r.flops * 1e-9,
                        perSecond(r.flops, r.timing) * 1e-9);
  }
  if (!r.versus) return text;
  return text + fmt::format("  {}: {}, {:.1f} GB/s; {} has {:.3f} of its speed\n",
                            command.versus == "copy" ? "a copy of the same bytes" : command.versus,
                            timeText(r.versus->median), perSecond(r.versusBytes, *r.versus) * 1e-9,
                            command.of.name, r.versus->median / r.timing.median);
}

ExitCode bench(const BenchCommand& command, const Case& which, const Device& device,
               const CaseShape& shape) {
  const StoppableRun run(command.of.maxInstructions);
  Progress progress;
  progress.say(fmt::format("{} {} ...", which.name, shapeText(shape)));
  const auto report = benchCase(which, shape, device, command.options);
  progress.clear();
  if (!report.ok()) {
    const ExitCode code = fail(exitCodeOf(report.error(), device), report.error().text());
    StoppableRun::endIfInterrupted();
    return code;
  }
  if (command.json) return finish(jsonText(command, device, *report));
  return finish(
      fmt::format("{} {} on {} ({})\n", which.name, shapeText(shape), device.name(),
                  device.properties().card) +
      (report->counters ? simulatedText(*report, *report->counters) : realText(command, *report)));
}

Status readVersus(BenchCommand& command) {
  command.options.versus = command.versus == "copy"   ? BenchOptions::Versus::Copy
                           : command.versus == "none" ? BenchOptions::Versus::Nothing
                                                      : BenchOptions::Versus::Case;
  if (command.options.versus != BenchOptions::Versus::Case) return Success{};
  auto other = findCase(command.versus);
  if (!other.ok()) return std::move(other).takeError().within("--vs is copy, none or a case: ");
  command.options.other = *other;
  return Success{};
}

ExitCode runBench(BenchCommand& command) {
  const auto which = findCase(command.of.name);
  if (!which.ok()) return fail(ExitCode::Usage, which.error().text());
  const auto shape = shapeOf(command.of, **which);
  if (!shape.ok()) return fail(ExitCode::Usage, shape.error().text());
  if (const auto read = readVersus(command); !read.ok()) {
    return fail(ExitCode::Usage, read.error().text());
  }
  const auto device = deviceOf(command.of);
  if (!device.ok()) return fail(ExitCode::Usage, device.error().text());
  command.options.seed = command.of.seed;
  return bench(command, **which, *device, shape->value_or((*which)->shape));
}

}  // namespace

void addBenchCommand(CLI::App& app, Invocation& invocation) {
  auto command = std::make_shared<BenchCommand>();
  CLI::App* bench = app.add_subcommand("bench", "Time a case, against a copy of the same bytes");
  addCaseName(*bench, command->of);
  addDevice(*bench, command->of);
  addShape(*bench, command->of);
  addSeed(*bench, command->of);
  addMaxInstructions(*bench, command->of);
  bench->add_option("--iterations", command->options.iterations, "Timed runs; else about 0.5 s")
      ->check(CLI::Range(1, 1'000'000));
  bench->add_option("--vs", command->versus, "copy, none, or another case")->capture_default_str();
  bench->add_flag("--json", command->json, "Print the figures as JSON; times in seconds");
  bench->footer(kBenchHelp);
  bench->callback([command, &invocation] {
    invocation.run = [command, &invocation] {
      command->json = command->json || invocation.json;
      return runBench(*command);
    };
  });
}

}  // namespace cutwork::tool

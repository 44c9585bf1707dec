// Verify.cpp -- `cutwork verify`: a case is run and compared with the exact values.
#include "cutwork/Cases/Verify.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "../Output.h"
#include "../SimProfile.h"
#include "CaseCommands.h"
#include "cutwork/Simulator/ProfileText.h"
#include "cutwork/Simulator/Runs.h"

namespace cutwork::tool {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVerifyHelp = R"(
The outputs hold poison before each run, so that an element that is not written is noticed. An
element is right if |it - exact| <= atol + rtol * |exact|. Without --shape the case's own shape and
its odd ones are run. --counters prints, for each shape, what each kernel did: totals, instructions
by class, and a listing of the source with lanes, sectors and bank conflicts; --html writes them to
a page instead. Exit code 1: something is wrong.

kernel_fn, reference_fn and get_inputs in a Python file are verified in the same way:
`cutwork verify kernel.py`, `cutwork verify kernel.py --help`.

Example:
  cutwork verify relu --device sim:sm_90a --shape 48x768)";

struct VerifyCommand {
  CaseOptions of;
  std::optional<double> rtol;
  std::optional<double> atol;
  std::string against;
  bool counters = false;
  std::string html;  ///< the page that the counters go to; empty: none
  bool json = false;
};

// JSON has no NaN and no infinity.
Json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json elementJson(const WrongElement& w) {
  return {{"at", w.coordinate},
          {"got", number(w.got)},
          {"expected", number(w.expected)},
          {"absolute", number(w.absolute)},
          {"relative", number(w.relative)},
          {"unwritten", w.unwritten}};
}

Json outputJson(const OutputReport& o) {
  Json worst = Json::array();
  for (const WrongElement& w : o.worst) worst.push_back(elementJson(w));
  return {{"name", o.name},
          {"type", cute::name(o.type)},
          {"shape", o.shape},
          {"elements", o.elements},
          {"wrong", o.wrong},
          {"nan", o.nan},
          {"unwritten", o.unwritten},
          {"max_absolute", o.maxAbsolute},
          {"max_relative", o.maxRelative},
          {"guard_bytes", o.guardBytes},
          {"differing_bits", o.differing ? Json(*o.differing) : Json()},
          {"worst", std::move(worst)}};
}

/// While it lives, launches on simulated devices are counted by instruction.
class Profiling {
 public:
  explicit Profiling(bool on) { profileSimulatedRuns(on); }
  ~Profiling() { profileSimulatedRuns(false); }
  Profiling(const Profiling&) = delete;
  Profiling& operator=(const Profiling&) = delete;
};

/// What the kernels of a shape did, for people, for a page, and for programs.
struct ShapeCounters {
  std::string text;
  std::string html;
  Json json = Json::array();
};

ShapeCounters takeCounters(const Device& device) {
  ShapeCounters result;
  const auto runs = takeSimulatedRuns(device);
  if (!runs) return result;
  for (const ProfiledKernel& one : runs->profiles) {
    result.text += sim::profileText(one.profile, one.ptx) + "\n";
    result.html += sim::profileHtml(one.profile, one.ptx);
    Json row{{"kernel", one.profile.kernel}, {"launches", one.launches}};
    row.update(profileJson(one.profile));
    result.json.push_back(std::move(row));
  }
  return result;
}

Json shapeJson(const ShapeReport& report) {
  Json outputs = Json::array();
  for (const OutputReport& o : report.outputs) outputs.push_back(outputJson(o));
  return {{"shape", report.shape},
          {"passed", report.passed()},
          {"outputs", std::move(outputs)},
          {"changed_inputs", report.changedInputs}};
}

std::string jsonText(const Case& which, const Device& device, const VerifyOptions& options,
                     const VerifyReport& report, const std::vector<Json>& counters) {
  Json shapes = Json::array();
  for (std::size_t i = 0; i < report.shapes.size(); ++i) {
    shapes.push_back(shapeJson(report.shapes[i]));
    if (i < counters.size()) shapes.back()["counters"] = counters[i];
  }
  Json all{{"case", which.name},
           {"device", device.name()},
           {"rtol", options.rtol.value_or(which.rtol)},
           {"atol", options.atol.value_or(which.atol)},
           {"seed", options.seed},
           {"passed", report.code == ExitCode::Done},
           {"shapes", std::move(shapes)}};
  if (report.error) all["error"] = report.error->text();
  return all.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

ExitCode verify(const Case& which, const std::vector<CaseShape>& shapes, const Device& device,
                const VerifyCommand& command, std::optional<Device> against) {
  VerifyOptions options;
  options.against = std::move(against);
  options.rtol = command.rtol;
  options.atol = command.atol;
  options.seed = command.of.seed;
  std::string text =
      fmt::format("{} on {}, rtol {:g}, atol {:g}\n", which.name, device.name(),
                  options.rtol.value_or(which.rtol), options.atol.value_or(which.atol));
  VerifyReport report;
  std::vector<Json> counters;
  std::vector<sim::PageSection> page;
  const StoppableRun run(command.of.maxInstructions);
  const Profiling profiling(command.counters);
  {
    Progress progress;
    report = verifyCase(
        which, shapes, device, options,
        [&](const CaseShape& shape) {
          progress.say(fmt::format("{} {} ...", which.name, shapeText(shape)));
        },
        [&](const ShapeReport& one) {
          text += reportText(one);
          if (!command.counters) return;
          ShapeCounters counted = takeCounters(device);
          if (command.html.empty()) text += "\n" + counted.text;
          page.emplace_back(
              fmt::format("{}: {}", shapeText(one.shape), one.passed() ? "right" : "WRONG"),
              std::move(counted.html));
          counters.push_back(std::move(counted.json));
        });
  }
  // A run that ends early leaves a page with the shapes that came before.
  Status written = Success{};
  if (!page.empty() && !command.html.empty()) {
    written = writeFile(command.html, sim::profilePage(which.name + " on " + device.name(), page));
    if (written.ok()) text += "wrote " + command.html + "\n";
  }
  if (!report.error) text += report.code == ExitCode::Done ? "passed\n" : "FAILED\n";
  const ExitCode printed =
      finish(command.json ? jsonText(which, device, options, report, counters) : text, report.code);
  if (!written.ok() && !report.error) return fail(ExitCode::Usage, written.error().text());
  if (!report.error) return printed;
  if (!written.ok()) fail(ExitCode::Usage, written.error().text());
  fail(report.code, report.error->text());
  StoppableRun::endIfInterrupted();
  return report.code;
}

ExitCode runVerify(const VerifyCommand& command) {
  const auto which = findCase(command.of.name);
  if (!which.ok()) return fail(ExitCode::Usage, which.error().text());
  const auto shape = shapeOf(command.of, **which);
  if (!shape.ok()) return fail(ExitCode::Usage, shape.error().text());
  const auto device = deviceOf(command.of);
  if (!device.ok()) return fail(ExitCode::Usage, device.error().text());
  if (command.counters && !device->properties().simulated) {
    return fail(ExitCode::Usage,
                fmt::format("{}: {} is a GPU; counts are of simulated devices, as with --device "
                            "sim:sm_90a",
                            command.html.empty() ? "--counters" : "--html", device->name()));
  }
  std::optional<Device> against;
  if (!command.against.empty()) {
    auto other = Device::open(command.against);
    if (!other.ok()) return fail(ExitCode::Usage, other.error().text());
    against = *std::move(other);
  }
  const std::vector<CaseShape> shapes =
      *shape ? std::vector<CaseShape>{**shape} : shapesOf(**which);
  return verify(**which, shapes, *device, command, std::move(against));
}

}  // namespace

void addVerifyCommand(CLI::App& app, Invocation& invocation) {
  auto command = std::make_shared<VerifyCommand>();
  CLI::App* verify = app.add_subcommand("verify", "Run a case and compare it with exact values");
  addCaseName(*verify, command->of);
  addDevice(*verify, command->of);
  addShape(*verify, command->of);
  addSeed(*verify, command->of);
  addMaxInstructions(*verify, command->of);
  verify->add_option("--rtol", command->rtol, "Relative tolerance; else the case's")
      ->check(tolerance());
  verify->add_option("--atol", command->atol, "Absolute tolerance; else the case's")
      ->check(tolerance());
  verify->add_option("--against", command->against,
                     "Another device, whose outputs must have the same bits");
  verify->add_flag("--counters", command->counters,
                   "On a simulated device, print what each line of the kernel did");
  verify->add_option("--html", command->html, "Write what --counters prints to a page instead")
      ->type_name("FILE")
      ->check(notEmpty());
  verify->add_flag("--json", command->json, "Print the statistics as JSON");
  verify->footer(kVerifyHelp);
  verify->callback([command, &invocation] {
    invocation.run = [command, &invocation] {
      command->json = command->json || invocation.json;
      command->counters = command->counters || !command->html.empty();
      return runVerify(*command);
    };
  });
}

}  // namespace cutwork::tool

// Main.cpp -- the main function of a program that verifies its cases.
#include "cutwork/Cases/Main.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "cutwork/Cases/Verify.h"
#include "cutwork/Simulator/Register.h"

namespace cutwork {

namespace {

struct Options {
  std::string device;
  std::optional<CaseShape> shape;
  VerifyOptions verify;
  bool help = false;
};

int fail(ExitCode code, const std::string& message) {
  fmt::print(stderr, "error: {}\n", message);
  return asInt(code);
}

Expected<Options> readOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--help" || name == "-h") return options.help = true, options;
    if (name != "--device" && name != "--shape" && name != "--seed") {
      return userError(fmt::format("'{}' is no option: --device, --shape and --seed are", name));
    }
    if (i + 1 == argc) return userError(fmt::format("{} expects a value", name));
    const std::string_view value = argv[i + 1];
    if (name == "--device") {
      options.device = value;
    } else if (name == "--shape") {
      CW_TRY(options.shape, parseShape(value));
    } else {
      const auto [end, failed] =
          std::from_chars(value.data(), value.data() + value.size(), options.verify.seed);
      if (failed != std::errc() || end != value.data() + value.size()) {
        return userError(fmt::format("--seed: '{}' is no number from 0 on", value));
      }
    }
  }
  return options;
}

Expected<Device> deviceOf(const Options& options) {
  registerSimulatedDevices();
  return options.device.empty() ? Device::best() : Device::open(options.device);
}

int verify(const Case& which, const Options& options, const Device& device) {
  fmt::print("{} on {}\n", which.name, device.name());
  const std::vector<CaseShape> shapes =
      options.shape ? std::vector<CaseShape>{*options.shape} : shapesOf(which);
  const VerifyReport report = verifyCase(
      which, shapes, device, options.verify, [](const CaseShape&) {},
      [](const ShapeReport& one) { fmt::print("{}", reportText(one)); });
  if (report.error) return fail(report.code, report.error->text());
  fmt::print("{}\n", report.code == ExitCode::Done ? "passed" : "FAILED");
  return asInt(report.code);
}

int verifyAll(const std::vector<const Case*>& cases, const Options& options) {
  const Expected<Device> device = deviceOf(options);
  if (!device.ok()) return fail(ExitCode::Usage, device.error().text());
  int worst = 0;
  for (const Case* which : cases) worst = std::max(worst, verify(*which, options, *device));
  return worst;
}

void printHelp(const std::vector<const Case*>& cases, const char* program) {
  for (const Case* which : cases) {
    fmt::print("{}: {} ({})\n", which->name, which->description, which->extents);
  }
  fmt::print("Usage: {} [--device NAME] [--shape SHAPE] [--seed N]\n", program);
}

}  // namespace

int caseMain(int argc, char** argv) {
  const Expected<Options> options = readOptions(argc, argv);
  if (!options.ok()) return fail(ExitCode::Usage, options.error().text());
  const auto cases = allCases();
  if (!cases.ok()) return fail(ExitCode::Internal, cases.error().text());
  if (options->help) return printHelp(*cases, argv[0]), 0;
  try {
    return verifyAll(*cases, *options);
  } catch (const Exception& thrown) {  // knobs that are not accepted
    return fail(ExitCode::Usage, thrown.what());
  }
}

}  // namespace cutwork

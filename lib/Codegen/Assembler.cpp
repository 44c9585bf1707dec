// Assembler.cpp -- which tool assembles a PTX, in which order, and what the log says of it.
#include "cutwork/Codegen/Assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "AssemblerParts.h"
#include "cutwork/Support/Log.h"

namespace cutwork {

namespace assembler {

namespace {

Outcome runDriver(const std::string& ptx, const AssembleOptions& options) {
  if (!options.driver) return Unusable{"the driver: there is no CUDA device"};
  if (!options.ptxasOptions.empty()) return Unusable{"the driver: it takes no options of ptxas"};
  Expected<DriverCubin> made = options.driver(ptx);
  if (made.ok()) return Done{std::move(made->cubin), std::move(made->log), "the CUDA driver"};
  if (made.error().kind() == ErrorKind::User) {
    return Refused{made.error().message(), "the CUDA driver"};
  }
  return Unusable{"the driver: " + made.error().message()};
}

/// No cubin: the driver is to assemble the PTX when the module is loaded. It then honours
/// setmaxnreg, which it ignores, as nvJitLink does, where it is asked for a cubin (seen with 13.0).
Outcome leaveToDriver(const AssembleOptions& options) {
  if (!options.driver) return Unusable{"the driver: there is no CUDA device"};
  if (!options.ptxasOptions.empty()) return Unusable{"the driver: it takes no options of ptxas"};
  return Done{{}, {}, "the CUDA driver, when it is loaded"};
}

using Tool = std::function<Outcome()>;

std::vector<Tool> toolsFor(const std::string& ptx, const Target& target,
                           const AssembleOptions& options) {
  Tool nvJitLink = [&] { return runNvJitLink(ptx, target, options); };
  Tool ptxas = [&] { return runPtxas(ptx, target, options); };
  Tool driver = [&] { return runDriver(ptx, options); };
  if (ptx.find("setmaxnreg") != std::string::npos) {
    return {ptxas, [&] { return leaveToDriver(options); }, nvJitLink};
  }
  return {nvJitLink, ptxas, driver};
}

}  // namespace
}  // namespace assembler

Expected<Assembled> assemble(const std::string& ptx, const Target& target,
                             const AssembleOptions& options) {
  using namespace assembler;  // NOLINT(google-build-using-namespace)
  if (options.optimizationLevel < 0 || options.optimizationLevel > 3) {
    return userError(
        fmt::format("an optimization level of {}: allowed are 0 to 3", options.optimizationLevel));
  }
  if (ptx.find(".version") == std::string::npos) {
    return userError("this text is no PTX: it has no .version");
  }
  std::string tried;
  for (const Tool& tool : toolsFor(ptx, target, options)) {
    const auto start = std::chrono::steady_clock::now();
    Outcome outcome = tool();
    if (auto* done = std::get_if<Done>(&outcome)) {
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - start;
      CW_LOG(Info, fmt::format("assemble {:.1f} ms by {}", took.count(), done->tool));
      Assembled assembled;
      assembled.cubin = std::move(done->cubin);
      assembled.assembler = std::move(done->tool);
      assembled.log = std::move(done->log);
      readLog(ptx, assembled.log, assembled);
      return assembled;
    }
    if (const auto* refused = std::get_if<Refused>(&outcome)) {
      if (!isTooOld(refused->log)) return refusal(ptx, *refused);
      tried += fmt::format("\n  {}: {}", refused->tool, refusal(ptx, *refused).message());
    } else {
      tried += "\n  " + std::get<Unusable>(outcome).reason;
    }
    CW_LOG(Debug, fmt::format("assembler not used: {}", tried.substr(tried.rfind("\n  ") + 3)));
  }
  return userError(
      fmt::format("no assembler for this PTX of {} was found; tried:{}\nInstall the Python "
                  "packages nvidia-nvjitlink and nvidia-cuda-nvcc, or set "
                  "CUTWORK_NVJITLINK or CUTWORK_PTXAS",
                  target.name(), tried));
}

Expected<std::vector<std::string>> ptxasOptions(const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 16> kOurs = {
      "-arch",      "--gpu-name", "-o",        "--output-file",    "-c",    "--compile-only",
      "-h",         "--help",     "-V",        "--version",        "-optf", "--options-file",
      "--gpu-code", "-m",         "--machine", "--input-as-string"};
  std::vector<std::string> options;
  for (const std::string& word : words) {
    if (!word.starts_with('-')) {
      if (options.empty() || options.back().find('=') != std::string::npos) {
        return userError(fmt::format("options of ptxas: '{}' is no option and no value", word));
      }
      options.back() += "=" + word;
      continue;
    }
    if (std::ranges::find(kOurs, word.substr(0, word.find('='))) != kOurs.end()) {
      return userError(fmt::format("options of ptxas: {} is set by Cutwork", word));
    }
    options.push_back(word);
  }
  return options;
}

std::vector<AssemblerTool> assemblerTools(const AssembleOptions& options) {
  return {assembler::findNvJitLink(options), assembler::findPtxas(options)};
}

}  // namespace cutwork

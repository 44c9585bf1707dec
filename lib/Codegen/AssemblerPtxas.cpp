// AssemblerPtxas.cpp -- assembling with the ptxas program.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>

#include "AssemblerParts.h"
#include "AssemblerProcess.h"

namespace cutwork::assembler {

namespace {

/// What a program says of itself: whether it runs, and its release (`13.0`).
struct Version {
  bool runs = false;
  std::string release;
};

/// Asked once per program.
Version versionOf(const std::string& program) {
  static auto* const mutex = new std::mutex;
  static auto* const known = new std::map<std::string, Version>;
  {
    const std::lock_guard lock(*mutex);
    if (const auto found = known->find(program); found != known->end()) return found->second;
  }
  const ScopedFolder folder;
  Version version;
  if (!folder.path().empty() && spawn({program, "--version"}, folder.path() / "log").status == 0) {
    version.runs = true;
    const std::string text = contents(folder.path() / "log");
    constexpr std::string_view kMark = "release ";
    if (const std::size_t at = text.find(kMark); at != std::string::npos) {
      const std::size_t begin = at + kMark.size();
      version.release = text.substr(begin, text.find_first_of(",\n", begin) - begin);
    }
  }
  const std::lock_guard lock(*mutex);
  return known->emplace(program, std::move(version)).first->second;
}

/// `ptxas 13.0 (path)`.
std::string nameOf(const std::string& program) {
  const Version version = versionOf(program);
  return fmt::format("ptxas{}{} ({})", version.release.empty() ? "" : " ", version.release,
                     program);
}

/// The file that PATH gives for a program, or its name.
std::string fileOf(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const ScopedFolder folder;
  const std::filesystem::path log = folder.path() / "log";
  if (folder.path().empty() || spawn({"sh", "-c", "command -v \"$0\"", program}, log).status != 0) {
    return program;
  }
  std::string found = contents(log);
  while (found.ends_with('\n')) found.pop_back();
  return found;
}

std::vector<std::string> commandFor(const std::string& program, const Target& target,
                                    const AssembleOptions& options,
                                    const std::filesystem::path& folder) {
  std::vector<std::string> command = {program, "-arch=" + target.name(), "-v",
                                      fmt::format("-O{}", options.optimizationLevel)};
  if (options.lineInfo) command.emplace_back("-lineinfo");
  if (options.maxRegisters > 0) {
    command.push_back(fmt::format("-maxrregcount={}", options.maxRegisters));
  }
  command.insert(command.end(), options.ptxasOptions.begin(), options.ptxasOptions.end());
  command.insert(command.end(), {folder / "input.ptx", "-o", folder / "output.cubin"});
  return command;
}

Outcome run(const std::string& program, const std::string& ptx, const Target& target,
            const AssembleOptions& options) {
  const ScopedFolder folder;
  if (folder.path().empty()) {
    return Unusable{fmt::format("ptxas: no temporary folder: {}", std::strerror(errno))};
  }
  std::ofstream(folder.path() / "input.ptx", std::ios::binary) << ptx;
  const Exit exit =
      spawn(commandFor(program, target, options, folder.path()), folder.path() / "log");
  if (exit.error != 0) {
    return Unusable{fmt::format("ptxas: {}: {}", program, std::strerror(exit.error))};
  }
  const std::string log = contents(folder.path() / "log");
  if (exit.status != 0) {
    // Without a word of its own it did not get as far as the PTX.
    if (log.find("error") == std::string::npos && log.find("fatal") == std::string::npos) {
      return Unusable{fmt::format("ptxas: {}: exit status {}{}", program, exit.status,
                                  log.empty() ? "" : ": " + log.substr(0, 500))};
    }
    return Refused{log, nameOf(program)};
  }
  const std::string cubin = contents(folder.path() / "output.cubin");
  if (cubin.empty()) return Unusable{fmt::format("ptxas: {}: wrote no cubin", program)};
  const auto* bytes = reinterpret_cast<const std::byte*>(cubin.data());
  return Done{{bytes, bytes + cubin.size()}, log, nameOf(program)};
}

}  // namespace

Outcome runPtxas(const std::string& ptx, const Target& target, const AssembleOptions& options) {
  const std::vector<std::string> names = ptxasNames(options);
  if (names.empty()) return Unusable{"ptxas: CUTWORK_PTXAS=none"};
  std::string reasons;
  for (const std::string& name : names) {
    Outcome outcome = run(name, ptx, target, options);
    const auto* unusable = std::get_if<Unusable>(&outcome);
    if (unusable == nullptr) return outcome;
    reasons += (reasons.empty() ? "" : "; ") + unusable->reason;
  }
  return Unusable{reasons};
}

AssemblerTool findPtxas(const AssembleOptions& options) {
  const std::vector<std::string> names = ptxasNames(options);
  if (names.empty()) return {"ptxas", {}, {}, "CUTWORK_PTXAS=none"};
  std::string reasons;
  for (const std::string& name : names) {
    const Version version = versionOf(name);
    if (version.runs) return {"ptxas", version.release, fileOf(name), {}};
    reasons +=
        fmt::format("{}{}: it is not there, or does not run", reasons.empty() ? "" : "; ", name);
  }
  return {"ptxas", {}, {}, std::move(reasons)};
}

}  // namespace cutwork::assembler

// Knobs.cpp -- the table of environment variables, reading them, and what they say together.
#include "cutwork/Support/Knobs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "cutwork/Support/Log.h"

namespace cutwork {
namespace {

template <class T>
struct Name {
  std::string_view text;
  T value;
};
constexpr std::array kLogLevels = {
    Name{"error", LogLevel::Error}, Name{"warn", LogLevel::Warn},   Name{"info", LogLevel::Info},
    Name{"debug", LogLevel::Debug}, Name{"trace", LogLevel::Trace},
};
constexpr std::array kColorModes = {
    Name{"auto", ColorMode::Auto},
    Name{"always", ColorMode::Always},
    Name{"never", ColorMode::Never},
};

template <class Names, class T>
bool lookUp(const Names& names, std::string_view text, T& value) {
  for (const auto& name : names) {
    if (name.text == text) {
      value = name.value;
      return true;
    }
  }
  return false;
}

bool setLog(Knobs& knobs, std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    knobs.logFile = text.substr(colon + 1);
    if (knobs.logFile.empty()) return false;
  }
  return lookUp(kLogLevels, text.substr(0, colon), knobs.logLevel);
}

bool setColor(Knobs& knobs, std::string_view text) {
  return lookUp(kColorModes, text, knobs.color);
}

bool setNoColor(Knobs& knobs, std::string_view) {
  knobs.color = ColorMode::Never;
  return true;
}

template <std::string Knobs::* Field>
bool setText(Knobs& knobs, std::string_view text) {
  knobs.*Field = text;
  return true;
}

template <bool Knobs::* Field>
bool setFlag(Knobs& knobs, std::string_view text) {
  for (const std::string_view yes : {"1", "true", "yes", "on"}) {
    if (text == yes) return knobs.*Field = true, true;
  }
  for (const std::string_view no : {"0", "false", "no", "off"}) {
    if (text == no) return knobs.*Field = false, true;
  }
  return false;
}

template <std::uint64_t Knobs::* Field>
bool setCount(Knobs& knobs, std::string_view text) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), knobs.*Field);
  return error == std::errc() && end == text.data() + text.size() && knobs.*Field > 0;
}

// 512M, 2G, or bytes.
template <std::uint64_t Knobs::* Field>
bool setSize(Knobs& knobs, std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  if (unit != std::string_view::npos) text.remove_suffix(1);
  if (!setCount<Field>(knobs, text)) return false;
  for (std::size_t i = 0; unit != std::string_view::npos && i <= unit; ++i) {
    if (knobs.*Field > std::numeric_limits<std::uint64_t>::max() / 1024) return false;
    knobs.*Field *= 1024;
  }
  return true;
}

bool setKeep(Knobs& knobs, std::string_view text) {
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    const bool all = word == "all";
    if (!all && word != "ir" && word != "ptx" && word != "cubin") return false;
    knobs.keepIr |= all || word == "ir";
    knobs.keepPtx |= all || word == "ptx";
    knobs.keepCubin |= all || word == "cubin";
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

/// A row of the table: the variable, and what puts its value into Knobs (false: not accepted).
struct Row {
  Knob knob;
  bool (*set)(Knobs& knobs, std::string_view text);
};

// Read in this order, so that a later variable overrides an earlier one: CUTWORK_COLOR is ours and
// says more than NO_COLOR, which users set for all programs.
constexpr std::array kRows = {
    Row{{"CUTWORK_LOG", "level", "warn",
         "error, warn, info, debug or trace, alone or followed by :FILE",
         "How much is logged; each level includes those before it, and info has the stages with "
         "their timings. Lines go to stderr, or are appended to FILE."},
        setLog},
    Row{{"NO_COLOR", "flag", "unset", "any text",
         "No colour in anything that is printed, as in other programs."},
        setNoColor},
    Row{{"CUTWORK_COLOR", "mode", "auto", "auto, always or never",
         "Whether printed text is coloured; auto: when it goes to a terminal. Overrides NO_COLOR."},
        setColor},
    Row{{"CUTWORK_DEVICE", "device", "unset", "a device's name, as cuda:0 or sim:sm_90a",
         "The device that is used where the program names none. Unset: the first CUDA device, or "
         "else sim:sm_90a."},
        setText<&Knobs::device>},
    Row{{"CUTWORK_SIM_MAX_INSTRUCTIONS", "number", "unset", "a number from 1 on",
         "A launch on the simulated device stops with code 18 after so many instructions of warps. "
         "Unset: never."},
        setCount<&Knobs::simMaxInstructions>},
    Row{{"CUTWORK_SIM_THREADS", "number", "1", "a number from 1 on",
         "Host threads that run the blocks of a launch on the simulated device, where they cannot "
         "communicate. Results and reports are those of one."},
        setCount<&Knobs::simThreads>},
    Row{{"CUTWORK_CUDA_DRIVER", "library", "libcuda.so.1", "a file name, or a name for the loader",
         "The CUDA driver, opened when a CUDA device is first asked for."},
        setText<&Knobs::cudaDriver>},
    Row{{"CUTWORK_NVJITLINK", "library", "unset", "a file name, a name for the loader, or none",
         "The nvJitLink library that assembles PTX; none: do not use it. Unset: libnvJitLink.so.13 "
         "or .12 of Python's packages, or as the loader finds them."},
        setText<&Knobs::nvjitlink>},
    Row{{"CUTWORK_PTXAS", "program", "unset", "a file name, or none",
         "The ptxas program that assembles PTX where nvJitLink does not; none: do not use it. "
         "Unset: "
         "that of Python's packages, or of PATH."},
        setText<&Knobs::ptxas>},
    Row{{"CUTWORK_PYTHON", "program", "unset", "a file name, or a name in PATH",
         "The Python that `cutwork run` starts. Unset: the one that Cutwork was built for, or else "
         "python3."},
        setText<&Knobs::python>},
    Row{{"CUTE_DSL_ARCH", "target", "unset", "a target, as sm_90a",
         "The target that kernels are compiled for. Unset: the device's."},
        setText<&Knobs::arch>},
    Row{{"CUTE_DSL_PRINT_IR", "flag", "0", "1, true, yes, on, 0, false, no or off",
         "Print the IR of each compiled function to stderr, as traced and as lowered."},
        setFlag<&Knobs::printIr>},
    Row{{"CUTE_DSL_PRINT_AFTER_PREPROCESSOR", "flag", "0", "1, true, yes, on, 0, false, no or off",
         "Print each Python function to stderr as it was rewritten, before it is traced."},
        setFlag<&Knobs::printPython>},
    Row{{"CUTE_DSL_LOG_AUTOTUNE", "flag", "0", "1, true, yes, on, 0, false, no or off",
         "Print to stderr what each set of parameters that is tuned took, or why it was refused."},
        setFlag<&Knobs::logAutotune>},
    Row{{"CUTE_DSL_KEEP", "list", "unset", "ir, ptx, cubin or all, separated by commas",
         "The same as CUTE_DSL_KEEP_IR, CUTE_DSL_KEEP_PTX and CUTE_DSL_KEEP_CUBIN for what it "
         "names."},
        setKeep},
    Row{{"CUTE_DSL_KEEP_IR", "flag", "0", "1, true, yes, on, 0, false, no or off",
         "Write the IR of each compiled function, of every stage, into CUTE_DSL_DUMP_DIR."},
        setFlag<&Knobs::keepIr>},
    Row{{"CUTE_DSL_KEEP_PTX", "flag", "0", "1, true, yes, on, 0, false, no or off",
         "Write the PTX of each compiled function into CUTE_DSL_DUMP_DIR."},
        setFlag<&Knobs::keepPtx>},
    Row{{"CUTE_DSL_KEEP_CUBIN", "flag", "0", "1, true, yes, on, 0, false, no or off",
         "Write the cubin of each function that is assembled into CUTE_DSL_DUMP_DIR."},
        setFlag<&Knobs::keepCubin>},
    Row{{"CUTE_DSL_DUMP_DIR", "folder", "unset", "a folder, which is made if it is not there",
         "Where kept files are written. Unset: the current folder."},
        setText<&Knobs::dumpDir>},
    Row{{"CUTE_DSL_NO_CACHE", "flag", "0", "1, true, yes, on, 0, false, no or off",
         "Compile at each request: nothing is remembered, in memory or on disk."},
        setFlag<&Knobs::noCache>},
    Row{{"CUTE_DSL_DISABLE_FILE_CACHING", "flag", "0", "1, true, yes, on, 0, false, no or off",
         "Neither read nor write the kernel store on disk."},
        setFlag<&Knobs::noFileCache>},
    Row{{"CUTE_DSL_CACHE_DIR", "folder", "unset", "a folder, which is made if it is not there",
         "Where the kernel store is. Unset: cutwork in XDG_CACHE_HOME, or in .cache of HOME."},
        setText<&Knobs::cacheDir>},
    Row{{"CUTE_DSL_JIT_CACHE_MAX_ELEMS", "number", "unset", "a number from 1 on",
         "How many compiled functions a process of Python remembers by their traces. Unset: all."},
        setCount<&Knobs::jitCacheMost>},
    Row{{"CUTWORK_CACHE_SIZE", "size", "1G", "bytes, or a number with K, M, G or T",
         "What the kernel store may hold; what was used least recently goes first."},
        setSize<&Knobs::cacheSize>},
    Row{{"XDG_CACHE_HOME", "home", "unset", "a folder", "The user's folder of caches."},
        setText<&Knobs::xdgCacheHome>},
    Row{{"HOME", "home", "unset", "a folder",
         "The user's folder, whose .cache is used where XDG_CACHE_HOME is unset."},
        setText<&Knobs::home>},
    Row{{"VIRTUAL_ENV", "folder", "unset", "a folder",
         "The Python environment whose packages are looked for nvJitLink and ptxas; Python sets "
         "it."},
        setText<&Knobs::virtualEnv>},
};

constexpr auto kKnobs = [] {
  std::array<Knob, kRows.size()> knobs;
  for (std::size_t i = 0; i < kRows.size(); ++i) knobs[i] = kRows[i].knob;
  return knobs;
}();

std::optional<std::string> processEnvironment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

/// Readings are kept for ever: references to old ones stay valid, and there are few.
struct Readings {
  std::mutex mutex;
  std::vector<std::unique_ptr<const Expected<Knobs>>> all;
  std::atomic<const Expected<Knobs>*> latest{nullptr};

  const Expected<Knobs>& read() {
    all.push_back(std::make_unique<const Expected<Knobs>>(readKnobs(processEnvironment)));
    latest.store(all.back().get(), std::memory_order_release);
    return *all.back();
  }
};

Readings& readings() {
  static Readings* const readings =
      new Readings;  // outlives every static that logs in a destructor
  return *readings;
}

}  // namespace

std::span<const Knob> allKnobs() { return kKnobs; }

Expected<Knobs> readKnobs(const Environment& environment) {
  Knobs knobs;
  for (const Row& row : kRows) {
    const std::optional<std::string> value = environment(row.knob.name.data());
    if (!value || value->empty()) continue;
    if (!row.set(knobs, *value)) {
      return userError(fmt::format("{}={}: this value is not accepted; expected {}", row.knob.name,
                                   *value, row.knob.accepted));
    }
    // Where the user lives is set everywhere, and says nothing of Cutwork.
    if (row.knob.type != "home") knobs.settings.push_back({row.knob.name, *value});
  }
  return knobs;
}

const Expected<Knobs>& tryKnobs() {
  Readings& all = readings();
  if (const auto* latest = all.latest.load(std::memory_order_acquire)) return *latest;
  const std::lock_guard lock(all.mutex);
  if (const auto* latest = all.latest.load(std::memory_order_relaxed)) return *latest;
  return all.read();
}

const Knobs& knobs() { return tryKnobs().value(); }

void rereadKnobs() {
  {
    Readings& all = readings();
    const std::lock_guard lock(all.mutex);
    all.read();
  }
  restartLog();
}

bool useColor(int fileDescriptor) {
  const Expected<Knobs>& now = tryKnobs();
  const ColorMode mode = now.ok() ? now->color : ColorMode::Auto;
  if (mode == ColorMode::Auto) return isatty(fileDescriptor) == 1;
  return mode == ColorMode::Always;
}

}  // namespace cutwork

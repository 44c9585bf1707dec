// Knobs.cpp -- the table of environment variables, reading them, and what they say together.
#include "cutwork/Support/Knobs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <regex>
#include <utility>
#include <vector>

#include "cutwork/Support/EditDistance.h"
#include "cutwork/Support/Log.h"
#include "cutwork/Support/Target.h"

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

bool setArch(Knobs& knobs, std::string_view text) {
  knobs.arch = text;
  return Target::parse(text).ok();
}

std::optional<bool> flagOf(std::string_view text) {
  for (const std::string_view yes : {"1", "true", "yes", "on"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "false", "no", "off"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

template <bool Knobs::* Field>
bool setFlag(Knobs& knobs, std::string_view text) {
  const std::optional<bool> flag = flagOf(text);
  if (flag) knobs.*Field = *flag;
  return flag.has_value();
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
  struct Word {
    std::string_view text;
    bool Knobs::* field;
  };
  static constexpr std::array kWords = {Word{"ir", &Knobs::keepIr}, Word{"ptx", &Knobs::keepPtx},
                                        Word{"ir-debug", &Knobs::keepIrPlaces},
                                        Word{"cubin", &Knobs::keepCubin},
                                        Word{"sass", &Knobs::keepSass}};
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    bool known = false;
    for (const Word& one : kWords) {
      if (word != one.text && word != "all") continue;
      knobs.*one.field = known = true;
    }
    if (!known) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

bool setCompat(Knobs& knobs, std::string_view text) {
  knobs.compatForce = text == "force";
  return knobs.compatForce;
}

bool setLogNumber(Knobs& knobs, std::string_view text) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), knobs.logNumber);
  return error == std::errc() && end == text.data() + text.size() && knobs.logNumber <= 50;
}

/// A flag, or a text that is kept: yes is `yes`, no is nothing.
template <std::string Knobs::* Field, const auto& Yes>
bool setTextOrFlag(Knobs& knobs, std::string_view text) {
  const std::optional<bool> flag = flagOf(text);
  knobs.*Field = flag ? (*flag ? std::string_view(Yes) : std::string_view()) : text;
  return true;
}
constexpr std::string_view kAllRemarks = ".*";
constexpr std::string_view kLogName = "cutwork.log";

bool setRemarks(Knobs& knobs, std::string_view text) {
  if (!setTextOrFlag<&Knobs::remarks, kAllRemarks>(knobs, text)) return false;
  try {
    return std::regex(knobs.remarks).flags() == std::regex::ECMAScript;
  } catch (const std::regex_error&) {
    return false;
  }
}

/// Variables that are accepted and change nothing.
bool setNothing(Knobs&, std::string_view) { return true; }
bool setNoFlag(Knobs&, std::string_view text) { return flagOf(text).has_value(); }

/// A row of the table: the variable, and what puts its value into Knobs (false: not accepted).
struct Row {
  Knob knob;
  bool (*set)(Knobs& knobs, std::string_view text);
  /// Of one that changes nothing: why, for the log.
  std::string_view effect = {};  // NOLINT(readability-redundant-member-init): rows leave it out
};

constexpr std::string_view kFlag = "1, true, yes, on, 0, false, no or off";

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
    Row{{"CUTWORK_SIM_SEED", "number", "unset", "a number from 1 on",
         "The simulated device runs blocks and warps in an order that the number decides. Unset: "
         "in the order of their numbers."},
        setCount<&Knobs::simSeed>},
    Row{{"CUTWORK_SIM_STOP_AT_FIRST", "flag", "0", "1, true, yes, on, 0, false, no or off",
         "A launch on the simulated device ends with its first fault. 0: it goes on where it can, "
         "and reports further ones."},
        setFlag<&Knobs::simStopAtFirst>},
    Row{{"CUTWORK_SIM_EMPTY", "flag", "1", "1, true, yes, on, 0, false, no or off",
         "What torch.empty makes on the simulated device counts as never written, so that a kernel "
         "that uses it is reported; 0: it counts as written."},
        setFlag<&Knobs::simEmpty>},
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
    Row{{"CUTWORK_COMPAT", "word", "unset", "force",
         "`import cutwork.compat` makes Cutwork's cutlass available although another package of "
         "that name is installed. Unset: it is refused."},
        setCompat},
    Row{{"CUTE_DSL_ARCH", "target", "unset", "a target, as sm_90a",
         "The target that kernels are compiled for, and, where no device is named and no GPU is "
         "found, the simulated device's. Unset: the device's."},
        setArch},
    Row{{"CUTE_DSL_PRINT_IR", "flag", "0", kFlag,
         "Print the IR of each compiled function to stderr, as traced and as lowered."},
        setFlag<&Knobs::printIr>},
    Row{{"CUTE_DSL_PRINT_AFTER_PREPROCESSOR", "flag", "0", kFlag,
         "Print each Python function to stderr as it was rewritten, before it is traced."},
        setFlag<&Knobs::printPython>},
    Row{{"CUTE_DSL_LOG_AUTOTUNE", "flag", "0", kFlag,
         "Print to stderr what each set of parameters that is tuned took, or why it was refused."},
        setFlag<&Knobs::logAutotune>},
    Row{{"CUTE_DSL_KEEP", "list", "unset",
         "ir, ir-debug, ptx, cubin, sass or all, separated by commas",
         "The same as CUTE_DSL_KEEP_IR, CUTE_DSL_KEEP_PTX, CUTE_DSL_KEEP_CUBIN and "
         "CUTE_DSL_KEEP_SASS for what it names; ir-debug is the IR as traced, with the program's "
         "lines."},
        setKeep},
    Row{{"CUTE_DSL_KEEP_IR", "flag", "0", kFlag,
         "Write the IR of each compiled function, of every stage, into CUTE_DSL_DUMP_DIR."},
        setFlag<&Knobs::keepIr>},
    Row{{"CUTE_DSL_KEEP_PTX", "flag", "0", kFlag,
         "Write the PTX of each compiled function into CUTE_DSL_DUMP_DIR."},
        setFlag<&Knobs::keepPtx>},
    Row{{"CUTE_DSL_KEEP_CUBIN", "flag", "0", kFlag,
         "Write the cubin of each compiled function into CUTE_DSL_DUMP_DIR; it is assembled for "
         "that where it would not be. Without an assembler a line of the log says so."},
        setFlag<&Knobs::keepCubin>},
    Row{{"CUTE_DSL_KEEP_SASS", "flag", "0", kFlag,
         "The same with the machine code as text, where nvdisasm is found."},
        setFlag<&Knobs::keepSass>},
    Row{{"CUTE_DSL_DUMP_DIR", "folder", "unset", "a folder, which is made if it is not there",
         "Where kept files are written. Unset: the current folder."},
        setText<&Knobs::dumpDir>},
    Row{{"CUTE_DSL_NO_CACHE", "flag", "0", kFlag,
         "Compile at each request: nothing is remembered, in memory or on disk."},
        setFlag<&Knobs::noCache>},
    Row{{"CUTE_DSL_DISABLE_FILE_CACHING", "flag", "0", kFlag,
         "Neither read nor write the kernel store on disk."},
        setFlag<&Knobs::noFileCache>},
    Row{{"CUTE_DSL_CACHE_DIR", "folder", "unset", "a folder, which is made if it is not there",
         "Where the kernel store is. Unset: cutwork in XDG_CACHE_HOME, or in .cache of HOME."},
        setText<&Knobs::cacheDir>},
    Row{{"CUTE_DSL_JIT_CACHE_MAX_ELEMS", "number", "unset", "a number from 1 on",
         "How many compiled functions a process of Python remembers by their traces. Unset: all."},
        setCount<&Knobs::jitCacheMost>},
    Row{{"CUTE_DSL_COMPILER_OPT", "options", "unset", "compile options, as docs/python.md has them",
         "Options of every compilation; those that the program gives go first."},
        setText<&Knobs::compilerOptions>},
    Row{{"CUTE_DSL_ENABLE_ASSERTIONS", "flag", "0", kFlag,
         "Checks of cute.testing.assert_ are compiled into the program, as with "
         "--enable-assertions."},
        setFlag<&Knobs::assertions>},
    Row{{"CUTE_DSL_ENABLE_TVM_FFI", "flag", "0", kFlag,
         "cute.compile gives functions as with --enable-tvm-ffi."},
        setFlag<&Knobs::tvmFfi>},
    Row{{"CUTE_DSL_DRYRUN", "flag", "0", kFlag,
         "Functions are traced, and their IR is verified; nothing is lowered, and a call checks "
         "its "
         "arguments and does nothing."},
        setFlag<&Knobs::dryRun>},
    Row{{"CUTE_DSL_LOG_TO_CONSOLE", "flag", "0", kFlag,
         "Log to stderr as much as CUTE_DSL_LOG_LEVEL says. CUTWORK_LOG goes first."},
        setFlag<&Knobs::logToConsole>},
    Row{{"CUTE_DSL_LOG_TO_FILE", "file", "unset",
         "a file name; a flag, where 1 is cutwork.log in CUTE_DSL_DUMP_DIR",
         "Append the log to a file instead, as much as CUTE_DSL_LOG_LEVEL says. CUTWORK_LOG goes "
         "first."},
        setTextOrFlag<&Knobs::logToFile, kLogName>},
    Row{{"CUTE_DSL_LOG_LEVEL", "number", "1", "a number from 0 to 50",
         "How much CUTE_DSL_LOG_TO_CONSOLE and CUTE_DSL_LOG_TO_FILE log: 1 to 10 as debug of "
         "CUTWORK_LOG, to 20 as info, to 30 as warn, above and 0 as error. Without them it has no "
         "effect."},
        setLogNumber},
    Row{{"CUTE_DSL_JIT_TIME_PROFILING", "flag", "0", kFlag,
         "Log how long each stage takes: at least as much as CUTWORK_LOG=info."},
        setFlag<&Knobs::timeProfiling>},
    Row{{"CUTE_DSL_REMARKS", "text", "0", "a flag, or a regular expression",
         "Log what costs speed of each compiled function (a copy that is narrow, registers in "
         "local "
         "memory), each remark that the expression is found in. The assembler's are always "
         "logged."},
        setRemarks},
    Row{{"CUTE_DSL_WARNINGS_AS_ERRORS", "flag", "0", kFlag,
         "A function with a remark is not compiled: an error has all of them."},
        setFlag<&Knobs::warningsAsErrors>},
    Row{{"CUTE_DSL_WARNINGS_IGNORE", "flag", "0", kFlag,
         "Log errors only, unless CUTWORK_LOG says more; Python's warnings of Cutwork are not "
         "given."},
        setFlag<&Knobs::warningsIgnore>},
    Row{{"CUTE_DSL_FILTER_STACKTRACE", "flag", "1", kFlag,
         "Tracebacks of exceptions have the program's frames only, not Cutwork's."},
        setFlag<&Knobs::filterStacktrace>},
    Row{{"CUTE_DSL_SHOW_STACKTRACE", "flag", "0", kFlag,
         "Tracebacks have all frames. Goes before CUTE_DSL_FILTER_STACKTRACE."},
        setFlag<&Knobs::showStacktrace>},
    Row{{"CUTE_DSL_DEBUG", "flag", "0", kFlag,
         "Whole tracebacks, assertions in kernels, and a log as with CUTWORK_LOG=debug."},
        setFlag<&Knobs::debug>},
    Row{{"CUTE_DSL_LINEINFO", "flag", "1", kFlag,
         "No effect: the program's lines are always in the code."},
        setNoFlag,
        "the program's lines are always in the code"},
    Row{{"CUTE_DSL_ENABLE_OPTIMIZATION_WARNINGS", "flag", "1", kFlag,
         "No effect: the assembler's are always logged, and CUTE_DSL_REMARKS logs the others."},
        setNoFlag,
        "the assembler's are always logged, and CUTE_DSL_REMARKS logs the others"},
    Row{{"CUTE_DSL_VERIFY_TRACE", "flag", "1", kFlag, "No effect: traces are always verified."},
        setNoFlag,
        "traces are always verified"},
    Row{{"CUTE_DSL_DEBUG_LEAVES", "flag", "0", kFlag,
         "No effect: there is no such check of the tracer."},
        setNoFlag,
        "there is no such check of the tracer"},
    Row{{"CUTE_DSL_LOC_TRACEBACKS", "number", "unset", "any text",
         "No effect: an operation has the place of the program's innermost frame."},
        setNothing,
        "an operation has the place of the program's innermost frame"},
    Row{{"CUTE_DSL_LIBS", "list", "unset", "any text",
         "No effect: compiled functions need no library besides Cutwork's own."},
        setNothing,
        "compiled functions need no library besides Cutwork's own"},
    Row{{"CUTE_DSL_ENABLE_PYIR", "flag", "0", kFlag, "No effect: there is one rewriter of Python."},
        setNoFlag,
        "there is one rewriter of Python"},
    Row{{"CUTE_DSL_AUTO_M2S", "flag", "0", kFlag, "No effect: there is one rewriter of Python."},
        setNoFlag,
        "there is one rewriter of Python"},
    Row{{"CUTE_DSL_TOLERATE_M2M", "flag", "0", kFlag,
         "No effect: there is one rewriter of Python."},
        setNoFlag,
        "there is one rewriter of Python"},
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

/// Variables of the project's own tests.
constexpr std::array<std::string_view, 6> kOfTests = {"CUTWORK_BIN",      "CUTWORK_BUILD",
                                                      "CUTWORK_EXAMPLES", "CUTWORK_PROPERTY_CASES",
                                                      "CUTWORK_SEED",     "CUTWORK_TEST_CASE"};

void noteUnknown(Knobs& knobs, std::string_view name) {
  if (!name.starts_with("CUTWORK_") && !name.starts_with("CUTE_DSL_")) return;
  if (std::ranges::find(kOfTests, name) != kOfTests.end()) return;
  std::string_view nearest;
  std::size_t least = name.size();
  for (const Row& row : kRows) {
    const std::size_t apart = editDistance(name, row.knob.name);
    if (apart == 0) return;
    if (apart < least) least = apart, nearest = row.knob.name;
  }
  constexpr std::size_t kNear = 5;
  const std::string meant =
      least <= kNear ? fmt::format("; did you mean {}?", nearest) : std::string();
  knobs.notes.push_back({LogLevel::Warn, fmt::format("there is no variable {}{}", name, meant)});
}

LogLevel levelOf(std::uint64_t number) {
  if (number == 0 || number > 30) return LogLevel::Error;
  if (number > 20) return LogLevel::Warn;
  return number > 10 ? LogLevel::Info : LogLevel::Debug;
}

/// What several variables say together.
void settle(Knobs& knobs, bool ownLog) {
  if (knobs.debug) knobs.showStacktrace = knobs.assertions = true;
  if (ownLog) return;
  if (knobs.warningsIgnore) knobs.logLevel = LogLevel::Error;
  if (knobs.logToConsole || !knobs.logToFile.empty()) knobs.logLevel = levelOf(knobs.logNumber);
  if (knobs.logToFile == kLogName && !knobs.dumpDir.empty()) {
    knobs.logFile = fmt::format("{}/{}", knobs.dumpDir, kLogName);
  } else {
    knobs.logFile = knobs.logToFile;
  }
  if (knobs.timeProfiling) knobs.logLevel = std::max(knobs.logLevel, LogLevel::Info);
  if (knobs.debug) knobs.logLevel = std::max(knobs.logLevel, LogLevel::Debug);
}

constexpr auto kKnobs = [] {
  std::array<Knob, kRows.size()> knobs;
  for (std::size_t i = 0; i < kRows.size(); ++i) knobs[i] = kRows[i].knob;
  return knobs;
}();

std::vector<std::string_view> processNames() {
  std::vector<std::string_view> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    names.push_back(text.substr(0, text.find('=')));
  }
  std::ranges::sort(names);
  return names;
}

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
    all.push_back(
        std::make_unique<const Expected<Knobs>>(readKnobs(processEnvironment, processNames())));
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

Expected<Knobs> readKnobs(const Environment& environment, std::span<const std::string_view> names) {
  Knobs knobs;
  bool ownLog = false;
  for (const Row& row : kRows) {
    const std::optional<std::string> value = environment(row.knob.name.data());
    if (!value || value->empty()) continue;
    if (!row.set(knobs, *value)) {
      return userError(fmt::format("{}={}: this value is not accepted; expected {}", row.knob.name,
                                   *value, row.knob.accepted));
    }
    ownLog |= row.knob.name == "CUTWORK_LOG";
    if (!row.effect.empty()) {
      knobs.notes.push_back({LogLevel::Warn, fmt::format("{}={} has no effect: {}", row.knob.name,
                                                         *value, row.effect)});
    }
    // Where the user lives is set everywhere, and says nothing of Cutwork.
    if (row.knob.type != "home") knobs.settings.push_back({row.knob.name, *value});
  }
  for (const std::string_view name : names) noteUnknown(knobs, name);
  settle(knobs, ownLog);
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

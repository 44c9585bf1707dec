// cutwork/Support/Knobs.h -- every environment variable that Cutwork reads, with its type.
//
// Nothing else in Cutwork calls getenv. A knob is added as a field of Knobs and a row of the table
// in Knobs.cpp; docs/knobs.md has the same rows (a test compares them).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cutwork/Support/Error.h"
#include "cutwork/Support/LogLevel.h"

#pragma GCC visibility push(default)

namespace cutwork {

/// When text is coloured.
enum class ColorMode {
  Auto,  ///< when it goes to a terminal
  Always,
  Never,
};

/// A variable that is set, and not empty, with the environment's text.
struct KnobSetting {
  std::string_view name;
  std::string text;
};

/// What is to be said of a variable that is set: it has no effect here, or nobody knows it.
struct KnobNote {
  LogLevel level;
  std::string text;
};

/// What the environment says, each variable in its type.
struct Knobs {
  LogLevel logLevel = LogLevel::Warn;    ///< CUTWORK_LOG
  std::string logFile;                   ///< CUTWORK_LOG, after the colon; empty: stderr
  bool logToConsole = false;             ///< CUTE_DSL_LOG_TO_CONSOLE
  std::string logToFile;                 ///< CUTE_DSL_LOG_TO_FILE: a file
  std::uint64_t logNumber = 1;           ///< CUTE_DSL_LOG_LEVEL: 10 debug, 20 info, 30 warnings
  bool timeProfiling = false;            ///< CUTE_DSL_JIT_TIME_PROFILING
  ColorMode color = ColorMode::Auto;     ///< CUTWORK_COLOR, NO_COLOR
  std::string device;                    ///< CUTWORK_DEVICE; empty: Device::best looks for one
  std::uint64_t simMaxInstructions = 0;  ///< CUTWORK_SIM_MAX_INSTRUCTIONS; 0: no limit
  std::uint64_t simSeed = 0;             ///< CUTWORK_SIM_SEED; 0: the order of their numbers
  bool simStopAtFirst = false;           ///< CUTWORK_SIM_STOP_AT_FIRST
  bool simEmpty = true;                  ///< CUTWORK_SIM_EMPTY
  std::uint64_t simThreads = 1;          ///< CUTWORK_SIM_THREADS
  std::string cudaDriver;                ///< CUTWORK_CUDA_DRIVER; empty: libcuda.so.1
  std::string nvjitlink;                 ///< CUTWORK_NVJITLINK; empty: looked for; none: not used
  std::string ptxas;                     ///< CUTWORK_PTXAS; empty: looked for; none: not used
  std::string python;                    ///< CUTWORK_PYTHON; empty: that of the build, or python3
  bool compatForce = false;              ///< CUTWORK_COMPAT=force
  std::string arch;                      ///< CUTE_DSL_ARCH; empty: the device's
  std::string dumpDir;                   ///< CUTE_DSL_DUMP_DIR; empty: the current folder
  bool printIr = false;                  ///< CUTE_DSL_PRINT_IR
  bool printPython = false;              ///< CUTE_DSL_PRINT_AFTER_PREPROCESSOR
  bool logAutotune = false;              ///< CUTE_DSL_LOG_AUTOTUNE
  bool keepIr = false;                   ///< CUTE_DSL_KEEP_IR
  bool keepIrPlaces = false;             ///< CUTE_DSL_KEEP=ir-debug
  bool keepPtx = false;                  ///< CUTE_DSL_KEEP_PTX
  bool keepCubin = false;                ///< CUTE_DSL_KEEP_CUBIN
  bool keepSass = false;                 ///< CUTE_DSL_KEEP_SASS
  bool dryRun = false;                   ///< CUTE_DSL_DRYRUN
  bool assertions = false;               ///< CUTE_DSL_ENABLE_ASSERTIONS
  bool tvmFfi = false;                   ///< CUTE_DSL_ENABLE_TVM_FFI
  std::string compilerOptions;           ///< CUTE_DSL_COMPILER_OPT
  std::string remarks;                   ///< CUTE_DSL_REMARKS: a regular expression; empty: none
  bool warningsAsErrors = false;         ///< CUTE_DSL_WARNINGS_AS_ERRORS
  bool warningsIgnore = false;           ///< CUTE_DSL_WARNINGS_IGNORE
  bool filterStacktrace = true;          ///< CUTE_DSL_FILTER_STACKTRACE
  bool showStacktrace = false;           ///< CUTE_DSL_SHOW_STACKTRACE
  bool debug = false;                    ///< CUTE_DSL_DEBUG
  bool noCache = false;                  ///< CUTE_DSL_NO_CACHE
  bool noFileCache = false;              ///< CUTE_DSL_DISABLE_FILE_CACHING
  std::string cacheDir;                  ///< CUTE_DSL_CACHE_DIR; empty: in the user's folder
  std::uint64_t jitCacheMost = 0;        ///< CUTE_DSL_JIT_CACHE_MAX_ELEMS; 0: no limit
  std::uint64_t cacheSize = 1ULL << 30;  ///< CUTWORK_CACHE_SIZE, bytes
  std::string xdgCacheHome;              ///< XDG_CACHE_HOME
  std::string home;                      ///< HOME
  std::string virtualEnv;                ///< VIRTUAL_ENV; empty: no Python environment is active
  std::vector<KnobSetting> settings;     ///< those that are set, in the order of the documentation
  std::vector<KnobNote> notes;           ///< lines that the log begins with
};

/// One environment variable, for `--help` and the documentation.
struct Knob {
  std::string_view name;          ///< CUTWORK_LOG
  std::string_view type;          ///< one word: "level"
  std::string_view defaultValue;  ///< what holds if it is unset or empty
  std::string_view accepted;      ///< what it may be, as messages and documentation print it
  std::string_view help;          ///< one or two sentences
};

/// All of them, in the order of the documentation.
std::span<const Knob> allKnobs();

/// The value of a variable, or nothing if it is unset; so that tests need no environment.
using Environment = std::function<std::optional<std::string>(const char* name)>;

/// What `environment` says. Of `names`, the variables that there are, each one that is CUTWORK_...
/// or CUTE_DSL_... and in no row gets a note with the nearest name. Error (User): a value that is
/// not accepted, with the variable, the value and what is accepted.
Expected<Knobs> readKnobs(const Environment& environment,
                          std::span<const std::string_view> names = {});

/// What this process's environment said when it was first asked. Throws the UserError of readKnobs;
/// every edge of the library that a user calls with knobs in force meets it there.
const Knobs& knobs();

/// The same without the exception.
const Expected<Knobs>& tryKnobs();

/// Reads the environment again and restarts the log; for tests, and for a host program that changes
/// its own environment. References that knobs() gave stay valid and keep the old values.
void rereadKnobs();

/// Whether text written to this file descriptor is to be coloured.
bool useColor(int fileDescriptor);

}  // namespace cutwork

#pragma GCC visibility pop

// cutwork/Support/LogLevel.h -- how much the log says.
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)

namespace cutwork {

/// Each level includes those before it.
enum class LogLevel {
  Error,  ///< something failed
  Warn,   ///< something the user should know, and the default
  Info,   ///< stages with their timings, cache hits and misses
  Debug,  ///< decisions inside a stage
  Trace,  ///< everything
};

}  // namespace cutwork

#pragma GCC visibility pop

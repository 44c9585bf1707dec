// cutwork/Support/Log.h -- the log: lines to stderr or a file, and the time that a stage took.
//
//     CW_LOG(Debug, fmt::format("composition of {} and {}", a.text(), b.text()));
//     StageTimer timer("trace");      // logs `trace 0.4 ms` at Info when the scope ends
//
// CUTWORK_LOG chooses the level (Knobs.h). A line that is off costs one relaxed load; its text is
// not made. Any thread may log; lines are never mixed.
#pragma once

#include <atomic>
#include <chrono>
#include <string_view>

#include "cutwork/Support/LogLevel.h"

#pragma GCC visibility push(default)

namespace cutwork {

namespace detail {
/// The highest level that is logged, or -1 before the first question.
extern constinit std::atomic<int> logLimit;
/// Reads the knobs, opens the file, sets and returns logLimit.
int startLog() noexcept;
}  // namespace detail

/// Whether lines of this level are logged. A CUTWORK_LOG that is not accepted is reported on stderr
/// once and counts as the default: logging never throws (knobs() does).
inline bool logEnabled(LogLevel level) noexcept {
  int limit = detail::logLimit.load(std::memory_order_relaxed);
  if (limit < 0) [[unlikely]] {
    limit = detail::startLog();
  }
  return static_cast<int>(level) <= limit;
}

/// Writes `cutwork: info: text`, if the level is on. A text of several lines has each of them
/// prefixed, so that a log can be read with grep.
void logLine(LogLevel level, std::string_view text) noexcept;

/// Closes the file, if there is one, and reads the knobs again at the next question. rereadKnobs()
/// calls it.
void restartLog() noexcept;

/// Logs `stage 0.4 ms` at Info when it goes out of scope. Reads no clock when Info is off.
class StageTimer {
 public:
  /// `stage` must outlive the timer: a string literal, usually.
  explicit StageTimer(std::string_view stage) noexcept : stage_(stage) {
    if (logEnabled(LogLevel::Info)) {
      running_ = true;
      start_ = std::chrono::steady_clock::now();
    }
  }
  ~StageTimer() { stop(); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

  /// Ends the stage now, and logs it; later calls do nothing.
  void stop() noexcept {
    if (running_) finish();
  }

 private:
  void finish() noexcept;

  std::string_view stage_;
  std::chrono::steady_clock::time_point start_;
  bool running_ = false;
};

}  // namespace cutwork

#pragma GCC visibility pop

/// CW_LOG(Debug, text): logs `text`, which is evaluated only if the level is on.
#define CW_LOG(level, ...)                                         \
  do {                                                             \
    if (::cutwork::logEnabled(::cutwork::LogLevel::level)) {       \
      ::cutwork::logLine(::cutwork::LogLevel::level, __VA_ARGS__); \
    }                                                              \
  } while (false)

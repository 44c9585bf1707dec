// Log.cpp -- where log lines go, how they look, and that they never mix.
#include "cutwork/Support/Log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "cutwork/Support/Knobs.h"

namespace cutwork {

constinit std::atomic<int> detail::logLimit{-1};

namespace {

struct LevelStyle {
  std::string_view name;
  std::string_view color;  ///< an SGR sequence
};
constexpr LevelStyle styleOf(LogLevel level) {
  switch (level) {
    case LogLevel::Error: return {"error", "\x1b[1;31m"};
    case LogLevel::Warn: return {"warning", "\x1b[1;33m"};
    case LogLevel::Info: return {"info", "\x1b[36m"};
    case LogLevel::Debug: return {"debug", "\x1b[2m"};
    case LogLevel::Trace: break;
  }
  return {"trace", "\x1b[2m"};
}

/// Where lines go now. Leaked, so that destructors of statics may log.
struct Sink {
  std::mutex mutex;
  std::FILE* file = nullptr;  ///< null: stderr
  bool color = false;

  void close() {
    if (file != nullptr) std::fclose(file);
    file = nullptr;
  }
  /// With the mutex held.
  void write(LogLevel level, std::string_view text) {
    const LevelStyle style = styleOf(level);
    std::string lines;
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = text.substr(begin, end - begin);
      lines += color ? fmt::format("cutwork: {}{}:\x1b[0m {}\n", style.color, style.name, line)
                     : fmt::format("cutwork: {}: {}\n", style.name, line);
      begin = end + 1;
    }
    std::FILE* const to = file != nullptr ? file : stderr;
    std::fwrite(lines.data(), 1, lines.size(), to);
    std::fflush(to);
  }
};

Sink& sink() {
  static Sink* const sink = new Sink;
  return *sink;
}

/// Runs `body` with the sink locked. A log that cannot get memory loses the line: it is no reason
/// to stop the program.
template <class Body>
void withSink(Body body) noexcept {
  try {
    Sink& to = sink();
    const std::lock_guard lock(to.mutex);
    body(to);
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

}  // namespace

int detail::startLog() noexcept {
  int limit = static_cast<int>(LogLevel::Warn);
  withSink([&](Sink& to) {
    // Another thread may have been here first.
    if (const int now = logLimit.load(std::memory_order_relaxed); now >= 0) {
      limit = now;
      return;
    }
    const Expected<Knobs>& read = tryKnobs();
    to.color = useColor(STDERR_FILENO);
    if (!read.ok()) {
      to.write(LogLevel::Error, read.error().message());
    } else {
      limit = static_cast<int>(read->logLevel);
      if (!read->logFile.empty()) {
        to.file = std::fopen(read->logFile.c_str(), "ae");
        if (to.file == nullptr) {
          to.write(LogLevel::Error, fmt::format("the log: cannot write {}: {}; logging to stderr",
                                                read->logFile, std::strerror(errno)));
        } else {
          to.color = false;
        }
      }
    }
    if (read.ok()) {
      for (const KnobNote& note : read->notes) {
        if (static_cast<int>(note.level) <= limit) to.write(note.level, note.text);
      }
    }
    logLimit.store(limit, std::memory_order_relaxed);
  });
  return limit;
}

void logLine(LogLevel level, std::string_view text) noexcept {
  if (!logEnabled(level)) return;
  withSink([&](Sink& to) { to.write(level, text); });
}

void restartLog() noexcept {
  withSink([](Sink& to) {
    to.close();
    detail::logLimit.store(-1, std::memory_order_relaxed);
  });
}

void StageTimer::finish() noexcept {
  running_ = false;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start_;
  try {
    logLine(LogLevel::Info, fmt::format("{} {:.1f} ms", stage_, took.count()));
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory for a line is no reason to stop
  }
}

}  // namespace cutwork

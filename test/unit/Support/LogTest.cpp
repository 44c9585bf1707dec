// LogTest.cpp -- what is logged at which level, to where, in which form, from many threads.
#include "cutwork/Support/Log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "Environment.h"

namespace cutwork {
namespace {

using ::testing::MatchesRegex;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

/// Runs `body` with CUTWORK_LOG=value and gives what it wrote to stderr.
template <class Body>
std::string logged(const std::string& value, Body body) {
  const test::ScopedVariable noColor("CUTWORK_COLOR", "never");
  CaptureStderr();
  {
    const test::ScopedVariable log("CUTWORK_LOG", value);
    body();
  }
  return GetCapturedStderr();
}

void oneLineOfEachLevel() {
  CW_LOG(Error, "e");
  CW_LOG(Warn, "w");
  CW_LOG(Info, "i");
  CW_LOG(Debug, "d");
  CW_LOG(Trace, "t");
}

TEST(Log, EachLevelIncludesThoseBeforeIt) {
  const std::vector<std::string> lines = {"cutwork: error: e\n", "cutwork: warning: w\n",
                                          "cutwork: info: i\n", "cutwork: debug: d\n",
                                          "cutwork: trace: t\n"};
  std::string expected;
  std::size_t next = 0;
  for (const char* level : {"error", "warn", "info", "debug", "trace"}) {
    expected += lines[next++];
    EXPECT_EQ(logged(level, oneLineOfEachLevel), expected) << level;
  }
}

TEST(Log, TheTextOfALineThatIsOffIsNotMade) {
  int made = 0;
  const auto text = [&] {
    ++made;
    return "text";
  };
  logged("warn", [&] { CW_LOG(Info, text()); });
  EXPECT_EQ(made, 0);
  logged("info", [&] { CW_LOG(Info, text()); });
  EXPECT_EQ(made, 1);
}

TEST(Log, MacroIsOneStatement) {
  EXPECT_EQ(logged("info",
                   [] {
                     if (logEnabled(LogLevel::Trace))
                       CW_LOG(Info, "then");
                     else
                       CW_LOG(Info, "else");
                   }),
            "cutwork: info: else\n");
}

TEST(Log, EveryLineOfATextHasThePrefix) {
  EXPECT_EQ(logged("info", [] { logLine(LogLevel::Info, "a\nb\n"); }),
            "cutwork: info: a\ncutwork: info: b\n");
  EXPECT_EQ(logged("info", [] { logLine(LogLevel::Info, ""); }), "cutwork: info: \n");
}

TEST(Log, LogLineChecksTheLevelItself) {
  EXPECT_EQ(logged("warn", [] { logLine(LogLevel::Debug, "d"); }), "");
}

TEST(Log, ColourOnlyWhenAsked) {
  CaptureStderr();
  {
    const test::ScopedVariable color("CUTWORK_COLOR", "always");
    const test::ScopedVariable log("CUTWORK_LOG", "info");
    CW_LOG(Warn, "w");
  }
  EXPECT_EQ(GetCapturedStderr(), "cutwork: \x1b[1;33mwarning:\x1b[0m w\n");
}

TEST(Log, AFileIsAppendedToWithoutColour) {
  const test::ScopedFile file("cutwork_log_test");
  for (const char* text : {"first", "second"}) {
    CaptureStderr();
    {
      const test::ScopedVariable color("CUTWORK_COLOR", "always");
      const test::ScopedVariable log("CUTWORK_LOG", "info:" + file.path());
      CW_LOG(Info, text);
    }
    EXPECT_EQ(GetCapturedStderr(), "");
  }
  EXPECT_EQ(test::readFile(file.path()), "cutwork: info: first\ncutwork: info: second\n");
}

TEST(Log, AFileThatCannotBeWrittenIsSaidAndStderrUsed) {
  const std::string text =
      logged("info:/nonexistent/folder/file", [] { CW_LOG(Info, "still here"); });
  EXPECT_EQ(text,
            "cutwork: error: the log: cannot write /nonexistent/folder/file: No such file or "
            "directory; logging to stderr\ncutwork: info: still here\n");
}

TEST(Log, ABadKnobIsSaidOnceAndTheDefaultHolds) {
  const std::string text = logged("loud", [] {
    oneLineOfEachLevel();
    oneLineOfEachLevel();
  });
  EXPECT_THAT(text,
              MatchesRegex("cutwork: error: CUTWORK_LOG=loud: .*expected error, warn, info.*\n"
                           "cutwork: error: e\ncutwork: warning: w\n"
                           "cutwork: error: e\ncutwork: warning: w\n"));
}

TEST(Log, LinesOfManyThreadsDoNotMix) {
  constexpr int kThreads = 8;
  constexpr int kLines = 200;
  const std::string payload(100, 'x');
  const std::string text = logged("info", [&] {
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < kLines; ++j) CW_LOG(Info, payload);
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    ASSERT_EQ(line, "cutwork: info: " + payload);
  }
  EXPECT_EQ(count, kThreads * kLines);
}

TEST(StageTimer, LogsStageAndMilliseconds) {
  const std::string text = logged("info", [] { const StageTimer timer("trace"); });
  EXPECT_THAT(text, MatchesRegex("cutwork: info: trace [0-9]+\\.[0-9] ms\n"));
}

TEST(StageTimer, MeasuresTheScope) {
  const std::string text = logged("info", [] {
    const StageTimer timer("sleep");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  const std::size_t at = text.find("sleep ");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_GE(std::stod(text.substr(at + 6)), 20.0);
}

TEST(StageTimer, StopEndsItOnce) {
  const std::string text = logged("info", [] {
    StageTimer timer("lower");
    timer.stop();
    CW_LOG(Info, "after");
    timer.stop();
  });
  EXPECT_THAT(text, MatchesRegex("cutwork: info: lower [0-9.]+ ms\ncutwork: info: after\n"));
}

TEST(StageTimer, SaysNothingBelowInfo) {
  EXPECT_EQ(logged("warn", [] { const StageTimer timer("trace"); }), "");
}

}  // namespace
}  // namespace cutwork

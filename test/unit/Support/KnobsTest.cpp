// KnobsTest.cpp -- reading environment variables: values, refusals, the table, docs/knobs.md.
#include "cutwork/Support/Knobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "Environment.h"

namespace cutwork {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Expected<Knobs> read(const std::map<std::string, std::string>& variables) {
  return readKnobs([&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

TEST(Knobs, DefaultsHoldWhenNothingIsSet) {
  const Knobs knobs = read({});
  EXPECT_EQ(knobs.logLevel, LogLevel::Warn);
  EXPECT_EQ(knobs.logFile, "");
  EXPECT_EQ(knobs.color, ColorMode::Auto);
}

TEST(Knobs, EmptyIsUnset) {
  const Knobs knobs = read({{"CUTWORK_LOG", ""}, {"CUTWORK_COLOR", ""}, {"NO_COLOR", ""}});
  EXPECT_EQ(knobs.logLevel, LogLevel::Warn);
  EXPECT_EQ(knobs.color, ColorMode::Auto);
}

TEST(Knobs, SettingsAreThoseThatAreSet) {
  EXPECT_TRUE(read({{"CUTWORK_LOG", ""}})->settings.empty());
  const Knobs knobs = read({{"CUTWORK_PTXAS", "none"}, {"CUTWORK_LOG", "info:a.log"}});
  ASSERT_EQ(knobs.settings.size(), 2U);
  EXPECT_EQ(knobs.settings[0].name, "CUTWORK_LOG");
  EXPECT_EQ(knobs.settings[0].text, "info:a.log");
  EXPECT_EQ(knobs.settings[1].name, "CUTWORK_PTXAS");
}

TEST(Knobs, LogLevels) {
  const std::map<std::string, LogLevel> levels = {{"error", LogLevel::Error},
                                                  {"warn", LogLevel::Warn},
                                                  {"info", LogLevel::Info},
                                                  {"debug", LogLevel::Debug},
                                                  {"trace", LogLevel::Trace}};
  for (const auto& [text, level] : levels) {
    EXPECT_EQ(read({{"CUTWORK_LOG", text}})->logLevel, level) << text;
  }
}

TEST(Knobs, LogFileFollowsTheFirstColon) {
  const Knobs knobs = read({{"CUTWORK_LOG", "debug:/tmp/a:b.log"}});
  EXPECT_EQ(knobs.logLevel, LogLevel::Debug);
  EXPECT_EQ(knobs.logFile, "/tmp/a:b.log");
}

TEST(Knobs, KeepIsAList) {
  const auto some = read({{"CUTE_DSL_KEEP", "ir,cubin"}});
  ASSERT_TRUE(some.ok());
  EXPECT_TRUE(some->keepIr && !some->keepPtx && some->keepCubin);
  const auto all = read({{"CUTE_DSL_KEEP", "all"}});
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(all->keepIr && all->keepPtx && all->keepCubin);
  for (const char* bad : {"ptx,", ",ptx", "ptx,sassy", "ptx ir", "PTX"}) {
    EXPECT_FALSE(read({{"CUTE_DSL_KEEP", bad}}).ok()) << bad;
  }
}

TEST(Knobs, ABadValueIsTheUsersErrorAndSaysWhatIsAccepted) {
  for (const char* bad : {"verbose", "INFO", " info", "info:", ":file", "1"}) {
    const Expected<Knobs> knobs = read({{"CUTWORK_LOG", bad}});
    ASSERT_FALSE(knobs.ok()) << bad;
    EXPECT_EQ(knobs.error().kind(), ErrorKind::User);
    EXPECT_THAT(knobs.error().message(), AllOf(HasSubstr(std::string("CUTWORK_LOG=") + bad),
                                               HasSubstr("error, warn, info")));
  }
  const Expected<Knobs> knobs = read({{"CUTWORK_COLOR", "yes"}});
  ASSERT_FALSE(knobs.ok());
  EXPECT_EQ(knobs.error().message(),
            "CUTWORK_COLOR=yes: this value is not accepted; expected auto, always or never");
}

TEST(Knobs, CutworkColorOverridesNoColor) {
  EXPECT_EQ(read({{"NO_COLOR", "1"}})->color, ColorMode::Never);
  EXPECT_EQ(read({{"NO_COLOR", "0"}})->color, ColorMode::Never) << "any text counts";
  EXPECT_EQ(read({{"CUTWORK_COLOR", "always"}})->color, ColorMode::Always);
  EXPECT_EQ(read({{"NO_COLOR", "1"}, {"CUTWORK_COLOR", "always"}})->color, ColorMode::Always);
  EXPECT_EQ(read({{"NO_COLOR", "1"}, {"CUTWORK_COLOR", "auto"}})->color, ColorMode::Auto);
}

TEST(Knobs, TheProcessIsReadOnceAndAgainWhenAsked) {
  const test::ScopedVariable quiet("CUTWORK_LOG", "error");
  const Knobs& before = knobs();
  EXPECT_EQ(before.logLevel, LogLevel::Error);
  setenv("CUTWORK_LOG", "info", 1);
  EXPECT_EQ(knobs().logLevel, LogLevel::Error) << "a change alone is not seen";
  rereadKnobs();
  EXPECT_EQ(knobs().logLevel, LogLevel::Info);
  EXPECT_EQ(before.logLevel, LogLevel::Error) << "what was given out stays valid";
}

TEST(Knobs, ABadProcessEnvironmentThrowsAtTheEdge) {
  const test::ScopedVariable bad("CUTWORK_COLOR", "loud");
  EXPECT_FALSE(tryKnobs().ok());
  EXPECT_THROW(knobs(), UserError);
  EXPECT_NO_THROW(useColor(1)) << "the default holds where nothing may throw";
}

TEST(Knobs, UseColorFollowsTheMode) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe(ends), 0);
  const test::ScopedVariable none("NO_COLOR", std::nullopt);
  {
    const test::ScopedVariable color("CUTWORK_COLOR", "always");
    EXPECT_TRUE(useColor(ends[1]));
  }
  {
    const test::ScopedVariable color("CUTWORK_COLOR", "auto");
    EXPECT_FALSE(useColor(ends[1])) << "a pipe is no terminal";
  }
  {
    const test::ScopedVariable color("CUTWORK_COLOR", "never");
    EXPECT_FALSE(useColor(ends[1]));
  }
  close(ends[0]);
  close(ends[1]);
}

TEST(Knobs, EveryRowOfTheTableIsWhole) {
  std::set<std::string_view> names;
  for (const Knob& knob : allKnobs()) {
    EXPECT_TRUE(names.insert(knob.name).second) << knob.name << " twice";
    for (const std::string_view text : {knob.type, knob.defaultValue, knob.accepted, knob.help}) {
      EXPECT_FALSE(text.empty()) << knob.name;
    }
  }
}

TEST(Knobs, TheDefaultsInTheTableAreAccepted) {
  for (const Knob& knob : allKnobs()) {
    if (knob.defaultValue == "unset") continue;
    EXPECT_TRUE(read({{std::string(knob.name), std::string(knob.defaultValue)}}).ok()) << knob.name;
  }
}

TEST(Knobs, TheDocumentationHasTheSameRows) {
  std::string table = "| variable | type | default | accepted | what it does |\n";
  table += "| --- | --- | --- | --- | --- |\n";
  for (const Knob& knob : allKnobs()) {
    table += "| `" + std::string(knob.name) + "` | ";
    for (const std::string_view text : {knob.type, knob.defaultValue, knob.accepted, knob.help}) {
      table += std::string(text) + " | ";
    }
    table.back() = '\n';
  }
  const std::string page =
      test::readFile(std::filesystem::path(CUTWORK_SOURCE_DIR) / "docs/knobs.md");
  EXPECT_THAT(page, HasSubstr(table)) << "docs/knobs.md must contain this table:\n" << table;
}

}  // namespace
}  // namespace cutwork

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
  EXPECT_TRUE(all->keepIr && all->keepIrPlaces && all->keepPtx && all->keepCubin && all->keepSass);
  const auto places = read({{"CUTE_DSL_KEEP", "ir-debug,sass"}});
  EXPECT_TRUE(places->keepIrPlaces && places->keepSass && !places->keepIr && !places->keepCubin);
  for (const char* bad : {"ptx,", ",ptx", "ptx,sassy", "ptx ir", "PTX"}) {
    EXPECT_FALSE(read({{"CUTE_DSL_KEEP", bad}}).ok()) << bad;
  }
}

TEST(Knobs, EveryFlagTakesTheSameWordsAndNoOthers) {
  int flags = 0;
  for (const Knob& knob : allKnobs()) {
    if (knob.type != "flag" || knob.name == "NO_COLOR") continue;
    ++flags;
    for (const char* good : {"1", "true", "yes", "on", "0", "false", "no", "off"}) {
      EXPECT_TRUE(read({{std::string(knob.name), good}}).ok()) << knob.name << '=' << good;
    }
    for (const char* bad : {"2", "maybe", "TRUE", " 1"}) {
      EXPECT_FALSE(read({{std::string(knob.name), bad}}).ok()) << knob.name << '=' << bad;
    }
  }
  EXPECT_GT(flags, 20);
}

TEST(Knobs, TheLogOfCuteDslVariables) {
  const auto levelOf = [](const std::map<std::string, std::string>& variables) {
    return read(variables)->logLevel;
  };
  EXPECT_EQ(levelOf({{"CUTE_DSL_LOG_LEVEL", "10"}}), LogLevel::Warn) << "nowhere to log to";
  const std::map<std::string, LogLevel> levels = {{"0", LogLevel::Error},  {"1", LogLevel::Debug},
                                                  {"10", LogLevel::Debug}, {"20", LogLevel::Info},
                                                  {"30", LogLevel::Warn},  {"40", LogLevel::Error}};
  for (const auto& [number, level] : levels) {
    EXPECT_EQ(levelOf({{"CUTE_DSL_LOG_TO_CONSOLE", "1"}, {"CUTE_DSL_LOG_LEVEL", number}}), level)
        << number;
  }
  EXPECT_EQ(levelOf({{"CUTE_DSL_LOG_TO_CONSOLE", "1"}}), LogLevel::Debug);
  EXPECT_EQ(levelOf({{"CUTE_DSL_LOG_TO_CONSOLE", "1"}, {"CUTWORK_LOG", "error"}}), LogLevel::Error);
  EXPECT_EQ(levelOf({{"CUTE_DSL_JIT_TIME_PROFILING", "1"}}), LogLevel::Info);
  EXPECT_EQ(levelOf({{"CUTE_DSL_WARNINGS_IGNORE", "1"}}), LogLevel::Error);
  EXPECT_EQ(levelOf({{"CUTE_DSL_DEBUG", "1"}}), LogLevel::Debug);
  EXPECT_EQ(read({{"CUTE_DSL_LOG_TO_FILE", "a.log"}})->logFile, "a.log");
  EXPECT_EQ(read({{"CUTE_DSL_LOG_TO_FILE", "0"}})->logFile, "");
  EXPECT_EQ(read({{"CUTE_DSL_LOG_TO_FILE", "1"}, {"CUTE_DSL_DUMP_DIR", "d"}})->logFile,
            "d/cutwork.log");
  EXPECT_FALSE(read({{"CUTE_DSL_LOG_LEVEL", "51"}}).ok());
  EXPECT_FALSE(read({{"CUTE_DSL_LOG_LEVEL", "INFO"}}).ok());
}

TEST(Knobs, DebugShowsAll) {
  const Knobs knobs = read({{"CUTE_DSL_DEBUG", "on"}});
  EXPECT_TRUE(knobs.debug && knobs.assertions && knobs.showStacktrace);
  EXPECT_FALSE(read({})->assertions);
}

TEST(Knobs, RemarksAreAFlagOrAnExpression) {
  EXPECT_EQ(read({{"CUTE_DSL_REMARKS", "1"}})->remarks, ".*");
  EXPECT_EQ(read({{"CUTE_DSL_REMARKS", "off"}})->remarks, "");
  EXPECT_EQ(read({{"CUTE_DSL_REMARKS", "copy|local"}})->remarks, "copy|local");
  EXPECT_FALSE(read({{"CUTE_DSL_REMARKS", "(copy"}}).ok());
}

TEST(Knobs, VariablesWithoutEffectSaySo) {
  int count = 0;
  for (const Knob& knob : allKnobs()) {
    const Knobs knobs =
        read({{std::string(knob.name), std::string(knob.type == "flag"           ? "1"
                                                   : knob.accepted == "any text" ? "4"
                                                                                 : "")}});
    if (!knob.help.starts_with("No effect")) {
      EXPECT_TRUE(knobs.notes.empty()) << knob.name;
      continue;
    }
    ++count;
    ASSERT_EQ(knobs.notes.size(), 1U) << knob.name;
    EXPECT_EQ(knobs.notes[0].level, LogLevel::Warn);
    EXPECT_THAT(knobs.notes[0].text,
                AllOf(HasSubstr(std::string(knob.name)), HasSubstr(" has no effect: ")));
  }
  EXPECT_GE(count, 9);
}

TEST(Knobs, NamesThatNobodyKnowsGetTheNearest) {
  const auto notesOf = [](std::string_view name) {
    const std::string_view names[] = {"PATH", name, "HOME"};
    return readKnobs([](const char*) { return std::nullopt; }, names)->notes;
  };
  const auto typo = notesOf("CUTE_DSL_KEEP_PTXX");
  ASSERT_EQ(typo.size(), 1U);
  EXPECT_EQ(typo[0].level, LogLevel::Warn);
  EXPECT_EQ(typo[0].text,
            "there is no variable CUTE_DSL_KEEP_PTXX; did you mean CUTE_DSL_KEEP_PTX?");
  EXPECT_EQ(notesOf("CUTWORK_DEVISE")[0].text,
            "there is no variable CUTWORK_DEVISE; did you mean CUTWORK_DEVICE?");
  EXPECT_EQ(notesOf("CUTE_DSL_SOMETHING_ELSE_ALTOGETHER")[0].text,
            "there is no variable CUTE_DSL_SOMETHING_ELSE_ALTOGETHER");
  for (const std::string_view known :
       {"CUTE_DSL_KEEP", "CUTWORK_LOG", "CUTWORK_SEED", "CUTLASS_X"}) {
    EXPECT_TRUE(notesOf(known).empty()) << known;
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

// ExitCodeTest.cpp -- the numbers are what scripts rely on, and docs/exit-codes.md says the same.
#include "cutwork/Support/ExitCode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "Environment.h"

namespace cutwork {
namespace {

TEST(ExitCode, NumbersAndNamesAreUnique) {
  std::set<int> numbers;
  std::set<std::string_view> names;
  for (const ExitCodeInfo& row : kExitCodes) {
    EXPECT_TRUE(numbers.insert(asInt(row.code)).second) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    // 126 and up are the shell's; a process that a signal ends has 128 and the signal's number.
    EXPECT_LT(asInt(row.code), 126) << row.name;
  }
}

// Written out: a change of a number breaks scripts, so it must break this test.
TEST(ExitCode, NumbersAreAPromise) {
  EXPECT_EQ(asInt(ExitCode::Done), 0);
  EXPECT_EQ(asInt(ExitCode::WrongResult), 1);
  EXPECT_EQ(asInt(ExitCode::Usage), 2);
  EXPECT_EQ(asInt(ExitCode::Refused), 3);
  EXPECT_EQ(asInt(ExitCode::Race), 10);
  EXPECT_EQ(asInt(ExitCode::Bounds), 11);
  EXPECT_EQ(asInt(ExitCode::Lifetime), 12);
  EXPECT_EQ(asInt(ExitCode::Alignment), 13);
  EXPECT_EQ(asInt(ExitCode::Uninitialised), 14);
  EXPECT_EQ(asInt(ExitCode::Barrier), 15);
  EXPECT_EQ(asInt(ExitCode::SyncMask), 16);
  EXPECT_EQ(asInt(ExitCode::Deadlock), 17);
  EXPECT_EQ(asInt(ExitCode::Limit), 18);
  EXPECT_EQ(asInt(ExitCode::Unsupported), 19);
  EXPECT_EQ(asInt(ExitCode::Trap), 20);
  EXPECT_EQ(asInt(ExitCode::Internal), 70);
}

TEST(ExitCode, TheDocumentationHasTheSameRows) {
  std::string table = "| code | name | meaning |\n| --- | --- | --- |\n";
  for (const ExitCodeInfo& row : kExitCodes) {
    table += "| " + std::to_string(asInt(row.code)) + " | " + std::string(row.name) + " | " +
             std::string(row.meaning) + " |\n";
  }
  const std::string page =
      test::readFile(std::filesystem::path(CUTWORK_SOURCE_DIR) / "docs/exit-codes.md");
  EXPECT_THAT(page, ::testing::HasSubstr(table)) << "docs/exit-codes.md must contain this table:\n"
                                                 << table;
}

}  // namespace
}  // namespace cutwork

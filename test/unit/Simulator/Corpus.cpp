// Corpus.cpp -- test/sim/*.ptx: kernels that do something wrong, and twins that do not.
//
// The first line of each says what must be reported (`// expect: bounds: a load of 4 bytes`: the
// name of the exit code, then a regular expression for the message) or `clean`; the second how it
// is launched: `// launch: block=32 args=in:128,un:128,out:128,freed:64,null` (in: written, un and
// out: not).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

#include "Programs.h"

namespace cutwork::sim {
namespace {

std::vector<std::filesystem::path> corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(CUTWORK_SOURCE_DIR) + "/test/sim")) {
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Corpus : public testing::TestWithParam<std::filesystem::path> {};

Outcome run(const std::string& ptx, Checks checks, std::uint64_t limit = 3'000'000) {
  LaunchConfig config;
  config.maxInstructions = limit;
  return runProgram(ptx, checks, config);
}

std::string readAll(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_P(Corpus, ReportsWhatItSays) {
  const std::string ptx = readAll(GetParam());
  const std::string expected = lineAfter(ptx, "// expect: ");
  ASSERT_FALSE(expected.empty());
  const Outcome checked = run(ptx, true);
  EXPECT_EQ(checked.problem, "");
  if (expected == "clean") {
    EXPECT_EQ(textOf(checked), "");
    const Outcome unchecked = run(ptx, false);
    EXPECT_EQ(unchecked.problem, "");
    EXPECT_EQ(textOf(unchecked), "");
    return;
  }
  ASSERT_TRUE(checked.fault.has_value()) << "nothing was reported";
  EXPECT_TRUE(std::regex_search(textOf(checked), std::regex("^" + expected))) << textOf(checked);
  EXPECT_NE(textOf(checked).find("kernel.ptx:"), std::string::npos);
  // Without checks a fault may go unseen, but nothing breaks.
  [[maybe_unused]] const Outcome unchecked = run(ptx, false);
}

TEST_P(Corpus, ReportsOnlyWhatIsChecked) {
  const std::string ptx = readAll(GetParam());
  Checks checks;
  checks.race = false;
  const Outcome noRaces = run(ptx, checks, 100'000);
  EXPECT_FALSE(noRaces.fault && noRaces.fault->code == ExitCode::Race) << textOf(noRaces);
  checks = {};
  checks.init = false;
  const Outcome noInit = run(ptx, checks, 100'000);
  EXPECT_FALSE(noInit.fault && noInit.fault->code == ExitCode::Uninitialised) << textOf(noInit);
  for (const int only : {0, 1, 2, 3}) {  // nothing breaks with one of them
    checks = Checks::none();
    (only == 0   ? checks.memory
     : only == 1 ? checks.race
     : only == 2 ? checks.sync
                 : checks.init) = true;
    [[maybe_unused]] const Outcome outcome = run(ptx, checks, 100'000);
  }
}

// LLVM ends functions so where it writes lines.
TEST_P(Corpus, ALabelBehindTheLastReturnChangesNothing) {
  const std::string ptx = readAll(GetParam());
  const std::string labelled = std::regex_replace(ptx, std::regex("\n\\}"), "\n$L_end: }");
  const Outcome plain = run(ptx, true, 100'000);
  const Outcome other = run(labelled, true, 100'000);
  EXPECT_EQ(textOf(plain), textOf(other));
  EXPECT_EQ(plain.problem, other.problem);
}

INSTANTIATE_TEST_SUITE_P(Sim, Corpus, testing::ValuesIn(corpus()), [](const auto& info) {
  std::string name = info.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(CorpusReport, NamesPlaceAndThread) {
  const std::string ptx = readAll(std::string(CUTWORK_SOURCE_DIR) + "/test/sim/bounds-load.ptx");
  const Outcome found = run(ptx, true);
  const FaultReport report = found.fault.value_or(FaultReport{});
  EXPECT_EQ(report.code, ExitCode::Bounds);
  EXPECT_EQ(report.kernel, "k");
  EXPECT_EQ(report.thread, (std::array<std::uint32_t, 3>{32, 0, 0}));
  EXPECT_EQ(report.user.text(), "copy.cu:7:3");
  EXPECT_NE(report.text.find("ld.global.u32 %r1, [%rd2];"), std::string::npos);
}

/// The figure of the corpus: by kind of fault, how many programs, how many of them were reported as
/// they should be, how many have a twin, and how many twins were not silent.
TEST(CorpusReport, FoundExpectedAndFalseAlarms) {
  struct Row {
    unsigned expected = 0;
    unsigned found = 0;
    unsigned pairs = 0;
    unsigned falseAlarms = 0;
  };
  std::map<std::string, Row> rows;
  Row all;
  for (const std::filesystem::path& path : corpus()) {
    const std::string ptx = readAll(path);
    const std::string expected = lineAfter(ptx, "// expect: ");
    if (expected == "clean") continue;
    Row& row = rows[expected.substr(0, expected.find(':'))];
    ++row.expected;
    if (std::regex_search(textOf(run(ptx, true)), std::regex("^" + expected))) ++row.found;
    std::filesystem::path twin = path;
    twin.replace_filename(path.stem().string() + "-clean.ptx");
    if (!std::filesystem::exists(twin)) continue;
    ++row.pairs;
    const Outcome clean = run(readAll(twin), true);
    if (clean.fault || !clean.problem.empty()) ++row.falseAlarms;
  }
  std::cout << "  kind            expected  found  pairs  false alarms\n";
  for (const auto& [kind, row] : rows) {
    std::printf("  %-14s %9u %6u %6u %13u\n", kind.c_str(), row.expected, row.found, row.pairs,
                row.falseAlarms);
    all = {all.expected + row.expected, all.found + row.found, all.pairs + row.pairs,
           all.falseAlarms + row.falseAlarms};
  }
  std::printf("  %-14s %9u %6u %6u %13u\n", "all", all.expected, all.found, all.pairs,
              all.falseAlarms);
  std::fflush(stdout);
  EXPECT_EQ(all.found, all.expected);
  EXPECT_EQ(all.falseAlarms, 0U);
  EXPECT_GE(all.pairs, 40U);
}

}  // namespace
}  // namespace cutwork::sim

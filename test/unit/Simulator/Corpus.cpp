// Corpus.cpp -- test/sim/*.ptx: kernels that do something wrong, and twins that do not.
//
// The first line of each says what must be reported (`// expect: bounds: a load of 4 bytes`: the
// name of the exit code, then a regular expression for the message) or `clean`; the second how it
// is launched: `// launch: block=32 args=in:128,un:128,out:128,freed:64,null` (in: written, un and
// out: not).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>

#include "cutwork/Simulator/Simulator.h"

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

struct Outcome {
  std::optional<FaultReport> fault;
  std::string problem;
};

std::string lineAfter(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return {};
  const std::size_t from = at + mark.size();
  return text.substr(from, text.find('\n', from) - from);
}

Outcome run(const std::string& ptx, Checks checks, std::uint64_t limit = 3'000'000) {
  auto device = SimulatedDevice::create("sm_90", checks);
  auto module = (*device)->loadModule(ptx, "kernel.ptx");
  if (!module.ok()) return {{}, module.error().text()};
  LaunchConfig config;
  config.maxInstructions = limit;
  std::vector<std::uint64_t> pointers;
  std::istringstream words(lineAfter(ptx, "// launch: "));
  for (std::string word; words >> word;) {
    const std::string key = word.substr(0, word.find('='));
    const std::string value = word.substr(word.find('=') + 1);
    if (key != "args") {
      auto& to = key == "grid" ? config.grid : key == "block" ? config.block : config.cluster;
      to[0] = static_cast<std::uint32_t>(std::stoul(value));
      continue;
    }
    std::istringstream args(value);
    for (std::string one; std::getline(args, one, ',');) {
      const std::string kind = one.substr(0, one.find(':'));
      if (kind == "null") {
        pointers.push_back(0);
        continue;
      }
      const std::vector<std::uint8_t> zeros(std::stoul(one.substr(one.find(':') + 1)));
      const std::uint64_t address =
          (*device)->allocate(zeros.size(), "buffer " + std::to_string(pointers.size())).value();
      if (kind == "in" || kind == "freed") {
        EXPECT_TRUE((*device)->write(address, zeros.data(), zeros.size()).ok());
      }
      if (kind == "freed") {
        EXPECT_TRUE((*device)->free(address).ok());
      }
      pointers.push_back(address);
    }
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(pointers.data());
  const auto result = (*device)->launch(*module, "k", config, {bytes, pointers.size() * 8});
  if (!result.ok()) return {{}, result.error().text()};
  return {result->fault, {}};
}

/// The report, or nothing.
std::string textOf(const Outcome& outcome) { return outcome.fault ? outcome.fault->text : ""; }

TEST_P(Corpus, ReportsWhatItSays) {
  std::ifstream file(GetParam());
  const std::string ptx((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
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
  std::ifstream file(GetParam());
  const std::string ptx((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
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

INSTANTIATE_TEST_SUITE_P(Sim, Corpus, testing::ValuesIn(corpus()), [](const auto& info) {
  std::string name = info.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(CorpusReport, NamesPlaceAndThread) {
  std::ifstream file(std::string(CUTWORK_SOURCE_DIR) + "/test/sim/bounds-load.ptx");
  const std::string ptx((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const Outcome found = run(ptx, true);
  const FaultReport report = found.fault.value_or(FaultReport{});
  EXPECT_EQ(report.code, ExitCode::Bounds);
  EXPECT_EQ(report.kernel, "k");
  EXPECT_EQ(report.thread, (std::array<std::uint32_t, 3>{32, 0, 0}));
  EXPECT_EQ(report.user.text(), "copy.cu:7:3");
  EXPECT_NE(report.text.find("ld.global.u32 %r1, [%rd2];"), std::string::npos);
}

}  // namespace
}  // namespace cutwork::sim

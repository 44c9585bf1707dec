// Conformance.cpp -- test/data/layout_algebra.jsonl: what other implementations answer.
//
// Undisputed and settled lines are matched exactly. On other lines any answer of a peer will do
// whose answer does not break the definition. Where every peer breaks it, ours is in
// test/data/conventions.json: a refusal, or an answer that meets the definition; it is written down
// so that a change shows.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cutwork/Layout/Operations.h"

namespace cutwork::cute {
namespace {

using Json = nlohmann::json;

enum class Standing : std::uint8_t { Undisputed, Settled, Disputed, AllViolate };

struct Case {
  std::string operation;
  std::vector<std::string> operands;
  std::string result;
  Standing standing = Standing::Undisputed;
  std::set<std::string> acceptable;  // of a disputed case

  [[nodiscard]] std::string text() const { return operation + Json(operands).dump(); }
};

std::string dataFile(const std::string& name) {
  return std::string(CUTWORK_SOURCE_DIR) + "/test/data/" + name;
}

Case readCase(const Json& json) {
  Case out{json["op"], json["args"], json["result"], Standing::Undisputed, {}};
  if (!json.contains("disputed")) return out;
  std::set<std::string> violating;
  for (const Json& peer : json.value("violates", Json::array())) violating.insert(peer);
  for (const auto& [peer, answer] : json["answers"].items()) {
    if (!violating.contains(peer)) out.acceptable.insert(answer.get<std::string>());
  }
  if (json.value("settled", false)) {
    out.standing = Standing::Settled;
  } else {
    out.standing = out.acceptable.empty() ? Standing::AllViolate : Standing::Disputed;
  }
  return out;
}

const std::vector<Case>& allCases() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> read;
    std::ifstream in(dataFile("layout_algebra.jsonl"));
    for (std::string line; std::getline(in, line);) read.push_back(readCase(Json::parse(line)));
    return read;
  }();
  return cases;
}

// Ours, with "error" for a refusal; `message` says why.
std::string ours(const Case& c, std::string* message = nullptr) {
  auto answer = evaluateOperation(c.operation, c.operands);
  if (answer) return *answer;
  if (message != nullptr) *message = " (" + answer.error().message() + ")";
  return "error";
}

void expectExactly(const Case& c) {
  std::string message;
  std::string answer = ours(c, &message);
  EXPECT_EQ(answer, c.result) << c.text() << message;
}

void expectAcceptable(const Case& c) {
  std::string message;
  std::string answer = ours(c, &message);
  EXPECT_TRUE(c.acceptable.contains(answer))
      << c.text() << " is " << answer << message << ", accepted are " << Json(c.acceptable).dump();
}

template <class Check>
int forEach(Standing standing, Check&& check) {
  int count = 0;
  for (const Case& c : allCases()) {
    if (c.standing != standing) continue;
    check(c);
    ++count;
  }
  return count;
}

TEST(Conformance, EveryUndisputedLineExactly) {
  EXPECT_EQ(forEach(Standing::Undisputed, expectExactly), 3466);
}

TEST(Conformance, EverySettledLineExactly) {
  EXPECT_EQ(forEach(Standing::Settled, expectExactly), 142);
}

TEST(Conformance, DisputedLinesLikeAPeerThatKeepsTheDefinition) {
  EXPECT_EQ(forEach(Standing::Disputed, expectAcceptable), 427);
}

TEST(Conformance, OurConventionsWhereEveryPeerBreaksTheDefinition) {
  std::ifstream in(dataFile("conventions.json"));
  std::map<std::string, std::string> conventions;
  Json document = Json::parse(in);
  for (const Json& row : document["lines"]) {
    Case c{row["op"], row["args"], row["answer"], Standing::AllViolate, {}};
    conventions[c.text()] = c.result;
  }
  int count = forEach(Standing::AllViolate, [&](const Case& c) {
    ASSERT_TRUE(conventions.contains(c.text())) << c.text() << " is not in conventions.json";
    std::string message;
    EXPECT_EQ(ours(c, &message), conventions[c.text()]) << c.text() << message;
  });
  EXPECT_EQ(count, static_cast<int>(conventions.size()));
  EXPECT_EQ(count, 23);
}

// Which answer of each kind the lines have; printed, so that a change of the data shows in the log.
TEST(Conformance, EveryOperationOfTheDataIsKnown) {
  std::map<std::string, std::array<int, 4>> counts;
  for (const Case& c : allCases()) {
    ++counts[c.operation][static_cast<std::size_t>(c.standing)];
  }
  std::set<std::string> known;
  for (const OperationInfo& info : operations()) known.insert(std::string(info.name));
  std::cout << "operation              undisputed settled disputed ours\n";
  for (const auto& [operation, count] : counts) {
    EXPECT_TRUE(known.contains(operation)) << operation;
    std::string padded = operation + std::string(23 - operation.size(), ' ');
    std::cout << padded << count[0] << ' ' << count[1] << ' ' << count[2] << ' ' << count[3]
              << '\n';
  }
  EXPECT_EQ(counts.size(), 62U);
}

}  // namespace
}  // namespace cutwork::cute

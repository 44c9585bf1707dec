// PropertyInt.cpp -- integers and what they claim of widths and divisors; swizzles; usual cases.
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "Evaluated.h"
#include "Property.h"
#include "cutwork/Layout/Coordinates.h"

namespace cutwork::test {
namespace {

using cute::Int;
using cute::RecordingEvaluator;
using cute::Swizzle;
using cute::Truth;
using cute::Width;

using Binary = Int (*)(Int, Int);
using Plain = std::int64_t (*)(std::int64_t, std::int64_t);

struct Operation {
  const char* name;
  Binary apply;
  Plain want;
  bool divides = false;
};

std::int64_t floorOf(std::int64_t a, std::int64_t b) {
  std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

const Operation kOperations[] = {
    {"+", [](Int a, Int b) { return a + b; }, [](std::int64_t a, std::int64_t b) { return a + b; }},
    {"-", [](Int a, Int b) { return a - b; }, [](std::int64_t a, std::int64_t b) { return a - b; }},
    {"*", [](Int a, Int b) { return a * b; }, [](std::int64_t a, std::int64_t b) { return a * b; }},
    {"floorDiv", cute::floorDiv, floorOf, true},
    {"floorMod", cute::floorMod,
     [](std::int64_t a, std::int64_t b) { return a - b * floorOf(a, b); }, true},
    {"ceilDiv", cute::ceilDiv, [](std::int64_t a, std::int64_t b) { return -floorOf(-a, b); },
     true},
    {"min", cute::min, [](std::int64_t a, std::int64_t b) { return a < b ? a : b; }},
    {"max", cute::max, [](std::int64_t a, std::int64_t b) { return a < b ? b : a; }},
    {"bitAnd", cute::bitAnd, [](std::int64_t a, std::int64_t b) { return a & b; }},
    {"bitXor", cute::bitXor, [](std::int64_t a, std::int64_t b) { return a ^ b; }},
    {"isEqual", cute::isEqual, [](std::int64_t a, std::int64_t b) { return std::int64_t{a == b}; }},
    {"isLess", cute::isLess, [](std::int64_t a, std::int64_t b) { return std::int64_t{a < b}; }},
};

// A value with what may be claimed of it.
struct Claimed {
  std::int64_t value;
  Width width;
  std::int64_t divisor;
  bool dynamic;
};

Claimed claimed(Generator& g) {
  std::int64_t v =
      g.chance(80) ? g.between(-40, 40) * g.pick({1, 2, 4, 12}) : g.between(-2000, 2000);
  if (g.chance(10)) v = g.pick<std::int64_t>({0, 1, -1});
  std::int64_t divisor = v == 0 ? g.between(1, 8) : g.divisorOf(v < 0 ? -v : v);
  return {v, g.chance(40) ? Width::I64 : Width::I32, g.chance(50) ? divisor : 1, g.chance(75)};
}

Int recorded(RecordingEvaluator& evaluator, std::vector<std::int64_t>& inputs, const Claimed& c) {
  if (!c.dynamic) return c.value;
  inputs.push_back(c.value);
  return evaluator.input(c.width, c.divisor);
}

Width widthWanted(const Claimed& a, const Claimed& b) {
  bool wide = (a.dynamic && a.width == Width::I64) || (b.dynamic && b.width == Width::I64);
  return wide ? Width::I64 : Width::I32;
}

TEST(IntProperty, ArithmeticGivesTheValueAndKeepsItsClaims) {
  int dynamics = 0;
  std::string undefined;  // division by a static 0 that is not seen as such
  for (std::int64_t i = 0; i < propertyCases() * 5; ++i) {
    Generator g(propertySeed() + static_cast<std::uint64_t>(i));
    const Operation& op = kOperations[g.below(std::size(kOperations))];
    Claimed a = claimed(g);
    Claimed b = claimed(g);
    RecordingEvaluator evaluator;
    std::vector<std::int64_t> inputs;
    Int x = recorded(evaluator, inputs, a);
    Int y = recorded(evaluator, inputs, b);
    Int r = op.apply(x, y);
    SCOPED_TRACE(std::string(op.name) + " of " + std::to_string(a.value) + " " + x.text() +
                 " and " + std::to_string(b.value) + " " + y.text() +
                 " CUTWORK_SEED=" + std::to_string(propertySeed() + static_cast<std::uint64_t>(i)));
    if (op.divides && b.value == 0) {
      if (!b.dynamic && !r.isInvalid())
        undefined += std::string(op.name) + " of " + x.text() + " and 0; ";
      continue;
    }
    ASSERT_FALSE(r.isInvalid());
    EXPECT_EQ(*evaluator.evaluate(r, inputs), op.want(a.value, b.value));
    if (!r.isDynamic()) continue;
    ++dynamics;
    EXPECT_EQ(op.want(a.value, b.value) % r.divisor(), 0) << "claims to be " << r.text();
    if (x.isDynamic() && y.isDynamic()) EXPECT_EQ(r.width(), widthWanted(a, b)) << r.text();
  }
  EXPECT_EQ(undefined, "");
  EXPECT_GT(dynamics, propertyCases());
}

TEST(IntProperty, WhatIsClaimedOfStatementsHolds) {
  std::array<int, 3> told{};
  for (std::int64_t i = 0; i < propertyCases() * 5; ++i) {
    Generator g(propertySeed() + static_cast<std::uint64_t>(i));
    Claimed a = claimed(g);
    Claimed b = claimed(g);
    RecordingEvaluator evaluator;
    std::vector<std::int64_t> inputs;
    Int x = recorded(evaluator, inputs, a);
    Int y = recorded(evaluator, inputs, b);
    SCOPED_TRACE(std::to_string(a.value) + " " + x.text() + " and " + std::to_string(b.value) +
                 " " + y.text());
    auto holds = [&](Truth truth, bool fact) {
      ++told[static_cast<std::size_t>(truth)];
      if (truth != Truth::Unknown) EXPECT_EQ(truth == Truth::Yes, fact);
    };
    holds(cute::equal(x, y), a.value == b.value);
    holds(cute::divides(y, x), b.value == 0 ? a.value == 0 : a.value % b.value == 0);
    if (a.value > 0 && b.value > 0) holds(cute::lessEqualPositive(x, y), a.value <= b.value);
  }
  for (int count : told) EXPECT_GT(count, propertyCases() / 10);
}

TEST(IntProperty, DivisorsSurviveAShiftAWidthAndAnAssumption) {
  RecordingEvaluator evaluator;
  Int x = evaluator.input(Width::I32, 4);
  EXPECT_EQ(cute::shift(x, 3).divisor(), 32);
  EXPECT_EQ(cute::widen(x).text(), "?{i64 div=4}");
  EXPECT_EQ(cute::assumeDivisible(x, 6).divisor(), 12);
  EXPECT_EQ((x * 2147483648).width(), Width::I64);
  EXPECT_EQ(cute::abs(x).divisor(), 4);
}

TEST(SwizzleProperty, FollowsTheBitsAndIsItsOwnInverse) {
  int moved = 0;
  for (std::int64_t i = 0; i < propertyCases(); ++i) {
    Generator g(propertySeed() + static_cast<std::uint64_t>(i));
    Swizzle s = g.swizzle();
    oracle::Xor bits{s.bits(), s.base(), s.shift()};
    for (std::int64_t x :
         {g.below(256), g.below(1 << 20), g.between(0, std::int64_t{1} << 40), -g.below(4096)}) {
      ASSERT_EQ(s(x).value(), bits(x)) << s.text() << " of " << x;
      ASSERT_EQ(s(s(x)).value(), x) << s.text() << " of " << x;
      moved += s(x).is(x) ? 0 : 1;
    }
    EXPECT_EQ(*cute::parseSwizzle(s.text()), s);
  }
  EXPECT_GT(moved, propertyCases());
}

TEST(SwizzleProperty, OfADynamicIntegerIsTheSameFunction) {
  for (std::int64_t i = 0; i < propertyCases(); ++i) {
    Generator g(propertySeed() + static_cast<std::uint64_t>(i));
    Swizzle s = g.swizzle();
    std::int64_t x = g.below(1 << 16);
    RecordingEvaluator evaluator;
    Int claimedX = evaluator.input(Width::I32, x == 0 ? 4 : g.divisorOf(x));
    Int r = s(claimedX);
    std::int64_t value = *evaluator.evaluate(r, std::array{x});
    ASSERT_EQ(value, s(x).value()) << s.text() << " of " << x;
    if (r.isDynamic())
      ASSERT_EQ(value % r.divisor(), 0) << s.text() << " of " << x << " claims " << r.text();
  }
}

// ---- what is usual is answered ----

struct Usual {
  std::string operation;
  std::vector<std::string> operands;
};

// Tensors of run-time extents, tiled, sliced and indexed: never refused.
TEST(UsualCases, AreAnsweredWithDynamicLeaves) {
  const std::string tensor = "(?,?):(?{i64},1)";
  const std::string compact = "(?,?):(1,?)";
  const std::vector<Usual> usual = {
      {"make_layout", {"(?,?,?)"}},
      {"logical_divide", {tensor, "(128,64)"}},
      {"zipped_divide", {tensor, "(128,64)"}},
      {"tiled_divide", {compact, "(16,8)"}},
      {"flat_divide", {compact, "(16,8)"}},
      {"zipped_divide", {"(?{div=128},?{div=64}):(?{i64 div=8},1)", "(128,64)"}},
      {"zipped_divide", {tensor, "[(4,8):(1,4), 16:1]"}},
      {"composition", {compact, "(16,8)"}},
      {"composition", {"?:?", "(4,8):(1,4)"}},
      {"composition", {"?:?", "(4,?):(1,?)"}},
      {"composition", {compact, "(8,4):(1@0,1@1)"}},
      {"slice", {"(_,3)", tensor}},
      {"slice", {"(?,_)", tensor}},
      {"slice_and_offset", {"(?,_)", tensor}},
      {"domain_offset", {"(?,?)", tensor}},
      {"crd2idx", {"(?,?)", tensor}},
      {"crd2idx", {"(3,4)", tensor}},
      {"crd2idx", {"?", compact}},
      {"crd2idx", {"(?,?)", "(8,8):(1@1,1@0)"}},
      {"idx2crd", {"?", "(?,?)"}},
      {"idx2crd", {"?", "(4,(8,2))"}},
      {"crd2idx", {"(?,?)", "S<3,3,3> o 0 o (8,64):(64,1)"}},
      {"slice_and_offset", {"(_,_,?)", "S<3,3,3> o 0 o (8,64,4):(64,1,512)"}},
      {"local_tile", {tensor, "(128,64)", "(?,_)"}},
      {"local_tile", {tensor, "(128,64,32)", "(?,?,_)", "(1,_,1)"}},
      {"local_tile", {compact, "(128,64)", "(2,3)"}},
      {"local_partition", {"(128,64):(1,128)", "(16,8):(8,1)", "?"}},
      {"local_partition", {tensor, "(16,8):(8,1)", "?"}},
      {"coalesce", {tensor}},
      {"size", {compact}},
      {"cosize", {compact}},
      {"ceil_div", {"(?,?)", "(128,64)"}},
      {"elem_less", {"(?,?)", "(?,?)"}},
      {"logical_product", {"(4,8):(1,4)", "?:1"}},
      {"blocked_product", {"(4,8):(1,4)", "(?,?):(1,?)"}},
      {"tile_to_shape", {"(8,8):(1,8)", "(?{div=8},?{div=8})"}},
      {"complement", {"8:1", "?"}},
      {"recast_layout", {"32", "16", "(?{div=2},?):(1,?{div=2})"}},
      {"make_identity_layout", {"(?,(?,4))"}},
      {"zipped_divide", {"(?,?):(1@0,1@1)", "(128,64)"}},
      {"max_alignment", {"(8,?):(1,8)"}},
      {"max_common_vector", {"(8,?):(1,8)", "(8,?):(1,?)"}},
  };
  for (const Usual& u : usual) {
    std::string answer = cute::evaluated(u.operation, u.operands);
    EXPECT_FALSE(answer.starts_with("refused")) << answer;
  }
}

TEST(UsualCases, OffsetsHave64Bits) {
  for (const char* layout : {"(?,?):(?,1)", "(8,8):(8,1)", "(8,8):(?,?)", "(?,?):(?{i64},1)"}) {
    std::string answer = cute::evaluated("crd2idx", {"(?,?)", layout});
    EXPECT_NE(answer.find("i64"), std::string::npos) << layout << " " << answer;
  }
}

}  // namespace
}  // namespace cutwork::test

// CompareTest.cpp -- outputs against exact values: what is wrong, how wrong, and where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cutwork/Cases/Verify.h"

namespace cutwork {
namespace {

using cute::DType;
using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

HostArray floats(const CaseShape& shape, const std::vector<double>& values) {
  HostArray array("y", DType::Float32, shape, true);
  for (std::size_t i = 0; i < values.size(); ++i)
    array.set(static_cast<std::int64_t>(i), values[i]);
  return array;
}

std::string textOf(OutputReport output) {
  ShapeReport report;
  report.shape = output.shape;
  report.outputs.push_back(std::move(output));
  return reportText(report);
}

TEST(Compare, EqualIsRight) {
  const OutputReport report = compareOutput(floats({2, 2}, {1, 2, 3, 4}), {{1, 2, 3, 4}}, 0, 0);
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(report.maxAbsolute, 0);
  EXPECT_EQ(textOf(report), "2x2: y 2x2 Float32: right; max error 0 absolute, 0 relative\n");
}

TEST(Compare, TheToleranceIsAbsoluteAndRelative) {
  const HostArray y = floats({3}, {10.5, 100, 0.25});
  EXPECT_EQ(compareOutput(y, {{10, 100, 0}}, 0, 0).wrong, 2);
  EXPECT_EQ(compareOutput(y, {{10, 100, 0}}, 0.05, 0).wrong, 1);
  EXPECT_EQ(compareOutput(y, {{10, 100, 0}}, 0, 0.25).wrong, 1);
  EXPECT_EQ(compareOutput(y, {{10, 100, 0}}, 0.025, 0.25).wrong, 0);
}

TEST(Compare, StatisticsAreOfAllElements) {
  const OutputReport report = compareOutput(floats({3}, {10.5, 100, 0.25}), {{10, 100, 0}}, 1, 1);
  EXPECT_EQ(report.wrong, 0);
  EXPECT_EQ(report.maxAbsolute, 0.5);
  EXPECT_EQ(report.maxRelative, 0.05);  // the element that should be 0 is left out
}

TEST(Compare, TheWorstComeFirstWithTheirCoordinates) {
  std::vector<double> values(24);
  values[13] = 5;
  values[22] = -7;
  values[23] = 1;
  const OutputReport report =
      compareOutput(floats({2, 3, 4}, values), std::vector<double>(24), 0, 0.5, 2);
  EXPECT_EQ(report.wrong, 3);
  ASSERT_EQ(report.worst.size(), 2U);
  EXPECT_EQ(report.worst[0].coordinate, (CaseShape{1, 2, 2}));
  EXPECT_EQ(report.worst[0].got, -7);
  EXPECT_EQ(report.worst[1].coordinate, (CaseShape{1, 0, 1}));
}

TEST(Compare, EqualErrorsAreNamedInTheOrderOfMemory) {
  const OutputReport report =
      compareOutput(floats({8}, std::vector<double>(8, 1)), std::vector<double>(8), 0, 0, 3);
  ASSERT_EQ(report.worst.size(), 3U);
  EXPECT_EQ(report.worst[0].coordinate, CaseShape{0});
  EXPECT_EQ(report.worst[2].coordinate, CaseShape{2});
}

TEST(Compare, NaNAndInfinity) {
  const HostArray y = floats({5}, {kNaN, kNaN, HUGE_VAL, HUGE_VAL, 1});
  const OutputReport report = compareOutput(y, {{kNaN, 1, HUGE_VAL, -HUGE_VAL, kNaN}}, 1, 1);
  EXPECT_EQ(report.wrong, 3);
  EXPECT_EQ(report.nan, 1);
  EXPECT_EQ(report.unwritten, 0);
  EXPECT_THAT(textOf(report), HasSubstr("3 of 5 wrong, 1 NaN"));
}

TEST(Compare, PoisonIsUnwritten) {
  for (int t = 0; t < cute::kDTypes; ++t) {
    const auto type = static_cast<DType>(t);
    if (type == DType::TFloat32) continue;  // no arrays of it
    HostArray y("y", type, {2}, true);
    y.set(0, 1);
    y.setBits(1, poisonBits(type));
    const OutputReport report = compareOutput(y, {{1, 1}}, 0, 0);
    EXPECT_EQ(report.wrong, 1) << cute::name(type);
    EXPECT_EQ(report.unwritten, 1) << cute::name(type);
    EXPECT_EQ(report.nan, cute::isFloat(type) ? 1 : 0) << cute::name(type);
    EXPECT_THAT(textOf(report), HasSubstr("y(1): not written, expected 1")) << cute::name(type);
  }
}

TEST(Compare, WhatIsBesideCounts) {
  OutputReport report = compareOutput(floats({1}, {1}), {{1}}, 0, 0);
  report.guardBytes = 4;
  EXPECT_FALSE(report.passed());
  EXPECT_THAT(textOf(report), HasSubstr("4 bytes beside y were written"));
}

TEST(Compare, AWrittenInputIsAFailure) {
  ShapeReport report;
  report.shape = {3};
  EXPECT_TRUE(report.passed());
  report.changedInputs.emplace_back("x");
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(reportText(report), "3: the input x was written to\n");
}

}  // namespace
}  // namespace cutwork

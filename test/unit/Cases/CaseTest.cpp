// CaseTest.cpp -- cases end to end on the simulated device: right, wrong, faulty, refused.
#include "cutwork/Cases/Case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cutwork/Cases/Bench.h"
#include "cutwork/Cases/Verify.h"
#include "cutwork/Cute.h"
#include "cutwork/Simulator/Register.h"

namespace cutwork {
namespace {

using cute::DType;
using testing::HasSubstr;

Device simulated() {
  registerSimulatedDevices();
  return Device::open("sim:sm_90a");
}

// y = 2 x for the first `count` elements, from element `first` on.
CaseKernel twice(int first, int count) {
  return kernelFn(jit("twice", [=](const cute::Tensor& x, const cute::Tensor& y) {
    auto kernel = [=](const cute::Tensor& in, const cute::Tensor& out) {
      auto [tid, ty, tz] = cute::arch::thread_idx();
      out(tid + first) = in(tid + first) * 2;
    };
    launch(kernel, {.grid = {1}, .block = {count}}, x, y);
  }));
}

Case twiceCase(CaseKernel kernel) {
  return {.name = "twice",
          .shape = {32},
          .get_inputs =
              [](const CaseShape& shape, std::uint64_t seed) {
                CaseArrays arrays(seed);
                arrays.input("x", DType::Float32, shape);
                arrays.output("y", DType::Float32, shape);
                return arrays;
              },
          .kernel_fn = std::move(kernel),
          .reference_fn =
              [](const CaseArrays& in, CaseResults& out) {
                for (std::int64_t i = 0; double& y : out["y"]) y = 2 * in["x"][i++];
              }};
}

TEST(Case, ARightOnePasses) {
  const auto report = verifyShape(twiceCase(twice(0, 32)), {32}, simulated());
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_TRUE(report->passed()) << reportText(*report);
}

TEST(Case, WhatIsNotWrittenIsSeen) {
  const auto report = verifyShape(twiceCase(twice(0, 31)), {32}, simulated());
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report->outputs[0].unwritten, 1);
  EXPECT_EQ(report->outputs[0].worst[0].coordinate, CaseShape{31});
}

TEST(Case, AWrongReferenceIsAMismatch) {
  Case wrong = twiceCase(twice(0, 32));
  wrong.reference_fn = [](const CaseArrays& in, CaseResults& out) {
    for (std::int64_t i = 0; double& y : out["y"]) y = 3 * in["x"][i++];
  };
  const auto report = verifyShape(wrong, {32}, simulated());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->outputs[0].wrong, 32);
  EXPECT_EQ(report->outputs[0].unwritten, 0);
}

TEST(Case, AFaultHasTheSimulatorsExitCode) {
  const Device device = simulated();
  const auto nothing = [](const auto&) {};
  const VerifyReport report =
      verifyCase(twiceCase(twice(8, 32)), {{32}}, device, {}, nothing, nothing);
  EXPECT_EQ(report.code, ExitCode::Bounds);
  ASSERT_TRUE(report.error.has_value());
  EXPECT_THAT(report.error ? report.error->text() : "", HasSubstr("CaseTest.cpp"));
}

TEST(Case, RefusalsOfTheHostFunctionAreErrors) {
  Case refused = twiceCase(kernelFn(jit("one", [](const cute::Tensor&) {})));
  const auto report = verifyShape(refused, {32}, simulated());
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind(), ErrorKind::User);
  EXPECT_THAT(report.error().text(), HasSubstr("'one' takes 1 arrays, the case has 2"));
}

TEST(Case, RegisteredOnesAreFoundByName) {
  const RegisterCase first(twiceCase(twice(0, 32)));
  EXPECT_EQ((*findCase("twice"))->shape, CaseShape{32});
  EXPECT_THAT(findCase("thrice").error().text(), HasSubstr("there is no case 'thrice'"));
  const RegisterCase second(twiceCase(twice(0, 32)));
  EXPECT_THAT(allCases().error().text(), HasSubstr("there are two cases 'twice'"));
}

TEST(Bench, TheSimulatedDeviceRunsOnceAndCounts) {
  const auto report = benchCase(twiceCase(twice(0, 32)), {32}, simulated());
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report->timing.runs, 1);
  EXPECT_EQ(report->bytes, 256);
  ASSERT_TRUE(report->counters.has_value());
  EXPECT_EQ(report->counters.value_or(sim::Counters{}).blocks, 1U);
  EXPECT_EQ(report->counters.value_or(sim::Counters{}).globalStores, 1U);
  EXPECT_FALSE(report->versus.has_value());
}

TEST(Bench, MedianAndSpread) {
  const Timing timing = timingOf({10, 0, 9, 1, 8, 2, 7, 3, 6, 4, 5});
  EXPECT_EQ(timing.runs, 11);
  EXPECT_EQ(timing.median, 5);
  EXPECT_EQ(timing.least, 0);
  EXPECT_EQ(timing.low, 1);
  EXPECT_EQ(timing.high, 9);
  EXPECT_EQ(timingOf({1, 2, 3, 10}).median, 2.5);
  EXPECT_EQ(timingOf({7}).median, 7);
}

}  // namespace
}  // namespace cutwork

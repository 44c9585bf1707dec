// DeviceTest.cpp -- what is done on a device that is not simulated: guards, events, copies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "../Runtime/StubDevice.h"
#include "cutwork/Cases/Bench.h"
#include "cutwork/Cases/DeviceRun.h"
#include "cutwork/Cases/Verify.h"
#include "cutwork/Cute.h"

namespace cutwork {
namespace {

using cute::DType;

// A GPU whose memory is the host's. Kernels take 2 ms by its events, copies 1 ms.
class FakeGpu : public test::StubDevice {
 public:
  FakeGpu() : StubDevice("fake", false) {}
  Expected<DevicePointer> allocate(std::int64_t bytes) override {
    CW_TRY(const DevicePointer made, StubDevice::allocate(bytes));
    if (bytes < (std::int64_t{1} << 20)) last = made, lastBytes = bytes;
    return made;
  }
  Status fill(DevicePointer to, std::uint32_t value, int width, std::int64_t count,
              StreamHandle) override {
    if (count > (1 << 20)) return ++flushes, Success{};
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(reinterpret_cast<void*>(to + static_cast<std::uint64_t>(i * width)), &value,
                  static_cast<std::size_t>(width));
    }
    return Success{};
  }
  Status copyOnDevice(DevicePointer to, DevicePointer from, std::int64_t bytes,
                      StreamHandle) override {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from),
                static_cast<std::size_t>(bytes));
    copied = true, copiedBytes = bytes;
    return Success{};
  }
  Expected<EventHandle> createEvent(bool) override { return reinterpret_cast<EventHandle>(this); }
  Status destroyEvent(EventHandle) override { return Success{}; }
  Status synchronizeEvent(EventHandle) override { return Success{}; }
  Status recordEvent(EventHandle, StreamHandle) override { return Success{}; }
  Expected<float> elapsedMilliseconds(EventHandle, EventHandle) override {
    return std::exchange(copied, false) ? 1.0F : 2.0F;
  }
  DevicePointer last = 0;
  std::int64_t lastBytes = 0;
  std::int64_t copiedBytes = 0;
  int flushes = 0;
  bool copied = false;
};

CaseArrays arrays(const CaseShape& shape, std::uint64_t seed) {
  CaseArrays made(seed);
  made.input("x", DType::Float32, shape);
  made.output("y", DType::Float32, shape);
  return made;
}

// A case whose host function launches nothing.
Case idle() {
  return {.name = "idle",
          .shape = {1000},
          .get_inputs = arrays,
          .kernel_fn = kernelFn(jit("idle", [](const cute::Tensor&, const cute::Tensor&) {})),
          .reference_fn = [](const CaseArrays&, CaseResults&) {}};
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): what std::function holds is its own

TEST(DeviceRun, OutputsHavePoisonAndInputsTheirValues) {
  const Device device = Device::over(std::make_shared<FakeGpu>());
  const CaseArrays made = arrays({7, 3}, 1);
  const DeviceRun run = DeviceRun::make(made, device);
  const HostArray y("y", DType::Float32, {7, 3}, true);
  const HostArray x("x", DType::Float32, {7, 3}, false);
  orThrow(run.fetch(0, x));
  orThrow(run.fetch(1, y));
  for (std::int64_t i = 0; i < 21; ++i) {
    EXPECT_EQ(x[i], made["x"][i]);
    EXPECT_EQ(y.bits(i), poisonBits(DType::Float32));
  }
}

TEST(DeviceRun, WhatIsWrittenBesideAnArrayIsCounted) {
  auto gpu = std::make_shared<FakeGpu>();
  const Device device = Device::over(gpu);
  const DeviceRun run = DeviceRun::make(arrays({8}, 1), device);
  EXPECT_EQ(*run.changedGuardBytes(0), 0);
  EXPECT_EQ(*run.changedGuardBytes(1), 0);
  EXPECT_EQ(gpu->lastBytes, 32 + 2 * DeviceRun::kGuardBytes);
  auto* memory = reinterpret_cast<std::uint8_t*>(gpu->last);
  memory[DeviceRun::kGuardBytes - 1] = 0;
  memory[DeviceRun::kGuardBytes + 31] = 0;  // the array's own
  memory[DeviceRun::kGuardBytes + 32] = 0;
  memory[DeviceRun::kGuardBytes + 35] = 1;
  EXPECT_EQ(*run.changedGuardBytes(1), 3);
  EXPECT_EQ(*run.changedGuardBytes(0), 0);
}

TEST(DeviceRun, NothingWrittenIsAFailure) {
  const auto report = verifyShape(idle(), {5}, Device::over(std::make_shared<FakeGpu>()));
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report->outputs[0].unwritten, 5);
  EXPECT_TRUE(report->changedInputs.empty());
}

TEST(Bench, OnAGpuRunsTakeTurnsWithACopyOfTheSameBytes) {
  auto gpu = std::make_shared<FakeGpu>();
  const auto report =
      benchCase(idle(), {1000}, Device::over(gpu), {.iterations = 7, .compile = {}});
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report->timing.runs, 7);
  EXPECT_FLOAT_EQ(static_cast<float>(report->timing.median), 2e-3F);
  ASSERT_TRUE(report->versus.has_value());
  EXPECT_EQ(report->versus.value_or(Timing{}).runs, 7);
  EXPECT_FLOAT_EQ(static_cast<float>(report->versus.value_or(Timing{}).median), 1e-3F);
  EXPECT_EQ(report->bytes, 8000);
  EXPECT_EQ(report->versusBytes, 8000);
  EXPECT_EQ(gpu->copiedBytes, 4000);  // half is read, half is written
  EXPECT_GE(gpu->flushes, 2 * 8);
  EXPECT_FALSE(report->counters.has_value());
}

TEST(Bench, AgainstNothingOrAnotherCase) {
  const Device device = Device::over(std::make_shared<FakeGpu>());
  BenchOptions options;
  options.iterations = 3;
  options.versus = BenchOptions::Versus::Nothing;
  EXPECT_FALSE(benchCase(idle(), {10}, device, options)->versus.has_value());
  const Case other = idle();
  options.versus = BenchOptions::Versus::Case;
  options.other = &other;
  const auto report = benchCase(idle(), {10}, device, options);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->versusBytes, 80);
}

}  // namespace
}  // namespace cutwork

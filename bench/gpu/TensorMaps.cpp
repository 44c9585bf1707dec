// TensorMaps.cpp -- TMA on a real GPU: copies through encoded maps; our rules against the driver's.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "AddressCast.h"
#include "Check.h"
#include "CudaDriver.h"
#include "Kernels.h"
#include "cutwork/Runtime/Buffer.h"
#include "cutwork/Runtime/Module.h"

namespace cutwork::gpu {

namespace {

constexpr std::int64_t kColumns = 100;
constexpr std::int64_t kRows = 70;
constexpr int kBox = 32;

TensorMapPlan matrixPlan() {
  TensorMapPlan plan;
  plan.type = TensorMapType::Float32;
  plan.rank = 2;
  plan.box[0] = kBox;
  plan.box[1] = kBox;
  plan.extents[0] = kColumns;
  plan.extents[1] = kRows;
  plan.strides[1] = kColumns * 4;
  return plan;
}

void checkCopies(Checks& checks, const Device& device, TensorMapSwizzle swizzle) {
  const Function tma = (*device.loadModule(Image::fromPtx(kKernels))).function("tma");
  constexpr std::size_t kElements = kColumns * kRows;
  std::vector<float> in(kElements);
  for (std::size_t i = 0; i < kElements; ++i) in[i] = static_cast<float>(i);
  // The memory after the matrix shall stay as it is.
  const Buffer from = device.allocate(kElements * 4);
  const Buffer to = device.allocate(kElements * 4 + 4096);
  orThrow(from.copyFrom(in.data(), kElements * 4));
  orThrow(device.fill(to.address(), 0xFFFFFFFF, 4, kElements + 1024));
  TensorMapPlan plan = matrixPlan();
  plan.swizzle = swizzle;
  const TensorMap source = device.encodeTensorMap(plan, from.address());
  const TensorMap target = device.encodeTensorMap(plan, to.address());
  Status status = Success{};
  for (int y = 0; y < kRows; y += kBox) {
    for (int x = 0; x < kColumns; x += kBox) {
      if (status.ok()) status = tma({.block = {256}}, source, target, x, y);
    }
  }
  checks.ok(status, "tensor copies of 32x32 boxes of a 100x70 matrix, swizzle " +
                        std::to_string(static_cast<int>(swizzle)));
  checks.ok(device.synchronize(), "synchronize");
  std::vector<float> out(kElements + 1024);
  orThrow(to.copyTo(out.data(), kElements * 4 + 4096));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kElements; ++i) wrong += out[i] == in[i] + 1.0F ? 0U : 1U;
  std::uint32_t after = 0;
  std::memcpy(&after, &out[kElements], 4);
  checks.that(wrong == 0 && after == 0xFFFFFFFF, "every element is right, and nothing beyond");
}

/// Values at and around the limits of the rules.
TensorMapPlan randomPlan(std::mt19937_64& random) {
  const auto pick = [&](std::initializer_list<std::int64_t> values) {
    return values.begin()[random() % values.size()];
  };
  const auto rarely = [&](std::int64_t usual, std::initializer_list<std::int64_t> others) {
    return random() % 6 == 0 ? pick(others) : usual;
  };
  TensorMapPlan plan;
  plan.type = static_cast<TensorMapType>(random() % 16);
  plan.rank =
      static_cast<std::uint8_t>(rarely(1 + static_cast<std::int64_t>(random() % 5), {1, 5}));
  plan.interleave = static_cast<TensorMapInterleave>(rarely(0, {1, 2}));
  plan.swizzle = static_cast<TensorMapSwizzle>(random() % 7);
  if (plan.interleave == TensorMapInterleave::Bytes32 && random() % 2 == 0) {
    plan.swizzle = TensorMapSwizzle::Bytes32;
  }
  plan.l2 = static_cast<TensorMapL2>(random() % 4);
  plan.fill = static_cast<TensorMapFill>(rarely(0, {1}));
  for (int mode = 0; mode < plan.rank; ++mode) {
    plan.extents[mode] = rarely(pick({128, 256, 4096}), {1, 2, 127, std::int64_t{1} << 32, 3});
    plan.box[mode] =
        static_cast<std::uint32_t>(rarely(pick({8, 16, 32, 64, 128}), {1, 256, 257, 3, 24}));
    plan.elementStrides[mode] = static_cast<std::uint32_t>(rarely(1, {2, 8, 9, 0}));
    plan.strides[mode] =
        rarely(std::int64_t{4096} << (4 * mode), {16, 0, 48, 8, 32, (std::int64_t{1} << 40) - 32});
  }
  return plan;
}

/// A line of the file that --rules writes: the plan, whether the driver takes it, whether we do.
void writePlan(std::FILE* file, const TensorMapPlan& plan, std::uint64_t address, bool theirs,
               bool ours) {
  std::fprintf(file, "%d,%d,%d,%d,%d,%d,%d,%d", theirs ? 1 : 0, ours ? 1 : 0,
               static_cast<int>(plan.type), plan.rank, static_cast<int>(plan.interleave),
               static_cast<int>(plan.swizzle), static_cast<int>(plan.fill),
               static_cast<int>(address % 64));
  for (int mode = 0; mode < plan.rank; ++mode) {
    std::fprintf(file, ",%lld,%lld,%u,%u", static_cast<long long>(plan.extents[mode]),
                 static_cast<long long>(mode == 0 ? 0 : plan.strides[mode]), plan.box[mode],
                 plan.elementStrides[mode]);
  }
  std::fprintf(file, "\n");
}

void compareRules(Checks& checks, const TensorMapLimits& limits, std::FILE* file) {
  const cuda::Driver& driver = **cuda::driver();
  cuda::Context primary = nullptr;
  driver.cuDevicePrimaryCtxRetain(&primary, 0);
  const cuda::ContextGuard guard(driver, primary);
  // The same plans in every run.
  std::mt19937_64 random(1);  // NOLINT(bugprone-random-generator-seed)
  int accepted = 0;
  int weRefuse = 0;
  int driverRefuses = 0;
  constexpr int kPlans = 200000;
  for (int i = 0; i < kPlans; ++i) {
    const TensorMapPlan plan = randomPlan(random);
    const std::uint64_t address = 0x7f0000000000 + (random() % 8 == 0 ? 16 * (random() % 4) : 0);
    std::uint64_t extents[5] = {};
    std::uint64_t strides[5] = {};
    for (int mode = 0; mode < plan.rank; ++mode) {
      extents[mode] = static_cast<std::uint64_t>(plan.extents[mode]);
      if (mode > 0) strides[mode - 1] = static_cast<std::uint64_t>(plan.strides[mode]);
    }
    TensorMap map{};
    const bool theirs =
        driver.cuTensorMapEncodeTiled(&map, static_cast<int>(plan.type), plan.rank,
                                      pointerAt(address), extents, strides, plan.box,
                                      plan.elementStrides, static_cast<int>(plan.interleave),
                                      static_cast<int>(plan.swizzle), static_cast<int>(plan.l2),
                                      static_cast<int>(plan.fill)) == cuda::kSuccess;
    const Status ours = checkTensorMap(plan, address, limits);
    accepted += ours.ok() && theirs ? 1 : 0;
    if (file != nullptr) writePlan(file, plan, address, theirs, ours.ok());
    if (ours.ok() == theirs) continue;
    int& count = ours.ok() ? driverRefuses : weRefuse;
    if (++count > 5) continue;
    std::printf("       %s: type %s rank %d interleave %d swizzle %d fill %d address %% 64 = %d;",
                ours.ok() ? "only the driver refuses" : "only we refuse",
                std::string(tensorMapTypeName(plan.type)).c_str(), plan.rank,
                static_cast<int>(plan.interleave), static_cast<int>(plan.swizzle),
                static_cast<int>(plan.fill), static_cast<int>(address % 64));
    for (int mode = 0; mode < plan.rank; ++mode) {
      std::printf(" [extent %lld stride %lld box %u step %u]",
                  static_cast<long long>(plan.extents[mode]),
                  static_cast<long long>(mode == 0 ? 0 : plan.strides[mode]), plan.box[mode],
                  plan.elementStrides[mode]);
    }
    std::printf("%s\n", ours.ok() ? "" : ("; we: " + ours.error().message()).c_str());
  }
  std::printf(
      "       %d random plans: %d accepted by both; only we refuse %d, only the driver %d\n",
      kPlans, accepted, weRefuse, driverRefuses);
  checks.that(driverRefuses == 0 && accepted > 1000, "what we accept, the driver accepts");
  driver.cuDevicePrimaryCtxRelease_v2(0);
}

TensorMapLimits limitsOf(const Device& device) {
  return {device.target().capability, device.properties().limits.sharedMemoryPerBlock};
}

}  // namespace

void writeTensorMapRules(Checks& checks, const Device& device, const char* path) {
  std::FILE* file = std::fopen(path, "w");
  checks.that(file != nullptr, path);
  if (file == nullptr) return;
  compareRules(checks, limitsOf(device), file);
  std::fclose(file);
}

void checkTensorMaps(Checks& checks, const Device& device) {
  checkCopies(checks, device, TensorMapSwizzle::None);
  checkCopies(checks, device, TensorMapSwizzle::Bytes128);
  checks.refused(device.encodeTensorMap(matrixPlan(), 0x7f0000000008), "multiples of 16",
                 "misaligned tensor map address");
  compareRules(checks, limitsOf(device), nullptr);
  const Buffer buffer = device.allocate(kColumns * kRows * 4);
  TensorMapPlan plan = matrixPlan();
  const auto nanoseconds = [&](bool fresh) {
    constexpr int kTimes = 2000;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kTimes; ++i) {
      if (fresh) plan.extents[1] = kRows + i + 1;
      orThrow(device.encodeTensorMap(plan, buffer.address()).ok() ? Status(Success{})
                                                                  : Status(userError("encode")));
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    return took.count() / kTimes;
  };
  const double fresh = nanoseconds(true);
  std::printf("       encoding a tensor map %.0f ns; one that is remembered %.0f ns\n", fresh,
              nanoseconds(false));
}

}  // namespace cutwork::gpu

// TensorMapPlanTest.cpp -- the frozen layout of a tensor map's plan, and the rules it is checked
// by.
#include "cutwork/Support/TensorMapPlan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>

namespace cutwork {
namespace {

using ::testing::HasSubstr;

// Compiled host code writes these fields: a change here breaks every object made ahead of time.
static_assert(sizeof(TensorMapPlan) == 128 && alignof(TensorMapPlan) == 8);
static_assert(offsetof(TensorMapPlan, type) == 0 && offsetof(TensorMapPlan, rank) == 1 &&
              offsetof(TensorMapPlan, interleave) == 2 && offsetof(TensorMapPlan, swizzle) == 3 &&
              offsetof(TensorMapPlan, l2) == 4 && offsetof(TensorMapPlan, fill) == 5 &&
              offsetof(TensorMapPlan, box) == 8 && offsetof(TensorMapPlan, elementStrides) == 28 &&
              offsetof(TensorMapPlan, extents) == 48 && offsetof(TensorMapPlan, strides) == 88);
static_assert(sizeof(TensorMap) == 128 && alignof(TensorMap) == 64);

constexpr std::uint64_t kAddress = 0x1000;

TensorMapPlan matrix() {
  TensorMapPlan plan;
  plan.type = TensorMapType::Float16;
  plan.rank = 2;
  plan.box[0] = 64;
  plan.box[1] = 128;
  plan.extents[0] = 4096;
  plan.extents[1] = 4096;
  plan.strides[1] = 8192;
  plan.swizzle = TensorMapSwizzle::Bytes128;
  return plan;
}

std::string refusal(const std::function<void(TensorMapPlan&)>& change,
                    std::uint64_t address = kAddress) {
  TensorMapPlan plan = matrix();
  change(plan);
  const Status status = checkTensorMap(plan, address);
  if (status.ok()) return "accepted";
  EXPECT_EQ(status.error().kind(), ErrorKind::User);
  return status.error().message();
}

TEST(TensorMapPlan, AMatrixIsAccepted) {
  EXPECT_EQ(refusal([](TensorMapPlan&) {}), "accepted");
  EXPECT_EQ(refusal([](TensorMapPlan& plan) { plan.extents[1] = std::int64_t{1} << 32; }),
            "accepted");
  EXPECT_EQ(refusal([](TensorMapPlan& plan) { plan.strides[1] = (std::int64_t{1} << 40) - 16; }),
            "accepted");
}

TEST(TensorMapPlan, RefusalsSayWhatIsAllowed) {
  const auto zero = [](TensorMapPlan&) {};
  EXPECT_EQ(refusal(zero, 0x1008),
            "tensor map: global address 0x1008: allowed are multiples of 16 bytes");
  EXPECT_THAT(refusal(zero, 0), HasSubstr("global address 0x0"));
  EXPECT_THAT(refusal([](auto& plan) { plan.rank = 0; }), HasSubstr("rank 0: allowed are 1 to 5"));
  EXPECT_THAT(refusal([](auto& plan) { plan.rank = 6; }), HasSubstr("rank 6"));
  EXPECT_EQ(refusal([](auto& plan) { plan.box[1] = 257; }),
            "tensor map: box extent 257 of mode 1: allowed are 1 to 256");
  EXPECT_THAT(refusal([](auto& plan) { plan.box[1] = 0; }), HasSubstr("box extent 0"));
  EXPECT_THAT(refusal([](auto& plan) { plan.extents[0] = 0; }), HasSubstr("extent 0 of mode 0"));
  EXPECT_THAT(refusal([](auto& plan) { plan.extents[1] = -1; }), HasSubstr("extent -1 of mode 1"));
  EXPECT_THAT(refusal([](auto& plan) { plan.extents[1] = (std::int64_t{1} << 32) + 1; }),
              HasSubstr("allowed are 1 to 2^32"));
  EXPECT_EQ(refusal([](auto& plan) { plan.strides[1] = 8200; }),
            "tensor map: stride of 8200 bytes of mode 1: allowed are multiples of 16 below 2^40");
  EXPECT_THAT(refusal([](auto& plan) { plan.strides[1] = std::int64_t{1} << 40; }),
              HasSubstr("below 2^40"));
  EXPECT_THAT(refusal([](auto& plan) { plan.strides[1] = -16; }), HasSubstr("-16 bytes"));
  EXPECT_THAT(refusal([](auto& plan) { plan.box[0] = 65; }),
              HasSubstr("130 bytes (65 elements of type f16): allowed are multiples of 16"));
  EXPECT_EQ(refusal([](auto& plan) { plan.box[0] = 72; }),
            "tensor map: mode 0 of the box has 144 bytes: allowed with this swizzle are at most "
            "128");
  EXPECT_THAT(refusal([](auto& plan) { plan.elementStrides[1] = 9; }),
              HasSubstr("element stride 9 of mode 1: allowed are 1 to 8"));
  EXPECT_THAT(refusal([](auto& plan) { plan.type = static_cast<TensorMapType>(16); }),
              HasSubstr("element type number 16"));
  EXPECT_THAT(refusal([](auto& plan) { plan.swizzle = static_cast<TensorMapSwizzle>(7); }),
              HasSubstr("swizzle number 7"));
  EXPECT_THAT(refusal([](auto& plan) { plan.fill = static_cast<TensorMapFill>(2); }),
              HasSubstr("fill number 2"));
  EXPECT_THAT(refusal([](auto& plan) { plan.l2 = static_cast<TensorMapL2>(4); }),
              HasSubstr("L2 promotion number 4"));
  EXPECT_THAT(refusal([](auto& plan) { plan.interleave = TensorMapInterleave::Bytes16; }),
              HasSubstr("with interleave: allowed are 3 to 5"));
  EXPECT_THAT(refusal([](auto& plan) {
                plan.type = TensorMapType::UInt16;
                plan.fill = TensorMapFill::NanRequestZeroFma;
              }),
              HasSubstr("fill with NaN of elements of type u16"));
}

TEST(TensorMapPlan, TheBoxFitsIntoSharedMemory) {
  const auto large = [](TensorMapPlan& plan) {
    plan.rank = 3;
    plan.box[1] = 256;
    plan.box[2] = 8;
    plan.extents[2] = 100;
    plan.strides[2] = 1 << 20;
  };
  EXPECT_EQ(refusal(large),
            "tensor map: the box has 262144 bytes: allowed are 232448, the shared memory of a "
            "block");
  EXPECT_EQ(refusal([&](auto& plan) {
              large(plan);
              plan.elementStrides[2] = 2;
            }),
            "accepted");
  TensorMapPlan plan = matrix();
  EXPECT_FALSE(checkTensorMap(plan, kAddress, {.capability = 90, .sharedMemory = 16383}).ok());
  EXPECT_TRUE(checkTensorMap(plan, kAddress, {.capability = 90, .sharedMemory = 16384}).ok());
}

TEST(TensorMapPlan, WhatHopperLacks) {
  TensorMapPlan plan = matrix();
  plan.swizzle = TensorMapSwizzle::Bytes128Atom32;
  EXPECT_TRUE(checkTensorMap(plan, kAddress).ok());
  const Status status = checkTensorMap(plan, kAddress, {.capability = 90});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message(),
            "tensor map: swizzle number 4 needs compute capability 10.0, and this device has 9.0");
  plan = matrix();
  plan.type = TensorMapType::U4x16Align8;
  EXPECT_FALSE(checkTensorMap(plan, kAddress, {.capability = 90}).ok());
}

TEST(TensorMapPlan, PackedTypes) {
  const auto packed = [](TensorMapPlan& plan) {
    plan.type = TensorMapType::U4x16Align16;
    plan.box[0] = 128;
  };
  EXPECT_EQ(refusal(packed), "accepted");
  EXPECT_THAT(refusal(packed, 0x1010), HasSubstr("multiples of 32"));
  EXPECT_THAT(refusal([&](auto& plan) {
                packed(plan);
                plan.box[0] = 64;
              }),
              HasSubstr("allowed is 128"));
  EXPECT_THAT(refusal([&](auto& plan) {
                packed(plan);
                plan.swizzle = TensorMapSwizzle::Bytes64;
              }),
              HasSubstr("type u4x16.a16"));
  EXPECT_THAT(refusal([&](auto& plan) {
                plan.type = TensorMapType::U4x16Align8;
                plan.extents[0] = 4095;
              }),
              HasSubstr("even"));
}

TEST(TensorMapPlan, TypesHaveNamesAndBits) {
  EXPECT_EQ(tensorMapTypeName(TensorMapType::BFloat16), "bf16");
  EXPECT_EQ(tensorMapTypeBits(TensorMapType::U6x16Align16), 6);
  EXPECT_EQ(tensorMapTypeBits(TensorMapType::Float64), 64);
  EXPECT_EQ(tensorMapTypeName(static_cast<TensorMapType>(99)), "?");
}

}  // namespace
}  // namespace cutwork

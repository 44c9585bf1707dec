// TensorMapTest.cpp -- tensor maps of a device: what is encoded, and that it is remembered.
#include "Fake.h"
#include "StubDevice.h"

namespace cutwork {
namespace {

using test::fakeCuda;
using test::refusalOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TensorMapTest : public test::WithFakeCuda {
 protected:
  Device device_ = *Device::open("cuda:0");

  static TensorMapPlan matrix() {
    TensorMapPlan plan;
    plan.type = TensorMapType::Float16;
    plan.rank = 2;
    plan.box[0] = 64;
    plan.box[1] = 128;
    plan.extents[0] = 4096;
    plan.extents[1] = std::int64_t{1} << 32;
    plan.strides[1] = 8192;
    plan.swizzle = TensorMapSwizzle::Bytes128;
    return plan;
  }
};

TEST_F(TensorMapTest, StridesAreOfTheOuterModes) {
  ASSERT_TRUE(device_.encodeTensorMap(matrix(), 0x10000).ok());
  ASSERT_EQ(fakeCuda().tensorMaps.size(), 1U);
  EXPECT_THAT(fakeCuda().tensorMaps[0], ElementsAre(6, 2, 0x10000, 4096, 4294967296, 8192));
}

TEST_F(TensorMapTest, IsEncodedOncePerPlanAndAddress) {
  TensorMapPlan plan = matrix();
  constexpr std::uint64_t kAddress = 0x20000;
  const TensorMap first = device_.encodeTensorMap(plan, kAddress);
  const TensorMap second = device_.encodeTensorMap(plan, kAddress);
  EXPECT_EQ(std::memcmp(&first, &second, sizeof first), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&first) % 64, 0U);
  EXPECT_EQ(fakeCuda().tensorMaps.size(), 1U);
  EXPECT_TRUE(device_.encodeTensorMap(plan, kAddress + 16).ok());
  EXPECT_EQ(fakeCuda().tensorMaps.size(), 2U);
  plan.box[1] = 64;
  const TensorMap other = device_.encodeTensorMap(plan, kAddress);
  EXPECT_EQ(fakeCuda().tensorMaps.size(), 3U);
  EXPECT_EQ(fakeCuda().count("cuTensorMapEncodeTiled"), 3);
  EXPECT_EQ(std::memcmp(&first, &other, sizeof first), 0) << "the fake records the inner box";
  EXPECT_TRUE(Device::open("cuda:2")->encodeTensorMap(plan, kAddress).ok());
  EXPECT_EQ(fakeCuda().tensorMaps.size(), 4U) << "devices do not share maps";
}

TEST_F(TensorMapTest, WhatIsRememberedIsBounded) {
  for (std::uint64_t i = 1; i < 10000; ++i) {
    ASSERT_TRUE(device_.encodeTensorMap(matrix(), i << 20).ok());
  }
  EXPECT_TRUE(device_.encodeTensorMap(matrix(), std::uint64_t{9999} << 20).ok());
  EXPECT_EQ(fakeCuda().tensorMaps.size(), 9999U);
}

TEST_F(TensorMapTest, BadPlansDoNotReachTheDriver) {
  EXPECT_THAT(refusalOf(device_.encodeTensorMap(matrix(), 0x10008)), HasSubstr("multiples of 16"));
  TensorMapPlan plan = matrix();
  plan.box[0] = 512;
  EXPECT_FALSE(device_.encodeTensorMap(plan, 0x10000).ok());
  EXPECT_TRUE(fakeCuda().tensorMaps.empty());
}

TEST_F(TensorMapTest, NeedsHopper) {
  EXPECT_THAT(refusalOf(Device::open("cuda:1")->encodeTensorMap(matrix(), 0x10000)),
              HasSubstr("compute capability 9.0"));
}

TEST_F(TensorMapTest, AFailureIsNotRemembered) {
  fakeCuda().failing["cuTensorMapEncodeTiled"] = 1;
  EXPECT_FALSE(device_.encodeTensorMap(matrix(), 0x30000).ok());
  EXPECT_TRUE(device_.encodeTensorMap(matrix(), 0x30000).ok());
}

}  // namespace
}  // namespace cutwork

// ElementTest.cpp -- elements of every type to and from double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cutwork/Cases/HostArray.h"

namespace cutwork {
namespace {

using cute::DType;

TEST(Element, EveryBitPatternOfSmallFloatsComesBack) {
  for (const DType type :
       {DType::Float16, DType::BFloat16, DType::Float8E4M3FN, DType::Float8E5M2}) {
    const std::uint64_t count = std::uint64_t{1} << cute::width(type);
    for (std::uint64_t bits = 0; bits < count; ++bits) {
      const double value = decodeElement(type, bits);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(decodeElement(type, encodeElement(type, value))));
      } else if (type != DType::Float8E4M3FN || std::isfinite(value)) {
        EXPECT_EQ(encodeElement(type, value), bits) << cute::name(type);
      }
    }
  }
}

TEST(Element, Float16IsTheCompilersOwn) {
  for (const double value : {0.1, 1.0 / 3, 65504.0, 65519.0, 65520.0, 6.0e-8, 3.0e-8, 2.9e-8, 1e-4,
                             2049.0, 2051.0, -0.0, 1e300}) {
    const auto half = static_cast<_Float16>(value);
    EXPECT_EQ(encodeElement(DType::Float16, value), std::bit_cast<std::uint16_t>(half)) << value;
  }
}

TEST(Element, TiesGoToEven) {
  EXPECT_EQ(encodeElement(DType::Float8E4M3FN, 17), encodeElement(DType::Float8E4M3FN, 16));
  EXPECT_EQ(encodeElement(DType::Float8E4M3FN, 19), encodeElement(DType::Float8E4M3FN, 20));
  EXPECT_EQ(encodeElement(DType::BFloat16, 257), encodeElement(DType::BFloat16, 256));
}

TEST(Element, OverflowIsInfinityWhereThereIsOne) {
  EXPECT_EQ(decodeElement(DType::Float8E4M3FN, encodeElement(DType::Float8E4M3FN, 1e9)), 448);
  EXPECT_EQ(decodeElement(DType::Float8E5M2, encodeElement(DType::Float8E5M2, 1e9)), INFINITY);
  EXPECT_EQ(decodeElement(DType::BFloat16, encodeElement(DType::BFloat16, -INFINITY)), -INFINITY);
}

TEST(Element, Integers) {
  EXPECT_EQ(encodeElement(DType::Int8, -1) & 0xff, 0xffU);
  EXPECT_EQ(decodeElement(DType::Int8, 0xff), -1);
  EXPECT_EQ(decodeElement(DType::Uint8, 0xff), 255);
  EXPECT_EQ(decodeElement(DType::Int64, encodeElement(DType::Int64, -5)), -5);
  EXPECT_EQ(decodeElement(DType::Uint64, ~std::uint64_t{0}), 0x1p64);
  EXPECT_EQ(decodeElement(DType::Boolean, encodeElement(DType::Boolean, 7)), 1);
}

TEST(HostArray, ElementsAreWhereTheyAreInMemory) {
  HostArray array("x", DType::Float32, {2, 3}, false);
  for (std::int64_t i = 0; i < 6; ++i) array.set(i, static_cast<double>(i) / 2);
  EXPECT_EQ(static_cast<const float*>(array.data().hostData())[5], 2.5F);
  EXPECT_EQ(array[5], 2.5);
  EXPECT_EQ(array.bytes(), 24);
}

TEST(HostArray, UniformDependsOnSeedAndNameAlone) {
  HostArray a("x", DType::Float32, {100}, false);
  HostArray longer("x", DType::Float32, {2'000'100}, false);
  HostArray other("y", DType::Float32, {100}, false);
  a.uniform(1, -2, 3), longer.uniform(1, -2, 3), other.uniform(1, -2, 3);
  double sum = 0;
  for (std::int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(a[i], longer[i]);
    EXPECT_EQ(longer[i], longer[i + 1'000'003]);
    EXPECT_NE(a[i], other[i]);
    EXPECT_GE(a[i], -2);
    EXPECT_LE(a[i], 3);
    sum += a[i];
  }
  EXPECT_NEAR(sum / 100, 0.5, 0.6);
}

TEST(HostArray, DynamicExtentsAreNotInTheSpec) {
  HostArray array("x", DType::Float16, {6, 16}, false);
  EXPECT_TRUE(array.spec().shape[1].known);
  EXPECT_EQ(array.spec().alignment, 16);
  const TensorSpec spec = array.dynamic(8).spec();
  EXPECT_FALSE(spec.shape[0].known);
  EXPECT_FALSE(spec.shape[1].known);
  EXPECT_EQ(spec.shape[1].divisor, 8);
  EXPECT_EQ(spec.stride[0].divisor, 8);
  EXPECT_TRUE(spec.stride[1].known);
  EXPECT_EQ(spec.space, cute::AddressSpace::gmem);
}

TEST(Shape, TextAndBack) {
  EXPECT_EQ(shapeText({1024, 512}), "1024x512");
  EXPECT_EQ(*parseShape("7"), CaseShape{7});
  EXPECT_EQ(*parseShape("7x13x2"), (CaseShape{7, 13, 2}));
  for (const char* wrong : {"", "x", "7x", "x7", "0", "-1", "7,8", "7X8", "99999999999999999999"}) {
    EXPECT_FALSE(parseShape(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace cutwork

// TypesTest.cpp -- the table of element types, their names, and promotion of every pair.
#include "cutwork/DSL/Types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cutwork::cute {
namespace {

std::vector<DType> all() {
  std::vector<DType> types;
  for (int i = 0; i < kDTypes; ++i) types.push_back(static_cast<DType>(i));
  return types;
}

DType ieee(int bits) {
  return bits == 16 ? DType::Float16 : bits == 32 ? DType::Float32 : DType::Float64;
}

// The rules of Types.h, written down a second time; nothing where the pair is refused.
std::optional<DType> rule(DType a, DType b) {
  if ((isFloat(a) && width(a) == 8) || (isFloat(b) && width(b) == 8)) return std::nullopt;
  if (a == b) return a == DType::Boolean ? DType::Int32 : a;
  if (a == DType::Boolean) return b;
  if (b == DType::Boolean) return a;
  if (isFloat(a) && isFloat(b)) {
    if (width(a) != width(b)) return width(a) > width(b) ? a : b;
    return ieee(width(a));
  }
  if (isFloat(b)) std::swap(a, b);
  if (isFloat(a)) {
    if (width(b) < width(a)) return a;
    return ieee(std::max(width(a), width(b)));
  }
  if (isSigned(a) == isSigned(b)) return width(a) > width(b) ? a : b;
  if (isSigned(b)) std::swap(a, b);
  return width(b) >= width(a) ? b : a;  // a is signed, b is not
}

TEST(Types, PromotionOfEveryPair) {
  for (DType a : all()) {
    for (DType b : all()) {
      std::optional<DType> want = rule(a, b);
      Expected<DType> got = promote(a, b);
      ASSERT_EQ(got.ok(), want.has_value()) << name(a) << ' ' << name(b);
      if (want) {
        EXPECT_EQ(got.value(), *want) << name(a) << ' ' << name(b);
        EXPECT_EQ(promote(b, a).value(), *want) << name(a) << ' ' << name(b);
      } else {
        EXPECT_THAT(got.error().text(), ::testing::HasSubstr("convert it first: x.to(Float32)"));
      }
    }
  }
}

TEST(Types, TheTable) {
  std::set<std::string_view> names;
  for (DType type : all()) {
    EXPECT_TRUE(names.insert(name(type)).second);
    EXPECT_TRUE(names.insert(shortName(type)).second);
    EXPECT_EQ(isFloat(type) + isInteger(type) + (type == DType::Boolean), 1) << name(type);
    EXPECT_EQ(storageBits(type) % 8, 0);
    EXPECT_GE(storageBits(type), width(type));
    // A name says the width.
    if (type == DType::Boolean) continue;
    EXPECT_NE(name(type).find(std::to_string(width(type))), std::string_view::npos) << name(type);
    EXPECT_EQ(isSigned(type), !name(type).starts_with("Uint")) << name(type);
  }
  EXPECT_EQ(width(DType::Boolean), 1);
  EXPECT_EQ(storageBits(DType::Boolean), 8);
  EXPECT_EQ(storageBits(DType::TFloat32), 32);
}

TEST(Types, NamesAreRead) {
  for (DType type : all()) {
    EXPECT_EQ(parseDType(name(type)).value(), type);
    EXPECT_EQ(parseDType(shortName(type)).value(), type);
  }
  for (std::string_view wrong : {"", "float16", "Float", "i33", "f32 "}) {
    EXPECT_FALSE(parseDType(wrong).ok()) << wrong;
  }
  EXPECT_THAT(parseDType("half").error().text(),
              ::testing::StartsWith("'half' is no element type; the types are Boolean, Int8, "));
}

}  // namespace
}  // namespace cutwork::cute

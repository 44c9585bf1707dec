// LayoutTextTest.cpp -- what ops read from the text of their layout.
#include "IR/LayoutText.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using cutwork::ir::LayoutShape;
using cutwork::ir::readLayoutText;

TEST(LayoutText, SizeAndDynamicLeaves) {
  LayoutShape plain = readLayoutText("(4,(2,3)):(1,(4,8))").value();
  EXPECT_EQ(plain.size, 24);
  EXPECT_EQ(plain.dynamicLeaves, 0U);
  LayoutShape dynamic = readLayoutText("(4,2):(?,?{i64 div=4})").value();
  EXPECT_EQ(dynamic.size, 8);
  EXPECT_EQ(dynamic.dynamicLeaves, 2U);
}

TEST(LayoutText, Refusals) {
  EXPECT_THAT(readLayoutText("(?):(1)").error().message(), testing::HasSubstr("not static"));
  EXPECT_THAT(readLayoutText("(8):(1@0)").error().message(), testing::HasSubstr("coordinates"));
  EXPECT_THAT(readLayoutText("(8):(1").error().message(), testing::HasSubstr("column"));
  EXPECT_THAT(readLayoutText("(4611686018427387904,4):(1,1)").error().message(),
              testing::HasSubstr("64 bits"));
}

}  // namespace

// AccessPlanTest.cpp -- which accesses a layout, an alignment and a width limit give.
#include "Transforms/AccessPlan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace {

using cutwork::transforms::Access;
using cutwork::transforms::planAccesses;

// The counts of the accesses, in order.
std::vector<std::int64_t> counts(std::string_view layout, int bits, std::int64_t alignment,
                                 int widest = 128) {
  std::vector<std::int64_t> out;
  for (const Access& access : planAccesses(layout, bits, alignment, widest).value())
    out.push_back(access.count);
  return out;
}

using testing::ElementsAre;

TEST(AccessPlan, ContiguousElementsAreReadAsWideAsAlignmentAndLimitAllow) {
  EXPECT_THAT(counts("(8):(1)", 16, 16), ElementsAre(8));
  EXPECT_THAT(counts("(8):(1)", 16, 4), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(counts("(8):(1)", 16, 2), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_THAT(counts("(8):(1)", 32, 64), ElementsAre(4, 4));
  EXPECT_THAT(counts("(8):(1)", 32, 64, 256), ElementsAre(8));
  EXPECT_THAT(counts("(2,2,2):(1,2,4)", 16, 16), ElementsAre(8));
  EXPECT_THAT(counts("(3):(1)", 32, 16), ElementsAre(2, 1));
}

TEST(AccessPlan, OffsetsTakeAlignmentAway) {
  EXPECT_THAT(counts("(4,2):(1,5)", 32, 16), ElementsAre(4, 1, 2, 1));
  EXPECT_THAT(counts("(4,2):(1,6)", 32, 16), ElementsAre(4, 2, 2));
}

TEST(AccessPlan, DynamicStridesCountByTheirDivisor) {
  EXPECT_THAT(counts("(4,2):(1,?{div=4})", 32, 16), ElementsAre(4, 4));
  EXPECT_THAT(counts("(4,2):(1,?{i64 div=2})", 32, 16), ElementsAre(4, 2, 2));
  EXPECT_THAT(counts("(2):(?)", 32, 16), ElementsAre(1, 1));
}

// Every element is accessed once, at its place, and no access is wider than its alignment.
TEST(AccessPlan, CoversEveryElementOnceAtItsPlace) {
  for (std::string_view layout :
       {"(8,4):(1,8)", "(3,5):(5,1)", "(2,(3,2)):(6,(1,3))", "(4,4):(0,1)", "(6):(-1)"}) {
    std::int64_t next = 0;
    for (const Access& access : planAccesses(layout, 16, 16, 128).value()) {
      EXPECT_EQ(access.first, next) << layout;
      EXPECT_LE(access.count * 2, access.alignment) << layout;
      EXPECT_EQ(access.offset * 2 % access.alignment, 0) << layout;
      next += access.count;
    }
    EXPECT_EQ(next, layout == "(6):(-1)" ? 6 : layout == "(8,4):(1,8)" ? 32 : next);
  }
}

TEST(AccessPlan, RefusesWhatHasNoAddresses) {
  EXPECT_FALSE(planAccesses("(8):(1)", 4, 16, 128).ok());
  EXPECT_FALSE(planAccesses("(?):(1)", 16, 16, 128).ok());
  EXPECT_FALSE(planAccesses("(8:1", 16, 16, 128).ok());
}

}  // namespace

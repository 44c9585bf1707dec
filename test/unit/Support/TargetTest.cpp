// TargetTest.cpp -- the table of GPU targets and the rules of which code runs where.
#include "cutwork/Support/Target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using cutwork::knownTargets;
using cutwork::Target;

TEST(Target, EveryNameRoundTrips) {
  for (std::string_view name : knownTargets()) {
    Target target = Target::parse(name);
    EXPECT_EQ(target.name(), name);
    EXPECT_GE(target.leastPtx(), 70) << name;
  }
}

TEST(Target, AnUnknownNameIsRefusedWithTheKnownOnes) {
  auto refused = Target::parse("sm_90b");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), testing::HasSubstr("sm_90b"));
  EXPECT_THAT(refused.error().message(), testing::HasSubstr("sm_90a"));
  EXPECT_FALSE(Target::parse("").ok());
  EXPECT_FALSE(Target::parse(std::string(1000, 'x')).ok());
}

TEST(Target, WhichCodeRunsWhere) {
  struct Case {
    const char* target;
    int device;
    bool ptx;
    bool cubin;
  };
  for (const Case& c : {
           Case{"sm_80", 90, true, false},
           Case{"sm_80", 86, true, true},
           Case{"sm_90", 90, true, true},
           Case{"sm_90", 89, false, false},
           Case{"sm_90a", 90, true, true},
           Case{"sm_90a", 100, false, false},
           Case{"sm_100f", 103, true, true},
           Case{"sm_100f", 120, false, false},
           Case{"sm_103f", 100, false, false},
           Case{"sm_100a", 103, false, false},
           Case{"sm_120f", 121, true, true},
       }) {
    Target target = Target::parse(c.target);
    EXPECT_EQ(target.ptxRunsOn(c.device), c.ptx) << c.target << " on " << c.device;
    EXPECT_EQ(target.cubinRunsOn(c.device), c.cubin) << c.target << " on " << c.device;
  }
}

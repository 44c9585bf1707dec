// Needs.cpp -- which targets and versions have which instructions, and which targets there are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "Programs.h"
#include "Targets.h"

namespace cutwork::sim {
namespace {

using testing::HasSubstr;

/// What is said of the statement in a module for the target; empty: it runs.
std::string saidOf(const std::string& statement, const std::string& target,
                   const std::string& version) {
  std::string text = programOf("block=32 args=in:1024", 1,
                               ".shared .align 16 .b8 m[1024];\nmov.u32 %r5, m;\n" + statement);
  text.replace(text.find("8.8"), 3, version);
  text.replace(text.find("sm_90"), 5, target);
  const Outcome outcome = runProgram(text, false, {}, target.c_str());
  return outcome.problem + textOf(outcome);
}

struct Row {
  const char* statement;
  const char* target;  ///< the least that has it
  const char* below;   ///< one that has not
  const char* version;
  const char* before;  ///< a version that has it not, or null
};
/// ptxas 13.0 takes each for `target` and `version`, and for neither of the others.
constexpr Row kRows[] = {
    {"elect.sync %r1|%p1, -1;", "sm_90", "sm_89", "8.0", "7.8"},
    {"mapa.shared::cluster.u32 %r1, %r5, 0;", "sm_90", "sm_86", "7.8", nullptr},
    {"barrier.cluster.arrive;\nbarrier.cluster.wait;", "sm_90", "sm_80", "7.8", nullptr},
    {"barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;", "sm_90", "sm_80", "8.0", "7.8"},
    {"add.bf16 %h1, %h2, %h3;", "sm_90", "sm_89", "7.8", nullptr},
    {"fma.rn.bf16 %h1, %h2, %h3, %h4;", "sm_80", "sm_75", "7.0", nullptr},
    {"min.xorsign.abs.f32 %f1, %f2, %f3;", "sm_86", "sm_80", "7.2", "7.1"},
    {"add.u16x2 %r1, %r2, %r3;", "sm_90", "sm_89", "8.0", "7.8"},
    {"redux.sync.add.u32 %r1, %r2, -1;", "sm_80", "sm_75", "7.0", nullptr},
    {"cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;", "sm_89", "sm_86", "8.1", nullptr},
    {"cvt.rn.bf16.u32 %h1, %r2;", "sm_90", "sm_89", "7.8", nullptr},
    {"cvt.ftz.f32.bf16 %f1, %h2;", "sm_90", "sm_89", "7.8", nullptr},
    {"cvt.f32.bf16 %f1, %h2;", "sm_80", "sm_75", "7.1", "7.0"},
    {"cvt.rn.satfinite.f16.f32 %h1, %f2;", "sm_80", nullptr, "8.1", "8.0"},
    {"red.global.add.noftz.bf16x2 [%rd0], %r2;", "sm_90", "sm_89", "7.8", nullptr},
    {"red.global.add.v2.f32 [%rd0], {%f1, %f2};", "sm_90", "sm_89", "8.1", "8.0"},
    {"ld.relaxed.cluster.global.u32 %r1, [%rd0];", "sm_90", "sm_89", "7.8", nullptr},
    {"ld.shared::cta.u32 %r1, [%r5];", "sm_80", nullptr, "7.8", "7.4"},
    {"ld.global.L2::256B.u32 %r1, [%rd0];", "sm_80", "sm_75", "7.4", "7.3"},
    {"fence.acq_rel.cluster;", "sm_90", "sm_89", "7.8", nullptr},
    {"fence.proxy.async;", "sm_90", "sm_89", "8.0", "7.8"},
    {"griddepcontrol.wait;", "sm_90", "sm_89", "7.8", nullptr},
    {"mov.u32 %r1, %cluster_ctarank;", "sm_90", "sm_89", "7.8", nullptr},
    {"mov.u32 %r1, %aggr_smem_size;", "sm_90", "sm_89", "8.1", "8.0"},
    {"szext.wrap.u32 %r1, %r2, %r3;", "sm_75", nullptr, "7.6", "7.5"},
    {"add.rn.f32x2 %rd1, %rd2, %rd3;", "sm_100", "sm_90", "8.6", nullptr},
    {"min.f32 %f1, %f2, %f3, %f4;", "sm_100", "sm_90", "8.8", "8.6"},
    {"redux.sync.min.f32 %f1, %f2, -1;", "sm_100a", "sm_100", "8.6", nullptr},
    {"redux.sync.min.f32 %f1, %f2, -1;", "sm_100f", "sm_120a", "8.8", nullptr},
    {"cvt.rn.satfinite.e2m3x2.f32 %h1, %f1, %f2;", "sm_120a", "sm_120", "8.7", nullptr},
    {"cvt.rs.f16x2.f32 %r1, %f1, %f2, %r3;", "sm_103a", "sm_100f", "8.8", nullptr},
    {"stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r5], {%r1};", "sm_100a", "sm_100", "8.6",
     nullptr},
    {"st.bulk.shared::cta [%r5], 16, 0;", "sm_100", "sm_90", "8.6", nullptr},
    {"mbarrier.init.shared.b64 [%r5], 64;\nmbarrier.arrive.shared.b64 %rd1, [%r5], 2;", "sm_90",
     "sm_80", "7.8", nullptr},
    {"mbarrier.init.shared.b64 [%r5], 64;\nmbarrier.arrive.noComplete.shared.b64 %rd1, [%r5], 1;",
     "sm_80", "sm_75", "7.0", nullptr},
};

TEST(Needs, TargetsAndVersions) {
  for (const Row& row : kRows) {
    EXPECT_EQ(saidOf(row.statement, row.target, row.version), "") << row.statement;
    if (row.below != nullptr) {
      const std::string said = saidOf(row.statement, row.below, "9.0");
      EXPECT_THAT(said, HasSubstr("instruction not known here")) << row.statement;
      EXPECT_THAT(said, HasSubstr("it needs sm_")) << row.statement;
      EXPECT_THAT(said, HasSubstr(std::string("and the module is for ") + row.below));
    }
    if (row.before != nullptr) {
      EXPECT_THAT(saidOf(row.statement, row.target, row.before),
                  HasSubstr(std::string("it needs PTX ") + row.version +
                            " or later, and the module's .version is " + row.before))
          << row.statement;
    }
  }
}

TEST(Needs, TargetsOfDevices) {
  for (const std::string_view name : deviceTargets()) {
    ASSERT_TRUE(targetNamed(name).has_value()) << name;
    EXPECT_EQ(targetNamed(name)->name(), name);
    EXPECT_TRUE(runsOn(name, name));
    EXPECT_GT(deviceProperties(name).limits.sharedMemoryPerBlock, 0);
  }
  EXPECT_THAT(saidOf("", "sm_90", "7.7"),
              HasSubstr("has .version 7.7, and sm_90 is a target from 7.8 on"));
  EXPECT_THAT(saidOf("", "sm_110", "8.8"), HasSubstr("sm_110 is a target from 9.0 on"));
  EXPECT_TRUE(runsOn("sm_75", "sm_87"));
  EXPECT_TRUE(runsOn("sm_60", "sm_75"));
  EXPECT_FALSE(runsOn("sm_80", "sm_75"));
  EXPECT_FALSE(runsOn("sm_100a", "sm_110a"));
  EXPECT_TRUE(runsOn("sm_110f", "sm_110a"));
  EXPECT_FALSE(runsOn("sm_100f", "sm_110f"));
  for (const char* name :
       {"", "sm_", "sm_9", "sm_90b", "sm_90aa", "compute_90", "sm_-90", "sm_a"}) {
    EXPECT_FALSE(targetNamed(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace cutwork::sim

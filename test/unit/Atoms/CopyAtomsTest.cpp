// CopyAtomsTest.cpp -- the table of copy instructions: widths of each target, texts of refusals.
#include "cutwork/Atoms/CopyAtoms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <string>

namespace cutwork::cute {
namespace {

TEST(CopyAtoms, RowsAreInOrderAndComplete) {
  std::map<CopyKind, int> last;
  for (const CopyInstruction& row : copyInstructions()) {
    bool universal = row.kind == CopyKind::Universal;
    EXPECT_GT(row.bits, last[row.kind]) << "ascending";
    EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(row.bits)));
    EXPECT_EQ(row.name, universal ? "CopyUniversalOp" : "CopyG2SOp");
    EXPECT_TRUE(row.ptx.starts_with(universal ? "ld.$space." : "cp.async.c")) << row.ptx;
    EXPECT_GE(row.leastCapability, 80);
    last[row.kind] = row.bits;
  }
  EXPECT_EQ(last[CopyKind::Universal], 256);
  EXPECT_EQ(last[CopyKind::AsyncAlways], 128);
  EXPECT_EQ(last[CopyKind::AsyncGlobal], 128);
}

TEST(CopyAtoms, WidthsOfEveryTarget) {
  for (std::string_view name : knownTargets()) {
    Target target = Target::parse(name);
    int widest = target.capability >= 100 ? 256 : 128;
    EXPECT_EQ(widestCopy(CopyKind::Universal, target), widest) << name;
    for (int bits = -8; bits <= 1024; ++bits) {
      bool exists = bits >= 8 && bits <= widest && std::has_single_bit(static_cast<unsigned>(bits));
      EXPECT_EQ(checkCopy(CopyKind::Universal, bits, target).ok(), exists) << name << ' ' << bits;
      bool async = bits == 32 || bits == 64 || bits == 128;
      EXPECT_EQ(checkCopy(CopyKind::AsyncAlways, bits, target).ok(), async) << name << ' ' << bits;
      EXPECT_EQ(checkCopy(CopyKind::AsyncGlobal, bits, target).ok(), bits == 128) << bits;
    }
  }
}

TEST(CopyAtoms, ARefusalSaysWhatThereIs) {
  auto text = [](int bits, std::string_view target) {
    Target parsed = Target::parse(target);
    return checkCopy(CopyKind::Universal, bits, parsed).error().text();
  };
  EXPECT_EQ(text(256, "sm_90a"),
            "no copy of 256 bits at once on sm_90a; there are 8, 16, 32, 64, 128");
  EXPECT_EQ(text(96, "sm_100a"),
            "no copy of 96 bits at once on sm_100a; there are 8, 16, 32, 64, 128, 256");
  Target target = Target::parse("sm_80");
  EXPECT_EQ(checkCopy(CopyKind::AsyncAlways, 16, target).error().text(),
            "no cp.async copy of 16 bits at once on sm_80; there are 32, 64, 128");
  EXPECT_EQ(checkCopy(CopyKind::AsyncGlobal, 64, target).error().text(),
            "no cp.async copy past L1 of 64 bits at once on sm_80; there is 128");
}

}  // namespace
}  // namespace cutwork::cute

// CopyAtomsTest.cpp -- the table of copy instructions: widths of each target, texts of refusals.
#include "cutwork/Atoms/CopyAtoms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>

namespace cutwork::cute {
namespace {

TEST(CopyAtoms, RowsAreInOrderAndComplete) {
  int last = 0;
  for (const CopyInstruction& row : copyInstructions()) {
    EXPECT_GT(row.bits, last) << "ascending";
    EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(row.bits)));
    EXPECT_EQ(row.name, "CopyUniversalOp");
    EXPECT_TRUE(row.ptx.starts_with("ld.$space.")) << row.ptx;
    EXPECT_GE(row.leastCapability, 80);
    last = row.bits;
  }
  EXPECT_EQ(last, 256);
}

TEST(CopyAtoms, WidthsOfEveryTarget) {
  for (std::string_view name : knownTargets()) {
    Target target = Target::parse(name);
    int widest = target.capability >= 100 ? 256 : 128;
    EXPECT_EQ(widestCopy(CopyKind::Universal, target), widest) << name;
    for (int bits = -8; bits <= 1024; ++bits) {
      bool exists = bits >= 8 && bits <= widest && std::has_single_bit(static_cast<unsigned>(bits));
      EXPECT_EQ(checkCopy(CopyKind::Universal, bits, target).ok(), exists) << name << ' ' << bits;
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
}

}  // namespace
}  // namespace cutwork::cute

// Reports.cpp -- what users of other implementations have reported, as tests: reports R1 to R14.
#include <gtest/gtest.h>

#include <array>

#include "Evaluated.h"
#include "cutwork/Layout/Composition.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/Recast.h"
#include "cutwork/Layout/Recording.h"
#include "cutwork/Layout/Slice.h"

namespace cutwork::cute {
namespace {

std::string valuesOf(const std::string& layout) { return evaluated("evaluate", {layout}); }

TEST(Reports, R1NoGroupingHasTheValues) {
  std::string refusal = evaluated("composition", {"(4,6,8):(2,3,5)", "6:3"});
  EXPECT_TRUE(refusal.starts_with("refused: composition: ")) << refusal;
  EXPECT_EQ(evaluated("composition", {"(4,6,8):(2,3,5)", "4:1"}), "4:2");
}

TEST(Reports, R2StrideAcrossTwoModes) {
  std::string composed = evaluated("composition", {"(10,2):(16,4)", "(3,4):(1,5)"});
  EXPECT_EQ(composed, "(3,(2,2)):(16,(80,4))");
  EXPECT_EQ(valuesOf(composed), "[0,16,32,80,96,112,4,20,36,84,100,116]");
}

TEST(Reports, R3BasisStridesWithARuntimeExtent) {
  const std::string a = "(4096,8192):(1,4096)";
  const std::string expected = ":(1,32768,4096,32)";
  EXPECT_EQ(evaluated("composition", {a, "(32,?,8,128):(1@0,8@1,1@1,32@0)"}),
            "(32,?,8,128)" + expected);
  EXPECT_EQ(evaluated("composition", {a, "(32,1024,8,128):(1@0,8@1,1@1,32@0)"}),
            "(32,1024,8,128)" + expected);
}

TEST(Reports, R6SwizzledRows) {
  std::string values;
  for (int n = 0; n < 8; ++n) {
    values +=
        evaluated("crd2idx", {"(0," + std::to_string(n) + ")", "S<3,4,3> o 0 o (32,8):(1,32)"}) +
        " ";
  }
  EXPECT_EQ(values, "0 32 64 96 144 176 208 240 ");
}

TEST(Reports, R9CoordinatesOfIndices) {
  EXPECT_EQ(evaluated("idx2crd", {"11", "(5,4)"}), "(1,2)");
  EXPECT_EQ(evaluated("idx2crd", {"7", "(1,(2,2))", "(0,(1,2))"}), "(0,(1,1))");
}

TEST(Reports, R10WrongArgumentsAreRefusedInWords) {
  EXPECT_EQ(evaluated("crd2idx", {"(4,8):(1,4)", "(1,2)"}).substr(0, 40),
            "refused: crd2idx: operand 1 is no tuple:");
  EXPECT_EQ(evaluated("crd2idx", {"(1,2,3)", "(4,8):(1,4)"}),
            "refused: crd2idx: the coordinate (1,2,3) does not fit the shape (4,8) [(1,2,3) and "
            "(4,8):(1,4)]");
}

TEST(Reports, R11TilerByLayoutAndByShape) {
  const std::string a = "(12,32):(1,12)";
  std::string byLayout = evaluated("logical_divide", {a, "(4,8):(1,4)"});
  EXPECT_EQ(evaluated("size", {evaluated("get", {byLayout, "(1)"})}), "12") << byLayout;
  EXPECT_EQ(evaluated("zipped_divide", {a, "(4,8)"}), "((4,8),(3,4)):((1,12),(4,96))");
  const std::string expected = "((2,2),(2,3)):((4,1),(2,8))";
  EXPECT_EQ(evaluated("logical_divide", {"(4,2,3):(2,1,8)", "4:2"}), expected);
  EXPECT_EQ(evaluated("logical_divide", {"(2,4,3):(4,1,8)", "4:1"}), expected);
}

TEST(Reports, R13RecastOfRuntimeLayouts) {
  EXPECT_EQ(evaluated("recast_layout", {"32", "16", "16:1"}), "8:1");
  EXPECT_EQ(evaluated("recast_layout", {"32", "16", "?{div=2}:1"}), "?:1");
  EXPECT_EQ(evaluated("recast_layout", {"32", "16", "?{div=8}:1"}), "?{div=4}:1");
  EXPECT_EQ(evaluated("recast_layout", {"32", "16", "16:?"}),
            "refused: recast_layout: it is not known whether the stride ? is a multiple of 2 [32 "
            "and 16 and 16:?]");
  EXPECT_EQ(evaluated("recast_layout", {"32", "16", "?:1"}),
            "refused: recast_layout: it is not known whether the extent ? is divisible by 2, the "
            "coordinates "
            "that fall together [32 and 16 and ?:1]");
}

TEST(Reports, R13TheExtentIsHalved) {
  RecordingEvaluator evaluator;
  Int extent = evaluator.input(Width::I32, 2);
  Layout halves = upcast(Layout::leaf(extent, IntTuple(1)), 2);
  EXPECT_EQ(evaluator.substitute(halves, std::array<std::int64_t, 1>{14})->text(), "7:1");
}

constexpr std::int64_t k2To32 = std::int64_t{1} << 32;

TEST(Reports, R14AnOffsetOverARuntimeStrideHas64Bits) {
  RecordingEvaluator evaluator;
  Int stride = evaluator.input();
  auto moved = domain_offset(IntTuple(1 << 30), AnyLayout(Layout::leaf(1 << 30, IntTuple(stride))));
  Int offset = moved->offset.value();
  EXPECT_EQ(offset.width(), Width::I64);
  EXPECT_EQ(*evaluator.evaluate(offset, std::array<std::int64_t, 1>{4}), k2To32);
}

TEST(Reports, R14AnInt32RowHasA64BitByteOffset) {
  RecordingEvaluator evaluator;
  Int row = evaluator.input();
  IntTuple offset = crd2idx(IntTuple{row, 0}, Layout::make(IntTuple{1 << 30, 4}, IntTuple{4, 1}));
  Int bytes = offset.value() * 2;
  EXPECT_EQ(bytes.width(), Width::I64);
  EXPECT_EQ(*evaluator.evaluate(bytes, std::array<std::int64_t, 1>{1 << 29}), k2To32);
}

TEST(Reports, R14TheLastElementOfAMatrixBeyond32Bits) {
  constexpr std::int64_t kExtent = 65384;
  RecordingEvaluator evaluator;
  Int rows = evaluator.input();
  Int columns = evaluator.input();
  Int i = evaluator.input();
  Int j = evaluator.input();
  Layout matrix = Layout::make(IntTuple{rows, columns}, IntTuple{columns, 1});
  std::array<std::int64_t, 4> inputs{kExtent, kExtent, kExtent - 1, kExtent - 1};
  IntTuple index = crd2idx(IntTuple{i, j}, matrix);
  EXPECT_EQ(index.value().width(), Width::I64);
  EXPECT_EQ(*evaluator.evaluate(index.value(), inputs), kExtent * kExtent - 1);
}

// Extents and strides beyond 32 bits, everything static.
TEST(Reports, R15ExtentsAndStridesBeyond32Bits) {
  EXPECT_EQ(evaluated("make_layout_right", {"(2,65536,65536)"}),
            "(2,65536,65536):(4294967296,65536,1)");
  EXPECT_EQ(evaluated("make_layout_right", {"(?,65536,65536)"}),
            "(?,65536,65536):(4294967296,65536,1)");
  EXPECT_EQ(evaluated("crd2idx", {"(1,65535,65535)", "(2,65536,65536):(4294967296,65536,1)"}),
            "8589934591");
  EXPECT_EQ(evaluated("coalesce", {"(65536,65536,2):(1,65536,4294967296)"}), "8589934592:1");
  EXPECT_EQ(evaluated("zipped_divide", {"(3000000000,4):(4,1)", "(1000000000,2)"}),
            "((1000000000,2),(3,2)):((4,1),(4000000000,2))");
  EXPECT_EQ(evaluated("composition", {"(3000000000,4):(4,1)", "2:6000000000"}), "2:2");
  EXPECT_EQ(evaluated("complement", {"2:4294967296", "8589934592"}), "4294967296:1");
  EXPECT_EQ(evaluated("right_inverse", {"(3000000000,4):(4,1)"}), "(4,3000000000):(3000000000,1)");
  EXPECT_EQ(evaluated("blocked_product", {"4294967296:1", "3:1"}),
            "((4294967296,3)):((1,4294967296))");
}

}  // namespace
}  // namespace cutwork::cute

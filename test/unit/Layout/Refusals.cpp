// Refusals.cpp -- what refusals say: the operation, the mode, the broken rule, the operands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Evaluated.h"

namespace cutwork::cute {
namespace {

struct Row {
  std::string operation;
  std::vector<std::string> operands;
  std::string rule;  // with the mode in front
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.operation; }

class Refusals : public testing::TestWithParam<Row> {};

bool isTupleOrLayout(const std::string& operand) {
  return operand.find_first_of("(:") != std::string::npos && operand != "(1,_)";
}

// "operation: mode 1: rule [operand and operand]".
TEST_P(Refusals, NameOperationModeRuleAndOperands) {
  const Row& row = GetParam();
  std::string message = evaluated(row.operation, row.operands);
  ASSERT_TRUE(message.starts_with("refused: " + row.operation + ": ")) << message;
  EXPECT_NE(message.find(": " + row.rule), std::string::npos) << message << "\n" << row.rule;
  ASSERT_NE(message.find('['), std::string::npos) << message << " shows no operands";
  std::string operands = message.substr(message.find('['));
  bool listsModes = row.operation == "select" || row.operation == "get";
  for (const std::string& operand : row.operands) {
    bool shown =
        operands.find(operand) != std::string::npos || !isTupleOrLayout(operand) || listsModes;
    EXPECT_TRUE(shown) << operand << " is not in " << operands;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Algebra, Refusals,
    testing::Values(
        Row{"coalesce",
            {"(4,2):(1,4)", "(1,1,1)"},
            "the profile (1,1,1) has more modes than (4,2):(1,4)"},
        Row{"coalesce",
            {"(4,2):(1,4)", "((1,1),1)"},
            "mode 0: the profile (1,1) has more modes than 4:1"},
        Row{"composition",
            {"(4,6,8):(2,3,5)", "6:3"},
            "the extent 4 is not divisible by the step 3 of 6:3"},
        Row{"composition",
            {"(4,2):(1,100)", "(4,4):(1,2)"},
            "the modes together reach 5 in a mode of extent 4, so that adding them carries"},
        Row{"composition",
            {"(4,2):(1,100)", "4:-1"},
            "the negative stride of 4:-1 runs through several modes"},
        Row{"composition",
            {"(4,2):(1,100)", "(2,3,1)"},
            "the tiler (2,3,1) has more modes than (4,2):(1,100)"},
        Row{"composition",
            {"(4,8):(1,4)", "2:1@2"},
            "the basis stride 1@2 names no mode of (4,8):(1,4)"},
        Row{"composition",
            {"(4,8):(1,4)", "(2,2):(1@0,1)"},
            "mode 1: integer and basis strides are mixed"},
        Row{"composition",
            {"(4,8):(1,4)", "(2,2):(1@0,1@0@0)"},
            "mode 1: the basis strides 1@0 and 1@0@0 name overlapping modes"},
        Row{"composition",
            {"(4,8):(1,4)", "S<2,0,2> o 1 o 8:1"},
            "only a plain layout after a swizzled one with offset 0 is supported"},
        Row{"composition",
            {"(3,8):(1,4)", "S<2,0,2> o 0 o 8:1"},
            "the swizzle S<2,0,2> can not move through (3,8):(1,4), which does not map bits to "
            "bits"},
        Row{"complement", {"(4,2):(1,-8)"}, "the stride -8 is negative"},
        Row{"complement",
            {"(4,2):(1,3)"},
            "the stride 3 lies before 4, where the modes before it end: the layout is not "
            "injective"},
        Row{"complement",
            {"(4,2):(1,4)", "(4,0)"},
            "the cotarget (4,0) is not made of positive integers"},
        Row{"complement",
            {"(4,?):(1,?)"},
            "it is not known how the stride ? compares with the others"},
        Row{"right_inverse",
            {"(4,?):(1,?)"},
            "it is not known whether the stride ? is 1, which would continue the inverse"},
        Row{"left_inverse", {"(4,2):(2,3)"}, "the stride 3 is not divisible by the stride 2"},
        Row{"left_inverse", {"(4,2):(1,-6)"}, "the stride -6 is negative"},
        Row{"left_inverse",
            {"(4,?):(1,?)"},
            "it is not known how the stride ? compares with the others"},
        Row{"logical_divide",
            {"(6,8):(8,1)", "(3,4,5)"},
            "the tiler (3,4,5) has more modes than (6,8):(8,1)"},
        Row{"zipped_divide",
            {"(6,8):(8,1)", "(3,_)"},
            "mode 1: 8:1 is no pair of a tile and its rest, which a hole needs"},
        Row{"logical_product",
            {"(4,2):(1,3)", "2:1"},
            "the stride 3 lies before 4, where the modes before it end: the layout is not "
            "injective"},
        Row{"logical_product",
            {"(4,2):(1,8)", "(2,3,4)"},
            "the tiler (2,3,4) has more modes than (4,2):(1,8)"},
        Row{"blocked_product",
            {"(4):(1)", "3:1"},
            "the tiler 3:1 is an integer on a tuple of one mode; write it as a tuple too"},
        Row{"raked_product",
            {"(4,1):(8,32)", "(7,4):(1,7)"},
            "mode 1: the extent 8 is not divisible by the step 7 of 4:7"},
        Row{"tile_to_shape",
            {"(2,2):(1,2)", "(8,7)"},
            "mode 1: the extent 7 is not divisible by the block's 2"},
        Row{"tile_to_shape",
            {"(2,2,2):(1,2,4)", "(8,8)"},
            "the block (2,2,2):(1,2,4) has more modes than the target (8,8)"},
        Row{"tile_to_shape",
            {"(2,2):(1,2)", "(8,8)", "(0,1,2)"},
            "make_ordered_layout: the order (0,1,2) does not fit the shape (4,4)"},
        Row{"slice", {"(_,1,2)", "(4,8):(1,4)"}, "the coordinate (_,1,2) does not fit (4,8)"},
        Row{"slice", {"((_,1),2)", "(4,8):(1,4)"}, "mode 0: the coordinate (_,1) does not fit 4"},
        Row{"dice", {"(_,1,2)", "(4,8)"}, "the coordinate (_,1,2) does not fit (4,8)"},
        Row{"slice_and_offset",
            {"(_,(1,2))", "(4,(8,2,3)):(1,(4,1,1))"},
            "mode 1: the coordinate (1,2) does not fit (8,2,3)"},
        Row{"domain_offset",
            {"(1,2,3)", "(4,8):(1,4)"},
            "crd2idx: the coordinate (1,2,3) does not fit the shape (4,8)"},
        Row{"crd2idx",
            {"(1,2,3)", "(4,8):(1,4)"},
            "the coordinate (1,2,3) does not fit the shape (4,8)"},
        Row{"crd2idx",
            {"(1,-9)", "(4,(2,4)):(1,(4,8))"},
            "mode 1: the negative coordinate -9 has no place in (2,4)"},
        Row{"crd2idx", {"1@0", "(4,8):(1,4)"}, "the coordinate 1@0 is not an integer"}));

INSTANTIATE_TEST_SUITE_P(
    More, Refusals,
    testing::Values(
        Row{"idx2crd", {"(1,2)", "(4,5,6)"}, "the index (1,2) does not fit the shape (4,5,6)"},
        Row{"idx2crd", {"-1", "(4,5)"}, "the negative coordinate -1 has no place in (4,5)"},
        Row{"idx2crd", {"3", "(4,5)", "(1,(4,5))"}, "shape and stride have different profiles"},
        Row{"increment_coord",
            {"(1,2)", "(4,5,6)"},
            "the coordinate (1,2) is not congruent to the shape (4,5,6)"},
        Row{"select", {"(2,3,5)", "(0,3)"}, "there is no mode 3 in (2,3,5), which has rank 3"},
        Row{"get", {"(2,(3,5))", "(1,2)"}, "there is no mode 2 in (3,5), which has rank 2"},
        Row{"take",
            {"(2,3,5)", "1", "4"},
            "there are no modes 1 to 4 in (2,3,5), which has rank 3"},
        Row{"group",
            {"(2,3,5)", "2", "1"},
            "there are no modes 2 to 1 in (2,3,5), which has rank 3"},
        Row{"append", {"(2,3)", "1", "70000"}, "70000 is no rank"},
        Row{"upcast",
            {"(4,6):(1,3)", "2"},
            "mode 1: neither of the stride 3 and 2 divides the other"},
        Row{"upcast",
            {"(4,6):(1,?)", "2"},
            "mode 1: it is not known whether the stride ? is a multiple of 2"},
        Row{"upcast", {"4:1@0", "2"}, "the values are coordinates, not offsets of elements"},
        Row{"upcast", {"4:1", "0"}, "0 is no number of elements"},
        Row{"downcast", {"(4,6):(?,4)", "2"}, "mode 0: it is not known whether the stride ? is 1"},
        Row{"recast_layout", {"32", "0", "4:1"}, "elements of 32 and 0 bits"},
        Row{"recast_layout",
            {"24", "8", "S<2,2,3> o 0 o 9:1"},
            "a swizzle is recast by powers of two, not by 3"},
        Row{"make_ordered_layout",
            {"(4,2)", "(0,1,2)"},
            "the order (0,1,2) does not fit the shape (4,2)"},
        Row{"make_ordered_layout",
            {"(4,2)", "(0,?)"},
            "mode 1: the order ? is not a static integer"},
        Row{"make_ordered_layout",
            {"(4,(2,3))", "(0,(1,2,3))"},
            "mode 1: the order (1,2,3) does not fit the shape (2,3)"},
        Row{"make_layout_like", {"(4,2):(1@0,1@1)"}, "the stride (1@0,1@1) is a coordinate"},
        Row{"make_layout_image_mask",
            {"(4,2):(1,4)", "(1,1)", "2"},
            "there is no mode 2 in coordinate (1,1) and layout"},
        Row{"local_tile",
            {"(8,6):(6,1)", "(4,3)", "(1,_)", "(1,_,1)"},
            "the projection (1,_,1) does not fit the tiler (4,3)"},
        Row{"local_tile",
            {"(8,6):(6,1)", "(4,3)", "(1,_,2)"},
            "slice_and_offset: mode 1: the coordinate (1,_,2) does not fit (2,2)"},
        Row{"local_partition",
            {"(8,8):(1,8)", "(2,4,2):(1,2,8)", "3"},
            "zipped_divide: the tiler (2,4,2) has more modes than (8,8):(1,8)"},
        Row{"tiler_to_layout", {"(4,_)"}, "a hole has no layout"},
        Row{"ceil_div", {"(10,6)", "(3,0)"}, "mode 1: the divisor 0 is not positive"},
        Row{"ceil_div", {"(10,6)", "(3,4,5)"}, "(3,4,5) has more modes than (10,6)"},
        Row{"shape_div", {"(6,4)", "(4,2)"}, "mode 0: neither of 6 and 4 divides the other"},
        Row{"round_up", {"(6,4)", "(4,(2,1))"}, "mode 1: (2,1) does not fit the modes of 4"},
        Row{"inner_product", {"(1,2)", "(1,(2,3))"}, "mode 1: 2 and (2,3) have different profiles"},
        Row{"elem_less", {"(1,2)", "(1,2,3)"}, "(1,2) and (1,2,3) are not congruent"},
        Row{"domain_distribute", {"(4,?)", "2"}, "the shape (4,?) is not static"},
        Row{"domain_distribute", {"(4,2)", "0"}, "0 is no number of coordinates"},
        Row{"max_common_layout",
            {"(4,6,8):(2,3,5)", "(6,3):(3,1)"},
            "mode 0: the step 6 of 3:6 is not divisible by the extent 4"},
        Row{"swizzle_apply",
            {"S<3,4,2>", "0", "4"},
            "operand 1 is no swizzle: make_swizzle: the bits that are read and written overlap: "
            "|shift| is at least bits"},
        Row{"filter_zeros",
            {"(4,2):(1,4)", "((1,1),1)"},
            "mode 0: the profile (1,1) has more modes than 4"}));

class WordedRefusals : public testing::TestWithParam<Row> {};

// Where the rule comes from below the operation, or the text cannot be read.
TEST_P(WordedRefusals, AreAsWorded) {
  const Row& row = GetParam();
  std::string answer = evaluated(row.operation, row.operands);
  EXPECT_THAT(answer, testing::HasSubstr(row.rule));
  // A request for no known operation, or with another number of operands, has nothing to show.
  if (answer.find("there is no operation") != std::string::npos ||
      answer.find(" takes ") != std::string::npos) {
    return;
  }
  EXPECT_THAT(answer, testing::StartsWith("refused: " + row.operation + ": "));
  EXPECT_THAT(answer, testing::EndsWith("]")) << "the operands stand at the end";
}

INSTANTIATE_TEST_SUITE_P(
    Algebra, WordedRefusals,
    testing::Values(
        Row{"evaluate",
            {"(4194304,2):(1,1)"},
            "evaluate: (4194304,2):(1,1) has 8388608 values, more than 1048576"},
        Row{"evaluate", {"(4,?):(1,4)"}, "evaluate: the layout (4,?):(1,4) is not static"},
        Row{"make_layout",
            {"(4,(2,3))", "(1,4)"},
            "make_layout: shape (4,(2,3)) and stride (1,4) have different profiles"},
        Row{"make_layout", {"(4,0)"}, "make_layout: extents are positive, but the shape is (4,0)"},
        Row{"make_layout",
            {"(4,-2)", "(1,4)"},
            "make_layout: extents are positive, but the shape is (4,-2)"},
        Row{"make_layout",
            {"(4,_)"},
            "make_layout: the shape (4,_) has an entry that is no integer"},
        Row{"make_layout", {"(4,2)", "(1,_)"}, "make_layout: the stride (1,_) has a hole"},
        Row{"compatible",
            {"(4,?)", "(4,(2,2))"},
            "it is not known whether the shapes are compatible"},
        Row{"swizzle_apply",
            {"S<3,4,3>", "4", "0"},
            "swizzle_apply: the range 4 to 0 is not one of at most 1048576 values from 0 on"},
        Row{"size",
            {"(4,(2)"},
            "size: operand 1 is no tuple: column 7: expected ',', found the end"},
        Row{"size",
            {"(4,2))"},
            "size: operand 1 is no tuple: column 6: expected the end, found ')'"},
        Row{"size",
            {"4@300"},
            "size: operand 1 is no tuple: column 6: a basis element has at most 7 modes from 0 to "
            "255"},
        Row{"size", {"?{div=0}"}, "size: operand 1 is no tuple: column 8: a divisor is at least 1"},
        Row{"size",
            {"(0,4)"},
            "size: operand 1 is no shape: extents are positive integers, not (0,4)"},
        Row{"size",
            {"(2,_)"},
            "size: operand 1 is no shape: extents are positive integers, not (2,_)"},
        Row{"idx2crd",
            {"5", "(4,0)"},
            "idx2crd: operand 2 is no shape: extents are positive integers, not (4,0)"},
        Row{"crd2idx",
            {"5", "(4,-1)"},
            "crd2idx: operand 2 is no shape: extents are positive integers, not (4,-1)"},
        Row{"increment_coord",
            {"(0,0)", "(2,0)"},
            "increment_coord: operand 2 is no shape: extents are positive integers, not (2,0)"},
        Row{"colesce", {"4:1"}, "there is no operation 'colesce'; did you mean 'coalesce'?"},
        Row{"coalesce",
            {"4:1", "1", "2"},
            "coalesce takes layout[, profile]; 3 operands are given"}));

}  // namespace
}  // namespace cutwork::cute

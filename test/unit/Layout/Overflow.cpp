// Overflow.cpp -- what does not fit in 64 bits is refused wherever numbers are multiplied or added.
#include <gtest/gtest.h>

#include "Evaluated.h"

namespace cutwork::cute {
namespace {

struct Row {
  std::string operation;
  std::vector<std::string> operands;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.operation; }

class Overflow : public testing::TestWithParam<Row> {};

TEST_P(Overflow, IsRefused) {
  const Row& row = GetParam();
  std::string answer = evaluated(row.operation, row.operands);
  EXPECT_TRUE(answer.starts_with("refused: ")) << answer;
  EXPECT_NE(answer.find("does not fit in 64 bits"), std::string::npos) << answer;
}

const std::string kHalf = "4611686018427387904";  // 2^62
const std::string kMax = "9223372036854775807";   // 2^63 - 1

INSTANTIATE_TEST_SUITE_P(
    Tuples, Overflow,
    testing::Values(
        Row{"size", {"(" + kHalf + ",2)"}}, Row{"product", {"((" + kHalf + "),2)"}},
        Row{"product_each", {"((" + kHalf + ",2),1)"}},
        Row{"prefix_product", {"(" + kHalf + ",2,1)"}},
        Row{"inner_product", {"(" + kHalf + ",1)", "(2,1)"}},
        Row{"inner_product", {"(" + kMax + ",1)", "(1,1)"}}, Row{"round_up", {kMax, "4"}},
        Row{"ceil_div", {kMax, "(" + kHalf + ",2)"}}, Row{"shape_div", {"4", "(" + kHalf + ",2)"}},
        Row{"idx2crd", {"1", "((" + kHalf + ",2),2)"}}, Row{"increment_coord", {kMax, "4"}},
        Row{"cosize", {"2:" + kMax}}, Row{"cosize", {"(" + kHalf + ",2):(2,1)"}},
        Row{"cosize", {"(4,4):(" + kHalf + "@0,1@1)"}},
        Row{"coshape", {"(3,2):(" + kHalf + "@0,1@1)"}}, Row{"crd2idx", {"2", "4:" + kHalf}},
        Row{"crd2idx", {"(1,1)", "(2,2):(" + kHalf + "," + kHalf + ")"}},
        Row{"crd2idx", {"1", "((" + kHalf + ",2),2)"}}));

INSTANTIATE_TEST_SUITE_P(
    Layouts, Overflow,
    testing::Values(
        Row{"make_layout", {"(" + kHalf + ",2)"}}, Row{"make_layout_left", {"(" + kHalf + ",4,1)"}},
        Row{"make_layout_right", {"(2," + kHalf + ")"}},
        Row{"make_ordered_layout", {"(" + kHalf + ",2,3)", "(0,1,2)"}},
        Row{"make_layout_like", {"(" + kHalf + ",2):(1,3)"}},
        Row{"composition", {"8:" + kHalf, "4:2"}},
        Row{"composition", {"(2,8):(1," + kHalf + ")", "4:4"}}, Row{"complement", {"2:" + kHalf}},
        Row{"complement", {"2:1", "(" + kHalf + ",2)"}},
        Row{"complement", {"(4,2):(1," + kHalf + ")"}},
        Row{"logical_divide", {"(4," + kHalf + "):(1,4)", "2:1"}},
        Row{"zipped_divide", {"8:" + kHalf, "(2)"}}, Row{"tiled_divide", {"8:" + kHalf, "2:1"}},
        Row{"flat_divide", {"8:" + kHalf, "2:1"}},
        Row{"logical_product", {"4:1", "(2):(" + kHalf + ")"}},
        Row{"zipped_product", {"4:1", "2:" + kHalf}}, Row{"tiled_product", {"4:1", "2:" + kHalf}},
        Row{"flat_product", {"4:1", "2:" + kHalf}}, Row{"blocked_product", {"4:1", "2:" + kHalf}},
        Row{"raked_product", {"4:1", "2:" + kHalf}},
        Row{"tile_to_shape", {"(1,2):(0,1)", "(" + kHalf + ",4)"}},
        Row{"downcast", {"4:" + kHalf, "2"}}, Row{"downcast", {kHalf + ":1", "2"}},
        Row{"recast_layout", {"8", "16", kHalf + ":1"}},
        Row{"slice", {"(3,_)", "S<1,0,1> o 0 o (4,2):(" + kHalf + ",1)"}},
        Row{"slice_and_offset", {"(3,_)", "(4,2):(" + kHalf + ",1)"}},
        Row{"domain_offset", {"(3,0)", "(4,2):(" + kHalf + ",1)"}},
        Row{"local_tile", {"8:" + kHalf, "(2)", "(1)"}},
        Row{"local_partition", {"8:" + kHalf, "(2):(1)", "1"}},
        Row{"domain_distribute", {"(" + kHalf + ",4,3)", "3"}},
        Row{"nullspace", {"(" + kHalf + ",2,2):(1,1,0)"}},
        Row{"right_inverse", {"(" + kHalf + ",4,2):(0,0,1)"}},
        Row{"left_inverse", {"(" + kHalf + ",4,2):(0,0,1)"}},
        Row{"max_common_vector",
            {"(" + kHalf + ",4):(1," + kHalf + ")", "(" + kHalf + ",4):(1," + kHalf + ")"}}));

// What just fits is answered.
TEST(OverflowBoundary, JustFits) {
  EXPECT_EQ(evaluated("size", {"(" + kHalf + ",1)"}), kHalf);
  EXPECT_EQ(evaluated("product", {"(3037000499,3037000499)"}), "9223372030926249001");
  EXPECT_EQ(evaluated("cosize", {"2:" + std::string("9223372036854775806")}), kMax);
  EXPECT_EQ(evaluated("crd2idx", {"1", "2:" + kMax}), kMax);
  EXPECT_EQ(evaluated("crd2idx", {"(1,1)", "(2,2):(-" + kMax + ",-1)"}), "-9223372036854775808");
  EXPECT_EQ(evaluated("composition", {"8:" + kHalf, "2:1"}), "2:" + kHalf);
  EXPECT_EQ(evaluated("inner_product", {"(" + kMax + ",1)", "(1,0)"}), kMax);
  EXPECT_EQ(evaluated("round_up", {"9223372036854775804", "4"}), "9223372036854775804");
}

}  // namespace
}  // namespace cutwork::cute

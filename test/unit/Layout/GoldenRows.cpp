// GoldenRows.cpp -- the results that CuTe's documentation and examples print, row by row.
//
// From section 3.4 of the CuTe DSL inventory. Rows that the conformance data contradicts follow the
// data and say so.
#include <gtest/gtest.h>

#include "Evaluated.h"

namespace cutwork::cute {
namespace {

struct Row {
  std::string operation;
  std::vector<std::string> operands;
  std::string result;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.operation; }

class GoldenRows : public testing::TestWithParam<Row> {};

TEST_P(GoldenRows, IsAsPrinted) {
  const Row& row = GetParam();
  EXPECT_EQ(evaluated(row.operation, row.operands), row.result);
}

const std::string kA = "(9,(4,8)):(59,(13,1))";
const std::string kTiler = "[3:3, (2,4):(1,8)]";

INSTANTIATE_TEST_SUITE_P(
    Construct, GoldenRows,
    testing::Values(
        Row{"make_layout", {"(4,8)"}, "(4,8):(1,4)"}, Row{"make_layout", {"3"}, "3:1"},
        Row{"make_layout", {"(3)"}, "(3):(1)"}, Row{"make_layout", {"(?,2)"}, "(?,2):(1,?)"},
        Row{"make_ordered_layout", {"(32,16,8)", "(2,0,1)"}, "(32,16,8):(128,1,16)"},
        Row{"make_ordered_layout", {"(4,3,?,2)", "(2,1,3,4)"}, "(4,3,?,2):(3,1,12,?{div=12})"},
        // The inventory has equal orders follow one another from left to right; undisputed
        // conformance lines start both at the same stride, and they win.
        Row{"make_ordered_layout", {"(2,3)", "(0,0)"}, "(2,3):(1,1)"},
        Row{"make_layout_like", {"(2,3,4,5):(0,42,1,0)"}, "(2,3,4,5):(0,4,1,0)"},
        Row{"make_layout_like", {"S<3,4,3> o 0 o (2,3):(12,4)"}, "(2,3):(3,1)"},
        Row{"make_identity_layout", {"(2,(3,4),5)"}, "(2,(3,4),5):(1@0,(1@0@1,1@1@1),1@2)"},
        Row{"make_identity_layout", {"4"}, "4:1"}, Row{"cosize", {"(4,(3,2)):(2,(8,1))"}, "24"},
        Row{"cosize", {"S<3,4,3> o 0 o (4,(3,2)):(2,(8,1))"}, "24"}));

INSTANTIATE_TEST_SUITE_P(
    Coalesce, GoldenRows,
    testing::Values(Row{"coalesce", {"(2,(1,6)):(1,(?,2))"}, "12:1"},
                    Row{"coalesce", {"((2,(3,4)),(3,2),1):((4,(8,24)),(2,6),12)"}, "(24,6):(4,2)"},
                    Row{"coalesce", {"(2,(1,6)):(1,(6,2))", "(1,1)"}, "(2,6):(1,2)"},
                    Row{"coalesce", {"(4,5,?,3,2):(1,4,?,1,3)"}, "(20,?,6):(1,?,1)"},
                    Row{"coalesce", {"(?,4):(1,4)"}, "(?,4):(1,4)"},
                    Row{"coalesce", {"(4,5):(?,4)"}, "(4,5):(?,4)"},
                    Row{"coalesce", {"(?):(?)"}, "?:?"}));

INSTANTIATE_TEST_SUITE_P(
    Composition, GoldenRows,
    testing::Values(
        Row{"composition", {"(6,2):(8,2)", "(4,3):(3,1)"}, "((2,2),3):((24,2),8)"},
        Row{"composition", {"(6,2):(?,2)", "(4,3):(3,1)"}, "((2,2),3):((?{div=3},2),?)"},
        Row{"composition", {"(10,2):(16,4)", "(5,4):(1,5)"}, "(5,(2,2)):(16,(80,4))"},
        // Dynamic operands keep the pieces that a static walk drops.
        Row{"composition", {"(?,?):(?,?)", "(5,4):(1,5)"}, "((?,?),(?,?)):((?,?),(?{div=5},?))"},
        Row{"composition", {"(12,(4,8)):(59,(13,1))", "(3,8)"}, "(3,(4,2)):(59,(13,1))"},
        Row{"composition", {"(6,4):(4,1)", "[(2):(1), (2):(1)]"}, "((2),(2)):((4),(1))"},
        Row{"composition", {"S<3,4,3> o 8 o (8,4):(1,8)", "4:2"}, "S<3,4,3> o 8 o 4:2"}));

INSTANTIATE_TEST_SUITE_P(
    Inverses, GoldenRows,
    testing::Values(Row{"complement", {"(2,2):(4,1)", "24"}, "(2,3):(2,8)"},
                    Row{"complement", {"(2,2):(4,1)"}, "(2,1):(2,8)"},
                    Row{"complement", {"3:1", "3"}, "1:3"}, Row{"complement", {"3:2", "6"}, "2:1"},
                    Row{"complement", {"3:1@0"}, "(1):(3@0)"},
                    Row{"right_inverse", {"(2,4,6):(4,1,8)"}, "(4,2,6):(2,1,8)"},
                    Row{"left_inverse", {"(4,2):(1,10)"}, "(10,2):(1,4)"}));

INSTANTIATE_TEST_SUITE_P(
    Divides, GoldenRows,
    testing::Values(
        Row{"logical_divide", {"(4,2,3):(2,1,8)", "4:2"}, "((2,2),(2,3)):((4,1),(2,8))"},
        Row{"logical_divide", {"(6,8):(8,1)", "(3,4)"}, "((3,2),(4,2)):((8,24),(1,4))"},
        Row{"logical_divide", {"(6,8):(8,1)", "(3,4):(1,3)"}, "((3,(2,2)),4):((8,(24,1)),2)"},
        Row{"logical_divide", {kA, kTiler}, "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))"},
        Row{"zipped_divide", {kA, kTiler}, "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"},
        Row{"tiled_divide", {kA, kTiler}, "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))"},
        Row{"flat_divide", {kA, kTiler}, "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))"},
        Row{"logical_divide", {"(128,64):(1@1,1@0)", "2:64@0"}, "(2,(64,64)):(64@1,(1@1,1@0))"}));

INSTANTIATE_TEST_SUITE_P(
    Products, GoldenRows,
    testing::Values(
        Row{"logical_product", {"(2,2):(4,1)", "6:1"}, "((2,2),(2,3)):((4,1),(2,8))"},
        Row{"blocked_product", {"(2,5):(5,1)", "(3,4):(1,3)"}, "((2,3),(5,4)):((5,10),(1,30))"},
        Row{"raked_product", {"(2,5):(5,1)", "(3,4):(1,3)"}, "((3,2),(4,5)):((10,5),(30,1))"},
        Row{"zipped_product", {"(2,5):(5,1)", "(3,4):(1,3)"}, "((2,5),(3,4)):((5,1),(10,30))"},
        Row{"tile_to_shape", {"(2,2):(1,2)", "(8,8)"}, "((2,4),(2,4)):((1,4),(2,16))"}));

INSTANTIATE_TEST_SUITE_P(
    Modes, GoldenRows,
    testing::Values(
        // The inventory prints (8,8,2):(1,8,1), the appended mode without its brackets; undisputed
        // conformance lines of append keep them, and they win.
        Row{"append", {"(8,8):(1,8)", "(2):(1)"}, "(8,8,(2)):(1,8,(1))"},
        Row{"append", {"(8,8):(1,8)", "2:1"}, "(8,8,2):(1,8,1)"},
        Row{"select", {"(2,(3,4)):(1,(2,6))", "(1)"}, "((3,4)):((2,6))"},
        Row{"get", {"(2,(3,4)):(1,(2,6))", "(1)"}, "(3,4):(2,6)"},
        Row{"recast_layout", {"32", "8", "(32,4):(1,32)"}, "(8,4):(1,8)"},
        Row{"recast_layout", {"4", "6", "(8,4):(1,8)"}, "(12,4):(1,12)"},
        Row{"recast_layout",
            {"32", "16", "S<3,3,3> o 8 o (8,64):(64,1)"},
            "S<3,2,3> o 4 o (8,32):(32,1)"},
        Row{"recast_layout",
            {"8", "16", "S<3,3,3> o 8 o (8,64):(64,1)"},
            "S<3,4,3> o 16 o (8,128):(128,1)"}));

INSTANTIATE_TEST_SUITE_P(Tuples, GoldenRows,
                         testing::Values(Row{"ceil_div", {"(10,6)", "(3,4)"}, "(4,2)"},
                                         Row{"ceil_div", {"(10,6,5)", "(3,4)"}, "(4,2,5)"},
                                         Row{"shape_div", {"(4,5,6)", "40"}, "(1,1,3)"},
                                         Row{"elem_less", {"(1,2)", "(2,3)"}, "1"},
                                         Row{"elem_less", {"(0,3)", "(2,3)"}, "0"},
                                         Row{"round_up", {"(10,6)", "(3,4)"}, "(12,8)"}));

INSTANTIATE_TEST_SUITE_P(
    Partition, GoldenRows,
    testing::Values(
        Row{"local_tile", {"(8,6):(6,1)", "(4,3)", "(1,_)"}, "(4,3,2):(6,1,3) ; 24"},
        // The GEMM operands of a tiler (M,N,K) at (m,n,_).
        Row{"local_tile",
            {"(8,12):(12,1)", "(4,3,6)", "(1,0,_)", "(1,_,1)"},
            "(4,6,2):(12,1,6) ; 48"},
        Row{"local_tile",
            {"(9,12):(12,1)", "(4,3,6)", "(1,2,_)", "(_,1,1)"},
            "(3,6,2):(12,1,6) ; 72"},
        Row{"local_tile", {"(8,9):(9,1)", "(4,3,6)", "(1,2,_)", "(1,1,_)"}, "(4,3):(9,1) ; 42"},
        Row{"local_partition", {"(8,8):(1,8)", "(2,4):(1,2)", "3"}, "(4,2):(2,32) ; 9"},
        Row{"make_layout_tv", {"(4,32):(32,1)", "(1,8):(8,1)"}, "(4,256) ; ((32,4),8):((32,1),4)"},
        Row{"make_layout_image_mask", {"(2,4):(1,2)", "(1,2)", "1"}, "170"}));

// What a leaf prints that is known only at run time.
INSTANTIATE_TEST_SUITE_P(
    DynamicText, GoldenRows,
    testing::Values(Row{"make_layout", {"(?,4)"}, "(?,4):(1,?)"},
                    Row{"make_layout", {"(?{div=4},4)"}, "(?{div=4},4):(1,?{div=4})"},
                    Row{"make_layout", {"(4,?{i64},2)"}, "(4,?{i64},2):(1,4,?{i64 div=4})"},
                    Row{"make_layout", {"(?{i64 div=8},2)"}, "(?{i64 div=8},2):(1,?{i64 div=8})"},
                    Row{"make_layout", {"( ?{ div=2 } , 2 )"}, "(?{div=2},2):(1,?{div=2})"},
                    Row{"product", {"(?,?{i64})"}, "?{i64}"},
                    Row{"product", {"(?{div=6},2)"}, "?{div=12}"},
                    Row{"crd2idx", {"?", "8:2"}, "?{i64 div=2}"},
                    Row{"crd2idx", {"?{div=2}", "8:4"}, "?{i64 div=8}"},
                    Row{"crd2idx", {"(?,?)", "(8,4):(1@1,1@0)"}, "(?,?)"},
                    Row{"make_layout", {"(4)", "(?@1)"}, "(4):(?@1)"},
                    Row{"make_layout", {"(4)", "(?{div=2}@0@1)"}, "(4):(?{div=2}@0@1)"},
                    Row{"make_layout", {"?{div=1}"}, "?:1"}));

}  // namespace
}  // namespace cutwork::cute

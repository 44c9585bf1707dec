// PrintedTest.cpp -- the texts of what is printed, and the run-time numbers in them.
#include "cutwork/DSL/Print.h"

#include "Tracing.h"

namespace cutwork::test {
namespace {

using namespace cute;

void expectPrinted(const Printed& printed, std::string_view text, std::size_t values) {
  EXPECT_EQ(printed.text(), text);
  EXPECT_EQ(printed.values().size(), values) << text;
  // As many question marks as values, or the conversions would go astray.
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(printed.text(), '?')), values) << text;
}

TEST(Printed, EveryKindOfValue) {
  HostTrace trace("printed", hopper());
  Tensor a = trace.tensor(dynamicSpec(DType::BFloat16, 2, 16));
  Numeric n = trace.scalar(DType::Int32);
  Int m = n.toInt();
  expectPrinted(Printed(n), "?", 1);
  expectPrinted(Printed(Int32(3)), "?", 1);
  expectPrinted(Printed(2.5), "?", 1);
  expectPrinted(Printed("text"), "text", 0);
  expectPrinted(Printed(std::string("text")), "text", 0);
  expectPrinted(Printed(IntTuple{m, IntTuple{4, 5}}), "(?,(4,5))", 1);
  expectPrinted(Printed(make_layout({4, 8}).value()), "(4,8):(1,4)", 0);
  expectPrinted(Printed(make_layout({m, 8}, {8, m * 4}).value()), "(?,8):(8,?{div=4})", 2);
  expectPrinted(Printed(a.iterator()), "ptr<bf16, gmem, align<16>>", 0);
  expectPrinted(Printed(a), "tensor<ptr<bf16, gmem, align<16>> o (?,?):(?{i64},1)>", 3);
  expectPrinted(Printed(make_identity_tensor(IntTuple{m, 4})), "tensor<(0,0) o (?,4):(1@0,1@1)>",
                1);
  expectPrinted(Printed(domain_offset(IntTuple{m, 0}, make_identity_tensor(IntTuple{8, 4}))),
                "tensor<(?,0) o (8,4):(1@0,1@1)>", 1);
  ComposedLayout composed = make_composed_layout(make_layout({m, 2}, {2, 1}).value(), 0,
                                                 make_layout({m, 2}, {2, 1}).value());
  expectPrinted(Printed(make_tensor(a.iterator(), composed)),
                "tensor<ptr<bf16, gmem, align<16>> o (?,2):(2,1) o 0 o (?,2):(2,1)>", 2);
}

}  // namespace
}  // namespace cutwork::test

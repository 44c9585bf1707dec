// CopyTest.cpp -- how wide a copy can be, why not wider, and the remarks that say so.
#include "cutwork/DSL/Copy.h"

#include "DSL/HostTraceImpl.h"
#include "DSL/Vectorise.h"
#include "Tracing.h"
#include "cutwork/DSL/Smem.h"

namespace cutwork::test {
namespace {

using namespace cute;
using ::testing::HasSubstr;

// A trace whose body is a kernel's.
template <class Body>
std::vector<std::string> remarksOf(Body body, std::int64_t alignment = 16) {
  HostTrace trace("copies", hopper());
  Tensor a = trace.tensor(dynamicSpec(DType::Float32, 2, alignment));
  launch([&](Tensor t) { body(t); }, {.grid = {1}, .block = {32}}, a);
  return trace.impl().trace.remarks;
}

TEST(WhyNotVector, SaysWhatIsInTheWay) {
  remarksOf([](const Tensor& t) {
    Pointer p = t.iterator();
    auto why = [](const Tensor& x, std::int64_t count) {
      return whyNotVector(x, count, "source").value_or("");
    };
    // Contiguous and aligned: possible.
    EXPECT_EQ(why(make_tensor(p, make_layout({4})), 4), "");
    EXPECT_EQ(why(make_tensor(p, make_layout({2, 2})), 4), "");
    EXPECT_EQ(why(make_tensor(p, make_layout({4, 8}, {1, 64})), 4), "");
    EXPECT_EQ(why(make_tensor(p, make_layout({1, 4, 3}, {7, 1, 4})), 4), "");
    EXPECT_EQ(why(make_tensor(p, make_layout({3})), 1), "") << "one element always is";
    // The address.
    EXPECT_EQ(why(make_tensor(p + 2, make_layout({4})), 4),
              "the source is known to be aligned to 8 bytes, by its pointer, "
              "ptr<f32, gmem, align<8>>; 16 are needed");
    EXPECT_EQ(why(make_tensor(p, make_layout({4, 2}, {1, 6})), 4),
              "the source is known to be aligned to 8 bytes, by stride 6 of mode 1 in "
              "(4,2):(1,6); 16 are needed");
    // A run-time stride of which nothing is known, and one that is known to be a multiple.
    Int n = t.shape()[0].value();
    EXPECT_THAT(why(make_tensor(p, make_layout({4, 2}, {1, n})), 4), HasSubstr("by stride ? of"));
    EXPECT_EQ(why(make_tensor(p, make_layout({4, 2}, {1, n * 4})), 4), "");
    // Contiguity.
    EXPECT_EQ(why(make_tensor(p, make_layout({4}, {2})), 4),
              "mode 0 of the source is not contiguous for 4 elements: 4:2 in (4):(2)");
    EXPECT_THAT(why(make_tensor(p, make_layout({2, 2}, {1, 4})), 4),
                HasSubstr("mode 1 of the source is not contiguous"));
    EXPECT_EQ(why(make_tensor(p, make_layout({2})), 4), "the source has 2 elements, not 4");
    // Registers are LLVM's business; composed layouts go one by one.
    EXPECT_EQ(why(make_rmem_tensor(make_layout({4}, {2}).value(), DType::Float32), 4), "");
    ComposedLayout swizzled =
        make_composed_layout(make_swizzle(3, 4, 3).value(), 0, make_layout({4, 8}).value());
    EXPECT_THAT(why(make_tensor(p, swizzled), 4), HasSubstr("elements are moved one by one"));
    // A swizzle keeps 2^base bytes together.
    SmemAllocator smem;
    Tensor s = smem.allocate_tensor(DType::Float32, make_layout({8}), 128, make_swizzle(2, 3, 3));
    EXPECT_EQ(why(s, 2), "");
    EXPECT_THAT(why(s, 4), HasSubstr("aligned to 8 bytes, by its pointer"));
  });
}

TEST(WhyNotVector, TheWidestThatBothSidesHave) {
  remarksOf([](const Tensor& t) {
    Pointer p = t.iterator();
    Tensor wide = make_tensor(p, make_layout({8}));
    Tensor narrow = make_tensor(p + 2, make_layout({8}));
    Tensor apart = make_tensor(p, make_layout({8}, {3}));
    EXPECT_EQ(widestVector(wide, wide, 4), 4);
    EXPECT_EQ(widestVector(wide, wide, 2), 2) << "no more than asked";
    EXPECT_EQ(widestVector(wide, narrow, 4), 2);
    EXPECT_EQ(widestVector(narrow, wide, 4), 2);
    EXPECT_EQ(widestVector(wide, apart, 4), 1);
  });
}

TEST(Remarks, OfCopiesThatAreNarrow) {
  auto remarks = remarksOf(
      [](const Tensor& t) {
        Tensor src = make_tensor(t.iterator(), make_layout({16}));
        Tensor dst = make_tensor(t.iterator(), make_layout({16}, {2}));
        Tensor frag = make_fragment_like(src);
        autovec_copy(src, frag);
        autovec_copy(frag, dst);
        basic_copy(src, frag);  // asks for nothing wide
      },
      8);
  ASSERT_EQ(remarks.size(), 2U);
  EXPECT_THAT(remarks[0], HasSubstr("CopyTest.cpp:"));
  EXPECT_THAT(remarks[0],
              HasSubstr("a copy of 16 x f32 uses accesses of 64 bits: the source is known to be "
                        "aligned to 8 bytes, by its pointer, ptr<f32, gmem, align<8>>; 16 are"));
  EXPECT_THAT(remarks[1], HasSubstr("uses accesses of 32 bits: mode 0 of the target is not"));
  EXPECT_TRUE(remarksOf([](const Tensor& t) {
                Tensor src = make_tensor(t.iterator(), make_layout({2}));
                autovec_copy(src, make_fragment_like(src));
              }).empty())
      << "as wide as there are elements";
}

TEST(Remarks, TiledCopiesOfOtherWidths) {
  auto refused = [](auto body) { return refusalOf([&] { remarksOf(body); }); };
  EXPECT_THAT(refused([](const Tensor&) { make_copy_atom(CopyUniversalOp(), DType::Float32, 16); }),
              HasSubstr("16 bits at once are no whole number of Float32 (32 bits)"));
  EXPECT_THAT(refused([](const Tensor&) {
                make_tiled_copy_tv(make_copy_atom(CopyUniversalOp(), DType::Float32, 128),
                                   make_layout({32}), make_layout({2}));
              }),
              HasSubstr("2 values of a thread are no whole number of the atom's 4"));
  EXPECT_THAT(refused([](const Tensor& t) { autovec_copy(t, t); }),
              HasSubstr("is not static; copy tiles of static shape"));
  EXPECT_THAT(refused([](const Tensor& t) {
                Tensor src = make_tensor(t.iterator(), make_layout({4}));
                copy(CopyAtom(DType::Float32, 0), src,
                     make_rmem_tensor(IntTuple{3}, DType::Float32));
              }),
              HasSubstr("has 4 elements, the target of shape (3) has 3"));
  EXPECT_THAT(refused([](const Tensor& t) {
                Tensor src = make_tensor(t.iterator(), make_layout({4}));
                copy(CopyAtom(DType::Float32, 0), src,
                     make_rmem_tensor(IntTuple{4}, DType::Float16));
              }),
              HasSubstr("convert with load().to() and store()"));
}

}  // namespace
}  // namespace cutwork::test

// RemapTest.cpp -- what carries objects into kernels: leaves out in order, the object back.
#include "cutwork/DSL/Remap.h"

#include "Tracing.h"
#include "cutwork/DSL/Control.h"
#include "cutwork/DSL/Copy.h"

namespace cutwork::test {

using namespace cute;
using ::testing::ElementsAre;

// Structs of a user, beside them what their run-time parts are.
struct Problem {
  Tensor a;
  Int32 n;
  int tile;
};
auto fields(Problem& p) { return std::tie(p.a, p.n); }
struct Nested {
  Problem problem;
  std::vector<Float32> scales;
  std::optional<Tensor> mask;
  Layout layout;
};
auto fields(Nested& x) { return std::tie(x.problem, x.scales, x.mask, x.layout); }

namespace {

// Writes down the leaves as they come.
class Recorder final : public Remap {
 public:
  Numeric numeric(const Numeric& x) override {
    seen.emplace_back(name(x.type()));
    return x;
  }
  Int integer(Int x) override {
    seen.push_back(x.text());
    return x;
  }
  Pointer pointer(const Pointer& x) override {
    seen.push_back(x.text());
    return x;
  }
  std::vector<std::string> seen;
};

template <class T>
std::vector<std::string> leavesOf(const T& x) {
  Recorder recorder;
  [[maybe_unused]] T back = remap(recorder, x);
  return recorder.seen;
}

class RemapTest : public ::testing::Test {
 protected:
  HostTrace trace{"remap", hopper()};
  Tensor a = trace.tensor(dynamicSpec(DType::Float16, 2, 16));
  Numeric n = trace.scalar(DType::Int32);
  Numeric x = trace.scalar(DType::Float32);
};

TEST_F(RemapTest, ScalarsAndStaticThings) {
  EXPECT_THAT(leavesOf(n), ElementsAre("Int32"));
  EXPECT_THAT(leavesOf(Float32(x)), ElementsAre("Float32"));
  EXPECT_TRUE(leavesOf(Int32(7)).empty()) << "a constant is no leaf";
  EXPECT_TRUE(leavesOf(7).empty());
  EXPECT_TRUE(leavesOf(std::string("text")).empty());
  EXPECT_TRUE(leavesOf(make_layout({4, 8}).value()).empty());
  EXPECT_TRUE(leavesOf(DType::Int8).empty());
  EXPECT_TRUE(leavesOf([] {}).empty());
  EXPECT_TRUE(leavesOf(make_swizzle(3, 4, 3).value()).empty());
}

TEST_F(RemapTest, TuplesAndLayouts) {
  Int m = n.toInt();
  EXPECT_THAT(leavesOf(m), ElementsAre("?"));
  EXPECT_THAT(leavesOf(IntTuple{m, IntTuple{4, m}}), ElementsAre("?", "?"));
  Layout layout = make_layout({m, 8}, {8, m * 4});
  EXPECT_THAT(leavesOf(layout), ElementsAre("?", "?{div=4}")) << "shape, then stride";
  ComposedLayout composed = make_composed_layout(make_swizzle(3, 4, 3).value(), 0, layout);
  EXPECT_THAT(leavesOf(composed), ElementsAre("?", "?{div=4}"));
  EXPECT_THAT(leavesOf(AnyLayout(composed)), ElementsAre("?", "?{div=4}"));
  EXPECT_THAT(leavesOf(Tiler{8, Tiler::hole(), Tiler(layout)}), ElementsAre("?", "?{div=4}"));
}

TEST_F(RemapTest, PointersAndTensors) {
  EXPECT_THAT(leavesOf(a.iterator()), ElementsAre("ptr<f16, gmem, align<16>>"));
  EXPECT_THAT(leavesOf(a), ElementsAre("ptr<f16, gmem, align<16>>", "?", "?", "?{i64}"));
  EXPECT_THAT(leavesOf(make_identity_tensor(a.shape())), ElementsAre("?", "?"));
}

TEST_F(RemapTest, Containers) {
  Float32 f(x);
  EXPECT_THAT(leavesOf(std::vector<Float32>{f, Float32(1.0f), f}),
              ElementsAre("Float32", "Float32"));
  EXPECT_THAT(leavesOf(std::array<Numeric, 2>{n, x}), ElementsAre("Int32", "Float32"));
  EXPECT_THAT(leavesOf(std::tuple{n, 3, std::optional<Float32>(f), std::optional<Float32>()}),
              ElementsAre("Int32", "Float32"));
  EXPECT_THAT(leavesOf(std::vector<std::tuple<Numeric, Numeric>>{{n, x}, {x, n}}),
              ElementsAre("Int32", "Float32", "Float32", "Int32"));
}

TEST_F(RemapTest, TiledCopies) {
  TiledCopy tiled = make_tiled_copy_tv(make_copy_atom(CopyUniversalOp(), DType::Float16, 128),
                                       make_layout({4, 8}, {8, 1}), make_layout({1, 8}));
  EXPECT_TRUE(leavesOf(tiled).empty());
  Recorder recorder;
  EXPECT_EQ(remap(recorder, tiled).layout_tv(), tiled.layout_tv());
}

TEST_F(RemapTest, StructsWithFields) {
  Problem problem{a, Int32(n), 64};
  EXPECT_THAT(leavesOf(problem),
              ElementsAre("ptr<f16, gmem, align<16>>", "?", "?", "?{i64}", "Int32"));
  Nested nested{problem, {Float32(x), Float32(x)}, std::nullopt, make_layout({n.toInt(), 2})};
  EXPECT_THAT(leavesOf(nested), ElementsAre("ptr<f16, gmem, align<16>>", "?", "?", "?{i64}",
                                            "Int32", "Float32", "Float32", "?", "?"));
}

// In a kernel the object has the kernel's values, and what was static as it was.
TEST_F(RemapTest, ThroughALaunch) {
  Nested nested{{a, Int32(n), 64}, {Float32(x)}, a, make_layout({n.toInt(), 2})};
  int traced = 0;
  launch(
      [&](const Nested& in, int plain, const std::string& text) {
        ++traced;
        EXPECT_EQ(in.problem.tile, 64);
        EXPECT_EQ(plain, 5);
        EXPECT_EQ(text, "static");
        EXPECT_EQ(in.scales.size(), 1U);
        EXPECT_EQ(in.mask->text(), a.text());
        EXPECT_EQ(in.layout.text(), "(?,2):(1,?)");
        EXPECT_NE(in.problem.n.value().opaque(), n.value().opaque());
        // The kernel's own values are visible here.
        Int32 sum = in.problem.n + 1;
        in.problem.a(0, sum) = in.problem.a(sum, 0);
      },
      {.grid = {1}, .block = {32}}, nested, 5, std::string("static"));
  EXPECT_EQ(traced, 1) << "the body is traced once";
}

// What no protocol carries is refused with what to do.
TEST_F(RemapTest, WhatIsNotPassed) {
  EXPECT_THAT(refusalOf([&] {
                launch(
                    [&] {
                      (void)(n + 1).to(DType::Int64);
                      (void)(a(0, 0) + 1);
                    },
                    {.grid = {1}, .block = {32}});
              }),
              ::testing::HasSubstr("pass it to launch as an argument"));
}

}  // namespace
}  // namespace cutwork::test

// TensorTest.cpp -- tensors: slices, vectors, registers, shared memory, swizzles, run-time shapes.
#include "Harness.h"

namespace cutwork::test {
namespace {

using namespace cute;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(TensorSSA, ReductionsAndBroadcast) {
  auto got = run<std::int32_t>({1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0}, [](Tensor t) {
    Tensor rows = make_tensor(t.iterator(), make_layout({2, 3}, {3, 1}));  // [[1,2,3],[4,5,6]]
    TensorSSA x = rows.load();
    t(6) = x.reduce(ReductionOp::ADD, 0);
    TensorSSA byRow = x.reduce(ReductionOp::ADD, 0, {_, 1});
    TensorSSA byColumn = x.reduce(ReductionOp::ADD, 1, {1, _});
    EXPECT_EQ(byRow.shape().text(), "2");
    t(7) = byRow[0];
    t(8) = byRow[1];
    for (int i = 0; i < 3; ++i) t(9 + i) = byColumn[i];
    TensorSSA sum = x.reshape({2, 3}) + full({2}, 10, DType::Int32);  // mode 0 meets mode 0
    t(12) = sum[IntTuple{1, 2}];
  });
  EXPECT_THAT(got, ElementsAre(1, 2, 3, 4, 5, 6, 21, 6, 15, 6, 8, 10, 16));
}

TEST(TensorSSA, Refusals) {
  EXPECT_THAT(refusalOfKernel([](Tensor t) { (void)t.load(); }), HasSubstr("is not static"));
  EXPECT_THAT(refusalOfKernel([](Tensor t) {
                Tensor a = make_tensor(t.iterator(), make_layout({4}));
                a.store(full({5}, 1, DType::Int32));
              }),
              HasSubstr("(5 elements) to a tensor of shape (4)"));
  EXPECT_THAT(refusalOfKernel([](Tensor t) {
                Tensor a = make_tensor(t.iterator(), make_layout({4}));
                a.store(full({4}, 1, DType::Float32));
              }),
              HasSubstr("convert it first: x.to(Int32)"));
  EXPECT_THAT(refusalOfKernel(
                  [](Tensor) { full({2, 3}, 1, DType::Int32) + full({3, 3}, 1, DType::Int32); }),
              HasSubstr("does not broadcast"));
  EXPECT_THAT(
      refusalOfKernel([](Tensor) { (void)full({4}, 1, DType::Int32).reduce(ReductionOp::MAX, 0); }),
      HasSubstr("MAX and MIN are for floats"));
}

TEST(Tensor, WrongTilersAndRanksNameThePlace) {
  auto text = refusalOfKernel([](Tensor t) { zipped_divide(t, {2, 2}); });
  EXPECT_THAT(text, HasSubstr("TensorTest.cpp:"));
  EXPECT_THAT(text, HasSubstr("zipped_divide"));
  EXPECT_THAT(refusalOfKernel([](Tensor t) { t(1, 2) = 0; }), HasSubstr("TensorTest.cpp:"));
  EXPECT_THAT(refusalOfKernel([](Tensor t) { make_rmem_tensor(t.layout(), DType::Int32); }),
              HasSubstr("registers have a static layout"));
}

// R7: a swizzled shared tensor is the same function whichever way it is sliced.
TEST(Tensor, SwizzledSharedMemoryKeepsItsElements) {
  for (bool onPointer : {false, true}) {
    auto got = run<std::int32_t>(
        std::vector<std::int32_t>(512),
        [&](Tensor out) {
          SmemAllocator smem;
          Layout plain = make_layout({16, 32}, {32, 1});
          Swizzle swizzle = make_swizzle(3, onPointer ? 4 : 2, 3);
          Tensor s = onPointer ? smem.allocate_tensor(DType::Int32, plain, 128, swizzle)
                               : smem.allocate_tensor(DType::Int32,
                                                      make_composed_layout(swizzle, 0, plain), 128);
          Int32 tid = arch::thread_idx().x;
          Tensor row = s(tid / 2, _);  // a slice at a run-time index
          for_(0, 16, [&](Int32 k) {
            Int32 column = tid % 2 * 16 + k;
            row(column) = tid / 2 * 32 + column;
          });
          arch::sync_threads();
          for_(0, 16, [&](Int32 k) {
            Int32 i = tid * 16 + k;
            out(i) = s(i / 32, i % 32);
          });
        },
        32);
    EXPECT_EQ(got, iota<std::int32_t>(512)) << onPointer;
  }
}

// R17: extents and strides are those of the call.
TEST(Tensor, RunTimeShapes) {
  Array out = arrayOf(std::vector<std::int32_t>(4));
  auto host = jit("shapes", [](Tensor t, Tensor o) {
    launch(
        [](Tensor u, Tensor w) {
          w(0) = Int32(u.shape()[0]);
          w(1) = Int32(u.shape()[1]);
          w(2) = Int32(u.stride()[0]);
          w(3) = Int32(u.stride()[1]);
        },
        {.grid = {1}, .block = {1}}, t, o);
  });
  Array a = arrayOf(std::vector<float>(128 * 128), {128, 128});
  Array b = arrayOf(std::vector<float>(64 * 96), {64, 96});
  auto f = compile(host, a, out);
  f(a, out);
  EXPECT_THAT(valuesOf<std::int32_t>(out), ElementsAre(128, 128, 128, 1));
  f(b, out);
  EXPECT_THAT(valuesOf<std::int32_t>(out), ElementsAre(64, 96, 96, 1));
}

// The number of elements may need 64 bits where no extent does.
TEST(Tensor, SizesOfManyElements) {
  constexpr std::int64_t kLong = std::int64_t{1} << 30;
  Array one = arrayOf<std::int8_t>({1, 2, 3, 4});
  Array many = one.view(0, {3, kLong}, {0, 0}).value();
  Array few = one.view(0, {2, 2}, {0, 0}).value();
  Array out = arrayOf<std::int64_t>({0, 0, 0});
  auto host = jit("sizes", [](Tensor x, Tensor y) {
    auto body = [](Tensor u, Tensor v) {
      v(0) = Int64(size(u));
      v(1) = Int64(Arg(ceil_div(size(u), 1024)));
      v(2) = Int64(make_layout({size(u, 1), size(u, 1), size(u, 1)}).value().stride()[2]);
    };
    launch(body, {}, x, y);
  });
  for (const TensorArgument& argument : {dynamic(many), from_dlpack(many).mark_layout_dynamic()}) {
    compile(host, argument, out)(many, out);
    EXPECT_THAT(valuesOf<std::int64_t>(out),
                ElementsAre(3 * kLong, 3 * kLong / 1024, kLong * kLong));
  }
  auto f = compile(host, few, out);
  f(few, out);
  EXPECT_EQ(valuesOf<std::int64_t>(out)[0], 4);
  EXPECT_THAT(refusalOf([&] { f(many, out); }),
              HasSubstr("the array has 3221225472 elements, whose number needs 64 bits"));
  Array compact = Array::empty(simulated(), typeOf<std::int8_t>(), {4, 0}).value();
  EXPECT_EQ(refusalOf([&] { f(compact.view(0, {4, 0}, {0, 0}).value(), out); }), "");
}

// R14: offsets beyond 2^31 elements keep their 64 bits, static or not.
TEST(Tensor, OffsetsOf64Bits) {
  Array out = arrayOf(std::vector<std::int64_t>(4));
  auto host = jit("wide", [](Tensor o, Int32 row, Int64 stride) {
    launch(
        [](Tensor w, Int32 r, Int64 d) {
          Pointer p = make_ptr(DType::BFloat16, Int64(0), AddressSpace::gmem);
          auto address = [&](const Tensor& t) { return t.iterator().toint(); };
          Tensor fixed = make_tensor(p, make_layout({1 << 30, 4}, {4, 1}));
          w(0) = address(fixed(r, _));
          Tensor wide = make_tensor(p, make_layout({1 << 30, 4}, {d, 1}));
          w(1) = address(domain_offset({1 << 30, 0}, wide));
          Tensor square = make_tensor(p, make_layout({65384, 65384}, {65384, 1}));
          w(2) = address(square(Int32(65383), _));
          w(3) = address(make_tensor(p, make_layout({4, 4}, {std::int64_t{1} << 40, 1}))(3, _));
        },
        {.grid = {1}, .block = {1}}, o, row, stride);
  });
  auto f = compile(host, out, 1, std::int64_t{4});
  f(out, 1 << 29, std::int64_t{4});
  EXPECT_THAT(valuesOf<std::int64_t>(out),
              ElementsAre(std::int64_t{1} << 32, std::int64_t{1} << 33,
                          std::int64_t{65383} * 65384 * 2, (std::int64_t{3} << 41)));
}

// R14: the same with strides of 32 bits at run time, extents beyond 32 bits, and of rank 0.
TEST(Tensor, OffsetsOfNarrowStridesAndWideExtents) {
  Array out = arrayOf(std::vector<std::int64_t>(4));
  auto host = jit("wide", [](Tensor o, Int32 row, Int32 stride) {
    auto body = [](Tensor w, Int32 r, Int32 d) {
      Pointer p = make_ptr(DType::Int8, Int64(0), AddressSpace::gmem);
      auto address = [&](const Tensor& t) { return t.iterator().toint(); };
      w(0) = address(make_tensor(p, make_layout({1 << 30, 4}, {d, 1}))(r, _));
      constexpr std::int64_t kExtent = std::int64_t{1} << 33;
      Tensor longer = make_tensor(p, make_layout({kExtent, 2}, {1, kExtent}));
      w(1) = address(longer(_, 1));
      w(2) = Int64(size(longer));
      Tensor one = make_tensor(w.iterator() + 3, make_layout(IntTuple{}));
      one(IntTuple{}) = Int64(size(one) + rank(one));
    };
    launch(body, {}, o, row, stride);
  });
  compile(host, out, 1, 1)(out, 1 << 20, 1 << 20);
  EXPECT_THAT(valuesOf<std::int64_t>(out),
              ElementsAre(std::int64_t{1} << 40, std::int64_t{1} << 33, std::int64_t{1} << 34, 1));
}

// R7: also by a stride of run time.
TEST(Tensor, SwizzledSlicesOfRunTimeStride) {
  Array out = arrayOf(std::vector<std::int32_t>(64));
  auto host = jit("swizzled", [](Tensor o, Int32 stride) {
    auto body = [](Tensor w, Int32 d) {
      SmemAllocator smem;
      Tensor flat = smem.allocate_tensor(DType::Int32, make_layout({64}), 1024);
      Pointer p = flat.iterator().withSwizzle(make_swizzle(2, 4, 3));
      Tensor whole = make_tensor(p, make_layout({8, 8}, {d, 1}));
      for_(0, 8, [&](Int32 i) {
        Tensor row = whole(i, _);
        for_(0, 8, [&](Int32 k) { row(k) = i * 8 + k; });
      });
      for_(0, 8, [&](Int32 k) {
        Tensor column = whole(_, k);
        for_(0, 8, [&](Int32 i) { w(i * 8 + k) = column(i); });
      });
    };
    launch(body, {}, o, stride);
  });
  compile(host, out, 1)(out, 8);
  EXPECT_EQ(valuesOf<std::int32_t>(out), iota<std::int32_t>(64));
}

TEST(Tensor, ProjectedTilesCoalescingAndReductions) {
  auto got = run<std::int32_t>(iota<std::int32_t>(64), [](Tensor t) {
    Tensor square = make_tensor(t.iterator(), make_layout({4, 4}, {4, 1}));
    // Of tiles (2,_,4) the coordinate and tiler lose the mode that the projection leaves out.
    Tensor tile = local_tile(square, {2, 8, 4}, make_coord(1, 5, 0), make_coord(1, _, 1));
    t(16) = size(tile);
    t(17) = tile(1, 3);
    Tensor line = coalesce(make_tensor(t.iterator(), make_layout({2, 8})));
    t(18) = rank(line);
    t(19) = line(9);
    TensorSSA x = make_tensor(t.iterator() + 1, make_layout({4})).load();
    t(20) = x.reduce(ReductionOp::MUL, 1);
    TensorSSA f = x.to(DType::Float32);
    t(21) = Int32(f.reduce(ReductionOp::MIN, 100.0f));
    t(22) = Int32(f.reduce(ReductionOp::MAX, -100.0f));
  });
  EXPECT_THAT(std::vector<std::int32_t>(got.begin() + 16, got.begin() + 23),
              ElementsAre(8, 15, 1, 9, 24, 1, 4));
}

// Memory may have more elements than a vector.
TEST(Tensor, FillsOfManyElements) {
  auto got = run<std::int32_t>(std::vector<std::int32_t>(3000), [](Tensor t) {
    make_tensor(t.iterator() + 1, make_layout({2500})).fill(7);
  });
  EXPECT_EQ(got[0], 0);
  EXPECT_EQ(std::count(got.begin(), got.end(), 7), 2500);
  EXPECT_EQ(got[2501], 0);
}

TEST(Tensor, IdentityTensorsAndPredicates) {
  auto got = run<std::int32_t>(
      std::vector<std::int32_t>(35, 0),
      [](Tensor out) {
        Tensor t = make_tensor(out.iterator(), make_layout({5, 7}, {7, 1}));
        Tensor tiles = zipped_divide(t, {2, 4});
        Tensor where_ = zipped_divide(make_identity_tensor(IntTuple{5, 7}), {2, 4});
        Int32 tid = arch::thread_idx().x;
        for (int tile = 0; tile < 6; ++tile) {
          Element c = where_(tid, tile);
          if_(elem_less(c, IntTuple{5, 7}), [&] { tiles(tid, tile) = tile + 1; });
        }
      },
      8);
  for (int i = 0; i < 35; ++i) {
    EXPECT_EQ(got[static_cast<std::size_t>(i)], i / 7 / 2 + i % 7 / 4 * 3 + 1) << i;
  }
}

TEST(Tensor, VectorsAreAsWideAsIsKnown) {
  Array x = arrayOf(iota<_Float16>(256), {8, 32});
  auto host = jit("width", [](Tensor t) {
    launch(
        [](Tensor u) {
          Int32 tid = arch::thread_idx().x;
          Tensor mine = local_tile(u, {1, 8}, make_coord(tid / 4, tid % 4));
          TensorSSA v = mine.load();
          mine.store((v.to(DType::Float32) * 2.0f).to(DType::Float16));
        },
        {.grid = {1}, .block = {32}}, t);
  });
  auto wide = compile(host, from_dlpack(x, 16));
  EXPECT_THAT(wide.ptx(), HasSubstr("ld.global.v4.b32"));
  EXPECT_THAT(wide.ptx(), HasSubstr("st.global.v4.b32"));
  auto narrow = compile(host, from_dlpack(x));
  EXPECT_THAT(narrow.ptx(), Not(HasSubstr("ld.global.v4.b32")));
  wide(x);
  narrow(x);
  EXPECT_EQ(valuesOf<_Float16>(x)[255], static_cast<_Float16>(255 * 4));
}

}  // namespace
}  // namespace cutwork::test

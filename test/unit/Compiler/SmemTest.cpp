// SmemTest.cpp -- shared memory: allocations, structs, alignments, refusals.
#include "Harness.h"

namespace cutwork::test {
namespace {

using namespace cute;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Smem, StructsLieAsInC) {
  auto got = run<std::int32_t>(std::vector<std::int32_t>(6), [](Tensor out) {
    struct C {
      std::int8_t flag;
      alignas(16) float values[3];
      std::int16_t count;
      double last;
    };
    SmemStruct storage;
    auto flag = storage.field(DType::Int8);
    auto values = storage.field(DType::Float32, 3, 16);
    auto count = storage.field(DType::Int16);
    auto last = storage.field(DType::Float64);
    auto end = storage.field(DType::Int64, 0);
    EXPECT_EQ(values.offset, static_cast<std::int64_t>(offsetof(C, values)));
    EXPECT_EQ(count.offset, static_cast<std::int64_t>(offsetof(C, count)));
    EXPECT_EQ(last.offset, static_cast<std::int64_t>(offsetof(C, last)));
    EXPECT_EQ(storage.size_in_bytes(), static_cast<std::int64_t>(sizeof(C)));
    EXPECT_EQ(storage.alignment(), static_cast<std::int64_t>(alignof(C)));
    SmemAllocator smem;
    smem.allocate(3);
    Pointer base = smem.allocate(storage);
    EXPECT_EQ(base.alignment() % 16, 0);
    Int32 start = base.toint();
    out(0) = storage.at(base, flag).toint() - start;
    out(1) = storage.at(base, values).toint() - start;
    out(2) = storage.at(base, end).toint() - start;
    Tensor array = make_tensor(storage.at(base, values), make_layout({3}));
    array(2) = 2.5f;
    storage.at(base, last).store(Float64(4.0));
    out(3) = Int32(Float32(array(2)) * 2.0f);
    out(4) = Int32(storage.at(base, last).load());
    out(5) = start % 16;
  });
  EXPECT_THAT(got, ElementsAre(0, 16, 40, 5, 4, 0));
}

TEST(Smem, AllocationsLieBehindEachOther) {
  auto got = run<std::int32_t>(std::vector<std::int32_t>(3), [](Tensor out) {
    SmemAllocator first;
    SmemAllocator second;
    Int32 a = first.allocate_array(DType::Int8, 3).toint();
    Int32 b = second.allocate_array(DType::Int64, 2).toint();
    Int32 c = first.allocate(16, 1024).toint();
    out(0) = b - a;
    out(1) = c - a;
    out(2) = static_cast<int>(smem_size());
  });
  EXPECT_THAT(got, ElementsAre(8, 1024, 1040));
}

TEST(Smem, Refusals) {
  auto refused = [](auto body) {
    return refusalOfKernel([&](Tensor) {
      SmemAllocator smem;
      body(smem);
    });
  };
  EXPECT_THAT(refused([](SmemAllocator& s) { s.allocate(-1); }), HasSubstr("-1 bytes"));
  EXPECT_THAT(refused([](SmemAllocator& s) { s.allocate(8, 24); }), HasSubstr("not to 24"));
  EXPECT_THAT(refused([](SmemAllocator& s) { s.allocate(8, 2048); }), HasSubstr("up to 1024"));
  EXPECT_THAT(
      refused([](SmemAllocator& s) {
        AnyLayout layout(make_composed_layout(make_swizzle(1, 4, 3), 0, make_layout({8})).value());
        s.allocate_tensor(DType::Int8, layout, 16, make_swizzle(1, 4, 3));
      }),
      HasSubstr("a swizzle both in the layout"));
  EXPECT_THAT(refusalOf([] { SmemStruct().field(DType::Int8, -1); }), HasSubstr("-1"));
  Array x = arrayOf<std::int32_t>({0});
  EXPECT_THAT(refusalOf([&] { compile(jit("host", [](Tensor) { SmemAllocator s; }), x); }),
              HasSubstr("shared memory is of kernels"));
}

}  // namespace
}  // namespace cutwork::test

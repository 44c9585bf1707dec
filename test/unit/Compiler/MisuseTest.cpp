// MisuseTest.cpp -- programs that are wrong: each is refused, at its line, by a message that says
// why; none crashes, and none is silently given another meaning.
#include <limits>

#include "Harness.h"

namespace cutwork {
namespace {

using namespace cute;  // NOLINT(google-build-using-namespace)
using namespace test;  // NOLINT(google-build-using-namespace)
using testing::HasSubstr;
using testing::Not;

// What tracing `body(t)` as a kernel of one thread says.
template <class Body>
std::string inKernel(Body body, LaunchOptions options = {}) {
  static const Array kArray = arrayOf(iota<float>(64));
  auto host = jit("misuse", [&](Tensor t) { launch(body, options, t); });
  return refusalOf([&] { compile(host, kArray); });
}

template <class Body>
std::string inHost(Body body) {
  static const Array kArray = arrayOf(iota<float>(64));
  auto host = jit("misuse", body);
  return refusalOf([&] { compile(host, kArray); });
}

TEST(Misuse, DeviceMemoryInHostCode) {
  for (const std::string& text : {inHost([](Tensor t) { t(0) = 1; }), inHost([](Tensor t) {
                                    Var<Float32> x(0), y(0);
                                    x = t(0);
                                  }),
                                  inHost([](Tensor t) {
                                    Tensor part = make_tensor(t.iterator(), make_layout({4}));
                                    autovec_copy(part, make_fragment_like(part));
                                  }),
                                  inHost([](Tensor t) { print_tensor(t); })}) {
    EXPECT_THAT(text, HasSubstr("MisuseTest.cpp:"));
    EXPECT_THAT(text, HasSubstr("the host function cannot read or write gmem memory"));
  }
}

// A comparison of run-time integers is a condition of the kernel, not a C++ bool that is decided
// while tracing.
TEST(Misuse, EqualityOfRunTimeIntegers) {
  Array x = arrayOf(std::vector<std::int32_t>(4, -1));
  auto host = jit("equality", [](Tensor t) {
    auto body = [](Tensor u) {
      if_(size(u) == 4, [&] { u(0) = 1; }).else_([&] { u(0) = 2; });
      if_(size(u) != 4, [&] { u(1) = 1; }).else_([&] { u(1) = 2; });
      u(2) = select(size(u) == size(u), 3, 4);
      return_if(size(u) == 4);
      u(3) = 9;
    };
    launch(body, {}, t);
  });
  compile(host, x)(x);
  EXPECT_EQ(valuesOf<std::int32_t>(x), (std::vector<std::int32_t>{1, 2, 3, -1}));
  auto text = inKernel([](Tensor t) {
    if (size(t) == 4) t(0) = 1;
  });
  EXPECT_THAT(text, HasSubstr("whether ? and 4 are equal is not known while tracing"));
  EXPECT_THAT(text, HasSubstr("MisuseTest.cpp:"));
}

TEST(Misuse, ModesThatAreNotThere) {
  EXPECT_THAT(inKernel([](Tensor t) { t(0) = size(t, 2); }), HasSubstr("mode 2 of (?)"));
  EXPECT_THAT(inKernel([](Tensor t) { t(0) = size(t, -1); }), HasSubstr("which has 1 mode"));
  EXPECT_THAT(refusalOf([] { (void)make_layout({4, 8}).value()[2]; }),
              HasSubstr("mode 2 of (4,8), which has 2 modes"));
}

TEST(Misuse, CoordinatesOfElements) {
  auto text = inKernel([](Tensor t) {
    Tensor two = make_tensor(t.iterator(), make_layout({4, 4}));
    IntTuple coord = make_coord(_, 0);
    two(coord) = 1;
  });
  EXPECT_THAT(text, HasSubstr("keeps modes"));
  text = inKernel([](Tensor t) { t(Float32(t(0))) = 1; });
  EXPECT_THAT(text, HasSubstr("Float32 cannot be an extent"));
  EXPECT_THAT(text, HasSubstr("MisuseTest.cpp:"));
}

// What was half traced goes, so that the rest still compiles.
TEST(Misuse, ExceptionsThatTheHostFunctionCatches) {
  Array x = arrayOf(std::vector<float>(2));
  auto host = jit("caught", [](Tensor t) {
    auto fails = [](Tensor u) {
      u(0) = 5;
      while_([&] { return Boolean(u(0) > 1); }, [] { throw std::runtime_error("mine"); });
    };
    auto works = [](Tensor u) { u(1) = 7; };
    try {
      launch(fails, {}, t);
    } catch (const std::runtime_error&) {
      launch(works, {}, t);
    }
  });
  compile(host, x)(x);
  EXPECT_EQ(valuesOf<float>(x), (std::vector<float>{0, 7}));
}

TEST(Misuse, Launches) {
  auto nothing = [](Tensor) {};
  EXPECT_THAT(inKernel(nothing, {.grid = {IntTuple{1, 2}, 1}}), HasSubstr("is nested"));
  EXPECT_THAT(inKernel(nothing, {.smem = 1.5}), HasSubstr("smem is a number of bytes"));
  EXPECT_THAT(inKernel(nothing, {.max_threads = -5}), HasSubstr("max_threads is -5"));
  EXPECT_THAT(inKernel(nothing, {.block = {64}, .max_threads = 32}),
              HasSubstr("a block of 64 threads, but max_threads is 32"));
  EXPECT_THAT(inKernel(nothing, {.min_blocks = 1000}), HasSubstr("min_blocks is 1000"));
}

TEST(Misuse, ArgumentsThatNoCallCouldGive) {
  auto host = jit("zero", [](Tensor) {});
  Array none = Array::empty(simulated(), typeOf<float>(), {0, 4});
  EXPECT_THAT(refusalOf([&] { compile(host, from_dlpack(none)); }),
              HasSubstr("argument 0: extent 0 of the array is 0"));
  auto narrow = jit("narrow", [](Float8E4M3FN) {});
  EXPECT_THAT(refusalOf([&] { compile(narrow, 1.0f); }),
              HasSubstr("argument 0: a Float8E4M3FN is no number that a caller can pass"));
}

TEST(Misuse, ControlFlow) {
  EXPECT_THAT(inKernel([](Tensor) {
                for_({.start = 0, .stop = 1000000000, .unroll_full = true}, [](Int32) {});
              }),
              HasSubstr("unroll_full of 1000000000 iterations; at most 65536"));
  EXPECT_THAT(inKernel([](Tensor t) {
                auto f = if_(t(0) > 0, [] {});
                f.else_([&] { t(0) = 1; });
                f.else_if(t(1) > 0, [&] { t(0) = 2; });
              }),
              HasSubstr("has its else_ or else_if already"));
  std::optional<If> kept;
  inKernel([&](Tensor t) { kept = if_(t(0) > 0, [] {}); });
  EXPECT_THAT(inKernel([&](Tensor) { kept->else_([] {}); }), HasSubstr("of the same trace"));
}

TEST(Misuse, OperandsOfInstructions) {
  EXPECT_THAT(inKernel([](Tensor) { arch::barrier(1.5, 32); }),
              HasSubstr("an integer was expected, not Float32(1.5)"));
  EXPECT_THAT(inKernel([](Tensor t) { t(0) = arch::shuffle_sync(t(0), 0, 0x1ffffffffLL); }),
              HasSubstr("8589934591 does not fit 32 bits"));
  EXPECT_THAT(inKernel([](Tensor) {
                Tensor mine = make_rmem_tensor(IntTuple{1}, DType::Int32);
                arch::atomic_add(mine.iterator(), 1);
              }),
              HasSubstr("registers are of one thread"));
  EXPECT_THAT(inKernel([](Tensor t) { (void)Float32(t(0)).to(DType::TFloat32, Rounding::rm); }),
              HasSubstr("a TFloat32 is rounded by rn, rz or rna"));
}

TEST(Misuse, SharedMemory) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 61;
  EXPECT_THAT(inKernel([](Tensor) { (void)SmemAllocator().allocate_array(DType::Float64, kHuge); }),
              HasSubstr("elements of shared memory"));
  EXPECT_THAT(inKernel([](Tensor) { (void)SmemStruct().field(DType::Float64, kHuge); }),
              HasSubstr("elements of shared memory"));
  EXPECT_THAT(inKernel([](Tensor) {
                (void)SmemAllocator().allocate_tensor(DType::Int32, make_layout({8, 8}), 1024,
                                                      make_swizzle(3, 0, 3));
              }),
              HasSubstr("keeps 1 bytes together"));
  EXPECT_THAT(inKernel([](Tensor) {
                (void)SmemAllocator().allocate_tensor(DType::Int32, make_layout({4}, {-1}));
              }),
              HasSubstr("elements before its first"));
}

// Of the same type for scalars and vectors.
TEST(Misuse, NegationKeepsTheType) {
  EXPECT_EQ(inKernel([](Tensor t) {
              for (DType type : {DType::Int8, DType::Int16, DType::Uint8, DType::Uint16,
                                 DType::Int32, DType::Uint64, DType::Float16}) {
                TensorSSA vector = full(IntTuple{4}, t(0), DType::Float32).to(type);
                EXPECT_EQ((-vector).type(), type) << name(type);
                EXPECT_EQ((-vector[0]).type(), type) << name(type);
              }
            }),
            "");
}

TEST(Misuse, LiteralsBeyondInt64AreUnsigned) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(Arg(kMost).type(), DType::Uint64);
  EXPECT_EQ(Float32(kMost).floating(), 0x1p64);
  EXPECT_EQ(Float64(kMost).floating(), 0x1p64);
}

// Every type to both f8 and back, scalars and vectors: what there is compiles and is right.
TEST(Misuse, NarrowFloatsFromEveryType) {
  constexpr DType kAll[] = {DType::Boolean, DType::Int8,    DType::Int16,    DType::Int32,
                            DType::Int64,   DType::Uint8,   DType::Uint16,   DType::Uint32,
                            DType::Uint64,  DType::Float16, DType::BFloat16, DType::Float32,
                            DType::Float64, DType::TFloat32};
  for (DType narrow : {DType::Float8E4M3FN, DType::Float8E5M2}) {
    for (DType type : kAll) {
      auto got = run<float>(std::vector<float>(4, 1), [&](Tensor o) {
        TensorSSA ones = make_tensor(o.iterator(), make_layout({4})).load();
        TensorSSA there = ones.to(type).to(narrow);
        TensorSSA back = there.to(type).to(DType::Float32);
        Numeric scalar = Float32(o(0)).to(type).to(narrow).to(type).to(DType::Float32);
        make_tensor(o.iterator(), make_layout({2}))
            .store((make_tensor(o.iterator(), make_layout({2})).load())
                       .to(type)
                       .to(narrow)
                       .to(type)
                       .to(DType::Float32));
        o(2) = back[3];
        o(3) = scalar;
      });
      EXPECT_EQ(got, std::vector<float>(4, 1)) << name(type) << " to " << name(narrow);
    }
  }
}

}  // namespace
}  // namespace cutwork

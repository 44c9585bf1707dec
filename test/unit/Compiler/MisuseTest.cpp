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

// A slot is of the body that it was made in, as a value is.
TEST(Misuse, VariablesOfABody) {
  auto text = inKernel([](Tensor t) {
    std::optional<Var<Float32>> kept;
    if_(t(0) > 0, [&] { kept.emplace(5); });
    t(1) = *kept;
  });
  EXPECT_THAT(text, HasSubstr("inside the body of an if_, for_ or while_ that has ended"));
  text = inKernel([](Tensor t) {
    std::optional<Tensor> kept;
    for_(0, Int32(t(0)), [&](Int32) { kept = make_rmem_tensor(IntTuple{4}, DType::Float32); });
    (*kept)(0) = 1;
  });
  EXPECT_THAT(text, HasSubstr("inside the body of an if_, for_ or while_ that has ended"));
  // In the body they are registers as others are.
  Array x = arrayOf(iota<float>(8));
  auto host = jit("inside", [](Tensor t) {
    auto body = [](Tensor u) {
      if_(u(1) > 0, [&] {
        Tensor r = make_rmem_tensor(IntTuple{4}, DType::Float32);
        for_(0, 4, [&](Int32 k) { r(k) = Float32(u(k)) * 2.0f; });
        Var<Float32> sum(0);
        for_(0, 4, [&](Int32 k) { sum += r(k); });
        u(0) = sum;
      });
    };
    launch(body, {}, t);
  });
  auto f = compile(host, x);
  EXPECT_THAT(f.ptx(), Not(HasSubstr(".local")));
  f(x);
  EXPECT_EQ(valuesOf<float>(x)[0], 12);
}

TEST(Misuse, HostMemoryInKernels) {
  auto text = inHost([](Tensor) {
    Tensor mine = make_rmem_tensor(IntTuple{4}, DType::Float32);
    launch([](Tensor u) { u(0) = 1; }, {}, mine);
  });
  EXPECT_THAT(text, HasSubstr("registers of the host function"));
  EXPECT_THAT(text, HasSubstr("MisuseTest.cpp:"));
  std::vector<float> memory(16);
  TensorSpec spec{.space = AddressSpace::generic, .shape = {{true, 16}}, .stride = {{true, 1}}};
  auto host = jit("generic", [](Tensor t) {
    launch([](Tensor u) { u(0) = 1; }, {}, make_tensor(t.iterator() + 4, make_layout({4})));
  });
  text = refusalOf([&] { compile(host, spec); });
  EXPECT_THAT(text, HasSubstr("an array on the host is passed to a kernel"));
  EXPECT_THAT(text, HasSubstr("MisuseTest.cpp:"));
  auto address = jit("address", [](Int64 a) {
    launch([](Pointer p) { p.store(1.0f); }, {},
           make_ptr(DType::Float32, a, AddressSpace::generic));
  });
  EXPECT_EQ(refusalOf([&] { compile(address, std::int64_t{0}); }), "");
}

TEST(Misuse, ValuesOfAnotherKernel) {
  auto text = inHost([](Tensor t) {
    std::optional<Float32> kept;
    launch([&](Tensor u) { kept.emplace(u(0)); }, {}, t);
    launch([&](Tensor u) { u(0) = *kept; }, {}, t);
  });
  EXPECT_THAT(text, HasSubstr("a value of another kernel"));
}

TEST(Misuse, Registers) {
  for (const AnyLayout& layout :
       {AnyLayout(make_layout({4}, {-1}).value()), AnyLayout(make_layout({4, 2}, {1, -4}).value())})
    EXPECT_THAT(inKernel([&](Tensor) { (void)make_rmem_tensor(layout, DType::Int32); }),
                HasSubstr("strides of registers are not negative"));
  for (int at : {8, -1, 100}) {
    auto text = inKernel([&](Tensor) { make_rmem_tensor(IntTuple{4, 2}, DType::Int32)(at) = 1; });
    EXPECT_THAT(text, HasSubstr(at < 0 ? "the negative coordinate -1" : "has no element "));
    EXPECT_THAT(text, HasSubstr("MisuseTest.cpp:"));
  }
}

TEST(Misuse, ElementsOfVectors) {
  auto element = [](const IntTuple& coord) {
    return inKernel([&](Tensor t) {
      TensorSSA x = make_tensor(t.iterator(), make_layout({2, 3})).load();
      t(0) = x[coord];
    });
  };
  EXPECT_EQ(element({1, 2}), "");
  EXPECT_EQ(element(5), "");
  for (const IntTuple& coord : {IntTuple{2, 0}, IntTuple{0, 3}, IntTuple{0, -1}, IntTuple(6),
                                IntTuple(-1), IntTuple{0, 0, 0}, IntTuple{IntTuple::hole(), 1}}) {
    EXPECT_THAT(element(coord), HasSubstr("has no element " + coord.text()));
    EXPECT_THAT(element(coord), HasSubstr("MisuseTest.cpp:"));
  }
}

// A literal takes the type of what it is stored to, if it can.
TEST(Misuse, LiteralsThatDoNotFit) {
  auto store = [](DType type, const Arg& value) {
    return inKernel([&](Tensor) { make_rmem_tensor(IntTuple{1}, type)(0) = value; });
  };
  EXPECT_THAT(store(DType::Int32, 3000000000), HasSubstr("3000000000 is no Int32"));
  EXPECT_THAT(store(DType::Uint8, 300), HasSubstr("300 is no Uint8"));
  EXPECT_THAT(store(DType::Int8, -129), HasSubstr("-129 is no Int8"));
  EXPECT_THAT(store(DType::Int64, ~std::uint64_t{0}), HasSubstr("is no Int64"));
  EXPECT_THAT(store(DType::Int32, 2.5f), HasSubstr("2.5 is no Int32"));
  EXPECT_THAT(store(DType::Float16, 70000), HasSubstr("70000 is no Float16"));
  EXPECT_THAT(store(DType::Float32, 1e300), HasSubstr("is no Float32"));
  for (const Arg& fits : {Arg(255), Arg(-1), Arg(3.0f)}) EXPECT_EQ(store(DType::Uint8, fits), "");
  EXPECT_EQ(store(DType::Float16, std::numeric_limits<float>::infinity()), "");
  EXPECT_THAT(inKernel([](Tensor) { Var<Int32> x(2.5f); }), HasSubstr("2.5 is no Int32"));
  EXPECT_THAT(inKernel([](Tensor t) { t.fill(1e300); }), HasSubstr("fill"));
}

TEST(Misuse, Pointers) {
  auto make = [](const Arg& address, std::int64_t alignment) {
    return inKernel(
        [&](Tensor) { (void)make_ptr(DType::Float32, address, AddressSpace::gmem, alignment); });
  };
  EXPECT_THAT(make(64, 3), HasSubstr("an alignment is a power of two, not 3"));
  EXPECT_THAT(make(64, -4), HasSubstr("an alignment is a power of two, not -4"));
  EXPECT_THAT(make(64.0f, 4), HasSubstr("an address is an integer"));
}

TEST(Misuse, Options) {
  Array x = arrayOf(iota<float>(4));
  auto host = jit("options", [](Tensor t) { launch([](Tensor u) { u(0) = 1; }, {}, t); });
  auto with = [&](int optimisation, int registers) {
    return refusalOf([&] {
      CompileOptions options;
      options.optimisation = optimisation;
      options.maxRegisters = registers;
      compile(options, host, x);
    });
  };
  for (int level : {-1, 4, 99}) EXPECT_THAT(with(level, 0), HasSubstr("0 to 3 are possible"));
  for (int count : {-1, 256, 100000})
    EXPECT_THAT(with(3, count), HasSubstr("0 (no limit) to 255 are possible"));
  for (int level : {0, 1, 2, 3}) EXPECT_EQ(with(level, 255), "");
}

TEST(Misuse, Vectors) {
  auto make = [](const IntTuple& shape) {
    return inKernel([&](Tensor) { (void)full(shape, 1, DType::Int32); });
  };
  for (const IntTuple& shape :
       {IntTuple{0}, IntTuple{-2}, IntTuple{4, 0}, IntTuple{IntTuple::hole(), 2}})
    EXPECT_THAT(make(shape), HasSubstr("is not static and positive"));
  for (const IntTuple& shape : {IntTuple{2048}, IntTuple{1 << 20, 1 << 20}})
    EXPECT_THAT(make(shape), HasSubstr("a vector has at most 1024"));
  EXPECT_EQ(make(IntTuple{32, 32}), "");
  auto ofNumbers = [](auto use) {
    return inKernel([&](Tensor) { use(full(IntTuple{4}, 1, DType::Int32)); });
  };
  for (const std::string& text : {ofNumbers([](const TensorSSA& x) { (void)!x; }),
                                  ofNumbers([](const TensorSSA& x) { (void)any_(x); }),
                                  ofNumbers([](const TensorSSA& x) { (void)all_(x); }),
                                  ofNumbers([](const TensorSSA& x) { (void)where(x, x, x); })})
    EXPECT_THAT(text, HasSubstr("a vector of Booleans was expected, not of Int32"));
}

TEST(Misuse, Partitions) {
  for (int thread : {-1, 4, 9})
    EXPECT_THAT(inKernel([&](Tensor t) {
                  Tensor part = make_tensor(t.iterator(), make_layout({16}));
                  (void)local_partition(part, make_layout({4}), thread);
                }),
                HasSubstr("there is no thread " + std::to_string(thread)));
  EXPECT_THAT(inKernel([&](Tensor t) {
                Tensor part = make_tensor(t.iterator(), make_layout({8}));
                TiledCopy tiled =
                    make_tiled_copy_tv(make_copy_atom(CopyUniversalOp(), DType::Float16),
                                       make_layout({1, 1}).value(), make_layout({8, 1}).value());
                copy(tiled, part, make_fragment_like(part));
              }),
              HasSubstr("the atom is for Float16, elements of 16 bits"));
}

// What is moved from is what it was: a copy.
TEST(Misuse, MovedObjects) {
  Array x = arrayOf(std::vector<std::int32_t>(1));
  auto host = jit("moved", [](Tensor t) { launch([](Tensor u) { u(0) += 1; }, {}, t); });
  CompiledFunction f = compile(host, x);
  CompiledFunction g = std::move(f);
  f(x);  // NOLINT(bugprone-use-after-move)
  g(x);
  EXPECT_EQ(valuesOf<std::int32_t>(x)[0], 2);
  Device device = simulated();
  cutwork::Stream stream = device.createStream().value();
  Device other = std::move(device);
  cutwork::Stream third = std::move(stream);
  EXPECT_EQ(device.name(), other.name());  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(stream.synchronize().ok());  // NOLINT(bugprone-use-after-move)
}

// The lines of the user's program, where the device finds what is wrong.
TEST(Misuse, PlacesOfWhatTheDeviceRefuses) {
  auto fault = [](auto body) -> std::string {
    try {
      run<std::int32_t>({1, 2}, body);
    } catch (const Exception& error) {
      return error.what();
    }
    return "";
  };
  for (const char* text : {"add.s32 $0, $1", "add.s32 $0, $1, 1; }"}) {
    std::string what =
        fault([&](Tensor t) { t(1) = arch::inline_ptx(text, {DType::Int32}, {t(0)})[0]; });
    EXPECT_THAT(what, HasSubstr("MisuseTest.cpp:"));
    EXPECT_THAT(what, HasSubstr("of its PTX"));
  }
  std::string what = fault([](Tensor t) {
    Tensor r = make_rmem_tensor(IntTuple{1 << 20}, DType::Int32);
    r(Int32(t(0))) = 1;
    r(Int32(t(1))) = 2;
    t(1) = r(Int32(t(0)));
  });
  // Of a whole kernel: where it is launched.
  EXPECT_THAT(what, HasSubstr("Harness.h:"));
  EXPECT_THAT(what, HasSubstr("512 KiB of local memory"));
}

TEST(Misuse, FunctionsCalledByTheHostPrinter) {
  Array x = arrayOf(std::vector<std::int32_t>(1));
  auto inner = compile(jit("inner", [](Int32 n) { cute::printf("inner {}\n", n); }), 0);
  auto outer = compile(jit("outer", [](Int32 n) { cute::printf("outer {}\n", n); }), 0);
  std::string printed;
  setHostPrinter([&](std::string_view text) {
    printed += text;
    if (text.starts_with("outer")) inner(7);
  });
  outer(5);
  setHostPrinter({});
  EXPECT_EQ(printed, "outer 5\ninner 7\n");
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

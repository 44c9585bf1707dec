// CompileTest.cpp -- compiling: shapes of all ranks, artefacts, targets, memory of many compiles.
#include <filesystem>
#include <fstream>

#include "Harness.h"
#include "cutwork/Support/Knobs.h"

namespace cutwork::test {
namespace {

using namespace cute;
using ::testing::HasSubstr;

auto twice() {
  return jit("twice", [](Tensor t) {
    auto kernel = [](Tensor u) {
      Int32 i = arch::thread_idx().x;
      if_(i < size(u), [&] { u(i) = Int32(u(i)) * 2; });
    };
    launch(kernel, {.grid = {1}, .block = {256}}, t);
  });
}

TEST(Compile, ArraysOfEveryRank) {
  std::vector<std::int64_t> shape;
  for (int rank = 1; rank <= 8; ++rank) {
    shape.push_back(rank % 3 == 0 ? 1 : 2);
    std::int64_t count = 1;
    for (std::int64_t extent : shape) count *= extent;
    auto values = iota<std::int32_t>(static_cast<std::size_t>(count));
    for (bool known : {false, true}) {
      Array x = arrayOf(values, shape);
      auto f = known ? compile(twice(), from_dlpack(x)) : compile(twice(), x);
      f(x);
      // A linear coordinate runs through all elements, whatever the order of the strides.
      std::vector<std::int32_t> got = valuesOf<std::int32_t>(x);
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], 2 * values[i]) << rank;
    }
  }
}

TEST(Compile, EmptyArraysAreRefused) {
  Device device = simulated();
  Array empty = Array::empty(device, typeOf<std::int32_t>(), {0, 4});
  EXPECT_THAT(refusalOf([&] { compile(twice(), from_dlpack(empty)); }), HasSubstr("0"));
}

TEST(Compile, MarksOfArguments) {
  Array x = arrayOf(iota<std::int32_t>(8 * 4 * 16 * 2), {8, 4, 16, 2});
  TensorArgument argument = from_dlpack(x);
  argument.mark_compact_shape_dynamic(0, {}, 2);
  EXPECT_FALSE(argument.spec().shape[0].known);
  EXPECT_EQ(argument.spec().shape[0].divisor, 2);
  EXPECT_TRUE(argument.spec().stride[0].known);
  argument = from_dlpack(x).mark_compact_shape_dynamic(2, {}, 4);
  EXPECT_FALSE(argument.spec().stride[1].known);
  EXPECT_EQ(argument.spec().stride[1].divisor, 8);
  EXPECT_EQ(argument.spec().stride[0].divisor, 32);
  EXPECT_THAT(refusalOf([&] { from_dlpack(x).mark_compact_shape_dynamic(4); }),
              HasSubstr("there is no mode 4"));
  EXPECT_THAT(refusalOf([&] { from_dlpack(x).mark_compact_shape_dynamic(0, {}, 3); }),
              HasSubstr("no multiple of 3"));
  EXPECT_THAT(refusalOf([&] { from_dlpack(x).mark_layout_dynamic(0); }),
              HasSubstr("Expected strides[leading_dim] == 1, but got 128"));
  auto f = compile(twice(), from_dlpack(x).mark_compact_shape_dynamic(0, {}, 2));
  EXPECT_THAT(refusalOf([&] { f(arrayOf(iota<std::int32_t>(3 * 128), {3, 4, 16, 2})); }),
              HasSubstr("extent 0 is 3; the function was compiled for multiples of 2"));
}

TEST(Compile, Artefacts) {
  Array x = arrayOf(iota<std::int32_t>(16));
  auto f = compile(twice(), x);
  EXPECT_THAT(f.mlir(), HasSubstr("cute.launch @kernels::@twice_kernel"));
  EXPECT_THAT(f.loweredMlir(), HasSubstr("llvm.func @twice_kernel"));
  EXPECT_THAT(f.llvm(), HasSubstr("ptx_kernel"));
  EXPECT_THAT(f.ptx(), HasSubstr(".target sm_90a"));
  EXPECT_THAT(f.ptx(), HasSubstr("CompileTest.cpp"));
  EXPECT_EQ(f.kernels(), std::vector<std::string>{"twice_kernel"});
}

TEST(Compile, KeepsWhatTheKnobsAskFor) {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(::testing::TempDir()) / "cutwork-kept";
  fs::remove_all(folder);
  setenv("CUTE_DSL_KEEP_IR", "1", 1);
  setenv("CUTE_DSL_KEEP_PTX", "yes", 1);
  setenv("CUTE_DSL_DUMP_DIR", folder.c_str(), 1);
  rereadKnobs();
  Array x = arrayOf(iota<std::int32_t>(16));
  compile(twice(), x);
  for (const char* name : {"CUTE_DSL_KEEP_IR", "CUTE_DSL_KEEP_PTX", "CUTE_DSL_DUMP_DIR"}) {
    unsetenv(name);
  }
  rereadKnobs();
  for (const char* ending : {"mlir", "lowered.mlir", "ll", "ptx"}) {
    EXPECT_GT(fs::file_size(folder / (std::string("twice.") + ending)), 100U) << ending;
  }
}

TEST(Compile, ArchKnobChoosesTheTarget) {
  setenv("CUTE_DSL_ARCH", "sm_80", 1);
  rereadKnobs();
  Array x = arrayOf(iota<std::int32_t>(16));
  auto f = compile(twice(), x);
  unsetenv("CUTE_DSL_ARCH");
  rereadKnobs();
  EXPECT_THAT(f.ptx(), HasSubstr(".target sm_80"));
  f(x);
  EXPECT_EQ(valuesOf<std::int32_t>(x)[15], 30);
}

std::int64_t statusOf(const std::string& field) {
  std::ifstream file("/proc/self/status");
  std::string word;
  std::int64_t value = 0;
  while (file >> word) {
    if (word == field + ":" && file >> value) return value;
  }
  return -1;
}

TEST(Compile, MemoryAndThreadsStayFlat) {
  Array x = arrayOf(iota<std::int32_t>(16));
  for (int i = 0; i < 60; ++i) compile(twice(), x);
  std::int64_t before = statusOf("VmRSS");
  std::int64_t threads = statusOf("Threads");
  for (int i = 0; i < 300; ++i) compile(twice(), x);
  EXPECT_LT(statusOf("VmRSS") - before, 12 * 1024) << "kB over 300 compiles";
  EXPECT_EQ(statusOf("Threads"), threads);
}

}  // namespace
}  // namespace cutwork::test

// CompileTest.cpp -- compiling: shapes of all ranks, artefacts, targets, memory of many compiles.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "../Runtime/StubDevice.h"
#include "Harness.h"
#include "cutwork/Simulator/Runs.h"
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
  EXPECT_THAT(refusalOf([&] { compile(twice(), from_dlpack(empty)); }),
              HasSubstr("argument 0: extent 0 of the array is 0"));
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

// Sets variables, and takes them back.
class WithKnobs {
 public:
  explicit WithKnobs(std::vector<std::pair<const char*, const char*>> variables)
      : variables_(std::move(variables)) {
    for (const auto& [name, value] : variables_) setenv(name, value, 1);
    rereadKnobs();
  }
  WithKnobs(const WithKnobs&) = delete;
  WithKnobs& operator=(const WithKnobs&) = delete;
  ~WithKnobs() {
    for (const auto& [name, value] : variables_) unsetenv(name);
    rereadKnobs();
  }

 private:
  std::vector<std::pair<const char*, const char*>> variables_;
};

int countOf(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(Compile, EveryStageIsLoggedOnce) {
  std::string log;
  {
    WithKnobs info({{"CUTWORK_LOG", "info"}, {"CUTE_DSL_DISABLE_FILE_CACHING", "1"}});
    ::testing::internal::CaptureStderr();
    Array x = arrayOf(iota<std::int32_t>(16));
    auto f = compile(twice(), x);
    f(x);
    f(x);
    log = ::testing::internal::GetCapturedStderr();
  }
  std::size_t last = 0;
  for (const char* stage : {"trace", "lower", "llvm", "host", "load"}) {
    std::string line = std::string("cutwork: info: ") + stage + " ";
    EXPECT_EQ(countOf(log, line), 1) << stage << " in\n" << log;
    EXPECT_GE(log.find(line), last) << "in this order";
    last = log.find(line);
  }
}

TEST(Compile, PrintsIrIfTheKnobSaysSo) {
  WithKnobs print({{"CUTE_DSL_PRINT_IR", "1"}});
  ::testing::internal::CaptureStderr();
  Array x = arrayOf(iota<std::int32_t>(16));
  auto f = compile(twice(), x);
  std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("// twice, as traced\n" + f.mlir()));
  EXPECT_THAT(text, HasSubstr("// twice, as lowered\n" + f.loweredMlir()));
}

// A kernel that never ends is ended.
TEST(Compile, LimitsOfTheSimulatedDevice) {
  Array x = arrayOf<std::int32_t>({1});
  auto host = jit("endless", [](Tensor t) {
    auto body = [](Tensor u) { while_([&] { return Boolean(u(0) == 1); }, [&] { u(0) = 1; }); };
    launch(body, {}, t);
  });
  auto f = compile(host, x);
  auto fault = [&] {
    try {
      f(x);
    } catch (const DeviceError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  {
    WithKnobs limit({{"CUTWORK_SIM_MAX_INSTRUCTIONS", "5000"}});
    EXPECT_THAT(fault(), HasSubstr("the limit of 5000 instructions was reached"));
    limitSimulatedRuns(1000, nullptr);
    EXPECT_THAT(fault(), HasSubstr("the limit of 1000 instructions was reached"));
  }
  std::atomic<bool> stop = true;
  limitSimulatedRuns(0, &stop);
  EXPECT_THAT(fault(), HasSubstr("the run was stopped from outside"));
  limitSimulatedRuns(0, nullptr);
}

// R50: a call with five arguments over a device that does nothing.
TEST(Compile, CallsCostLittle) {
  class Nothing : public StubDevice {
   public:
    using StubDevice::StubDevice;
    Expected<std::unique_ptr<PreparedLaunch>> prepare(FunctionHandle,
                                                      const LaunchConfig&) override {
      class Launch : public PreparedLaunch {
        Status run(const void* const*, StreamHandle) override { return Success{}; }
      };
      return std::unique_ptr<PreparedLaunch>(std::make_unique<Launch>());
    }
  };
  Device device = Device::over(std::make_shared<Nothing>("nothing"));
  auto make = [&] { return Array::empty(device, typeOf<float>(), {4, 8}).value(); };
  Array a = make();
  Array b = make();
  Array c = make();
  auto host = jit("five", [](Tensor x, Tensor y, Tensor z, Int32 n, Float32 s) {
    auto body = [](Tensor u, Tensor v, Tensor w, Int32 m, Float32 r) {
      if_(m > 0, [&] { w(0, 0) = Float32(u(0, 0)) * r + Float32(v(0, 0)); });
    };
    launch(body, {.block = {32}}, x, y, z, n, s);
  });
  CompileOptions options;
  options.target = Target::parse("sm_90a").value();
  auto f = compile(options, host, a, b, c, 1, 2.0f);
  constexpr int kCalls = 20000;
  f(a, b, c, 1, 2.0f);
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) f(a, b, c, 1, 2.0f);
  std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  RecordProperty("microseconds", std::to_string(took.count() / kCalls));
  EXPECT_LT(took.count() / kCalls, 20) << "microseconds a call";
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
  EXPECT_LT(statusOf("VmRSS") - before, 2 * 1024) << "kB over 300 compiles";
  EXPECT_EQ(statusOf("Threads"), threads);
}

}  // namespace
}  // namespace cutwork::test

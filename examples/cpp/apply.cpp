// apply.cpp -- y = f(x, ...) elementwise for any function of vectors: lambdas in kernels.
#include <cutwork/Cases/Case.h>
#include <cutwork/Cute.h>

#include <algorithm>

using namespace cutwork;

namespace {

constexpr int kThreads = 256;
constexpr int kVector = 4;  // of float: 128 bits

// The function is traced into the kernel: it costs no call, and may capture what it likes.
template <class F, class... Inputs>
void apply(const F& f, const cute::Tensor& y, const Inputs&... x) {
  auto vectors = [](const cute::Tensor& t) { return cute::zipped_divide(t, {kVector}); };
  cute::Tensor gY = vectors(y);  // (element, vector)
  auto kernel = [&f](const cute::Tensor& out, const Inputs&... in) {
    auto [tid, ty, tz] = cute::arch::thread_idx();
    auto [bid, by, bz] = cute::arch::block_idx();
    cute::Int32 index = bid * kThreads + tid;
    cute::return_if(index >= cute::size(out, 1));
    out(cute::_, index).store(f(in(cute::_, index).load()...));
  };
  cute::Int blocks = cute::ceilDiv(cute::size(gY, 1), kThreads);
  launch(kernel, {.grid = {blocks}, .block = {kThreads}}, gY, vectors(x)...);
}

constexpr double kSlope = 0.01;

void leakyRelu(cute::Tensor x, cute::Tensor y) {
  apply([](const cute::TensorSSA& v) { return cute::where(v > 0, v, v * kSlope); }, y, x);
}

void sumOfSquares(cute::Tensor a, cute::Tensor b, cute::Tensor y) {
  apply([](const cute::TensorSSA& u, const cute::TensorSSA& v) { return u * u + v * v; }, y, a, b);
}

CaseArrays floats(const CaseShape& shape, std::uint64_t seed, std::vector<std::string> inputs) {
  CaseArrays arrays(seed);
  for (std::string& name : inputs) arrays.input(std::move(name), cute::DType::Float32, shape);
  arrays.output("y", cute::DType::Float32, shape);
  return arrays;
}

const RegisterCase kLeakyRelu({
    .name = "leaky_relu",
    .description = "y = x where x > 0, else x / 100, by a lambda for float32",
    .extents = "N",
    .shape = {1 << 18},
    .oddShapes = {{4}, {1028}},
    .get_inputs = [](const CaseShape& shape,
                     std::uint64_t seed) { return floats(shape, seed, {"x"}); },
    .kernel_fn = kernelFn(jit("leaky_relu", leakyRelu)),
    .reference_fn =
        [](const CaseArrays& in, CaseResults& out) {
          std::vector<double>& y = out["y"];
          for (std::int64_t i = 0; double& exact : y) {
            const double x = in["x"][i++];
            exact = std::max(x, x * kSlope);
          }
        },
    .rtol = 0x1p-23,  // 0.01 and the product are rounded
});

const RegisterCase kSumOfSquares({
    .name = "sum_of_squares",
    .description = "y = a * a + b * b, by a lambda for float32",
    .extents = "N",
    .shape = {1 << 18},
    .oddShapes = {{4}, {1028}},
    .get_inputs = [](const CaseShape& shape,
                     std::uint64_t seed) { return floats(shape, seed, {"a", "b"}); },
    .kernel_fn = kernelFn(jit("sum_of_squares", sumOfSquares)),
    .reference_fn =
        [](const CaseArrays& in, CaseResults& out) {
          std::vector<double>& y = out["y"];
          for (std::int64_t i = 0; double& exact : y) {
            const double a = in["a"][i];
            const double b = in["b"][i];
            exact = a * a + b * b;
            ++i;
          }
        },
    .rtol = 0x1p-22,
});

}  // namespace

// row_sum.cpp -- y[m] = sum of row m for float32: a loop, then warp and block reduction.
#include <cutwork/Cases/Case.h>
#include <cutwork/Cute.h>

#include <numeric>

#include "shared/Reduce.h"

using namespace cutwork;

namespace {

constexpr int kThreads = 256;
// One block sums one row: its threads take neighbouring vectors, then the next 256.
void rowSum(cute::Tensor gX, cute::Tensor y) {
  auto [tid, ty, tz] = cute::arch::thread_idx();
  auto [row, by, bz] = cute::arch::block_idx();
  cute::Tensor x = gX(cute::make_coord(0, cute::_), cute::make_coord(row, cute::_));
  cute::Var<cute::Float32> sum(0);
  cute::for_({.start = tid, .stop = cute::size(x, 1), .step = kThreads, .unroll = 4},
             [&](const cute::Int32& i) {
               sum += x(cute::_, i).load().reduce(cute::ReductionOp::ADD, 0.0F);
             });
  cute::Float32 total = example::blockReduce(cute::ReductionOp::ADD, sum, kThreads / 32);
  cute::if_(tid == 0, [&] { y(row) = total; });
}

void host(cute::Tensor x, cute::Tensor y) {
  // As many elements at once as rows are known to be a multiple of: up to 4, 128 bits.
  const std::int64_t vector = std::gcd(x.shape()[1].value().divisor(), std::int64_t{4});
  cute::Tensor gX =
      cute::zipped_divide(x, cute::Tiler{1, vector});  // ((1, element), (row, vector))
  launch(rowSum, {.grid = {x.shape()[0]}, .block = {kThreads}}, gX, y);
}

const RegisterCase kCase({
    .name = "row_sum",
    .description = "y[m] = sum of x[m, :] for float32, rows of any length",
    .extents = "MxN",
    .shape = {64, 5000},
    .oddShapes = {{1, 1}, {3, 7}, {2, 1024}, {5, 4099}},
    .get_inputs =
        [](const CaseShape& shape, std::uint64_t seed) {
          CaseArrays arrays(seed);
          const std::int64_t divisor = shape[1] % 4 == 0 ? 4 : 1;
          arrays.input("x", cute::DType::Float32, shape, 0, 1).dynamic(divisor);
          arrays.output("y", cute::DType::Float32, {shape[0]}).dynamic();
          return arrays;
        },
    .kernel_fn = kernelFn(jit("row_sum", host)),
    .reference_fn =
        [](const CaseArrays& in, CaseResults& out) {
          const std::int64_t columns = in["x"].shape()[1];
          std::int64_t i = 0;
          for (double& sum : out["y"]) {
            for (const std::int64_t end = i + columns; i < end; ++i) sum += in["x"][i];
          }
        },
    .rtol = 1e-5,  // float32 sums of positive numbers
    .flops = [](const CaseShape& shape) { return static_cast<double>(shape[0] * shape[1]); },
});

}  // namespace

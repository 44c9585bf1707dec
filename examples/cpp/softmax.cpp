// softmax.cpp -- softmax of rows for fp16 and float32: a row is read once and stays in registers.
#include <cutwork/Cases/Case.h>
#include <cutwork/Cute.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "shared/Predicates.h"
#include "shared/Reduce.h"

using namespace cutwork;

namespace {

// A block of `threads` has one row, `columns` wide with what its tile has beyond the end.
struct Plan {
  cute::TiledCopy tiled;
  int threads;
  int columns;
};
auto fields(Plan& plan) { return std::tie(plan.tiled); }

void softmax(cute::Tensor x, cute::Tensor y, Plan plan) {
  auto [tid, ty, tz] = cute::arch::thread_idx();
  auto [row, by, bz] = cute::arch::block_idx();
  cute::ThrCopy mine = plan.tiled.get_slice(tid);
  auto rowOf = [&](const cute::Tensor& t) {
    return cute::local_tile(t, cute::Tiler{1, plan.columns}, {row, 0});
  };
  cute::Tensor from = mine.partition_S(rowOf(x)), to = mine.partition_D(rowOf(y));
  std::optional<cute::Tensor> pred;  // none where the tile ends with the row
  if (!x.shape()[1].value().is(plan.columns)) {
    cute::Tensor at = mine.partition_S(rowOf(cute::make_identity_tensor(x.shape())));
    pred = example::inside(at, x.shape());
  }

  cute::Tensor values = cute::make_fragment_like(from);
  if (pred) values.fill(-INFINITY);
  cute::copy(plan.tiled, from, values, pred);
  cute::TensorSSA v = values.load().to(cute::DType::Float32);
  const int warps = plan.threads / 32;
  cute::Float32 largest = example::blockReduce(cute::ReductionOp::MAX,
                                               v.reduce(cute::ReductionOp::MAX, -INFINITY), warps);
  cute::TensorSSA powers = cute::exp2((v - largest) * std::numbers::log2e, /*fastmath=*/true);
  cute::Float32 sum = example::blockReduce(cute::ReductionOp::ADD,
                                           powers.reduce(cute::ReductionOp::ADD, 0.0F), warps);
  values.store((powers * cute::true_div(1.0F, sum)).to(x.element_type()));
  cute::copy(plan.tiled, values, to, pred);
}

void host(cute::Tensor x, cute::Tensor y) {
  const int bits = cute::storageBits(x.element_type());
  const std::int64_t columns = x.shape()[1].value().value();
  // 128 bits at once if that divides a row; 64 bytes a thread, or more in a block of 1024.
  const int vector = columns % (128 / bits) == 0 ? 128 / bits : 1;
  const auto wanted = static_cast<unsigned>(std::max<std::int64_t>(columns * bits / 512, 1));
  const int threads = std::clamp(static_cast<int>(std::bit_ceil(wanted)), 32, 1024);
  const int atOnce = threads * vector;
  const auto vectors = static_cast<int>((columns + atOnce - 1) / atOnce);
  cute::CopyAtom atom =
      cute::make_copy_atom(cute::CopyUniversalOp(), x.element_type(), vector * bits);
  cute::TiledCopy tiled = cute::make_tiled_copy_tv(atom, cute::make_layout({1, threads}),
                                                   cute::make_layout({1, vector}));
  launch(softmax, {.grid = {x.shape()[0]}, .block = {threads}}, x, y,
         Plan{tiled, threads, atOnce * vectors});
}

CaseArrays rows(const CaseShape& shape, std::uint64_t seed, cute::DType type) {
  CaseArrays arrays(seed);
  arrays.input("x", type, shape, -8, 8);
  arrays.output("y", type, shape);
  return arrays;
}

void reference(const CaseArrays& in, CaseResults& out) {
  const HostArray& x = in["x"];
  const std::int64_t columns = x.shape()[1];
  std::vector<double>& y = out["y"];
  for (std::int64_t first = 0; first < x.size(); first += columns) {
    double largest = -HUGE_VAL;
    double sum = 0;
    for (std::int64_t i = 0; i < columns; ++i) largest = std::max(largest, x[first + i]);
    for (std::int64_t i = 0; i < columns; ++i) sum += std::exp(x[first + i] - largest);
    for (std::int64_t i = 0; i < columns; ++i) {
      y[static_cast<std::size_t>(first + i)] = std::exp(x[first + i] - largest) / sum;
    }
  }
}

const RegisterCase kHalf({
    .name = "softmax",
    .description = "softmax of rows for fp16, up to 16384 columns and more",
    .extents = "MxN",
    .shape = {16, 4096},
    .oddShapes = {{1, 1}, {3, 7}, {2, 1000}, {4, 333}, {1, 16384}},
    .get_inputs = [](const CaseShape& shape,
                     std::uint64_t seed) { return rows(shape, seed, cute::DType::Float16); },
    .kernel_fn = kernelFn(jit("softmax", host)),
    .reference_fn = reference,
    .rtol = 5e-4,  // one rounding to fp16
    .atol = 3e-8,  // half of the smallest fp16
});

const RegisterCase kSingle({
    .name = "softmax_f32",
    .description = "softmax of rows for float32, up to 16384 columns and more",
    .extents = "MxN",
    .shape = {16, 4096},
    .oddShapes = {{1, 1}, {3, 7}, {2, 1000}, {4, 333}, {1, 16384}},
    .get_inputs = [](const CaseShape& shape,
                     std::uint64_t seed) { return rows(shape, seed, cute::DType::Float32); },
    .kernel_fn = kernelFn(jit("softmax_f32", host)),
    .reference_fn = reference,
    .rtol = 1e-5,
});

}  // namespace

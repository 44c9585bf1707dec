// Reduce.h -- sums and maxima over a block's threads: within warps, then through shared memory.
#pragma once

#include <cutwork/Cute.h>

#include <cmath>

namespace cutwork::example {

/// In every thread the sum or maximum of all threads' values. `warps` of 32 threads take part: the
/// whole block.
inline cute::Float32 blockReduce(cute::ReductionOp op, const cute::Arg& value, int warps) {
  const bool sum = op == cute::ReductionOp::ADD;
  cute::Float32 ofWarp =
      sum ? cute::arch::warp_reduction_sum(value) : cute::arch::warp_reduction_max(value);
  if (warps == 1) return ofWarp;
  cute::SmemAllocator smem;
  cute::Tensor partial =
      smem.allocate_tensor(cute::DType::Float32, cute::make_layout(warps).value());
  cute::if_(cute::arch::lane_idx() == 0, [&] { partial(cute::arch::warp_idx()) = ofWarp; });
  cute::arch::sync_threads();
  cute::TensorSSA all = partial.load();
  return all.reduce(op, sum ? 0.0F : -INFINITY);
}

}  // namespace cutwork::example

// gelu.cpp -- y = x / 2 * (1 + erf(x / sqrt(2))) for fp16: tiled copies, math in float32.
#include <cutwork/Cases/Case.h>
#include <cutwork/Cute.h>

#include <cmath>
#include <numbers>

using namespace cutwork;

namespace {

void gelu(cute::Tensor gX, cute::Tensor gY, cute::TiledCopy tiled) {
  auto [tid, ty, tz] = cute::arch::thread_idx();
  auto [bid, by, bz] = cute::arch::block_idx();
  cute::ThrCopy mine = tiled.get_slice(tid);
  cute::Tensor x = mine.partition_S(gX(cute::make_coord(cute::_, cute::_), bid));
  cute::Tensor y = mine.partition_D(gY(cute::make_coord(cute::_, cute::_), bid));
  cute::Tensor values = cute::make_fragment_like(x);
  cute::copy(tiled, x, values);
  cute::TensorSSA v = values.load().to(cute::DType::Float32);
  cute::TensorSSA half = v * 0.5;
  cute::TensorSSA result = half + half * cute::erf(v * (1 / std::numbers::sqrt2));
  values.store(result.to(cute::DType::Float16));
  cute::copy(tiled, values, y);
}

void host(cute::Tensor x, cute::Tensor y) {
  // 4x32 threads, each with 2 rows of 8 elements: a tile of 8x256, moved 128 bits at once.
  cute::CopyAtom atom = cute::make_copy_atom(cute::CopyUniversalOp(), x.element_type(), 128);
  cute::TiledCopy tiled = cute::make_tiled_copy_tv(atom, cute::make_layout({4, 32}, {32, 1}),
                                                   cute::make_layout({2, 8}, {8, 1}));
  cute::Tiler tile = cute::Tiler::fromShape(tiled.tiler_mn());
  cute::Tensor gX = cute::zipped_divide(x, tile), gY = cute::zipped_divide(y, tile);
  launch(gelu, {.grid = {cute::size(gX, 1)}, .block = {tiled.size()}}, gX, gY, tiled);
}

const RegisterCase kCase({
    .name = "gelu",
    .description = "y = x / 2 * (1 + erf(x / sqrt(2))) for fp16, by tiled copies",
    .extents = "MxN",
    .shape = {1024, 512},
    .oddShapes = {{8, 256}, {24, 768}},
    .get_inputs =
        [](const CaseShape& shape, std::uint64_t seed) {
          CaseArrays arrays(seed);
          arrays.input("x", cute::DType::Float16, shape, -6, 6);
          arrays.output("y", cute::DType::Float16, shape);
          return arrays;
        },
    .kernel_fn = kernelFn(jit("gelu", host)),
    .reference_fn =
        [](const CaseArrays& in, CaseResults& out) {
          std::vector<double>& y = out["y"];
          for (std::int64_t i = 0; double& exact : y) {
            const double x = in["x"][i++];
            exact = x / 2 * std::erfc(-x / std::numbers::sqrt2);
          }
        },
    .rtol = 5e-4,  // one rounding to fp16
    .atol = 1e-6,  // 1 + erf(x) cancels for large negative x
});

}  // namespace

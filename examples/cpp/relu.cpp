// relu.cpp -- y = max(x, 0) for fp16: a kernel, its host function, and a check of every element.
#include <cutwork/Cases/Case.h>
#include <cutwork/Cute.h>

#include <algorithm>

using namespace cutwork;

namespace {

// One thread takes 4 rows of 8 neighbouring elements: 128 bits at once, four on their way together.
void relu(cute::Tensor gX, cute::Tensor gY) {
  auto [tid, ty, tz] = cute::arch::thread_idx();
  auto [bid, by, bz] = cute::arch::block_idx();
  cute::Tensor x = gX(cute::make_coord(cute::_, cute::_), bid)(tid, cute::_);
  cute::Tensor y = gY(cute::make_coord(cute::_, cute::_), bid)(tid, cute::_);
  cute::TensorSSA v = x.load();
  y.store(cute::where(v > 0, v, 0));
}

void host(cute::Tensor x, cute::Tensor y) {
  // 4x32 threads of 4x8 elements: a tile of 16x256, and which of its elements thread t has.
  auto [tile, tv] =
      *cute::make_layout_tv(cute::make_layout({4, 32}, {32, 1}), cute::make_layout({4, 8}, {8, 1}));
  cute::Tiler tiler = cute::Tiler::fromShape(tile);
  // ((thread, value), tile)
  cute::Tensor gX = cute::composition(cute::zipped_divide(x, tiler), {tv, cute::_});
  cute::Tensor gY = cute::composition(cute::zipped_divide(y, tiler), {tv, cute::_});
  launch(relu, {.grid = {cute::size(gX, 1)}, .block = {cute::size(tv[0])}}, gX, gY);
}

const RegisterCase kCase({
    .name = "relu",
    .description = "y = max(x, 0) for fp16, 128 bits at once",
    .extents = "MxN",
    .shape = {1024, 512},
    .oddShapes = {{16, 256}, {48, 768}},
    .get_inputs =
        [](const CaseShape& shape, std::uint64_t seed) {
          CaseArrays arrays(seed);
          arrays.input("x", cute::DType::Float16, shape);
          arrays.output("y", cute::DType::Float16, shape);
          return arrays;
        },
    .kernel_fn = kernelFn(jit("relu", host)),
    .reference_fn =
        [](const CaseArrays& in, CaseResults& out) {
          std::vector<double>& y = out["y"];
          for (std::int64_t i = 0; double& exact : y) exact = std::max(in["x"][i++], 0.0);
        },
});

}  // namespace

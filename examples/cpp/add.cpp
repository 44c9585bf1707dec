// add.cpp -- z = x + y for fp16 of any shape: predicates from a coordinate tensor.
#include <cutwork/Cases/Case.h>
#include <cutwork/Cute.h>

#include <numeric>

using namespace cutwork;

namespace {

constexpr int kRows = 4;  // vectors of a thread

// A thread has kRows vectors of a tile, one below the other; `at` is where they are in the whole.
void add(cute::Tensor gX, cute::Tensor gY, cute::Tensor gZ, cute::Tensor gAt,
         cute::IntTuple shape) {
  auto [tid, ty, tz] = cute::arch::thread_idx();
  auto [bid, by, bz] = cute::arch::block_idx();
  auto mine = [&](const cute::Tensor& g) {  // (row, element of a vector)
    return g(cute::make_coord(cute::_, cute::_), bid)(tid, cute::make_coord(cute::_, cute::_));
  };
  cute::Tensor x = mine(gX), y = mine(gY), z = mine(gZ), at = mine(gAt);
  for (int row = 0; row < kRows; ++row) {  // while tracing: four branches
    // The length of a row is a multiple of a vector's, so its first element says all.
    cute::if_(cute::elem_less(at(row, 0), shape),
              [&] { z(row, cute::_).store(x(row, cute::_).load() + y(row, cute::_).load()); });
  }
}

void host(cute::Tensor x, cute::Tensor y, cute::Tensor z) {
  // As many elements at once as rows are known to be a multiple of: up to 8, 128 bits.
  const std::int64_t vector = std::gcd(x.shape()[1].value().divisor(), std::int64_t{8});
  cute::Layout values = cute::make_layout({kRows, vector});
  auto [tile, flat] = *cute::make_layout_tv(cute::make_layout({4, 32}, {32, 1}), values);
  cute::Tiler tiler = cute::Tiler::fromShape(tile);
  // (thread, (row, element)), with both modes of values also where a vector is one element.
  cute::Layout tv = cute::composition(flat, {cute::_, values});
  auto tiled = [&](const cute::Tensor& t) {  // ((thread, (row, element)), tile)
    return cute::composition(cute::zipped_divide(t, tiler), {tv, cute::_});
  };
  cute::Tensor gX = tiled(x), gAt = tiled(cute::make_identity_tensor(x.shape()));
  launch(add, {.grid = {cute::size(gX, 1)}, .block = {cute::size(tv[0])}}, gX, tiled(y), tiled(z),
         gAt, x.shape());
}

const RegisterCase kCase({
    .name = "add",
    .description = "z = x + y for fp16 of any shape, one compilation for all",
    .extents = "MxN",
    .shape = {1000, 1000},
    .oddShapes = {{1, 1}, {3, 7}, {17, 264}, {65, 8}, {129, 513}},
    .get_inputs =
        [](const CaseShape& shape, std::uint64_t seed) {
          // One compilation for rows of a multiple of 8 elements, and one for all others.
          const std::int64_t divisor = shape[1] % 8 == 0 ? 8 : 1;
          CaseArrays arrays(seed);
          arrays.input("x", cute::DType::Float16, shape).dynamic(divisor);
          arrays.input("y", cute::DType::Float16, shape).dynamic(divisor);
          arrays.output("z", cute::DType::Float16, shape).dynamic(divisor);
          return arrays;
        },
    .kernel_fn = kernelFn(jit("add", host)),
    .reference_fn =
        [](const CaseArrays& in, CaseResults& out) {
          std::vector<double>& z = out["z"];
          for (std::int64_t i = 0; double& exact : z) {
            exact = in["x"][i] + in["y"][i];
            ++i;
          }
        },
    .rtol = 0x1p-11,  // one rounding to fp16
});

}  // namespace

// add.cpp -- z = x + y for fp16 of any shape: predicates from a coordinate tensor.
#include <cutwork/Cases/Case.h>
#include <cutwork/Cute.h>

#include <numeric>

#include "shared/Predicates.h"

using namespace cutwork;

namespace {

// (tile, number) each; `at` is where the elements are in the whole. What is outside is neither
// read nor written.
void add(cute::Tensor gX, cute::Tensor gY, cute::Tensor gZ, cute::Tensor gAt, cute::IntTuple shape,
         cute::TiledCopy tiled) {
  auto [tid, ty, tz] = cute::arch::thread_idx();
  auto [bid, by, bz] = cute::arch::block_idx();
  cute::ThrCopy mine = tiled.get_slice(tid);
  auto part = [&](const cute::Tensor& g) {
    return mine.partition_S(g(cute::make_coord(cute::_, cute::_), bid));
  };
  cute::Tensor pred = example::inside(part(gAt), shape);
  cute::Tensor x = cute::make_fragment_like(part(gX)), y = cute::make_fragment_like(part(gY));
  cute::copy(tiled, part(gX), x, pred);
  cute::copy(tiled, part(gY), y, pred);
  x.store(x.load() + y.load());
  cute::copy(tiled, x, part(gZ), pred);
}

void host(cute::Tensor x, cute::Tensor y, cute::Tensor z) {
  // As many elements at once as rows are known to be a multiple of: up to 8, 128 bits.
  const std::int64_t vector = std::gcd(x.shape()[1].value().divisor(), std::int64_t{8});
  cute::CopyAtom atom = cute::make_copy_atom(cute::CopyUniversalOp(), x.element_type(),
                                             static_cast<int>(16 * vector));
  // 4x32 threads with 4 vectors each, one below the other.
  cute::TiledCopy tiled = cute::make_tiled_copy_tv(atom, cute::make_layout({4, 32}, {32, 1}),
                                                   cute::make_layout({4, vector}, {vector, 1}));
  cute::Tiler tile = cute::Tiler::fromShape(tiled.tiler_mn());
  cute::Tensor gX = cute::zipped_divide(x, tile), gY = cute::zipped_divide(y, tile);
  cute::Tensor gZ = cute::zipped_divide(z, tile);
  cute::Tensor gAt = cute::zipped_divide(cute::make_identity_tensor(x.shape()), tile);
  launch(add, {.grid = {cute::size(gX, 1)}, .block = {tiled.size()}}, gX, gY, gZ, gAt, x.shape(),
         tiled);
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

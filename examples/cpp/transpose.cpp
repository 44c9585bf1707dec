// transpose.cpp -- y = x^T for float32 through swizzled shared memory: no bank conflicts, 128 bits.
#include <cutwork/Cases/Case.h>
#include <cutwork/Cute.h>

#include "shared/Predicates.h"

using namespace cutwork;

namespace {

constexpr int kTile = 64;

// One block moves the tile (m, n) of x to the tile (n, m) of y.
void transpose(cute::Tensor x, cute::Tensor y, cute::TiledCopy load, cute::TiledCopy store) {
  auto [tid, ty, tz] = cute::arch::thread_idx();
  auto [m, n, bz] = cute::arch::block_idx();
  const cute::Tiler tile{kTile, kTile};
  cute::Tensor gX = cute::local_tile(x, tile, {m, n});
  cute::Tensor gY = cute::local_tile(y, tile, {n, m});
  cute::Tensor atX = cute::local_tile(cute::make_identity_tensor(x.shape()), tile, {m, n});
  cute::Tensor atY = cute::local_tile(cute::make_identity_tensor(y.shape()), tile, {n, m});

  // Byte address bits: 4 to 7 say which 16 bytes of a row, 10 to 13 which four rows. With the
  // second added into the first, 8 lanes that read a column of four rows each meet 8 groups of 4
  // banks.
  cute::SmemAllocator smem;
  cute::Tensor sX = smem.allocate_tensor(cute::DType::Float32,
                                         cute::make_layout({kTile, kTile}, {kTile, 1}).value(), 16,
                                         cute::make_swizzle(4, 4, 6));
  cute::Tensor sXt =
      cute::make_tensor(sX.iterator(), cute::make_layout({kTile, kTile}, {1, kTile}).value());

  cute::ThrCopy loads = load.get_slice(tid);
  cute::Tensor from = loads.partition_S(gX);
  cute::Tensor in = cute::make_fragment_like(from);
  cute::copy(load, from, in, example::inside(loads.partition_S(atX), x.shape()));
  cute::copy(load, in, loads.partition_D(sX));
  cute::arch::sync_threads();

  cute::ThrCopy stores = store.get_slice(tid);
  cute::Tensor to = stores.partition_D(gY);
  cute::Tensor out = cute::make_fragment_like(to);
  cute::basic_copy(stores.partition_S(sXt), out);
  cute::copy(store, out, to, example::inside(stores.partition_D(atY), y.shape()));
}

void host(cute::Tensor x, cute::Tensor y) {
  // 128 bits at once where the rows of x, or of y, are known to be multiples of that.
  auto copyOf = [](const cute::Tensor& t, const cute::Layout& threads, int columns) {
    const bool vectors = t.shape()[1].value().divisor() % 4 == 0;
    cute::CopyAtom atom =
        cute::make_copy_atom(cute::CopyUniversalOp(), cute::DType::Float32, vectors ? 128 : 32);
    return cute::make_tiled_copy_tv(atom, threads, cute::make_layout({1, columns}));
  };
  cute::TiledCopy load = copyOf(x, cute::make_layout({16, 16}, {16, 1}), 4);
  cute::TiledCopy store = copyOf(y, cute::make_layout({32, 8}, {8, 1}), 4);
  cute::IntTuple blocks = cute::ceil_div(x.shape(), cute::Tiler{kTile, kTile});
  launch(transpose, {.grid = {blocks[0], blocks[1]}, .block = {load.size()}}, x, y, load, store);
}

const RegisterCase kCase({
    .name = "transpose",
    .description = "y = x^T for float32 of any shape through swizzled shared memory",
    .extents = "MxN",
    .shape = {512, 512},
    .oddShapes = {{1, 1}, {64, 128}, {68, 132}, {65, 4}, {4, 65}, {131, 67}},
    .get_inputs =
        [](const CaseShape& shape, std::uint64_t seed) {
          CaseArrays arrays(seed);
          arrays.input("x", cute::DType::Float32, shape);
          arrays.output("y", cute::DType::Float32, {shape[1], shape[0]});
          return arrays;
        },
    .kernel_fn = kernelFn(jit("transpose", host)),
    .reference_fn =
        [](const CaseArrays& in, CaseResults& out) {
          const std::int64_t rows = in["x"].shape()[0];
          const std::int64_t columns = in["x"].shape()[1];
          std::vector<double>& y = out["y"];
          for (std::int64_t m = 0; m < rows; ++m) {
            for (std::int64_t n = 0; n < columns; ++n) {
              y[static_cast<std::size_t>(n * rows + m)] = in["x"][m * columns + n];
            }
          }
        },
});

}  // namespace

// sgemm.cpp -- C = A B for float32 without tensor cores: tiles in shared memory, 8x8 in registers.
#include <cutwork/Cases/Case.h>
#include <cutwork/Cute.h>

#include <cmath>

#include "shared/Predicates.h"
#include "shared/Product.h"

using namespace cutwork;

namespace {

constexpr int kTileM = 128;
constexpr int kTileN = 128;
constexpr int kTileK = 8;
constexpr int kPad = 4;  // behind each column of A's tile, so that its stores meet different banks

// 16x16 threads; each has 2x2 pieces of 4x4 elements, so that 8 lanes read 128 neighbouring bytes.
cute::Layout split() { return cute::make_layout({4, 16, 2}); }

// The tiles of A or B on their way: global memory, registers, one of two tiles in shared memory.
class Stage {
 public:
  Stage(const cute::TiledCopy& copy, const cute::Tensor& matrix, const cute::Tiler& tile,
        const cute::IntTuple& coord, const cute::Tensor& shared, const cute::Int32& tid)
      : copy_(copy),
        shape_(matrix.shape()),
        from_(copy.get_slice(tid).partition_S(cute::local_tile(matrix, tile, coord))),
        at_(copy.get_slice(tid).partition_S(
            cute::local_tile(cute::make_identity_tensor(shape_), tile, coord))),
        to_(copy.get_slice(tid).partition_D(shared)),
        registers_(cute::make_fragment_like(from_(cute::_, cute::_, cute::_, 0))) {}

  // Tile k. What is outside the matrix becomes 0 and adds nothing.
  void load(const cute::IntTuple& k) const {
    registers_.fill(0.0F);
    cute::copy(copy_, from_(cute::_, cute::_, cute::_, k), registers_,
               example::inside(at_(cute::_, cute::_, cute::_, k), shape_));
  }
  void store(const cute::IntTuple& buffer) const {
    cute::autovec_copy(registers_, to_(cute::_, cute::_, cute::_, buffer));
  }
  // Where neighbours of the matrix are no neighbours in shared memory.
  void storeOneByOne(const cute::IntTuple& buffer) const {
    cute::basic_copy(registers_, to_(cute::_, cute::_, cute::_, buffer));
  }

 private:
  cute::TiledCopy copy_;
  cute::IntTuple shape_;
  cute::Tensor from_;
  cute::Tensor at_;
  cute::Tensor to_;
  cute::Tensor registers_;
};

// sums += a b for the kTileK columns of a and rows of b: ((4,2), k), (k, (4,2)), ((4,2), (4,2)).
void multiplyAdd(const cute::Tensor& a, const cute::Tensor& b, const cute::Tensor& sums) {
  for (int k = 0; k < kTileK; ++k) {
    cute::TensorSSA column = a(cute::_, k).load(), row = b(k, cute::_).load();
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < 8; ++j) sums(i, j) = cute::fma(column[i], row[j], sums(i, j));
    }
  }
}

// Writes a thread's sums; four at once where rows of C are known to be a multiple of that.
void writeOut(const cute::Tensor& sums, const cute::Tensor& c, const cute::Tensor& at,
              const cute::Tensor& whole) {
  const bool vectors = whole.shape()[1].value().divisor() % 4 == 0;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; j += vectors ? 4 : 1) {
      cute::if_(cute::elem_less(at(i, j), whole.shape()), [&] {
        if (!vectors) return c(i, j).store(sums(i, j));
        auto four = cute::make_coord(cute::_, j / 4);
        c(i, four).store(sums(i, four).load());
      });
    }
  }
}

void sgemm(cute::Tensor A, cute::Tensor B, cute::Tensor C, cute::TiledCopy copyA,
           cute::TiledCopy copyB) {
  auto [tid, ty, tz] = cute::arch::thread_idx();
  auto [n, m, bz] = cute::arch::block_idx();
  cute::SmemAllocator smem;
  cute::Tensor sA = smem.allocate_tensor(
      cute::DType::Float32,
      cute::make_layout({kTileM, kTileK, 2}, {1, kTileM + kPad, (kTileM + kPad) * kTileK}).value(),
      16);
  cute::Tensor sB = smem.allocate_tensor(
      cute::DType::Float32,
      cute::make_layout({kTileK, kTileN, 2}, {kTileN, 1, kTileN * kTileK}).value(), 16);
  Stage a(copyA, A, {kTileM, kTileK}, {m, cute::_}, sA, tid);
  Stage b(copyB, B, {kTileK, kTileN}, {cute::_, n}, sB, tid);

  // Slices put the modes that are left beside each other; two of them are one of the tile's.
  auto row = cute::make_coord(cute::_, tid / 16, cute::_);
  auto column = cute::make_coord(cute::_, tid % 16, cute::_);
  cute::Tensor partA = cute::composition(sA, {split(), cute::_, cute::_})(row, cute::_, cute::_);
  cute::Tensor partB = cute::composition(sB, {cute::_, split(), cute::_})(cute::_, column, cute::_);
  cute::Tensor myA = cute::group_modes(partA, 0, 2);  // ((4,2), k, buffer)
  cute::Tensor myB = cute::group_modes(partB, 1, 3);  // (k, (4,2), buffer)
  cute::Tensor sums = cute::make_rmem_tensor({{4, 2}, {4, 2}}, cute::DType::Float32);
  sums.fill(0.0F);

  a.load(0), b.load(0);
  a.storeOneByOne(0), b.store(0);
  cute::arch::sync_threads();
  cute::for_(0, cute::ceilDiv(A.shape()[1].value(), kTileK), [&](const cute::Int32& k) {
    cute::Int32 now = k % 2, next = (k + 1) % 2;
    a.load(k + 1), b.load(k + 1);  // behind the last tile: zeros
    multiplyAdd(myA(cute::_, cute::_, now), myB(cute::_, cute::_, now), sums);
    a.storeOneByOne(next), b.store(next);
    cute::arch::sync_threads();
  });

  auto mine = [&](const cute::Tensor& t) {
    cute::Tensor tile = cute::local_tile(t, cute::Tiler{kTileM, kTileN}, {m, n});
    cute::Tensor part = cute::composition(tile, {split(), split()})(row, column);
    return cute::group_modes(cute::group_modes(part, 0, 2), 1, 3);
  };
  writeOut(sums, mine(C), mine(cute::make_identity_tensor(C.shape())), C);
}

void host(cute::Tensor A, cute::Tensor B, cute::Tensor C) {
  // 128 bits at once where rows are known to be a multiple of that.
  auto copyOf = [](const cute::Tensor& t, const cute::Layout& threads) {
    const bool vectors = t.shape()[1].value().divisor() % 4 == 0;
    cute::CopyAtom atom =
        cute::make_copy_atom(cute::CopyUniversalOp(), cute::DType::Float32, vectors ? 128 : 32);
    return cute::make_tiled_copy_tv(atom, threads, cute::make_layout({1, 4}));
  };
  cute::TiledCopy copyA = copyOf(A, cute::make_layout({128, 2}, {2, 1}));
  cute::TiledCopy copyB = copyOf(B, cute::make_layout({8, 32}, {32, 1}));
  cute::IntTuple blocks = cute::ceil_div(C.shape(), cute::Tiler{kTileM, kTileN});
  launch(sgemm, {.grid = {blocks[1], blocks[0]}, .block = {copyA.size()}}, A, B, C, copyA, copyB);
}

const RegisterCase kCase({
    .name = "sgemm",
    .description = "C = A B for float32 of any shape, without tensor cores",
    .extents = "MxNxK",
    .shape = {256, 256, 64},
    .oddShapes = {{1, 1, 1}, {129, 132, 12}, {100, 131, 37}, {3, 260, 9}},
    .get_inputs = example::productInputs,
    .kernel_fn = kernelFn(jit("sgemm", host)),
    .reference_fn = example::productReference,
    .rtol = 1e-5,
    .atol = 1e-4,
    .flops = example::productFlops,
});

}  // namespace

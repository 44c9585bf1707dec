// sgemm_async.cpp -- C = A B for float32: cp.async into a ring of tiles, a tiled multiply-add.
#include <cutwork/Cases/Case.h>
#include <cutwork/Cute.h>

#include "shared/Predicates.h"
#include "shared/Product.h"

using namespace cutwork;

namespace {

constexpr int kTileM = 128;
constexpr int kTileN = 128;
constexpr int kTileK = 8;
constexpr int kStages = 4;
constexpr int kPad = 4;  // behind each column of A's tile, so that its writes meet different banks

// Tiles (rows, kTileK) of a matrix (rows, K) on their way to the ring in shared memory. What is
// outside the matrix arrives as zeros, which add nothing.
class Ring {
 public:
  Ring(const cute::TiledCopy& copy, const cute::Tensor& matrix, const cute::Tiler& tile,
       const cute::IntTuple& block, const cute::Tensor& shared, const cute::Int32& tid)
      : copy_(copy),
        shape_(matrix.shape()),
        from_(copy.get_slice(tid).partition_S(cute::local_tile(matrix, tile, block))),
        at_(copy.get_slice(tid).partition_S(
            cute::local_tile(cute::make_identity_tensor(shape_), tile, block))),
        to_(copy.get_slice(tid).partition_D(shared)) {}

  void start(const cute::IntTuple& tile, const cute::IntTuple& stage) const {
    cute::copy(copy_, from_(cute::_, cute::_, cute::_, tile), to_(cute::_, cute::_, cute::_, stage),
               example::inside(at_(cute::_, cute::_, cute::_, tile), shape_));
  }

 private:
  cute::TiledCopy copy_;
  cute::IntTuple shape_;
  cute::Tensor from_;
  cute::Tensor at_;
  cute::Tensor to_;
};

// Writes a thread's sums (1, m, n); four at once where rows of C are known to be a multiple of 4.
void writeOut(const cute::Tensor& sums, const cute::Tensor& c, const cute::Tensor& at,
              const cute::IntTuple& shape) {
  const bool vectors = shape[1].value().divisor() % 4 == 0;
  for (int i = 0; i < static_cast<int>(cute::size(sums, 1).value()); ++i) {
    for (int j = 0; j < static_cast<int>(cute::size(sums, 2).value()); j += vectors ? 4 : 1) {
      cute::if_(cute::elem_less(at(0, i, j), shape), [&] {
        if (!vectors) return c(0, i, j).store(sums(0, i, j));
        auto four = cute::make_coord(cute::_, j / 4);
        c(0, i, four).store(sums(0, i, four).load());
      });
    }
  }
}

void sgemm(cute::Tensor A, cute::Tensor B, cute::Tensor C, cute::TiledCopy copyA,
           cute::TiledCopy copyB, cute::TiledMma mma) {
  auto [tid, ty, tz] = cute::arch::thread_idx();
  auto [n, m, bz] = cute::arch::block_idx();
  cute::SmemAllocator smem;
  auto ring = [&](int rows, int pad) {
    cute::Layout layout =
        cute::make_layout({rows, kTileK, kStages}, {1, rows + pad, (rows + pad) * kTileK});
    return smem.allocate_tensor(cute::DType::Float32, layout, 16);
  };
  cute::Tensor sA = ring(kTileM, kPad);
  cute::Tensor sB = ring(kTileN, 0);
  Ring a(copyA, A, {kTileM, kTileK}, {m, cute::_}, sA, tid);
  Ring b(copyB, B, {kTileN, kTileK}, {n, cute::_}, sB, tid);

  cute::ThrMma mine = mma.get_slice(tid);
  cute::Tensor gC = cute::local_tile(C, cute::Tiler{kTileM, kTileN}, {m, n});
  cute::Tensor cC =
      cute::local_tile(cute::make_identity_tensor(C.shape()), cute::Tiler{kTileM, kTileN}, {m, n});
  cute::Tensor myA = mine.partition_A(sA);  // (1, m, k, stage)
  cute::Tensor myB = mine.partition_B(sB);
  cute::Tensor myC = mine.partition_C(gC);
  cute::Tensor sums = mma.make_fragment_C(myC);
  sums.fill(0.0F);

  for (int stage = 0; stage < kStages - 1; ++stage) {
    a.start(stage, stage), b.start(stage, stage);
    cute::arch::cp_async_commit_group();
  }
  cute::for_(0, cute::ceilDiv(A.shape()[1].value(), kTileK), [&](const cute::Int32& tile) {
    cute::arch::cp_async_wait_group(kStages - 2);
    cute::arch::sync_threads();  // tile is there for all; nobody reads the one before it any more
    cute::Int32 ahead = tile + (kStages - 1);
    a.start(ahead, ahead % kStages), b.start(ahead, ahead % kStages);  // behind the last: zeros
    cute::arch::cp_async_commit_group();
    cute::Int32 stage = tile % kStages;
    for (int k = 0; k < kTileK; ++k) {
      cute::gemm(mma, sums, myA(cute::_, cute::_, k, stage), myB(cute::_, cute::_, k, stage), sums);
    }
  });
  cute::arch::cp_async_wait_group(0);
  writeOut(sums, myC, mine.partition_C(cC), C.shape());
}

// A copy by 256 threads of a tile of 128 rows whose mode `fast` is contiguous in global memory.
// Shared memory has mode 0 contiguous: where both agree, and rows are multiples of 4, 128 bits at
// once; else each thread brings four neighbours one by one, from one address.
cute::TiledCopy copyOf(const cute::Tensor& t, int fast) {
  const bool vectors = fast == 0 && t.shape()[0].value().divisor() % 4 == 0;
  cute::CopyAtom atom =
      cute::make_copy_atom(cute::cpasync::CopyG2SOp(), cute::DType::Float32, vectors ? 128 : 32);
  if (fast == 0) {
    return cute::make_tiled_copy_tv(atom, cute::make_layout({32, kTileK}),
                                    cute::make_layout({4, 1}));
  }
  return cute::make_tiled_copy_tv(atom, cute::make_layout({128, 2}, {2, 1}),
                                  cute::make_layout({1, 4}));
}

void host(cute::Tensor A, cute::Tensor B, cute::Tensor C) {
  cute::Layout columns = cute::select(*B.layout().plain(), {1, 0});
  cute::Tensor Bt = cute::make_tensor(B.iterator(), columns);  // (N,K), as products have it
  // Each thread has 2x2 pieces of 4x4 elements, so that shared memory is read in 128 bits.
  cute::Layout four = cute::make_layout({16, 4}, {4, 1});
  cute::TiledMma mma = cute::make_tiled_mma(cute::MmaUniversalOp{cute::DType::Float32},
                                            cute::make_layout({16, 16}, {16, 1}), {four, four});
  cute::IntTuple blocks = cute::ceil_div(C.shape(), cute::Tiler{kTileM, kTileN});
  launch(sgemm, {.grid = {blocks[1], blocks[0]}, .block = {mma.size()}}, A, Bt, C, copyOf(A, 1),
         copyOf(Bt, 0), mma);
}

const RegisterCase kCase({
    .name = "sgemm_async",
    .description = "C = A B for float32 of any shape, by cp.async and multiply-adds",
    .extents = "MxNxK",
    .shape = {256, 256, 64},
    .oddShapes = {{1, 1, 1}, {129, 132, 12}, {100, 131, 37}, {3, 260, 9}},
    .get_inputs = example::productInputs,
    .kernel_fn = kernelFn(jit("sgemm_async", host)),
    .reference_fn = example::productReference,
    .rtol = 1e-5,
    .atol = 1e-4,
    .flops = example::productFlops,
});

}  // namespace

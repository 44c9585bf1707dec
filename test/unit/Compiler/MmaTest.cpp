// MmaTest.cpp -- matrix products: gemm of each form and type, partitions, copies, refusals.
#include "Harness.h"

namespace cutwork::test {
namespace {

using namespace cute;
using ::testing::HasSubstr;
using ::testing::Not;

// Small numbers, whose sums are exact in every type.
template <class T>
std::vector<T> numbers(std::size_t count, int period) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<T>(static_cast<int>(i * 7 % static_cast<std::size_t>(period)) - 2);
  }
  return values;
}

// C(m,n) = sum over k of A(m,k) B(n,k), for compact row-major operands.
template <class T>
std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, int M, int N, int K) {
  std::vector<T> c(static_cast<std::size_t>(M * N));
  for (int i = 0; i < M * N * K; ++i) {
    int m = i % M, n = i / M % N, k = i / M / N;
    T& sum = c[static_cast<std::size_t>(m * N + n)];
    sum = static_cast<T>(sum + a[static_cast<std::size_t>(m * K + k)] *
                                   b[static_cast<std::size_t>(n * K + k)]);
  }
  return c;
}

// A product of whole matrices by one block, its operands read from global memory.
template <class T>
void expectProduct(DType type) {
  constexpr int kM = 16, kN = 8, kK = 5;
  std::vector<T> a = numbers<T>(kM * kK, 5);
  std::vector<T> b = numbers<T>(kN * kK, 4);
  Array A = arrayOf(a, {kM, kK}), B = arrayOf(b, {kN, kK});
  Array C = arrayOf(std::vector<T>(kM * kN), {kM, kN});
  auto host = jit("product", [&](Tensor x, Tensor y, Tensor z) {
    TiledMma mma = make_tiled_mma(MmaUniversalOp{type}, make_layout({4, 2}));
    auto kernel = [](Tensor u, Tensor v, Tensor w, TiledMma tiled) {
      ThrMma mine = tiled.get_slice(arch::thread_idx().x);
      Tensor out = mine.partition_C(w);
      Tensor sums = tiled.make_fragment_C(out);
      sums.fill(0);
      gemm(tiled, sums, mine.partition_A(u), mine.partition_B(v), sums);
      autovec_copy(sums, out);
    };
    launch(kernel, {.grid = {1}, .block = {mma.size()}}, x, y, z, mma);
  });
  auto f = compile(host, from_dlpack(A), from_dlpack(B), from_dlpack(C));
  f(A, B, C);
  EXPECT_EQ(valuesOf<T>(C), product(a, b, kM, kN, kK)) << name(type);
  EXPECT_THAT(f.ptx(), Not(HasSubstr(".local")));
}

TEST(Mma, ProductsOfEveryType) {
  expectProduct<_Float16>(DType::Float16);
  expectProduct<float>(DType::Float32);
  expectProduct<double>(DType::Float64);
  expectProduct<std::int32_t>(DType::Int32);
}

TEST(Mma, AMultiplyAddRoundsOnce) {
  std::vector<float> out = run<float>({1.0F + 0x1p-12F, 0, 0}, [](Tensor t) {
    MmaAtom atom = make_mma_atom({DType::Float32});
    auto registers = [&](int i) {
      Tensor r = make_rmem_tensor(IntTuple{1}, DType::Float32);
      r(0) = t(i);
      return r;
    };
    Tensor x = registers(0), d = make_rmem_tensor(IntTuple{1}, DType::Float32);
    Tensor c = registers(1);
    c(0) = -1.0F - 0x1p-11F;
    gemm(atom, d, x, x, c);  // (V) x (V) -> (V), into another tensor
    t(1) = d(0);
    t(2) = c(0);
  });
  EXPECT_EQ(out[1], 0x1p-24F) << "the square's last bit is not lost";
  EXPECT_EQ(out[2], -1.0F - 0x1p-11F) << "C is not written";
}

// (V,M) x (V,N) -> (V,M,N), accumulators with another layout than they are read with.
TEST(Mma, AnOuterProduct) {
  std::vector<float> out = run<float>(iota<float>(12), [](Tensor t) {
    MmaAtom atom = make_mma_atom({DType::Float32});
    Tensor a = make_tensor(t.iterator(), make_layout({1, 2}));
    Tensor b = make_tensor(t.iterator() + 4, make_layout({1, 3}));
    Tensor d = make_rmem_tensor(make_layout({1, 2, 3}, {0, 3, 1}).value(), DType::Float32);
    Tensor c = make_rmem_tensor(IntTuple{1, 2, 3}, DType::Float32);
    c.fill(100.0F);
    gemm(atom, d, a, b, c);
    autovec_copy(make_tensor(d.iterator(), make_layout({6})),
                 make_tensor(t.iterator() + 6, make_layout({6})));
  });
  std::vector<float> sums(out.begin() + 6, out.end());
  EXPECT_EQ(sums, (std::vector<float>{100, 100, 100, 104, 105, 106}));
}

// Operands in shared memory come 128 bits at once where a thread's elements lie together, and sums
// stay in registers through a loop.
TEST(Mma, SharedMemoryIsReadInVectors) {
  constexpr int kM = 64, kK = 8, kTiles = 2;
  std::vector<float> a = numbers<float>(kM * kK * kTiles, 5);
  Array A = arrayOf(a, {kTiles * kK, kM});
  Array C = arrayOf(std::vector<float>(kM * kM), {kM, kM});
  auto host = jit("shared", [&](Tensor x, Tensor z) {
    Layout four = make_layout({8, 4}, {4, 1});
    TiledMma mma = make_tiled_mma(MmaUniversalOp{}, make_layout({8, 8}, {8, 1}), {four, four});
    auto kernel = [](Tensor u, Tensor w, TiledMma tiled) {
      Int32 tid = arch::thread_idx().x;
      SmemAllocator smem;
      Tensor s = smem.allocate_tensor(DType::Float32, make_layout({kM, kK}).value(), 16);
      ThrMma mine = tiled.get_slice(tid);
      Tensor out = mine.partition_C(w), left = mine.partition_A(s), right = mine.partition_B(s);
      Tensor sums = tiled.make_fragment_C(out);
      sums.fill(0);
      for_(0, kTiles, [&](Int32 tile) {
        arch::sync_threads();
        for (int k = 0; k < kK; ++k) s(tid, k) = u(tile * kK + k, tid);
        arch::sync_threads();
        for (int k = 0; k < kK; ++k) gemm(tiled, sums, left(_, _, k), right(_, _, k), sums);
      });
      autovec_copy(sums, out);
    };
    launch(kernel, {.grid = {1}, .block = {mma.size()}}, x, z, mma);
  });
  auto f = compile(host, from_dlpack(A, 16), from_dlpack(C, 16));
  f(A, C);
  std::vector<float> rows(a.size());
  for (int i = 0; i < kM * kK * kTiles; ++i) {
    rows[static_cast<std::size_t>(i % kM * kK * kTiles + i / kM)] = a[static_cast<std::size_t>(i)];
  }
  EXPECT_EQ(valuesOf<float>(C), product(rows, rows, kM, kM, kK * kTiles));
  EXPECT_THAT(f.ptx(), HasSubstr("ld.shared.v4.b32"));
  EXPECT_THAT(f.ptx(), Not(HasSubstr("ld.shared.b32")));
  EXPECT_THAT(f.ptx(), Not(HasSubstr(".local")));
}

// A swizzle of the operand's pointer is applied to each access.
TEST(Mma, SwizzledSharedMemory) {
  std::vector<std::int32_t> out = run<std::int32_t>(
      std::vector<std::int32_t>(64),
      [](Tensor t) {
        Int32 tid = arch::thread_idx().x;
        SmemAllocator smem;
        Tensor s =
            smem.allocate_tensor(DType::Int32, make_layout({32, 4}), 128, make_swizzle(3, 4, 3));
        for (int k = 0; k < 4; ++k) s(tid, k) = tid + 100 * k;
        arch::sync_threads();
        Layout four = make_layout({8, 4}, {4, 1});
        TiledMma mma =
            make_tiled_mma(MmaUniversalOp{DType::Int32}, make_layout({8, 4}), {Tiler(four)});
        Tensor column = make_tensor(s.iterator(), make_layout({4, 4}, {32, 1}));
        ThrMma mine = mma.get_slice(tid);
        Tensor sums = mma.make_fragment_C(IntTuple{1, 4, 1});
        sums.fill(0);
        // A(m,k) = m + 100 k; B(n,k) = s(k,n) = k + 100 n.
        gemm(mma, sums, mine.partition_A(s), mine.partition_B(column), sums);
        for (int i = 0; i < 2; ++i) t(tid + 32 * i) = sums(0, i, 0);
      },
      32);
  for (int tid = 0; tid < 32; ++tid) {
    for (int i = 0; i < 2; ++i) {
      int m = tid % 8 * 4 + i, n = tid / 8, sum = 0;
      for (int k = 0; k < 4; ++k) sum += (m + 100 * k) * (k + 100 * n);
      EXPECT_EQ(out[static_cast<std::size_t>(tid + 32 * i)], sum) << tid << ' ' << i;
    }
  }
}

// A copy made for an operand brings each thread what its product wants.
TEST(Mma, CopiesThatMatchOperands) {
  constexpr int kM = 16, kN = 16, kK = 4;
  std::vector<float> a = numbers<float>(kM * kK, 5), b = numbers<float>(kN * kK, 4);
  Array A = arrayOf(a, {kM, kK}), B = arrayOf(b, {kN, kK});
  Array C = arrayOf(std::vector<float>(kM * kN), {kM, kN});
  auto host = jit("match", [&](Tensor x, Tensor y, Tensor z) {
    Layout pairs = make_layout({4, 2}, {2, 1});
    TiledMma mma = make_tiled_mma(MmaUniversalOp{}, make_layout({4, 4}, {4, 1}), {pairs, pairs});
    auto kernel = [](Tensor u, Tensor v, Tensor w, TiledMma tiled) {
      Int32 tid = arch::thread_idx().x;
      ThrMma mine = tiled.get_slice(tid);
      CopyAtom atom = make_copy_atom(CopyUniversalOp(), DType::Float32, 32);
      Tensor fragA = tiled.make_fragment_A(mine.partition_A(u));
      Tensor fragB = tiled.make_fragment_B(mine.partition_B(v));
      Tensor sums = tiled.make_fragment_C(mine.partition_C(w));
      ThrCopy copyA = make_tiled_copy_A(atom, tiled).get_slice(tid);
      ThrCopy copyB = make_tiled_copy_B(atom, tiled).get_slice(tid);
      ThrCopy copyC = make_tiled_copy_C(atom, tiled).get_slice(tid);
      // (((1,2),1),2,4) of the copy are the values (1,(2,2),4) of the product.
      auto flat = [](const Tensor& t) {
        return make_tensor(t.iterator(), make_layout({cute::size(t)}));
      };
      auto fetch = [&](const Tensor& part, const Tensor& fragment) {
        Tensor same = make_fragment_like(part);
        copy(atom, part, same);
        autovec_copy(flat(same), flat(fragment));
      };
      fetch(copyA.partition_S(u), fragA);
      fetch(copyB.partition_S(v), fragB);
      sums.fill(0);
      gemm(tiled, sums, fragA, fragB, sums);
      Tensor out = copyC.partition_D(w);
      Tensor same = make_rmem_tensor(out.shape(), DType::Float32);
      // (2m,2n) within a tile of 2x2, then tiles: the order of the copy's modes.
      for (int i = 0; i < 16; ++i) {
        int m = i % 2, n = i / 2 % 2, restM = i / 4 % 2, restN = i / 8;
        same(i) = sums(0, m + 2 * restM, n + 2 * restN);
      }
      copy(atom, same, out);
    };
    launch(kernel, {.grid = {1}, .block = {mma.size()}}, x, y, z, mma);
  });
  compile(host, from_dlpack(A), from_dlpack(B), from_dlpack(C))(A, B, C);
  EXPECT_EQ(valuesOf<float>(C), product(a, b, kM, kN, kK));
}

TEST(Mma, Refusals) {
  auto registers = [](IntTuple shape, DType type = DType::Float32) {
    return make_rmem_tensor(shape, type);
  };
  auto attempt = [](auto body) { return refusalOfKernel([&](Tensor t) { body(t); }); };
  auto gemmOf = [&](IntTuple d, IntTuple a, IntTuple b, IntTuple c) {
    return attempt([&](Tensor) {
      gemm(make_mma_atom({DType::Float32}), registers(d), registers(a), registers(b), registers(c));
    });
  };
  IntTuple sums{1, 4, 2};
  EXPECT_EQ(gemmOf(sums, IntTuple{1, 4, 3}, IntTuple{1, 2, 3}, sums), "");
  std::string text = gemmOf(sums, IntTuple{1, 4, 3}, IntTuple{1, 2, 2}, sums);
  EXPECT_THAT(text, HasSubstr("MmaTest.cpp:"));
  EXPECT_THAT(text,
              HasSubstr("gemm: A of shape (1,4,3) and B of shape (1,2,2) differ in K: 3 and 2"));
  EXPECT_THAT(gemmOf(sums, IntTuple{1, 3, 3}, IntTuple{1, 2, 3}, sums),
              HasSubstr("A of shape (1,3,3) and C of shape (1,4,2) differ in M: 3 and 4"));
  EXPECT_THAT(gemmOf(sums, IntTuple{1, 4}, IntTuple{1, 3}, sums),
              HasSubstr("differ in N: 3 and 2"));
  EXPECT_THAT(gemmOf(IntTuple{1, 4, 1}, IntTuple{1, 4}, IntTuple{1, 2}, sums),
              HasSubstr("D of shape (1,4,1) and C of shape (1,4,2) differ in N"));
  EXPECT_THAT(gemmOf(IntTuple{1, 4}, IntTuple{1, 4}, IntTuple{1, 2}, sums),
              HasSubstr("D of shape (1,4) has 2 modes, 3 were expected"));
  EXPECT_THAT(gemmOf(sums, IntTuple{1, 4, 3}, IntTuple{1, 2}, sums),
              HasSubstr("B of shape (1,2) has 2 modes, 3 were expected"));
  EXPECT_THAT(gemmOf(sums, IntTuple{2, 4}, IntTuple{1, 2}, sums),
              HasSubstr("mode 0 of A, of shape (2,4), has 2 values; an atom has 1"));
  EXPECT_THAT(attempt([&](Tensor t) {
                Tensor c = make_tensor(t.iterator(), make_layout({1}));
                Tensor r = registers(IntTuple{1}, DType::Int32);
                gemm(make_mma_atom({DType::Int32}), c, r, r, c);
              }),
              HasSubstr("C is in gmem; accumulators are in registers, as make_fragment_C makes"));
  EXPECT_THAT(attempt([&](Tensor) {
                Tensor r = registers(IntTuple{1}), h = registers(IntTuple{1}, DType::Float16);
                gemm(make_mma_atom({DType::Float32}), r, h, r, r);
              }),
              HasSubstr("A has elements of Float16, the atom takes Float32"));
  EXPECT_THAT(attempt([&](Tensor t) {
                TiledMma mma = make_tiled_mma(MmaUniversalOp{}, make_layout({2, 2}));
                static_cast<void>(mma.make_fragment_A(
                    mma.get_slice(0).partition_A(make_tensor(t.iterator(), make_layout({4, 4})))));
              }),
              HasSubstr("make_fragment_A: the partition has elements of Int32, the atom takes "
                        "Float32"));
  EXPECT_THAT(attempt([&](Tensor t) {
                TiledMma mma = make_tiled_mma(MmaUniversalOp{DType::Int32}, make_layout({2, 2}));
                static_cast<void>(
                    mma.get_slice(0).partition_C(make_tensor(t.iterator(), make_layout({4, 3}))));
              }),
              HasSubstr("operand C of shape (4,3): 3 elements in N are no multiple of the tiled "
                        "MMA's 2"));
  EXPECT_THAT(
      attempt([&](Tensor) {
        static_cast<void>(make_tiled_mma(MmaUniversalOp{}, make_layout({2, 2})).get_slice(4));
      }),
      HasSubstr("there is no thread 4 among the 4 of the tiled MMA"));
  EXPECT_THAT(attempt([&](Tensor) { make_mma_atom({DType::Int8}); }),
              HasSubstr("there is no multiply-add of Int8"));
}

}  // namespace
}  // namespace cutwork::test

// CopyTest.cpp -- copies: tiled, automatic, predicated; widths, and why they were refused.
#include "Harness.h"

namespace cutwork::test {
namespace {

using namespace cute;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A tiled copy through registers and shared memory, of a ragged array, by predicates.
TEST(Copy, TiledCopyWithPredicates) {
  constexpr int kRows = 13;
  constexpr int kColumns = 24;
  Array x = arrayOf(iota<float>(kRows * kColumns), {kRows, kColumns});
  Array y = arrayOf(std::vector<float>(kRows * kColumns, -1), {kRows, kColumns});
  auto host = jit("tiled", [](Tensor a, Tensor b) {
    auto kernel = [](Tensor u, Tensor v) {
      Int32 tid = arch::thread_idx().x;
      CopyAtom atom = make_copy_atom(CopyUniversalOp(), DType::Float32, 128);
      TiledCopy tiled = make_tiled_copy_tv(atom, make_layout({8, 4}, {4, 1}), make_layout({1, 4}));
      ThrCopy mine = tiled.get_slice(tid);
      auto [bx, by, bz] = arch::block_idx();
      Tensor c = make_identity_tensor(IntTuple{kRows, kColumns});
      Tiler tile{8, 16};
      Tensor src = mine.partition_S(local_tile(u, tile, make_coord(bx, by)));
      Tensor dst = mine.partition_D(local_tile(v, tile, make_coord(bx, by)));
      Tensor crd = mine.partition_S(local_tile(c, tile, make_coord(bx, by)));
      EXPECT_EQ(src.shape().text(), "((4,1),1,1)");
      Tensor pred = make_rmem_tensor(IntTuple{1, 1, 1}, DType::Boolean);
      pred(0) = elem_less(crd(0), IntTuple{kRows, kColumns});
      Tensor frag = make_fragment_like(src);
      copy(tiled, src, frag, pred);
      copy(tiled, frag, dst, pred);
    };
    launch(kernel, {.grid = {2, 2}, .block = {32}}, a, b);
  });
  auto f = compile(host, from_dlpack(x, 16), from_dlpack(y, 16));
  EXPECT_THAT(f.ptx(), HasSubstr("ld.global.v4"));
  EXPECT_THAT(f.ptx(), HasSubstr("st.global.v4"));
  EXPECT_THAT(f.ptx(), Not(HasSubstr(".local")));
  f(x, y);
  EXPECT_EQ(valuesOf<float>(y), iota<float>(kRows * kColumns));
}

// R38: only what the predicate chooses changes.
TEST(Copy, PredicatesChooseExactly) {
  for (int pattern = 0; pattern < 3; ++pattern) {
    Array y = arrayOf(std::vector<_Float16>(32, _Float16(-1)), {2, 16});
    auto host = jit("chosen", [&](Tensor t) {
      launch(
          [pattern](Tensor u) {
            Tensor groups = logical_divide(u, {Tiler::hole(), 8});  // (2,(8,2))
            Tensor dst = make_tensor(u.iterator(), make_layout({8, 2, 2}, {1, 16, 8}));
            Tensor frag = make_fragment_like(dst);
            frag.fill(3);
            Tensor pred = make_rmem_tensor(IntTuple{2, 2}, DType::Boolean);
            for (int i = 0; i < 4; ++i) pred(i) = pattern == 0 || (pattern == 2 && i % 2 == 1);
            copy(make_copy_atom(CopyUniversalOp(), DType::Float16, 128), frag, dst, pred);
          },
          {.grid = {1}, .block = {1}}, t);
    });
    compile(host, from_dlpack(y, 16))(y);
    std::vector<_Float16> got = valuesOf<_Float16>(y);
    for (int i = 0; i < 32; ++i) {
      int execution = i / 16 + i % 16 / 8 * 2;
      bool chosen = pattern == 0 || (pattern == 2 && execution % 2 == 1);
      EXPECT_EQ(static_cast<float>(got[static_cast<std::size_t>(i)]), chosen ? 3.0f : -1.0f) << i;
    }
  }
}

// R40: what cannot be had is refused with the operand, what is known and what is needed.
TEST(Copy, WidthsThatCannotBeHad) {
  Array x = arrayOf(iota<float>(64));
  auto attempt = [&](auto body) {
    auto host = jit("width", [&](Tensor t) { launch(body, {.grid = {1}, .block = {1}}, t); });
    return refusalOf([&] { compile(host, from_dlpack(x, 4)); });
  };
  auto text = attempt([](Tensor t) {
    Tensor src = make_tensor(t.iterator(), make_layout({4}));
    copy(make_copy_atom(CopyUniversalOp(), DType::Float32, 128), src, make_fragment_like(src));
  });
  EXPECT_THAT(text, HasSubstr("CopyTest.cpp:"));
  EXPECT_THAT(text, HasSubstr("the source is known to be aligned to 4 bytes"));
  EXPECT_THAT(text, HasSubstr("16 are needed"));
  text = attempt([](Tensor t) {
    Tensor frag = make_rmem_tensor(IntTuple{4}, DType::Float32);
    Tensor dst = make_tensor(t.iterator().align(16), make_layout({4}, {2}));
    copy(make_copy_atom(CopyUniversalOp(), DType::Float32, 128), frag, dst);
  });
  EXPECT_THAT(text, HasSubstr("mode 0 of the target is not contiguous for 4 elements"));
  text = attempt([](Tensor t) {
    Tensor src = make_tensor(t.iterator().align(16), make_layout({4, 2}, {1, 6}));
    copy(make_copy_atom(CopyUniversalOp(), DType::Float32, 128), src, make_fragment_like(src));
  });
  EXPECT_THAT(text, HasSubstr("aligned to 8 bytes, by stride 6 of mode 1"));
  text = attempt([](Tensor t) {
    Tensor src = make_tensor(t.iterator().align(16), make_layout({4}));
    copy(make_copy_atom(CopyUniversalOp(), DType::Float32, 128), src, make_fragment_like(src));
  });
  EXPECT_EQ(text, "");
  EXPECT_THAT(attempt([](Tensor) { make_copy_atom(CopyUniversalOp(), DType::Float32, 96); }),
              HasSubstr("no copy of 96 bits at once on sm_90a; there are 8, 16, 32, 64, 128"));
  EXPECT_THAT(attempt([](Tensor t) {
                Tensor src = make_tensor(t.iterator(), make_layout({4, 2}));
                Tensor pred = make_rmem_tensor(IntTuple{3}, DType::Boolean);
                copy(make_copy_atom(CopyUniversalOp(), DType::Float32), src,
                     make_fragment_like(src), pred);
              }),
              HasSubstr("a predicate of shape (3), 3 elements, for a source of shape (4,2)"));
}

// One predicate for each execution of the atom: one for each value of an atom whose width is open,
// or one for all that it moves at once. No other number, whatever it divides.
TEST(Copy, APredicateForEachExecution) {
  Array x = arrayOf(iota<float>(64));
  for (int bits : {0, 32, 64, 128}) {
    for (int count : {1, 2, 3, 4, 8, 16, 32}) {
      auto host = jit("predicates", [&](Tensor t) {
        auto body = [&](Tensor u) {
          Tensor src = make_tensor(u.iterator(), make_layout({4, 4}));
          Tensor pred = make_rmem_tensor(IntTuple{count}, DType::Boolean);
          pred.fill(true);
          copy(make_copy_atom(CopyUniversalOp(), DType::Float32, bits), src,
               make_fragment_like(src), pred);
        };
        launch(body, {.grid = {1}, .block = {1}}, t);
      });
      std::string text = refusalOf([&] { compile(host, from_dlpack(x, 16)); });
      bool fits = bits == 0 ? count == 16 || count == 4 : count == 16 * 32 / bits;
      if (fits) {
        EXPECT_EQ(text, "") << bits << " bits, " << count;
      } else {
        EXPECT_THAT(text, HasSubstr("it has the source's modes without the vector's"));
      }
    }
  }
}

// What LLVM makes of neighbouring loads ends where the array ends.
template <class T>
void expectLoadsWithin(int count, std::int64_t alignment) {
  constexpr int kStep = 32;  // elements between rows
  constexpr int kRows = 3;
  Array x = arrayOf(iota<T>(static_cast<std::size_t>((kRows - 1) * kStep + count)));
  Array y = arrayOf(std::vector<float>(kRows));
  auto host = jit("within", [&](Tensor a, Tensor b) {
    auto body = [&](Tensor u, Tensor v) {
      Int32 row = arch::block_idx().x;
      Tensor mine = make_tensor(u.iterator(), make_layout({count, kRows}, {1, kStep}))(_, row);
      std::vector<Numeric> terms;
      for (int i = 0; i < count; ++i) terms.emplace_back(Arg(mine(i)).to(DType::Float32));
      Var<Float32> total(0);
      for (const Numeric& term : terms) total += term;
      v(row) = total;
    };
    launch(body, {.grid = {kRows}, .block = {1}}, a, b);
  });
  compile(host, from_dlpack(x, alignment), y)(x, y);  // the device reports what is read beyond
  std::vector<float> sums = valuesOf<float>(y);
  for (int row = 0; row < kRows; ++row) {
    float expected = 0;
    for (int i = 0; i < count; ++i) expected += static_cast<float>(static_cast<T>(row * kStep + i));
    EXPECT_EQ(sums[static_cast<std::size_t>(row)], expected) << count << " at " << alignment;
  }
}

TEST(Copy, LoadsStayWithinTheArray) {
  for (std::int64_t alignment : {8, 16, 32}) {
    for (int count : {1, 2, 3, 5, 6, 7, 9, 11}) {
      expectLoadsWithin<float>(count, alignment);
      expectLoadsWithin<_Float16>(count, alignment);
      expectLoadsWithin<std::int8_t>(count, alignment);
    }
    expectLoadsWithin<double>(3, alignment);
  }
}

// 256 bits at once where the target has them and the alignment is known.
TEST(Copy, TwiceAsWideOnBlackwell) {
  Device device = simulated("sim:sm_100a");
  Array x = Array::empty(device, typeOf<float>(), {64});
  std::vector<float> values = iota<float>(64);
  orThrow(device.copyToDevice(x.address(), values.data(), 64 * sizeof(float)));
  Array y = Array::empty(device, typeOf<float>(), {64});
  auto host = jit("wide", [&](Tensor a, Tensor b) {
    auto body = [](Tensor u, Tensor v) {
      Int32 thread = arch::thread_idx().x;
      auto part = [&](const Tensor& t) {
        return make_tensor(t.iterator(), make_layout({8, 8}))(_, thread);
      };
      Tensor src = part(u);
      Tensor frag = make_fragment_like(src);
      CopyAtom atom = make_copy_atom(CopyUniversalOp(), DType::Float32, 256);
      copy(atom, src, frag);
      copy(atom, frag, part(v));
    };
    launch(body, {.grid = {1}, .block = {8}}, a, b);
  });
  auto f = compile(host, from_dlpack(x, 32), from_dlpack(y, 32));
  EXPECT_THAT(f.ptx(), HasSubstr(".version 8.8"));
  EXPECT_THAT(f.ptx(), HasSubstr("ld.global.v4.b64"));
  EXPECT_THAT(f.ptx(), HasSubstr("st.global.v4.b64"));
  f(x, y);
  EXPECT_EQ(valuesOf<float>(y), values);
  CompileOptions hopper;
  hopper.target = Target{90, Target::Suffix::Architecture};
  EXPECT_THAT(refusalOf([&] { compile(hopper, host, from_dlpack(x, 32), from_dlpack(y, 32)); }),
              HasSubstr("no copy of 256 bits at once on sm_90a"));
}

TEST(Copy, AutomaticVectorsSayWhatKeptThemNarrow) {
  Array x = arrayOf(iota<float>(64));
  auto host = jit("automatic", [&](Tensor t) {
    launch(
        [](Tensor u) {
          Tensor src = make_tensor(u.iterator(), make_layout({16}));
          Tensor dst = make_tensor(u.iterator() + 32, make_layout({16}));
          Tensor frag = make_fragment_like(src);
          autovec_copy(src, frag);
          autovec_copy(frag, dst);
        },
        {.grid = {1}, .block = {1}}, t);
  });
  auto wide = compile(host, from_dlpack(x, 16));
  EXPECT_THAT(wide.ptx(), HasSubstr("ld.global.v4"));
  EXPECT_TRUE(wide.remarks().empty());
  auto narrow = compile(host, from_dlpack(x, 8));
  EXPECT_THAT(narrow.ptx(), HasSubstr("ld.global.v2"));
  ASSERT_EQ(narrow.remarks().size(), 2U);
  EXPECT_THAT(narrow.remarks()[0], HasSubstr("uses accesses of 64 bits: the source is known to be "
                                             "aligned to 8 bytes"));
  narrow(x);
  EXPECT_EQ(valuesOf<float>(x)[47], 15.0f);
}

TEST(Copy, SwizzledPointersThroughSharedMemory) {
  auto got = run<std::int32_t>(
      std::vector<std::int32_t>(1024),
      [](Tensor out) {
        SmemAllocator smem;
        Tensor s = smem.allocate_tensor(DType::Int32, make_layout({32, 32}, {32, 1}), 128,
                                        make_swizzle(3, 4, 3));
        Int32 tid = arch::thread_idx().x;
        Tensor frag = make_rmem_tensor(IntTuple{32}, DType::Int32);
        for (int i = 0; i < 32; ++i) frag(i) = tid * 32 + i;
        autovec_copy(frag, s(tid, _));
        arch::sync_threads();
        Tensor mine = make_tensor(out.iterator() + tid, make_layout({32}, {32}));
        autovec_copy(s(_, tid), mine);  // the transposed tile
      },
      32);
  for (int i = 0; i < 1024; ++i) {
    EXPECT_EQ(got[static_cast<std::size_t>(i)], i) << i;
  }
}

}  // namespace
}  // namespace cutwork::test

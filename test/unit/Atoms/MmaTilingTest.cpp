// MmaTilingTest.cpp -- tiled products: who holds what, by enumeration; texts of refusals.
#include "cutwork/Atoms/MmaTiling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cutwork/Layout/Construct.h"
#include "cutwork/Layout/Coordinates.h"
#include "cutwork/Layout/Text.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {
namespace {

using ::testing::HasSubstr;

// Compact without strides.
Layout layout(std::string_view text) {
  if (text.find(':') == std::string_view::npos)
    return make_layout(parseTuple(text).value()).value();
  return parseLayout(text).value();
}

// mma.sync.m16n8k16 of 16-bit elements (PTX ISA, "Matrix Fragments for mma.m16n8k16"): an atom
// whose threads and values are not trivial.
MmaLayouts m16n8k16() {
  return {{16, 8, 16},
          layout("32:1"),
          layout("((4,8),(2,2,2)):((32,1),(16,8,128))"),
          layout("((4,8),(2,2)):((16,1),(8,64))"),
          layout("((4,8),(2,2)):((32,1),(16,8))")};
}

struct Tiled {
  std::string_view name;
  MmaLayouts atom;
  std::string_view atoms;
  std::vector<Tiler> permutation;
  std::array<std::int64_t, 3> problem;
};

std::vector<Tiled> cases() {
  Tiler four = layout("(16,4):(4,1)");
  Tiler narrow = layout("(8,4):(4,1)");
  return {
      {"one thread", mmaLayouts(MmaKind::Universal), "(1,1,1)", {}, {4, 6, 3}},
      {"rows first", mmaLayouts(MmaKind::Universal), "(4,2,1):(2,1,0)", {}, {8, 8, 2}},
      {"columns first", mmaLayouts(MmaKind::Universal), "(4,2,1)", {}, {8, 8, 2}},
      {"K too", mmaLayouts(MmaKind::Universal), "(2,2,4)", {}, {4, 4, 8}},
      {"permuted",
       mmaLayouts(MmaKind::Universal),
       "(16,8,1):(8,1,0)",
       {four, narrow, Tiler::hole()},
       {128, 32, 2}},
      {"an extent", mmaLayouts(MmaKind::Universal), "(2,2,1)", {4, 2}, {8, 4, 1}},
      {"warp", m16n8k16(), "(1,1,1)", {}, {32, 16, 32}},
      {"four warps", m16n8k16(), "(2,2,1)", {}, {64, 32, 16}},
      {"wide N", m16n8k16(), "(2,2,1)", {Tiler::hole(), layout("(8,2,2):(1,16,8)")}, {32, 64, 32}},
  };
}

MmaTiling tilingOf(const Tiled& c) {
  return MmaTiling::make(c.atom, layout(c.atoms), c.permutation).value();
}

// (first mode, second mode) -> indices of a thread's values in the operand.
std::vector<std::int64_t> held(const MmaTiling& tiling, const Layout& fragments, MmaOperand which,
                               std::int64_t thread) {
  IntTuple at = tiling.coordinateOf(thread).value();
  auto [first, second] = operandModes(which);
  IntTuple mine{IntTuple(at[0]), IntTuple{IntTuple(at[first + 1]), IntTuple(at[second + 1])}};
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < size(fragments[1]).value(); ++i) {
    out.push_back(crd2idx(IntTuple{mine, IntTuple(i)}, fragments).value().value().value());
  }
  return out;
}

Layout tileOf(const Tiled& c, MmaOperand which) {
  auto [first, second] = operandModes(which);
  return make_layout(IntTuple{c.problem[static_cast<std::size_t>(first)],
                              c.problem[static_cast<std::size_t>(second)]})
      .value();
}

// Every element is with the threads of one place in the operand's modes: as many as the third mode
// has, and no thread has one twice.
TEST(MmaTiling, EveryElementIsHeldByItsThreads) {
  for (const Tiled& c : cases()) {
    MmaTiling tiling = tilingOf(c);
    std::int64_t threads = size(tiling.threads().view()).value();
    for (MmaOperand which : {MmaOperand::A, MmaOperand::B, MmaOperand::C}) {
      Layout tile = tileOf(c, which);
      Layout fragments = tiling.threadFragments(tile, which).value();
      std::map<std::int64_t, int> count;
      for (std::int64_t t = 0; t < threads; ++t) {
        for (std::int64_t index : held(tiling, fragments, which, t)) ++count[index];
      }
      auto [first, second] = operandModes(which);
      std::int64_t third = size(tiling.threads()[3 - first - second + 1]).value();
      EXPECT_EQ(static_cast<std::int64_t>(count.size()), size(tile.view()).value()) << c.name;
      for (auto [index, times] : count) EXPECT_EQ(times, third) << c.name << ' ' << index;
    }
  }
}

// A multiply-add of value (0, m, k) of A and (0, n, k) of B adds to value (0, m, n) of C: row,
// column and k agree in every thread.
TEST(MmaTiling, OperandsOfAMultiplyAddMeet) {
  for (const Tiled& c : cases()) {
    if (c.atom.mnk != std::array<std::int64_t, 3>{1, 1, 1}) continue;
    MmaTiling tiling = tilingOf(c);
    auto [M, N, K] = c.problem;
    std::map<MmaOperand, Layout> fragments;
    std::map<MmaOperand, IntTuple> extents;
    for (MmaOperand which : {MmaOperand::A, MmaOperand::B, MmaOperand::C}) {
      Layout tile = tileOf(c, which);
      fragments[which] = tiling.threadFragments(tile, which).value();
      extents[which] = tiling.partitionShape(tile.shape(), which).value();
    }
    std::int64_t m = size(extents[MmaOperand::C][1]).value();
    std::int64_t n = size(extents[MmaOperand::C][2]).value();
    std::int64_t k = size(extents[MmaOperand::A][2]).value();
    EXPECT_EQ(size(extents[MmaOperand::A][1]).value(), m) << c.name;
    EXPECT_EQ(size(extents[MmaOperand::B][1]).value(), n) << c.name;
    for (std::int64_t t = 0; t < size(tiling.threads().view()).value(); ++t) {
      auto a = held(tiling, fragments[MmaOperand::A], MmaOperand::A, t);
      auto b = held(tiling, fragments[MmaOperand::B], MmaOperand::B, t);
      auto sums = held(tiling, fragments[MmaOperand::C], MmaOperand::C, t);
      for (std::int64_t i = 0; i < m * n * k; ++i) {
        std::int64_t row = i % m;
        std::int64_t column = i / m % n;
        std::int64_t depth = i / m / n;
        auto left = a[static_cast<std::size_t>(row + m * depth)];
        auto right = b[static_cast<std::size_t>(column + n * depth)];
        auto sum = sums[static_cast<std::size_t>(row + m * column)];
        EXPECT_EQ(left % M, sum % M) << c.name;
        EXPECT_EQ(right % N, sum / M) << c.name;
        EXPECT_EQ(left / M, right / N) << c.name;
      }
    }
  }
}

// The (thread, value) layouts say the same as the partition of the tile.
TEST(MmaTiling, ThreadValuesAreThePartitionOfTheTile) {
  for (Tiled c : cases()) {
    MmaTiling tiling = tilingOf(c);
    for (int mode = 0; mode < 3; ++mode) {
      c.problem[static_cast<std::size_t>(mode)] = tiling.tileSize(mode);
    }
    for (MmaOperand which : {MmaOperand::A, MmaOperand::B, MmaOperand::C}) {
      Layout fragments = tiling.threadFragments(tileOf(c, which), which).value();
      Layout tv = tiling.threadValues(which).value();
      ASSERT_EQ(tv.rank(), 2) << c.name;
      EXPECT_EQ(size(tv[0]).value(), size(tiling.threads().view()).value()) << c.name;
      for (std::int64_t t = 0; t < size(tv[0]).value(); ++t) {
        auto values = held(tiling, fragments, which, t);
        for (std::size_t v = 0; v < values.size(); ++v) {
          IntTuple at{t, static_cast<std::int64_t>(v)};
          EXPECT_EQ(crd2idx(at, tv).value().value().value(), values[v]) << c.name << ' ' << t;
        }
      }
    }
  }
}

TEST(MmaTiling, ShapesOfSgemm) {
  Tiled c = cases()[4];
  MmaTiling tiling = tilingOf(c);
  EXPECT_EQ(tiling.threads().text(), "(1,16,8,1):(0,8,1,0)");
  EXPECT_EQ(tiling.tileSize(0), 64);
  EXPECT_EQ(tiling.tileSize(1), 32);
  EXPECT_EQ(tiling.tileSize(2), 1);
  EXPECT_EQ(tiling.partitionShape(IntTuple{128, 8}, MmaOperand::A).value().text(), "(1,(4,2),8)");
  EXPECT_EQ(tiling.partitionShape(IntTuple{128, 32}, MmaOperand::C).value().text(), "(1,(4,2),4)");
  EXPECT_EQ(tiling.coordinateOf(19).value().text(), "(0,2,3,0)");
  MmaTiling warps = tilingOf(cases()[7]);
  EXPECT_EQ(warps.threads().text(), "(32,2,2,1):(1,32,64,0)");
  EXPECT_EQ(warps.partitionShape(IntTuple{64, 16}, MmaOperand::A).value().text(), "((2,2,2),2,1)");
}

TEST(MmaTiling, RefusalsSayWhatWasExpected) {
  auto text = [](std::string_view atoms, const std::vector<Tiler>& permutation) {
    return MmaTiling::make(mmaLayouts(MmaKind::Universal), layout(atoms), permutation)
        .error()
        .text();
  };
  EXPECT_THAT(text("(2,2,2,2)", {}), HasSubstr("laid out over M, N and K"));
  EXPECT_THAT(text("(4,2,1):(4,1,0)", {}), HasSubstr("do not take every number below 8 once"));
  EXPECT_THAT(text("(4,2,1)", {6}),
              HasSubstr("the permutation 6:1 of M has 6 elements, no multiple of the 4"));
  EXPECT_THAT(text("(4,2,1)", {layout("(4,2):(1,8)")}),
              HasSubstr("does not take every position below 8 once"));
  EXPECT_THAT(text("(1,1,1)", {1, 1, 1, 1}), HasSubstr("not for 4 modes"));
  MmaTiling tiling = tilingOf(cases()[4]);
  auto partition = [&](std::string_view operand, MmaOperand which) {
    return tiling.threadFragments(layout(operand), which).error().text();
  };
  EXPECT_THAT(partition("(96,8)", MmaOperand::A),
              HasSubstr("operand A of shape (96,8): 96 elements in M are no multiple of the tiled "
                        "MMA's 64"));
  EXPECT_THAT(partition("(48,8)", MmaOperand::B), HasSubstr("48 elements in N"));
  EXPECT_THAT(partition("64", MmaOperand::C), HasSubstr("operand C has modes (M,N,...)"));
}

TEST(MmaAtoms, TheTableReads) {
  for (const MmaInstruction& row : mmaInstructions()) {
    MmaLayouts layouts = mmaLayouts(row.kind);
    std::int64_t threads = size(layouts.threads.view()).value();
    auto [m, n, k] = row.mnk;
    EXPECT_EQ(size(layouts.a.view()).value(), m * k) << row.name;
    EXPECT_EQ(size(layouts.b.view()).value(), n * k) << row.name;
    EXPECT_EQ(size(layouts.c.view()).value(), m * n) << row.name;
    EXPECT_EQ(size(layouts.c[0]).value(), threads) << row.name;
    EXPECT_GE(row.leastCapability, 80);
  }
}

}  // namespace
}  // namespace cutwork::cute

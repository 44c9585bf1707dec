// Matrices.cpp -- matrices of 8 bits and of packed numbers, against what the ISA says of them. No
// hardware's answers are recorded for these.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

#include "Programs.h"

namespace cutwork::sim {
namespace {

using testing::HasSubstr;

std::uint32_t wordOf(unsigned row, unsigned k) { return (row * 4 + k + 1) * 0x9e3779b1U; }
unsigned byteOf(unsigned row, unsigned byte) {
  return wordOf(row, byte / 4) >> 8 * (byte % 4) & 255;
}
/// Number `i` of `bits` in a row that has them one behind the other.
unsigned numberOf(unsigned row, unsigned i, unsigned bits) {
  unsigned number = 0;
  for (unsigned b = 0; b < bits; ++b) {
    const unsigned at = i * bits + b;
    number |= (byteOf(row, at / 8) >> at % 8 & 1) << b;
  }
  return number;
}

using Registers = std::array<std::array<std::uint32_t, 4>, 32>;

/// What lanes have in %r20 to %r23 behind the statement. Row l of memory is wordOf(l, ...), and
/// %r10 is a lane's row.
Registers registersOf(const std::string& statement) {
  std::string text =
      programOf("block=32 args=in:512", 1,
                ".shared .align 16 .b8 m[512];\nmov.u32 %r1, m;\nmad.lo.u32 %r10, %r0, 16, %r1;\n"
                "mov.u32 %r20, 0;\nmov.u32 %r21, 0;\nmov.u32 %r22, 0;\nmov.u32 %r23, 0;\n"
                "mad.lo.u32 %r2, %r0, 4, 1;\nmul.lo.u32 %r3, %r2, 0x9e3779b1;\n"
                "add.u32 %r4, %r3, 0x9e3779b1;\nadd.u32 %r5, %r4, 0x9e3779b1;\n"
                "add.u32 %r6, %r5, 0x9e3779b1;\nst.shared.v4.b32 [%r10], {%r3, %r4, %r5, %r6};\n"
                "bar.sync 0;\n" +
                    statement +
                    "\nmul.wide.u32 %rd2, %r0, 16;\nadd.u64 %rd2, %rd2, %rd0;\n"
                    "st.global.v4.b32 [%rd2], {%r20, %r21, %r22, %r23};");
  text.replace(text.find("sm_90"), 5, "sm_100a");
  const Outcome outcome = runProgram(text, true, {}, "sm_100a");
  EXPECT_EQ(outcome.problem + textOf(outcome), "");
  Registers result{};
  if (!outcome.buffers.empty()) std::memcpy(result.data(), outcome.buffers[0].data(), 512);
  return result;
}

unsigned byteIn(const Registers& registers, unsigned lane, unsigned q, unsigned k) {
  return registers[lane][q] >> 8 * k & 255;
}

/// Four numbers of a row for each lane, four lanes for a row.
TEST(Matrices, PackedNumbersBecomeBytes) {
  const std::pair<const char*, unsigned> formats[] = {{"b6x16_p32", 6}, {"b4x16_p64", 4}};
  for (const auto& [format, bits] : formats) {
    const Registers loaded =
        registersOf(std::string("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.") + format +
                    " {%r20, %r21, %r22, %r23}, [%r10];");
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned q = 0; q < 4; ++q) {
        for (unsigned k = 0; k < 4; ++k) {
          ASSERT_EQ(byteIn(loaded, lane, q, k),
                    numberOf(8 * q + lane / 4, 4 * (lane % 4) + k, bits))
              << format << " lane " << lane;
        }
      }
    }
  }
}

/// Column n of a matrix is at lane n's address. A lane has rows i and i + 8 of four columns.
TEST(Matrices, SixteenBySixteenTransposed) {
  const Registers loaded = registersOf(
      "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%r20, %r21, %r22, %r23}, [%r10];");
  const Registers packed = registersOf(
      "ldmatrix.sync.aligned.m16n16.x1.trans.shared::cta.b8x16.b4x16_p64 {%r20, %r21}, [%r10];");
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned q = 0; q < 4; ++q) {
      const unsigned column = 16 * (q / 2) + 4 * (lane % 4) + 2 * (q % 2);
      const unsigned row = lane / 4;
      ASSERT_EQ(byteIn(loaded, lane, q, 0), byteOf(column, row));
      ASSERT_EQ(byteIn(loaded, lane, q, 1), byteOf(column + 1, row));
      ASSERT_EQ(byteIn(loaded, lane, q, 2), byteOf(column, row + 8));
      ASSERT_EQ(byteIn(loaded, lane, q, 3), byteOf(column + 1, row + 8));
      if (q < 2) ASSERT_EQ(byteIn(packed, lane, q, 3), numberOf(column + 1, row + 8, 4));
    }
  }
}

/// Registers hold rows i and i + 8 of columns 2j and 2j + 1; a column is a row of memory.
TEST(Matrices, SixteenByEightStores) {
  const Registers stored = registersOf(
      "mov.b32 %r7, 0x01010101;\nmul.lo.u32 %r7, %r7, %r0;\nadd.u32 %r8, %r7, 0xc0804000;\n"
      "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%r10], {%r8, %r8, %r8, %r8};\n"
      "bar.warp.sync -1;\nld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r10];");
  for (unsigned column = 0; column < 32; ++column) {
    for (unsigned row = 0; row < 16; ++row) {
      const unsigned lane = 4 * (row % 8) + column % 8 / 2;
      const unsigned k = 2 * (row / 8) + column % 2;
      ASSERT_EQ(byteIn(stored, column, row / 4, row % 4), lane + 0x40 * k);
    }
  }
}

TEST(Matrices, FormsThatAreNone) {
  for (const char* statement :
       {"ldmatrix.sync.aligned.m16n16.x4.trans.shared.b8 {%r1, %r2, %r3, %r4}, [%r5];",
        "ldmatrix.sync.aligned.m16n16.x1.shared.b8 {%r1, %r2}, [%r5];",
        "ldmatrix.sync.aligned.m8n16.x1.trans.shared.b8x16.b6x16_p32 {%r1}, [%r5];",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b8 {%r1}, [%r5];",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b16 {%r1, %r2}, [%r5];",
        "stmatrix.sync.aligned.m16n8.x1.shared.b8 [%r5], {%r1};",
        "stmatrix.sync.aligned.m16n16.x1.trans.shared.b8 [%r5], {%r1, %r2};"}) {
    std::string text = programOf("block=32 args=in:64", 1, statement);
    text.replace(text.find("sm_90"), 5, "sm_100a");
    EXPECT_THAT(textOf(runProgram(text, true, {}, "sm_100a")),
                HasSubstr("instruction not known here"))
        << statement;
  }
}

}  // namespace
}  // namespace cutwork::sim

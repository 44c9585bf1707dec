// Blackwell.cpp -- what sm_100 adds to the base set, against the definitions of the formats. No
// hardware's answers are recorded for these.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "Arithmetic/Half.h"
#include "Arithmetic/Narrow.h"
#include "Programs.h"

namespace cutwork::sim {
namespace {

using testing::HasSubstr;

/// A program for sm_100a that stores a word for each of 65536 threads; %r1 is the thread's number
/// in the grid, %r20 what is stored.
std::string words(const std::string& statements) {
  std::string text =
      programOf("grid=256 block=256 args=in:262144", 1,
                "mov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r1, %r2, 256, %r0;\n" + statements +
                    "\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd2, %rd0;\n"
                    "st.global.u32 [%rd2], %r20;");
  return text.replace(text.find("sm_90"), 5, "sm_100a");
}

std::vector<std::uint32_t> run(const std::string& statements) {
  const Outcome outcome = runProgram(words(statements), true, {}, "sm_100a");
  EXPECT_EQ(outcome.problem, "");
  EXPECT_EQ(textOf(outcome), "");
  std::vector<std::uint32_t> result(65536);
  if (!outcome.buffers.empty()) std::memcpy(result.data(), outcome.buffers[0].data(), 262144);
  return result;
}

struct Small {
  const char* name;
  int exponentBits;
  int fractionBits;
  unsigned width;
  bool byte;  ///< the pair is in 8 bits
};
constexpr Small kSmall[] = {
    {"e2m1x2", 2, 1, 4, true}, {"e2m3x2", 2, 3, 6, false}, {"e3m2x2", 3, 2, 6, false}};

/// The number that an encoding is, by the definition of the format.
double valueOf(const Small& format, unsigned code) {
  const unsigned fraction = code & ((1U << format.fractionBits) - 1);
  const unsigned field = code >> format.fractionBits & ((1U << format.exponentBits) - 1);
  const int bias = (1 << (format.exponentBits - 1)) - 1;
  const double ulp = std::ldexp(1.0, -format.fractionBits);
  const double magnitude = field == 0
                               ? std::ldexp(fraction * ulp, 1 - bias)
                               : std::ldexp(1 + fraction * ulp, static_cast<int>(field) - bias);
  return (code >> (format.width - 1) & 1) != 0 ? -magnitude : magnitude;
}

/// The nearest encoding, of two the even one; the largest for what is beyond, and for NaN.
unsigned nearest(const Small& format, float x) {
  const unsigned most = (1U << (format.width - 1)) - 1;
  if (std::isnan(x)) return most;
  const unsigned sign = std::signbit(x) ? 1U << (format.width - 1) : 0;
  if (std::fabs(x) >= valueOf(format, most)) return most | sign;
  unsigned best = 0;
  for (unsigned code = 1; code <= most; ++code) {
    const double apart = std::fabs(valueOf(format, code) - std::fabs(double{x}));
    const double before = std::fabs(valueOf(format, best) - std::fabs(double{x}));
    if (apart < before || (apart == before && code % 2 == 0)) best = code;
  }
  return best | sign;
}

std::string registers(const Small& format) {
  return std::string(".reg .b") + (format.byte ? "8" : "16") + " %n;\n";
}
std::string fromNarrow(const Small& format) {
  return std::string("cvt.u32.u") + (format.byte ? "8" : "16") + " %r20, %n;";
}

TEST(Blackwell, NarrowsToTheNearest) {
  for (const Small& format : kSmall) {
    for (const bool relu : {false, true}) {
      // a: the upper half of every float; b: the same, a bit above.
      const std::string cvt = std::string("cvt.rn.satfinite") + (relu ? ".relu." : ".") +
                              format.name + ".f32 %n, %f1, %f2;\n";
      const std::vector<std::uint32_t> got =
          run(registers(format) +
              "shl.b32 %r3, %r1, 16;\nor.b32 %r4, %r3, 1;\nmov.b32 %f1, %r3;\nmov.b32 %f2, %r4;\n" +
              cvt + fromNarrow(format));
      for (std::uint32_t i = 0; i < 65536; ++i) {
        const auto expect = [&](std::uint32_t bits) {
          const auto x = std::bit_cast<float>(bits);
          return relu && !std::isnan(x) && std::signbit(x) ? 0 : nearest(format, x);
        };
        const std::uint32_t expected =
            expect(i << 16) << (format.byte ? 4 : 8) | expect(i << 16 | 1);
        ASSERT_EQ(got[i], expected) << format.name << " of " << std::hex << (i << 16);
      }
    }
  }
}

/// All halves give what the same numbers in f32 give.
TEST(Blackwell, NarrowsHalvesAsSingles) {
  for (const std::string relu : {"", ".relu"}) {
    const std::string cvt = "cvt.rn.satfinite" + relu + ".e2m1x2.";
    const std::vector<std::uint32_t> differences =
        run(".reg .b8 %n, %m;\n.reg .b16 %lo, %hi;\ncvt.u16.u32 %lo, %r1;\nnot.b16 %hi, %lo;\n"
            "mov.b32 %r3, {%lo, %hi};\ncvt.f32.f16 %f1, %hi;\ncvt.f32.f16 %f2, %lo;\n" +
            cvt + "f16x2 %n, %r3;\n" + cvt +
            "f32 %m, %f1, %f2;\ncvt.u32.u8 %r4, %n;\ncvt.u32.u8 %r5, %m;\nxor.b32 %r20, %r4, %r5;");
    for (std::uint32_t i = 0; i < 65536; ++i) ASSERT_EQ(differences[i], 0U) << relu << i;
  }
}

TEST(Blackwell, WidensExactly) {
  for (const Small& format : kSmall) {
    const std::vector<std::uint32_t> got =
        run(registers(format) + "cvt.u" + (format.byte ? "8" : "16") + ".u32 %n, %r1;\n" +
            "cvt.rn.f16x2." + format.name + " %r20, %n;");
    const unsigned codes = 1U << format.width;
    const unsigned shift = format.byte ? 4 : 8;
    for (unsigned a = 0; a < codes; ++a) {
      for (unsigned b = 0; b < codes; ++b) {
        const std::uint32_t pair = got[a << shift | b];
        EXPECT_EQ(halfToF32(static_cast<std::uint16_t>(pair >> 16)), valueOf(format, a));
        EXPECT_EQ(halfToF32(static_cast<std::uint16_t>(pair)), valueOf(format, b));
      }
    }
  }
}

TEST(Blackwell, ExponentsAreRoundedAsSaid) {
  for (const bool up : {false, true}) {
    for (const bool satfinite : {false, true}) {
      const std::string cvt = std::string("cvt.") + (up ? "rp" : "rz") +
                              (satfinite ? ".satfinite" : "") + ".ue8m0x2.f32 %h1, %f1, %f2;\n";
      const std::vector<std::uint32_t> got =
          run("shl.b32 %r3, %r1, 16;\nor.b32 %r4, %r3, 1;\nmov.b32 %f1, %r3;\nmov.b32 %f2, %r4;\n" +
              cvt + "cvt.u32.u16 %r20, %h1;");
      for (std::uint32_t i = 0; i < 32768; ++i) {  // of numbers that are not negative
        const auto expect = [&](std::uint32_t bits) -> std::uint32_t {
          const auto x = std::bit_cast<float>(bits);
          if (std::isnan(x)) return 0xff;
          // The largest power of two that is not above, or the smallest that is not below.
          for (std::uint32_t code = 0; code < 0xff; ++code) {
            const double power = std::ldexp(1.0, static_cast<int>(code) - 127);
            if (up && power >= x) return code;
            if (!up && x < 2 * power) return code;
          }
          return satfinite ? 0xfe : 0xff;
        };
        ASSERT_EQ(got[i], expect(i << 16) << 8 | expect(i << 16 | 1)) << std::hex << (i << 16);
      }
    }
  }
  const std::vector<std::uint32_t> back =
      run("cvt.u16.u32 %h1, %r1;\ncvt.rn.bf16x2.ue8m0x2 %r20, %h1;");
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto upper = std::bit_cast<float>(back[i] & 0xffff0000U);
    const std::uint32_t code = i >> 8;
    if (code == 0xff) {
      EXPECT_TRUE(std::isnan(upper));
    } else {
      EXPECT_EQ(upper, std::ldexp(1.0F, static_cast<int>(code) - 127)) << i;
    }
  }
}

TEST(Blackwell, PairsOfSinglesAreTwoOfOne) {
  const char* const ops[] = {"add.rn",     "sub.rn", "mul.rn", "add.rz",
                             "mul.rp",     "add.rm", "sub.rp", "add.rn.ftz",
                             "mul.rz.ftz", "fma.rn", "fma.rm", "fma.rn.ftz"};
  for (const std::string op : ops) {
    const bool fma = op.starts_with("fma");
    const std::string inputs =
        "mul.lo.u32 %r3, %r1, 0x9e3779b1;\nmul.lo.u32 %r4, %r1, 0x85ebca6b;\n"
        "xor.b32 %r4, %r4, 0x5bd1e995;\nmul.lo.u32 %r5, %r3, %r4;\nxor.b32 %r6, %r5, %r3;\n"
        "mov.b32 %f1, %r3;\nmov.b32 %f2, %r4;\nmov.b32 %f3, %r5;\nmov.b32 %f4, %r6;\n";
    const std::string last = fma ? ", %rd6" : "";
    const std::vector<std::uint32_t> pairs =
        run(inputs +
            "mov.b64 %rd4, {%f1, %f2};\nmov.b64 %rd5, {%f3, %f4};\n"
            "mov.b64 %rd6, {%f2, %f3};\n" +
            op + ".f32x2 %rd7, %rd4, %rd5" + last +
            ";\nmov.b64 {%r7, %r8}, %rd7;\nmul.lo.u32 %r8, %r8, 31;\nadd.u32 %r20, %r7, %r8;");
    const std::vector<std::uint32_t> singles =
        run(inputs + op + ".f32 %f5, %f1, %f3" + (fma ? ", %f2" : "") + ";\n" + op +
            ".f32 %f6, %f2, %f4" + (fma ? ", %f3" : "") +
            ";\nmov.b32 %r7, %f5;\nmov.b32 %r8, %f6;\nmul.lo.u32 %r8, %r8, 31;\n"
            "add.u32 %r20, %r7, %r8;");
    EXPECT_EQ(pairs, singles) << op;
  }
}

TEST(Blackwell, HalvesWithSingles) {
  for (const std::string type : {"f16", "bf16"}) {
    const std::string inputs =
        "cvt.u16.u32 %h1, %r1;\nmul.lo.u32 %r3, %r1, 0x9e3779b1;\n"
        "mov.b32 %f1, %r3;\nxor.b16 %h2, %h1, 0x1234;\n";
    const std::string widened = "cvt.f32." + type + " %f2, %h1;\ncvt.f32." + type + " %f3, %h2;\n";
    for (const std::string op : {"add.rn", "sub.rz", "add.rp.sat", "sub.rm", "add"}) {
      EXPECT_EQ(run(inputs + op + ".f32." + type + " %f4, %h1, %f1;\nmov.b32 %r20, %f4;"),
                run(inputs + widened + op + ".f32 %f4, %f2, %f1;\nmov.b32 %r20, %f4;"))
          << op << type;
    }
    for (const std::string op : {"fma.rn", "fma.rz", "fma.rp.sat"}) {
      EXPECT_EQ(run(inputs + op + ".f32." + type + " %f4, %h1, %h2, %f1;\nmov.b32 %r20, %f4;"),
                run(inputs + widened + op + ".f32 %f4, %f2, %f3, %f1;\nmov.b32 %r20, %f4;"))
          << op << type;
    }
  }
}

TEST(Blackwell, ReducesSingles) {
  struct Case {
    const char* op;
    std::uint32_t plain;    ///< of -8, -7, ... 23
    std::uint32_t withNan;  ///< lane 5 has a NaN
  };
  const Case cases[] = {{"min", 0xc1000000, 0xc1000000},
                        {"max", 0x41b80000, 0x41b80000},
                        {"min.abs", 0, 0},
                        {"max.abs", 0x41b80000, 0x41b80000},
                        {"min.NaN", 0xc1000000, 0x7fffffff},
                        {"max.abs.NaN", 0x41b80000, 0x7fffffff}};
  for (const Case& one : cases) {
    const std::string inputs =
        "mov.u32 %r9, %laneid;\nsub.u32 %r3, %r9, 8;\ncvt.rn.f32.s32 %f1, %r3;\n"
        "mov.f32 %f9, 0fff800001;\nsetp.eq.u32 %p0, %r9, 5;\n";
    const std::string redux =
        std::string("redux.sync.") + one.op + ".f32 %f2, %f1, -1;\nmov.b32 %r20, %f2;";
    EXPECT_EQ(run(inputs + redux)[77], one.plain) << one.op;
    EXPECT_EQ(run(inputs + "@%p0 mov.f32 %f1, %f9;\n" + redux)[77], one.withNan) << one.op;
  }
  EXPECT_EQ(
      run("mov.f32 %f1, 0fffffffff;\nredux.sync.min.f32 %f2, %f1, -1;\nmov.b32 %r20, %f2;")[0],
      0x7fffffffU);
  // -0 is below +0.
  const std::string zeros = "and.b32 %r3, %r0, 1;\nshl.b32 %r3, %r3, 31;\nmov.b32 %f1, %r3;\n";
  EXPECT_EQ(run(zeros + "redux.sync.min.f32 %f2, %f1, -1;\nmov.b32 %r20, %f2;")[0], 0x80000000U);
  EXPECT_EQ(run(zeros + "redux.sync.max.f32 %f2, %f1, -1;\nmov.b32 %r20, %f2;")[0], 0U);
}

TEST(Blackwell, LoadsAndStoresOf32Bytes) {
  for (const std::string hints : {"", ".L1::no_allocate.L2::evict_last", ".L2::256B"}) {
    const bool loadOnly = hints == ".L2::256B";
    std::string text = programOf(
        "block=32 args=in:1024,in:1024", 2,
        "mul.wide.u32 %rd2, %r0, 32;\nadd.u64 %rd3, %rd2, %rd0;\nadd.u64 %rd4, %rd2, %rd1;\n"
        "mul.lo.u32 %r1, %r0, 8;\nadd.u32 %r2, %r1, 1;\nadd.u32 %r3, %r1, 2;\n"
        "add.u32 %r4, %r1, 3;\nadd.u32 %r5, %r1, 4;\nadd.u32 %r6, %r1, 5;\nadd.u32 %r7, %r1, 6;\n"
        "add.u32 %r8, %r1, 7;\nst.global" +
            (loadOnly ? "" : hints) +
            ".v8.b32 [%rd3], {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8};\nld.global" + hints +
            ".v4.b64 {%rd5, %rd6, %rd7, %rd8}, [%rd3];\nst.global.v4.b64 [%rd4], {%rd5, %rd6, "
            "%rd7, "
            "%rd8};");
    text.replace(text.find("sm_90"), 5, "sm_100a");
    const Outcome outcome = runProgram(text, true, {}, "sm_100a");
    EXPECT_EQ(outcome.problem, "");
    EXPECT_EQ(textOf(outcome), "");
    ASSERT_EQ(outcome.buffers.size(), 2U);
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, &outcome.buffers[1][std::size_t{i} * 4], 4);
      ASSERT_EQ(word, i);
    }
  }
  std::string text =
      programOf("block=1 args=in:64", 1, "ld.global.v4.b64 {%rd5, %rd6, %rd7, %rd8}, [%rd0+16];");
  text.replace(text.find("sm_90"), 5, "sm_100a");
  EXPECT_THAT(textOf(runProgram(text, true, {}, "sm_100a")),
              HasSubstr("alignment: a load of 32 bytes"));
}

/// By the definition: the random bits are added below the last bit that is kept. For what is normal
/// in the format that is a sum of integers.
TEST(Blackwell, RandomBitsAreAddedToWhatIsCut) {
  struct Row {
    RandomFormat format;
    int drop, random;    ///< bits of f32's fraction that are cut, and how many are random
    int bias;            ///< of the format's exponent below f32's
    std::uint32_t most;  ///< encoding of the largest number
    std::uint32_t infinity;
  };
  const Row rows[] = {{RandomFormat::F16, 13, 13, 112, 0x7bff, 0x7c00},
                      {RandomFormat::BF16, 16, 16, 0, 0x7f7f, 0x7f80},
                      {RandomFormat::E4M3, 20, 16, 120, 0x7e, 0x7f},
                      {RandomFormat::E5M2, 21, 16, 112, 0x7b, 0x7c},
                      {RandomFormat::E2M3, 20, 16, 126, 0x1f, 0x20},
                      {RandomFormat::E3M2, 21, 16, 124, 0x1f, 0x20},
                      {RandomFormat::E2M1, 22, 8, 126, 0x7, 0x8}};
  for (const Row& row : rows) {
    const bool halves = row.format == RandomFormat::F16 || row.format == RandomFormat::BF16;
    const unsigned width = halves ? 16 : row.format == RandomFormat::E2M1 ? 4 : 8;
    RandomSpec spec;
    spec.format = row.format;
    spec.satfinite = true;
    std::uint32_t state = 1;
    const auto next = [&] { return state = state * 1664525 + 1013904223; };
    for (unsigned i = 0; i < 20000; ++i) {
      const std::uint32_t field = static_cast<std::uint32_t>(row.bias) + 1 + next() % 4;
      const std::uint32_t bits = field << 23 | next() >> 9;
      const std::uint32_t random = next();
      const std::uint32_t mask = (1U << row.random) - 1;
      const std::uint32_t sum = bits + ((random & mask) << (row.drop - row.random));
      const std::uint32_t encoded =
          (sum >> row.drop) - (static_cast<std::uint32_t>(row.bias) << (23 - row.drop));
      const std::uint32_t expected = std::min(encoded, row.most);
      const std::uint32_t pair = narrowRandomly(bits | 0x80000000U, bits, random, {spec.packed()});
      ASSERT_EQ(pair & ((1U << width) - 1), expected) << std::hex << bits;
    }
    // Infinity and NaN, and the sign with .relu.
    spec.satfinite = false;
    const auto of = [&](std::uint32_t a) {
      return narrowRandomly(a, 0, 0, {spec.packed()}) >> width & ((1U << width) - 1);
    };
    if (halves) {
      EXPECT_EQ(of(0x7f800000), row.infinity);
      EXPECT_EQ(of(0x7fc00000), 0x7fffU);
      EXPECT_EQ(of(0xbf800000) >> 15, 1U);
    }
    spec.satfinite = true;
    EXPECT_EQ(of(0x7f800000), row.most);
    spec.relu = true;
    EXPECT_EQ(of(0xbf800000), 0U);
  }
  // Subnormal in f16: 2^-24 and a quarter of it is cut to 2^-24 with a fraction of 1/4.
  RandomSpec f16;
  EXPECT_EQ(narrowRandomly(0, 0x33a00000, 0x17ff, {f16.packed()}), 1U);
  EXPECT_EQ(narrowRandomly(0, 0x33a00000, 0x1800, {f16.packed()}), 2U);
  EXPECT_EQ(narrowRandomly(0x33a00000, 0, 0x1800U << 16, {f16.packed()}), 2U << 16);
}

TEST(Blackwell, ConvertsWithRandomBits) {
  const std::string inputs =
      "mov.f32 %f1, 0f3f801000;\nmov.f32 %f2, 0fbf801000;\nmov.f32 %f3, 0f40000000;\n"
      "mov.f32 %f4, 0f3f880000;\n";
  // Above 1 by 0x1000 of 0x2000 units: a half.
  EXPECT_EQ(run(inputs + "cvt.rs.f16x2.f32 %r20, %f1, %f2, 0x0fff1000;")[0], 0x3c00bc01U);
  EXPECT_EQ(run(inputs + "cvt.rs.relu.f16x2.f32 %r20, %f1, %f2, 0x10001000;")[0], 0x3c010000U);
  EXPECT_EQ(run(inputs + "cvt.rs.satfinite.bf16x2.f32 %r20, %f1, %f2, 0xf000efff;")[0],
            0x3f81bf80U);
  // a, b with the upper 16 bits, e, f with the lower ones; %f4 is 1 + 1/16, half a unit of e4m3.
  EXPECT_EQ(run(inputs + "cvt.rs.satfinite.e4m3x4.f32 %r20, {%f4, %f3, %f4, %f3}, 0x80007fff;")[0],
            0x39403840U);
  EXPECT_EQ(run(inputs + "cvt.rs.satfinite.e2m3x4.f32 %r20, {%f4, %f3, %f4, %f3}, 0x7fff8000;")[0],
            0x08100910U);
  // 8 bits each: a's and b's are the high bytes of both halves; 1.0625 is 1 and 1/8 of a unit.
  const std::string nibbles =
      inputs + ".reg .b16 %n;\ncvt.rs.satfinite.e2m1x4.f32 %n, {%f4, %f4, %f4, %f4}, ";
  EXPECT_EQ(run(nibbles + "0xe0dfdfdf;\ncvt.u32.u16 %r20, %n;")[0], 0x3222U);
  EXPECT_EQ(run(nibbles + "0xdfdfe0df;\ncvt.u32.u16 %r20, %n;")[0], 0x2322U);
  EXPECT_EQ(run(nibbles + "0xdfe0dfdf;\ncvt.u32.u16 %r20, %n;")[0], 0x2232U);
  EXPECT_EQ(run(nibbles + "0xdfdfdfe0;\ncvt.u32.u16 %r20, %n;")[0], 0x2223U);
}

/// What a block's kernel for sm_100a leaves in %r20; or what is said of it.
std::string resultFor(const std::string& launch, const std::string& statements) {
  std::string text = programOf(launch, 1, statements + "\nst.global.u32 [%rd0], %r20;");
  text.replace(text.find("sm_90"), 5, "sm_100a");
  const Outcome outcome = runProgram(text, true, {}, "sm_100a");
  if (outcome.fault || !outcome.problem.empty()) return outcome.problem + textOf(outcome);
  std::uint32_t value = 0;
  std::memcpy(&value, outcome.buffers[0].data(), 4);
  return std::to_string(value);
}

TEST(Blackwell, ZerosInBulk) {
  const std::string start =
      ".shared .align 8 .b32 m[64];\nmov.u32 %r1, m;\nmov.u32 %r20, 7;\n"
      "st.shared.u32 [m+128], %r20;\n";
  const std::string sum =
      "ld.shared.u32 %r3, [m+124];\nld.shared.u32 %r4, [m+128];\n"
      "mad.lo.u32 %r20, %r3, 10, %r4;";
  EXPECT_EQ(resultFor("block=1 args=in:4", start + "st.bulk.shared::cta [%r1], 128, 0;\n" + sum),
            "7");
  EXPECT_EQ(resultFor("block=1 args=in:4", start +
                                               "cvt.u64.u32 %rd1, %r1;\n"
                                               "cvta.shared.u64 %rd1, %rd1;\n"
                                               "mov.u64 %rd2, 128;\n"
                                               "st.bulk.weak [%rd1+8], %rd2, 0;\n" +
                                               sum),
            "0");
  EXPECT_THAT(resultFor("block=1 args=in:4", start + "st.bulk.shared::cta [%r1], 264, 0;"),
              HasSubstr("bounds: a store of 8 bytes"));
  EXPECT_THAT(resultFor("block=1 args=in:4", start + "st.bulk.shared::cta [%r1], 12, 0;"),
              HasSubstr("an st.bulk of 12 bytes, which is not a multiple of 8"));
  EXPECT_THAT(resultFor("block=1 args=in:8", start + "st.bulk [%rd0], 8, 0;"),
              HasSubstr("stores to the shared memory of its own block"));
  EXPECT_THAT(resultFor("block=1 args=in:4", start + "st.bulk.shared::cta [%r1], 8, 1;"),
              HasSubstr("0 is expected here"));
  EXPECT_THAT(resultFor("block=2 args=in:4",
                        start + "setp.eq.u32 %p1, %r0, 0;\n@%p1 st.bulk.shared::cta [%r1], 8, 0;\n"
                                "ld.shared.u32 %r20, [m];"),
              HasSubstr("race: a load of 4 bytes"));
}

constexpr const char* kCancel =
    ".shared .align 16 .b8 response[16];\n.shared .align 8 .b64 mb;\n.reg .b128 %x;\n"
    "mov.u32 %r1, 1;\nmbarrier.init.shared.b64 [mb], 1;\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [mb], 16;\n"
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
    "[response], [mb];\n";
constexpr const char* kWait =
    "L: mbarrier.try_wait.shared::cta.b64 %p1, [mb], %rd1;\n@!%p1 bra L;\n";
constexpr const char* kQuery =
    "ld.shared.b128 %x, [response];\n"
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %x;\n"
    "selp.u32 %r20, 1, 2, %p2;\n";

/// The answer comes by the mbarrier, and is there behind its phase only.
TEST(Blackwell, AClusterThatHasNotStartedIsCancelled) {
  const std::string first =
      "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r20, %x;";
  EXPECT_EQ(resultFor("grid=1 block=1 args=in:4", std::string(kCancel) + kWait + kQuery), "2");
  EXPECT_EQ(resultFor("grid=4 block=1 args=in:4", std::string(kCancel) + kWait + kQuery), "1");
  EXPECT_EQ(resultFor("grid=2 block=1 args=in:4", std::string(kCancel) + kWait + kQuery + first),
            "1");
  EXPECT_THAT(resultFor("block=1 args=in:4", std::string(kCancel) + kQuery + kWait),
              HasSubstr("race: a load of 16 bytes"));
  std::string noBytes = std::string(kCancel) + kWait + kQuery;
  noBytes.replace(
      noBytes.find("clusterlaunch"),
      noBytes.find("[mb];\n", noBytes.find("[response]")) + 6 - noBytes.find("clusterlaunch"), "");
  EXPECT_THAT(resultFor("block=1 args=in:4", noBytes),
              HasSubstr("needs 0 of 1 arrivals and 16 bytes"));
  EXPECT_EQ(resultFor("block=1 args=in:4",
                      std::string(kCancel) + kWait + kQuery +
                          "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 "
                          "{%r2, %r3, %r20, _}, %x;\n"
                          "clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r3, %x;"),
            "0");
}

/// Every block of the cluster gets the answer that one has asked for.
TEST(Blackwell, ACancellationForAllOfTheCluster) {
  const std::string statements =
      ".shared .align 16 .b8 response[16];\n.shared .align 8 .b64 mb;\n.reg .b128 %x;\n"
      "mbarrier.init.shared.b64 [mb], 1;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [mb], 16;\n"
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\nmov.u32 %r1, %cluster_ctarank;\n"
      "setp.eq.u32 %p3, %r1, 0;\nmov.u32 %r2, response;\nmov.u32 %r3, mb;\n"
      "@%p3 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes."
      "multicast::cluster::all.b128 [%r2], [%r3];\n" +
      std::string(kWait) + kQuery +
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
      "setp.ne.u32 %p3, %r1, 1;\n@%p3 ret;";
  EXPECT_EQ(resultFor("grid=2 block=1 cluster=2 args=in:4", statements), "2");
  EXPECT_EQ(resultFor("grid=4 block=1 cluster=2 args=in:4", statements), "1");
}

/// A kernel whose blocks take over others' work: each item of the grid is done once, whoever does
/// it, in every order.
TEST(Blackwell, WorkThatIsTakenOverIsDoneOnce) {
  const std::string statements =
      ".shared .align 16 .b8 response[16];\n.shared .align 8 .b64 mb;\n.reg .b128 %x;\n"
      "mbarrier.init.shared.b64 [mb], 1;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\n"
      "mov.u32 %r3, %cluster_ctaid.x;\nmov.u32 %r9, %cluster_ctarank;\n"
      "setp.eq.u32 %p3, %r9, 0;\nmov.u32 %r7, response;\nmov.u32 %r8, mb;\n"
      "Work: mad.lo.u32 %r4, %r2, 6, %r1;\nmul.wide.u32 %rd2, %r4, 4;\n"
      "add.u64 %rd2, %rd2, %rd0;\nred.global.add.u32 [%rd2], 1;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [mb], 16;\n"
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
      "@%p3 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes."
      "multicast::cluster::all.b128 [%r7], [%r8];\n" +
      std::string(kWait) +
      "ld.shared.b128 %x, [response];\n"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %x;\n"
      "@!%p2 bra End;\n"
      "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, _, _}, %x;\n"
      "add.u32 %r1, %r1, %r3;\nbra Work;\nEnd: barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  for (const std::string cluster : {"1", "2"}) {
    std::string text =
        programOf("grid=6 block=1 cluster=" + cluster + " args=in:72", 1, statements);
    text.replace(text.find("sm_90"), 5, "sm_100a");
    std::set<std::uint64_t> blocks;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      LaunchConfig config;
      config.grid[1] = 3;
      config.seed = seed;
      const Outcome outcome = runProgram(text, true, config, "sm_100a");
      ASSERT_EQ(outcome.problem + textOf(outcome), "");
      std::vector<std::uint32_t> done(18);
      std::memcpy(done.data(), outcome.buffers[0].data(), 72);
      EXPECT_EQ(done, std::vector<std::uint32_t>(18, 1)) << "seed " << seed;
      blocks.insert(outcome.counters.blocks);
      EXPECT_LT(outcome.counters.blocks, 18U);
    }
    EXPECT_GT(blocks.size(), 1U);  // a seed refuses now and then
  }
}

}  // namespace
}  // namespace cutwork::sim

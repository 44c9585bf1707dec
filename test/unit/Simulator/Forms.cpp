// Forms.cpp -- which words elementwise instructions, fences and hints have: what ptxas 13.0 takes
// is known, and what it refuses is refused, so that no word is taken and ignored.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "Arithmetic/BitFields.h"
#include "Programs.h"
#include "Statements.h"
#include "Types.h"

namespace cutwork::sim {
namespace {

using testing::HasSubstr;

constexpr const char* kKnown[] = {
    "fence.acquire.cta;",
    "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
    "fence.proxy.tensormap::generic.release.gpu;",
    "fence.proxy.tensormap::generic.acquire.gpu [%d1], 128;",
    "fence.proxy.async.shared::cta;",
    "fence.mbarrier_init.release.cluster;",
    "fence.cta;",
    "membar.proxy.alias;",
    "membar.cta;",
    "prefetch.L1 [%d1];",
    "prefetch.global.L2::evict_last [%d1];",
    "prefetch.local.L1 [l];",
    "prefetch.tensormap [%d1];",
    "prefetch.param.tensormap [%d1];",
    "prefetch.const.tensormap [%d1];",
    "prefetchu.L1 [%d1];",
    "pmevent 3;",
    "pmevent.mask 255;",
    "discard.L2 [%d1], 128;",
    "discard.global.L2 [%d1], 128;",
    "applypriority.L2::evict_normal [%d1], 128;",
    "nanosleep.u32 5;",
    "nanosleep.u32 %r1;",
    "griddepcontrol.wait;",
    "createpolicy.fractional.L2::evict_last.b64 %d1;",
    "createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %d1, 0.5;",
    "createpolicy.range.L2::evict_last.L2::evict_first.b64 %d1, [%d2], 16, 32;",
    "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %d1, [%d2], %r1, %r2;",
    "createpolicy.cvt.L2.b64 %d1, %d2;",
    "createpolicy.fractional.L2::evict_unchanged.b64 %d1, 0.5;",
    "dp4a.u32.s32 %r1, %r2, %r3, %r4;",
    "dp2a.lo.u32.s32 %r1, %r2, %r3, %r4;",
    "mad.hi.sat.s32 %r1, %r2, %r3, %r4;",
    "add.cc.s64 %d1, %d2, %d3;",
    "add.u16x2 %r1, %r2, %r3;",
    "mad24.hi.sat.s32 %r1, %r2, %r3, %r4;",
    "min.NaN.xorsign.abs.f32 %f1, %f2, %f3;",
    "min.relu.s32 %r1, %r2, %r3;",
    "min.relu.s16x2 %r1, %r2, %r3;",
    "min.ftz.NaN.xorsign.abs.f16 %h1, %h2, %h3;",
    "bmsk.clamp.b32 %r1, %r2, %r3;",
    "popc.b32 %r1, %r2;",
    "shr.b32 %r1, %r2, %r3;",
    "ex2.approx.f16 %h1, %h2;",
    "selp.b16 %h1, %h2, %h3, %p1;",
    "slct.f32.f32 %f1, %f2, %f3, %f4;",
    "min.f32 %f1, %f2, %f3, %f4;",
    "min.abs.f32 %f1, %f2, %f3, %f4;",
    "min.ftz.NaN.abs.f32 %f1, %f2, %f3, %f4;",
    "fma.rn.ftz.relu.f16 %h1, %h2, %h3, %h4;",
    "fma.rn.oob.f16 %h1, %h2, %h3, %h4;",
    "fma.rn.oob.relu.bf16x2 %r1, %r2, %r3, %r4;",
    "fma.rn.ftz.relu.f16x2 %r1, %r2, %r3, %r4;",
    "ex2.approx.ftz.bf16 %h1, %h2;",
    "rsqrt.approx.f64 %g1, %g2;",
    "rsqrt.approx.ftz.f64 %g1, %g2;",
    "rcp.approx.ftz.f64 %g1, %g2;",
    "add.rn.bf16x2 %r1, %r2, %r3;",
    "sub.rn.bf16 %h1, %h2, %h3;",
    "abs.ftz.f16x2 %r1, %r2;",
    "neg.ftz.f16 %h1, %h2;",
    "shf.r.clamp.b32 %r1, %r2, %r3, %r4;",
    "xor.pred %p1, %p2, %p3;",
    "cnot.b16 %h1, %h2;",
    "mad.lo.cc.s64 %d1, %d2, %d3, %d4;",
    "madc.lo.cc.u32 %r1, %r2, %r3, %r4;",
    "add.f32x2 %d1, %d2, %d3;",
    "add.rn.ftz.f32x2 %d1, %d2, %d3;",
    "fma.rn.sat.f32.f16 %f1, %h2, %h3, %f4;",
    "szext.clamp.s32 %r1, %r2, %r3;",
    "bfind.shiftamt.u64 %r1, %d2;",
    "mad.rn.sat.ftz.f32 %f1, %f2, %f3, %f4;",
    "mul.rn.sat.ftz.f32 %f1, %f2, %f3;",
    "div.full.ftz.f32 %f1, %f2, %f3;",
    "div.rp.ftz.f32 %f1, %f2, %f3;",
};

constexpr const char* kRefused[] = {
    "setmaxnreg.inc.sync.aligned.u32 64;",
    "setmaxnreg.dec.sync.aligned.u32 40;",
    "fence.foo;",
    "membar.foo;",
    "fence;",
    "membar;",
    "prefetch.L3 [%d1];",
    "griddepcontrol.foo;",
    "griddepcontrol;",
    "pmevent.foo 1;",
    "discard.foo [%d1], 128;",
    "nop.foo;",
    "createpolicy.foo %d1;",
    "isolate;",
    "prefetch.L2::evict_last [%d1];",
    "add.sat.u16x2 %r1, %r2, %r3;",
    "add.sat.s16x2 %r1, %r2, %r3;",
    "add.rn.rz.f32 %f1, %f2, %f3;",
    "prmt %r1, %r2, %r3, %r4;",
    "prmt.b32.f4e.b4e %r1, %r2, %r3, %r4;",
    "cvt.rn.rz.f32.f64 %f1, %g2;",
    "fence.sc;",
    "fence.proxy.async.local;",
    "fence.mbarrier_init.release.gpu;",
    "membar.gpu;",
    "membar.cluster;",
    "prefetch.global.tensormap [%d1];",
    "prefetchu.L2 [%d1];",
    "pmevent 16;",
    "discard.global.L2 [%d1], 64;",
    "discard.global.L1 [%d1], 128;",
    "applypriority.global.L2::evict_last [%d1], 128;",
    "nanosleep %r1;",
    "nop;",
    "createpolicy.fractional.L2::evict_first.L2::evict_last.b64 %d1, 0.5;",
    "dp4a.u32 %r1, %r2, %r3, %r4;",
    "dp4a.b32.b32 %r1, %r2, %r3, %r4;",
    "dp2a.u32.s32 %r1, %r2, %r3, %r4;",
    "mul.lo.u32.f32 %r1, %r2, %r3;",
    "mul.u32 %r1, %r2, %r3;",
    "mul.u16 %h1, %h2, %h3;",
    "mul.lo.hi.u32 %r1, %r2, %r3;",
    "mad.lo.sat.s32 %r1, %r2, %r3, %r4;",
    "mad.hi.sat.u32 %r1, %r2, %r3, %r4;",
    "mad.wide.sat.s32 %d1, %r2, %r3, %d4;",
    "add.sat.u32 %r1, %r2, %r3;",
    "add.sat.s64 %d1, %d2, %d3;",
    "add.sat.s16 %h1, %h2, %h3;",
    "add.sat.cc.s32 %r1, %r2, %r3;",
    "add.cc.u16 %h1, %h2, %h3;",
    "sub.u16x2 %r1, %r2, %r3;",
    "mul.lo.u16x2 %r1, %r2, %r3;",
    "add.b32 %r1, %r2, %r3;",
    "add.u8 %h1, %h2, %h3;",
    "neg.u32 %r1, %r2;",
    "neg.s16x2 %r1, %r2;",
    "abs.u32 %r1, %r2;",
    "mul24.u32 %r1, %r2, %r3;",
    "mul24.lo.s64 %d1, %d2, %d3;",
    "mad24.lo.sat.s32 %r1, %r2, %r3, %r4;",
    "min.abs.f32 %f1, %f2, %f3;",
    "min.xorsign.f32 %f1, %f2, %f3;",
    "min.ftz.f64 %g1, %g2, %g3;",
    "min.NaN.f64 %g1, %g2, %g3;",
    "min.relu.u32 %r1, %r2, %r3;",
    "min.relu.s64 %d1, %d2, %d3;",
    "min.relu.u16x2 %r1, %r2, %r3;",
    "min.ftz.bf16 %h1, %h2, %h3;",
    "min.abs.f16 %h1, %h2, %h3;",
    "min.relu.f32 %f1, %f2, %f3;",
    "szext.u32 %r1, %r2, %r3;",
    "bmsk.b32 %r1, %r2, %r3;",
    "shf.l.b32 %r1, %r2, %r3, %r4;",
    "shf.wrap.b32 %r1, %r2, %r3, %r4;",
    "popc.u32 %r1, %r2;",
    "clz.u64 %r1, %d2;",
    "bfind.b32 %r1, %r2;",
    "brev.u32 %r1, %r2;",
    "bfe.b32 %r1, %r2, %r3, %r4;",
    "bfi.u32 %r1, %r2, %r3, %r4, %r5;",
    "bfi.b16 %h1, %h2, %h3, %r4, %r5;",
    "and.u32 %r1, %r2, %r3;",
    "not.s32 %r1, %r2;",
    "cnot.u32 %r1, %r2;",
    "shl.u32 %r1, %r2, %r3;",
    "sad.b32 %r1, %r2, %r3, %r4;",
    "rem.b32 %r1, %r2, %r3;",
    "div.f32 %f1, %f2, %f3;",
    "div.rn.sat.f32 %f1, %f2, %f3;",
    "div.approx.rn.f32 %f1, %f2, %f3;",
    "rcp.f32 %f1, %f2;",
    "rcp.rn.approx.f32 %f1, %f2;",
    "sin.f32 %f1, %f2;",
    "ex2.f32 %f1, %f2;",
    "tanh.f32 %f1, %f2;",
    "fma.f32 %f1, %f2, %f3, %f4;",
    "mad.f32 %f1, %f2, %f3, %f4;",
    "fma.rn.relu.f32 %f1, %f2, %f3, %f4;",
    "fma.rn.sat.relu.f16 %h1, %h2, %h3, %h4;",
    "add.rz.f16 %h1, %h2, %h3;",
    "add.sat.bf16 %h1, %h2, %h3;",
    "add.ftz.bf16 %h1, %h2, %h3;",
    "add.rn.ftz.f64 %g1, %g2, %g3;",
    "add.rn.sat.f64 %g1, %g2, %g3;",
    "neg.ftz.f64 %g1, %g2;",
    "selp.f16 %h1, %h2, %h3, %p1;",
    "slct.ftz.s32.s32 %r1, %r2, %r3, %r4;",
    "copysign.f16 %h1, %h2, %h3;",
    "add.f32.f32 %f1, %f2, %f3;",
    "add.s32.s32 %r1, %r2, %r3;",
    "rsqrt.rn.f32 %f1, %f2;",
    "sqrt.f64 %g1, %g2;",
    "min.xorsign.abs.f32 %f1, %f2, %f3, %f4;",
    "min.f16 %h1, %h2, %h3, %h4;",
    "fma.rn.oob.ftz.f16 %h1, %h2, %h3, %h4;",
    "fma.rn.oob.relu.ftz.f16 %h1, %h2, %h3, %h4;",
    "ex2.approx.bf16 %h1, %h2;",
    "ex2.approx.ftz.f16 %h1, %h2;",
    "rcp.approx.f64 %g1, %g2;",
    "tanh.approx.ftz.f32 %f1, %f2;",
    "mul.rz.f16 %h1, %h2, %h3;",
    "neg.ftz.bf16 %h1, %h2;",
    "cnot.pred %p1, %p2;",
    "selp.pred %p1, %p2, %p3, %p4;",
    "mad.wide.cc.s32 %d1, %r2, %r3, %d4;",
    "madc.wide.s32 %d1, %r2, %r3, %d4;",
    "mad.lo.cc.u16 %h1, %h2, %h3, %h4;",
    "add.rn.sat.f32x2 %d1, %d2, %d3;",
    "fma.f32x2 %d1, %d2, %d3, %d4;",
    "min.f32x2 %d1, %d2, %d3;",
    "neg.f32x2 %d1, %d2;",
    "mad.rn.f32x2 %d1, %d2, %d3, %d4;",
    "add.ftz.f32.f16 %f1, %h2, %f3;",
};

TEST(Forms, WordsThatGoTogetherAndOthers) {
  const std::vector<std::string> known(std::begin(kKnown), std::end(kKnown));
  const std::vector<std::string> refused(std::begin(kRefused), std::end(kRefused));
  const auto isRefused = [](int code) {
    return code == -1 || code == static_cast<int>(ExitCode::Unsupported);
  };
  std::vector<int> codes = codesOf(known);
  for (std::size_t i = 0; i < codes.size(); ++i) EXPECT_FALSE(isRefused(codes[i])) << known[i];
  codes = codesOf(refused);
  for (std::size_t i = 0; i < codes.size(); ++i) EXPECT_TRUE(isRefused(codes[i])) << refused[i];
}

TEST(Forms, Comparisons) {
  struct Row {
    const char* types;
    const char* comparisons;
    const char* results;  ///< of set
  };
  // As ptxas 13.0 has it.
  const Row rows[] = {
      {" b16 b32 b64 ", " eq ne ", " u32 s32 f16 bf16 f32 "},
      {" u16 u32 u64 ", " eq ne lt le gt ge lo ls hi hs ", " u32 s32 f16 bf16 f32 "},
      {" s16 s32 s64 ", " eq ne lt le gt ge ", " u32 s32 f16 bf16 f32 "},
      {" f32 f64 ", " eq ne lt le gt ge equ neu ltu leu gtu geu num nan ",
       " u32 s32 f16 bf16 f32 "},
      {" f16 ", " eq ne lt le gt ge equ neu ltu leu gtu geu num nan ",
       " u16 u32 s16 s32 f16 bf16 "},
      {" bf16 ", " eq ne lt le gt ge equ neu ltu leu gtu geu num nan ", " u16 u32 s16 s32 bf16 "},
      {" f16x2 ", " eq ne lt le gt ge equ neu ltu leu gtu geu num nan ", " u32 s32 f16x2 "},
      {" bf16x2 ", " eq ne lt le gt ge equ neu ltu leu gtu geu num nan ", " u32 s32 bf16x2 "}};
  const std::string floats = " f32 f16 f16x2 ";
  const auto in = [](const std::string& list, const std::string& word) {
    return list.find(" " + word + " ") != std::string::npos;
  };
  std::vector<std::string> statements;
  std::vector<bool> known;
  const auto add = [&](const std::string& statement, bool is) {
    statements.push_back(statement);
    known.push_back(is);
  };
  for (unsigned i = 0; i < static_cast<unsigned>(Ty::None); ++i) {
    const Ty type = static_cast<Ty>(i);
    const std::string name(spelling(type));
    const Row* row = nullptr;
    for (const Row& one : rows) row = in(one.types, name) ? &one : row;
    const std::string sources = ", " + registerOf(type, "2") + ", " + registerOf(type, "3") + ";";
    for (const std::string word : {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu",
                                   "gtu", "geu", "num", "nan", "lo", "ls", "hi", "hs"}) {
      const bool is = row != nullptr && in(row->comparisons, word);
      add("setp." + word + "." + name + " %p1" + sources, is);
      add("setp." + word + ".ftz." + name + " %p1" + sources, is && in(floats, name));
    }
    for (unsigned k = 0; k < static_cast<unsigned>(Ty::None); ++k) {
      const Ty to = static_cast<Ty>(k);
      const std::string result(spelling(to));
      add("set.eq." + result + "." + name + " " + registerOf(to, "1") + sources,
          row != nullptr && in(row->results, result));
    }
  }
  const std::vector<int> codes = codesOf(statements);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    EXPECT_EQ(codes[i] == static_cast<int>(ExitCode::Unsupported), !known[i]) << statements[i];
    EXPECT_NE(codes[i], -1) << statements[i];
  }
}

/// What a thread stores of %r1 .. %r4 after the statements, of a block of 32; for sm_100a.
std::vector<std::uint32_t> after(const std::string& statements, unsigned thread,
                                 LaunchConfig config = {}) {
  std::string text = programOf(
      "block=32 args=in:512", 1,
      "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\nmov.u32 %r4, 0;\n" + statements +
          "\nmul.wide.u32 %rd9, %r0, 16;\nadd.u64 %rd9, %rd9, %rd0;\n"
          "st.global.v4.u32 [%rd9], {%r1, %r2, %r3, %r4};");
  text.replace(text.find("sm_90"), 5, "sm_100a");
  const Outcome outcome = runProgram(text, true, config, "sm_100a");
  EXPECT_EQ(outcome.problem, "");
  EXPECT_EQ(textOf(outcome), "");
  std::vector<std::uint32_t> words(4);
  if (!outcome.buffers.empty())
    std::memcpy(words.data(), &outcome.buffers[0][std::size_t{thread} * 16], 16);
  return words;
}

TEST(Forms, ExtremesOfThree) {
  struct Case {
    const char* words;
    std::uint32_t min, max;
  };
  // a = -2, b = NaN or 1, c = 3 or -0 or a subnormal number
  const Case plain[] = {{"", 0xc0000000, 0x40400000},
                        {".NaN", 0xc0000000, 0x40400000},
                        {".abs", 0x3f800000, 0x40400000},
                        {".ftz.NaN.abs", 0x3f800000, 0x40400000}};
  const Case withNan[] = {{"", 0xc0000000, 0x40400000},
                          {".NaN", 0x7fffffff, 0x7fffffff},
                          {".abs", 0x40000000, 0x40400000},
                          {".ftz.NaN.abs", 0x7fffffff, 0x7fffffff}};
  const auto both = [](const char* words, const char* b) {
    std::string text = std::string("mov.f32 %f1, 0fc0000000;\nmov.f32 %f2, ") + b +
                       ";\nmov.f32 %f3, 0f40400000;\n";
    for (const char* op : {"min", "max"}) {
      text += std::string(op) + words + ".f32 %f4, %f1, %f2, %f3;\nmov.b32 " +
              (op[1] == 'i' ? "%r1" : "%r2") + ", %f4;\n";
    }
    return after(text, 3);
  };
  for (const Case& one : plain) {
    const auto got = both(one.words, "0f3f800000");
    EXPECT_EQ(got[0], one.min) << one.words;
    EXPECT_EQ(got[1], one.max) << one.words;
  }
  for (const Case& one : withNan) {
    const auto got = both(one.words, "0fff800001");
    EXPECT_EQ(got[0], one.min) << one.words;
    EXPECT_EQ(got[1], one.max) << one.words;
  }
  const std::string tiny =
      "mov.f32 %f1, 0f00000001;\nmov.f32 %f2, 0f80000000;\nmov.f32 %f3, 0f80000001;\n"
      "min.f32 %f4, %f1, %f2, %f3;\nmov.b32 %r1, %f4;\n"
      "min.ftz.f32 %f4, %f1, %f2, %f3;\nmov.b32 %r2, %f4;\n"
      "max.f32 %f4, %f1, %f2, %f3;\nmov.b32 %r3, %f4;\n"
      "max.f32 %f1, %f2, %f3, %f1;\nmov.b32 %r4, %f1;";
  EXPECT_EQ(after(tiny, 0), (std::vector<std::uint32_t>{0x80000001, 0x80000000, 1, 1}));
  const Outcome outcome =
      runProgram(programOf("block=1 args=in:64", 1, "min.f32 %f1, %f2, %f3, %f4;"), true);
  ASSERT_TRUE(outcome.fault.has_value());
  EXPECT_THAT(outcome.fault->message, HasSubstr("it needs sm_100 or later"));
}

TEST(Forms, FindsTheNthBit) {
  constexpr std::uint32_t kMask = 0xaaaaaaaa;
  constexpr std::uint32_t kMissing = 0xffffffff;
  struct Case {
    std::uint32_t mask, base;
    std::int32_t n;
    std::uint32_t place;
  };
  constexpr Case kCases[] = {{kMask, 3, 1, 3},        {kMask, 3, -1, 3},
                             {kMask, 2, 1, 3},        {kMask, 2, -1, 1},
                             {kMask, 3, 0, 3},        {kMask, 2, 0, kMissing},
                             {kMask, 0, 16, 31},      {kMask, 0, 17, kMissing},
                             {kMask, 31, -16, 1},     {kMask, 31, -17, kMissing},
                             {0, 5, 1, kMissing},     {1, 0, -1, 0},
                             {0x80000000, 31, 1, 31}, {kMask, 5, -2147483647 - 1, kMissing},
                             {0xffffffff, 7, 3, 9},   {0xffffffff, 7, -3, 5}};
  for (const Case& one : kCases) {
    EXPECT_EQ(findNth(one.mask, one.base, static_cast<std::uint32_t>(one.n)), one.place)
        << std::hex << one.mask << " " << one.base << " " << one.n;
  }
  const auto got = after(
      "mov.u32 %r5, 0xaaaaaaaa;\nfns.b32 %r1, %r5, %r0, 2;\n"
      "fns.b32 %r2, %r5, %r0, -1;\nfns.b32 %r3, 0xf0, 0, 3;",
      4);
  EXPECT_EQ(got, (std::vector<std::uint32_t>{7, 3, 6, 0}));
}

TEST(Forms, VectorsOfRegistersFillOne) {
  EXPECT_EQ(after(".reg .v2 .u32 %v;\n.reg .b64 %w;\nmov.v2.u32 %v, {3, 4};\nmov.b64 %w, %v;\n"
                  "mov.b64 {%r1, %r2}, %w;\nadd.u64 %w, %w, 1;\nmov.b64 %v, %w;\n"
                  "mov.u32 %r3, %v.x;\nmov.u32 %r4, %v.y;",
                  0),
            (std::vector<std::uint32_t>{3, 4, 4, 4}));
  for (const char* wrong :
       {".reg .v2 .u32 %v;\nmov.b32 %r1, %v;", ".reg .v2 .u32 %v, %w;\nmov.b64 %v, %w;",
        "mov.b64 {%r1, %r2}, {};", ".reg .v4 .u32 %v;\nmov.b64 %rd1, %v;"}) {
    EXPECT_NE(runProgram(programOf("block=1 args=in:4", 1, wrong), true).problem, "") << wrong;
  }
}

TEST(Forms, MovesOfVectors) {
  EXPECT_EQ(after(".reg .v4 .u32 %w;\n.reg .v2 .u32 %v;\nmov.v4.u32 %w, %tid;\n"
                  "mov.u32 %r1, %w.x;\nmov.u32 %r2, %w.w;\nmov.v2.u32 %v, {%r1, 9};\n"
                  "mov.v2.u32 {%r4, %r3}, %v;",
                  7),
            (std::vector<std::uint32_t>{7, 0, 9, 7}));
  // All are read before one is written.
  EXPECT_EQ(after("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.u32 %r3, 3;\nmov.u32 %r4, 4;\n"
                  "mov.v4.b32 {%r1, %r2, %r3, %r4}, {%r4, %r1, %r2, %r3};",
                  0),
            (std::vector<std::uint32_t>{4, 1, 2, 3}));
  EXPECT_EQ(
      after(".reg .v4 .u32 %w;\nmov.v4.u32 %w, %ntid;\nmov.v4.u32 {%r1, %r2, %r3, _}, %w;", 0),
      (std::vector<std::uint32_t>{32, 1, 1, 0}));
  const std::vector<std::string> wrong = {"mov.v4.u16 %w1, %tid;",       "mov.v2.u32 %v1, %tid;",
                                          "mov.v2.u32 %v1, %w1;",        "mov.v4.b64 %w1, %w2;",
                                          "mov.v2.u32 %v1, %r1;",        "mov.v4.u32 %w1, %laneid;",
                                          "mov.v2.pred {%p1, %p2}, %v1;"};
  const std::vector<int> codes = codesOf(wrong);
  for (std::size_t i = 0; i < wrong.size(); ++i) EXPECT_NE(codes[i], 0) << wrong[i];
}

TEST(Forms, SizesOfSharedMemoryAndUnusedRegisters) {
  LaunchConfig config;
  config.dynamicShared = 100;
  EXPECT_EQ(after(".shared .b32 one[25];\nmov.u32 %r1, %total_smem_size;\n"
                  "mov.u32 %r2, %aggr_smem_size;\nmov.u32 %r3, %dynamic_smem_size;\n"
                  "mov.u32 %r4, one;\n",
                  0, config),
            (std::vector<std::uint32_t>{256, 1280, 100, 1024}));
  EXPECT_EQ(after("mov.u32 %r1, %envreg31;\nmov.b32 %r2, %pm7;\nmov.u64 %rd1, %pm0_64;\n"
                  "mov.b64 {%r3, %r4}, %rd1;",
                  0),
            (std::vector<std::uint32_t>{0, 0, 0, 0}));
  for (const int code : codesOf({"mov.u32 %r1, %envreg32;", "mov.u32 %r1, %pm8;",
                                 "mov.u32 %r1, %envreg01;", "mov.u32 %r1, %pm;"})) {
    EXPECT_NE(code, 0);
  }
}

TEST(Forms, AddressesOf32Bits) {
  const std::string text =
      "alloca.u32 %r5, 16;\nst.local.u32 [%r5], %r0;\nstacksave.u32 %r6;\n"
      "alloca.u32 %r7, 32, 256;\nand.b32 %r2, %r7, 255;\nstackrestore.u32 %r6;\n"
      "stacksave.u32 %r8;\nsub.u32 %r3, %r8, %r6;\nld.local.u32 %r1, [%r5];\n"
      "isspacep.global %p1, %r5;\nselp.u32 %r4, 1, 2, %p1;\n";
  EXPECT_EQ(after(text, 5), (std::vector<std::uint32_t>{5, 0, 0, 1}));
}

TEST(Forms, GenericAccessesOf32Bytes) {
  const char* const types[] = {"v8.b32", "v8.u32", "v8.s32", "v8.f32",
                               "v4.b64", "v4.u64", "v4.s64", "v4.f64"};
  for (const std::string type : types) {
    for (const std::string order : {"", ".weak", ".volatile", ".relaxed.gpu"}) {
      std::string registers = "{";
      const bool eight = type[1] == '8';
      const std::string name = type.ends_with("f32")   ? "%f"
                               : type.ends_with("f64") ? "%g"
                               : eight                 ? "%r1"
                                                       : "%rd1";
      for (unsigned i = 0; i < (eight ? 8U : 4U); ++i) {
        registers += (i == 0 ? "" : ", ") + name + std::to_string(i);
      }
      registers += "}";
      std::string text =
          programOf("block=32 args=in:1024,in:1024", 2,
                    ".reg .f64 %g<4>;\nmul.wide.u32 %rd2, %r0, 32;\nadd.u64 %rd3, %rd2, %rd0;\n"
                    "add.u64 %rd4, %rd2, %rd1;\nst.global.u32 [%rd3+4], %r0;\n"
                    "st.global.u32 [%rd3+28], 77;\nld" +
                        order + "." + type + " " + registers + ", [%rd3];\nst" + order + "." +
                        type + " [%rd4], " + registers + ";");
      text.replace(text.find("sm_90"), 5, "sm_100a");
      for (const bool checked : {true, false}) {
        const Outcome outcome = runProgram(text, checked, {}, "sm_100a");
        EXPECT_EQ(outcome.problem, "") << type << order;
        EXPECT_EQ(textOf(outcome), "") << type << order;
        ASSERT_EQ(outcome.buffers.size(), 2U);
        std::uint32_t words[8];
        std::memcpy(words, &outcome.buffers[1][std::size_t{31} * 32], 32);
        EXPECT_EQ(words[1], 31U) << type << order;
        EXPECT_EQ(words[7], 77U) << type << order;
      }
    }
  }
  const std::vector<std::string> wrong = {"ld.shared.v4.b64 {%d1, %d2, %d3, %d4}, [%r1];",
                                          "ld.local.v4.b64 {%d1, %d2, %d3, %d4}, [%d5];",
                                          "st.shared.v4.b64 [%r1], {%d1, %d2, %d3, %d4};"};
  const std::vector<int> codes = codesOf(wrong);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    EXPECT_EQ(codes[i], static_cast<int>(ExitCode::Unsupported)) << wrong[i];
  }
}

}  // namespace
}  // namespace cutwork::sim

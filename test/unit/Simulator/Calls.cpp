// Calls.cpp -- calls: what is passed how, and the functions that the driver has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "Programs.h"

namespace cutwork::sim {
namespace {

using testing::HasSubstr;

constexpr const char* kCallees =
    ".func (.param .b32 out) plus(.param .b32 a, .param .b32 b)\n{\n.reg .b32 %x, %y;\n"
    "ld.param.b32 %x, [a];\nld.param.b32 %y, [b];\nadd.s32 %x, %x, %y;\nst.param.b32 [out], %x;\n"
    "ret;\n}\n.func (.reg .b32 out) twice(.reg .b32 a)\n{\nadd.s32 out, a, a;\nret;\n}\n"
    ".func last(.param .u32 n, .param .align 8 .b8 rest[])\n{\nret;\n}";

TEST(Calls, AParamVariableIsReadForARegister) {
  EXPECT_EQ(
      resultOf("{ .param .b32 a;\nst.param.b32 [a], 21;\ncall (%r9), twice, (a); }", kCallees),
      "42");
  EXPECT_EQ(resultOf("mov.u32 %r1, 4;\ncall (%r9), twice, (%r1);", kCallees), "8");
}

/// A register or a constant for a .param parameter, and a register for its result, as in PTX that
/// people write.
TEST(Calls, ValuesForParamParameters) {
  const std::string one = "mov.u32 %r1, 4;\nmov.u32 %r9, 3;\n";
  EXPECT_EQ(resultOf(one + "call (%r9), plus, (%r1, 5);", kCallees), "9");
  EXPECT_EQ(resultOf(one + "call (%r9), plus, (-7, %r1);", kCallees), "4294967293");
  EXPECT_EQ(resultOf(one + "{ .param .b32 a;\nst.param.b32 [a], 6;\ncall (%r9), plus, (a, %r1); }",
                     kCallees),
            "10");
  EXPECT_EQ(resultOf(one + "call (_), plus, (%r1, 5);", kCallees), "3");
  EXPECT_EQ(resultOf(one + "setp.eq.u32 %p1, %r1, 4;\n@%p1 call (%r9), plus, (%r1, 5);\n"
                           "@!%p1 call (%r9), plus, (%r1, 6);",
                     kCallees),
            "9");
  EXPECT_EQ(resultOf(one + "{ .param .b32 r;\ncall (r), twice, (%r1);\nld.param.b32 %r9, [r]; }",
                     kCallees),
            "8");
  EXPECT_EQ(resultOf("mov.b16 %h1, -2;\ncall (%h2), half, (%h1, 1.5);\ncvt.u32.u16 %r9, %h2;",
                     ".func (.param .b16 r) half(.param .b16 a, .param .f64 b)\n{\n.reg .b16 %h;\n"
                     "ld.param.b16 %h, [a];\nst.param.b16 [r], %h;\nret;\n}"),
            "65534");
}

/// Rows of the caller are saved where a function calls itself; what waits in its frame is too.
TEST(Calls, ValuesOfRecursiveCalls) {
  EXPECT_EQ(resultOf("call (%r9), sum, (10);",
                     ".func (.param .b32 r) sum(.param .b32 n)\n{\n.reg .b32 %n, %m, %s;\n"
                     ".reg .pred %p;\nld.param.b32 %n, [n];\nmov.b32 %s, 0;\n"
                     "setp.eq.u32 %p, %n, 0;\n@%p bra E;\nsub.u32 %m, %n, 1;\n"
                     "call (%s), sum, (%m);\nadd.u32 %s, %s, %n;\nE: st.param.b32 [r], %s;\n"
                     "ret;\n}"),
            "55");
}

TEST(Calls, ThroughAPointerByThePrototype) {
  const std::string head = std::string(kCallees) + "\n";
  const std::string one = "mov.u32 %r1, 4;\n";
  EXPECT_EQ(resultOf(one + "P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n"
                           "mov.u64 %rd3, plus;\ncall (%r9), %rd3, (%r1, 5), P;",
                     head),
            "9");
  EXPECT_EQ(resultOf(one + "P: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
                           "mov.u64 %rd3, twice;\ncall (%r9), %rd3, (%r1), P;",
                     head),
            "8");
  EXPECT_EQ(resultOf(one + "T: .calltargets twice;\nmov.u64 %rd3, twice;\n"
                           "call (%r9), %rd3, (%r1), T;",
                     head),
            "8");
  EXPECT_THAT(resultOf(one + "mov.u64 %rd3, twice;\ncall (%r9), %rd3, (%r1);", head),
              HasSubstr("needs the label of a .callprototype"));
}

TEST(Calls, WhatDoesNotFitIsRefused) {
  const std::string one = "mov.u32 %r1, 4;\nmov.u64 %rd3, 4;\n";
  EXPECT_THAT(resultOf(one + "call (%r9), plus, (%r1);", kCallees),
              HasSubstr("plus has 2 parameters, and the call has 1"));
  EXPECT_THAT(resultOf(one + "call plus, (%r1, 5);", kCallees),
              HasSubstr("plus has 1 result, and the call has 0"));
  EXPECT_THAT(resultOf(one + "call (%r9), plus, (%r1, %rd3);", kCallees),
              HasSubstr("%rd3 is a register of type .b64, and .b32 is expected"));
  EXPECT_THAT(
      resultOf("{ .param .b64 a;\nst.param.b64 [a], 1;\ncall (%r9), plus, (a, 1); }", kCallees),
      HasSubstr("a has 8 bytes, and the function's argument has 4"));
  EXPECT_THAT(resultOf("call (%r9), plus, (k, 1);", kCallees),
              HasSubstr("the argument a is a .param variable, a register or a constant"));
}

TEST(Calls, WhatIsNotKnownSaysSo) {
  EXPECT_THAT(resultOf("{ .param .u32 n;\n.param .align 8 .b8 m[8];\nst.param.u32 [n], 1;\n"
                       "call last, (n, m); }",
                       kCallees),
              HasSubstr("instruction not known here"));
  EXPECT_THAT(resultOf("mov.u64 %rd3, plus;\nmov.u64 %rd3, outside;",
                       std::string(kCallees) + ".extern .func outside();"),
              HasSubstr("outside has no body in this module"));
}

constexpr const char* kHeap =
    ".extern .func (.param .b64 r) malloc (.param .b64 a);\n.extern .func free (.param .b64 a);";

/// CUDA's limit of 8 MiB, and null behind it; what was freed can be had again.
TEST(Heap, EndsWhereCudasDoes) {
  const std::string large = "call (%rd3), malloc, (0x500000);\n";
  EXPECT_EQ(resultOf(large + large + "min.u64 %rd3, %rd3, 7;\ncvt.u32.u64 %r9, %rd3;", kHeap), "0");
  EXPECT_EQ(resultOf(large + "call free, (%rd3);\n" + large +
                         "min.u64 %rd3, %rd3, 7;\ncvt.u32.u64 %r9, %rd3;",
                     kHeap),
            "7");
  EXPECT_EQ(
      resultOf("call (%rd3), malloc, (-1);\ncvt.u32.u64 %r9, %rd3;\ncall free, (%rd3);", kHeap),
      "0");
  // Sixteen bytes each: 524,288 places.
  EXPECT_EQ(resultOf("mov.u32 %r9, 0;\nL: call (%rd3), malloc, (9);\nsetp.ne.u64 %p1, %rd3, 0;\n"
                     "@%p1 add.u32 %r9, %r9, 1;\n@%p1 bra L;",
                     kHeap),
            "524288");
}

/// A place goes from one owner to the next without a race between them.
TEST(Heap, PlacesAreUsedAgain) {
  EXPECT_EQ(resultOf("mov.u32 %r1, 0;\nL: call (%rd3), malloc, (0x200000);\n"
                     "st.global.u32 [%rd3+0x1ffff0], %r1;\nld.global.u32 %r9, [%rd3+0x1ffff0];\n"
                     "call free, (%rd3);\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 100;\n"
                     "@%p1 bra L;",
                     kHeap),
            "99");
  const Outcome blocks = runProgram(
      programOf("grid=64 block=32 args=in:8", 1,
                "call (%rd3), malloc, (0x4000);\nst.global.u32 [%rd3], %r0;\ncall free, (%rd3);",
                kHeap),
      true);
  EXPECT_EQ(textOf(blocks) + blocks.problem, "");
}

/// assert() of C: `@%p` behind the condition, as compilers emit it.
TEST(Calls, AFailedAssertionSaysWhere) {
  const std::string head =
      ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
      ".param .b64 e);\n.global .align 1 .b8 what[6] = {110, 32, 60, 32, 49, 0};\n"
      ".global .align 1 .b8 file[5] = {107, 46, 99, 117, 0};\n"
      ".global .align 1 .b8 function[2] = {107, 0};";
  const std::string call =
      "mov.u64 %rd3, what;\nmov.u64 %rd4, file;\nmov.u64 %rd5, function;\n"
      "cvta.global.u64 %rd3, %rd3;\ncvta.global.u64 %rd4, %rd4;\ncvta.global.u64 %rd5, %rd5;\n"
      "{ .param .b64 a;\nst.param.b64 [a], %rd3;\n.param .b64 b;\nst.param.b64 [b], %rd4;\n"
      ".param .b32 c;\nst.param.b32 [c], 17;\n.param .b64 d;\nst.param.b64 [d], %rd5;\n"
      ".param .b64 e;\nst.param.b64 [e], 1;\ncall.uni __assertfail, (a, b, c, d, e); }\n";
  EXPECT_THAT(resultOf(call, head),
              HasSubstr("trap: the assertion 'n < 1' failed at k.cu:17, in k"));
  EXPECT_EQ(resultOf("mov.u32 %r9, 5;\nsetp.eq.u32 %p1, %r9, 5;\n@%p1 bra OK;\n" + call +
                         "OK: mov.u32 %r9, 6;",
                     head),
            "6");
}

}  // namespace
}  // namespace cutwork::sim

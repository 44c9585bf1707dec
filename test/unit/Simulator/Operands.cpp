// Operands.cpp -- forms of operands, calls and directives: what they give, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "Programs.h"

namespace cutwork::sim {
namespace {

using testing::HasSubstr;

/// What thread 0 leaves in %r9, with `head` before the kernel.
std::string resultOf(const std::string& statements, const std::string& head = {}) {
  const Outcome outcome = runProgram(
      programOf("block=1 args=in:8", 1, statements + "\nst.global.u32 [%rd0], %r9;\nret;", head),
      true);
  if (!outcome.problem.empty()) return outcome.problem;
  if (outcome.fault) return outcome.fault->text;
  std::uint32_t value = 0;
  std::memcpy(&value, outcome.buffers.at(0).data(), sizeof value);
  return std::to_string(value);
}

constexpr const char* kTable = ".global .align 4 .u32 table[8] = {10, 11, 12, 13, 14, 15, 16, 17};";

TEST(Operands, OffsetsAreExpressions) {
  for (const char* address :
       {"table+4*3", "table+(4*3)", "table + 24/2", "table+4*2+4", "table+16-4", "table+2*2*4-4",
        "table+4*(1+2)", "table+3*4.unified"}) {
    std::string text = address;
    const std::size_t mark = text.find(".unified");
    const std::string suffix = mark == std::string::npos ? "" : ".unified";
    text = text.substr(0, mark);
    EXPECT_EQ(resultOf("ld.global.u32 %r9, [" + text + "]" + suffix + ";", kTable), "13")
        << address;
  }
  EXPECT_EQ(resultOf("mov.u64 %rd3, table;\nld.global.u32 %r9, [%rd3 + 2*8];", kTable), "14");
  EXPECT_EQ(resultOf("mov.u64 %rd3, table+4*2;\nld.global.u32 %r9, [%rd3];", kTable), "12");
}

TEST(Operands, RegistersHaveNoSignAndNoOffset) {
  const std::string one = "mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.f32 %f1, 0f3f800000;\n";
  for (const char* statement :
       {"add.s32 %r9, -%r1, %r2;", "mov.u32 %r9, -%r1;", "add.s32 %r9, %r1, -%r2;",
        "mad.lo.s32 %r9, %r1, !%r2, %r1;", "mov.u32 %r9, -%tid.x;"}) {
    EXPECT_THAT(resultOf(one + statement), HasSubstr("only constants and predicates have one"))
        << statement;
  }
  for (const char* statement :
       {"mov.u32 %r9, %r1+4;", "add.s32 %r9, %r1+4, %r2;", "mov.u32 %r9, %clock+4;"}) {
    EXPECT_THAT(resultOf(one + statement), HasSubstr("an offset belongs into an address"))
        << statement;
  }
  for (const char* statement : {"mov.u32 %r9, 1.5;", "add.s32 %r9, %r1, 2.0;"}) {
    EXPECT_THAT(resultOf(one + statement), HasSubstr("is no constant of type ")) << statement;
  }
  EXPECT_EQ(resultOf("mov.s32 %r9, -3;\nadd.s32 %r9, %r9, +5;"), "2");
  EXPECT_EQ(resultOf("mov.b32 %r9, 0f3f800000;"), "1065353216");
}

TEST(Operands, ClocksAreSourcesOfAnyInstruction) {
  for (const char* statement :
       {"cvt.u64.u32 %rd3, %clock;", "cvt.u32.u64 %r9, %globaltimer;", "add.u64 %rd3, %clock64, 1;",
        "cvt.u32.u64 %r9, %clock64;", "add.u32 %r9, %clock, %clock_hi;"}) {
    EXPECT_EQ(resultOf(std::string(statement) + "\nmov.u32 %r9, 3;"), "3") << statement;
  }
  // They go on.
  EXPECT_EQ(resultOf("mov.u32 %r1, %clock;\nsub.u32 %r9, %clock, %r1;\nmin.u32 %r9, %r9, 1;"), "1");
}

TEST(Operands, DirectivesOfKernelsAndBodies) {
  const std::string text =
      ".version 8.8\n.target sm_90\n.address_size 64\n.pragma \"a\", \"b\";\n"
      ".visible .entry k(.param .u64 x) .maxntid 32 .pragma \"nounroll\" .local_maxnreg 24\n"
      "{\n.pragma \"a\", \"b\";\nret;\n}\n";
  EXPECT_EQ(runProgram("// -\n// launch: block=1 args=in:4\n" + text, true).problem, "");
}

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

TEST(Calls, WhatIsNotKnownSaysSo) {
  EXPECT_THAT(resultOf("mov.u32 %r1, 4;\ncall (%r9), plus, (%r1, 5);", kCallees),
              HasSubstr("instruction not known here"));
  EXPECT_THAT(resultOf("{ .param .b32 r;\nmov.u32 %r1, 4;\ncall (r), twice, (%r1); }", kCallees),
              HasSubstr("instruction not known here"));
  EXPECT_THAT(resultOf("{ .param .u32 n;\n.param .align 8 .b8 m[8];\nst.param.u32 [n], 1;\n"
                       "call last, (n, m); }",
                       kCallees),
              HasSubstr("instruction not known here"));
  EXPECT_THAT(resultOf("mov.u64 %rd3, outside;", ".local .align 4 .b8 outside[64];"),
              HasSubstr("outside is a variable outside of functions"));
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

// Operands.cpp -- forms of operands and directives: what they give, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "Programs.h"

namespace cutwork::sim {
namespace {

using testing::HasSubstr;

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

TEST(Operands, SpecialRegistersAreReadByMov) {
  for (const char* statement :
       {"cvt.u64.u32 %rd3, %clock;", "cvt.u32.u64 %r9, %globaltimer;", "mov.u64 %rd3, %clock64;",
        "mov.b64 {%r1, %r2}, %globaltimer;", "mov.u16 %h1, %tid.x;", "mov.s32 %r1, %laneid;",
        "mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid;", "st.global.v2.u32 [%rd0], {%tid.x, %tid.y};"}) {
    EXPECT_EQ(resultOf(std::string(statement) + "\nmov.u32 %r9, 3;"), "3") << statement;
  }
  for (const char* statement :
       {"add.u64 %rd3, %clock64, 1;", "add.u32 %r9, %tid.x, 1;", "cvt.rn.f32.u32 %f1, %tid.x;",
        "st.global.u32 [%rd0], %laneid;", "setp.eq.u32 %p1, %tid.x, 0;",
        "and.pred %p1, %is_explicit_cluster, %p1;", "shl.b32 %r9, %laneid, 2;"}) {
    EXPECT_THAT(resultOf(statement), HasSubstr("is a special register: mov reads it")) << statement;
  }
  EXPECT_THAT(resultOf("mov.u64 %rd3, %tid.x;"),
              HasSubstr("%tid is of .u32, and .u64 is expected"));
  EXPECT_THAT(resultOf("mov.u32 %r9, %clock64;"),
              HasSubstr("%clock64 is of .u64, and .u32 is expected"));
  // They go on.
  EXPECT_EQ(resultOf("mov.u32 %r1, %clock;\nmov.u32 %r2, %clock;\nsub.u32 %r9, %r2, %r1;\n"
                     "min.u32 %r9, %r9, 1;"),
            "1");
}

TEST(Operands, RegistersAreOfTheInstructionsType) {
  const std::string declare =
      "{ .reg .s32 %i<3>;\n.reg .f32 %g<3>;\n.reg .f64 %e;\n.reg .u16 %w;\n.reg .f16 %q;\n"
      "mov.s32 %i0, 1;\nmov.f32 %g0, 1.0;\nmov.u16 %w, 1;\nmov.b16 %q, 0;\n";
  for (const char* statement :
       {"add.u32 %i1, %i0, %i0;", "and.b32 %r1, %g0, %i0;", "mov.b32 %g1, %i0;",
        "ld.global.b32 %g1, [%rd0];", "ld.global.b16 %i1, [%rd0];", "add.f32 %g1, %r1, %g0;",
        "shfl.sync.idx.b32 %g1, %g0, 0, 31, 1;", "ld.global.f32 %rd1, [%rd0];"}) {
    EXPECT_EQ(resultOf(declare + "mov.u32 %r1, 0;\n" + statement + " }\nmov.u32 %r9, 3;"), "3")
        << statement;
  }
  for (const char* statement :
       {"add.s32 %i1, %g0, %g0;", "add.f32 %i1, %g0, %g0;", "mov.u32 %g1, %i0;",
        "setp.lt.f32 %p1, %i0, %i0;", "ld.global.u32 %g1, [%rd0];", "st.global.f32 [%rd0], %i0;",
        "cvt.rn.f32.s32 %i1, %i0;", "shl.b32 %i1, %i0, %g0;",
        "atom.global.add.u32 %g1, [%rd0], %i0;", "add.f16 %h1, %w, %w;", "add.bf16 %h1, %q, %q;",
        "ld.global.f32 %e, [%rd0];"}) {
    EXPECT_THAT(resultOf(declare + statement + " }"), HasSubstr("is expected")) << statement;
  }
}

TEST(Operands, ConstantsAreOfTheInstructionsType) {
  for (const char* statement :
       {"mov.b32 %r1, 0f3f800000;", "mov.b64 %rd1, 1.5;", "add.f32 %f1, %f2, 0d3ff0000000000000;",
        "and.b32 %r1, %r0, 0f3f800000;", "st.global.b32 [%rd0], 0f3f800000;", "mov.b16 %h1, 7;"}) {
    EXPECT_EQ(resultOf("mov.f32 %f2, 1.0;\n" + std::string(statement) + "\nmov.u32 %r9, 3;"), "3")
        << statement;
  }
  for (const char* statement :
       {"mov.f32 %f1, 5;", "add.u32 %r9, %r1, 0f3f800000;", "mov.b32 %r9, 1.5;",
        "mov.b32 %r9, 0d3ff0000000000000;", "mov.u64 %rd3, 0f3f800000;",
        "add.f16 %h1, %h2, 0x3c00;", "add.f16x2 %r9, %r1, 1.0;", "st.global.f32 [%rd0], 5;",
        "add.u16x2 %r9, %r1, 5;"}) {
    EXPECT_THAT(resultOf(statement), HasSubstr("is no constant of type ")) << statement;
  }
}

TEST(Operands, WhereAddressesStand) {
  const std::string head = std::string(kTable) + "\n.const .u32 c = 1;";
  EXPECT_EQ(resultOf("ld.global.u32 %r9, table[2];", head), "12");
  for (const char* statement : {"ld.global.u32 %r9, table;", "ld.global.u32 %r9, [table[2]];",
                                "st.global.u32 table+4, 5;", "prefetch.L1 %rd0;"}) {
    EXPECT_THAT(resultOf(statement, head), HasSubstr("an address is expected")) << statement;
  }
  EXPECT_THAT(resultOf("ld.const.u32 %r9, [table];", head),
              HasSubstr("table is in .global memory, and the access is not"));
  EXPECT_THAT(resultOf("ld.global.u32 %r9, [c];", head), HasSubstr("c is in .const memory"));
  EXPECT_THAT(resultOf("ld.global.u32 %r9, [%rd0-4];", head),
              HasSubstr("expected '+' and an offset"));
  for (const char* statement : {"add.u64 %rd3, %rd0, table;", "st.global.u64 [%rd0], table;"}) {
    EXPECT_THAT(resultOf(statement, head), HasSubstr("table is a variable: mov gives its address"))
        << statement;
  }
  for (const char* statement :
       {"add.u32 _, %r0, %r1;", "mov.u32 _, %r0;", "shfl.sync.up.b32 _|%p1, %r0, 1, 31, -1;"}) {
    EXPECT_THAT(resultOf(statement), HasSubstr("cannot be thrown away")) << statement;
  }
}

TEST(Operands, AddressesMayBeNumbers) {
  // Shared memory has its first variable at 1024; 0x7a... are generic addresses of it.
  const std::string head = ".shared .align 16 .b32 s[8];";
  const std::string set = "mov.u32 %r1, 7;\nst.shared.u32 [s+4], %r1;\n";
  EXPECT_EQ(resultOf(set + "ld.shared.u32 %r9, [1028];", head), "7");
  EXPECT_EQ(resultOf(set + "ld.shared.u32 %r9, [1024+4];", head), "7");
  EXPECT_EQ(resultOf(set + "ld.shared::cta.u32 %r9, [0x404];", head), "7");
  EXPECT_EQ(resultOf(set + "ld.u32 %r9, [0x7a0000000404];", head), "7");
  EXPECT_EQ(resultOf("st.shared.u32 [1028], 5;\nld.shared.u32 %r9, [s+4];", head), "5");
  EXPECT_EQ(resultOf(set + "atom.shared.add.u32 %r8, [1028], 2;\nld.shared.u32 %r9, [s+4];", head),
            "9");
  EXPECT_EQ(resultOf("mbarrier.init.shared.b64 [1024], 1;\n"
                     "mbarrier.arrive.shared.b64 %rd3, [1024];\n"
                     "mbarrier.test_wait.shared.b64 %p0, [s], %rd3;\nselp.u32 %r9, 1, 0, %p0;",
                     head),
            "1");
  EXPECT_EQ(resultOf(".local .b32 l[2];\nst.local.u32 [0], 6;\nld.local.u32 %r9, [0];"), "6");
}

TEST(Operands, NumbersAreAddressesWithinBounds) {
  const std::string head = ".shared .align 16 .b32 s[8];\n.const .u32 c = 1;";
  const std::string use = "ld.shared.u32 %r8, [s];\n";
  for (const char* statement :
       {"st.global.u32 [0], %r0;", "ld.global.u32 %r9, [0];", "st.u32 [0], %r0;",
        "ld.u32 %r9, [0];", "ld.const.u32 %r9, [0];", "atom.global.add.u32 %r9, [0], 1;",
        "red.add.u32 [0], 1;", "ld.shared.u32 %r9, [1056];", "st.shared.u32 [-4], %r0;",
        "ld.global.u32 %r9, [-4];", "ld.local.u32 %r9, [4096];"}) {
    for (const bool checked : {true, false}) {
      const Outcome outcome =
          runProgram(programOf("block=32 args=in:8", 1, use + statement, head), checked);
      EXPECT_EQ(outcome.problem, "") << statement;
      EXPECT_EQ(outcome.fault ? outcome.fault->code : ExitCode::Done, ExitCode::Bounds)
          << statement << checked << textOf(outcome);
    }
  }
  // What lies before the first variable is memory, and nobody's.
  EXPECT_THAT(resultOf(use + "ld.shared.u32 %r9, [0];", head), HasSubstr("bounds: "));
  EXPECT_THAT(resultOf("st.global.u32 [0], 1;"), HasSubstr("a null pointer, or nearly"));
  EXPECT_THAT(resultOf("ld.global.u32 %r9, [2];"), HasSubstr("alignment: "));
  for (const char* statement : {"ld.param.u32 %r9, [0];", "st.param.u32 [0], 1;"}) {
    EXPECT_THAT(resultOf(statement), HasSubstr("an address in .param memory is that of"));
  }
}

/// Variables of a body: of the scope that declares them; in global and constant memory one for all
/// threads, with its initial value.
TEST(Operands, VariablesOfBodies) {
  EXPECT_EQ(resultOf("{ .global .u32 g[2] = {5, 6};\nld.global.u32 %r1, [g+4];\n"
                     "ld.global.u32 %r2, g[1];\nadd.u32 %r9, %r1, %r2; }"),
            "12");
  EXPECT_EQ(resultOf("{ .const .align 8 .u32 g = 7;\n{ .const .u32 g = 8;\n"
                     "ld.const.u32 %r1, [g]; }\nld.const.u32 %r2, [g];\n"
                     "mad.lo.u32 %r9, %r1, 10, %r2; }"),
            "87");
  EXPECT_EQ(resultOf("{ .shared .u32 s;\n.local .u32 l;\nst.shared.u32 [s], 1;\n"
                     "st.local.u32 [l], 2;\n{ .shared .u32 s;\n.local .u32 l;\n"
                     "st.shared.u32 [s], 3;\nst.local.u32 [l], 4; }\nld.shared.u32 %r1, [s];\n"
                     "ld.local.u32 %r2, [l];\nmad.lo.u32 %r9, %r1, 10, %r2; }"),
            "12");
  EXPECT_THAT(resultOf("{ .global .u32 g;\nmov.u64 %rd3, g;\nst.global.u32 [%rd3+4], 1; }"),
              HasSubstr("just after the end of variable g (4 bytes"));
  EXPECT_THAT(resultOf("{ .shared .u32 s[]; }"), HasSubstr("s has no size"));
  EXPECT_THAT(resultOf("{ .visible .global .u32 g; }"), HasSubstr("expected a declaration"));
}

/// Textures, surfaces and samplers can be declared; whoever uses them is told.
TEST(Operands, ReferencesOfTextures) {
  const std::string head =
      ".global .texref t;\n.global .surfref s[2];\n"
      ".global .samplerref f = {addr_mode_0 = clamp_to_border, filter_mode = linear};\n"
      ".entry other(.param .texref a, .param .u64 .ptr .surfref b) { ret; }";
  EXPECT_EQ(resultOf("mov.u32 %r9, 4;", head), "4");
  EXPECT_THAT(resultOf("mov.u64 %rd3, t;", head),
              HasSubstr("instruction not known here: mov.u64 %rd3, t; (t is a .texref)"));
  EXPECT_THAT(resultOf("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1}];", head),
              HasSubstr("instruction not known here: tex.1d"));
  EXPECT_THAT(resultOf("mov.u32 %r9, 4;", head + "\n.global .u64 p = t;"),
              HasSubstr("the address of t, a .texref, is not known here"));
  EXPECT_THAT(resultOf("{ .global .texref t; }"), HasSubstr("is declared outside of functions"));
  EXPECT_THAT(resultOf("", ".shared .texref t;"), HasSubstr("a .texref is a .global variable"));
}

TEST(Operands, WhatALinkRefuses) {
  EXPECT_THAT(resultOf("", ".alias a, b;"), HasSubstr(".alias a, b: a is not declared"));
  EXPECT_THAT(resultOf("", ".const .b8 z[70000];"), HasSubstr("70000 bytes of .const variables"));
  EXPECT_THAT(resultOf("", ".entry e(.param .b8 b[40000]) { ret; }"),
              HasSubstr("40000 bytes of parameters of e"));
  EXPECT_THAT(resultOf("", ".func f(.param .b8 b[1000000]) { ret; }"),
              HasSubstr("1000000 bytes of parameters of f; there can be 524288"));
  EXPECT_THAT(resultOf("{ .reg .b32 q;\n.reg .f32 q; }"), HasSubstr("q is declared twice"));
  EXPECT_EQ(resultOf("{ .reg .pred %z;\n.reg .pred %z<4>; }\nmov.u32 %r9, 3;"), "3");
  EXPECT_THAT(resultOf("T: .branchtargets A;\nA: brx.idx 0, T;"),
              HasSubstr("the index of brx is a register"));
}

TEST(Operands, DirectivesOfKernelsAndBodies) {
  const std::string text =
      ".version 8.8\n.target sm_90\n.address_size 64\n.pragma \"a\", \"b\";\n"
      ".visible .entry k(.param .u64 x) .maxntid 32 .pragma \"nounroll\" .local_maxnreg 24\n"
      "{\n.pragma \"a\", \"b\";\nret;\n}\n";
  EXPECT_EQ(runProgram("// -\n// launch: block=1 args=in:4\n" + text, true).problem, "");
}

}  // namespace
}  // namespace cutwork::sim

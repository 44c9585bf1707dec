// Reader.cpp -- reading PTX: text that is printed and read again is the same; what is no PTX is
// refused.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "Reader/Parser.h"

namespace cutwork::sim {
namespace {

std::string module(const std::string& rest) {
  return ".version 8.4\n.target sm_90\n.address_size 64\n" + rest;
}
std::string kernel(const std::string& body) { return module(".entry k()\n{\n" + body + "\n}\n"); }

/// Printing what was read, and reading that again, prints the same.
void roundTrip(const std::string& text) {
  const auto once = readModule(text, "a.ptx");
  ASSERT_TRUE(once.ok()) << once.error().text();
  const std::string printed = printModule(*once);
  const auto again = readModule(printed, "b.ptx");
  ASSERT_TRUE(again.ok()) << again.error().text() << "\n" << printed;
  EXPECT_EQ(printModule(*again), printed);
}

std::string problemOf(const std::string& text) {
  const auto read = readModule(text, "a.ptx");
  return read.ok() ? "" : read.error().text();
}

TEST(Reader, RoundTrips) {
  roundTrip(
      module(".global .align 8 .u64 t[2][3] = {{1, 2, 3}, {4, 0x5U, -6}};\n"
             ".const .f32 c[2] = {0f3F800000, 1.5e-3};\n"
             ".extern .shared .align 16 .b8 dyn[];\n"
             ".global .u64 p = generic(t)+8;\n.global .u8 m[2] = {0xFF(t), 0xFF00(513)};\n"));
  roundTrip(
      module(".func (.param .b32 r) f(.param .align 8 .b8 s[16], .reg .f32 x)\n{\n"
             "    .reg .v4 .b32 %v;\n    .local .align 4 .b8 m[8];\n"
             "    ld.local.v4.b32 %v, [m+-4];\n    mov.b32 %v.x, %v.w;\n    ret;\n}\n"
             ".visible .entry k(.param .u64 .ptr .global .align 16 p) .maxntid 64, 1, 1\n{\n"
             "    .reg .pred %p<3>;\n    .reg .b32 %r<9>;\n"
             "    setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p0;\n"
             "    @!%p1 bra L;\n    { .reg .b32 %r1; mov.u32 %r1, (1 << 3) | 2; }\n"
             "    T: .branchtargets L, N<3>;\n    brx.idx %r0, T;\n"
             "L:\nN0:\nN1:\nN2:\n    call (%r1), f, (p, 7);\n    ret;\n}\n"));
}

TEST(Reader, PrintsStatementsAsTheyAreWritten) {
  const auto read = readModule(kernel(".reg .b64 %a<2>; .reg .pred %p;\n"
                                      "@!%p ld.global.v2.u32 {%a0, _}, [%a1+8];"),
                               "a.ptx");
  ASSERT_TRUE(read.ok()) << read.error().text();
  const Function& function = read->functions[0];
  EXPECT_EQ(printStatement(function, function.body.back()),
            "@!%p ld.global.v2.u32 {%a0, _}, [%a1+8];");
}

TEST(Reader, ConstantExpressions) {
  const auto valueOf = [](const std::string& text) {
    const auto read = readModule(module(".global .u64 x = " + text + ";\n"), "a.ptx");
    return read.ok() ? static_cast<std::int64_t>(read->variables[0].initial[0].value.integer)
                     : -999;
  };
  EXPECT_EQ(valueOf("1 + 2 * 3"), 7);
  EXPECT_EQ(valueOf("(1 << 3) | 0x2d & ~7"), 40);
  EXPECT_EQ(valueOf("-7 / 2"), -3);
  EXPECT_EQ(valueOf("-8 >> 1"), -4);
  EXPECT_EQ(valueOf("0xffffffffffffffff / 2"), 0x7fffffffffffffff);
  EXPECT_EQ(valueOf("017 + 0b11"), 18);
  EXPECT_EQ(valueOf("3 > 2 ? 5 : 6"), 5);
  EXPECT_EQ(valueOf("!0 + WARP_SZ"), 33);
  EXPECT_EQ(valueOf("17 % 5"), 2);
  EXPECT_EQ(valueOf("1 / 0"), -999);
}

TEST(Reader, LocationsAndDebugSections) {
  const auto read = readModule(
      module(".file 1 \"a.cu\"\n.entry k()\n{\n.loc 1 7 3\nret;\n.loc 1 9 1, function_name f, "
             "inlined_at 1 7 1\nexit;\n}\n.section .debug_info { .b8 1, 2\n.b32 x\n}\n"),
      "a.ptx");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->files[1], "a.cu");
  EXPECT_EQ(read->locs[read->functions[0].body[0].loc].line, 7U);
  EXPECT_EQ(read->locs[read->functions[0].body[1].loc].line, 9U);
}

TEST(Reader, RefusesWhatIsNoPtx) {
  const std::pair<std::string, std::string> refused[] = {
      {"", "a.ptx:1: there is no .version directive"},
      {".version 8.4\n", "a.ptx:2: there is no .target directive"},
      {module(".address_size 32\n"), "a.ptx:4: addresses of 64 bits are known, not of 32"},
      {module("#"), "a.ptx:4: the character '#' has no meaning in PTX"},
      {module("/* no end"), "a.ptx:4: a comment /* without its */"},
      {module(".global .u32 x = 1"),
       "a.ptx:4: expected ';' after a declaration, but the text ends"},
      {module(".global .u32 x = {1, 2};\n"), "a.ptx:4: 2 initial values for the 1 elements of x"},
      {module(".shared .u32 x = 1;\n"),
       "a.ptx:4: only variables in global and constant memory have initial values"},
      {module(".global .align 3 .u32 x;\n"),
       "a.ptx:4: an alignment is a power of two up to 65536, not 3"},
      {module(".global x;\n"), "a.ptx:4: expected a type, not 'x'"},
      {module(".reg .u32 a;\n"),
       "a.ptx:4: a module's variables are in .global, .const or .shared memory, not .reg"},
      {module(".version 8.0\n"), "a.ptx:4: a second .version"},
      {module(".target sm_80\n"), "a.ptx:4: a second .target"},
      {module(".weak .visible .global .u32 x;\n"),
       "a.ptx:4: expected a directive of a module, not '.visible'"},
      {module(".extern .global .u32 x = 5;\n"),
       "a.ptx:4: x is .extern, and its value is elsewhere"},
      {module(".global .u32 x[];\n"),
       "a.ptx:4: x has no size: only an .extern variable may have none"},
      {module(".global .u32 x[2][0];\n"), "a.ptx:4: x has no elements"},
      {module(".global .pred x;\n"), "a.ptx:4: a .pred is a register"},
      {module(".global .f32 x[2] = {1.0, 3};\n"), "a.ptx:4: an initial value of x is no .f32"},
      {module(".global .u32 x = 1.5;\n"), "a.ptx:4: an initial value of x is no .u32"},
      {module(".entry k(.reg .b32 p) { ret; }\n"),
       "a.ptx:4: the kernel's parameter p is no .param"},
      {module(".entry k() .maxntid { ret; }\n"),
       "a.ptx:4: expected a number after .maxntid, not '{'"},
      {module(".entry k() .maxntid 0 { ret; }\n"), "a.ptx:4: .maxntid is above 0"},
      {module(".entry k() .maxntid 1, 2, 3, 4 { ret; }\n"),
       "a.ptx:4: expected '{' after the function's head, not ','"},
      {module(".entry k() .noreturn { ret; }\n"),
       "a.ptx:4: expected a directive of a kernel, not '.noreturn'"},
      {module(".func f() .maxntid 32 { ret; }\n"),
       "a.ptx:4: expected a directive of a function, not '.maxntid'"},
      {module(".entry k() .maxntid 32 .reqntid 32 { ret; }\n"),
       "a.ptx:4: .maxntid and .reqntid do not go together"},
      {kernel(".reg .v4 .b64 q;"), "a.ptx:6: a vector of 4 .b64 has more than 128 bits"},
      {kernel(".reg .b32 q[4];"), "a.ptx:6: registers make no arrays; a group of them is <n>"},
      {kernel("add.u32 %r1, ;"), "a.ptx:6: expected a constant, not ';'"},
      {kernel("ld.u32 %r1, [%r2;"), "a.ptx:6: expected ']' after the address, not ';'"},
      {kernel("mov.u32 %r1, 0x;"), "a.ptx:6: '0x' is not a number"},
      {kernel("mov.u32 %r1, 08;"), "a.ptx:6: '08' is not a number"},
      {module(".entry k()\n{\nret;\n"), "a.ptx:7: expected the function's '}', but the text ends"},
  };
  for (const auto& [text, problem] : refused) EXPECT_EQ(problemOf(text), problem);
  const std::string deep(10'000, '(');
  EXPECT_NE(problemOf(kernel("mov.u32 %r1, " + deep)), "");
  EXPECT_NE(problemOf(kernel("mov.u32 %r1, " + std::string(10'000, '{'))), "");
}

}  // namespace
}  // namespace cutwork::sim

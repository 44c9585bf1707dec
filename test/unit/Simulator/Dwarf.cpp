// Dwarf.cpp -- debug information: types and values of what clang wrote, and bytes that nobody did.
#include "Observe/Dwarf.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "Reader/Parser.h"

namespace cutwork::sim {
namespace {

/// Of this, by clang 22 with -O0 -g:
///
///     struct Pair { int first; struct Pair *next; unsigned char flags[3]; };
///     enum Color { Red, Green = 5 };
///     __attribute__((nvptx_kernel)) void k(const float* x, double scale) {
///       struct Pair pair; enum Color color; short grid[2][3]; _Bool flag; signed char c; }
const char* const kSections = R"(
.section .debug_abbrev
{
.b8 1,17,1,37,8,19,5,3,8,16,6,27,8,0,0,2,4,1,73,19,3,8,11,11,58,11,59,11,0,0,3,40,0,3,8,28
.b8 15,0,0,4,36,0,3,8,62,11,11,11,0,0,5,46,1,17,1,18,1,64,10,3,8,58,11,59,11,39,12,54,11,63
.b8 12,0,0,6,5,0,51,11,2,10,3,8,58,11,59,11,73,19,0,0,7,52,0,51,11,2,10,3,8,58,11,59,11,73
.b8 19,0,0,8,15,0,73,19,0,0,9,38,0,73,19,0,0,10,19,1,3,8,11,11,58,11,59,11,0,0,11,13,0,3,8
.b8 73,19,58,11,59,11,56,10,0,0,12,1,1,73,19,0,0,13,33,0,73,19,55,11,0,0,14,36,0,3,8,11,11
.b8 62,11,0,0,0
}
.section .debug_info
{
.b32 507
.b8 2,0
.b32 .debug_abbrev
.b8 8,1,68,101,98,105,97,110,32,99,108,97,110,103,32,118,101,114,115,105,111,110,32,50,50,46
.b8 49,46,56,32,40,49,126,100,101,98,49,50,117,49,41,0,29,0,115,109,97,108,108,46,99,0
.b32 .debug_line
.b8 46,0,2
.b32 97
.b8 67,111,108,111,114,0,4,1,2,3,82,101,100,0,0,3,71,114,101,101,110,0,5,0,4,117,110,115,105
.b8 103,110,101,100,32,105,110,116,0,7,4,5
.b64 $L__func_begin0
.b64 $L__func_end0
.b8 1,156,107,0,1,3,1,199,1,6,6,9,3
.b64 __local_depot0
.b8 120,0,1,3
.b32 309
.b8 6,6,11,3
.b64 __local_depot0
.b8 35,8,115,99,97,108,101,0,1,3
.b32 328
.b8 7,6,11,3
.b64 __local_depot0
.b8 35,16,112,97,105,114,0,1,4
.b32 338
.b8 7,6,11,3
.b64 __local_depot0
.b8 35,40,99,111,108,111,114,0,1,5
.b32 68
.b8 7,6,11,3
.b64 __local_depot0
.b8 35,48,103,114,105,100,0,1,6
.b32 459
.b8 7,6,11,3
.b64 __local_depot0
.b8 35,60,102,108,97,103,0,1,7
.b32 486
.b8 7,6,11,3
.b64 __local_depot0
.b8 35,61,99,0,1,8
.b32 495
.b8 0,8
.b32 314
.b8 9
.b32 319
.b8 4,102,108,111,97,116,0,4,4,4,100,111,117,98,108,101,0,4,8,10,80,97,105,114,0,24,1,1,11
.b8 102,105,114,115,116,0
.b32 395
.b8 1,1,2,35,0,11,110,101,120,116,0
.b32 402
.b8 1,1,2,35,8,11,102,108,97,103,115,0
.b32 407
.b8 1,1,2,35,16,0,4,105,110,116,0,5,4,8
.b32 338
.b8 12
.b32 419
.b8 13
.b32 436
.b8 3,0,4,117,110,115,105,103,110,101,100,32,99,104,97,114,0,8,1,14,95,95,65,82,82,65,89,95
.b8 83,73,90,69,95,84,89,80,69,95,95,0,8,7,12
.b32 477
.b8 13
.b32 436
.b8 2,13
.b32 436
.b8 3,0,4,115,104,111,114,116,0,5,2,4,95,66,111,111,108,0,2,1,4,115,105,103,110,101,100,32
.b8 99,104,97,114,0,6,1,0
}
)";

Module moduleOf(const std::string& sections) {
  auto module = readModule(".version 8.0\n.target sm_80\n.address_size 64\n" + sections, "d.ptx");
  EXPECT_TRUE(module.ok()) << module.error().text();
  return *std::move(module);
}

std::uint32_t entryNamed(const Dwarf& dwarf, std::string_view name) {
  for (std::uint32_t i = 0; i < dwarf.entries.size(); ++i) {
    const std::uint32_t tag = dwarf.entries[i].tag;
    if (dwarf.nameOf(i) == name && (tag == dwtag::kVariable || tag == dwtag::kParameter)) return i;
  }
  return kNoEntry;
}

std::string typeOfVariable(const Dwarf& dwarf, std::string_view name) {
  const std::uint32_t entry = entryNamed(dwarf, name);
  EXPECT_NE(entry, kNoEntry) << name;
  return entry == kNoEntry ? "" : typeText(dwarf, dwarf.typeOf(entry));
}

std::string valueOf(const Dwarf& dwarf, std::string_view name, const std::string& bytes,
                    const std::vector<bool>& written = {}) {
  return typedText(dwarf, dwarf.typeOf(entryNamed(dwarf, name)), bytes, written);
}

TEST(Dwarf, HasTypesByTheirNames) {
  const Module module = moduleOf(kSections);
  const Dwarf dwarf = readDwarf(module);
  EXPECT_EQ(dwarf.problem, "");
  EXPECT_EQ(typeOfVariable(dwarf, "x"), "const float*");
  EXPECT_EQ(typeOfVariable(dwarf, "scale"), "double");
  EXPECT_EQ(typeOfVariable(dwarf, "pair"), "struct Pair");
  EXPECT_EQ(typeOfVariable(dwarf, "color"), "enum Color");
  EXPECT_EQ(typeOfVariable(dwarf, "grid"), "short[2][3]");
  EXPECT_EQ(typeOfVariable(dwarf, "flag"), "_Bool");
  EXPECT_EQ(typeBytes(dwarf, dwarf.typeOf(entryNamed(dwarf, "grid"))), 12U);
  EXPECT_EQ(typeBytes(dwarf, dwarf.typeOf(entryNamed(dwarf, "pair"))), 24U);
}

TEST(Dwarf, WritesValuesAsC) {
  const Module module = moduleOf(kSections);
  const Dwarf dwarf = readDwarf(module);
  EXPECT_EQ(valueOf(dwarf, "flag", std::string(1, 1)), "true");
  EXPECT_EQ(valueOf(dwarf, "c", "a"), "97 'a'");
  EXPECT_EQ(valueOf(dwarf, "c", "\xff"), "-1");
  EXPECT_EQ(valueOf(dwarf, "color", std::string("\5\0\0\0", 4)), "Green");
  EXPECT_EQ(valueOf(dwarf, "color", std::string("\2\0\0\0", 4)), "2 (no enumerator)");
  std::string pair(24, '\0');
  pair[0] = 7;
  pair[8] = 0x10;
  pair[16] = 1;
  EXPECT_EQ(valueOf(dwarf, "pair", pair), "{first = 7, next = 0x10, flags = {1, 0, 0}}");
  std::vector<bool> written(24, true);
  written[3] = false;
  EXPECT_EQ(valueOf(dwarf, "pair", pair, written),
            "{first = (never written), next = 0x10, flags = {1, 0, 0}}");
  // Fewer bytes than the type has.
  EXPECT_NE(valueOf(dwarf, "pair", "abc").find("not understood"), std::string::npos);
}

TEST(Dwarf, SectionsWithSomethingElseAreNoError) {
  const Module module =
      moduleOf(".section .debug_info\n{\n.b8 1\n.f32 1.0 { x }\n}\n.section .x {}\n");
  ASSERT_EQ(module.sections.size(), 2U);
  EXPECT_EQ(module.sections[0].strange, 7U);
  EXPECT_EQ(module.sections[0].bytes.size(), 1U);
  EXPECT_TRUE(readDwarf(module).entries.empty());
}

/// Everything that a debugger would ask of it.
std::size_t ask(const Module& module) {
  const Dwarf dwarf = readDwarf(module);
  std::size_t length = dwarf.problem.size();
  const std::string bytes(64, 'x');
  for (std::uint32_t i = 0; i < dwarf.entries.size(); ++i) {
    length += dwarf.nameOf(i).size() + typeText(dwarf, dwarf.typeOf(i)).size();
    length += typeBytes(dwarf, i).value_or(0) % 7;
    length += typedText(dwarf, i, bytes, {}).size() + typeText(dwarf, i).size();
  }
  return length;
}

TEST(Dwarf, AnyBytesAreReadOrRefused) {
  const Module original = moduleOf(kSections);
  // The same each time. NOLINTNEXTLINE(cert-msc51-cpp,bugprone-random-generator-seed)
  std::mt19937 random(1);
  const auto below = [&](std::size_t end) { return static_cast<std::uint32_t>(random() % end); };
  std::size_t all = 0;
  for (int i = 0; i < 3000; ++i) {
    Module module;
    module.sections = original.sections;
    for (std::uint32_t changes = 1 + below(8); changes != 0; --changes) {
      Section& section = module.sections[below(module.sections.size())];
      if (section.bytes.empty()) continue;
      const std::uint32_t at = below(section.bytes.size());
      switch (below(4)) {
        case 0: section.bytes.resize(at); break;
        case 1: section.bytes[at] = 0xff; break;
        case 2: section.bytes[at] ^= static_cast<std::uint8_t>(1U << below(8)); break;
        default: section.bytes[at] = static_cast<std::uint8_t>(random()); break;
      }
    }
    all += ask(module);
  }
  EXPECT_GT(all, 0U);
}

}  // namespace
}  // namespace cutwork::sim

// Conversions.cpp -- cvt: every pair of types with every modifier is known or refused, as the ISA
// has it; and the forms whose values no other table has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "Arithmetic/Convert.h"
#include "Programs.h"
#include "Statements.h"
#include "Types.h"

namespace cutwork::sim {
namespace {

using testing::HasSubstr;

std::vector<std::string> listOf(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> result;
  for (std::string word; words >> word;) result.push_back(word == "-" ? "" : word);
  return result;
}

/// Which modifiers a pair of types may have: each of the roundings with each set of flags. "-" is
/// nothing. What ptxas 13.0 takes; it refuses .bf16 with .u8 and .s8, which the ISA has.
struct Known {
  const char* to;
  const char* from;
  const char* roundings;
  const char* flags;
};
constexpr const char* kWords = "u16 u32 u64 s16 s32 s64";
constexpr const char* kIntegers = "u8 u16 u32 u64 s8 s16 s32 s64";
constexpr const char* kNearest = "rn rz rm rp";
constexpr const char* kWhole = "rni rzi rmi rpi";
constexpr const char* kMaybeWhole = "- rni rzi rmi rpi";
constexpr Known kKnown[] = {
    {kIntegers, kIntegers, "-", "-"},
    {"u8", "u16 u32 u64 s8 s16 s32 s64", "-", "sat"},
    {"u16", "u32 u64 s8 s16 s32 s64", "-", "sat"},
    {"u32", "u64 s8 s16 s32 s64", "-", "sat"},
    {"u64", "s8 s16 s32 s64", "-", "sat"},
    {"s8", "u8 u16 u32 u64 s16 s32 s64", "-", "sat"},
    {"s16", "u16 u32 u64 s32 s64", "-", "sat"},
    {"s32", "u32 u64 s64", "-", "sat"},
    {"s64", "u64", "-", "sat"},
    {"f16 f64", kIntegers, kNearest, "- sat"},
    {"f16", "f64", kNearest, "- sat"},
    {"f32", kIntegers, kNearest, "- ftz sat ftz.sat"},
    {"f32", "f64", kNearest, "- ftz sat ftz.sat"},
    {"bf16", kWords, kNearest, "-"},
    {"bf16", "u8 s8 f64", kNearest, "-"},
    {kIntegers, "f16 f64", kWhole, "- sat"},
    {kIntegers, "f32", kWhole, "- ftz sat ftz.sat"},
    {kIntegers, "bf16", kWhole, "-"},
    {"f64", "f16", "-", "- sat"},
    {"f32", "f16", "-", "- ftz sat ftz.sat"},
    {"f64", "f32", "-", "- ftz sat ftz.sat"},
    {"f32", "bf16", "- rn rz rm rp", "- ftz"},
    {"f64 f16", "bf16", "- rn rz rm rp", "-"},
    {"bf16", "f16", "- rn rz rm rp", "-"},
    {"f16", "f16", kMaybeWhole, "- sat"},
    {"f64", "f64", kMaybeWhole, "- sat"},
    {"bf16", "bf16", kMaybeWhole, "-"},
    {"f32", "f32", kMaybeWhole, "- ftz sat ftz.sat"},
    {"f16", "f32", kNearest, "- ftz sat ftz.sat"},
    {"bf16", "f32", kNearest, "- ftz"},
    {"f16 bf16", "f32", "rn rz", "relu satfinite relu.satfinite"},
    {"f16x2 bf16x2", "f32", "rn rz", "- relu satfinite relu.satfinite"},
    {"tf32", "f32", "rn rz", "- relu satfinite relu.satfinite"},
    {"tf32", "f32", "rna", "- satfinite"},
    {"e4m3x2 e5m2x2", "f32 f16x2", "rn", "satfinite relu.satfinite"},
    {"f16x2", "e4m3x2 e5m2x2", "rn", "- relu"},
};

std::string joined(const std::string& rounding, const std::string& flags, const std::string& to,
                   const std::string& from) {
  return "cvt" + (rounding.empty() ? "" : "." + rounding) + (flags.empty() ? "" : "." + flags) +
         "." + to + "." + from;
}

std::set<std::string> knownForms() {
  std::set<std::string> forms;
  for (const Known& row : kKnown) {
    for (const auto& to : listOf(row.to)) {
      for (const auto& from : listOf(row.from)) {
        for (const auto& rounding : listOf(row.roundings)) {
          for (const auto& flags : listOf(row.flags)) {
            forms.insert(joined(rounding, flags, to, from));
          }
        }
      }
    }
  }
  return forms;
}

std::vector<std::string> allTypes() {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(Ty::None));
  for (unsigned i = 0; i < static_cast<unsigned>(Ty::None); ++i) {
    names.emplace_back(spelling(static_cast<Ty>(i)));
  }
  return names;
}

std::string registerFor(const std::string& type, const char* number) {
  return registerOf(typeNamed(type).value_or(Ty::B32), number);
}

TEST(Conversions, EveryPairOfTypesWithEveryModifier) {
  const std::set<std::string> known = knownForms();
  const std::vector<std::string> roundings = listOf("- rn rz rm rp rna rni rzi rmi rpi");
  std::size_t accepted = 0;
  for (const std::string& to : allTypes()) {
    std::vector<std::string> forms;
    std::vector<std::string> statements;
    for (const std::string& from : allTypes()) {
      for (const std::string& rounding : roundings) {
        for (unsigned set = 0; set < 16; ++set) {
          static constexpr std::array kFlags = {"ftz", "sat", "relu", "satfinite"};
          std::string flags;
          for (unsigned i = 0; i < 4; ++i) {
            if ((set >> i & 1) != 0) flags += (flags.empty() ? "" : ".") + std::string(kFlags[i]);
          }
          forms.push_back(joined(rounding, flags, to, from));
          const bool pair = from == "f32" && (to.ends_with("x2"));
          statements.push_back(forms.back() + " " + registerFor(to, "1") + ", " +
                               registerFor(from, "2") + (pair ? ", %r3;" : ";"));
        }
      }
    }
    const std::vector<int> codes = codesOf(statements);
    for (std::size_t i = 0; i < forms.size(); ++i) {
      const bool is = known.contains(forms[i]);
      accepted += is ? 1 : 0;
      EXPECT_EQ(codes[i], is ? 0 : static_cast<int>(ExitCode::Unsupported)) << statements[i];
    }
  }
  EXPECT_EQ(accepted, known.size());
}

TEST(Conversions, RegistersOfAnyWidth) {
  // Into and out of every register: each runs or is refused, checked and unchecked.
  std::vector<std::string> statements;
  for (const std::string& form : knownForms()) {
    if (form.find(".sat") != std::string::npos || form.find(".relu") != std::string::npos) continue;
    for (const char* to : {"%h1", "%r1", "%d1", "%q1", "%p1"}) {
      for (const char* from : {"%h2", "%r2", "%d2", "%q2", "%p2", "7", "1.5"}) {
        statements.push_back(form + " " + to + ", " + from +
                             (form.find("x2.f32") != std::string::npos ? ", %r3;" : ";"));
      }
    }
  }
  for (const bool checked : {true, false}) {
    const std::vector<int> codes = codesOf(statements, checked);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const bool outside = statements[i].find("%q") != std::string::npos ||
                           statements[i].find("%p") != std::string::npos;
      EXPECT_TRUE(outside ? codes[i] != 0 : codes[i] >= -1) << statements[i];
    }
  }
}

TEST(Conversions, PacksIntegers) {
  const std::set<std::string> pairs = {"u16", "s16"};
  const std::set<std::string> fewer = {"u8", "s8", "u4", "s4", "u2", "s2"};
  std::vector<std::string> statements;
  std::vector<bool> known;
  for (const std::string& to : allTypes()) {
    for (const std::string& from : allTypes()) {
      for (const std::string sat : {"", ".sat"}) {
        const std::string form = "cvt.pack" + sat + "." + to + "." + from;
        statements.push_back(form + " %r1, %r2, %r3;");
        known.push_back(!sat.empty() && from == "s32" && pairs.contains(to));
        statements.push_back(form + ".b32 %r1, %r2, %r3, %r4;");
        known.push_back(!sat.empty() && from == "s32" && fewer.contains(to));
      }
    }
  }
  const std::vector<int> codes = codesOf(statements);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    EXPECT_EQ(codes[i], known[i] ? 0 : static_cast<int>(ExitCode::Unsupported)) << statements[i];
  }
  const auto pack = [](Ty type, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return convertPack(a, b, c, {static_cast<std::int64_t>(type)});
  };
  EXPECT_EQ(pack(Ty::U16, 70000, 0xffffffffU, 0), 0xffff0000U);
  EXPECT_EQ(pack(Ty::S8, 200, 0U - 200, 0x12345678), 0x56787f80U);
  EXPECT_EQ(pack(Ty::U2, 9, 1, 0x12345678), 0x2345678dU);
}

TEST(Conversions, ToTf32) {
  struct Case {
    std::uint32_t from, plain, satfinite;
  };
  constexpr Case kCases[] = {
      {0x7f7fffff, 0x7f800000, 0x7f7fe000}, {0xff7fffff, 0xff800000, 0xff7fe000},
      {0x7f800000, 0x7f800000, 0x7f7fe000}, {0xff800000, 0xff800000, 0xff7fe000},
      {0x7f7fefff, 0x7f7fe000, 0x7f7fe000}, {0x7f7ff000, 0x7f800000, 0x7f7fe000},
      {0x3f801000, 0x3f802000, 0x3f802000}, {0x80000000, 0x80000000, 0x80000000},
      {0x7fc00000, 0x7fffe000, 0x7fffe000},
  };
  ConvertSpec spec;
  spec.to = Ty::TF32;
  spec.from = Ty::F32;
  spec.mode = Round::Rna;
  spec.hasMode = true;
  for (const Case& one : kCases) {
    spec.satfinite = false;
    EXPECT_EQ(convert(one.from, {spec.packed()}), one.plain) << std::hex << one.from;
    spec.satfinite = true;
    EXPECT_EQ(convert(one.from, {spec.packed()}), one.satfinite) << std::hex << one.from;
  }
  const Outcome outcome =
      runProgram(programOf("block=1 args=in:64", 1, "cvt.rn.satfinite.tf32.f32 %r1, %f1;"), true);
  ASSERT_TRUE(outcome.fault.has_value());
  EXPECT_THAT(outcome.fault->message, HasSubstr("it needs sm_100 or later"));
}

}  // namespace
}  // namespace cutwork::sim

// ConvertTest.cpp -- cute.convert on the simulated device, every target against exact rounding.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "RunKernel.h"
#include "cutwork/Codegen/Assembler.h"

namespace cutwork {
namespace {

/// A number type. Reals: precision with the hidden bit, exponent of the least normal number, the
/// encodings of the largest finite number, of infinity and NaN.
struct Type {
  const char* name;  ///< MLIR's
  int width;
  bool real;
  bool isUnsigned;
  int precision;
  int least;
  std::uint64_t most;
  std::uint64_t infinity;
  std::uint64_t nan;
};
constexpr Type integer(const char* name, int width, bool isUnsigned) {
  return {name, width, false, isUnsigned, 0, 0, 0, 0, 0};
}
const Type kI8 = integer("i8", 8, false), kU8 = integer("i8", 8, true);
const Type kI16 = integer("i16", 16, false), kU16 = integer("i16", 16, true);
const Type kI32 = integer("i32", 32, false), kU32 = integer("i32", 32, true);
const Type kI64 = integer("i64", 64, false), kU64 = integer("i64", 64, true);
const Type kF64{
    "f64", 64, true, false, 53, -1022, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000};
const Type kF32{"f32", 32, true, false, 24, -126, 0x7f7fffff, 0x7f800000, 0x7fffffff};
const Type kF16{"f16", 16, true, false, 11, -14, 0x7bff, 0x7c00, 0x7fff};
const Type kBf16{"bf16", 16, true, false, 8, -126, 0x7f7f, 0x7f80, 0x7fff};
const Type kE4m3{"f8E4M3FN", 8, true, false, 4, -6, 0x7e, 0x7f, 0x7f};
const Type kE5m2{"f8E5M2", 8, true, false, 3, -14, 0x7b, 0x7c, 0x7f};
/// tf32 is 19 bits above 13 zeros.
const Type kTf32{"f32", 19, true, false, 11, -126, 0x3fbff, 0x3fc00, 0x3ffff};

long double valueOf(std::uint64_t bits, const Type& type) {
  if (!type.real) {
    const int spare = 64 - type.width;
    if (type.isUnsigned) return static_cast<long double>(bits << spare >> spare);
    return static_cast<long double>(static_cast<std::int64_t>(bits << spare) >> spare);
  }
  const std::uint64_t sign = bits >> (type.width - 1) & 1;
  const std::uint64_t magnitude = bits & ((std::uint64_t{1} << (type.width - 1)) - 1);
  const long double flip = sign != 0 ? -1 : 1;
  if (magnitude > type.most) {
    const bool infinite = magnitude == type.infinity && type.infinity != type.nan;
    return infinite ? flip * std::numeric_limits<long double>::infinity() : std::nanl("");
  }
  const auto field = static_cast<int>(magnitude >> (type.precision - 1));
  const std::uint64_t hidden = std::uint64_t{1} << (type.precision - 1);
  const std::uint64_t significand = (magnitude & (hidden - 1)) | (field == 0 ? 0 : hidden);
  return flip * std::ldexp(static_cast<long double>(significand),
                           std::max(field, 1) - 1 + type.least - (type.precision - 1));
}

/// A non-negative number to an integer.
long double rounded(long double x, const std::string& mode, bool negative) {
  const long double down = std::floor(x);
  const long double rest = x - down;
  bool up = false;
  if (mode == "rn") up = rest > 0.5L || (rest == 0.5L && std::fmod(down, 2) != 0);
  if (mode == "rna") up = rest >= 0.5L;
  if (mode == "rm") up = negative && rest > 0;
  if (mode == "rp") up = !negative && rest > 0;
  return up ? down + 1 : down;
}

std::uint64_t toReal(long double x, const Type& type, const std::string& mode, bool saturate) {
  if (std::isnan(x)) return type.nan;
  const bool negative = std::signbit(x);
  const std::uint64_t sign = negative ? std::uint64_t{1} << (type.width - 1) : 0;
  const long double a = std::fabs(x);
  if (std::isinf(a)) return sign | (saturate ? type.most : type.infinity);
  if (a == 0) return sign;
  const int exponent = std::max(std::ilogb(a), type.least);
  const int place = exponent - (type.precision - 1);
  const auto significand =
      static_cast<std::uint64_t>(rounded(std::ldexp(a, -place), mode, negative));
  const std::uint64_t encoded =
      (static_cast<std::uint64_t>(exponent - type.least) << (type.precision - 1)) + significand;
  if (encoded <= type.most) return sign | encoded;
  const bool outward =
      mode == "rn" || mode == "rna" || (mode == "rm" && negative) || (mode == "rp" && !negative);
  return sign | (!saturate && outward ? type.infinity : type.most);
}

std::uint64_t mask(const Type& type) {
  return type.width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << type.width) - 1;
}

std::uint64_t toInteger(long double x, const Type& from, const Type& to, const std::string& mode,
                        bool saturate) {
  if (std::isnan(x)) {
    return from.width == 64 || to.width == 64 ? std::uint64_t{1} << (to.width - 1) : 0;
  }
  const long double least = to.isUnsigned ? 0 : -std::ldexp(1.0L, to.width - 1);
  const long double most = std::ldexp(1.0L, to.width - (to.isUnsigned ? 0 : 1)) - 1;
  if (from.real || saturate) {
    if (from.real && std::isfinite(x)) x = std::copysign(rounded(std::fabs(x), mode, x < 0), x);
    x = std::min(std::max(x, least), most);
  }
  // Wrap what is left: only integers wider than the result.
  const std::uint64_t bits =
      x < 0 ? 0 - static_cast<std::uint64_t>(-x) : static_cast<std::uint64_t>(x);
  return bits & mask(to);
}

std::uint64_t expected(std::uint64_t bits, const Type& from, const Type& to,
                       const std::string& mode, bool saturate) {
  const long double x = valueOf(bits, from);
  if (!to.real) return toInteger(x, from, to, mode, saturate);
  const std::uint64_t made = toReal(x, to, mode, saturate);
  return to.width == 19 ? made << 13 : made;
}

struct Case {
  const Type* from;
  const Type* to;
  const char* mode;
  bool saturate;
};

std::string textOf(const Case& one, int count) {
  const auto shaped = [&](const Type& type) {
    return count == 1 ? std::string(type.name) : fmt::format("vector<{}x{}>", count, type.name);
  };
  return fmt::format("cute.convert %x {}{}{}{}{} : {} to {}", one.mode,
                     one.saturate ? " saturate" : "", one.to->width == 19 ? " tf32" : "",
                     !one.from->real && one.from->isUnsigned ? " unsigned_source" : "",
                     !one.to->real && one.to->isUnsigned ? " unsigned_result" : "",
                     shaped(*one.from), shaped(*one.to));
}

/// f8 is kept in memory as i8.
std::string stored(const Type& type, int count) {
  const std::string element = type.width == 8 ? "i8" : type.name;
  return count == 1 ? element : fmt::format("vector<{}x{}>", count, element);
}

std::string bodyOf(const Case& one, int count) {
  const auto shaped = [&](const Type& type) {
    return count == 1 ? std::string(type.name) : fmt::format("vector<{}x{}>", count, type.name);
  };
  std::string body;
  const auto cast = [&](const char* to, const char* from, const std::string& was,
                        const std::string& is) {
    body += was == is ? fmt::format("    {} = arith.addi {}, {} : {}\n", to, from, from, was)
                      : fmt::format("    {} = arith.bitcast {} : {} to {}\n", to, from, was, is);
  };
  const bool castIn = one.from->real && one.from->width == 8;
  const bool castOut = one.to->real && one.to->width == 8;
  if (castIn) cast("%x", "%x0", stored(*one.from, count), shaped(*one.from));
  std::string op = textOf(one, count);
  if (!castIn) op.replace(op.find("%x"), 2, "%x0");
  body += fmt::format("    {} = {}\n", castOut ? "%y" : "%r", op);
  if (castOut) cast("%r", "%y", shaped(*one.to), stored(*one.to, count));
  return body;
}

std::vector<std::uint64_t> inputs(const Case& one) {
  const Type& from = *one.from;
  std::vector<std::uint64_t> all;
  if (from.width <= 16) {
    // All of them; of 16 bits with other roundings than rn one in 16, of every residue.
    const std::uint64_t count =
        from.width == 16 && std::string_view(one.mode) == "rn" ? 65536 : 4096;
    for (std::uint64_t i = 0; i < count; ++i)
      all.push_back((from.width == 16 && count == 4096 ? i * 16 + i % 16 : i) & mask(from));
    return all;
  }
  auto random = test::generator(7);
  // Numbers near those of the result and near the middle between two of them, then any.
  const Type& to = *one.to;
  while (all.size() < 8000) {
    const std::uint64_t target = random();
    long double near = valueOf(target & mask(to), to);
    if (!std::isfinite(near)) near = valueOf(to.most, to);
    const std::uint64_t up = (target + 1) & mask(to);
    long double next = valueOf(up, to);
    if (!std::isfinite(next)) next = near * 1.25L;
    for (const long double x : {near, (near + next) / 2}) {
      std::uint64_t bits = from.real ? toReal(x, from, "rn", false)
                                     : toInteger(std::round(x), from, from, "rn", true);
      for (const int step : {-1, 0, 1}) {
        all.push_back((bits + static_cast<std::uint64_t>(step)) & mask(from));
      }
    }
  }
  while (all.size() < 12000) all.push_back((random() >> (random() & 63)) & mask(from));
  if (from.real) {
    const std::uint64_t sign = std::uint64_t{1} << (from.width - 1);
    for (const std::uint64_t special :
         {std::uint64_t{0}, std::uint64_t{1}, from.most, from.infinity, from.nan}) {
      all.push_back(special);
      all.push_back(special | sign);
    }
  }
  while (all.size() % 4096 != 0) all.push_back(0);
  return all;
}

std::vector<std::byte> packed(const std::vector<std::uint64_t>& values, std::size_t bytes) {
  std::vector<std::byte> all(values.size() * bytes);
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&all[i * bytes], &values[i], bytes);
  return all;
}

void check(const Case& one, int count, const std::string& target) {
  const auto from = static_cast<std::size_t>(one.from->width / 8);
  const auto to = static_cast<std::size_t>(one.to->width == 19 ? 4 : one.to->width / 8);
  const std::vector<std::uint64_t> values = inputs(one);
  const std::vector<std::byte> bytes = packed(values, from);
  const std::string type = stored(*one.from, count);
  auto ptx =
      test::elementwisePtx(bodyOf(one, count), std::array{type}, stored(*one.to, count), target);
  ASSERT_TRUE(ptx.ok()) << ptx.error().text();
  auto results = test::runElementwise(
      *ptx, std::array{test::Operand{type, bytes}}, to * static_cast<std::size_t>(count),
      values.size() / static_cast<std::size_t>(count), target == "sm_120a" ? "sm_120a" : "sm_90a");
  ASSERT_TRUE(results.ok()) << results.error().text() << textOf(one, count);
  int wrong = 0;
  for (std::size_t i = 0; i < values.size() && wrong < 4; ++i) {
    std::uint64_t got = 0;
    std::memcpy(&got, &(*results)[i * to], to);
    std::uint64_t wanted = expected(values[i], *one.from, *one.to, one.mode, one.saturate);
    // The bits of a NaN in f64 are the instruction's; from bf16 to f32 they stay.
    const bool anyNan = one.to == &kF64 || (one.from == &kBf16 && one.to == &kF32);
    if (anyNan && std::isnan(valueOf(wanted, *one.to)) && std::isnan(valueOf(got, *one.to)))
      continue;
    if (got == wanted) continue;
    ++wrong;
    ADD_FAILURE() << fmt::format("{} on {}: {:#x} gave {:#x}, expected {:#x}", textOf(one, count),
                                 target, values[i], got, wanted);
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const std::array reals{&kE4m3, &kE5m2, &kF16, &kBf16, &kF32, &kF64};
  const std::array small{&kE4m3, &kE5m2, &kF16, &kBf16};
  const std::array integers{&kI8, &kU8, &kI16, &kU16, &kI32, &kU32, &kI64, &kU64};
  for (const char* mode : {"rn", "rz", "rm", "rp"}) {
    for (const Type* from : reals) {
      for (const Type* to : reals) {
        if (from == to) continue;
        all.push_back({from, to, mode, false});
        if (to->width <= 16) all.push_back({from, to, mode, true});
      }
      for (const Type* to : integers) all.push_back({from, to, mode, false});
    }
    for (const Type* from : integers) {
      for (const Type* to : reals) all.push_back({from, to, mode, false});
      for (const Type* to : small) all.push_back({from, to, mode, true});
    }
  }
  for (const char* mode : {"rn", "rz", "rna"}) {
    for (const bool saturate : {false, true}) {
      for (const Type* from : {&kF16, &kF32, &kF64, &kI32, &kU64})
        all.push_back({from, &kTf32, mode, saturate});
    }
  }
  for (const Type* from : integers) {
    for (const Type* to : integers) {
      all.push_back({from, to, "rz", false});
      all.push_back({from, to, "rz", true});
    }
  }
  return all;
}

TEST(Convert, IsExactlyRoundedOnEveryTarget) {
  const std::vector<Case> all = cases();
  for (const Case& one : all) {
    check(one, 1, "sm_80");
    // Where later targets have other instructions.
    const auto differs = [](const Type& type) { return type.real && type.width < 20; };
    if (differs(*one.from) || differs(*one.to)) check(one, 1, "sm_90a");
    if (testing::Test::HasFatalFailure()) return;
  }
  std::cout << fmt::format("  {} conversions\n", all.size());
}

/// The same on the CPU. The bits of a NaN are the processor's.
TEST(Convert, IsExactlyRoundedOnTheHost) {
  for (const Case& one : cases()) {
    const auto from = static_cast<std::size_t>(one.from->width / 8);
    const auto to = static_cast<std::size_t>(one.to->width == 19 ? 4 : one.to->width / 8);
    const std::vector<std::uint64_t> values = inputs(one);
    const std::vector<std::byte> bytes = packed(values, from);
    std::vector<std::byte> results(values.size() * to);
    const Status ran = test::runOnHost(bodyOf(one, 1), {stored(*one.from, 1), bytes},
                                       stored(*one.to, 1), results, values.size());
    ASSERT_TRUE(ran.ok()) << ran.error().text() << textOf(one, 1);
    int wrong = 0;
    for (std::size_t i = 0; i < values.size() && wrong < 4; ++i) {
      std::uint64_t got = 0;
      std::memcpy(&got, &results[i * to], to);
      const std::uint64_t wanted = expected(values[i], *one.from, *one.to, one.mode, one.saturate);
      Type shown = *one.to;
      if (shown.width == 19) shown = kF32;
      if (shown.real && std::isnan(valueOf(wanted, shown)) && std::isnan(valueOf(got, shown)))
        continue;
      if (got == wanted) continue;
      ++wrong;
      ADD_FAILURE() << fmt::format("{} on the host: {:#x} gave {:#x}, expected {:#x}",
                                   textOf(one, 1), values[i], got, wanted);
    }
  }
}

TEST(Convert, VectorsAreConvertedInPairs) {
  for (const Case& one : {Case{&kF32, &kE4m3, "rn", true}, Case{&kF16, &kE5m2, "rn", true},
                          Case{&kE4m3, &kF32, "rn", false}, Case{&kF64, &kE4m3, "rn", true},
                          Case{&kI32, &kE5m2, "rn", true}, Case{&kF32, &kF16, "rn", false},
                          Case{&kF32, &kBf16, "rn", true}, Case{&kU8, &kF16, "rn", false}}) {
    for (const char* target : {"sm_80", "sm_89", "sm_90a", "sm_120a"}) check(one, 4, target);
  }
}

}  // namespace
}  // namespace cutwork

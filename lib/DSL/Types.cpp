// Types.cpp -- the table of element types, and promotion.
#include "cutwork/DSL/Types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

namespace cutwork::cute {

namespace {

enum class Kind : std::uint8_t { Boolean, Signed, Unsigned, Float };
struct Row {
  DType type;
  std::string_view name;
  std::string_view shortName;
  int width;
  int storage;
  Kind kind;
};
constexpr std::array<Row, kDTypes> kRows{{
    {DType::Boolean, "Boolean", "i1", 1, 8, Kind::Boolean},
    {DType::Int8, "Int8", "i8", 8, 8, Kind::Signed},
    {DType::Int16, "Int16", "i16", 16, 16, Kind::Signed},
    {DType::Int32, "Int32", "i32", 32, 32, Kind::Signed},
    {DType::Int64, "Int64", "i64", 64, 64, Kind::Signed},
    {DType::Uint8, "Uint8", "u8", 8, 8, Kind::Unsigned},
    {DType::Uint16, "Uint16", "u16", 16, 16, Kind::Unsigned},
    {DType::Uint32, "Uint32", "u32", 32, 32, Kind::Unsigned},
    {DType::Uint64, "Uint64", "u64", 64, 64, Kind::Unsigned},
    {DType::Float16, "Float16", "f16", 16, 16, Kind::Float},
    {DType::BFloat16, "BFloat16", "bf16", 16, 16, Kind::Float},
    {DType::Float32, "Float32", "f32", 32, 32, Kind::Float},
    {DType::TFloat32, "TFloat32", "tf32", 32, 32, Kind::Float},
    {DType::Float64, "Float64", "f64", 64, 64, Kind::Float},
    {DType::Float8E4M3FN, "Float8E4M3FN", "f8e4m3fn", 8, 8, Kind::Float},
    {DType::Float8E5M2, "Float8E5M2", "f8e5m2", 8, 8, Kind::Float},
}};

const Row& row(DType type) { return kRows[static_cast<std::size_t>(type)]; }

DType integerOf(int width, bool isSigned) {
  switch (width) {
    case 8: return isSigned ? DType::Int8 : DType::Uint8;
    case 16: return isSigned ? DType::Int16 : DType::Uint16;
    case 32: return isSigned ? DType::Int32 : DType::Uint32;
    default: return isSigned ? DType::Int64 : DType::Uint64;
  }
}

DType promoteIntegers(DType a, DType b) {
  if (isSigned(a) == isSigned(b)) return integerOf(std::max(width(a), width(b)), isSigned(a));
  DType with = isSigned(a) ? a : b;
  DType without = isSigned(a) ? b : a;
  return width(without) >= width(with) ? without : with;
}

DType promoteMixed(DType floating, DType integer) {
  if (width(integer) <= 8 || width(floating) > width(integer)) return floating;
  switch (std::max(width(floating), width(integer))) {
    case 16: return DType::Float16;
    case 32: return DType::Float32;
    default: return DType::Float64;
  }
}

}  // namespace

std::string_view name(DType type) { return row(type).name; }
std::string_view shortName(DType type) { return row(type).shortName; }
int width(DType type) { return row(type).width; }
int storageBits(DType type) { return row(type).storage; }
bool isFloat(DType type) { return row(type).kind == Kind::Float; }
bool isInteger(DType type) {
  return row(type).kind == Kind::Signed || row(type).kind == Kind::Unsigned;
}
bool isSigned(DType type) { return row(type).kind == Kind::Signed || isFloat(type); }

Expected<DType> parseDType(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Row& r : kRows) {
    if (r.name == name || r.shortName == name) return r.type;
    known.push_back(r.name);
  }
  return userError(fmt::format("'{}' is no element type; the types are {}", name,
                               fmt::join(known, ", ")));
}

Expected<DType> promote(DType a, DType b) {
  for (DType type : {a, b}) {
    if (isFloat(type) && width(type) < 16) {
      return userError(fmt::format("there is no arithmetic on {}; convert it first: x.to({})",
                                   name(type), name(DType::Float32)));
    }
  }
  if (a == DType::Boolean && b == DType::Boolean) return DType::Int32;
  if (a == DType::Boolean) return b;
  if (b == DType::Boolean || a == b) return a;
  if (isFloat(a) && isFloat(b)) {
    if (width(a) != width(b)) return width(a) > width(b) ? a : b;
    return width(a) == 32 ? DType::Float32 : DType::Float16;
  }
  if (isFloat(a)) return promoteMixed(a, b);
  if (isFloat(b)) return promoteMixed(b, a);
  return promoteIntegers(a, b);
}

}  // namespace cutwork::cute

// DataType.cpp -- the names of element types.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "cutwork/Runtime/DLPack.h"

namespace cutwork::dlpack {

namespace {

struct Row {
  std::string_view name;  ///< before the number of bits, or the whole name
  std::uint8_t code;
  std::uint8_t bits;  ///< 0: any, and they follow the name
};
constexpr std::array kRows{
    Row{"int", kInt, 0},
    Row{"uint", kUInt, 0},
    Row{"float8_e3m4", kFloat8E3M4, 8},
    Row{"float8_e4m3", kFloat8E4M3, 8},
    Row{"float8_e4m3b11fnuz", kFloat8E4M3B11Fnuz, 8},
    Row{"float8_e4m3fn", kFloat8E4M3Fn, 8},
    Row{"float8_e4m3fnuz", kFloat8E4M3Fnuz, 8},
    Row{"float8_e5m2", kFloat8E5M2, 8},
    Row{"float8_e5m2fnuz", kFloat8E5M2Fnuz, 8},
    Row{"float8_e8m0fnu", kFloat8E8M0Fnu, 8},
    Row{"float6_e2m3fn", kFloat6E2M3Fn, 6},
    Row{"float6_e3m2fn", kFloat6E3M2Fn, 6},
    Row{"float4_e2m1fn", kFloat4E2M1Fn, 4},
    Row{"float", kFloat, 0},
    Row{"opaque", kOpaque, 0},
    Row{"bfloat", kBFloat, 0},
    Row{"complex", kComplex, 0},
    Row{"bool", kBool, 8},
};

/// A number from 1 to `most`, and nothing after it.
template <class Number>
bool readNumber(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0;
}

/// Reads a name without lanes into code and bits.
bool readScalar(std::string_view name, DataType& type) {
  for (const Row& row : kRows) {
    type.code = row.code;
    type.bits = row.bits;
    if (row.bits != 0
            ? name == row.name
            : name.starts_with(row.name) && readNumber(name.substr(row.name.size()), type.bits)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string DataType::text() const {
  std::string text = fmt::format("type{}_{}", code, bits);
  for (const Row& row : kRows) {
    if (row.code != code || (row.bits != 0 && row.bits != bits)) continue;
    text = row.bits != 0 ? std::string(row.name) : fmt::format("{}{}", row.name, bits);
  }
  if (lanes != 1) text += fmt::format("x{}", lanes);
  return text;
}

Expected<DataType> DataType::parse(std::string_view name) {
  DataType type;
  if (readScalar(name, type)) return type;
  // `int8x4`: lanes at the end. `complex64` is a scalar, so that this comes second.
  const std::size_t lanes = name.rfind('x');
  if (lanes != std::string_view::npos && readNumber(name.substr(lanes + 1), type.lanes) &&
      readScalar(name.substr(0, lanes), type)) {
    return type;
  }
  return userError(
      fmt::format("unknown element type '{}': expected a name such as float32, bfloat16, "
                  "int8, bool or float8_e4m3fn",
                  name.substr(0, 64)));
}

}  // namespace cutwork::dlpack

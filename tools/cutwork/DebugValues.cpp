// DebugValues.cpp -- bits as numbers.
#include "DebugValues.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace cutwork::tool {
namespace {

std::string floatText(std::uint64_t bits, unsigned bytes, bool brain) {
  if (bytes == 8) return fmt::format("{}", std::bit_cast<double>(bits));
  if (bytes == 4) return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (brain) {
    return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
  }
  return fmt::format("{}",
                     static_cast<float>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits))));
}

std::int64_t signedValue(std::uint64_t bits, unsigned bytes) {
  const unsigned shift = 64 - 8 * bytes;
  return static_cast<std::int64_t>(bits << shift) >> shift;
}

}  // namespace

unsigned bytesOfType(std::string_view type) {
  if (type == "bf16") return 2;
  if (type.size() < 2) return 0;
  const std::string_view width = type.substr(1);
  const bool isFloat = type[0] == 'f';
  if (!isFloat && type[0] != 'b' && type[0] != 'u' && type[0] != 's') return 0;
  if (width == "8") return isFloat ? 0 : 1;
  return width == "16" ? 2 : width == "32" ? 4 : width == "64" ? 8 : 0;
}

std::string valueText(std::string_view type, std::span<const std::byte> bytes) {
  std::uint64_t bits = 0;
  const auto count = static_cast<unsigned>(std::min<std::size_t>(bytes.size(), 8));
  std::memcpy(&bits, bytes.data(), count);
  if (type == "bf16" || type[0] == 'f') return floatText(bits, count, type == "bf16");
  if (type[0] == 's') return fmt::format("{}", signedValue(bits, count));
  if (type[0] == 'u') return fmt::format("{}", bits);
  return fmt::format("{:#0{}x}", bits, 2 + 2 * count);
}

std::string registerText(const sim::DebugRegister& value) {
  std::string out = fmt::format("{:<8} .{:<5} ", value.name, value.type);
  if (!value.written) return out + "never written";
  if (value.type == "pred") return out + (value.bits != 0 ? "true" : "false");
  if (value.type.ends_with("128"))
    return out + fmt::format("{:#x}{:016x}", value.upper, value.bits);
  const unsigned bytes = value.type.ends_with("64")   ? 8
                         : value.type.ends_with("16") ? 2
                         : value.type.ends_with("8")  ? 1
                                                      : 4;
  out += fmt::format("{:#0{}x}", value.bits, 2 + 2 * bytes);
  const bool isFloat = value.type.find('f') != std::string::npos;
  if (!isFloat) {
    out += value.type[0] == 'u' ? fmt::format("  {}", value.bits)
                                : fmt::format("  {}", signedValue(value.bits, bytes));
  }
  // Registers of .b32 and .b64 hold numbers of either kind.
  const bool may = isFloat || (value.type[0] == 'b' && bytes >= 4);
  return may ? out + "  " + floatText(value.bits, bytes, value.type == "bf16") : out;
}

std::string variableText(const sim::DebugVariable& value) {
  std::string out = fmt::format("{} {} = {}", value.type, value.name, value.value);
  return value.place.empty() ? out : fmt::format("{}  [{}]", out, value.place);
}

Expected<std::uint64_t> number(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error == std::errc() && end == digits.data() + digits.size()) return value;
  return userError(fmt::format("expected a number, not '{}'", text));
}

Expected<std::array<std::uint32_t, 3>> threeNumbers(std::string_view text) {
  std::array<std::uint32_t, 3> result{};
  std::string_view rest = text;
  if (rest.starts_with("(") && rest.ends_with(")")) rest = rest.substr(1, rest.size() - 2);
  for (unsigned i = 0; i < 3; ++i) {
    const std::string_view one = rest.substr(0, rest.find(','));
    const auto value = number(one);
    if (!value.ok() || value.value() > 0xffffffffU) {
      return userError(fmt::format("expected up to three numbers like 1,0,0, not '{}'", text));
    }
    result[i] = static_cast<std::uint32_t>(value.value());
    if (one.size() == rest.size()) return result;
    rest.remove_prefix(one.size() + 1);
  }
  return userError(fmt::format("expected up to three numbers like 1,0,0, not '{}'", text));
}

}  // namespace cutwork::tool

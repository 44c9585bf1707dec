// Value.cpp -- numbers, and bits with what they are as numbers.
#include "Value.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "Arithmetic/Half.h"

namespace cutwork::sim {
namespace {

std::string floatText(unsigned bits, std::uint64_t value, bool bf16) {
  const auto low = static_cast<std::uint16_t>(value);
  if (bits == 16) return fmt::format("{}", bf16 ? bf16ToF32(low) : halfToF32(low));
  if (bits == 64) return fmt::format("{}", std::bit_cast<double>(value));
  return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(value)));
}

std::int64_t extended(unsigned bits, std::uint64_t value) {
  const unsigned unused = 64 - bits;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

/// The elements of a packed type of two floating-point numbers.
std::string pairText(Ty type, std::uint64_t value) {
  const unsigned bits = bitsOf(type) / 2;
  const bool bf16 = type == Ty::BF16x2;
  return fmt::format("{{{}, {}}}", floatText(bits, value, bf16),
                     floatText(bits, value >> bits, bf16));
}

}  // namespace

std::string valueText(Ty type, const std::uint8_t* bytes) {
  const unsigned size = bytesOf(type);
  const std::string_view name = spelling(type);
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, size < 8 ? size : 8);
  if (size > 8) {
    std::uint64_t upper = 0;
    std::memcpy(&upper, bytes + 8, 8);
    return fmt::format("0x{:016x}{:016x} ({})", upper, value, name);
  }
  const unsigned bits = 8 * size;
  switch (kindOf(type)) {
    case Kind::Unsigned: return fmt::format("{} ({})", value, name);
    case Kind::Signed: return fmt::format("{} ({})", extended(bits, value), name);
    case Kind::Float: return fmt::format("{} ({})", floatText(bits, value, type == Ty::BF16), name);
    case Kind::Packed:
      if (type == Ty::F16x2 || type == Ty::BF16x2 || type == Ty::F32x2) {
        return fmt::format("{} ({})", pairText(type, value), name);
      }
      break;
    default: break;
  }
  const std::string hex = fmt::format("0x{:0{}x} ({}", value, 2 * size, name);
  if (size < 2) return fmt::format("{}; s{} {})", hex, bits, extended(bits, value));
  return fmt::format("{}; f{} {}, s{} {})", hex, bits, floatText(bits, value, false), bits,
                     extended(bits, value));
}

}  // namespace cutwork::sim

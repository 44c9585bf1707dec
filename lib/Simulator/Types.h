// Types.h -- the scalar types of PTX: width, kind, spelling.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cutwork::sim {

/// What the bits of a type mean.
enum class Kind : std::uint8_t { Bits, Unsigned, Signed, Float, Packed, Pred };

// X(enumerator, spelling, bits, kind). A packed type is what a 32-bit (or 16-bit) register holds.
#define CW_PTX_TYPES(X)           \
  X(B8, "b8", 8, Bits)            \
  X(B16, "b16", 16, Bits)         \
  X(B32, "b32", 32, Bits)         \
  X(B64, "b64", 64, Bits)         \
  X(B128, "b128", 128, Bits)      \
  X(U8, "u8", 8, Unsigned)        \
  X(U16, "u16", 16, Unsigned)     \
  X(U32, "u32", 32, Unsigned)     \
  X(U64, "u64", 64, Unsigned)     \
  X(S8, "s8", 8, Signed)          \
  X(S16, "s16", 16, Signed)       \
  X(S32, "s32", 32, Signed)       \
  X(S64, "s64", 64, Signed)       \
  X(S4, "s4", 4, Signed)          \
  X(U4, "u4", 4, Unsigned)        \
  X(S2, "s2", 2, Signed)          \
  X(U2, "u2", 2, Unsigned)        \
  X(F16, "f16", 16, Float)        \
  X(BF16, "bf16", 16, Float)      \
  X(F32, "f32", 32, Float)        \
  X(F64, "f64", 64, Float)        \
  X(TF32, "tf32", 32, Float)      \
  X(F16x2, "f16x2", 32, Packed)   \
  X(BF16x2, "bf16x2", 32, Packed) \
  X(F32x2, "f32x2", 64, Packed)   \
  X(U16x2, "u16x2", 32, Packed)   \
  X(S16x2, "s16x2", 32, Packed)   \
  X(E4M3x2, "e4m3x2", 16, Packed) \
  X(E5M2x2, "e5m2x2", 16, Packed) \
  X(Pred, "pred", 1, Pred)

enum class Ty : std::uint8_t {
#define CW_ROW(enumerator, spelling, bits, kind) enumerator,
  CW_PTX_TYPES(CW_ROW)
#undef CW_ROW
      None,
};

std::optional<Ty> typeNamed(std::string_view spelling);
std::string_view spelling(Ty type);
unsigned bitsOf(Ty type);
Kind kindOf(Ty type);
/// Bytes in memory; a predicate has none.
inline unsigned bytesOf(Ty type) { return bitsOf(type) / 8; }
inline bool isFloat(Ty type) { return kindOf(type) == Kind::Float; }
inline bool isIntegral(Ty type) {
  return kindOf(type) == Kind::Signed || kindOf(type) == Kind::Unsigned;
}
inline bool isSigned(Ty type) { return kindOf(type) == Kind::Signed; }

/// The state spaces.
enum class Space : std::uint8_t { Generic, Global, Shared, Local, Const, Param, Reg };

}  // namespace cutwork::sim

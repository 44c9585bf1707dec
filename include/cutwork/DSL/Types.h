// cutwork/DSL/Types.h -- the element types of the kernel language, and how they combine.
//
//     Boolean                       1 bit, kept in memory as a byte
//     Int8 ... Int64                signed, two's complement
//     Uint8 ... Uint64              unsigned
//     Float16, BFloat16, Float32, Float64
//     TFloat32                      f32 in memory, 10 bits of mantissa count
//     Float8E4M3FN, Float8E5M2      by conversion only: there is no arithmetic on them
#pragma once

#include <cstdint>
#include <string_view>

#include "cutwork/Support/Error.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

enum class DType {
  Boolean,
  Int8,
  Int16,
  Int32,
  Int64,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Float16,
  BFloat16,
  Float32,
  TFloat32,
  Float64,
  Float8E4M3FN,
  Float8E5M2,
};
inline constexpr int kDTypes = 16;

/// How a conversion rounds: to nearest even, towards zero, down, up; nearest with ties away from
/// zero (TFloat32 only).
enum class Rounding { rn, rz, rm, rp, rna };

/// `Float16`: as programs write it.
std::string_view name(DType type);
/// `f16`, `i32`, `u32`, `i1`, `f8e4m3fn`: as messages and printed tensors write it.
std::string_view shortName(DType type);
/// Bits of a value: 1 for Boolean.
int width(DType type);
/// Bits of an element in memory: 8 for Boolean, 32 for TFloat32.
int storageBits(DType type);
/// Bytes of an element in memory.
inline std::int64_t elementBytes(DType type) { return storageBits(type) / 8; }
bool isFloat(DType type);
/// Signed and unsigned integers, not Boolean.
bool isInteger(DType type);
bool isSigned(DType type);
/// By its name or short name. Error (User): no such type, with those that are.
Expected<DType> parseDType(std::string_view name);

/// The type of `a op b` for arithmetic:
///
///     same type            that type (Boolean: Int32)
///     integer, float       a float at least as wide as both: Float16 and Int8 give Float16, with
///                          Int32 Float32; BFloat16 and Int16 give Float16
///     two floats           the wider; at equal width Float32 over TFloat32, Float16 over BFloat16
///     two integers         the wider; of mixed signs the unsigned one if it is as wide, else the
///                          signed one
///
/// Error (User): an fp8 type, which has to be converted first.
/// Source: CuTe DSL's documented promotion rules.
Expected<DType> promote(DType a, DType b);

}  // namespace cutwork::cute

#pragma GCC visibility pop

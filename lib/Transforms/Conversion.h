// Conversion.h -- conversions of single numbers as cute.convert describes them.
#pragma once

#include "IR/Cute.h"
#include "Transforms/MathEmit.h"

namespace cutwork::transforms::math {

struct Conversion {
  mlir::Type result;
  ir::Rounding rounding = ir::Rounding::NearestEven;
  bool saturate = false;
  bool tf32 = false;
  bool unsignedSource = false;
  bool unsignedResult = false;
};

/// What a target's processor has (PTX ISA, section 9.7.9.22).
struct ConversionTarget {
  bool host = false;          ///< none of the device's instructions
  bool f8 = false;            ///< sm_89: between f8 and f16, and from f32
  bool tf32Rounding = false;  ///< sm_90: tf32 by rn and rz
};

/// One number. f8 operands and results are their encodings, i8.
Num converted(Num source, mlir::Type sourceType, const Conversion& how, const ConversionTarget& on);

/// Two numbers to encodings of 8 bits, in an i16 with the first below: with one instruction where
/// the target has it.
Num convertedBytes(Num first, Num second, mlir::Type sourceType, const Conversion& how,
                   const ConversionTarget& on);

/// The roundings that a CPU has no instruction for: f32 and f64 to integers and back, f64 to f32.
/// `odd`: towards zero, with the last bit set where it was inexact.
namespace host {
Num realToInteger(Num source, const Conversion& how);
Num integerToDouble(Num source, bool isUnsigned, ir::Rounding rounding, bool odd);
Num doubleToSingle(Num source, ir::Rounding rounding, bool odd);
}  // namespace host

}  // namespace cutwork::transforms::math

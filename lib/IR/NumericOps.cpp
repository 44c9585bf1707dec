// NumericOps.cpp -- verification of the ops on numbers.
#include <mlir/IR/TypeUtilities.h>

#include "IR/Cute.h"

#define GET_OP_CLASSES
#include "IR/NumericOps.cpp.inc"

namespace cutwork::ir {

mlir::LogicalResult Convert::verify() {
  mlir::Type from = getSource().getType();
  mlir::Type to = getResult().getType();
  auto fromVector = mlir::dyn_cast<mlir::VectorType>(from);
  auto toVector = mlir::dyn_cast<mlir::VectorType>(to);
  if (!fromVector != !toVector || (fromVector && fromVector.getShape() != toVector.getShape()) ||
      (fromVector && (fromVector.isScalable() || toVector.isScalable()))) {
    return emitOpError() << "keeps the number of elements: " << from << " became " << to;
  }
  mlir::Type source = mlir::getElementTypeOrSelf(from);
  mlir::Type result = mlir::getElementTypeOrSelf(to);
  if (getTf32() && !result.isF32()) {
    return emitOpError() << "tf32 is kept in f32, not in " << result;
  }
  if (getRounding() == Rounding::NearestAway && !getTf32())
    return emitOpError() << "rna is for tf32; " << result << " is rounded by rn, rz, rm or rp";
  if (getTf32() && (getRounding() == Rounding::Down || getRounding() == Rounding::Up)) {
    return emitOpError() << "tf32 is rounded by rn, rz or rna, not by "
                         << stringifyRounding(getRounding());
  }
  if (getSaturate() && (result.isF64() || (result.isF32() && !getTf32())))
    return emitOpError() << "saturate is for integers, tf32 and types of 8 or 16 bits, not "
                         << result;
  if (getUnsignedSource() && !source.isInteger())
    return emitOpError() << "unsigned_source is for integers, not " << source;
  if (getUnsignedResult() && !result.isInteger())
    return emitOpError() << "unsigned_result is for integers, not " << result;
  return mlir::success();
}

}  // namespace cutwork::ir

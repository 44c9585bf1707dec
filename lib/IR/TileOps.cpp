// TileOps.cpp -- verification of the ops on tiles.
#include "IR/CopyVerifier.h"
#include "IR/Cute.h"
#include "IR/LayoutText.h"

#define GET_OP_CLASSES
#include "IR/TileOps.cpp.inc"

namespace cutwork::ir {

mlir::LogicalResult CopyAsync::verify() {
  if (mlir::failed(verifyCopy(*this))) return mlir::failure();
  PtrType from = getSource().getType();
  PtrType to = getTarget().getType();
  if (from.getSpace() != Space::Gmem || to.getSpace() != Space::Smem) {
    return emitOpError() << "cp.async copies gmem to smem, not " << stringifySpace(from.getSpace())
                         << " to " << stringifySpace(to.getSpace());
  }
  if (getCache() != "ca" && getCache() != "cg")
    return emitOpError() << "a cache is ca or cg, not " << getCache();
  constexpr std::int64_t kWidest = 128;
  std::int64_t bits =
      static_cast<std::int64_t>(getVector()) * from.getElement().getIntOrFloatBitWidth();
  bool known = bits == kWidest || (getCache() == "ca" && (bits == 32 || bits == 64));
  if (known) return mlir::success();
  return emitOpError() << "cp.async." << getCache() << " moves "
                       << (getCache() == "ca" ? "32, 64 or 128" : "128") << " bits, not " << bits;
}

namespace {

// The extents (V, X, Y) of an operand, or an error at the op.
mlir::FailureOr<std::vector<std::int64_t>> extentsOf(mlir::Operation* op, llvm::StringRef text,
                                                     std::size_t operands) {
  if (mlir::failed(sideOf(op, text, operands))) return mlir::failure();
  std::vector<std::int64_t> extents = modeExtents({text.data(), text.size()}).value();
  if (extents.size() == 3) return extents;
  return op->emitOpError() << "an operand has three modes, values and two of M, N and K, not \""
                           << text << "\"";
}

}  // namespace

mlir::LogicalResult Gemm::verify() {
  if (getKind() != "universal") return emitOpError() << "no atom is called " << getKind();
  auto d = extentsOf(*this, getDLayout(), 0);
  auto a = extentsOf(*this, getALayout(), getADynamic().size());
  auto b = extentsOf(*this, getBLayout(), getBDynamic().size());
  auto c = extentsOf(*this, getCLayout(), 0);
  if (mlir::failed(d) || mlir::failed(a) || mlir::failed(b) || mlir::failed(c))
    return mlir::failure();
  if ((*d)[0] != 1 || (*a)[0] != 1 || (*b)[0] != 1)
    return emitOpError() << "a universal atom has one value of each operand";
  bool fits = *c == *d && (*d)[1] == (*a)[1] && (*d)[2] == (*b)[1] && (*a)[2] == (*b)[2];
  if (!fits) {
    return emitOpError() << "(V,M,N) \"" << getDLayout() << "\" and \"" << getCLayout()
                         << "\" do not fit (V,M,K) \"" << getALayout() << "\" and (V,N,K) \""
                         << getBLayout() << "\"";
  }
  mlir::Type type = getD().getType().getElement();
  for (mlir::Value operand : {getA(), getB(), getC()}) {
    mlir::Type other = mlir::cast<PtrType>(operand.getType()).getElement();
    if (other != type)
      return emitOpError() << "elements are " << type << " in d and " << other << " elsewhere";
  }
  for (mlir::Value operand : {getD(), getC()}) {
    Space space = mlir::cast<PtrType>(operand.getType()).getSpace();
    if (space != Space::Rmem)
      return emitOpError() << "accumulators are in rmem, not " << stringifySpace(space);
  }
  return mlir::success();
}

}  // namespace cutwork::ir

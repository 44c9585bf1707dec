// CopyVerifier.h -- what cute.copy and cute.copy_async check in common.
#pragma once

#include "IR/Cute.h"
#include "IR/LayoutText.h"

namespace cutwork::ir {

/// The elements of a layout text with so many operands for its `?`, or an error at the op.
inline mlir::FailureOr<LayoutShape> sideOf(mlir::Operation* op, llvm::StringRef text,
                                           std::size_t operands) {
  auto shape = readLayoutText({text.data(), text.size()});
  if (!shape) return op->emitOpError() << "layout \"" << text << "\": " << shape.error().message();
  if (shape->dynamicLeaves == operands) return *shape;
  return op->emitOpError() << "layout \"" << text << "\" has " << shape->dynamicLeaves
                           << " dynamic leaves, but there are " << operands << " operands for them";
}

template <class Op>
mlir::LogicalResult verifyPredicate(Op op, std::int64_t executions) {
  if (!op.getPredicate()) return mlir::success();
  if (!op.getPredicateLayout()) return op.emitOpError() << "a predicate has a layout";
  mlir::Type predicate = op.getPredicate().getType().getElement();
  if (!predicate.isInteger(8)) return op.emitOpError() << "predicates are bytes, not " << predicate;
  auto predicates = sideOf(op, *op.getPredicateLayout(), 0);
  if (mlir::failed(predicates)) return mlir::failure();
  if (predicates->size == executions) return mlir::success();
  return op.emitOpError() << predicates->size << " predicates for " << executions << " executions";
}

template <class Op>
mlir::LogicalResult verifyCopy(Op op) {
  auto from = sideOf(op, op.getSourceLayout(), op.getSourceDynamic().size());
  auto to = sideOf(op, op.getTargetLayout(), op.getTargetDynamic().size());
  if (mlir::failed(from) || mlir::failed(to)) return mlir::failure();
  if (from->size != to->size) {
    return op.emitOpError() << "copies " << from->size << " elements to " << to->size;
  }
  if (from->size == 0) return op.emitOpError() << "copies at least one element, not 0";
  auto vector = static_cast<std::int64_t>(op.getVector());
  if (vector < 1 || from->size % vector != 0) {
    return op.emitOpError() << "vectors of " << vector << " do not make up " << from->size
                            << " elements";
  }
  mlir::Type source = op.getSource().getType().getElement();
  mlir::Type target = op.getTarget().getType().getElement();
  if (source != target) return op.emitOpError() << "copies " << source << " to " << target;
  return verifyPredicate(op, from->size / vector);
}

}  // namespace cutwork::ir

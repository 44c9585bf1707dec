// LowerCopy.cpp -- cute.copy to loads and stores of vectors.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include "IR/Cute.h"
#include "Transforms/AccessPlan.h"
#include "Transforms/CutePatterns.h"
#include "Transforms/MemoryAccess.h"

namespace cutwork::transforms {

namespace {

class LowerCopy : public mlir::OpConversionPattern<ir::Copy> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::Copy op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    auto vector = static_cast<std::int64_t>(op.getVector());
    mlir::Type element = op.getSource().getType().getElement();
    int bits = static_cast<int>(element.getIntOrFloatBitWidth());
    int widest = static_cast<const CuteTypeConverter*>(getTypeConverter())->widestGlobal();
    auto planFor = [&](llvm::StringRef text, ir::PtrType pointer) {
      return planAccesses({text.data(), text.size()}, bits, pointer.getAlignment(),
                          widestOf(pointer, widest), vector);
    };
    auto from = planFor(op.getSourceLayout(), op.getSource().getType());
    auto to = planFor(op.getTargetLayout(), op.getTarget().getType());
    if (!from || !to) {
      return op.emitError() << (!from ? from.error().message() : to.error().message());
    }
    MemorySide source{operands.getSource(), op.getSource().getType(), operands.getSourceDynamic(),
                      *from};
    MemorySide target{operands.getTarget(), op.getTarget().getType(), operands.getTargetDynamic(),
                      *to};
    std::int64_t total = from->back().first + from->back().count;
    if (operands.getPredicate()) {
      auto status = guarded(op, operands, rewriter, source, target, total);
      if (mlir::failed(status)) return status;
    } else {
      // All loads before all stores: the compiler could not know that they are apart.
      llvm::SmallVector<mlir::Value> loaded;
      for (std::int64_t first = 0; first < total; first += vector) {
        loaded.push_back(readRange(rewriter, op.getLoc(), source, first, vector));
      }
      for (std::int64_t first = 0; first < total; first += vector) {
        writeRange(rewriter, op.getLoc(), loaded[static_cast<std::size_t>(first / vector)], target,
                   first);
      }
    }
    rewriter.eraseOp(op);
    return mlir::success();
  }

  static mlir::LogicalResult guarded(ir::Copy op, OpAdaptor operands,
                                     mlir::ConversionPatternRewriter& rewriter,
                                     const MemorySide& source, const MemorySide& target,
                                     std::int64_t total) {
    auto vector = static_cast<std::int64_t>(op.getVector());
    llvm::StringRef layout = *op.getPredicateLayout();
    auto plan = planAccesses({layout.data(), layout.size()}, 8, 1, 8, 1);
    if (!plan) return op.emitError() << plan.error().message();
    MemorySide when{operands.getPredicate(), op.getPredicate().getType(), {}, *plan};
    for (std::int64_t first = 0; first < total; first += vector) {
      mlir::Value holds = readPredicate(rewriter, op.getLoc(), when, first / vector);
      mlir::scf::IfOp::create(
          rewriter, op.getLoc(), holds, [&](mlir::OpBuilder& b, mlir::Location where) {
            writeRange(b, where, readRange(b, where, source, first, vector), target, first);
            mlir::scf::YieldOp::create(b, where);
          });
    }
    return mlir::success();
  }
};

}  // namespace

void populateCopyPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types) {
  patterns.add<LowerCopy>(types, patterns.getContext());
}

}  // namespace cutwork::transforms

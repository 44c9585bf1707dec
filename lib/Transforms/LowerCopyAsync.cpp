// LowerCopyAsync.cpp -- cute.copy_async to cp.async.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

#include <algorithm>

#include "IR/Cute.h"
#include "Transforms/AccessPlan.h"
#include "Transforms/CutePatterns.h"
#include "Transforms/MemoryAccess.h"

namespace cutwork::transforms {

namespace {

namespace arith = mlir::arith;
namespace llvmd = mlir::LLVM;

class LowerCopyAsync : public mlir::OpConversionPattern<ir::CopyAsync> {
  using OpConversionPattern::OpConversionPattern;

  // Accesses of exactly one vector each.
  static mlir::FailureOr<std::vector<Access>> planFor(ir::CopyAsync op, llvm::StringRef text,
                                                      ir::PtrType pointer) {
    constexpr int kWidest = 128;
    auto vector = static_cast<std::int64_t>(op.getVector());
    auto bits = static_cast<int>(pointer.getElement().getIntOrFloatBitWidth());
    auto plan = planAccesses({text.data(), text.size()}, bits, pointer.getAlignment(),
                             widestOf(pointer, kWidest), vector);
    if (!plan) return op.emitError() << plan.error().message();
    auto whole = [&](const Access& access) { return access.count == vector; };
    if (std::ranges::all_of(*plan, whole)) return *std::move(plan);
    return op.emitError() << "cp.async: " << vector << " elements of \"" << text << "\" behind "
                          << pointer << " are not one aligned access";
  }

  static void emit(ir::CopyAsync op, mlir::OpBuilder& builder, mlir::Value to, mlir::Value from,
                   mlir::Value size) {
    std::int64_t bytes = static_cast<std::int64_t>(op.getVector()) *
                         op.getSource().getType().getElement().getIntOrFloatBitWidth() / 8;
    std::string name = "llvm.nvvm.cp.async." + op.getCache().str() + ".shared.global." +
                       std::to_string(bytes) + (size ? ".s" : "");
    llvm::SmallVector<mlir::Value> operands{to, from};
    if (size) operands.push_back(size);
    llvmd::CallIntrinsicOp::create(builder, op.getLoc(), builder.getStringAttr(name), operands);
  }

  // Where the predicate is false no bytes are read, and zeros fill the place.
  static void emitGuarded(ir::CopyAsync op, mlir::OpBuilder& builder, mlir::Value to,
                          mlir::Value from, mlir::Value holds) {
    mlir::Location where = op.getLoc();
    if (!op.getZeroFill()) {
      mlir::scf::IfOp::create(builder, where, holds, [&](mlir::OpBuilder& b, mlir::Location l) {
        emit(op, b, to, from, {});
        mlir::scf::YieldOp::create(b, l);
      });
      return;
    }
    auto bits = static_cast<std::int64_t>(op.getVector()) *
                op.getSource().getType().getElement().getIntOrFloatBitWidth();
    auto number = [&](std::int64_t value) -> mlir::Value {
      return arith::ConstantOp::create(builder, where,
                                       builder.getI32IntegerAttr(static_cast<int>(value)));
    };
    emit(op, builder, to, from,
         arith::SelectOp::create(builder, where, holds, number(bits / 8), number(0)));
  }

  mlir::LogicalResult matchAndRewrite(ir::CopyAsync op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    auto from = planFor(op, op.getSourceLayout(), op.getSource().getType());
    auto to = planFor(op, op.getTargetLayout(), op.getTarget().getType());
    if (mlir::failed(from) || mlir::failed(to)) return mlir::failure();
    MemorySide source{operands.getSource(), op.getSource().getType(), operands.getSourceDynamic(),
                      *from};
    MemorySide target{operands.getTarget(), op.getTarget().getType(), operands.getTargetDynamic(),
                      *to};
    std::vector<Access> predicates;
    if (operands.getPredicate()) {
      llvm::StringRef layout = *op.getPredicateLayout();
      auto plan = planAccesses({layout.data(), layout.size()}, 8, 1, 8, 1);
      if (!plan) return op.emitError() << plan.error().message();
      predicates = *std::move(plan);
    }
    mlir::Location where = op.getLoc();
    for (std::size_t i = 0; i < from->size(); ++i) {
      mlir::Value read = addressIn(rewriter, where, source, (*from)[i]);
      mlir::Value written = addressIn(rewriter, where, target, (*to)[i]);
      if (!operands.getPredicate()) {
        emit(op, rewriter, written, read, {});
        continue;
      }
      MemorySide when{operands.getPredicate(), op.getPredicate().getType(), {}, predicates};
      mlir::Value holds = readPredicate(rewriter, where, when, static_cast<std::int64_t>(i));
      emitGuarded(op, rewriter, written, read, holds);
    }
    rewriter.eraseOp(op);
    return mlir::success();
  }
};

}  // namespace

void populateCopyAsyncPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types) {
  patterns.add<LowerCopyAsync>(types, patterns.getContext());
}

}  // namespace cutwork::transforms

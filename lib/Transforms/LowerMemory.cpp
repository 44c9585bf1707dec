// LowerMemory.cpp -- loads, stores, offsets and slots to LLVM and vector ops.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/Interfaces/FunctionInterfaces.h>
#include <mlir/Pass/Pass.h>
#include <mlir/Transforms/DialectConversion.h>

#include "IR/Cute.h"
#include "Transforms/CutePatterns.h"
#include "Transforms/MemoryAccess.h"
#include "Transforms/Passes.h"

namespace cutwork::transforms {

namespace {

namespace llvmd = mlir::LLVM;

template <class Op>
mlir::FailureOr<std::vector<Access>> planOf(Op op, mlir::VectorType vector,
                                            const mlir::TypeConverter* types) {
  int widest = static_cast<const CuteTypeConverter*>(types)->widestGlobal();
  auto bits = static_cast<int>(vector.getElementTypeBitWidth());
  auto plan = planAccesses({op.getLayout().data(), op.getLayout().size()}, bits,
                           op.getPointer().getType().getAlignment(),
                           widestOf(op.getPointer().getType(), widest));
  if (!plan) return op.emitError() << "\"" << op.getLayout() << "\": " << plan.error().message();
  return *std::move(plan);
}

class LowerLoad : public mlir::OpConversionPattern<ir::Load> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::Load op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    auto type = mlir::cast<mlir::VectorType>(op.getResult().getType());
    auto plan = planOf(op, type, getTypeConverter());
    if (mlir::failed(plan)) return mlir::failure();
    MemorySide side{operands.getPointer(), op.getPointer().getType(), operands.getDynamic(), *plan};
    auto read = [&](mlir::OpBuilder& builder) {
      return readRange(builder, op.getLoc(), side, 0, type.getNumElements());
    };
    if (!operands.getPredicate()) {
      rewriter.replaceOp(op, read(rewriter));
      return mlir::success();
    }
    mlir::Value zero =
        mlir::arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getZeroAttr(type));
    auto branch = mlir::scf::IfOp::create(
        rewriter, op.getLoc(), operands.getPredicate(),
        [&](mlir::OpBuilder& b, mlir::Location l) { mlir::scf::YieldOp::create(b, l, read(b)); },
        [&](mlir::OpBuilder& b, mlir::Location l) { mlir::scf::YieldOp::create(b, l, zero); });
    rewriter.replaceOp(op, branch.getResults());
    return mlir::success();
  }
};

class LowerStore : public mlir::OpConversionPattern<ir::Store> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::Store op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    auto plan =
        planOf(op, mlir::cast<mlir::VectorType>(op.getValue().getType()), getTypeConverter());
    if (mlir::failed(plan)) return mlir::failure();
    MemorySide side{operands.getPointer(), op.getPointer().getType(), operands.getDynamic(), *plan};
    auto write = [&](mlir::OpBuilder& builder) {
      writeRange(builder, op.getLoc(), operands.getValue(), side, 0);
    };
    if (operands.getPredicate()) {
      mlir::scf::IfOp::create(rewriter, op.getLoc(), operands.getPredicate(),
                              [&](mlir::OpBuilder& b, mlir::Location l) {
                                write(b), mlir::scf::YieldOp::create(b, l);
                              });
    } else {
      write(rewriter);
    }
    rewriter.eraseOp(op);
    return mlir::success();
  }
};

class LowerAddOffset : public mlir::OpConversionPattern<ir::AddOffset> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::AddOffset op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    mlir::Value offset = operands.getOffset();
    if (!offset.getType().isInteger(64)) {
      offset = mlir::arith::ExtSIOp::create(rewriter, op.getLoc(), rewriter.getI64Type(), offset);
    }
    rewriter.replaceOpWithNewOp<llvmd::GEPOp>(op, operands.getSource().getType(),
                                              storedType(op.getSource().getType().getElement()),
                                              operands.getSource(), mlir::ValueRange{offset});
    return mlir::success();
  }
};

class LowerAlloca : public mlir::OpConversionPattern<ir::Alloca> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::Alloca op, OpAdaptor /*operands*/,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    // In the entry block, where SROA looks for it, and where a loop does not repeat it.
    auto function = op->getParentOfType<mlir::FunctionOpInterface>();
    mlir::OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&function.getFunctionBody().front());
    ir::PtrType type = op.getResult().getType();
    mlir::Value count = mlir::arith::ConstantOp::create(
        rewriter, op.getLoc(),
        rewriter.getI64IntegerAttr(static_cast<std::int64_t>(op.getCount())));
    mlir::Value slot = llvmd::AllocaOp::create(
        rewriter, op.getLoc(), llvmd::LLVMPointerType::get(op.getContext()),
        storedType(type.getElement()), count, static_cast<unsigned>(type.getAlignment()));
    rewriter.replaceOp(op, slot);
    return mlir::success();
  }
};

}  // namespace

void populateMemoryPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types) {
  patterns.add<LowerLoad, LowerStore, LowerAddOffset, LowerAlloca>(types, patterns.getContext());
}

}  // namespace cutwork::transforms

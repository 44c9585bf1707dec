// LowerAtomics.cpp -- cute's atomics to LLVM's.
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

#include "IR/Cute.h"
#include "Transforms/CutePatterns.h"

namespace cutwork::transforms {

namespace {

namespace llvmd = mlir::LLVM;

// LLVM's scopes for NVPTX; its empty one is the whole system.
llvm::StringRef scopeOf(llvm::StringRef scope) {
  if (scope == "cta") return "block";
  if (scope == "gpu") return "device";
  return scope == "sys" ? "" : scope;
}

llvmd::AtomicOrdering orderOf(llvm::StringRef order) {
  if (order == "acquire") return llvmd::AtomicOrdering::acquire;
  if (order == "release") return llvmd::AtomicOrdering::release;
  if (order == "acq_rel") return llvmd::AtomicOrdering::acq_rel;
  return llvmd::AtomicOrdering::monotonic;
}

llvmd::AtomicBinOp kindOf(llvm::StringRef kind) {
  if (kind == "and") return llvmd::AtomicBinOp::_and;
  if (kind == "or") return llvmd::AtomicBinOp::_or;
  if (kind == "xor") return llvmd::AtomicBinOp::_xor;
  return *llvmd::symbolizeAtomicBinOp(kind);
}

class LowerRmw : public mlir::OpConversionPattern<ir::AtomicRmw> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::AtomicRmw op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    rewriter.replaceOpWithNewOp<llvmd::AtomicRMWOp>(op, kindOf(op.getKind()), operands.getPointer(),
                                                    operands.getValue(), orderOf(op.getOrder()),
                                                    scopeOf(op.getScope()));
    return mlir::success();
  }
};

class LowerCas : public mlir::OpConversionPattern<ir::AtomicCas> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::AtomicCas op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    llvmd::AtomicOrdering order = orderOf(op.getOrder());
    bool acquires =
        order == llvmd::AtomicOrdering::acquire || order == llvmd::AtomicOrdering::acq_rel;
    mlir::Value both = llvmd::AtomicCmpXchgOp::create(
        rewriter, op.getLoc(), operands.getPointer(), operands.getExpected(), operands.getValue(),
        order, acquires ? llvmd::AtomicOrdering::acquire : llvmd::AtomicOrdering::monotonic,
        scopeOf(op.getScope()));
    rewriter.replaceOpWithNewOp<llvmd::ExtractValueOp>(op, both, 0);
    return mlir::success();
  }
};

}  // namespace

void populateAtomicPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types) {
  patterns.add<LowerRmw, LowerCas>(types, patterns.getContext());
}

}  // namespace cutwork::transforms

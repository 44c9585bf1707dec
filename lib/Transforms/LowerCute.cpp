// LowerCute.cpp -- the pass from cute ops and types to LLVM and vector ops.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Func/Transforms/FuncConversions.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/Pass/Pass.h>

#include "IR/Cute.h"
#include "Transforms/CutePatterns.h"
#include "Transforms/Passes.h"
#include "cutwork/Atoms/CopyAtoms.h"

namespace cutwork::transforms {

namespace {

namespace llvmd = mlir::LLVM;

unsigned addressSpace(ir::Space space) {
  return space == ir::Space::Rmem ? 0 : static_cast<unsigned>(space);
}

class LowerRecast : public mlir::OpConversionPattern<ir::Recast> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::Recast op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    rewriter.replaceOp(op, operands.getSource());
    return mlir::success();
  }
};

template <class From, class To>
class LowerCast : public mlir::OpConversionPattern<From> {
  using mlir::OpConversionPattern<From>::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(From op, typename From::Adaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    mlir::Type type = this->getTypeConverter()->convertType(op.getResult().getType());
    rewriter.template replaceOpWithNewOp<To>(op, type, operands.getSource());
    return mlir::success();
  }
};

class LowerSmemBase : public mlir::OpConversionPattern<ir::SmemBase> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::SmemBase op, OpAdaptor /*operands*/,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    constexpr llvm::StringLiteral kName = "cutwork_smem";
    constexpr unsigned kAlignment = 1024;
    auto module = op->getParentOfType<mlir::gpu::GPUModuleOp>();
    if (!module) return op.emitError() << "shared memory is of kernels";
    unsigned space = addressSpace(ir::Space::Smem);
    if (module.lookupSymbol(kName) == nullptr) {
      mlir::OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      auto type = llvmd::LLVMArrayType::get(rewriter.getI8Type(), 0);
      llvmd::GlobalOp::create(rewriter, op.getLoc(), type, /*isConstant=*/false,
                              llvmd::Linkage::External, kName, mlir::Attribute(), kAlignment,
                              space);
    }
    auto pointer = llvmd::LLVMPointerType::get(getContext(), space);
    rewriter.replaceOpWithNewOp<llvmd::AddressOfOp>(op, pointer, kName);
    return mlir::success();
  }
};

// Vectors of more than 128 bits are of PTX 8.8.
void requirePtxOfVectors(mlir::Operation* module) {
  constexpr std::int64_t kOrdinary = 128;
  bool wide = false;
  auto note = [&](mlir::Type type) {
    auto vector = mlir::dyn_cast<mlir::VectorType>(type);
    if (!vector) return;
    wide |= vector.getNumElements() * vector.getElementTypeBitWidth() > kOrdinary;
  };
  module->walk([&](llvmd::LoadOp op) { note(op.getType()); });
  module->walk([&](llvmd::StoreOp op) { note(op.getValue().getType()); });
  if (wide) ir::requirePtx(module, 88);
}

class LowerCute : public mlir::PassWrapper<LowerCute, mlir::OperationPass<>> {
 public:
  explicit LowerCute(const Target& target)
      : widestGlobal_(cute::widestCopy(cute::CopyKind::Universal, target)) {}
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerCute)
  [[nodiscard]] llvm::StringRef getArgument() const override { return "cutwork-lower-cute"; }
  [[nodiscard]] llvm::StringRef getDescription() const override {
    return "cute ops to LLVM and vector ops; of a gpu.module for kernels, else for the host";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<mlir::arith::ArithDialect, llvmd::LLVMDialect, mlir::scf::SCFDialect,
                    mlir::vector::VectorDialect>();
  }

  void runOnOperation() override {
    bool host = !mlir::isa<mlir::gpu::GPUModuleOp>(getOperation());
    CuteTypeConverter types(host, widestGlobal_);
    mlir::ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](mlir::Operation*) { return true; });
    target.addIllegalDialect<ir::CuteDialect>();
    target.addLegalOp<ir::ReturnIf>();
    auto isLegal = [&](auto function) {
      return types.isSignatureLegal(function.getFunctionType()) &&
             types.isLegal(&function.getFunctionBody());
    };
    target.addDynamicallyLegalOp<mlir::gpu::GPUFuncOp>(
        [&](mlir::gpu::GPUFuncOp function) { return isLegal(function); });
    target.addDynamicallyLegalOp<mlir::func::FuncOp>(
        [&](mlir::func::FuncOp function) { return isLegal(function); });
    mlir::RewritePatternSet patterns(&getContext());
    populateMemoryPatterns(patterns, types);
    populatePointerPatterns(patterns, types);
    populateCopyPatterns(patterns, types);
    populateCopyAsyncPatterns(patterns, types);
    populateGemmPatterns(patterns, types);
    populateAtomicPatterns(patterns, types);
    populatePrintPatterns(patterns, types, host);
    if (host) populateHostPatterns(patterns, types);
    mlir::populateFunctionOpInterfaceTypeConversionPattern<mlir::gpu::GPUFuncOp>(patterns, types);
    mlir::populateFunctionOpInterfaceTypeConversionPattern<mlir::func::FuncOp>(patterns, types);
    if (mlir::failed(mlir::applyPartialConversion(getOperation(), target, std::move(patterns))))
      return signalPassFailure();
    if (!host) requirePtxOfVectors(getOperation());
  }

 private:
  int widestGlobal_;
};

}  // namespace

CuteTypeConverter::CuteTypeConverter(bool host, int widestGlobal) : widestGlobal_(widestGlobal) {
  addConversion([](mlir::Type type) { return type; });
  addConversion([host](ir::PtrType type) {
    return llvmd::LLVMPointerType::get(type.getContext(), host ? 0 : addressSpace(type.getSpace()));
  });
}

void populatePointerPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types) {
  patterns.add<LowerRecast, LowerSmemBase, LowerCast<ir::PtrToInt, llvmd::PtrToIntOp>,
               LowerCast<ir::IntToPtr, llvmd::IntToPtrOp>>(types, patterns.getContext());
}

std::unique_ptr<mlir::Pass> createLowerCutePass(const Target& target) {
  return std::make_unique<LowerCute>(target);
}

}  // namespace cutwork::transforms

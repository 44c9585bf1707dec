// KernelFunctions.cpp -- gpu.func to llvm.func.
#include "KernelFunctions.h"

#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/LLVMIR/NVVMDialect.h>
#include <mlir/IR/Builders.h>
#include <mlir/Pass/Pass.h>

namespace cutwork::codegen {

namespace {

class KernelFunctions
    : public mlir::PassWrapper<KernelFunctions, mlir::OperationPass<mlir::gpu::GPUModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelFunctions)
  [[nodiscard]] llvm::StringRef getArgument() const override { return "cutwork-kernel-functions"; }
  [[nodiscard]] llvm::StringRef getDescription() const override { return "gpu.func to llvm.func"; }
  // Attributes of a dialect that is not loaded are dropped in the translation to LLVM IR.
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
  }

  void runOnOperation() override {
    llvm::SmallVector<mlir::gpu::GPUFuncOp> functions(
        getOperation().getOps<mlir::gpu::GPUFuncOp>());
    for (mlir::gpu::GPUFuncOp function : functions) {
      if (mlir::failed(convert(function))) return signalPassFailure();
    }
  }

 private:
  static mlir::LogicalResult convert(mlir::gpu::GPUFuncOp function) {
    mlir::OpBuilder builder(function);
    for (mlir::Type type : function.getArgumentTypes()) {
      if (!mlir::LLVM::isCompatibleType(type)) {
        return function.emitError("argument of type ")
               << type << " was not lowered to an LLVM type";
      }
    }
    auto type = mlir::LLVM::LLVMFunctionType::get(
        mlir::LLVM::LLVMVoidType::get(builder.getContext()), function.getArgumentTypes());
    auto made =
        mlir::LLVM::LLVMFuncOp::create(builder, function.getLoc(), function.getName(), type);
    for (mlir::NamedAttribute attribute : function->getDiscardableAttrs())
      made->setAttr(attribute.getName(), attribute.getValue());
    if (auto attributes = function.getArgAttrsAttr()) made.setArgAttrsAttr(attributes);
    if (function.isKernel())
      made->setAttr(mlir::NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    made.getBody().takeBody(function.getBody());
    made.walk([](mlir::gpu::ReturnOp end) {
      mlir::OpBuilder at(end);
      mlir::LLVM::ReturnOp::create(at, end.getLoc(), mlir::ValueRange());
      end.erase();
    });
    function.erase();
    return mlir::success();
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createKernelFunctionsPass() {
  return std::make_unique<KernelFunctions>();
}

}  // namespace cutwork::codegen

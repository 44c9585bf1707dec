// LowerReturns.cpp -- cute.return_if to a branch to the exit block.
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/IR/Builders.h>
#include <mlir/Pass/Pass.h>

#include "IR/Cute.h"
#include "Transforms/Passes.h"

namespace cutwork::transforms {

namespace {

class LowerReturns
    : public mlir::PassWrapper<LowerReturns, mlir::OperationPass<mlir::LLVM::LLVMFuncOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerReturns)
  [[nodiscard]] llvm::StringRef getArgument() const override { return "cutwork-lower-returns"; }
  [[nodiscard]] llvm::StringRef getDescription() const override {
    return "early returns to branches";
  }

  void runOnOperation() override {
    llvm::SmallVector<ir::ReturnIf> returns;
    getOperation().walk([&](ir::ReturnIf op) { returns.push_back(op); });
    if (returns.empty()) return;
    mlir::OpBuilder builder(getOperation());
    mlir::Block* exit =
        builder.createBlock(&getOperation().getBody(), getOperation().getBody().end());
    mlir::LLVM::ReturnOp::create(builder, getOperation().getLoc(), mlir::ValueRange());
    for (ir::ReturnIf op : returns) {
      mlir::Block* before = op->getBlock();
      mlir::Block* rest = before->splitBlock(op);
      builder.setInsertionPointToEnd(before);
      mlir::LLVM::CondBrOp::create(builder, op.getLoc(), op.getCondition(), exit, rest);
      op.erase();
    }
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createLowerReturnsPass() { return std::make_unique<LowerReturns>(); }

}  // namespace cutwork::transforms

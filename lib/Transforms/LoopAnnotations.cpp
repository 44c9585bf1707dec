// LoopAnnotations.cpp -- what a loop says about its unrolling, to where LLVM's translation looks.
//
// The conversions from scf to cf to LLVM keep `llvm.loop_annotation` of a loop as an attribute of
// its branches, beside their own `loop_annotation`, which alone becomes `!llvm.loop`.
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Pass/Pass.h>

#include "Transforms/Passes.h"

namespace cutwork::transforms {

namespace {

template <class Branch>
void move(mlir::Operation* op) {
  constexpr llvm::StringLiteral kName = "llvm.loop_annotation";
  auto branch = mlir::dyn_cast<Branch>(op);
  if (!branch) return;
  auto how = op->getAttrOfType<mlir::LLVM::LoopAnnotationAttr>(kName);
  if (!how) return;
  op->removeDiscardableAttr(kName);
  branch.setLoopAnnotationAttr(how);
}

class LoopAnnotations : public mlir::PassWrapper<LoopAnnotations, mlir::OperationPass<>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LoopAnnotations)
  [[nodiscard]] llvm::StringRef getArgument() const override { return "cutwork-loop-annotations"; }
  [[nodiscard]] llvm::StringRef getDescription() const override {
    return "unrolling that loops ask for, to the branches that LLVM reads";
  }
  void runOnOperation() override {
    getOperation()->walk([](mlir::Operation* op) {
      move<mlir::LLVM::BrOp>(op);
      move<mlir::LLVM::CondBrOp>(op);
    });
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createLoopAnnotationsPass() {
  return std::make_unique<LoopAnnotations>();
}

}  // namespace cutwork::transforms

// LowerPrint.cpp -- printing in kernels: vprintf.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Interfaces/FunctionInterfaces.h>

#include "IR/Cute.h"
#include "Transforms/CutePatterns.h"
#include "Transforms/HostLayout.h"

namespace cutwork::transforms {

namespace {

namespace llvmd = mlir::LLVM;

class LowerDevicePrint : public mlir::OpConversionPattern<ir::Print> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::Print op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    auto module = op->getParentOfType<mlir::gpu::GPUModuleOp>();
    mlir::Location where = op.getLoc();
    auto pointer = llvmd::LLVMPointerType::get(getContext());
    llvmd::LLVMFuncOp vprintf = declaration(rewriter, module, pointer);
    llvm::SmallVector<mlir::Type> types(operands.getValues().getTypes());
    mlir::Value buffer;
    if (types.empty()) {
      buffer = llvmd::ZeroOp::create(rewriter, where, pointer);
    } else {
      auto packed = llvmd::LLVMStructType::getLiteral(getContext(), types);
      buffer = slot(rewriter, op, packed);
      for (auto [i, value] : llvm::enumerate(operands.getValues())) {
        mlir::Value at = llvmd::GEPOp::create(
            rewriter, where, pointer, packed, buffer,
            llvm::ArrayRef<llvmd::GEPArg>{0, static_cast<std::int32_t>(i)});
        llvmd::StoreOp::create(rewriter, where, value, at);
      }
    }
    mlir::Value text = stringGlobal(rewriter, op, module, op.getFormat());
    llvmd::CallOp::create(rewriter, where, vprintf, mlir::ValueRange{text, buffer});
    rewriter.eraseOp(op);
    return mlir::success();
  }

  static mlir::Value slot(mlir::ConversionPatternRewriter& rewriter, mlir::Operation* op,
                          mlir::Type type) {
    mlir::OpBuilder::InsertionGuard guard(rewriter);
    auto function = op->getParentOfType<mlir::FunctionOpInterface>();
    rewriter.setInsertionPointToStart(&function.getFunctionBody().front());
    mlir::Value one =
        mlir::arith::ConstantOp::create(rewriter, op->getLoc(), rewriter.getI64IntegerAttr(1));
    auto pointer = llvmd::LLVMPointerType::get(op->getContext());
    return llvmd::AllocaOp::create(rewriter, op->getLoc(), pointer, type, one, 8);
  }

  static llvmd::LLVMFuncOp declaration(mlir::ConversionPatternRewriter& rewriter,
                                       mlir::gpu::GPUModuleOp module, mlir::Type pointer) {
    if (auto found = module.lookupSymbol<llvmd::LLVMFuncOp>("vprintf")) return found;
    mlir::OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    auto type = llvmd::LLVMFunctionType::get(rewriter.getI32Type(), {pointer, pointer});
    return llvmd::LLVMFuncOp::create(rewriter, module.getLoc(), "vprintf", type);
  }
};

}  // namespace

mlir::Value stringGlobal(mlir::ConversionPatternRewriter& rewriter, mlir::Operation* op,
                         mlir::Operation* module, llvm::StringRef text) {
  std::string terminated = (text + llvm::Twine('\0')).str();
  auto pointer = llvmd::LLVMPointerType::get(op->getContext());
  llvmd::GlobalOp global;
  unsigned number = 0;
  for (auto other : module->getRegion(0).getOps<llvmd::GlobalOp>()) {
    if (!other.getSymName().starts_with("cutwork_text_")) continue;
    ++number;
    auto value = mlir::dyn_cast_or_null<mlir::StringAttr>(other.getValueOrNull());
    if (value && value.getValue() == terminated) global = other;
  }
  if (!global) {
    mlir::OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&module->getRegion(0).front());
    auto type = llvmd::LLVMArrayType::get(rewriter.getI8Type(), terminated.size());
    global = llvmd::GlobalOp::create(rewriter, op->getLoc(), type, /*isConstant=*/true,
                                     llvmd::Linkage::Internal,
                                     ("cutwork_text_" + llvm::Twine(number)).str(),
                                     rewriter.getStringAttr(terminated));
  }
  return llvmd::AddressOfOp::create(rewriter, op->getLoc(), pointer, global.getSymName());
}

void populatePrintPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types,
                           bool host) {
  if (!host) patterns.add<LowerDevicePrint>(types, patterns.getContext());
}

}  // namespace cutwork::transforms

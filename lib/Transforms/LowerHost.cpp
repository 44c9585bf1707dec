// LowerHost.cpp -- arguments, launches and printing of host functions.
//
// A host function takes a context, {table, kernels, device} (HostContext in lib/Compiler), and its
// slots. The table is cutwork/Runtime/HostTable.h's; offsets are its frozen layout's.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Interfaces/FunctionInterfaces.h>

#include "IR/Cute.h"
#include "IR/FormatText.h"
#include "Transforms/CutePatterns.h"
#include "Transforms/HostLayout.h"

namespace cutwork::transforms {

namespace {

namespace llvmd = mlir::LLVM;
namespace arith = mlir::arith;

class Emitter {
 public:
  Emitter(mlir::ConversionPatternRewriter& builder, mlir::Operation* op)
      : builder_(builder),
        where_(op->getLoc()),
        entry_(&op->getParentOfType<mlir::FunctionOpInterface>().getFunctionBody().front()),
        pointer_(llvmd::LLVMPointerType::get(op->getContext())) {}

  [[nodiscard]] mlir::Type pointer() const { return pointer_; }
  mlir::Value context() { return entry_->getArgument(0); }
  mlir::Value slots() { return entry_->getArgument(1); }
  mlir::Value number(std::int64_t value) {
    return arith::ConstantOp::create(builder_, where_, builder_.getI64IntegerAttr(value));
  }
  mlir::Value number32(std::int64_t value) {
    return arith::ConstantOp::create(builder_, where_,
                                     builder_.getI32IntegerAttr(static_cast<std::int32_t>(value)));
  }
  mlir::Value null() { return llvmd::ZeroOp::create(builder_, where_, pointer_); }
  mlir::Value at(mlir::Value base, std::int64_t bytes) {
    return llvmd::GEPOp::create(builder_, where_, pointer_, builder_.getI8Type(), base,
                                llvm::ArrayRef<llvmd::GEPArg>{static_cast<std::int32_t>(bytes)});
  }
  mlir::Value load(mlir::Value base, std::int64_t bytes, mlir::Type type) {
    return llvmd::LoadOp::create(builder_, where_, type, at(base, bytes));
  }
  void store(mlir::Value value, mlir::Value base, std::int64_t bytes) {
    llvmd::StoreOp::create(builder_, where_, value, at(base, bytes));
  }
  // In the entry block, so that a loop does not grow the stack.
  mlir::Value slot(mlir::Type type, std::int64_t count) {
    mlir::OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToStart(entry_);
    return llvmd::AllocaOp::create(builder_, where_, pointer_, type, number(count), 16);
  }
  mlir::Value callTable(std::int64_t entry, mlir::Type result, mlir::ValueRange operands) {
    mlir::Value table = load(context(), kContextTable, pointer_);
    mlir::Value function = load(table, entry, pointer_);
    llvm::SmallVector<mlir::Type> types(operands.getTypes());
    auto type = llvmd::LLVMFunctionType::get(
        result ? result : llvmd::LLVMVoidType::get(builder_.getContext()), types);
    llvm::SmallVector<mlir::Value> all{function};
    all.append(operands.begin(), operands.end());
    auto call = llvmd::CallOp::create(builder_, where_, type, all);
    return result ? call.getResult() : mlir::Value();
  }

 private:
  mlir::ConversionPatternRewriter& builder_;
  mlir::Location where_;
  mlir::Block* entry_;
  mlir::Type pointer_;
};

class LowerArgument : public mlir::OpConversionPattern<ir::Argument> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::Argument op, OpAdaptor /*operands*/,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    Emitter e(rewriter, op);
    mlir::Type type = getTypeConverter()->convertType(op.getResult().getType());
    rewriter.replaceOp(
        op, e.load(e.slots(), static_cast<std::int64_t>(op.getSlot()) * kSlotBytes, type));
    return mlir::success();
  }
};

class LowerLaunch : public mlir::OpConversionPattern<ir::Launch> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::Launch op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    Emitter e(rewriter, op);
    mlir::Value config = e.slot(rewriter.getI8Type(), kLaunchBytes);
    std::int64_t offset = 0;
    for (mlir::Value extent : operands.getExtents()) e.store(extent, config, offset), offset += 8;
    for (int i = 0; i < 3; ++i) e.store(e.number(0), config, kLaunchPreferred + 8 * i);
    e.store(operands.getSmem(), config, kLaunchShared);
    e.store(operands.getStream() ? operands.getStream() : e.null(), config, kLaunchStream);
    e.store(e.number32(op.getCooperative() ? 1 : 0), config, kLaunchCooperative);
    e.store(e.number32(op.getProgrammatic() ? 1 : 0), config, kLaunchProgrammatic);
    e.store(e.number32(-1), config, kLaunchCarveout);
    e.store(e.number32(0), config, kLaunchCarveout + 4);
    auto count = static_cast<std::int64_t>(operands.getArgs().size());
    mlir::Value parameters = e.slot(e.pointer(), std::max<std::int64_t>(count, 1));
    for (auto [i, value] : llvm::enumerate(operands.getArgs())) {
      // An argument of the host function is passed where it stands.
      auto argument = op.getArgs()[i].getDefiningOp<ir::Argument>();
      mlir::Value place =
          argument ? e.at(e.slots(), static_cast<std::int64_t>(argument.getSlot()) * kSlotBytes)
                   : e.slot(value.getType(), 1);
      if (!argument) e.store(value, place, 0);
      e.store(place, parameters, static_cast<std::int64_t>(i) * kSlotBytes);
    }
    mlir::Value kernels = e.load(e.context(), kContextKernels, e.pointer());
    mlir::Value kernel =
        e.load(kernels, static_cast<std::int64_t>(op.getIndex()) * kSlotBytes, e.pointer());
    rewriter.replaceOp(op, e.callTable(kTableLaunch, rewriter.getI32Type(),
                                       {kernel, config, parameters, e.number(count)}));
    return mlir::success();
  }
};

// The values in 8-byte slots behind each other, and the runtime prints.
class LowerHostPrint : public mlir::OpConversionPattern<ir::Print> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::Print op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    auto function = op->getParentOfType<mlir::FunctionOpInterface>();
    if (!function || function.getNumArguments() != 2) {
      return op.emitError() << "prints in a host function, which has a context, or in a kernel";
    }
    Emitter e(rewriter, op);
    auto conversions = ir::conversionsOf({op.getFormat().data(), op.getFormat().size()});
    auto count = static_cast<std::int64_t>(operands.getValues().size());
    mlir::Value values = e.slot(rewriter.getI64Type(), std::max<std::int64_t>(count, 1));
    for (auto [i, value] : llvm::enumerate(operands.getValues())) {
      mlir::Value wide = value;
      mlir::Type i64 = rewriter.getI64Type();
      if (value.getType().isInteger(32)) {
        bool isSigned = ir::kindOf(conversions[i]) == ir::Converted::Signed;
        wide = isSigned ? arith::ExtSIOp::create(rewriter, op.getLoc(), i64, value).getResult()
                        : arith::ExtUIOp::create(rewriter, op.getLoc(), i64, value).getResult();
      }
      e.store(wide, values, static_cast<std::int64_t>(i) * kSlotBytes);
    }
    auto module = op->getParentOfType<mlir::ModuleOp>();
    mlir::Value text = stringGlobal(rewriter, op, module, op.getFormat());
    e.callTable(kTablePrintFormat, mlir::Type(), {text, values, e.number(count)});
    rewriter.eraseOp(op);
    return mlir::success();
  }
};

}  // namespace

void populateHostPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types) {
  patterns.add<LowerArgument, LowerLaunch, LowerHostPrint>(types, patterns.getContext());
}

}  // namespace cutwork::transforms

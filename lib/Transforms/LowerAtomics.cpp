// LowerAtomics.cpp -- cute's atomics to LLVM's.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

#include <string>

#include "IR/Cute.h"
#include "Transforms/CutePatterns.h"
#include "Transforms/MemoryAccess.h"

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

bool acquires(llvm::StringRef order) { return order == "acquire" || order == "acq_rel"; }
bool releases(llvm::StringRef order) { return order == "release" || order == "acq_rel"; }

// `add.u32`: the operation with its type as PTX has them; nothing where LLVM makes a loop.
// Source: PTX ISA, section "atom".
std::string ptxOperation(llvm::StringRef kind, mlir::Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  if (kind == "fadd") {
    if (type.isF16()) return "add.noftz.f16";
    return bits < 32 ? "" : ("add.f" + llvm::Twine(bits)).str();
  }
  if (bits < 32 || kind.starts_with("f")) return "";
  if (kind == "xchg") return ("exch.b" + llvm::Twine(bits)).str();
  if (kind == "add") return ("add.u" + llvm::Twine(bits)).str();
  if (kind == "max" || kind == "min") return (kind + ".s" + llvm::Twine(bits)).str();
  if (kind.consume_front("u")) return (kind + ".u" + llvm::Twine(bits)).str();
  return (kind + ".b" + llvm::Twine(bits)).str();
}

llvm::StringRef registerOf(mlir::Type type) {
  bool isFloat = mlir::isa<mlir::FloatType>(type);
  switch (type.getIntOrFloatBitWidth()) {
    case 16: return "h";
    case 32: return isFloat ? "f" : "r";
    default: return isFloat ? "d" : "l";
  }
}

llvm::StringRef spaceOf(ir::Space space) {
  if (space == ir::Space::Gmem) return ".global";
  if (space == ir::Space::Dsmem) return ".shared::cluster";
  return space == ir::Space::Smem ? ".shared" : "";
}

// LLVM's NVPTX back end writes every atomicrmw as relaxed and of the GPU (LLVM 22; cmpxchg it does
// right), so that what says more is PTX of ours.
class LowerRmw : public mlir::OpConversionPattern<ir::AtomicRmw> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::AtomicRmw op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    mlir::Location where = op.getLoc();
    mlir::Value address =
        swizzled(rewriter, where, operands.getPointer(), op.getPointer().getType());
    bool device = op->getParentOfType<mlir::gpu::GPUModuleOp>() != nullptr;
    bool more = device && (op.getOrder() != "relaxed" || op.getScope() == "sys");
    std::string operation = more ? ptxOperation(op.getKind(), op.getValue().getType()) : "";
    if (!operation.empty()) {
      rewriter.replaceOp(op, ptx(op, operands.getValue(), address, operation, rewriter));
      return mlir::success();
    }
    // A loop of cmpxchg keeps order and scope; bf16's addition is one instruction, of some targets.
    auto fence = [&](bool wanted) {
      if (!more || !wanted || op.getKind() != "fadd") return;
      llvmd::FenceOp::create(rewriter, where, llvmd::AtomicOrdering::acq_rel,
                             scopeOf(op.getScope()));
    };
    fence(releases(op.getOrder()));
    mlir::Value old = llvmd::AtomicRMWOp::create(rewriter, where, kindOf(op.getKind()), address,
                                                 operands.getValue(), orderOf(op.getOrder()),
                                                 scopeOf(op.getScope()));
    fence(acquires(op.getOrder()));
    rewriter.replaceOp(op, old);
    return mlir::success();
  }

  static mlir::Value ptx(ir::AtomicRmw op, mlir::Value value, mlir::Value address,
                         llvm::StringRef operation, mlir::ConversionPatternRewriter& rewriter) {
    mlir::Location where = op.getLoc();
    mlir::Type type = value.getType();
    mlir::Type number = rewriter.getIntegerType(type.getIntOrFloatBitWidth());
    bool bits = type.isF16() || (op.getKind() == "xchg" && type != number);
    if (bits) value = mlir::arith::BitcastOp::create(rewriter, where, number, value);
    address = llvmd::PtrToIntOp::create(rewriter, where, rewriter.getI64Type(), address);
    std::string text =
        ("atom." + op.getOrder() + "." + op.getScope() +
         spaceOf(op.getPointer().getType().getSpace()) + "." + operation + " $0, [$1], $2;")
            .str();
    llvm::StringRef letter = registerOf(value.getType());
    std::string constraints = ("=" + letter + ",l," + letter + ",~{memory}").str();
    mlir::Value old =
        llvmd::InlineAsmOp::create(
            rewriter, where, value.getType(), mlir::ValueRange{address, value}, text, constraints,
            /*has_side_effects=*/true, /*is_align_stack=*/false, llvmd::TailCallKind::None,
            llvmd::AsmDialectAttr(), mlir::ArrayAttr())
            .getResult(0);
    return bits ? mlir::arith::BitcastOp::create(rewriter, where, type, old).getResult() : old;
  }
};

class LowerCas : public mlir::OpConversionPattern<ir::AtomicCas> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::AtomicCas op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    llvmd::AtomicOrdering order = orderOf(op.getOrder());
    mlir::Value address =
        swizzled(rewriter, op.getLoc(), operands.getPointer(), op.getPointer().getType());
    mlir::Value both = llvmd::AtomicCmpXchgOp::create(
        rewriter, op.getLoc(), address, operands.getExpected(), operands.getValue(), order,
        acquires(op.getOrder()) ? llvmd::AtomicOrdering::acquire : llvmd::AtomicOrdering::monotonic,
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

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
#include "Transforms/AccessPlan.h"
#include "Transforms/CutePatterns.h"
#include "Transforms/Passes.h"
#include "cutwork/Layout/Swizzle.h"

namespace cutwork::transforms {

namespace {

namespace llvmd = mlir::LLVM;

constexpr int kWidestAccess = 128;  // bits

mlir::Value constant(mlir::OpBuilder& builder, mlir::Location where, std::int64_t value) {
  return mlir::arith::ConstantOp::create(builder, where, builder.getI64IntegerAttr(value));
}

// The bits at readBits, shifted onto those at writtenBits and XORed into them; in the width that
// shared memory's addresses have.
mlir::Value swizzled(mlir::OpBuilder& builder, mlir::Location where, mlir::Value pointer,
                     ir::PtrType type) {
  if (type.getBits() == 0) return pointer;
  auto swizzle = cute::Swizzle::make(type.getBits(), type.getBase(), type.getShift()).value();
  mlir::Type integer = builder.getIntegerType(type.getSpace() == ir::Space::Smem ? 32 : 64);
  auto number = [&](std::int64_t value) -> mlir::Value {
    return mlir::arith::ConstantOp::create(builder, where, builder.getIntegerAttr(integer, value));
  };
  mlir::Value address = llvmd::PtrToIntOp::create(builder, where, integer, pointer);
  mlir::Value read =
      mlir::arith::AndIOp::create(builder, where, address, number(swizzle.readBits()));
  int shift = swizzle.shift();
  mlir::Value moved =
      shift > 0 ? mlir::arith::ShRUIOp::create(builder, where, read, number(shift)).getResult()
                : mlir::arith::ShLIOp::create(builder, where, read, number(-shift)).getResult();
  mlir::Value result = mlir::arith::XOrIOp::create(builder, where, address, moved);
  return llvmd::IntToPtrOp::create(builder, where, pointer.getType(), result);
}

// No access crosses what a swizzle keeps together.
int widestOf(ir::PtrType type) {
  constexpr std::int64_t kSmallBase = 4;
  if (type.getBits() == 0 || type.getBase() > kSmallBase) return kWidestAccess;
  return std::min(kWidestAccess, 8 << type.getBase());
}

mlir::Value widened(mlir::OpBuilder& builder, mlir::Location where, mlir::Value value) {
  if (value.getType().isInteger(64)) return value;
  return mlir::arith::ExtSIOp::create(builder, where, builder.getI64Type(), value);
}

// pointer + access.offset + sum factor * operand, in elements, all in 64 bits.
mlir::Value addressOf(mlir::OpBuilder& builder, mlir::Location where, mlir::Value pointer,
                      mlir::Type element, const Access& access, mlir::ValueRange dynamic) {
  mlir::Value variable;
  for (std::size_t j = 0; j < access.factors.size(); ++j) {
    if (access.factors[j] == 0) continue;
    mlir::Value term = widened(builder, where, dynamic[j]);
    if (access.factors[j] != 1) {
      term = mlir::arith::MulIOp::create(builder, where, term,
                                         constant(builder, where, access.factors[j]));
    }
    variable =
        variable ? mlir::arith::AddIOp::create(builder, where, variable, term).getResult() : term;
  }
  if (variable) {
    pointer = llvmd::GEPOp::create(builder, where, pointer.getType(), element, pointer,
                                   mlir::ValueRange{variable});
  }
  if (access.offset == 0) return pointer;
  return llvmd::GEPOp::create(
      builder, where, pointer.getType(), element, pointer,
      llvm::ArrayRef<llvmd::GEPArg>{static_cast<std::int32_t>(access.offset)});
}

// What LLVM loads and stores in place of elements that it has no type for: f8 as i8.
mlir::Type storedType(mlir::Type element) {
  if (!mlir::isa<mlir::FloatType>(element) || element.getIntOrFloatBitWidth() != 8) return element;
  return mlir::IntegerType::get(element.getContext(), 8);
}
mlir::VectorType storedType(mlir::VectorType vector) {
  return vector.cloneWith(std::nullopt, storedType(vector.getElementType()));
}
mlir::Value asType(mlir::OpBuilder& builder, mlir::Location where, mlir::Value value,
                   mlir::Type type) {
  if (value.getType() == type) return value;
  return mlir::arith::BitcastOp::create(builder, where, type, value);
}

template <class Op>
mlir::FailureOr<std::vector<Access>> planOf(Op op, mlir::VectorType vector) {
  auto bits = static_cast<int>(vector.getElementTypeBitWidth());
  auto plan =
      planAccesses({op.getLayout().data(), op.getLayout().size()}, bits,
                   op.getPointer().getType().getAlignment(), widestOf(op.getPointer().getType()));
  if (!plan) return op.emitError() << "\"" << op.getLayout() << "\": " << plan.error().message();
  return *std::move(plan);
}

class LowerLoad : public mlir::OpConversionPattern<ir::Load> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::Load op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    auto type = mlir::cast<mlir::VectorType>(op.getResult().getType());
    auto plan = planOf(op, type);
    if (mlir::failed(plan)) return mlir::failure();
    mlir::Value zero = mlir::arith::ConstantOp::create(rewriter, op.getLoc(),
                                                       rewriter.getZeroAttr(storedType(type)));
    auto read = [&](mlir::OpBuilder& builder) {
      mlir::Value result = zero;
      for (const Access& access : *plan) {
        result =
            readInto(builder, op.getLoc(), result, operands, op.getPointer().getType(), access);
      }
      return result;
    };
    if (!operands.getPredicate()) {
      rewriter.replaceOp(op, asType(rewriter, op.getLoc(), read(rewriter), type));
      return mlir::success();
    }
    auto branch = mlir::scf::IfOp::create(
        rewriter, op.getLoc(), operands.getPredicate(),
        [&](mlir::OpBuilder& b, mlir::Location l) { mlir::scf::YieldOp::create(b, l, read(b)); },
        [&](mlir::OpBuilder& b, mlir::Location l) { mlir::scf::YieldOp::create(b, l, zero); });
    rewriter.replaceOp(op, asType(rewriter, op.getLoc(), branch.getResult(0), type));
    return mlir::success();
  }

  static mlir::Value readInto(mlir::OpBuilder& builder, mlir::Location where, mlir::Value into,
                              OpAdaptor operands, ir::PtrType pointer, const Access& access) {
    mlir::Type element = mlir::cast<mlir::VectorType>(into.getType()).getElementType();
    mlir::Value address =
        addressOf(builder, where, operands.getPointer(), element, access, operands.getDynamic());
    address = swizzled(builder, where, address, pointer);
    auto alignment = static_cast<unsigned>(access.alignment);
    if (access.count == 1) {
      mlir::Value one = llvmd::LoadOp::create(builder, where, element, address, alignment);
      return mlir::vector::InsertOp::create(builder, where, one, into, access.first);
    }
    auto part = mlir::VectorType::get({access.count}, element);
    mlir::Value loaded = llvmd::LoadOp::create(builder, where, part, address, alignment);
    if (part == into.getType()) return loaded;
    for (std::int64_t i = 0; i < access.count; ++i) {
      mlir::Value one = mlir::vector::ExtractOp::create(builder, where, loaded, i);
      into = mlir::vector::InsertOp::create(builder, where, one, into, access.first + i);
    }
    return into;
  }
};

class LowerStore : public mlir::OpConversionPattern<ir::Store> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::Store op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    auto plan = planOf(op, mlir::cast<mlir::VectorType>(op.getValue().getType()));
    if (mlir::failed(plan)) return mlir::failure();
    auto write = [&](mlir::OpBuilder& builder) {
      for (const Access& access : *plan)
        writeFrom(builder, op.getLoc(), operands, op.getPointer().getType(), access);
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

  static void writeFrom(mlir::OpBuilder& builder, mlir::Location where, OpAdaptor operands,
                        ir::PtrType pointer, const Access& access) {
    auto type = storedType(mlir::cast<mlir::VectorType>(operands.getValue().getType()));
    mlir::Value vector = asType(builder, where, operands.getValue(), type);
    mlir::Value address = addressOf(builder, where, operands.getPointer(), type.getElementType(),
                                    access, operands.getDynamic());
    address = swizzled(builder, where, address, pointer);
    mlir::Value part = vector;
    if (access.count == 1) {
      part = mlir::vector::ExtractOp::create(builder, where, vector, access.first);
    } else if (access.count != type.getNumElements()) {
      llvm::SmallVector<std::int32_t> picked;
      for (std::int64_t i = 0; i < access.count; ++i)
        picked.push_back(static_cast<std::int32_t>(access.first + i));
      part = llvmd::ShuffleVectorOp::create(builder, where, vector, vector, picked);
    }
    llvmd::StoreOp::create(builder, where, part, address, static_cast<unsigned>(access.alignment));
  }
};

class LowerAddOffset : public mlir::OpConversionPattern<ir::AddOffset> {
  using OpConversionPattern::OpConversionPattern;
  mlir::LogicalResult matchAndRewrite(ir::AddOffset op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    mlir::Value offset = widened(rewriter, op.getLoc(), operands.getOffset());
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
    mlir::Value count = constant(rewriter, op.getLoc(), static_cast<std::int64_t>(op.getCount()));
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

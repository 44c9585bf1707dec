// LowerGemm.cpp -- cute.gemm to multiply-adds, its operands read in wide accesses.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include "IR/Cute.h"
#include "IR/LayoutText.h"
#include "Transforms/AccessPlan.h"
#include "Transforms/CutePatterns.h"
#include "Transforms/MemoryAccess.h"

namespace cutwork::transforms {

namespace {

namespace llvmd = mlir::LLVM;

// An operand (V,X,Y), V being 1: read and written by columns of X.
struct Operand {
  mlir::Value pointer;
  ir::PtrType type;
  mlir::ValueRange dynamic;
  std::vector<Access> plan;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  [[nodiscard]] MemorySide side() const { return {pointer, type, dynamic, plan}; }
};

mlir::FailureOr<Operand> operandOf(ir::Gemm op, mlir::Value pointer, ir::PtrType type,
                                   llvm::StringRef text, mlir::ValueRange dynamic, int widest) {
  Operand made{pointer, type, dynamic, {}, 0, 0};
  auto extents = ir::modeExtents({text.data(), text.size()});
  if (!extents) return op.emitError() << extents.error().message();
  made.rows = (*extents)[1];
  made.columns = (*extents)[2];
  auto bits = static_cast<int>(type.getElement().getIntOrFloatBitWidth());
  auto plan = planAccesses({text.data(), text.size()}, bits, type.getAlignment(),
                           widestOf(type, widest), made.rows);
  if (!plan) return op.emitError() << plan.error().message();
  made.plan = *std::move(plan);
  return made;
}

class LowerGemm : public mlir::OpConversionPattern<ir::Gemm> {
  using OpConversionPattern::OpConversionPattern;

  using Elements = llvm::SmallVector<mlir::Value>;

  static void readColumn(mlir::OpBuilder& builder, mlir::Location where, const Operand& operand,
                         std::int64_t column, Elements& out) {
    mlir::Value vector =
        readRange(builder, where, operand.side(), column * operand.rows, operand.rows);
    for (std::int64_t i = 0; i < operand.rows; ++i) {
      out.push_back(mlir::vector::ExtractOp::create(builder, where, vector, i));
    }
  }

  static mlir::Value multiplyAdd(mlir::OpBuilder& builder, mlir::Location where, mlir::Value a,
                                 mlir::Value b, mlir::Value c) {
    if (mlir::isa<mlir::FloatType>(a.getType())) {
      return llvmd::FMAOp::create(builder, where, a.getType(), a, b, c);
    }
    mlir::Value product = mlir::arith::MulIOp::create(builder, where, a, b);
    return mlir::arith::AddIOp::create(builder, where, product, c);
  }

  mlir::LogicalResult matchAndRewrite(ir::Gemm op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    int widest = static_cast<const CuteTypeConverter*>(getTypeConverter())->widestGlobal();
    auto d = operandOf(op, operands.getD(), op.getD().getType(), op.getDLayout(), {}, widest);
    auto a = operandOf(op, operands.getA(), op.getA().getType(), op.getALayout(),
                       operands.getADynamic(), widest);
    auto b = operandOf(op, operands.getB(), op.getB().getType(), op.getBLayout(),
                       operands.getBDynamic(), widest);
    auto c = operandOf(op, operands.getC(), op.getC().getType(), op.getCLayout(), {}, widest);
    if (mlir::failed(d) || mlir::failed(a) || mlir::failed(b) || mlir::failed(c))
      return mlir::failure();
    mlir::Location where = op.getLoc();
    Elements sums;  // (M,N), m fastest
    for (std::int64_t n = 0; n < c->columns; ++n) readColumn(rewriter, where, *c, n, sums);
    for (std::int64_t k = 0; k < a->columns; ++k) {
      Elements left;
      Elements right;
      readColumn(rewriter, where, *a, k, left);
      readColumn(rewriter, where, *b, k, right);
      for (std::size_t n = 0; n < right.size(); ++n) {
        for (std::size_t m = 0; m < left.size(); ++m) {
          mlir::Value& sum = sums[n * left.size() + m];
          sum = multiplyAdd(rewriter, where, left[m], right[n], sum);
        }
      }
    }
    auto type = mlir::VectorType::get({d->rows}, d->type.getElement());
    for (std::int64_t n = 0; n < d->columns; ++n) {
      auto column = mlir::ValueRange(sums).slice(static_cast<std::size_t>(n * d->rows),
                                                 static_cast<std::size_t>(d->rows));
      mlir::Value vector = mlir::vector::FromElementsOp::create(rewriter, where, type, column);
      writeRange(rewriter, where, vector, d->side(), n * d->rows);
    }
    rewriter.eraseOp(op);
    return mlir::success();
  }
};

}  // namespace

void populateGemmPatterns(mlir::RewritePatternSet& patterns, const CuteTypeConverter& types) {
  patterns.add<LowerGemm>(types, patterns.getContext());
}

}  // namespace cutwork::transforms

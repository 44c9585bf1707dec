// LowerConvert.cpp -- cute.convert, and arith.extf and truncf of f8, for a target.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/TypeUtilities.h>
#include <mlir/Pass/Pass.h>

#include <optional>

#include "Transforms/Conversion.h"
#include "Transforms/Passes.h"

namespace cutwork::transforms {

namespace {

namespace ar = mlir::arith;
using math::Conversion;
using math::Num;

bool isF8(mlir::Type type) {
  return mlir::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(mlir::getElementTypeOrSelf(type));
}

/// The same shape with elements of i8.
mlir::Type encodingOf(mlir::Type type) {
  mlir::Type byte = mlir::IntegerType::get(type.getContext(), 8);
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
    return mlir::VectorType::get(vector.getShape(), byte);
  return byte;
}

class Lowerer {
 public:
  explicit Lowerer(mlir::ModuleOp module) : module_(module) { on_.host = true; }
  Lowerer(mlir::gpu::GPUModuleOp module, const Target& target) : module_(module) {
    on_.f8 = target.capability >= 89;
    on_.tf32Rounding = target.capability >= 90;
    // sm_89 has the instructions for f8 from PTX 8.1 on, and 7.8 has the target.
    needsPtx81_ = target.capability == 89;
  }

  mlir::LogicalResult run() {
    byWayOfSingle();
    llvm::SmallVector<mlir::Operation*> found;
    module_->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
      if (op != module_ && llvm::isa<mlir::gpu::GPUModuleOp>(op)) return mlir::WalkResult::skip();
      if (llvm::isa<ir::Convert>(op) || isOfF8(op) || isBadOnHost(op)) found.push_back(op);
      return mlir::WalkResult::advance();
    });
    for (mlir::Operation* op : found) {
      if (mlir::failed(lower(op))) return mlir::failure();
    }
    return mlir::success();
  }

 private:
  template <class Op>
  static void widenSource(mlir::OpBuilder& b, Op op) {
    auto single = [&](mlir::Value value) -> mlir::Value {
      if (!isF8(value.getType())) return value;
      mlir::Type type = withElement(value.getType(), b.getF32Type());
      return ar::ExtFOp::create(b, op.getLoc(), type, value);
    };
    for (mlir::OpOperand& operand : op->getOpOperands()) operand.set(single(operand.get()));
  }

  template <class Op>
  static void widenResult(mlir::OpBuilder& b, Op op) {
    mlir::Type type = op.getType();
    mlir::Value single =
        Op::create(b, op.getLoc(), withElement(type, b.getF32Type()), op->getOperand(0));
    op.replaceAllUsesWith(ar::TruncFOp::create(b, op.getLoc(), type, single).getResult());
    op.erase();
  }

  static mlir::Type withElement(mlir::Type type, mlir::Type element) {
    auto vector = mlir::dyn_cast<mlir::VectorType>(type);
    return vector ? mlir::Type(mlir::VectorType::get(vector.getShape(), element)) : element;
  }

  /// Integers to f8 and back, and comparisons, which the canonicalizer makes too: through f32. An
  /// integer that f32 rounds is beyond every f8.
  void byWayOfSingle() {
    module_->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
      if (op != module_ && llvm::isa<mlir::gpu::GPUModuleOp>(op)) return mlir::WalkResult::skip();
      mlir::OpBuilder b(op);
      if (op->getNumResults() == 1 && isF8(op->getResult(0).getType())) {
        if (auto cast = llvm::dyn_cast<ar::SIToFPOp>(op)) return widenResult(b, cast), skip();
        if (auto cast = llvm::dyn_cast<ar::UIToFPOp>(op)) return widenResult(b, cast), skip();
      }
      if (auto cast = llvm::dyn_cast<ar::FPToSIOp>(op)) widenSource(b, cast);
      if (auto cast = llvm::dyn_cast<ar::FPToUIOp>(op)) widenSource(b, cast);
      if (auto compare = llvm::dyn_cast<ar::CmpFOp>(op)) widenSource(b, compare);
      return mlir::WalkResult::advance();
    });
  }
  static mlir::WalkResult skip() { return mlir::WalkResult::skip(); }

  static bool isOfF8(mlir::Operation* op) {
    return llvm::isa<ar::ExtFOp, ar::TruncFOp>(op) &&
           (isF8(op->getOperand(0).getType()) || isF8(op->getResult(0).getType()));
  }

  bool isBadOnHost(mlir::Operation* op) const {
    return on_.host && llvm::isa<ar::TruncFOp>(op) &&
           mlir::getElementTypeOrSelf(op->getResult(0).getType()).isBF16();
  }

  /// Nothing if it is none; that was said.
  static std::optional<Conversion> conversionOf(mlir::Operation* op) {
    Conversion how;
    how.result = mlir::getElementTypeOrSelf(op->getResult(0).getType());
    if (auto convert = llvm::dyn_cast<ir::Convert>(op)) {
      how.rounding = convert.getRounding();
      how.saturate = convert.getSaturate();
      how.tf32 = convert.getTf32();
      how.unsignedSource = convert.getUnsignedSource();
      how.unsignedResult = convert.getUnsignedResult();
      return how;
    }
    // To f8 as the hardware does it: beyond the largest number there is the largest number.
    how.saturate = isF8(how.result);
    auto truncation = llvm::dyn_cast<ar::TruncFOp>(op);
    const std::optional<ar::RoundingMode> mode =
        truncation ? truncation.getRoundingmode() : std::nullopt;
    if (!mode) return how;
    switch (*mode) {
      case ar::RoundingMode::to_nearest_even: return how;
      case ar::RoundingMode::downward: how.rounding = ir::Rounding::Down; return how;
      case ar::RoundingMode::upward: how.rounding = ir::Rounding::Up; return how;
      case ar::RoundingMode::toward_zero: how.rounding = ir::Rounding::TowardZero; return how;
      case ar::RoundingMode::to_nearest_away: break;
    }
    op->emitOpError() << "rounds to nearest with ties away from zero, which no conversion to "
                      << how.result << " does";
    return std::nullopt;
  }

  mlir::LogicalResult lower(mlir::Operation* op) {
    const std::optional<Conversion> how = conversionOf(op);
    if (!how) return mlir::failure();
    mlir::OpBuilder builder(op);
    mlir::Type from = op->getOperand(0).getType();
    mlir::Type to = op->getResult(0).getType();
    if (needsPtx81_ && (isF8(from) || isF8(to))) ir::requirePtx(module_, 81);
    auto vector = mlir::dyn_cast<mlir::VectorType>(from);
    if (vector && (vector.getRank() != 1 || vector.isScalable()))
      return op->emitOpError() << "has no lowering on " << from
                               << ": vectors of one dimension have";
    mlir::Value source = op->getOperand(0);
    if (isF8(from)) source = ar::BitcastOp::create(builder, op->getLoc(), encodingOf(from), source);
    mlir::Value result = plain(builder, op, source, *how);
    if (!result) {
      result = vector ? ofVector(builder, op->getLoc(), source, from, to, *how)
                      : ofScalar(builder, op->getLoc(), source, from, *how);
    }
    if (isF8(to)) result = ar::BitcastOp::create(builder, op->getLoc(), to, result);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
    return mlir::success();
  }

  /// What LLVM does by itself, two elements at a time.
  [[nodiscard]] mlir::Value plain(mlir::OpBuilder& builder, mlir::Operation* op, mlir::Value source,
                                  const Conversion& how) const {
    mlir::Type from = mlir::getElementTypeOrSelf(source.getType());
    if (on_.host || !from.isF32() || !(how.result.isF16() || how.result.isBF16()) || how.saturate ||
        how.rounding != ir::Rounding::NearestEven) {
      return {};
    }
    return ar::TruncFOp::create(builder, op->getLoc(), op->getResult(0).getType(), source);
  }

  mlir::Value ofScalar(mlir::OpBuilder& builder, mlir::Location where, mlir::Value source,
                       mlir::Type type, const Conversion& how) {
    math::Emit emit(builder, where, module_);
    return math::converted(emit.of(source), type, how, on_).value;
  }

  mlir::Value ofVector(mlir::OpBuilder& builder, mlir::Location where, mlir::Value source,
                       mlir::Type from, mlir::Type to, const Conversion& how) {
    auto type = mlir::cast<mlir::VectorType>(isF8(to) ? encodingOf(to) : to);
    mlir::Type element = mlir::getElementTypeOrSelf(from);
    math::Emit emit(builder, where, module_);
    const std::int64_t count = type.getNumElements();
    const auto read = [&](std::int64_t i) {
      return emit.of(mlir::vector::ExtractOp::create(builder, where, source, i));
    };
    if (type.getElementTypeBitWidth() == 8 && count % 2 == 0) {
      // Bytes are put together in words, which costs less than to insert them one by one.
      std::vector<Num> words;
      for (std::int64_t i = 0; i < count; i += 2)
        words.push_back(math::convertedBytes(read(i), read(i + 1), element, how, on_));
      if (count % 4 == 0) {
        for (std::size_t i = 0; i < words.size() / 2; ++i) {
          words[i] = math::resized(words[2 * i], 32, false) |
                     (math::resized(words[2 * i + 1], 32, false) << 16);
        }
        words.resize(words.size() / 2);
      }
      llvm::SmallVector<mlir::Value> values;
      for (const Num& word : words) values.push_back(word.value);
      auto shape =
          mlir::VectorType::get({static_cast<std::int64_t>(values.size())}, words[0].type());
      mlir::Value all = mlir::vector::FromElementsOp::create(builder, where, shape, values);
      return mlir::vector::BitCastOp::create(builder, where, type, all);
    }
    llvm::SmallVector<mlir::Value> values;
    for (std::int64_t i = 0; i < count; ++i)
      values.push_back(math::converted(read(i), element, how, on_).value);
    return mlir::vector::FromElementsOp::create(builder, where, type, values);
  }

  mlir::Operation* module_;
  math::ConversionTarget on_;
  bool needsPtx81_ = false;
};

void dependOn(mlir::DialectRegistry& registry) {
  registry.insert<ar::ArithDialect, mlir::LLVM::LLVMDialect, mlir::vector::VectorDialect>();
}

class LowerHostConvert
    : public mlir::PassWrapper<LowerHostConvert, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerHostConvert)
  [[nodiscard]] llvm::StringRef getArgument() const override {
    return "cutwork-lower-host-convert";
  }
  [[nodiscard]] llvm::StringRef getDescription() const override {
    return "cute.convert, and arith conversions of f8, to arith and LLVM ops, on the host";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const override { dependOn(registry); }
  void runOnOperation() override {
    if (mlir::failed(Lowerer(getOperation()).run())) signalPassFailure();
  }
};

class LowerConvert
    : public mlir::PassWrapper<LowerConvert, mlir::OperationPass<mlir::gpu::GPUModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerConvert)
  LowerConvert() = default;
  explicit LowerConvert(const Target& target) { target_ = target.name(); }
  LowerConvert(const LowerConvert& other) : PassWrapper(other) {}
  [[nodiscard]] llvm::StringRef getArgument() const override { return "cutwork-lower-convert"; }
  [[nodiscard]] llvm::StringRef getDescription() const override {
    return "cute.convert, and arith conversions of f8, to arith and LLVM ops";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const override { dependOn(registry); }
  void runOnOperation() override {
    const Expected<Target> target = Target::parse(target_.getValue());
    if (!target) {
      getOperation()->emitError() << target.error().message();
      return signalPassFailure();
    }
    if (mlir::failed(Lowerer(getOperation(), *target).run())) signalPassFailure();
  }

 private:
  Option<std::string> target_{*this, "target", llvm::cl::desc("the target, sm_90a"),
                              llvm::cl::init("sm_80")};
};

}  // namespace

std::unique_ptr<mlir::Pass> createLowerConvertPass(const Target& target) {
  return std::make_unique<LowerConvert>(target);
}

std::unique_ptr<mlir::Pass> createLowerHostConvertPass() {
  return std::make_unique<LowerHostConvert>();
}

}  // namespace cutwork::transforms

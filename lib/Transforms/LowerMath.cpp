// LowerMath.cpp -- math ops to arith, scf and LLVM ops; on the host to calls of libm.
//
// Device code has no library: LLVM would turn these ops into calls that nothing defines. Ops on f16
// and bf16 compute in f32 and round once; vectors are taken apart.
#include <llvm/ADT/StringMap.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/Pass.h>

#include <numbers>

#include "Transforms/MathFunctions.h"
#include "Transforms/Passes.h"

namespace cutwork::transforms {

namespace {

namespace ar = mlir::arith;
namespace llvmd = mlir::LLVM;
using math::Num;
using Operands = std::span<const Num>;

Num approximate(std::string_view name, Num x) {
  const std::array operands{x};
  return x.emit->intrinsic(name, x.type(), operands);
}
Num exp2Fast(Num x) { return approximate("llvm.nvvm.ex2.approx", x); }
Num log2Fast(Num x) { return approximate("llvm.nvvm.lg2.approx.f", x); }

// LLVM has no intrinsic for tanh.approx; it selects it for its own with this flag.
Num tanhFast(Num x) {
  mlir::OpBuilder& builder = x.emit->builder();
  auto op = llvmd::TanhOp::create(builder, x.emit->where(), x.type(), x.value);
  op.setFastmathFlags(llvmd::FastmathFlags::afn);
  return x.emit->of(op);
}

Num tanFast(Operands x) {
  const Num sine = approximate("llvm.nvvm.sin.approx.f", x[0]);
  const std::array operands{sine, approximate("llvm.nvvm.cos.approx.f", x[0])};
  return sine.emit->intrinsic("llvm.nvvm.div.approx.f", sine.type(), operands);
}

/// How one op is computed for one element of f32 or f64 (for integers: of its type).
struct Lowering {
  Num (*accurate)(Operands);
  Num (*fast)(Operands);  ///< f32 with the flag afn; null: as accurate
  bool outlined;          ///< f64 is a function of the module; the host calls libm's
};

template <Num (*Function)(Num)>
Num one(Operands x) {
  return Function(x[0]);
}

// One row an op. The lambdas take f32.
const llvm::StringMap<Lowering>& lowerings() {
  static const llvm::StringMap<Lowering> table = {
      {"math.exp",
       {one<math::exponential>, [](Operands x) { return exp2Fast(x[0] * std::numbers::log2e); },
        true}},
      {"math.exp2", {one<math::exponential2>, one<exp2Fast>, true}},
      {"math.log",
       {one<math::logarithm>, [](Operands x) { return log2Fast(x[0]) * std::numbers::ln2; }, true}},
      {"math.log2", {one<math::logarithm2>, one<log2Fast>, true}},
      {"math.log10",
       {one<math::logarithm10>,
        [](Operands x) { return log2Fast(x[0]) * (std::numbers::ln2 / std::numbers::ln10); },
        true}},
      {"math.rsqrt",
       {one<math::reciprocalRoot>,
        [](Operands x) { return approximate("llvm.nvvm.rsqrt.approx.f", x[0]); }, false}},
      {"math.sin",
       {one<math::sine>, [](Operands x) { return approximate("llvm.nvvm.sin.approx.f", x[0]); },
        true}},
      {"math.cos",
       {one<math::cosine>, [](Operands x) { return approximate("llvm.nvvm.cos.approx.f", x[0]); },
        true}},
      {"math.tan", {one<math::tangent>, tanFast, true}},
      {"math.atan", {one<math::arcTangent>, nullptr, true}},
      {"math.asin", {one<math::arcSine>, nullptr, true}},
      {"math.acos", {one<math::arcCosine>, nullptr, true}},
      {"math.atan2", {[](Operands x) { return math::arcTangent2(x[0], x[1]); }, nullptr, true}},
      {"math.tanh", {one<math::hyperbolicTangent>, one<tanhFast>, true}},
      {"math.erf", {one<math::errorFunction>, nullptr, true}},
      {"math.powf",
       {[](Operands x) { return math::power(x[0], x[1]); },
        [](Operands x) { return exp2Fast(x[1] * log2Fast(x[0])); }, true}},
      {"math.sqrt",
       {one<math::squareRoot>,
        [](Operands x) { return approximate("llvm.nvvm.sqrt.approx.f", x[0]); }, false}},
      {"math.floor", {one<math::floor>, nullptr, false}},
      {"math.ceil", {one<math::ceil>, nullptr, false}},
      {"math.trunc", {one<math::truncate>, nullptr, false}},
      {"math.roundeven", {one<math::roundEven>, nullptr, false}},
      {"math.round", {one<math::roundAway>, nullptr, false}},
      {"arith.remf", {[](Operands x) { return math::remainder(x[0], x[1]); }, nullptr, true}},
  };
  return table;
}

/// The quotient rounded down (up), from the one towards zero.
Num dividedSigned(Num a, Num b, bool up) {
  const Num q = math::quotient(a, b, true);
  const Num r = math::remainderOf(a, b);
  const Num opposite = math::compare(math::Compare::Less, r ^ b, 0);
  const Num inexact = math::compare(math::Compare::NotEqual, r, 0);
  if (!up) return math::select(inexact & opposite, q - 1, q);
  const Num same = math::compare(math::Compare::GreaterEqual, r ^ b, 0);
  return math::select(inexact & same, q + 1, q);
}
Num ceilingUnsigned(Num a, Num b) {
  const Num isZero = math::compare(math::Compare::Equal, a, 0);
  return math::select(isZero, a, math::quotient(a - 1, b, false) + 1);
}

/// Lowers the ops of one module.
class Lowerer {
 public:
  Lowerer(mlir::Operation* module, bool device) : module_(module), device_(device) {}

  mlir::LogicalResult run() {
    // What the replacements are made of is of other ops: one pass over those that are there now.
    llvm::SmallVector<mlir::Operation*> found;
    module_->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
      if (op != module_ && llvm::isa<mlir::gpu::GPUModuleOp>(op)) return mlir::WalkResult::skip();
      if (llvm::isa_and_nonnull<mlir::math::MathDialect>(op->getDialect()) || isArith(op))
        found.push_back(op);
      return mlir::WalkResult::advance();
    });
    for (mlir::Operation* op : found) {
      if (mlir::failed(lower(op))) return mlir::failure();
    }
    return mlir::success();
  }

 private:
  static bool isArith(mlir::Operation* op) {
    return llvm::isa<ar::RemFOp, ar::FloorDivSIOp, ar::CeilDivSIOp, ar::CeilDivUIOp>(op);
  }

  mlir::LogicalResult lower(mlir::Operation* op) {
    mlir::OpBuilder builder(op);
    mlir::Type type = op->getResult(0).getType();
    mlir::Value result = whole(builder, op);
    if (!result) {
      auto vector = mlir::dyn_cast<mlir::VectorType>(type);
      if (!vector) {
        result = element(builder, op, op->getOperands());
      } else if (vector.getRank() == 1 && !vector.isScalable()) {
        result = byElement(builder, op, vector);
      } else {
        return op->emitOpError() << "has no lowering on " << type
                                 << ": vectors of one dimension have";
      }
    }
    if (!result) return op->emitOpError() << "has no lowering on " << type << " (docs/math.md)";
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
    return mlir::success();
  }

  /// Ops that LLVM has for values and vectors of every type.
  static mlir::Value whole(mlir::OpBuilder& builder, mlir::Operation* op) {
    mlir::Location where = op->getLoc();
    mlir::Type type = op->getResult(0).getType();
    mlir::OperandRange operands = op->getOperands();
    if (llvm::isa<mlir::math::FmaOp>(op))
      return llvmd::FMAOp::create(builder, where, type, operands[0], operands[1], operands[2]);
    if (llvm::isa<mlir::math::AbsFOp>(op))
      return llvmd::FAbsOp::create(builder, where, type, operands[0]);
    if (llvm::isa<mlir::math::CopySignOp>(op))
      return llvmd::CopySignOp::create(builder, where, type, operands[0], operands[1]);
    if (llvm::isa<mlir::math::AbsIOp>(op))
      return llvmd::AbsOp::create(builder, where, type, operands[0], /*is_int_min_poison=*/false);
    if (llvm::isa<mlir::math::CtPopOp>(op))
      return llvmd::CtPopOp::create(builder, where, type, operands[0]);
    if (llvm::isa<mlir::math::CountLeadingZerosOp>(op))
      return llvmd::CountLeadingZerosOp::create(builder, where, type, operands[0], false);
    if (llvm::isa<mlir::math::CountTrailingZerosOp>(op))
      return llvmd::CountTrailingZerosOp::create(builder, where, type, operands[0], false);
    return {};
  }

  mlir::Value byElement(mlir::OpBuilder& builder, mlir::Operation* op, mlir::VectorType type) {
    mlir::Location where = op->getLoc();
    mlir::Value all = ar::ConstantOp::create(builder, where, builder.getZeroAttr(type));
    for (std::int64_t i = 0; i < type.getNumElements(); ++i) {
      llvm::SmallVector<mlir::Value> operands;
      for (mlir::Value operand : op->getOperands())
        operands.push_back(mlir::vector::ExtractOp::create(builder, where, operand, i));
      mlir::Value result = element(builder, op, operands);
      if (!result) return {};
      all = mlir::vector::InsertOp::create(builder, where, result, all, i);
    }
    return all;
  }

  mlir::Value element(mlir::OpBuilder& builder, mlir::Operation* op, mlir::ValueRange operands) {
    math::Emit emit(builder, op->getLoc(), module_);
    std::vector<Num> values;
    for (mlir::Value operand : operands) values.push_back(emit.of(operand));
    if (llvm::isa<ar::FloorDivSIOp>(op)) return dividedSigned(values[0], values[1], false).value;
    if (llvm::isa<ar::CeilDivSIOp>(op)) return dividedSigned(values[0], values[1], true).value;
    if (llvm::isa<ar::CeilDivUIOp>(op)) return ceilingUnsigned(values[0], values[1]).value;

    auto row = lowerings().find(op->getName().getStringRef());
    if (row == lowerings().end()) return {};
    const Lowering& lowering = row->second;
    mlir::Type type = operands[0].getType();
    if (!mlir::isa<mlir::Float16Type, mlir::BFloat16Type, mlir::Float32Type, mlir::Float64Type>(
            type)) {
      return {};
    }
    if (!type.isF64()) {
      for (Num& value : values) value = math::widened(value, emit.f32());
    }
    const Num result = device_ ? onDevice(emit, op, row->first(), lowering, values)
                               : onHost(emit, row->first(), lowering, values);
    return math::narrowed(result, type).value;
  }

  static Num onDevice(math::Emit& emit, mlir::Operation* op, llvm::StringRef name,
                      const Lowering& lowering, Operands operands) {
    if (operands[0].type().isF64()) {
      if (!lowering.outlined) return lowering.accurate(operands);
      const std::array results{emit.f64()};
      const auto body = [&](Operands arguments) {
        return std::vector{lowering.accurate(arguments)};
      };
      const std::string function = "cutwork_" + name.split('.').second.str() + "_f64";
      return emit.call(function, results, operands, false, body)[0];
    }
    bool isFast = false;
    if (auto flagged = llvm::dyn_cast<ar::ArithFastMathInterface>(op)) {
      if (auto flags = flagged.getFastMathFlagsAttr())
        isFast = ar::bitEnumContainsAny(flags.getValue(), ar::FastMathFlags::afn);
    }
    return isFast && lowering.fast != nullptr ? lowering.fast(operands)
                                              : lowering.accurate(operands);
  }

  static Num onHost(math::Emit& emit, llvm::StringRef name, const Lowering& lowering,
                    Operands operands) {
    if (name == "math.rsqrt") return 1 / math::squareRoot(operands[0]);
    if (!lowering.outlined) return lowering.accurate(operands);
    std::string function = name == "math.powf"    ? "pow"
                           : name == "arith.remf" ? "fmod"
                                                  : name.split('.').second.str();
    if (operands[0].type().isF32()) function += 'f';
    return emit.external(function, operands[0].type(), operands);
  }

  mlir::Operation* module_;
  bool device_;
};

void dependOn(mlir::DialectRegistry& registry) {
  registry.insert<ar::ArithDialect, llvmd::LLVMDialect, mlir::scf::SCFDialect,
                  mlir::vector::VectorDialect>();
}

class LowerMath : public mlir::PassWrapper<LowerMath, mlir::OperationPass<mlir::gpu::GPUModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerMath)
  [[nodiscard]] llvm::StringRef getArgument() const override { return "cutwork-lower-math"; }
  [[nodiscard]] llvm::StringRef getDescription() const override {
    return "math ops to arith, scf and LLVM ops";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const override { dependOn(registry); }
  void runOnOperation() override {
    if (mlir::failed(Lowerer(getOperation(), true).run())) signalPassFailure();
  }
};

class LowerHostMath : public mlir::PassWrapper<LowerHostMath, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerHostMath)
  [[nodiscard]] llvm::StringRef getArgument() const override { return "cutwork-lower-host-math"; }
  [[nodiscard]] llvm::StringRef getDescription() const override {
    return "math ops on the host to LLVM ops and calls of libm";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const override { dependOn(registry); }
  void runOnOperation() override {
    if (mlir::failed(Lowerer(getOperation(), false).run())) signalPassFailure();
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createLowerMathPass() { return std::make_unique<LowerMath>(); }

std::unique_ptr<mlir::Pass> createLowerHostMathPass() { return std::make_unique<LowerHostMath>(); }

}  // namespace cutwork::transforms

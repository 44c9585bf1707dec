// UnrollLoops.cpp -- loops that are unrolled before LLVM sees them.
//
// A loop with static bounds is unrolled fully when it says so (cute.unroll_full), and when its
// counter is an index into a register slot: a slot that is indexed at run time stays in memory.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/SCF/Utils/Utils.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/IR/Matchers.h>
#include <mlir/Pass/Pass.h>

#include <limits>

#include "IR/Cute.h"
#include "Transforms/Passes.h"

namespace cutwork::transforms {

namespace {

// More would cost more code than registers there are.
constexpr std::int64_t kMostForRegisters = 512;
// More asked for is a mistake that would take all memory.
constexpr std::int64_t kMostAsked = 65536;

std::optional<std::int64_t> tripCount(mlir::scf::ForOp loop) {
  llvm::APInt low;
  llvm::APInt high;
  llvm::APInt step;
  bool known = mlir::matchPattern(loop.getLowerBound(), mlir::m_ConstantInt(&low)) &&
               mlir::matchPattern(loop.getUpperBound(), mlir::m_ConstantInt(&high)) &&
               mlir::matchPattern(loop.getStep(), mlir::m_ConstantInt(&step));
  if (!known || !step.isStrictlyPositive()) return std::nullopt;
  if (loop.getUnsignedCmp() ? high.ule(low) : high.sle(low)) return 0;
  // In unsigned arithmetic: the distance of two signed numbers may take all bits.
  std::uint64_t distance = (high - low).getZExtValue();
  std::uint64_t trips = (distance - 1) / step.getZExtValue() + 1;
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(trips, std::numeric_limits<std::int64_t>::max()));
}

bool isRegisterPointer(mlir::Value value) {
  auto type = mlir::dyn_cast<ir::PtrType>(value.getType());
  return type && type.getSpace() == ir::Space::Rmem;
}

// Whether a value computed from `counter` is an offset of a register pointer.
bool indexesRegisters(mlir::Value counter) {
  llvm::SmallVector<mlir::Value> pending{counter};
  llvm::SmallPtrSet<mlir::Operation*, 16> seen;
  while (!pending.empty()) {
    mlir::Value value = pending.pop_back_val();
    for (mlir::Operation* user : value.getUsers()) {
      if (!seen.insert(user).second) continue;
      if (auto offset = mlir::dyn_cast<ir::AddOffset>(user)) {
        if (offset.getOffset() == value && isRegisterPointer(offset.getSource())) return true;
        continue;
      }
      // Through arithmetic only; what memory gives back is no function of the counter.
      if (mlir::isa<mlir::arith::ArithDialect>(user->getDialect())) {
        pending.append(user->result_begin(), user->result_end());
      }
    }
  }
  return false;
}

class UnrollLoops : public mlir::PassWrapper<UnrollLoops, mlir::OperationPass<>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnrollLoops)
  [[nodiscard]] llvm::StringRef getArgument() const override { return "cutwork-unroll-loops"; }
  [[nodiscard]] llvm::StringRef getDescription() const override {
    return "full unrolling of loops that ask for it, or that index registers";
  }

  void runOnOperation() override {
    // Inner loops first.
    llvm::SmallVector<mlir::scf::ForOp> loops;
    getOperation()->walk([&](mlir::scf::ForOp loop) { loops.push_back(loop); });
    for (mlir::scf::ForOp loop : loops) {
      if (mlir::failed(unroll(loop))) return signalPassFailure();
    }
  }

 private:
  static mlir::LogicalResult unroll(mlir::scf::ForOp loop) {
    bool asked = loop->hasAttr("cute.unroll_full");
    std::optional<std::int64_t> trips = tripCount(loop);
    if (!trips) {
      if (!asked) return mlir::success();
      return loop.emitError("a loop that is to be unrolled fully has bounds that are not known");
    }
    bool useful = *trips <= kMostForRegisters && indexesRegisters(loop.getInductionVar());
    if (!asked && !useful) return mlir::success();
    if (*trips == 0) {
      loop.replaceAllUsesWith(loop.getInitArgs());
      loop.erase();
      return mlir::success();
    }
    if (*trips > kMostAsked) {
      return loop.emitError() << "a loop of " << *trips
                              << " iterations is to be unrolled fully; at most " << kMostAsked
                              << " can be";
    }
    return mlir::loopUnrollFull(loop);
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createUnrollLoopsPass() { return std::make_unique<UnrollLoops>(); }

}  // namespace cutwork::transforms

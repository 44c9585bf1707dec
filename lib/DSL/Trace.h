// Trace.h -- the module that is being traced: where operations go, which values may be used there.
#pragma once

#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/OwningOpRef.h>

#include <memory>
#include <string>
#include <vector>

#include "cutwork/DSL/Numeric.h"
#include "cutwork/Layout/Evaluator.h"
#include "cutwork/Support/Target.h"

namespace cutwork::cute {

/// Raises a user's error at a place of the user's program.
[[noreturn]] void refuse(std::string message, Where where);
SourcePlace placeOf(Where where);
/// Where the last operation was, for what has no place of its own.
Where lastPlace();
/// The value of a result, or its error raised at `where`.
template <class T>
T orRefuse(Expected<T> result, Where where) {
  if (!result.ok()) std::move(result).takeError().at(placeOf(where)).raise();
  return std::move(result).value();
}

/// What the layout algebra computes with dynamic integers becomes arith ops here.
class IrEvaluator final : public Evaluator {
 public:
  explicit IrEvaluator(class Trace& trace) : trace_(trace) {}
  /// An Int that is this SSA value of 32 or 64 bits.
  Int wrap(mlir::Value value, std::int64_t divisor);
  [[nodiscard]] mlir::Value valueOf(Int a) const { return values_[a.dynamic().handle]; }
  Int apply(IntOp op, Int a, Int b, Width width, std::int64_t divisor) override;

 private:
  class Trace& trace_;
  std::vector<mlir::Value> values_;
};

/// One kernel while it is traced.
struct KernelState {
  std::string name;
  std::int64_t sharedBytes = 0;  ///< allocated so far
  bool usesDynamicShared = false;
};

class Trace {
 public:
  /// The trace of this thread. Raises a user's error if there is none.
  static Trace& current(Where where);
  static Trace* find();
  /// The same as current, with operations coming from `where` from now on.
  static Trace& at(Where where);

  explicit Trace(std::string name);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  [[nodiscard]] mlir::MLIRContext& context() { return *context_; }
  [[nodiscard]] mlir::ModuleOp module() { return *module_; }
  [[nodiscard]] mlir::OpBuilder& builder() { return builder_; }
  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] IrEvaluator& evaluator() { return evaluator_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Takes the operation and all in it out of the program. Values of it are told from others.
  void discard(mlir::Operation* op);
  /// Whether the value is of this trace, and what is made now could use it.
  [[nodiscard]] bool sees(const Value& value);

  /// Operations made from now on, by the algebra too, come from this place.
  mlir::Location locate(Where where);
  /// The last place that was located.
  [[nodiscard]] mlir::Location here() const { return here_; }
  [[nodiscard]] Where lastWhere() const { return lastWhere_; }

  [[nodiscard]] Value wrap(mlir::Value value) const { return {value.getAsOpaquePointer(), id_}; }
  /// The SSA value, checked: of this trace, and visible where operations go now.
  mlir::Value use(const Value& value, Where where);
  /// The same for a dynamic or static Int at 32 or 64 bits.
  mlir::Value use(Int value, Width width, Where where);
  /// A scalar as an SSA value, a constant if it is one.
  mlir::Value use(const Numeric& value, Where where);

  /// The kernel that is traced needs this PTX version, 80 for 8.0.
  void requirePtx(int version);

  mlir::Type typeOf(DType type);
  mlir::Value constant(std::int64_t value, mlir::Type type);

  /// The kernel that is traced now; null in host code.
  [[nodiscard]] KernelState* kernel() { return kernel_; }
  void setKernel(KernelState* kernel) { kernel_ = kernel; }
  /// The entry block of the function that is traced, where slots go.
  mlir::Block* entryBlock();

  Target target{90, Target::Suffix::Architecture};  ///< compiled for
  std::vector<std::string> remarks;                 ///< things that cost speed, `file:line: text`
  std::int64_t kernels = 0;                         ///< launched so far
  std::unique_ptr<class VarBase> status;  ///< of the host function: 0, or the first failure

 private:
  /// Whether what is made now could use the value.
  bool reaches(mlir::Value value);
  void checkVisible(mlir::Value value, Where where);
  [[nodiscard]] bool isDiscarded(mlir::Region* region);

  std::unique_ptr<mlir::MLIRContext> context_;
  std::string name_;
  std::uint64_t id_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::OpBuilder builder_;
  mlir::Location here_;
  Where lastWhere_;
  IrEvaluator evaluator_;
  KernelState* kernel_ = nullptr;
  Trace* outer_;
  std::vector<mlir::Operation*> discarded_;  ///< detached; programs may still hold their values
};

/// In which space stack slots are: rmem pointers to `count` elements, aligned to 32 bytes.
mlir::Value makeSlot(Trace& trace, mlir::Type element, std::int64_t count, std::int64_t alignment);

}  // namespace cutwork::cute

// cutwork/Layout/Evaluator.h -- who does arithmetic on dynamic integers: the interface, and the
// host.
//
// The algebra is written once, over Int. What an operation on dynamic Ints means is the evaluator's
// business: HostEvaluator computes, RecordingEvaluator (Recording.h) builds an expression, and the
// compiler's evaluator emits IR.
#pragma once

#include <deque>
#include <string_view>

#include "cutwork/Layout/Int.h"
#include "cutwork/Support/Error.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

/// The operations that reach an evaluator. Div, Mod and CeilDiv round as the functions in Int.h do.
enum class IntOp {
  Add,
  Sub,
  Mul,
  FloorDiv,
  FloorMod,
  CeilDiv,
  Min,
  Max,
  And,
  Xor,
  Shl,
  Shr,
  Equal,
  Less,
  Convert,  ///< Convert: the first operand at the new width
};
const char* name(IntOp op);

class Evaluator {
 public:
  Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  virtual ~Evaluator();

  /// op(a, b) at `width`. At least one operand is dynamic and of this evaluator; narrower ones are
  /// sign-extended. The answer is dynamic (made by `dynamic`), static, or invalid.
  virtual Int apply(IntOp op, Int a, Int b, Width width, std::int64_t divisor) = 0;

  /// Whether `assume` does anything with what it is told; if not, conditions are not even built.
  [[nodiscard]] virtual bool wantsAssumptions() const { return false; }
  /// The algebra needs `condition` (0 or 1), which is neither proved nor disproved; `rule` says in
  /// words what it is. True: go on as if it held; where it does not hold at run time, the result is
  /// not the function its definition promises. False: refuse, naming the rule.
  virtual bool assume(Int condition, std::string_view rule);

 protected:
  /// A dynamic Int of this evaluator. It stays valid as long as the evaluator lives.
  Int dynamic(std::uint64_t handle, Width width, std::int64_t divisor);

 private:
  std::deque<DynamicInt> integers_;
};

/// Arithmetic on the host: a handle is the number of a value kept here, which the algebra cannot
/// see. Overflow of the width is invalid, never a wrap.
class HostEvaluator final : public Evaluator {
 public:
  /// A dynamic Int with this value. Invalid(Overflow) if it needs more bits than `width`;
  /// precondition: divisor >= 1 divides value.
  Int make(std::int64_t value, Width width = Width::I32, std::int64_t divisor = 1);
  /// The value of a static Int or of one of this evaluator's.
  static std::int64_t valueOf(Int a);
  Int apply(IntOp op, Int a, Int b, Width width, std::int64_t divisor) override;
  [[nodiscard]] bool wantsAssumptions() const override { return true; }
  bool assume(Int condition, std::string_view rule) override;
  /// The rules that were assumed and did not hold, one a line; empty if all held.
  [[nodiscard]] const std::string& brokenAssumptions() const { return broken_; }

 private:
  std::deque<std::int64_t> values_;
  std::string broken_;
};

/// op on two values with 64-bit overflow and division by zero reported. Shared by evaluators.
Int evaluate(IntOp op, std::int64_t a, std::int64_t b);
/// `value` if it fits in `width`, else invalid(Overflow).
Int fit(Int value, Width width);

}  // namespace cutwork::cute

#pragma GCC visibility pop

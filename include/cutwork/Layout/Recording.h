// cutwork/Layout/Recording.h -- the evaluator that builds an expression, to be evaluated later.
//
// A handle is the number of a node in a table of operations without duplicates, so that equal
// expressions are the same Int. With values for the inputs, every Int, tuple or layout made from
// them can be computed:
//
//     RecordingEvaluator r;
//     Int n = r.input();                                        // ?
//     Layout l = make_layout({n, 4});                           // (?,4):(1,?)
//     Layout v = r.substitute(l, std::array{std::int64_t{6}});  // (6,4):(1,6)
//     r.expression(l.stride()[1].value());                      // "x0"
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cutwork/Layout/ComposedLayout.h"
#include "cutwork/Layout/Evaluator.h"
#include "cutwork/Support/Status.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

class RecordingEvaluator final : public Evaluator {
 public:
  /// What assume() does: go on and keep the condition, or refuse whatever is not proved.
  enum class Policy { Assume, Refuse };
  explicit RecordingEvaluator(Policy policy = Policy::Assume) : policy_(policy) {}

  /// A new input: x0, x1, ...
  Int input(Width width = Width::I32, std::int64_t divisor = 1);
  [[nodiscard]] std::size_t inputs() const { return inputs_.size(); }

  /// The value of `a` where input i has inputs[i]. Refuses inputs that do not fit their width or
  /// divisor, overflow of an operation's width, and division by zero.
  Expected<std::int64_t> evaluate(Int a, std::span<const std::int64_t> inputs) const;
  /// The same with every leaf static.
  Expected<IntTuple> substitute(IntTupleView tuple, std::span<const std::int64_t> inputs) const;
  Expected<Layout> substitute(const Layout& layout, std::span<const std::int64_t> inputs) const;
  Expected<AnyLayout> substitute(const AnyLayout& layout,
                                 std::span<const std::int64_t> inputs) const;

  /// What has been assumed so far.
  struct Assumption {
    Int condition;
    std::string rule;
  };
  [[nodiscard]] const std::vector<Assumption>& assumptions() const { return assumptions_; }
  /// The first assumption that fails for these inputs, as an error that names its rule.
  Status checkAssumptions(std::span<const std::int64_t> inputs) const;

  /// `x0`, `min(x0, 128)`, `(x0 * x1) / 4`.
  [[nodiscard]] std::string expression(Int a) const;

  Int apply(IntOp op, Int a, Int b, Width width, std::int64_t divisor) override;
  [[nodiscard]] bool wantsAssumptions() const override { return true; }
  bool assume(Int condition, std::string_view rule) override;

 private:
  struct Operation {
    IntOp op;
    Int a;
    Int b;
    Width width;
    std::int64_t divisor;
    std::int64_t input;  // its number, or -1
  };
  using Memo = std::unordered_map<std::uint64_t, Int>;
  Int evaluate(Int a, std::span<const std::int64_t> inputs, Memo& memo) const;
  Status checkInputs(std::span<const std::int64_t> inputs) const;
  Expected<IntTuple> substitute(IntTupleView tuple, std::span<const std::int64_t> inputs,
                                Memo& memo) const;
  [[nodiscard]] std::string expression(Int a, bool nested) const;

  Policy policy_;
  std::vector<Operation> operations_;
  std::vector<std::uint64_t> inputs_;
  std::unordered_multimap<std::uint64_t, Int> known_;  // by a hash of operation and operands
  std::vector<Assumption> assumptions_;
};

}  // namespace cutwork::cute

#pragma GCC visibility pop

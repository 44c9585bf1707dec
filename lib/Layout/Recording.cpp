// Recording.cpp -- recording operations once, evaluating and printing them.
#include "cutwork/Layout/Recording.h"

#include <functional>

#include "Refusal.h"

namespace cutwork::cute {

namespace {

std::uint64_t keyOf(Int a) {
  return a.isDynamic() ? a.dynamic().handle * 2 + 1 : static_cast<std::uint64_t>(a.value()) * 2;
}

std::uint64_t hashOf(IntOp op, Int a, Int b, Width width, std::int64_t divisor) {
  std::uint64_t hash = 1469598103934665603U;
  for (std::uint64_t word :
       {static_cast<std::uint64_t>(op), keyOf(a), keyOf(b), static_cast<std::uint64_t>(width),
        static_cast<std::uint64_t>(divisor)}) {
    hash = (hash ^ word) * 1099511628211U;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

Int RecordingEvaluator::input(Width width, std::int64_t divisor) {
  std::uint64_t handle = operations_.size();
  operations_.push_back(
      {IntOp::Convert, 0, 0, width, divisor, static_cast<std::int64_t>(inputs_.size())});
  inputs_.push_back(handle);
  return dynamic(handle, width, divisor);
}

Int RecordingEvaluator::apply(IntOp op, Int a, Int b, Width width, std::int64_t divisor) {
  std::uint64_t hash = hashOf(op, a, b, width, divisor);
  auto [first, last] = known_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const Operation& o = operations_[it->second.dynamic().handle];
    if (o.op == op && same(o.a, a) && same(o.b, b) && o.width == width && o.divisor == divisor)
      return it->second;
  }
  operations_.push_back({op, a, b, width, divisor, -1});
  Int made = dynamic(operations_.size() - 1, width, divisor);
  known_.emplace(hash, made);
  return made;
}

bool RecordingEvaluator::assume(Int condition, std::string_view rule) {
  if (policy_ == Policy::Refuse) return false;
  assumptions_.push_back({condition, std::string(rule)});
  return true;
}

Status RecordingEvaluator::checkInputs(std::span<const std::int64_t> inputs) const {
  if (inputs.size() != inputs_.size()) {
    return refuse("{} inputs are needed, {} are given", inputs_.size(), inputs.size());
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Operation& input = operations_[inputs_[i]];
    if (fit(inputs[i], input.width).isInvalid())
      return refuse("input x{} = {} does not fit in 32 bits", i, inputs[i]);
    if (inputs[i] % input.divisor != 0) {
      return refuse("input x{} = {} is not divisible by {}", i, inputs[i], input.divisor);
    }
  }
  return Success{};
}

// Operands are recorded before the operations that use them; so computing in order needs no
// recursion.
Int RecordingEvaluator::evaluate(Int a, std::span<const std::int64_t> inputs, Memo& memo) const {
  if (!a.isDynamic()) return a;
  std::vector<std::uint64_t> pending{a.dynamic().handle};
  auto valueOf = [&](Int operand) -> const Int* {
    if (!operand.isDynamic()) return nullptr;
    auto it = memo.find(operand.dynamic().handle);
    return it == memo.end() ? nullptr : &it->second;
  };
  while (!pending.empty()) {
    std::uint64_t handle = pending.back();
    const Operation& o = operations_[handle];
    if (memo.contains(handle)) {
      pending.pop_back();
      continue;
    }
    if (o.input >= 0) {
      memo.emplace(handle, inputs[static_cast<std::size_t>(o.input)]);
      continue;
    }
    const Int* left = valueOf(o.a);
    const Int* right = valueOf(o.b);
    if (o.a.isDynamic() && left == nullptr) pending.push_back(o.a.dynamic().handle);
    if (o.b.isDynamic() && right == nullptr) pending.push_back(o.b.dynamic().handle);
    if (pending.back() != handle) continue;
    Int x = left ? *left : o.a;
    Int y = right ? *right : o.b;
    if (x.isInvalid() || y.isInvalid()) {
      memo.emplace(handle, x.isInvalid() ? x : y);
    } else {
      memo.emplace(handle, fit(cute::evaluate(o.op, x.value(), y.value()), o.width));
    }
  }
  return memo.at(a.dynamic().handle);
}

Expected<std::int64_t> RecordingEvaluator::evaluate(Int a,
                                                    std::span<const std::int64_t> inputs) const {
  CW_DO(checkInputs(inputs));
  Memo memo;
  Int value = evaluate(a, inputs, memo);
  if (value.isInvalid()) return refuse("{}: {}", expression(a), describe(value.reason()));
  return value.value();
}

Expected<IntTuple> RecordingEvaluator::substitute(IntTupleView tuple,
                                                  std::span<const std::int64_t> inputs,
                                                  Memo& memo) const {
  if (tuple.isHole()) return IntTuple(tuple);
  if (tuple.isLeaf()) {
    Int value = evaluate(tuple.value(), inputs, memo);
    if (value.isInvalid())
      return refuse("{}: {}", expression(tuple.value()), describe(value.reason()));
    return IntTuple::basis(value, tuple.basis());
  }
  IntTupleBuilder out;
  out.open();
  for (IntTupleView mode : tuple) {
    CW_TRY(IntTuple made, substitute(mode, inputs, memo));
    out.append(made);
  }
  out.close();
  return out.finish();
}

Expected<IntTuple> RecordingEvaluator::substitute(IntTupleView tuple,
                                                  std::span<const std::int64_t> inputs) const {
  CW_DO(checkInputs(inputs));
  Memo memo;
  return substitute(tuple, inputs, memo);
}

Expected<Layout> RecordingEvaluator::substitute(const Layout& layout,
                                                std::span<const std::int64_t> inputs) const {
  CW_TRY(IntTuple shape, substitute(layout.shape().view(), inputs));
  CW_TRY(IntTuple stride, substitute(layout.stride().view(), inputs));
  return Layout::make(std::move(shape), std::move(stride));
}

Expected<AnyLayout> RecordingEvaluator::substitute(const AnyLayout& layout,
                                                   std::span<const std::int64_t> inputs) const {
  CW_TRY(Layout outer, substitute(layout.outer(), inputs));
  if (layout.plain()) return AnyLayout(std::move(outer));
  const ComposedLayout& composed = *layout.composed();
  CW_TRY(IntTuple offset, substitute(composed.offset().view(), inputs));
  ComposedLayout::Inner inner = composed.inner();
  if (composed.swizzle() == nullptr) {
    CW_TRY(inner, substitute(std::get<Layout>(composed.inner()), inputs));
  }
  CW_TRY(ComposedLayout made,
         ComposedLayout::make(std::move(inner), std::move(offset), std::move(outer)));
  return AnyLayout(std::move(made));
}

Status RecordingEvaluator::checkAssumptions(std::span<const std::int64_t> inputs) const {
  CW_DO(checkInputs(inputs));
  Memo memo;
  for (const Assumption& assumption : assumptions_) {
    Int holds = evaluate(assumption.condition, inputs, memo);
    if (!holds.isStatic() || holds.is(0)) return refuse("{}", assumption.rule);
  }
  return Success{};
}

std::string RecordingEvaluator::expression(Int a) const { return expression(a, false); }

std::string RecordingEvaluator::expression(Int a, bool nested) const {
  if (!a.isDynamic()) return a.text();
  const Operation& o = operations_[a.dynamic().handle];
  if (o.input >= 0) return fmt::format("x{}", o.input);
  if (o.op == IntOp::Convert) return expression(o.a, nested);
  if (o.op == IntOp::Min || o.op == IntOp::Max || o.op == IntOp::CeilDiv) {
    return fmt::format("{}({}, {})", name(o.op), expression(o.a, false), expression(o.b, false));
  }
  std::string text =
      fmt::format("{} {} {}", expression(o.a, true), name(o.op), expression(o.b, true));
  return nested ? "(" + text + ")" : text;
}

}  // namespace cutwork::cute

// Control.cpp -- scf ops for the kernel's control flow, slots for its variables.
#include "cutwork/DSL/Control.h"

#include <fmt/format.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Interfaces/FunctionInterfaces.h>

#include "DSL/Arithmetic.h"
#include "DSL/Loops.h"
#include "DSL/Trace.h"
#include "DSL/Vectors.h"
#include "IR/Cute.h"

namespace cutwork::cute {

namespace {

// Passes go down into bodies by recursion, as the program that is traced does.
void checkDepth(Trace& trace, mlir::Block& block) {
  constexpr int kMost = 128;
  int depth = 0;
  for (mlir::Operation* op = block.getParentOp(); !mlir::isa<mlir::FunctionOpInterface>(op);
       op = op->getParentOp()) {
    ++depth;
  }
  if (depth <= kMost) return;
  refuse(
      fmt::format("bodies of run-time ifs and loops are nested at most {} deep, and each else_if "
                  "of a chain is one level. A function that calls itself under a run-time "
                  "condition is traced without end: the condition has to be known while tracing",
                  kMost),
      trace.lastWhere());
}

}  // namespace

void enterBody(Trace& trace, mlir::Block& block) {
  checkDepth(trace, block);
  if (!block.empty() && block.back().hasTrait<mlir::OpTrait::IsTerminator>()) {
    trace.builder().setInsertionPoint(&block.back());
  } else {
    trace.builder().setInsertionPointToEnd(&block);
  }
}

namespace {

void inBlock(Trace& trace, mlir::Block& block, const std::function<void()>& body) {
  mlir::OpBuilder::InsertionGuard guard(trace.builder());
  enterBody(trace, block);
  body();
}

// The promoted type of the bounds and the step.
DType counterType(const Range& range) {
  Where where = range.start.where();
  DType type = orRefuse(promote(range.start.type(), range.stop.type()), where);
  type = orRefuse(promote(type, range.step.type()), where);
  if (!isInteger(type)) {
    refuse(fmt::format("a loop counts with integers, not {}", name(type)), where);
  }
  return type;
}

// More would be a program that nothing compiles.
void checkUnrolled(const Range& range, Where where) {
  constexpr std::int64_t kMost = 65536;  // of the pass that unrolls
  std::int64_t step = range.step.value().integer();
  Int distance = Int(range.stop.value().integer()) - Int(range.start.value().integer());
  Int count = step > 0 ? ceilDiv(distance, step) : ceilDiv(-distance, Int(-step));
  if (count.isStatic() && count.value() <= kMost) return;
  refuse(
      fmt::format("unroll_full of {} iterations; at most {} can be unrolled", count.text(), kMost),
      where);
}

// The counter counts iterations from 0, so that no step or sign is a special case further on. Their
// number may need all bits of the bounds' type: it is unsigned.
struct Trips {
  Numeric count;
  /// Compared so: there may be more than the signed type has. LLVM knows more of signed counters.
  bool isUnsigned;
};

bool mayBeMany(DType type, const Range& range, const Numeric& count) {
  if (count.isConstant()) return count.integer() < 0 || count.integer() > (1LL << 31) - 1;
  const Numeric& step = range.step.value();
  if (!step.isConstant()) return width(type) >= 32;
  if (width(type) < 32 || step.integer() > 2 || step.integer() < -2) return false;
  // The distance of two that are not negative is no more than either.
  const Numeric& least = step.integer() > 0 ? range.start.value() : range.stop.value();
  return !isSigned(type) || !least.isConstant() || least.integer() < 0;
}

Trips tripCount(DType type, const Range& range) {
  Where where = range.start.where();
  auto at = [&](const Numeric& value) { return Arg(value, where); };
  bool wide = width(type) == 64;
  DType bounds = width(type) >= 32 ? type : DType::Int32;
  DType counter = wide ? DType::Uint64 : DType::Uint32;
  Numeric lo = range.start.to(bounds);
  Numeric hi = range.stop.to(bounds);
  const Numeric& step = range.step.value();  // of its own type, which says its sign
  Boolean up = at(step) > Arg(0, where);
  Boolean ascends = at(lo) < at(hi);
  Boolean descends = at(lo) > at(hi);
  Numeric by = at(step).to(counter);
  Numeric distance = at(select(at(up), at(at(hi) - at(lo)), at(at(lo) - at(hi)))).to(counter);
  Numeric zero = Numeric::constant(counter, std::int64_t{0});
  Numeric one = Numeric::constant(counter, std::int64_t{1});
  Numeric given = select(at(up), at(by), at(-at(by)));
  Boolean open = select(at(up), at(ascends), at(descends));
  // Of step 0, at run time: none, and no division by it.
  bool known = step.isConstant();
  Numeric size = known ? given : max(at(given), at(one));
  Boolean runs = known ? open : Boolean(at(open) && at(at(step) != Arg(0, where)));
  bool single = size.isConstant() && size.integer() == 1;
  Numeric some = single ? distance : at(at(at(distance) - at(one)) / at(size)) + at(one);
  Numeric count = select(at(runs), at(some), at(zero));
  return {count, mayBeMany(type, range, count)};
}

}  // namespace

If if_(const Arg& condition, const std::function<void()>& body) {
  Where where = condition.where();
  Numeric chosen = condition.to(DType::Boolean);
  if (chosen.isConstant()) {
    bool holds = chosen.integer() != 0;
    if (holds) body();
    return {holds ? If::Known::True : If::Known::False, nullptr, nullptr, 0, where};
  }
  Trace& trace = Trace::at(where);
  auto op = mlir::scf::IfOp::create(trace.builder(), trace.here(), trace.use(chosen, where),
                                    /*withElseRegion=*/true);
  inBlock(trace, *op.thenBlock(), body);
  return {If::Known::No, op.getOperation(), op.getOperation(), trace.id(), where};
}

void If::checkOpen() const {
  if (Trace::current(where_).id() != trace_) {
    refuse("else_ and else_if belong to the if_ of the same trace; that one has ended", where_);
  }
  auto op = mlir::cast<mlir::scf::IfOp>(static_cast<mlir::Operation*>(op_));
  if (!op.elseBlock()->without_terminator().empty()) {
    refuse("this if_ has its else_ or else_if already", where_);
  }
}

void If::else_(const std::function<void()>& body) const {
  if (known_ == Known::False) body();
  if (known_ != Known::No) return;
  checkOpen();
  auto op = mlir::cast<mlir::scf::IfOp>(static_cast<mlir::Operation*>(op_));
  inBlock(Trace::at(where_), *op.elseBlock(), body);
}

If If::else_if(const Arg& condition, const std::function<void()>& body) const {
  if (known_ == Known::True) return {Known::True, nullptr, nullptr, 0, where_};
  if (known_ == Known::False) return if_(condition, body);
  checkOpen();
  Trace& trace = Trace::at(where_);
  // The condition was traced behind the chain, which uses it: the chain goes behind the condition.
  // It matters only where the conditions before it failed, so no body ran that it could see.
  static_cast<mlir::Operation*>(chain_)->moveBefore(trace.builder().getInsertionBlock(),
                                                    trace.builder().getInsertionPoint());
  auto op = mlir::cast<mlir::scf::IfOp>(static_cast<mlir::Operation*>(op_));
  If inner(Known::No, op_, chain_, trace_, where_);
  inBlock(trace, *op.elseBlock(), [&] { inner = if_(condition, body); });
  // A condition that was known leaves nothing to branch on: further else parts go here, or nowhere.
  if (inner.known_ == Known::False) return {Known::No, op_, chain_, trace_, where_};
  return {inner.known_, inner.op_, chain_, trace_, where_};
}

mlir::scf::ForOp makeLoop(Trace& trace, const Range& range) {
  Where where = range.start.where();
  DType type = counterType(range);
  if (range.step.value().isConstant() && range.step.value().integer() == 0) {
    refuse("a loop with step 0 never ends", where);
  }
  if (range.unroll < 0) refuse(fmt::format("unroll={} is no number of times", range.unroll), where);
  bool bounded = range.start.value().isConstant() && range.stop.value().isConstant() &&
                 range.step.value().isConstant();
  if (range.unroll_full && !bounded) {
    refuse("unroll_full needs bounds that are known while tracing", where);
  }
  if (range.unroll_full) checkUnrolled(range, where);
  trace.locate(where);
  auto [trips, isUnsigned] = tripCount(type, range);
  mlir::Value count = trace.use(trips, where);
  trace.locate(where);
  mlir::Value zero = trace.constant(0, count.getType());
  mlir::Value one = trace.constant(1, count.getType());
  auto loop = mlir::scf::ForOp::create(trace.builder(), trace.here(), zero, count, one);
  loop.setUnsignedCmp(isUnsigned);
  annotate(loop, range.unroll, range.unroll_full);
  return loop;
}

Numeric counterOf(Trace& trace, mlir::scf::ForOp loop, const Range& range) {
  Where where = range.start.where();
  mlir::Value index = loop.getInductionVar();
  DType counter = index.getType().isInteger(64) ? DType::Int64 : DType::Int32;
  Numeric k(counter, trace.wrap(index));
  Numeric scaled = range.step.value().isConstant() && range.step.value().integer() == 1
                       ? k
                       : Arg(k, where) * Arg(range.step.to(counter), where);
  bool fromZero = range.start.value().isConstant() && range.start.value().integer() == 0;
  Numeric at = fromZero ? scaled : Arg(scaled, where) + Arg(range.start.to(counter), where);
  return at.to(counterType(range), where);
}

void detail::forLoop(const Range& range, const std::function<void(const Numeric&)>& body) {
  Trace& trace = Trace::at(range.start.where());
  mlir::scf::ForOp loop = makeLoop(trace, range);
  inBlock(trace, *loop.getBody(), [&] { body(counterOf(trace, loop, range)); });
}

void while_(const std::function<Boolean()>& condition, const std::function<void()>& body,
            Where where) {
  Trace& trace = Trace::at(where);
  auto loop = mlir::scf::WhileOp::create(trace.builder(), trace.here(), mlir::TypeRange(),
                                         mlir::ValueRange());
  mlir::Block* before = trace.builder().createBlock(&loop.getBefore());
  mlir::Block* after = trace.builder().createBlock(&loop.getAfter());
  trace.builder().setInsertionPointAfter(loop);
  try {
    inBlock(trace, *before, [&] {
      Boolean holds = condition();
      mlir::scf::ConditionOp::create(trace.builder(), trace.locate(where), trace.use(holds, where),
                                     mlir::ValueRange());
    });
    inBlock(trace, *after, [&] {
      body();
      mlir::scf::YieldOp::create(trace.builder(), trace.locate(where));
    });
  } catch (...) {
    loop.erase();  // the caller may catch it, and half a loop is no IR
    throw;
  }
}

void return_if(const Arg& condition) {
  Where where = condition.where();
  Trace& trace = Trace::at(where);
  if (trace.kernel() == nullptr) {
    refuse("return_if is for kernels; in a host function use if_", where);
  }
  Numeric chosen = condition.to(DType::Boolean);
  if (chosen.isConstant() && chosen.integer() == 0) return;
  ir::ReturnIf::create(trace.builder(), trace.here(), trace.use(chosen, where));
}

VarBase::VarBase(DType type, const Arg& initial) : type_(type) {
  Trace& trace = Trace::at(initial.where());
  slot_ = trace.wrap(makeSlot(trace, storageType(trace, type), 1, storageBits(type) / 8));
  store(initial);
}

Numeric VarBase::load(Where where) const {
  Trace& trace = Trace::at(where);
  auto vector = mlir::VectorType::get({1}, storageType(trace, type_));
  mlir::Value loaded =
      ir::Load::create(trace.builder(), trace.here(), vector, trace.use(slot_, where), "1:0",
                       mlir::ValueRange(), mlir::Value());
  return {type_, trace.wrap(fromStorage(trace, elementOf(trace, loaded, 0), type_))};
}

void VarBase::store(const Arg& value) {
  Trace& trace = Trace::at(value.where());
  mlir::Value element = toStorage(trace, trace.use(value.fit(type_), value.where()), type_);
  ir::Store::create(trace.builder(), trace.here(), makeVector(trace, {element}),
                    trace.use(slot_, value.where()), "1:0", mlir::ValueRange(), mlir::Value());
}

VarBase& VarBase::operator=(const VarBase& value) {  // NOLINT: of oneself too
  return *this = Arg(value, lastPlace());
}

VarBase::operator IntTuple() const { return IntTuple(read().toInt(lastPlace())); }

Numeric VarBase::read() const { return load(lastPlace()); }

Arg::Arg(const VarBase& variable, Where where) : value_(variable.load(where)), where_(where) {}

}  // namespace cutwork::cute

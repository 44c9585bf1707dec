// Staging.cpp -- bodies that are opened and closed.
#include "cutwork/DSL/Staging.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

#include "DSL/Loops.h"
#include "DSL/Trace.h"

namespace cutwork::cute {

namespace {

namespace scf = mlir::scf;

mlir::Operation* operation(void* op) { return static_cast<mlir::Operation*>(op); }

}  // namespace

Region::Region(void* op, Where where) : trace_(Trace::find()), op_(op), where_(where) {}

void Region::open(int part) {
  if (op_ == nullptr || closed_ || Trace::find() != trace_) {
    refuse("this body is closed already, or belongs to another trace", where_);
  }
  Trace& trace = Trace::at(where_);
  mlir::Region& region = operation(op_)->getRegion(static_cast<unsigned>(part));
  enterBody(trace, region.front());
}

Region Region::branch(const Arg& condition) {
  Trace& trace = Trace::at(condition.where());
  Numeric chosen = condition.to(DType::Boolean);
  auto op = scf::IfOp::create(trace.builder(), trace.here(), trace.use(chosen, condition.where()),
                              /*withElseRegion=*/true);
  Region region(op.getOperation(), condition.where());
  region.open(0);
  return region;
}

void Region::orElse() { open(1); }

Region Region::loop(const Range& range) {
  Trace& trace = Trace::at(range.start.where());
  scf::ForOp op = makeLoop(trace, range);
  Region region(op.getOperation(), range.start.where());
  region.open(0);
  region.index_.emplace(counterOf(trace, op, range));
  return region;
}

Region Region::whileLoop(Where where) {
  Trace& trace = Trace::at(where);
  auto op =
      scf::WhileOp::create(trace.builder(), trace.here(), mlir::TypeRange(), mlir::ValueRange());
  trace.builder().createBlock(&op.getBefore());
  trace.builder().createBlock(&op.getAfter());
  scf::YieldOp::create(trace.builder(), trace.here());
  Region region(op.getOperation(), where);
  region.open(0);
  return region;
}

void Region::condition(const Arg& holds) {
  Trace& trace = Trace::at(holds.where());
  // The body is a branch behind the condition, in the same region: it sees what the condition made.
  mlir::Value chosen = trace.use(holds.to(DType::Boolean), holds.where());
  condition_ = chosen.getAsOpaquePointer();
  auto body = scf::IfOp::create(trace.builder(), trace.here(), chosen, /*withElseRegion=*/false);
  enterBody(trace, *body.thenBlock());
}

void Region::close() {
  open(0);
  Trace& trace = Trace::at(where_);
  if (condition_ != nullptr) {
    scf::ConditionOp::create(trace.builder(), trace.here(),
                             mlir::Value::getFromOpaquePointer(condition_), mlir::ValueRange());
  }
  trace.builder().setInsertionPointAfter(operation(op_));
  closed_ = true;
}

void Region::discard() {
  if (!closed_) close();
  if (op_ == nullptr) refuse("this body is discarded already", where_);
  Trace& trace = Trace::at(where_);
  mlir::Operation* op = operation(std::exchange(op_, nullptr));
  trace.builder().setInsertionPointAfter(op);  // not before it: that place goes with it
  trace.discard(op);
}

bool isVisible(const Value& value) {
  Trace* trace = Trace::find();
  return trace != nullptr && trace->sees(value);
}

std::unique_ptr<VarBase> variableOfFunction(DType type, Where where) {
  Trace& trace = Trace::at(where);
  mlir::OpBuilder::InsertionGuard guard(trace.builder());
  trace.builder().setInsertionPointToStart(trace.entryBlock());
  Numeric zero =
      isFloat(type) ? Numeric::constant(type, 0.0) : Numeric::constant(type, std::int64_t{0});
  return std::make_unique<VarBase>(type, Arg(zero, where));
}

bool isTracing() { return Trace::find() != nullptr; }
bool isTracingKernel() { return Trace::find() != nullptr && Trace::find()->kernel() != nullptr; }

Int opaque(const Numeric& value, std::int64_t divisor, Where where) {
  if (!isInteger(value.type())) return value.toInt(where);  // says what is wrong
  Trace& trace = Trace::at(where);
  DType as =
      width(value.type()) == 64 || value.type() == DType::Uint32 ? DType::Int64 : DType::Int32;
  return trace.evaluator().wrap(trace.use(value.to(as, where), where), divisor);
}

}  // namespace cutwork::cute

// Host.cpp -- the function op of a host function, and its arguments.
#include "cutwork/DSL/Host.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/LLVMIR/LLVMTypes.h>

#include "DSL/Arithmetic.h"
#include "DSL/HostTraceImpl.h"
#include "DSL/Pointers.h"
#include "cutwork/DSL/Control.h"

namespace cutwork {

using cute::IntTuple;
using cute::Trace;

namespace {

mlir::Value argument(HostTrace::Impl& impl, mlir::Type type) {
  Trace& trace = impl.trace;
  mlir::OpBuilder& b = trace.builder();
  return ir::Argument::create(b, trace.here(), type, b.getI64IntegerAttr(impl.slots++));
}

IntTuple leaves(HostTrace::Impl& impl, const std::vector<LeafSpec>& specs) {
  std::vector<IntTuple> modes;
  for (const LeafSpec& spec : specs) {
    if (spec.known) {
      modes.emplace_back(spec.value);
      continue;
    }
    Trace& trace = impl.trace;
    mlir::Type type = trace.builder().getIntegerType(static_cast<unsigned>(spec.width));
    modes.emplace_back(trace.evaluator().wrap(argument(impl, type), spec.divisor));
  }
  return IntTuple(std::span<const IntTuple>(modes));
}

}  // namespace

HostTrace::HostTrace(std::string name, Target target, cute::Where where)
    : impl_(std::make_unique<Impl>(std::move(name))) {
  Trace& trace = impl_->trace;
  trace.target = target;
  trace.locate(where);
  mlir::OpBuilder& b = trace.builder();
  b.setInsertionPointToEnd(trace.module().getBody());
  mlir::Type pointer = mlir::LLVM::LLVMPointerType::get(&trace.context());
  auto type = b.getFunctionType({pointer, pointer}, {b.getI32Type()});
  auto function = mlir::func::FuncOp::create(b, trace.here(), "host", type);
  b.setInsertionPointToStart(function.addEntryBlock());
  trace.status = std::make_unique<cute::VarBase>(cute::DType::Int32, cute::Arg(0, where));
}

HostTrace::~HostTrace() = default;

cute::Tensor HostTrace::tensor(const TensorSpec& spec) {
  cute::Pointer start = pointer(spec.type, spec.space, spec.alignment);
  IntTuple shape = leaves(*impl_, spec.shape);
  cute::Layout layout = cute::Layout::make(shape, leaves(*impl_, spec.stride));
  return {start, layout};
}

cute::Numeric HostTrace::scalar(cute::DType type) {
  Trace& trace = impl_->trace;
  mlir::Value value = argument(*impl_, storageType(trace, type));
  return {type, trace.wrap(fromStorage(trace, value, type))};
}

cute::Pointer HostTrace::pointer(cute::DType type, cute::AddressSpace space,
                                 std::int64_t alignment) {
  Trace& trace = impl_->trace;
  mlir::Value value = argument(*impl_, pointerType(trace, type, space, alignment, {}));
  return {trace.wrap(value), type, space, alignment};
}

cute::Stream HostTrace::stream() {
  Trace& trace = impl_->trace;
  mlir::Type pointer = mlir::LLVM::LLVMPointerType::get(&trace.context());
  return cute::Stream(trace.wrap(argument(*impl_, pointer)));
}

void HostTrace::finish() {
  Trace& trace = impl_->trace;
  cute::Where where = trace.lastWhere();
  mlir::Value status = trace.use(trace.status->load(where), where);
  mlir::func::ReturnOp::create(trace.builder(), trace.here(), status);
}

}  // namespace cutwork

// Host.cpp -- the function op of a host function, and its arguments.
#include "cutwork/DSL/Host.h"

#include <fmt/format.h>
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

// A static layout has no mode without elements.
void checkExtents(HostTrace::Impl& impl, const TensorSpec& spec) {
  for (std::size_t i = 0; i < spec.shape.size(); ++i) {
    if (!spec.shape[i].known || spec.shape[i].value > 0) continue;
    cute::refuse(fmt::format("argument {}: extent {} of the array is {}; what is known while "
                             "compiling is at least 1. With mark_layout_dynamic the extents are "
                             "those of each call",
                             impl.arguments, i, spec.shape[i].value),
                 impl.trace.lastWhere());
  }
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
  checkExtents(*impl_, spec);
  cute::Pointer start = pointer(spec.type, spec.space, spec.alignment);
  if (spec.space == cute::AddressSpace::generic) {
    Trace& trace = impl_->trace;
    mlir::Value value = trace.use(start.value(), trace.lastWhere());
    value.getDefiningOp()->setAttr(cute::kHostArray, trace.builder().getUnitAttr());
  }
  IntTuple shape = leaves(*impl_, spec.shape);
  cute::Layout layout = cute::Layout::make(shape, leaves(*impl_, spec.stride));
  return {start, layout};
}

cute::Numeric HostTrace::scalar(cute::DType type) {
  Trace& trace = impl_->trace;
  if (isFloat(type) && cute::width(type) == 8) {
    cute::refuse(fmt::format("argument {}: a {} is no number that a caller can pass; take a tensor "
                             "of one, or a Float32",
                             impl_->arguments, cute::name(type)),
                 trace.lastWhere());
  }
  ++impl_->arguments;
  mlir::Value value = argument(*impl_, storageType(trace, type));
  return {type, trace.wrap(fromStorage(trace, value, type))};
}

cute::Pointer HostTrace::pointer(cute::DType type, cute::AddressSpace space,
                                 std::int64_t alignment) {
  Trace& trace = impl_->trace;
  ++impl_->arguments;
  mlir::Value value = argument(*impl_, pointerType(trace, type, space, alignment, {}));
  return {trace.wrap(value), type, space, alignment};
}

cute::Stream HostTrace::stream() {
  Trace& trace = impl_->trace;
  ++impl_->arguments;
  mlir::Type pointer = mlir::LLVM::LLVMPointerType::get(&trace.context());
  return cute::Stream(trace.wrap(argument(*impl_, pointer)));
}

void HostTrace::run(const std::function<void()>& function) {
  try {
    function();
  } catch (const UserError& error) {
    SourcePlace last = cute::placeOf(impl_->trace.lastWhere());
    if (error.error().place().known() || !last.known()) throw;
    userError(fmt::format("{} (at or after {}, the last operation traced)", error.error().message(),
                          last.text()),
              last)
        .raise();
  }
}

std::string HostTrace::text() {
  finish();
  std::string text;
  llvm::raw_string_ostream stream(text);
  impl_->trace.module().print(stream);
  return text;
}

void HostTrace::finish() {
  if (std::exchange(impl_->finished, true)) return;
  Trace& trace = impl_->trace;
  cute::Where where = trace.lastWhere();
  mlir::Value status = trace.use(trace.status->load(where), where);
  mlir::func::ReturnOp::create(trace.builder(), trace.here(), status);
  impl_->timer.stop();
}

}  // namespace cutwork

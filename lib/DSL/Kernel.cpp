// Kernel.cpp -- tracing a kernel at its launch, and the launch op.
#include "cutwork/DSL/Kernel.h"

#include <fmt/format.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>

#include "DSL/Arithmetic.h"
#include "DSL/Pointers.h"
#include "DSL/Trace.h"
#include "cutwork/DSL/Control.h"

namespace cutwork {

namespace {

using namespace cute;  // NOLINT(google-build-using-namespace): this is its other half

// Whether a pointer is into an array argument that is on the host.
bool isHostArray(mlir::Value pointer) {
  while (mlir::Operation* op = pointer.getDefiningOp()) {
    if (mlir::isa<ir::Argument>(op)) return op->hasAttr(kHostArray);
    if (!mlir::isa<ir::AddOffset, ir::Recast>(op)) return false;
    pointer = op->getOperand(0);
  }
  return false;
}

// In the host function: the leaves' values, in order.
class Collector final : public Remap {
 public:
  Collector(Trace& trace, Where where) : trace_(trace), where_(where) {}
  Numeric numeric(const Numeric& x) override {
    values.push_back(toStorage(trace_, trace_.use(x.value(), where_), x.type()));
    return x;
  }
  Int integer(Int x) override {
    values.push_back(trace_.use(x, x.width(), where_));
    return x;
  }
  Pointer pointer(const Pointer& x) override {
    mlir::Value value = trace_.use(x.value(), where_);
    if (x.space() == AddressSpace::rmem) {
      refuse(
          "registers of the host function (make_rmem_tensor) are passed to a kernel, which "
          "cannot reach them; make them in the kernel",
          where_);
    }
    if (isHostArray(value)) {
      refuse(
          "an array on the host is passed to a kernel, which cannot reach it; copy it to an "
          "array on the device",
          where_);
    }
    values.push_back(value);
    return x;
  }
  std::vector<mlir::Value> values;

 private:
  Trace& trace_;
  Where where_;
};

// In the kernel: the block's arguments in their places.
class Rebuilder final : public Remap {
 public:
  Rebuilder(Trace& trace, mlir::Block* entry) : trace_(trace), entry_(entry) {}
  Numeric numeric(const Numeric& x) override {
    return {x.type(), trace_.wrap(fromStorage(trace_, next(), x.type()))};
  }
  Int integer(Int x) override { return trace_.evaluator().wrap(next(), x.divisor()); }
  Pointer pointer(const Pointer& x) override {
    return {trace_.wrap(next()), x.type(), x.space(), x.alignment(), x.swizzle()};
  }

 private:
  mlir::Value next() { return entry_->getArgument(used_++); }
  Trace& trace_;
  mlir::Block* entry_;
  unsigned used_ = 0;
};

std::vector<Int> threeOf(const IntTuple& extents, std::string_view what, Where where) {
  std::vector<Int> out;
  if (extents.view().depth() > 1) {
    refuse(fmt::format("launch: {} {} is nested; it is one to three extents", what, extents.text()),
           where);
  }
  for (const Node& node : extents.view().nodes()) {
    if (node.kind == NodeKind::Tuple) continue;
    if (node.kind == NodeKind::Hole || node.basis.depth() != 0) {
      refuse(fmt::format("launch: {} {} is no extent", what, extents.text()), where);
    }
    out.push_back(node.integer);
  }
  if (out.empty() || out.size() > 3) {
    refuse(fmt::format("launch: {} {} has {} extents; one to three are possible", what,
                       extents.text(), out.size()),
           where);
  }
  for (Int extent : out) {
    if (extent.isStatic() && extent.value() <= 0) {
      refuse(fmt::format("launch: {} {}: an extent is at least 1", what, extents.text()), where);
    }
  }
  out.resize(3, Int(1));
  return out;
}

bool allStatic(const std::vector<Int>& extents) {
  return std::ranges::all_of(extents, [](Int e) { return e.isStatic(); });
}

mlir::DenseI32ArrayAttr dims(mlir::OpBuilder& b, const std::vector<Int>& extents) {
  llvm::SmallVector<std::int32_t> values;
  for (Int e : extents) values.push_back(static_cast<std::int32_t>(e.value()));
  return b.getDenseI32ArrayAttr(values);
}

mlir::gpu::GPUModuleOp kernelModule(Trace& trace) {
  for (auto found : trace.module().getOps<mlir::gpu::GPUModuleOp>()) return found;
  mlir::OpBuilder::InsertionGuard guard(trace.builder());
  trace.builder().setInsertionPointToEnd(trace.module().getBody());
  return mlir::gpu::GPUModuleOp::create(trace.builder(), trace.here(), "kernels");
}

struct Extents {
  std::vector<Int> grid;
  std::vector<Int> block;
  std::vector<Int> cluster;
};

void setBounds(Trace& trace, mlir::gpu::GPUFuncOp function, const LaunchOptions& options,
               const Extents& extents) {
  mlir::OpBuilder& b = trace.builder();
  if (allStatic(extents.block)) {
    function->setAttr("nvvm.reqntid", dims(b, extents.block));
  } else if (options.max_threads > 0) {
    function->setAttr("nvvm.maxntid", b.getDenseI32ArrayAttr({options.max_threads}));
  }
  if (options.min_blocks > 0) {
    function->setAttr("nvvm.minctasm", b.getI32IntegerAttr(options.min_blocks));
  }
  bool one = std::ranges::all_of(extents.cluster, [](Int e) { return e.is(1); });
  if (!one) function->setAttr("nvvm.cluster_dim", dims(b, extents.cluster));
}

void checkLimits(const LaunchOptions& options, const Extents& extents) {
  constexpr int kMostThreads = 1024;
  constexpr int kMostBlocks = 32;
  if (options.max_threads < 0 || options.max_threads > kMostThreads) {
    refuse(fmt::format("launch: max_threads is {}; 1 to {} are possible, 0 is the block",
                       options.max_threads, kMostThreads),
           options.where);
  }
  if (options.min_blocks < 0 || options.min_blocks > kMostBlocks) {
    refuse(fmt::format("launch: min_blocks is {}; 0 to {} are possible", options.min_blocks,
                       kMostBlocks),
           options.where);
  }
  if (options.max_threads == 0 || !allStatic(extents.block)) return;
  Int threads = extents.block[0] * extents.block[1] * extents.block[2];
  if (threads.value() > options.max_threads) {
    refuse(fmt::format("launch: a block of {} threads, but max_threads is {}", threads.text(),
                       options.max_threads),
           options.where);
  }
}

std::string kernelName(Trace& trace, const LaunchOptions& options) {
  std::string name = options.name.empty() ? fmt::format("{}_kernel", trace.name()) : options.name;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '$') c = '_';
  }
  if (std::isdigit(static_cast<unsigned char>(name.front()))) name.insert(name.begin(), '_');
  mlir::gpu::GPUModuleOp module = kernelModule(trace);
  std::string unique = name;
  for (int i = 1; module.lookupSymbol(unique) != nullptr; ++i)
    unique = fmt::format("{}_{}", name, i);
  return unique;
}

// The kernel's function, with its body traced by `run`.
mlir::gpu::GPUFuncOp traceKernel(Trace& trace, KernelState& state, const LaunchOptions& options,
                                 const Extents& extents, const std::vector<mlir::Value>& values,
                                 const std::function<void(Remap&)>& run) {
  mlir::OpBuilder::InsertionGuard guard(trace.builder());
  mlir::gpu::GPUModuleOp module = kernelModule(trace);
  trace.builder().setInsertionPointToEnd(module.getBody());
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value value : values) types.push_back(value.getType());
  auto type = trace.builder().getFunctionType(types, {});
  auto function = mlir::gpu::GPUFuncOp::create(trace.builder(), trace.here(), state.name, type);
  function->setAttr("gpu.kernel", trace.builder().getUnitAttr());
  setBounds(trace, function, options, extents);
  mlir::Block* entry = &function.getBody().front();
  trace.builder().setInsertionPointToStart(entry);
  struct Inside {
    Trace& trace;
    Inside(Trace& t, KernelState& s) : trace(t) { trace.setKernel(&s); }
    ~Inside() { trace.setKernel(nullptr); }
  };
  try {
    Inside inside(trace, state);
    Rebuilder rebuilder(trace, entry);
    run(rebuilder);
  } catch (...) {
    function.erase();  // the host function may catch it and go on without this kernel
    throw;
  }
  mlir::gpu::ReturnOp::create(trace.builder(), trace.locate(options.where));
  return function;
}

mlir::Value sharedMemory(Trace& trace, const KernelState& state, const LaunchOptions& options) {
  Where where = options.where;
  mlir::Type i64 = trace.builder().getI64Type();
  if (!options.smem) return trace.constant(state.sharedBytes, i64);
  if (!isInteger(options.smem->type())) {
    refuse(fmt::format("launch: smem is a number of bytes, not a {}", name(options.smem->type())),
           where);
  }
  Numeric asked = options.smem->to(DType::Int64);
  if (asked.isConstant() && asked.integer() < state.sharedBytes) {
    std::string text = fmt::format("launch: smem is {} bytes, but the kernel's allocations take {}",
                                   asked.integer(), state.sharedBytes);
    if (!options.raise_smem) refuse(text, where);
    trace.remarks.push_back(fmt::format("{}: {}; it gets these", placeOf(where).text(), text));
  }
  Numeric least = Numeric::constant(DType::Int64, state.sharedBytes);
  return trace.use(max(Arg(asked, where), Arg(least, where)), where);
}

}  // namespace

namespace detail {

void launchTraced(const LaunchOptions& options, const std::function<void(Remap&)>& collect,
                  const std::function<void(Remap&)>& run) {
  Where where = options.where;
  Trace& trace = Trace::at(where);
  if (trace.kernel() != nullptr) refuse("a kernel cannot launch a kernel", where);
  Extents extents{threeOf(options.grid, "grid", where), threeOf(options.block, "block", where),
                  threeOf(options.cluster, "cluster", where)};
  checkLimits(options, extents);
  if (!allStatic(extents.cluster)) refuse("launch: the cluster's extents are static", where);
  if (trace.target.capability < 90 &&
      !std::ranges::all_of(extents.cluster, [](Int e) { return e.is(1); })) {
    refuse(
        fmt::format("launch: clusters need sm_90 or later; the target is {}", trace.target.name()),
        where);
  }
  Collector collector(trace, where);
  collect(collector);
  KernelState state{kernelName(trace, options)};
  traceKernel(trace, state, options, extents, collector.values, run);
  trace.locate(where);
  llvm::SmallVector<mlir::Value> nine;
  for (const auto* group : {&extents.grid, &extents.block, &extents.cluster}) {
    for (Int extent : *group) nine.push_back(trace.use(extent, Width::I64, where));
  }
  mlir::OpBuilder& b = trace.builder();
  auto symbol = mlir::SymbolRefAttr::get(
      &trace.context(), "kernels", {mlir::FlatSymbolRefAttr::get(&trace.context(), state.name)});
  mlir::Value stream = options.stream ? trace.use(options.stream->value(), where) : mlir::Value();
  mlir::Value shared = sharedMemory(trace, state, options);
  std::int64_t index = trace.kernels++;
  // After a failure nothing more is launched; the host function returns the first one.
  VarBase& status = *trace.status;
  if_(Arg(Arg(status, where) == Arg(0, where), where), [&] {
    mlir::Value result = ir::Launch::create(
        b, trace.here(), b.getI32Type(), symbol, b.getI64IntegerAttr(index), nine, shared, stream,
        collector.values, options.cooperative ? b.getUnitAttr() : mlir::UnitAttr(),
        options.use_pdl ? b.getUnitAttr() : mlir::UnitAttr());
    status.store(Arg(Numeric(DType::Int32, trace.wrap(result)), where));
  });
}

}  // namespace detail

}  // namespace cutwork

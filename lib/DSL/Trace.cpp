// Trace.cpp -- the module that is being traced.
#include "DSL/Trace.h"

#include <fmt/format.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/Interfaces/FunctionInterfaces.h>

#include <atomic>

#include "DSL/Arch.h"
#include "IR/Cute.h"
#include "cutwork/DSL/Control.h"
#include "cutwork/DSL/Staging.h"

namespace cutwork::cute {

namespace {

thread_local Trace* currentTrace = nullptr;
thread_local PlaceSource* placeSource = nullptr;
std::atomic<PlaceSource*> placesOutside{nullptr};

std::uint64_t nextId() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

std::unique_ptr<mlir::MLIRContext> makeContext() {
  // Threads would cost more than a kernel's passes do.
  auto context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<ir::CuteDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                       mlir::gpu::GPUDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                       mlir::vector::VectorDialect>();
  loadArchDialects(*context);
  return context;
}

std::string describe(mlir::Location location) {
  if (auto place = mlir::dyn_cast<mlir::FileLineColLoc>(location)) {
    return fmt::format("{}:{}", place.getFilename().str(), place.getLine());
  }
  return "an unknown place";
}

mlir::Location originOf(mlir::Value value) { return value.getLoc(); }

// The kernel that a region is in; null in the host function.
mlir::Operation* kernelOf(mlir::Region* region) {
  mlir::Operation* op = region->getParentOp();
  auto kernel = mlir::dyn_cast<mlir::gpu::GPUFuncOp>(op);
  return kernel ? kernel : op->getParentOfType<mlir::gpu::GPUFuncOp>();
}

}  // namespace

WithPlaces::WithPlaces(PlaceSource& source) : outer_(std::exchange(placeSource, &source)) {}
WithPlaces::~WithPlaces() { placeSource = outer_; }

void setPlaces(PlaceSource* source) { placesOutside = source; }

SourcePlace placeOf(Where where) {
  PlaceSource* source = placeSource != nullptr ? placeSource : placesOutside.load();
  if (source != nullptr) return source->place();
  return {where.file_name(), where.line(), where.column(), where.function_name()};
}

Where lastPlace() {
  Trace* trace = Trace::find();
  return trace == nullptr ? Where::current() : trace->lastWhere();
}

void refuse(std::string message, Where where) {
  userError(std::move(message), placeOf(where)).raise();
}

Int IrEvaluator::wrap(mlir::Value value, std::int64_t divisor) {
  values_.push_back(value);
  Width width = value.getType().isInteger(64) ? Width::I64 : Width::I32;
  return dynamic(values_.size() - 1, width, divisor);
}

Trace* Trace::find() { return currentTrace; }

Trace& Trace::current(Where where) {
  if (currentTrace == nullptr) {
    refuse(
        "this works only while a kernel or a host function is traced: inside the function that "
        "cutwork::jit was given, in Python inside one decorated with @cute.jit or @cute.kernel",
        where);
  }
  return *currentTrace;
}

Trace& Trace::at(Where where) {
  Trace& trace = current(where);
  trace.locate(where);
  return trace;
}

Trace::Trace(std::string name)
    : context_(makeContext()),
      name_(std::move(name)),
      id_(nextId()),
      module_(mlir::ModuleOp::create(mlir::UnknownLoc::get(context_.get()))),
      builder_(context_.get()),
      here_(mlir::UnknownLoc::get(context_.get())),
      evaluator_(*this),
      outer_(currentTrace) {
  currentTrace = this;
}

Trace::~Trace() {
  currentTrace = outer_;
  for (mlir::Operation* op : discarded_) op->erase();
}

mlir::Location Trace::locate(Where where) {
  lastWhere_ = where;
  if (placeSource == nullptr) {
    here_ =
        mlir::FileLineColLoc::get(context_.get(), where.file_name(), where.line(), where.column());
    return here_;
  }
  SourcePlace place = placeSource->place();
  here_ = mlir::FileLineColLoc::get(context_.get(), place.file, place.line, place.column);
  return here_;
}

void Trace::discard(mlir::Operation* op) {
  op->remove();
  op->dropAllReferences();
  discarded_.push_back(op);
}

bool Trace::isDiscarded(mlir::Region* region) {
  mlir::Operation* op = region->getParentOp();
  while (op->getParentOp() != nullptr) op = op->getParentOp();
  return op != module_->getOperation();
}

bool Trace::reaches(mlir::Value value) {
  mlir::Region* made = value.getParentRegion();
  mlir::Block* block = builder_.getInsertionBlock();
  mlir::Region* used = block == nullptr ? nullptr : block->getParent();
  return made == nullptr || used == nullptr || made->isAncestor(used);
}

bool Trace::sees(const Value& value) {
  return value.trace() == id_ && reaches(mlir::Value::getFromOpaquePointer(value.opaque()));
}

void Trace::checkVisible(mlir::Value value, Where where) {
  if (reaches(value)) return;
  mlir::Region* made = value.getParentRegion();
  mlir::Region* used = builder_.getInsertionBlock()->getParent();
  std::string origin = describe(originOf(value));
  if (isDiscarded(made)) {
    refuse(
        fmt::format("this value was made at {} while a branch or loop was tried, which was thrown "
                    "away since types did not settle or a test was decided at run time; make it "
                    "anew there instead of keeping it (in a cache, say)",
                    origin),
        where);
  }
  mlir::Operation* maker = kernelOf(made);
  mlir::Operation* user = kernelOf(used);
  if (user != nullptr && maker == nullptr) {
    refuse(fmt::format("a value of the host function (made at {}) is used in a kernel; pass it to "
                       "launch as an argument of the kernel",
                       origin),
           where);
  }
  if (maker != nullptr && user == nullptr) {
    refuse(fmt::format("a value of a kernel (made at {}) is used in the host function; a kernel "
                       "gives results only through memory",
                       origin),
           where);
  }
  if (maker != user) {
    refuse(fmt::format("a value of another kernel (made at {}) is used in this one; kernels give "
                       "results only through memory",
                       origin),
           where);
  }
  refuse(fmt::format("this value was made at {} inside the body of an if_, for_ or while_ that has "
                     "ended, and need not exist here; keep it in a Var<T> made before that body",
                     origin),
         where);
}

mlir::Value Trace::use(const Value& value, Where where) {
  if (value.trace() != id_) {
    refuse(
        "this value belongs to another trace, which has ended or is not the one that is running; "
        "make it inside the function that is traced",
        where);
  }
  mlir::Value found = mlir::Value::getFromOpaquePointer(value.opaque());
  checkVisible(found, where);
  return found;
}

mlir::Value Trace::constant(std::int64_t value, mlir::Type type) {
  return mlir::arith::ConstantOp::create(builder_, here_, builder_.getIntegerAttr(type, value));
}

mlir::Value Trace::use(Int value, Width width, Where where) {
  mlir::Type type = builder_.getIntegerType(static_cast<unsigned>(width));
  if (value.isInvalid()) refuse(describe(value.reason()), where);
  if (value.isStatic()) return constant(value.value(), type);
  if (value.dynamic().evaluator != &evaluator_) {
    refuse("this integer belongs to another trace or to a host evaluator", where);
  }
  mlir::Value found = evaluator_.valueOf(value);
  checkVisible(found, where);
  if (found.getType() == type) return found;
  if (width == Width::I64) return mlir::arith::ExtSIOp::create(builder_, here_, type, found);
  return mlir::arith::TruncIOp::create(builder_, here_, type, found);
}

mlir::Value Trace::use(const Numeric& value, Where where) {
  if (!value.isConstant()) return use(value.value(), where);
  mlir::Type type = typeOf(value.type());
  mlir::TypedAttr attribute = isFloat(value.type())
                                  ? mlir::TypedAttr(builder_.getFloatAttr(type, value.floating()))
                                  : mlir::TypedAttr(builder_.getIntegerAttr(type, value.integer()));
  return mlir::arith::ConstantOp::create(builder_, here_, attribute);
}

void Trace::requirePtx(int version) {
  auto module = kernelOf(builder_.getInsertionBlock()->getParent())->getParentOp();
  ir::requirePtx(module, version);
}

mlir::Type Trace::typeOf(DType type) {
  switch (type) {
    case DType::Float16: return builder_.getF16Type();
    case DType::BFloat16: return builder_.getBF16Type();
    case DType::Float32:
    case DType::TFloat32: return builder_.getF32Type();
    case DType::Float64: return builder_.getF64Type();
    case DType::Float8E4M3FN: return mlir::Float8E4M3FNType::get(context_.get());
    case DType::Float8E5M2: return mlir::Float8E5M2Type::get(context_.get());
    default: return builder_.getIntegerType(static_cast<unsigned>(width(type)));
  }
}

mlir::Block* Trace::entryBlock() {
  mlir::Operation* op = builder_.getInsertionBlock()->getParentOp();
  while (!mlir::isa<mlir::FunctionOpInterface>(op)) op = op->getParentOp();
  return &mlir::cast<mlir::FunctionOpInterface>(op).getFunctionBody().front();
}

namespace {

mlir::Value slotAtEntry(Trace& trace, mlir::Type element, std::int64_t count,
                        std::int64_t alignment) {
  mlir::OpBuilder::InsertionGuard guard(trace.builder());
  trace.builder().setInsertionPointToStart(trace.entryBlock());
  auto type = ir::PtrType::get(&trace.context(), element, ir::Space::Rmem, alignment);
  return ir::Alloca::create(trace.builder(), trace.here(), type,
                            trace.builder().getI64IntegerAttr(count));
}

}  // namespace

mlir::Value makeSlot(Trace& trace, mlir::Type element, std::int64_t count, std::int64_t alignment) {
  mlir::Value slot = slotAtEntry(trace, element, count, alignment);
  if (trace.builder().getInsertionBlock() == trace.entryBlock()) return slot;
  // Of a body: it exists there, as a value that is made there does. It folds away.
  return ir::Recast::create(trace.builder(), trace.here(), slot.getType(), slot);
}

}  // namespace cutwork::cute

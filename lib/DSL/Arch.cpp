// Arch.cpp -- the machine's operations as LLVM intrinsics.
#include "cutwork/DSL/Arch.h"

#include <fmt/format.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

#include <bit>
#include <limits>

#include "DSL/Arch.h"
#include "DSL/Arithmetic.h"
#include "DSL/Loops.h"
#include "DSL/Pointers.h"
#include "DSL/Trace.h"
#include "IR/Cute.h"

namespace cutwork::cute {

void loadArchDialects(mlir::MLIRContext& context) {
  context.loadDialect<mlir::LLVM::LLVMDialect>();
}

void annotate(mlir::scf::ForOp loop, int unroll, bool full) {
  mlir::MLIRContext* context = loop.getContext();
  if (full) loop->setAttr("cute.unroll_full", mlir::UnitAttr::get(context));
  if (unroll == 0) return;
  mlir::Builder builder(context);
  auto how = mlir::LLVM::LoopUnrollAttr::get(
      context, builder.getBoolAttr(unroll == 1),
      unroll == 1 ? mlir::IntegerAttr() : builder.getI32IntegerAttr(unroll), {}, {}, {}, {}, {});
  loop->setAttr("llvm.loop_annotation",
                mlir::LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, how, {}, {}, {}, {}, {},
                                                    {}, {}, {}, {}, {}, {}));
}

namespace arch {

namespace {

Trace& begin(Where where, std::string_view what) {
  Trace& trace = Trace::current(where);
  if (trace.kernel() == nullptr) {
    refuse(fmt::format("{} is for kernels; the host function has no threads", what), where);
  }
  trace.locate(where);
  return trace;
}

Trace& beginSm90(Where where, std::string_view what) {
  Trace& trace = begin(where, what);
  if (trace.target.capability < 90) {
    refuse(fmt::format("{} needs sm_90 or later; the target is {}", what, trace.target.name()),
           where);
  }
  return trace;
}

mlir::Value call(Trace& trace, std::string_view intrinsic, mlir::Type result,
                 mlir::ValueRange operands) {
  auto op = mlir::LLVM::CallIntrinsicOp::create(
      trace.builder(), trace.here(), result,
      trace.builder().getStringAttr(fmt::format("llvm.{}", intrinsic)), operands);
  return op.getResults();
}

void callVoid(Trace& trace, std::string_view intrinsic, mlir::ValueRange operands) {
  mlir::LLVM::CallIntrinsicOp::create(
      trace.builder(), trace.here(),
      trace.builder().getStringAttr(fmt::format("llvm.{}", intrinsic)), operands);
}

Numeric specialRegister(Trace& trace, std::string_view name) {
  mlir::Value value =
      call(trace, fmt::format("nvvm.read.ptx.sreg.{}", name), trace.builder().getI32Type(), {});
  return {DType::Int32, trace.wrap(value)};
}

Index3 index3(Trace& trace, std::string_view name) {
  return {specialRegister(trace, fmt::format("{}.x", name)),
          specialRegister(trace, fmt::format("{}.y", name)),
          specialRegister(trace, fmt::format("{}.z", name))};
}

// An operand of an instruction. Numbers are not rounded or cut off for it.
mlir::Value useAs(Trace& trace, const Arg& value, DType type) {
  if (type == DType::Int32 && isFloat(value.type())) {
    refuse(fmt::format("an integer was expected, not {}", value.value().text()), value.where());
  }
  constexpr std::int64_t kMost = 0xffffffffLL;
  constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
  const Numeric& given = value.value();
  if (type == DType::Int32 && given.isConstant() &&
      (given.integer() > kMost || given.integer() < kLeast)) {
    refuse(fmt::format("{} does not fit 32 bits", given.integer()), value.where());
  }
  return trace.use(value.to(type), value.where());
}

std::string_view scopeName(Scope scope) {
  constexpr std::string_view kNames[] = {"cta", "cluster", "gpu", "sys"};
  return kNames[static_cast<std::size_t>(scope)];
}
std::string_view orderName(Order order) {
  constexpr std::string_view kNames[] = {"relaxed", "acquire", "release", "acq_rel"};
  return kNames[static_cast<std::size_t>(order)];
}

}  // namespace

Index3 thread_idx(Where where) { return index3(begin(where, "thread_idx"), "tid"); }
Index3 block_idx(Where where) { return index3(begin(where, "block_idx"), "ctaid"); }
Index3 block_dim(Where where) { return index3(begin(where, "block_dim"), "ntid"); }
Index3 grid_dim(Where where) { return index3(begin(where, "grid_dim"), "nctaid"); }
Index3 cluster_idx(Where where) { return index3(beginSm90(where, "cluster_idx"), "clusterid"); }
Index3 cluster_dim(Where where) { return index3(beginSm90(where, "cluster_dim"), "nclusterid"); }
Index3 block_in_cluster_idx(Where where) {
  return index3(beginSm90(where, "block_in_cluster_idx"), "cluster.ctaid");
}
Index3 block_in_cluster_dim(Where where) {
  return index3(beginSm90(where, "block_in_cluster_dim"), "cluster.nctaid");
}
Int32 block_idx_in_cluster(Where where) {
  return specialRegister(beginSm90(where, "block_idx_in_cluster"), "cluster.ctarank");
}
Int32 lane_idx(Where where) { return specialRegister(begin(where, "lane_idx"), "laneid"); }

Int32 warp_idx(Where where) {
  auto [x, y, z] = thread_idx(where);
  auto [dx, dy, dz] = block_dim(where);
  auto at = [&](const Numeric& value) { return Arg(value, where); };
  Numeric linear = at(x) + at(at(dx) * at(at(y) + at(at(dy) * at(z))));
  return at(at(linear) / Arg(32, where)).value();
}

Int32 make_warp_uniform(const Arg& value) {
  return shuffle_sync(Arg(value.to(DType::Int32), value.where()), Arg(0, value.where()));
}

void sync_threads(Where where) { barrier(Arg(0, where), Arg(0, where)); }

void barrier(const Arg& id, const Arg& threads) {
  Where where = id.where();
  Trace& trace = begin(where, "a barrier");
  if (id.value().isConstant() && (id.value().integer() < 0 || id.value().integer() > 15)) {
    refuse(fmt::format("barrier {}: a block has barriers 0 to 15", id.value().integer()), where);
  }
  bool all = threads.value().isConstant() && threads.value().integer() == 0;
  if (threads.value().isConstant() && threads.value().integer() % 32 != 0) {
    refuse(fmt::format("a barrier is for whole warps: {} threads is no multiple of 32",
                       threads.value().integer()),
           where);
  }
  mlir::Value number = useAs(trace, id, DType::Int32);
  if (all) {
    callVoid(trace, "nvvm.barrier.cta.sync.aligned.all", {number});
  } else {
    callVoid(trace, "nvvm.barrier.cta.sync.aligned.count",
             {number, useAs(trace, threads, DType::Int32)});
  }
}

void barrier_arrive(const Arg& id, const Arg& threads) {
  Trace& trace = begin(id.where(), "barrier_arrive");
  callVoid(trace, "nvvm.barrier.cta.arrive.aligned.count",
           {useAs(trace, id, DType::Int32), useAs(trace, threads, DType::Int32)});
}

void sync_warp(const Arg& mask) {
  Trace& trace = begin(mask.where(), "sync_warp");
  callVoid(trace, "nvvm.bar.warp.sync", {useAs(trace, mask, DType::Int32)});
}

void cluster_arrive(Where where) {
  callVoid(beginSm90(where, "cluster_arrive"), "nvvm.barrier.cluster.arrive.aligned", {});
}
void cluster_arrive_relaxed(Where where) {
  Trace& trace = beginSm90(where, "cluster_arrive_relaxed");
  trace.requirePtx(80);
  callVoid(trace, "nvvm.barrier.cluster.arrive.relaxed.aligned", {});
}
void cluster_wait(Where where) {
  callVoid(beginSm90(where, "cluster_wait"), "nvvm.barrier.cluster.wait.aligned", {});
}

Pointer map_dsmem_ptr(const Pointer& p, const Arg& rank) {
  Trace& trace = beginSm90(rank.where(), "map_dsmem_ptr");
  if (p.space() != AddressSpace::smem) {
    refuse(fmt::format("map_dsmem_ptr: a pointer to shared memory is expected, not {}", p.text()),
           rank.where());
  }
  namespace llvmd = mlir::LLVM;
  constexpr unsigned kShared = 3;
  constexpr unsigned kSharedOfCluster = 7;
  mlir::OpBuilder& b = trace.builder();
  mlir::Location here = trace.here();
  auto inSpace = [&](unsigned space) { return llvmd::LLVMPointerType::get(b.getContext(), space); };
  mlir::Value number =
      ir::PtrToInt::create(b, here, b.getI64Type(), trace.use(p.value(), rank.where()));
  mlir::Value own = llvmd::IntToPtrOp::create(b, here, inSpace(kShared), number);
  mlir::Value there = call(trace, "nvvm.mapa.shared.cluster", inSpace(kSharedOfCluster),
                           {own, useAs(trace, rank, DType::Int32)});
  number = llvmd::PtrToIntOp::create(b, here, b.getI64Type(), there);
  mlir::Type type = pointerType(trace, p.type(), AddressSpace::dsmem, p.alignment(), p.swizzle());
  mlir::Value mapped = ir::IntToPtr::create(b, here, type, number);
  return {trace.wrap(mapped), p.type(), AddressSpace::dsmem, p.alignment(), p.swizzle()};
}

void cp_async_commit_group(Where where) {
  callVoid(begin(where, "cp_async_commit_group"), "nvvm.cp.async.commit.group", {});
}

void cp_async_wait_group(int pending, Where where) {
  Trace& trace = begin(where, "cp_async_wait_group");
  if (pending < 0) {
    refuse(fmt::format("cp_async_wait_group: at most {} groups pending; 0 or more was expected",
                       pending),
           where);
  }
  callVoid(trace, "nvvm.cp.async.wait.group",
           {trace.constant(pending, trace.builder().getI32Type())});
}

void fence(Scope scope, Where where) {
  Trace& trace =
      scope == Scope::cluster ? beginSm90(where, "a cluster's fence") : begin(where, "a fence");
  constexpr llvm::StringLiteral kScopes[] = {"block", "cluster", "device", ""};
  mlir::LLVM::FenceOp::create(trace.builder(), trace.here(), mlir::LLVM::AtomicOrdering::acq_rel,
                              kScopes[static_cast<std::size_t>(scope)]);
}

namespace {

int clampOf(std::string_view kind, int width, Where where) {
  if (width < 1 || width > 32 || !std::has_single_bit(static_cast<unsigned>(width))) {
    refuse(fmt::format("a shuffle is among 1, 2, 4, 8, 16 or 32 lanes, not {}", width), where);
  }
  return ((32 - width) << 8) | (kind == "up" ? 0 : 31);
}

mlir::Value shuffleWord(Trace& trace, std::string_view kind, mlir::Value word, mlir::Value lane,
                        mlir::Value mask, int clamp) {
  mlir::Type i32 = trace.builder().getI32Type();
  return call(trace, fmt::format("nvvm.shfl.sync.{}.i32", kind), i32,
              {mask, word, lane, trace.constant(clamp, i32)});
}

// In words of 32 bits.
Numeric shuffle(std::string_view kind, const Arg& value, const Arg& lane, const Arg& mask,
                int width) {
  Where where = value.where();
  Trace& trace = begin(where, "a shuffle");
  namespace arith = mlir::arith;
  DType type = value.type();
  mlir::Type i32 = trace.builder().getI32Type();
  int clamp = clampOf(kind, width, where);
  mlir::Value offset = useAs(trace, lane, DType::Int32);
  mlir::Value members = useAs(trace, mask, DType::Int32);
  mlir::Value stored = toStorage(trace, trace.use(value.value(), where), type);
  mlir::Type storage = stored.getType();
  unsigned bits = storage.getIntOrFloatBitWidth();
  mlir::Type integer = trace.builder().getIntegerType(bits);
  mlir::OpBuilder& b = trace.builder();
  mlir::Location at = trace.here();
  if (storage != integer) stored = arith::BitcastOp::create(b, at, integer, stored);
  mlir::Value result;
  if (bits == 64) {
    mlir::Value half = trace.constant(32, integer);
    mlir::Value low = arith::TruncIOp::create(b, at, i32, stored);
    mlir::Value high =
        arith::TruncIOp::create(b, at, i32, arith::ShRUIOp::create(b, at, stored, half));
    low = shuffleWord(trace, kind, low, offset, members, clamp);
    high = shuffleWord(trace, kind, high, offset, members, clamp);
    mlir::Value wideHigh = arith::ExtUIOp::create(b, at, integer, high);
    result = arith::OrIOp::create(b, at, arith::ExtUIOp::create(b, at, integer, low),
                                  arith::ShLIOp::create(b, at, wideHigh, half));
  } else {
    if (bits < 32) stored = arith::ExtUIOp::create(b, at, i32, stored);
    result = shuffleWord(trace, kind, stored, offset, members, clamp);
    if (bits < 32) result = arith::TruncIOp::create(b, at, integer, result);
  }
  if (storage != integer) result = arith::BitcastOp::create(b, at, storage, result);
  return {type, trace.wrap(fromStorage(trace, result, type))};
}

Boolean vote(std::string_view kind, const Arg& predicate, const Arg& mask) {
  Trace& trace = begin(predicate.where(), "a vote");
  mlir::Value p = useAs(trace, predicate, DType::Boolean);
  mlir::Value result = call(trace, fmt::format("nvvm.vote.{}.sync", kind),
                            trace.builder().getI1Type(), {useAs(trace, mask, DType::Int32), p});
  return Numeric(DType::Boolean, trace.wrap(result));
}

template <class Combine>
Numeric reduceLanes(const Arg& value, int lanes, Combine combine) {
  Where where = value.where();
  clampOf("bfly", lanes, where);
  DType type = value.type() == DType::Boolean ? DType::Int32 : value.type();
  Trace& trace = begin(where, "a warp reduction");
  mlir::Value now = trace.use(value.to(type), where);
  for (int offset = lanes / 2; offset > 0; offset /= 2) {
    Numeric mine(type, trace.wrap(now));
    Numeric other =
        shuffle_sync_bfly(Arg(mine, where), Arg(offset, where), Arg(0xffffffffLL, where));
    now = trace.use(combine(Arg(mine, where), Arg(other, where)), where);
  }
  return {type, trace.wrap(now)};
}

}  // namespace

Numeric shuffle_sync(const Arg& value, const Arg& lane, const Arg& mask, int width) {
  return shuffle("idx", value, lane, mask, width);
}
Numeric shuffle_sync_up(const Arg& value, const Arg& offset, const Arg& mask, int width) {
  return shuffle("up", value, offset, mask, width);
}
Numeric shuffle_sync_down(const Arg& value, const Arg& offset, const Arg& mask, int width) {
  return shuffle("down", value, offset, mask, width);
}
Numeric shuffle_sync_bfly(const Arg& value, const Arg& offset, const Arg& mask, int width) {
  return shuffle("bfly", value, offset, mask, width);
}
Boolean vote_all_sync(const Arg& p, const Arg& mask) { return vote("all", p, mask); }
Boolean vote_any_sync(const Arg& p, const Arg& mask) { return vote("any", p, mask); }
Boolean vote_uni_sync(const Arg& p, const Arg& mask) { return vote("uni", p, mask); }
Uint32 vote_ballot_sync(const Arg& predicate, const Arg& mask) {
  Trace& trace = begin(predicate.where(), "a vote");
  mlir::Value p = useAs(trace, predicate, DType::Boolean);
  mlir::Value result = call(trace, "nvvm.vote.ballot.sync", trace.builder().getI32Type(),
                            {useAs(trace, mask, DType::Int32), p});
  return Numeric(DType::Uint32, trace.wrap(result));
}

Numeric warp_reduction_sum(const Arg& value, int threads_in_group) {
  return reduceLanes(value, threads_in_group, [](const Arg& a, const Arg& b) { return a + b; });
}
Numeric warp_reduction_max(const Arg& value, int threads_in_group) {
  return reduceLanes(value, threads_in_group, [](const Arg& a, const Arg& b) { return max(a, b); });
}

Numeric warp_redux_sync(const Arg& value, std::string_view kind, const Arg& mask) {
  Where where = value.where();
  Trace& trace = begin(where, "warp_redux_sync");
  DType type = value.type();
  constexpr std::string_view kKinds[] = {"add", "min", "max", "and", "or", "xor"};
  if (std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds)) {
    refuse(fmt::format("warp_redux_sync: '{}' is none of add, min, max, and, or, xor", kind),
           where);
  }
  if (!isInteger(type) || width(type) != 32) {
    refuse(fmt::format("warp_redux_sync reduces 32-bit integers, not {}", name(type)), where);
  }
  bool compares = kind == "min" || kind == "max";
  std::string prefix = compares && type == DType::Uint32 ? "u" : "";
  mlir::Value result =
      call(trace, fmt::format("nvvm.redux.sync.{}{}", prefix, kind), trace.builder().getI32Type(),
           {trace.use(value.value(), where), useAs(trace, mask, DType::Int32)});
  return {type, trace.wrap(result)};
}

Boolean elect_one(Where where) {
  Trace& trace = beginSm90(where, "elect_one");
  trace.requirePtx(80);
  mlir::OpBuilder& b = trace.builder();
  auto pair =
      mlir::LLVM::LLVMStructType::getLiteral(&trace.context(), {b.getI32Type(), b.getI1Type()});
  mlir::Value both = call(trace, "nvvm.elect.sync", pair, {trace.constant(-1, b.getI32Type())});
  mlir::Value one = mlir::LLVM::ExtractValueOp::create(b, trace.here(), both, 1);
  return Numeric(DType::Boolean, trace.wrap(one));
}

namespace {

std::string atomicKind(std::string_view kind, DType type, Where where) {
  bool arithmetic = kind == "add" || kind == "max" || kind == "min";
  if (isFloat(type) && width(type) >= 16 && type != DType::TFloat32) {
    if (kind == "xchg" && width(type) >= 32) return "xchg";
    if (kind == "add" || (arithmetic && type == DType::Float32)) return fmt::format("f{}", kind);
  } else if (isInteger(type) && width(type) >= 32) {
    bool compares = kind == "max" || kind == "min";
    return fmt::format("{}{}", compares && !isSigned(type) ? "u" : "", kind);
  }
  refuse(fmt::format("atomic {} is not for {}; 32- and 64-bit integers have it, floats have add "
                     "and exchange, Float32 also max and min",
                     kind, name(type)),
         where);
}

void checkShared(const Pointer& p, Where where) {
  if (p.space() != AddressSpace::rmem) return;
  refuse(fmt::format("an atomic on {}: registers are of one thread, and need none", p.text()),
         where);
}

Numeric atomic(std::string_view kind, const Pointer& p, const Arg& value, Order order,
               Scope scope) {
  Where where = value.where();
  Trace& trace = scope == Scope::cluster ? beginSm90(where, "an atomic of cluster scope")
                                         : begin(where, "an atomic");
  std::string operation = atomicKind(kind, p.type(), where);
  checkShared(p, where);
  mlir::Value address = trace.use(p.value(), where);
  mlir::Value operand = trace.use(asElement(value, p.type()), where);
  mlir::OpBuilder& b = trace.builder();
  mlir::Value old = ir::AtomicRmw::create(b, trace.here(), b.getStringAttr(operation),
                                          b.getStringAttr(orderName(order)),
                                          b.getStringAttr(scopeName(scope)), address, operand);
  return {p.type(), trace.wrap(old)};
}

}  // namespace

Numeric atomic_add(const Pointer& p, const Arg& value, Order order, Scope scope) {
  return atomic("add", p, value, order, scope);
}
Numeric atomic_max(const Pointer& p, const Arg& value, Order order, Scope scope) {
  return atomic("max", p, value, order, scope);
}
Numeric atomic_min(const Pointer& p, const Arg& value, Order order, Scope scope) {
  return atomic("min", p, value, order, scope);
}
Numeric atomic_and(const Pointer& p, const Arg& value, Order order, Scope scope) {
  return atomic("and", p, value, order, scope);
}
Numeric atomic_or(const Pointer& p, const Arg& value, Order order, Scope scope) {
  return atomic("or", p, value, order, scope);
}
Numeric atomic_xor(const Pointer& p, const Arg& value, Order order, Scope scope) {
  return atomic("xor", p, value, order, scope);
}
Numeric atomic_exch(const Pointer& p, const Arg& value, Order order, Scope scope) {
  return atomic("xchg", p, value, order, scope);
}

Numeric atomic_cas(const Pointer& p, const Arg& compare, const Arg& value, Order order,
                   Scope scope) {
  Where where = value.where();
  Trace& trace = scope == Scope::cluster ? beginSm90(where, "an atomic of cluster scope")
                                         : begin(where, "atomic_cas");
  if (!isInteger(p.type()) || width(p.type()) < 16) {
    refuse(fmt::format("atomic_cas is for integers of 16 to 64 bits, not {}", name(p.type())),
           where);
  }
  checkShared(p, where);
  mlir::OpBuilder& b = trace.builder();
  mlir::Value old = ir::AtomicCas::create(
      b, trace.here(), b.getStringAttr(orderName(order)), b.getStringAttr(scopeName(scope)),
      trace.use(p.value(), where), trace.use(asElement(compare, p.type()), where),
      trace.use(asElement(value, p.type()), where));
  return {p.type(), trace.wrap(old)};
}

Int32 popc(const Arg& value) {
  Trace& trace = begin(value.where(), "popc");
  mlir::Value operand = trace.use(value.value(), value.where());
  if (!mlir::isa<mlir::IntegerType>(operand.getType())) {
    refuse(fmt::format("popc counts bits of integers, not of {}", name(value.type())),
           value.where());
  }
  mlir::Value count = call(trace, "ctpop", operand.getType(), {operand});
  DType type = width(value.type()) == 64   ? DType::Uint64
               : width(value.type()) == 32 ? DType::Int32
                                           : value.type();
  return Arg(Numeric(type, trace.wrap(count)), value.where());
}

void trap(Where where) { callVoid(begin(where, "trap"), "trap", {}); }

}  // namespace arch

}  // namespace cutwork::cute

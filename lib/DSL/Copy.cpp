// Copy.cpp -- copies: partitioning by tiled copies, checks, the copy op.
#include "cutwork/DSL/Copy.h"

#include <fmt/format.h>

#include "DSL/Pointers.h"
#include "DSL/Trace.h"
#include "DSL/Vectorise.h"
#include "cutwork/Atoms/CopyAtoms.h"
#include "cutwork/DSL/Control.h"
#include "cutwork/DSL/Remap.h"
#include "cutwork/Layout/Coalesce.h"
#include "cutwork/Layout/Composition.h"
#include "cutwork/Layout/Construct.h"
#include "cutwork/Layout/Divide.h"
#include "cutwork/Layout/Partition.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

std::int64_t elementBits(const Tensor& t) { return storageBits(t.element_type()); }
std::int64_t count(const Tensor& t) { return size(t).value(); }

// Mode 0, of a thread's values, as (atom_v, atom_rest); the modes of the second become modes.
Tensor groupedByAtom(const Tensor& values, std::int64_t atomValues, Where where) {
  LayoutView view = values.layout();
  std::vector<Tiler> tilers{Tiler(atomValues)};
  Tensor divided = logical_divide(values, Tiler::byMode(std::move(tilers)), where);
  if (divided.layout().outer().rank() == 1 || view.rank() != 2 || !view.shape[1].isTuple()) {
    return divided;
  }
  // (values, (rest_m, rest_n)) to ((atom_v, atom_rest), rest_m, rest_n).
  const Layout& outer = divided.layout().outer();
  LayoutBuilder builder;
  builder.open();
  builder.append(outer[0]);
  builder.appendModes(outer[1]);
  builder.close();
  AnyLayout layout = divided.layout().withOuter(orRefuse(builder.finish(), where));
  if (divided.isCoordinate()) return {divided.start(), layout};
  return {divided.iterator(), layout};
}

Tensor partition(const TiledCopy& copy, const IntTuple& thread, const Tensor& t, Where where) {
  Trace::at(where);
  const IntTuple& tiler = copy.tiler_mn();
  if (rank(t) < tiler.rank()) {
    refuse(fmt::format("a tensor of shape {} has fewer modes than the tile {}", t.shape().text(),
                       tiler.text()),
           where);
  }
  Tensor tiled = zipped_divide(t, orRefuse(Tiler::fromShape(tiler), where), where);
  Tensor threads = composition(tiled, {Tiler(copy.layout_tv()), Tiler::hole()}, where);
  IntTuple coord{IntTuple{thread, IntTuple::hole()}, IntTuple::hole()};
  Tensor mine = threads.slice(coord, where);
  // Slicing ((thread, _), _) keeps the value mode wrapped: ((values), (rest...)).
  return groupedByAtom(mine, copy.atom().values(), where);
}

void checkCopyOperands(const Tensor& source, const Tensor& target, Where where) {
  for (const auto& [t, side] : {std::pair{&source, "source"}, std::pair{&target, "target"}}) {
    if (t->isCoordinate()) refuse(fmt::format("copy: the {} is a coordinate tensor", side), where);
    if (!isStatic(t->shape().view())) {
      refuse(fmt::format("copy: the {}'s shape {} is not static; copy tiles of static shape", side,
                         t->shape().text()),
             where);
    }
  }
  if (elementBits(source) != elementBits(target)) {
    refuse(fmt::format("copy: the source has elements of {} bits ({}), the target of {} ({}); "
                       "convert with load().to() and store()",
                       elementBits(source), name(source.element_type()), elementBits(target),
                       name(target.element_type())),
           where);
  }
  if (count(source) != count(target)) {
    refuse(fmt::format("copy: the source of shape {} has {} elements, the target of shape {} has "
                       "{}",
                       source.shape().text(), count(source), target.shape().text(), count(target)),
           where);
  }
}

// The values of one execution of an atom whose width is open: mode 0, or its first submode.
std::int64_t openValues(const Tensor& source) {
  LayoutView first = source.layout().outer()[0];
  return cute::size(first.shape.isTuple() ? first[0] : first).value();
}

// The elements that one predicate decides: `values` of the atom, or one of an atom whose width is
// open (0), or all that such an atom moves at once.
std::int64_t perPredicate(const Tensor& source, const Tensor& pred, std::int64_t values,
                          Where where) {
  if (pred.isCoordinate() || pred.element_type() != DType::Boolean) {
    refuse("copy: predicates are a tensor of Booleans", where);
  }
  if (!isStatic(pred.shape().view())) {
    refuse(fmt::format("copy: the predicate's shape {} is not static", pred.shape().text()), where);
  }
  std::int64_t open = values == 0 ? openValues(source) : values;
  for (std::int64_t group : {values == 0 ? 1 : values, open}) {
    if (count(pred) * group == count(source)) return group;
  }
  refuse(fmt::format("copy: a predicate of shape {}, {} elements, for a source of shape {}; it has "
                     "the source's modes without the vector's, {} elements: one for each {} that "
                     "the atom moves at once",
                     pred.shape().text(), count(pred), source.shape().text(), count(source) / open,
                     open),
         where);
}

void emitOneByOne(const Tensor& source, const Tensor& target, const std::optional<Tensor>& pred,
                  std::int64_t vector, Where where) {
  for (std::int64_t i = 0; i < count(source); ++i) {
    auto move = [&] {
      Element(target, IntTuple(i), where).store(Arg(Element(source, IntTuple(i), where), where));
    };
    if (pred) {
      if_(Arg(Element(*pred, IntTuple(i / vector), where), where), move);
    } else {
      move();
    }
  }
}

// What the ops of copies take, for plain layouts.
struct CopyOperands {
  CopyOperands(const Tensor& from, const Tensor& to, const std::optional<Tensor>& pred, Where where)
      : trace(Trace::at(where)) {
    checkReachable(trace, from.iterator(), where);
    checkReachable(trace, to.iterator(), where);
    mlir::OpBuilder& b = trace.builder();
    // Booleans and bytes are both bytes in memory: the target takes the source's element type.
    Pointer out = to.iterator().type() == from.iterator().type()
                      ? to.iterator()
                      : to.iterator().recast(from.element_type(), where);
    source = trace.use(from.iterator().value(), where);
    target = trace.use(out.value(), where);
    sourceLayout = b.getStringAttr(from.layout().text());
    targetLayout = b.getStringAttr(to.layout().text());
    sourceDynamic = dynamicLeaves(trace, *from.layout().plain(), where);
    targetDynamic = dynamicLeaves(trace, *to.layout().plain(), where);
    if (!pred) return;
    predicate = trace.use(pred->iterator().value(), where);
    predicateLayout = b.getStringAttr(pred->layout().text());
  }

  Trace& trace;
  mlir::Value source;
  mlir::Value target;
  mlir::Value predicate;
  mlir::StringAttr sourceLayout;
  mlir::StringAttr targetLayout;
  mlir::StringAttr predicateLayout;
  llvm::SmallVector<mlir::Value> sourceDynamic;
  llvm::SmallVector<mlir::Value> targetDynamic;
};

void emitCopy(const Tensor& source, const Tensor& target, const std::optional<Tensor>& pred,
              std::int64_t vector, Where where) {
  const Layout* from = source.layout().plain();
  const Layout* to = target.layout().plain();
  const Layout* when = pred ? pred->layout().plain() : nullptr;
  bool plain = from != nullptr && to != nullptr && (!pred || when != nullptr);
  if (!plain || (when != nullptr && !isStatic(when->view()))) {
    emitOneByOne(source, target, pred, vector, where);
    return;
  }
  CopyOperands o(source, target, pred, where);
  mlir::OpBuilder& b = o.trace.builder();
  ir::Copy::create(b, o.trace.here(), b.getI64IntegerAttr(vector), o.source, o.sourceLayout,
                   o.sourceDynamic, o.target, o.targetLayout, o.targetDynamic, o.predicate,
                   o.predicateLayout);
}

// Composed layouts have no single place of a vector.
void checkPlain(const Tensor& t, std::string_view side, Where where) {
  if (t.layout().plain() != nullptr) return;
  refuse(fmt::format("copy: cp.async needs a plain layout of the {}, not {}; swizzle its pointer "
                     "instead",
                     side, t.layout().text()),
         where);
}

void emitAsync(const CopyAtom& atom, const Tensor& source, const Tensor& target,
               const std::optional<Tensor>& pred, std::int64_t vector, Where where) {
  if (source.memspace() != AddressSpace::gmem || target.memspace() != AddressSpace::smem) {
    refuse(fmt::format("copy: cp.async copies global to shared memory, not {} to {}",
                       name(source.memspace()), name(target.memspace())),
           where);
  }
  checkPlain(source, "source", where);
  checkPlain(target, "target", where);
  if (pred) checkPlain(*pred, "predicate", where);
  CopyOperands o(source, target, pred, where);
  mlir::OpBuilder& b = o.trace.builder();
  bool fill = pred && atom.zeroFill();
  ir::CopyAsync::create(b, o.trace.here(),
                        b.getStringAttr(atom.kind() == CopyKind::AsyncGlobal ? "cg" : "ca"),
                        fill ? b.getUnitAttr() : mlir::UnitAttr(), b.getI64IntegerAttr(vector),
                        o.source, o.sourceLayout, o.sourceDynamic, o.target, o.targetLayout,
                        o.targetDynamic, o.predicate, o.predicateLayout);
}

std::string sizes(const Tensor& t) {
  return fmt::format("{} x {}", count(t), shortName(t.element_type()));
}

void remark(const Tensor& source, const Tensor& target, std::int64_t used, std::int64_t wanted,
            Where where) {
  if (used >= wanted) return;
  auto reason = whyNotVector(source, used * 2, "source");
  if (!reason) reason = whyNotVector(target, used * 2, "target");
  if (!reason) return;
  SourcePlace place = placeOf(where);
  Trace::current(where).remarks.push_back(
      fmt::format("{}: a copy of {} uses accesses of {} bits: {}", place.text(), sizes(source),
                  used * elementBits(source), *reason));
}

// Elements that 128 bits hold, and that there are.
std::int64_t wantedVector(const Tensor& source, std::int64_t available) {
  constexpr std::int64_t kWidest = 128;
  std::int64_t most = kWidest / elementBits(source);
  std::int64_t vector = 1;
  while (vector * 2 <= most && available % (vector * 2) == 0) vector *= 2;
  return vector;
}

void checkWholeElements(DType type, int bits, Where where) {
  if (bits % storageBits(type) == 0) return;
  refuse(fmt::format("make_copy_atom: {} bits at once are no whole number of {} ({} bits)", bits,
                     name(type), storageBits(type)),
         where);
}

}  // namespace

std::int64_t CopyAtom::values() const { return bits_ == 0 ? 1 : bits_ / storageBits(type_); }

CopyAtom make_copy_atom(CopyUniversalOp /*op*/, DType type, int num_bits_per_copy, Where where) {
  int bits = num_bits_per_copy;
  if (bits == 0) return {type, 0};
  orRefuse(checkCopy(CopyKind::Universal, bits, Trace::at(where).target), where);
  checkWholeElements(type, bits, where);
  return {type, bits};
}

CopyAtom make_copy_atom(cpasync::CopyG2SOp op, DType type, int num_bits_per_copy, Where where) {
  bool global = op.cache_mode == LoadCacheMode::global;
  CopyKind kind = global ? CopyKind::AsyncGlobal : CopyKind::AsyncAlways;
  if (num_bits_per_copy == 0) {
    refuse(fmt::format("make_copy_atom: cp.async needs num_bits_per_copy, {}",
                       global ? "128" : "32, 64 or 128"),
           where);
  }
  orRefuse(checkCopy(kind, num_bits_per_copy, Trace::at(where).target), where);
  checkWholeElements(type, num_bits_per_copy, where);
  return {type, num_bits_per_copy, kind, op.zero_fill};
}

TiledCopy make_tiled_copy_tv(const CopyAtom& atom, const Layout& threads, const Layout& values,
                             Where where) {
  TiledTV tv = orRefuse(make_layout_tv(threads, values), where);
  return make_tiled_copy(atom, tv.tv, tv.tiler, where);
}

TiledCopy make_tiled_copy(const CopyAtom& atom, const Layout& layout_tv, const IntTuple& tiler_mn,
                          Where where) {
  if (layout_tv.rank() != 2) {
    refuse(fmt::format("make_tiled_copy: a TV layout has two modes, threads and values, not {}",
                       layout_tv.text()),
           where);
  }
  // Threads that differ in a mode of stride 0 have the same elements.
  Int tile = size(tiler_mn);
  Int reached = size(orRefuse(filter_zeros(layout_tv), where).view());
  if (equal(reached, tile) == Truth::No) {
    refuse(fmt::format("make_tiled_copy: the TV layout {} has {} elements, the tile {} has {}",
                       layout_tv.text(), reached.text(), tiler_mn.text(), tile.text()),
           where);
  }
  Int values = size(layout_tv[1]);
  if (divides(Int(atom.values()), values) == Truth::No) {
    refuse(
        fmt::format("make_tiled_copy: {} values of a thread are no whole number of the atom's {}",
                    values.text(), atom.values()),
        where);
  }
  return {atom, layout_tv, tiler_mn};
}

ThrCopy TiledCopy::get_slice(const Arg& thread) const {
  return {*this, IntTuple(thread.value().toInt(thread.where()))};
}

Tensor ThrCopy::partition_S(const Tensor& source, Where where) const {
  return partition(copy_, thread_, source, where);
}
Tensor ThrCopy::partition_D(const Tensor& target, Where where) const {
  return partition(copy_, thread_, target, where);
}

Tensor ThrCopy::retile(const Tensor& fragment, Where where) const {
  Int values = cute::size(copy_.layout_tv()[1]);
  Int have = cute::size(fragment, 0);
  if (equal(values, have) != Truth::Yes) {
    refuse(fmt::format("retile: mode 0 of the fragment {} has {} values, a thread of this copy has "
                       "{}",
                       fragment.shape().text(), have.text(), values.text()),
           where);
  }
  std::vector<Tiler> tilers{Tiler(copy_.atom().values())};
  return logical_divide(fragment, Tiler::byMode(std::move(tilers)), where);
}

void copy(const CopyAtom& atom, const Tensor& source, const Tensor& target,
          const std::optional<Tensor>& pred, Where where) {
  checkCopyOperands(source, target, where);
  if (storageBits(atom.type()) != elementBits(source)) {
    refuse(fmt::format("copy: the atom is for {}, elements of {} bits; the source has {}, of {}",
                       name(atom.type()), storageBits(atom.type()), name(source.element_type()),
                       elementBits(source)),
           where);
  }
  std::int64_t total = count(source);
  if (atom.bits() == 0) {
    std::int64_t group = pred ? perPredicate(source, *pred, 0, where) : total;
    std::int64_t wanted = wantedVector(source, group);
    remark(source, target, widestVector(source, target, wanted), wanted, where);
    emitCopy(source, target, pred, group, where);
    return;
  }
  std::int64_t vector = atom.bits() / elementBits(source);
  if (vector < 1 || total % vector != 0) {
    refuse(fmt::format("copy: {} bits at once do not make up {} elements of {} bits", atom.bits(),
                       total, elementBits(source)),
           where);
  }
  if (pred) perPredicate(source, *pred, vector, where);
  for (const auto& [t, side] : {std::pair{&source, "source"}, std::pair{&target, "target"}}) {
    if (auto reason = whyNotVector(*t, vector, side)) {
      refuse(fmt::format("copy: {} bits at once are not possible: {}", atom.bits(), *reason),
             where);
    }
  }
  if (atom.kind() == CopyKind::Universal) {
    emitCopy(source, target, pred, vector, where);
  } else {
    emitAsync(atom, source, target, pred, vector, where);
  }
}

void copy(const TiledCopy& tiled, const Tensor& source, const Tensor& target,
          const std::optional<Tensor>& pred, Where where) {
  copy(tiled.atom(), source, target, pred, where);
}

void autovec_copy(const Tensor& source, const Tensor& target, Where where) {
  copy(CopyAtom(source.isCoordinate() ? DType::Int32 : source.element_type(), 0), source, target,
       std::nullopt, where);
}

void basic_copy(const Tensor& source, const Tensor& target, Where where) {
  checkCopyOperands(source, target, where);
  emitOneByOne(source, target, std::nullopt, 1, where);
}

void basic_copy_if(const Tensor& pred, const Tensor& source, const Tensor& target, Where where) {
  checkCopyOperands(source, target, where);
  perPredicate(source, pred, 1, where);
  if (!(pred.shape() == source.shape())) {
    refuse(fmt::format("basic_copy_if: a predicate of shape {} for a source of shape {}; it has "
                       "the same shape",
                       pred.shape().text(), source.shape().text()),
           where);
  }
  emitOneByOne(source, target, pred, 1, where);
}

TiledCopy remap(Remap& r, const TiledCopy& x) {
  Layout tv = remap(r, x.layout_tv());
  return {x.atom(), tv, remap(r, x.tiler_mn())};
}

}  // namespace cutwork::cute

// Mma.cpp -- matrix products: partitions and fragments of tiled products, checks, the gemm op.
#include "cutwork/DSL/Mma.h"

#include <fmt/format.h>

#include "DSL/Pointers.h"
#include "DSL/Trace.h"

namespace cutwork::cute {

namespace {

// Locates the algebra's ops, where a trace runs; host layouts need none.
void locate(Where where) {
  if (Trace* trace = Trace::find()) trace->locate(where);
}

// The layout of an operand as (V, X, Y).
Layout threeModes(const Tensor& t, std::string_view operand, Where where) {
  const Layout* plain = t.layout().plain();
  if (plain == nullptr) {
    refuse(fmt::format("gemm: {} has the composed layout {}; copy it into a fragment first",
                       operand, t.layout().text()),
           where);
  }
  LayoutBuilder builder;
  builder.open();
  for (int mode = 0; mode < plain->rank(); ++mode) builder.append((*plain)[mode]);
  for (int mode = plain->rank(); mode < 3; ++mode) builder.leaf(1, 0);
  builder.close();
  return orRefuse(builder.finish(), where);
}

struct GemmOperand {
  const Tensor& tensor;
  std::string_view name;
  DType type;
  int rank;  ///< that is expected
};

void checkOperand(const GemmOperand& o, Where where) {
  const Tensor& t = o.tensor;
  if (t.isCoordinate()) refuse(fmt::format("gemm: {} is a coordinate tensor", o.name), where);
  if (t.element_type() != o.type) {
    refuse(fmt::format("gemm: {} has elements of {}, the atom takes {}", o.name,
                       name(t.element_type()), name(o.type)),
           where);
  }
  if (!isStatic(t.shape().view())) {
    refuse(fmt::format("gemm: the shape {} of {} is not static", t.shape().text(), o.name), where);
  }
  if (rank(t) != o.rank) {
    refuse(fmt::format("gemm: {} of shape {} has {} modes, {} were expected; the forms are (V) x "
                       "(V) -> (V), (V,M) x (V,N) -> (V,M,N), (V,M,K) x (V,N,K) -> (V,M,N)",
                       o.name, t.shape().text(), rank(t), o.rank),
           where);
  }
  // Of the one atom that there is, each thread has one value.
  if (!size(t, 0).is(1)) {
    refuse(fmt::format("gemm: mode 0 of {}, of shape {}, has {} values; an atom has 1", o.name,
                       t.shape().text(), size(t, 0).text()),
           where);
  }
}

void checkRegisters(const Tensor& t, std::string_view operand, Where where) {
  if (t.memspace() == AddressSpace::rmem) return;
  refuse(fmt::format("gemm: {} is in {}; accumulators are in registers, as make_fragment_C makes "
                     "them",
                     operand, name(t.memspace())),
         where);
}

// That extents which stand for the same mode are the same.
void checkExtents(const Tensor& x, int xMode, std::string_view xName, const Tensor& y, int yMode,
                  std::string_view yName, std::string_view mode, Where where) {
  if (xMode >= rank(x) || yMode >= rank(y)) return;
  Int left = size(x, xMode);
  Int right = size(y, yMode);
  if (left.value() == right.value()) return;
  refuse(fmt::format("gemm: {} of shape {} and {} of shape {} differ in {}: {} and {}", xName,
                     x.shape().text(), yName, y.shape().text(), mode, left.text(), right.text()),
         where);
}

void checkGemm(const MmaAtom& atom, const Tensor& d, const Tensor& a, const Tensor& b,
               const Tensor& c, Where where) {
  int inputs = rank(a);
  int sums = inputs == 1 ? 1 : 3;
  if (inputs > 3) inputs = 3;
  checkOperand({a, "A", atom.type(MmaOperand::A), inputs}, where);
  checkOperand({b, "B", atom.type(MmaOperand::B), inputs}, where);
  checkOperand({c, "C", atom.type(MmaOperand::C), sums}, where);
  checkOperand({d, "D", atom.type(MmaOperand::C), sums}, where);
  checkRegisters(c, "C", where);
  checkRegisters(d, "D", where);
  checkExtents(a, 1, "A", c, 1, "C", "M", where);
  checkExtents(b, 1, "B", c, 2, "C", "N", where);
  checkExtents(a, 2, "A", b, 2, "B", "K", where);
  checkExtents(d, 1, "D", c, 1, "C", "M", where);
  checkExtents(d, 2, "D", c, 2, "C", "N", where);
}

std::string_view nameOf(MmaKind kind) {
  constexpr std::string_view kNames[] = {"universal"};
  return kNames[static_cast<std::size_t>(kind)];
}

TiledCopy tiledCopyOf(const CopyAtom& atom, const TiledMma& mma, MmaOperand operand, Where where) {
  auto [first, second] = operandModes(operand);
  IntTuple tile{mma.tile_size_mnk(first), mma.tile_size_mnk(second)};
  return make_tiled_copy(atom, mma.tv_layout(operand, where), tile, where);
}

}  // namespace

IntTuple MmaAtom::shape_mnk() const {
  auto [m, n, k] = layouts().mnk;
  return IntTuple{m, n, k};
}

MmaAtom make_mma_atom(MmaUniversalOp op, Where where) {
  switch (op.type) {
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
    case DType::Float64:
    case DType::Int32: return {MmaKind::Universal, op.type, op.type, op.type};
    default:
      refuse(fmt::format("MmaUniversalOp: there is no multiply-add of {}; there are Float16, "
                         "BFloat16, Float32, Float64 and Int32",
                         name(op.type)),
             where);
  }
}

Layout TiledMma::tv_layout(MmaOperand operand, Where where) const {
  return orRefuse(tiling_.threadValues(operand), where);
}

ThrMma TiledMma::get_slice(const Arg& thread) const {
  locate(thread.where());
  Int number = thread.value().toInt(thread.where());
  std::int64_t threads = size().value();
  if (number.isStatic() && (number.value() < 0 || number.value() >= threads)) {
    refuse(fmt::format("get_slice: there is no thread {} among the {} of the tiled MMA",
                       number.value(), threads),
           thread.where());
  }
  return {*this, orRefuse(tiling_.coordinateOf(number), thread.where())};
}

IntTuple TiledMma::partition_shape_A(const IntTuple& shape, Where where) const {
  return orRefuse(tiling_.partitionShape(shape, MmaOperand::A), where);
}
IntTuple TiledMma::partition_shape_B(const IntTuple& shape, Where where) const {
  return orRefuse(tiling_.partitionShape(shape, MmaOperand::B), where);
}
IntTuple TiledMma::partition_shape_C(const IntTuple& shape, Where where) const {
  return orRefuse(tiling_.partitionShape(shape, MmaOperand::C), where);
}

Tensor TiledMma::fragment(const Tensor& part, MmaOperand operand, Where where) const {
  DType type = atom_.type(operand);
  if (!part.isCoordinate() && part.element_type() != type) {
    refuse(fmt::format("make_fragment_{}: the partition has elements of {}, the atom takes {}",
                       cute::name(operand), cute::name(part.element_type()), cute::name(type)),
           where);
  }
  return operand == MmaOperand::C ? make_rmem_tensor(part.shape(), type, where)
                                  : make_fragment_like(part, type, where);
}

Tensor TiledMma::make_fragment_A(const Tensor& part, Where where) const {
  return fragment(part, MmaOperand::A, where);
}
Tensor TiledMma::make_fragment_B(const Tensor& part, Where where) const {
  return fragment(part, MmaOperand::B, where);
}
Tensor TiledMma::make_fragment_C(const Tensor& part, Where where) const {
  // Accumulators may be wider than what they are written to.
  return make_fragment_C(part.shape(), where);
}
Tensor TiledMma::make_fragment_C(const IntTuple& shape, Where where) const {
  return make_rmem_tensor(shape, atom_.type(MmaOperand::C), where);
}

TiledMma make_tiled_mma(const MmaAtom& atom, const Layout& atoms,
                        const std::vector<Tiler>& permutation, Where where) {
  return {atom, orRefuse(MmaTiling::make(atom.layouts(), atoms, permutation), where)};
}

TiledMma make_tiled_mma(MmaUniversalOp op, const Layout& atoms,
                        const std::vector<Tiler>& permutation, Where where) {
  return make_tiled_mma(make_mma_atom(op, where), atoms, permutation, where);
}

Tensor ThrMma::partition(const Tensor& t, MmaOperand operand, Where where) const {
  locate(where);
  const Layout& outer = t.layout().outer();
  Layout fragments = orRefuse(mma_.tiling().threadFragments(outer, operand), where);
  AnyLayout layout = t.layout().withOuter(fragments);
  Tensor all = t.isCoordinate() ? Tensor(t.start(), layout) : Tensor(t.iterator(), layout);
  auto [first, second] = operandModes(operand);
  IntTupleBuilder rest;
  rest.open();
  for (int i = 0; i < fragments[1].shape[1].rank(); ++i) rest.hole();
  rest.close();
  IntTuple thread{IntTuple(thread_[0]),
                  IntTuple{IntTuple(thread_[first + 1]), IntTuple(thread_[second + 1])}};
  return all.slice(IntTuple{thread, IntTuple{IntTuple::hole(), rest.take()}}, where);
}

Tensor ThrMma::partition_A(const Tensor& a, Where where) const {
  return partition(a, MmaOperand::A, where);
}
Tensor ThrMma::partition_B(const Tensor& b, Where where) const {
  return partition(b, MmaOperand::B, where);
}
Tensor ThrMma::partition_C(const Tensor& c, Where where) const {
  return partition(c, MmaOperand::C, where);
}

void gemm(const MmaAtom& atom, const Tensor& d, const Tensor& a, const Tensor& b, const Tensor& c,
          Where where) {
  checkGemm(atom, d, a, b, c, where);
  Trace& trace = Trace::at(where);
  for (const Tensor* t : {&a, &b}) checkReachable(trace, t->iterator(), where);
  auto pointer = [&](const Tensor& t) { return trace.use(t.iterator().value(), where); };
  auto text = [&](const Layout& layout) { return trace.builder().getStringAttr(layout.text()); };
  Layout dLayout = threeModes(d, "D", where);
  Layout aLayout = threeModes(a, "A", where);
  Layout bLayout = threeModes(b, "B", where);
  Layout cLayout = threeModes(c, "C", where);
  auto aLeaves = dynamicLeaves(trace, aLayout, where);
  auto bLeaves = dynamicLeaves(trace, bLayout, where);
  ir::Gemm::create(trace.builder(), trace.here(),
                   trace.builder().getStringAttr(nameOf(atom.kind())), pointer(d), text(dLayout),
                   pointer(a), text(aLayout), aLeaves, pointer(b), text(bLayout), bLeaves,
                   pointer(c), text(cLayout));
}

void gemm(const TiledMma& mma, const Tensor& d, const Tensor& a, const Tensor& b, const Tensor& c,
          Where where) {
  gemm(mma.atom(), d, a, b, c, where);
}

TiledCopy make_tiled_copy_A(const CopyAtom& atom, const TiledMma& mma, Where where) {
  return tiledCopyOf(atom, mma, MmaOperand::A, where);
}
TiledCopy make_tiled_copy_B(const CopyAtom& atom, const TiledMma& mma, Where where) {
  return tiledCopyOf(atom, mma, MmaOperand::B, where);
}
TiledCopy make_tiled_copy_C(const CopyAtom& atom, const TiledMma& mma, Where where) {
  return tiledCopyOf(atom, mma, MmaOperand::C, where);
}

}  // namespace cutwork::cute

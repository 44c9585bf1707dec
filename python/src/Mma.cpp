// Mma.cpp -- matrix products for Python: atoms, tiled products, their partitions, gemm.
#include "Convert.h"

namespace cutwork::python {

namespace {

using cute::MmaAtom;
using cute::MmaOperand;
using cute::Tensor;
using cute::ThrMma;
using cute::TiledMma;

// A layout, or a shape, whose modes lie side by side.
cute::Layout toAtoms(nb::handle x) {
  if (nb::isinstance<cute::Layout>(x)) return nb::cast<const cute::Layout&>(x);
  return cute::make_layout(toTuple(x)).value();
}

// None, or for M, N and K an extent, a layout or None.
std::vector<cute::Tiler> toPermutation(nb::handle x) {
  if (x.is_none()) return {};
  cute::Tiler all = toTiler(x);
  return all.isByMode() ? all.modes() : std::vector{all};
}

nb::object fromPermutation(const cute::Tiler& permutation) {
  if (permutation.isHole()) return nb::none();
  return fromLayout(permutation.layout());
}

template <MmaOperand O>
nb::object atomLayout(const MmaAtom& atom) {
  cute::MmaLayouts layouts = atom.layouts();
  return fromLayout(O == MmaOperand::A ? layouts.a : O == MmaOperand::B ? layouts.b : layouts.c);
}

template <class Class, class Get>
void defineAtom(nb::class_<Class>& c, Get atom) {
  c.def_prop_ro("shape_mnk", [=](const Class& x) { return fromTuple(atom(x).shape_mnk()); })
      .def_prop_ro("thr_id", [=](const Class& x) { return fromLayout(atom(x).layouts().threads); })
      .def_prop_ro("tv_layout_A",
                   [=](const Class& x) { return atomLayout<MmaOperand::A>(atom(x)); })
      .def_prop_ro("tv_layout_B",
                   [=](const Class& x) { return atomLayout<MmaOperand::B>(atom(x)); })
      .def_prop_ro("tv_layout_C",
                   [=](const Class& x) { return atomLayout<MmaOperand::C>(atom(x)); })
      .def_prop_ro("a_dtype",
                   [=](const Class& x) { return fromDType(atom(x).type(MmaOperand::A)); })
      .def_prop_ro("b_dtype",
                   [=](const Class& x) { return fromDType(atom(x).type(MmaOperand::B)); })
      .def_prop_ro("c_dtype",
                   [=](const Class& x) { return fromDType(atom(x).type(MmaOperand::C)); });
}

// A fragment for a partition, or for a shape.
template <MmaOperand O>
Tensor fragment(const TiledMma& mma, nb::handle x) {
  if (nb::isinstance<Tensor>(x)) {
    const auto& part = nb::cast<const Tensor&>(x);
    return O == MmaOperand::A   ? mma.make_fragment_A(part)
           : O == MmaOperand::B ? mma.make_fragment_B(part)
                                : mma.make_fragment_C(part);
  }
  return cute::make_rmem_tensor(toTuple(x), mma.atom().type(O));
}

template <class Class, class Get>
void defineTiled(nb::class_<Class>& c, Get mma) {
  defineAtom(c, [=](const Class& x) -> const MmaAtom& { return mma(x).atom(); });
  c.def_prop_ro("atom", [=](const Class& x) { return mma(x).atom(); })
      .def_prop_ro("size", [=](const Class& x) { return wrap(mma(x).size()); })
      .def_prop_ro("thr_layout_vmnk",
                   [=](const Class& x) { return fromLayout(mma(x).thr_layout_vmnk()); })
      .def_prop_ro("permutation_mnk",
                   [=](const Class& x) {
                     const cute::MmaTiling& tiling = mma(x).tiling();
                     return nb::make_tuple(fromPermutation(tiling.permutation(0)),
                                           fromPermutation(tiling.permutation(1)),
                                           fromPermutation(tiling.permutation(2)));
                   })
      .def_prop_ro("tv_layout_A_tiled",
                   [=](const Class& x) { return fromLayout(mma(x).tv_layout(MmaOperand::A)); })
      .def_prop_ro("tv_layout_B_tiled",
                   [=](const Class& x) { return fromLayout(mma(x).tv_layout(MmaOperand::B)); })
      .def_prop_ro("tv_layout_C_tiled",
                   [=](const Class& x) { return fromLayout(mma(x).tv_layout(MmaOperand::C)); })
      .def("get_tile_size",
           [=](const Class& x, int mode) {
             if (mode < 0 || mode > 2) throw nb::value_error("a mode is 0 (M), 1 (N) or 2 (K)");
             return mma(x).tile_size_mnk(mode);
           })
      .def("get_slice", [=](const Class& x, nb::handle i) { return mma(x).get_slice(toArg(i)); })
      .def("partition_shape_A",
           [=](const Class& x, nb::handle s) {
             return fromTuple(mma(x).partition_shape_A(toTuple(s)));
           })
      .def("partition_shape_B",
           [=](const Class& x, nb::handle s) {
             return fromTuple(mma(x).partition_shape_B(toTuple(s)));
           })
      .def("partition_shape_C",
           [=](const Class& x, nb::handle s) {
             return fromTuple(mma(x).partition_shape_C(toTuple(s)));
           })
      .def("make_fragment_A",
           [=](const Class& x, nb::handle t) { return fragment<MmaOperand::A>(mma(x), t); })
      .def("make_fragment_B",
           [=](const Class& x, nb::handle t) { return fragment<MmaOperand::B>(mma(x), t); })
      .def("make_fragment_C",
           [=](const Class& x, nb::handle t) { return fragment<MmaOperand::C>(mma(x), t); });
}

void bindClasses(nb::module_& m) {
  nb::class_<MmaAtom> atom(m, "MmaAtom");
  defineAtom(atom, [](const MmaAtom& x) -> const MmaAtom& { return x; });
  nb::class_<TiledMma> tiled(m, "TiledMma");
  defineTiled(tiled, [](const TiledMma& x) -> const TiledMma& { return x; });
  nb::class_<ThrMma> thread(m, "ThrMma");
  defineTiled(thread, [](const ThrMma& x) -> const TiledMma& { return x.mma(); });
  thread.def("partition_A", [](const ThrMma& x, const Tensor& t) { return x.partition_A(t); })
      .def("partition_B", [](const ThrMma& x, const Tensor& t) { return x.partition_B(t); })
      .def("partition_C", [](const ThrMma& x, const Tensor& t) { return x.partition_C(t); });
}

}  // namespace

void bindMmas(nb::module_& m) {
  bindClasses(m);
  m.def("make_mma_atom_universal",
        [](nb::handle type) { return cute::make_mma_atom(cute::MmaUniversalOp{toDType(type)}); });
  m.def(
      "make_tiled_mma",
      [](const MmaAtom& atom, nb::handle atoms, nb::handle permutation) {
        return cute::make_tiled_mma(atom, toAtoms(atoms), toPermutation(permutation));
      },
      nb::arg("atom"), nb::arg("atoms"), nb::arg("permutation").none());
  m.def("gemm",
        [](nb::handle how, const Tensor& d, const Tensor& a, const Tensor& b, const Tensor& c) {
          const auto& atom = nb::isinstance<TiledMma>(how) ? nb::cast<const TiledMma&>(how).atom()
                                                           : nb::cast<const MmaAtom&>(how);
          cute::gemm(atom, d, a, b, c);
        });
  m.def("make_tiled_copy_A", [](const cute::CopyAtom& atom, const TiledMma& mma) {
    return cute::make_tiled_copy_A(atom, mma);
  });
  m.def("make_tiled_copy_B", [](const cute::CopyAtom& atom, const TiledMma& mma) {
    return cute::make_tiled_copy_B(atom, mma);
  });
  m.def("make_tiled_copy_C", [](const cute::CopyAtom& atom, const TiledMma& mma) {
    return cute::make_tiled_copy_C(atom, mma);
  });
}

}  // namespace cutwork::python

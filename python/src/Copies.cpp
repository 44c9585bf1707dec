// Copies.cpp -- copy atoms, tiled copies and shared memory for Python.
#include "Convert.h"

namespace cutwork::python {

namespace {

using cute::CopyAtom;
using cute::Tensor;
using cute::ThrCopy;
using cute::TiledCopy;

std::optional<Tensor> optionalTensor(nb::handle x) {
  if (x.is_none()) return std::nullopt;
  return nb::cast<const Tensor&>(x);
}

void bindTiled(nb::module_& m) {
  nb::class_<CopyAtom>(m, "CopyAtom")
      .def_prop_ro("value_type", [](const CopyAtom& a) { return fromDType(a.type()); })
      .def_prop_ro("num_bits", &CopyAtom::bits);
  nb::class_<TiledCopy>(m, "TiledCopy")
      .def_prop_ro("atom", &TiledCopy::atom)
      .def_prop_ro("layout_tv_tiled", &TiledCopy::layout_tv)
      .def_prop_ro("tiler_mn", [](const TiledCopy& c) { return fromTuple(c.tiler_mn()); })
      .def_prop_ro("size", [](const TiledCopy& c) { return wrap(c.size()); })
      .def("get_slice", [](const TiledCopy& c, nb::handle i) { return c.get_slice(toArg(i)); });
  nb::class_<ThrCopy>(m, "ThrCopy")
      .def("partition_S", [](const ThrCopy& c, const Tensor& t) { return c.partition_S(t); })
      .def("partition_D", [](const ThrCopy& c, const Tensor& t) { return c.partition_D(t); })
      .def("retile", [](const ThrCopy& c, const Tensor& t) { return c.retile(t); });
  m.def("make_copy_atom_universal", [](nb::handle type, int bits) {
    return cute::make_copy_atom(cute::CopyUniversalOp(), toDType(type), bits);
  });
  m.def("make_copy_atom_async", [](nb::handle type, int bits, bool global, bool zeroFill) {
    auto cache = global ? cute::LoadCacheMode::global : cute::LoadCacheMode::always;
    return cute::make_copy_atom(cute::cpasync::CopyG2SOp{cache, zeroFill}, toDType(type), bits);
  });
  m.def("make_tiled_copy_tv", [](const CopyAtom& a, nb::handle threads, nb::handle values) {
    return cute::make_tiled_copy_tv(a, toLayout(threads), toLayout(values));
  });
  m.def("make_tiled_copy", [](const CopyAtom& a, nb::handle tv, nb::handle tiler) {
    return cute::make_tiled_copy(a, toLayout(tv), toTuple(tiler));
  });
}

void bindCopy(nb::module_& m) {
  m.def(
      "copy",
      [](nb::handle how, const Tensor& from, const Tensor& to, nb::handle pred) {
        if (nb::isinstance<TiledCopy>(how)) {
          cute::copy(nb::cast<const TiledCopy&>(how), from, to, optionalTensor(pred));
        } else {
          cute::copy(nb::cast<const CopyAtom&>(how), from, to, optionalTensor(pred));
        }
      },
      nb::arg("atom"), nb::arg("src"), nb::arg("dst"), nb::arg("pred").none());
  m.def("autovec_copy", [](const Tensor& a, const Tensor& b) { cute::autovec_copy(a, b); });
  m.def("basic_copy", [](const Tensor& a, const Tensor& b) { cute::basic_copy(a, b); });
  m.def("basic_copy_if",
        [](const Tensor& p, const Tensor& a, const Tensor& b) { cute::basic_copy_if(p, a, b); });
}

void bindSmem(nb::module_& m) {
  nb::class_<cute::SmemAllocator>(m, "SmemAllocator")
      .def("__init__", [](cute::SmemAllocator* self) { new (self) cute::SmemAllocator(); })
      .def("allocate", [](cute::SmemAllocator& a, std::int64_t bytes,
                          std::int64_t alignment) { return a.allocate(bytes, alignment); })
      .def("allocate_array",
           [](cute::SmemAllocator& a, nb::handle type, std::int64_t count, std::int64_t alignment) {
             return a.allocate_array(toDType(type), count, alignment);
           })
      .def(
          "allocate_tensor",
          [](cute::SmemAllocator& a, nb::handle type, nb::handle layout, std::int64_t alignment,
             nb::handle swizzle) {
            cute::Swizzle s =
                swizzle.is_none() ? cute::Swizzle() : nb::cast<cute::Swizzle>(swizzle);
            return a.allocate_tensor(toDType(type), toAnyLayout(layout), alignment, s);
          },
          nb::arg("type"), nb::arg("layout"), nb::arg("alignment"), nb::arg("swizzle").none());
  m.def("smem_size", [] { return cute::smem_size(); });
  m.def("get_dyn_smem", [](nb::handle type, std::int64_t alignment) {
    return cute::get_dyn_smem(toDType(type), alignment);
  });
}

}  // namespace

void bindCopies(nb::module_& m) {
  bindTiled(m);
  bindCopy(m);
  bindSmem(m);
}

}  // namespace cutwork::python

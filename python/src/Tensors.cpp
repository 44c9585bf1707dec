// Tensors.cpp -- pointers, tensors, TensorSSA and printing for Python.
#include <fmt/format.h>

#include "Convert.h"

namespace cutwork::python {

namespace {

using cute::AddressSpace;
using cute::Pointer;
using cute::Tensor;

void bindPointer(nb::module_& m) {
  nb::enum_<AddressSpace>(m, "AddressSpace")
      .value("generic", AddressSpace::generic)
      .value("gmem", AddressSpace::gmem)
      .value("smem", AddressSpace::smem)
      .value("rmem", AddressSpace::rmem)
      .value("dsmem", AddressSpace::dsmem);
  nb::class_<Pointer>(m, "Pointer")
      .def_prop_ro("dtype", [](const Pointer& p) { return fromDType(p.type()); })
      .def_prop_ro("value_type", [](const Pointer& p) { return fromDType(p.type()); })
      .def_prop_ro("memspace", &Pointer::space)
      .def_prop_ro("alignment", &Pointer::alignment)
      .def_prop_ro("max_alignment", &Pointer::alignment)
      .def_prop_ro("swizzle", &Pointer::swizzle)
      .def_prop_ro(
          "key",
          [](const Pointer& p) { return reinterpret_cast<std::uintptr_t>(p.value().opaque()); })
      .def("align", [](const Pointer& p, std::int64_t bytes) { return p.align(bytes); })
      .def("toint", [](const Pointer& p) { return wrap(p.toint()); })
      .def("__iter__", [](nb::handle) { refuseIteration("a pointer", "n"); })
      .def("load", [](const Pointer& p) { return wrap(p.load()); })
      .def("store", [](const Pointer& p, nb::handle x) { p.store(toArg(x)); })
      .def("__getitem__",
           [](const Pointer& p, nb::handle i) { return wrap((p + toArg(i)).load()); })
      .def("__setitem__",
           [](const Pointer& p, nb::handle i, nb::handle x) { (p + toArg(i)).store(toArg(x)); })
      .def("__add__", [](const Pointer& p, nb::handle n) { return p + toArg(n); })
      .def("__radd__", [](const Pointer& p, nb::handle n) { return p + toArg(n); })
      .def("__sub__", [](const Pointer& p, nb::handle n) { return p - toArg(n); })
      .def("__str__", &Pointer::text)
      .def("__repr__", &Pointer::text);
  m.def("make_ptr",
        [](nb::handle type, nb::handle address, AddressSpace space, std::int64_t alignment) {
          return cute::make_ptr(toDType(type), toArg(address), space, alignment);
        });
  m.def(
      "recast_ptr",
      [](const Pointer& p, nb::handle swizzle, nb::handle type) {
        Pointer made = type.is_none() ? p : p.recast(toDType(type));
        return swizzle.is_none() ? made : made.withSwizzle(nb::cast<cute::Swizzle>(swizzle));
      },
      nb::arg("ptr"), nb::arg("swizzle").none(), nb::arg("dtype").none());
}

bool hasHole(const cute::IntTuple& coord) {
  for (const cute::Node& node : coord.view().nodes()) {
    if (node.kind == cute::NodeKind::Hole) return true;
  }
  return false;
}

nb::object getItem(const Tensor& t, nb::handle key) {
  cute::IntTuple coord = toTuple(key);
  if (hasHole(coord)) return nb::cast(t.slice(coord));
  cute::Element element(t, coord, cute::Where::current());
  if (t.isCoordinate()) return fromTuple(element.coordinate());
  return wrap(element.load());
}

void setItem(const Tensor& t, nb::handle key, nb::handle value) {
  cute::IntTuple coord = toTuple(key);
  if (!hasHole(coord)) {
    cute::Element(t, coord, cute::Where::current()).store(toArg(value));
    return;
  }
  Tensor part = t.slice(coord);
  if (nb::isinstance<cute::TensorSSA>(value)) {
    part.store(nb::cast<const cute::TensorSSA&>(value));
  } else {
    part.fill(toArg(value));
  }
}

void bindTensorClass(nb::module_& m) {
  nb::class_<Tensor>(m, "Tensor", nb::is_weak_referenceable())
      .def_prop_ro("shape", [](const Tensor& t) { return fromTuple(t.shape()); })
      .def_prop_ro("stride", [](const Tensor& t) { return fromTuple(t.stride()); })
      .def_prop_ro("layout", [](const Tensor& t) { return fromLayout(t.layout()); })
      .def_prop_ro("element_type", [](const Tensor& t) { return fromDType(t.element_type()); })
      .def_prop_ro("dtype", [](const Tensor& t) { return fromDType(t.element_type()); })
      .def_prop_ro("type", &Tensor::text)
      .def_prop_ro("memspace", &Tensor::memspace)
      .def_prop_ro("is_coordinate", &Tensor::isCoordinate)
      .def_prop_ro("iterator",
                   [](const Tensor& t) -> nb::object {
                     if (t.isCoordinate()) return fromTuple(t.start());
                     return nb::cast(t.iterator());
                   })
      .def("load", [](const Tensor& t) { return t.load(); })
      .def("store", [](const Tensor& t, const cute::TensorSSA& x) { t.store(x); })
      .def("fill", [](const Tensor& t, nb::handle x) { t.fill(toArg(x)); })
      .def("__getitem__", &getItem, nb::arg("coord").none())
      .def("__setitem__", &setItem, nb::arg("coord").none(), nb::arg("value").none())
      .def("__iter__", [](nb::handle) { refuseIteration("a tensor", "cute.size(t)"); })
      .def("__str__", &Tensor::text)
      .def("__repr__", &Tensor::text);
  m.def("make_tensor", [](nb::handle iterator, nb::handle layout) {
    if (nb::isinstance<Pointer>(iterator)) {
      return Tensor(nb::cast<const Pointer&>(iterator), toAnyLayout(layout));
    }
    return Tensor(toTuple(iterator), toAnyLayout(layout));
  });
  m.def("make_identity_tensor",
        [](nb::handle shape) { return cute::make_identity_tensor(toTuple(shape)); });
  m.def("make_rmem_tensor", [](nb::handle layout, nb::handle type) {
    if (nb::isinstance<cute::Layout>(layout) || nb::isinstance<cute::ComposedLayout>(layout)) {
      return cute::make_rmem_tensor(toAnyLayout(layout), toDType(type));
    }
    return cute::make_rmem_tensor(toTuple(layout), toDType(type));
  });
  m.def(
      "make_fragment_like",
      [](const Tensor& like, nb::handle type) {
        if (type.is_none()) return cute::make_fragment_like(like);
        return cute::make_fragment_like(like, toDType(type));
      },
      nb::arg("like"), nb::arg("dtype").none() = nb::none());
  m.def("recast_tensor",
        [](const Tensor& t, nb::handle type) { return cute::recast_tensor(t, toDType(type)); });
}

template <class F>
void defineTiled(nb::module_& m, const char* name, F f) {
  m.def(name, [f](const Tensor& t, nb::handle tiler) { return f(t, toTiler(tiler)); });
}

void bindTensorAlgebra(nb::module_& m) {
  using cute::Tiler;
  defineTiled(m, "tensor_logical_divide",
              [](const Tensor& t, const Tiler& x) { return cute::logical_divide(t, x); });
  defineTiled(m, "tensor_zipped_divide",
              [](const Tensor& t, const Tiler& x) { return cute::zipped_divide(t, x); });
  defineTiled(m, "tensor_tiled_divide",
              [](const Tensor& t, const Tiler& x) { return cute::tiled_divide(t, x); });
  defineTiled(m, "tensor_flat_divide",
              [](const Tensor& t, const Tiler& x) { return cute::flat_divide(t, x); });
  defineTiled(m, "tensor_composition",
              [](const Tensor& t, const Tiler& x) { return cute::composition(t, x); });
  m.def("tensor_group_modes",
        [](const Tensor& t, int begin, int end) { return cute::group_modes(t, begin, end); });
  m.def("tensor_relaid", [](const Tensor& t, nb::handle layout) {
    if (t.isCoordinate()) return Tensor(t.start(), toAnyLayout(layout));
    return Tensor(t.iterator(), toAnyLayout(layout));
  });
  m.def("domain_offset",
        [](nb::handle coord, const Tensor& t) { return cute::domain_offset(toTuple(coord), t); });
  m.def(
      "tensor_local_tile",
      [](const Tensor& t, nb::handle tiler, nb::handle coord, nb::handle proj) {
        if (proj.is_none()) return cute::local_tile(t, toTiler(tiler), toTuple(coord));
        return cute::local_tile(t, toTiler(tiler), toTuple(coord), toTuple(proj));
      },
      nb::arg("t"), nb::arg("tiler"), nb::arg("coord").none(), nb::arg("proj").none());
  m.def("local_partition", [](const Tensor& t, nb::handle threads, nb::handle index) {
    return cute::local_partition(t, toLayout(threads), toArg(index));
  });
  m.def("elem_less",
        [](nb::handle a, nb::handle b) { return wrap(cute::elem_less(toTuple(a), toTuple(b))); });
}

cute::Printed printedOf(nb::handle x) {
  if (nb::isinstance<nb::str>(x)) return {nb::cast<std::string>(x)};
  if (nb::isinstance<Tensor>(x)) return {nb::cast<const Tensor&>(x)};
  if (nb::isinstance<Pointer>(x)) return {nb::cast<const Pointer&>(x)};
  if (nb::isinstance<cute::Layout>(x)) return {toLayout(x)};
  if (isNumber(x)) return cute::Printed(toArg(x).value());
  if (nb::isinstance<nb::tuple>(x) || nb::isinstance<nb::list>(x)) return {toTuple(x)};
  return {nb::cast<std::string>(nb::str(x))};
}

void bindPrinting(nb::module_& m) {
  m.def("printf", [](const std::string& format, nb::list values) {
    std::vector<cute::Printed> printed;
    for (nb::handle value : values) printed.push_back(printedOf(value));
    cute::detail::printFormat(cute::Format(format), printed);
  });
  m.def("print_tensor", [](const Tensor& t, bool verbose) { cute::print_tensor(t, verbose); });
  m.def("print_tensor",
        [](const cute::TensorSSA& v, bool verbose) { cute::print_tensor(v, verbose); });
}

}  // namespace

void bindTensors(nb::module_& m) {
  bindPointer(m);
  bindTensorClass(m);
  bindTensorAlgebra(m);
  bindPrinting(m);
}

}  // namespace cutwork::python

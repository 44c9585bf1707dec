// Vectors.cpp -- TensorSSA for Python.
#include "Convert.h"
#include "cutwork/DSL/Math.h"

namespace cutwork::python {

namespace {

using cute::Arg;
using cute::TensorSSA;
using cute::VectorOperand;

using VectorVector = TensorSSA (*)(const VectorOperand&, const VectorOperand&);
using VectorScalar = TensorSSA (*)(const VectorOperand&, const Arg&);
using ScalarVector = TensorSSA (*)(const Arg&, const VectorOperand&);

const TensorSSA* vectorOf(nb::handle x) {
  return nb::isinstance<TensorSSA>(x) ? nb::inst_ptr<TensorSSA>(x) : nullptr;
}

template <VectorVector VV, VectorScalar VS, ScalarVector SV>
nb::object apply(nb::handle a, nb::handle b) {
  const TensorSSA* x = vectorOf(a);
  const TensorSSA* y = vectorOf(b);
  if (x != nullptr && y != nullptr) return nb::cast(VV(*x, *y));
  if (x != nullptr && isNumber(b)) return nb::cast(VS(*x, toArg(b)));
  if (y != nullptr && isNumber(a)) return nb::cast(SV(toArg(a), *y));
  return nb::borrow(Py_NotImplemented);
}

template <VectorVector VV, VectorScalar VS, ScalarVector SV>
void define(nb::class_<TensorSSA>& c, const char* name, const char* reflected) {
  c.def(
      name, [](nb::handle a, nb::handle b) { return apply<VV, VS, SV>(a, b); },
      nb::arg("other").none());
  if (reflected == nullptr) return;
  c.def(
      reflected, [](nb::handle a, nb::handle b) { return apply<VV, VS, SV>(b, a); },
      nb::arg("other").none());
}

#define CW_OPERATOR(op) cute::operator op, cute::operator op, cute::operator op

/// Python's //: of floats the floor of the quotient, too.
template <class A, class B>
TensorSSA floorQuotient(const A& a, const B& b) {
  const TensorSSA quotient = a / b;
  return cute::isFloat(quotient.type()) ? cute::floor(quotient, false) : quotient;
}

/// Of two numbers, or of vectors.
template <cute::Numeric (*SS)(const Arg&, const Arg&), VectorVector VV, VectorScalar VS,
          ScalarVector SV>
nb::object ofTwo(nb::handle a, nb::handle b) {
  nb::object made = apply<VV, VS, SV>(a, b);
  return made.is(nb::handle(Py_NotImplemented)) ? wrap(SS(toArg(a), toArg(b))) : made;
}

void defineOperators(nb::class_<TensorSSA>& c) {
  define<CW_OPERATOR(+)>(c, "__add__", "__radd__");
  define<CW_OPERATOR(-)>(c, "__sub__", "__rsub__");
  define<CW_OPERATOR(*)>(c, "__mul__", "__rmul__");
  define<floorQuotient, floorQuotient, floorQuotient>(c, "__floordiv__", "__rfloordiv__");
  define<CW_OPERATOR(%)>(c, "__mod__", "__rmod__");
  define<cute::true_div, cute::true_div, cute::true_div>(c, "__truediv__", "__rtruediv__");
  define<CW_OPERATOR(&)>(c, "__and__", "__rand__");
  define<CW_OPERATOR(|)>(c, "__or__", "__ror__");
  define<CW_OPERATOR(^)>(c, "__xor__", "__rxor__");
  define<CW_OPERATOR(<<)>(c, "__lshift__", "__rlshift__");
  define<CW_OPERATOR(>>)>(c, "__rshift__", "__rrshift__");
  define<CW_OPERATOR(<)>(c, "__lt__", nullptr);
  define<CW_OPERATOR(<=)>(c, "__le__", nullptr);
  define<CW_OPERATOR(>)>(c, "__gt__", nullptr);
  define<CW_OPERATOR(>=)>(c, "__ge__", nullptr);
  define<CW_OPERATOR(==)>(c, "__eq__", nullptr);
  define<CW_OPERATOR(!=)>(c, "__ne__", nullptr);
  c.def("__neg__", [](const TensorSSA& a) { return -VectorOperand(a); });
  c.def("__invert__", [](const TensorSSA& a) { return ~VectorOperand(a); });
}

// TensorSSA(values, shape, dtype): the same values under a shape of as many elements and a type of
// the same width, which is how programs name the result of an operation of the math dialect.
TensorSSA withShapeAndType(const TensorSSA& x, nb::handle shape, nb::handle type) {
  const cute::DType wanted = toDType(type);
  return (x.type() == wanted ? x : x.bitcast(wanted)).reshape(toTuple(shape));
}

nb::object reduce(const TensorSSA& x, cute::ReductionOp op, nb::handle initial,
                  nb::handle profile) {
  bool all = PyLong_Check(profile.ptr());
  if (all) return wrap(x.reduce(op, toArg(initial)));
  return nb::cast(x.reduce(op, toArg(initial), toTuple(profile)));
}

void bindFunctions(nb::module_& m) {
  m.def("pow", &ofTwo<cute::pow, cute::pow, cute::pow, cute::pow>);
  m.def("atan2", &ofTwo<cute::atan2, cute::atan2, cute::atan2, cute::atan2>);
  m.def("vector_min", &apply<cute::min, cute::min, cute::min>);
  m.def("vector_max", &apply<cute::max, cute::max, cute::max>);
  m.def("where", [](nb::handle c, nb::handle a, nb::handle b) -> nb::object {
    const TensorSSA* x = vectorOf(a);
    const TensorSSA* y = vectorOf(b);
    const TensorSSA* condition = vectorOf(c);
    if (condition == nullptr) return wrap(cute::select(toArg(c), toArg(a), toArg(b)));
    if (x != nullptr && y != nullptr) return nb::cast(cute::where(*condition, *x, *y));
    if (x != nullptr) return nb::cast(cute::where(*condition, *x, toArg(b)));
    if (y != nullptr) return nb::cast(cute::where(*condition, toArg(a), *y));
    return nb::cast(cute::where(*condition, toArg(a), toArg(b)));
  });
  m.def("full", [](nb::handle shape, nb::handle value, nb::handle type) {
    return cute::full(toTuple(shape), toArg(value), toDType(type));
  });
  m.def("any_", [](const TensorSSA& x) { return wrap(cute::any_(x)); });
  m.def("all_", [](const TensorSSA& x) { return wrap(cute::all_(x)); });
}

}  // namespace

void bindVectors(nb::module_& m) {
  nb::enum_<cute::ReductionOp>(m, "ReductionOp")
      .value("ADD", cute::ReductionOp::ADD)
      .value("MUL", cute::ReductionOp::MUL)
      .value("MAX", cute::ReductionOp::MAX)
      .value("MIN", cute::ReductionOp::MIN);
  nb::class_<TensorSSA> c(m, "TensorSSA");
  c.def(
       "__init__",
       [](TensorSSA* self, const TensorSSA& x, nb::handle shape, nb::handle type) {
         new (self) TensorSSA(withShapeAndType(x, shape, type));
       },
       nb::arg("values"), nb::arg("shape"), nb::arg("dtype"))
      .def_prop_ro("shape", [](const TensorSSA& x) { return fromTuple(x.shape()); })
      .def_prop_ro("dtype", [](const TensorSSA& x) { return fromDType(x.type()); })
      .def_prop_ro("element_type", [](const TensorSSA& x) { return fromDType(x.type()); })
      .def_prop_ro("size", &TensorSSA::size)
      .def("__iter__", [](nb::handle) { refuseIteration("a TensorSSA", "cute.size(t.shape)"); })
      .def("__str__", &TensorSSA::text)
      .def("__repr__", &TensorSSA::text)
      .def("to", [](const TensorSSA& x, nb::handle type) { return x.to(toDType(type)); })
      .def("bitcast", [](const TensorSSA& x, nb::handle type) { return x.bitcast(toDType(type)); })
      .def("reshape", [](const TensorSSA& x, nb::handle s) { return x.reshape(toTuple(s)); })
      .def("broadcast_to",
           [](const TensorSSA& x, nb::handle s) { return x.broadcast_to(toTuple(s)); })
      .def("_reduce", &reduce, nb::arg("op"), nb::arg("init"), nb::arg("profile").none())
      .def("__getitem__", [](const TensorSSA& x, nb::handle i) { return wrap(x[toTuple(i)]); })
      .def("__hash__",
           [](nb::handle self) {
             return static_cast<Py_hash_t>(reinterpret_cast<std::uintptr_t>(self.ptr()) >> 4);
           })
      .def("__bool__", [](const TensorSSA&) -> bool {
        throw nb::type_error(
            "a vector of run-time values is neither true nor false; use cute.any_, cute.all_ or "
            "cute.where");
      });
  defineOperators(c);
  bindFunctions(m);
}

}  // namespace cutwork::python

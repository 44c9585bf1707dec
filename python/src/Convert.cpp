// Convert.cpp -- Python objects as operands, tuples, layouts and tilers, and back.
#include "Convert.h"

#include <fmt/format.h>

#include "cutwork/Layout/Evaluator.h"

namespace cutwork::python {

Classes& classes() {
  // Never destroyed: the interpreter may be gone when static objects are.
  static auto* kept = new Classes();
  return *kept;
}

namespace {
// Run-time integers outside any trace: their values are known here, and not to the algebra. One for
// all threads (the interpreter's lock is held), and for ever: layouts go between threads.
cute::HostEvaluator& onHost() {
  static auto& evaluator = *new cute::HostEvaluator;  // NOLINT: never freed
  return evaluator;
}
}  // namespace

void raiseTypeError(const std::string& expected, nb::handle object) {
  std::string type = nb::cast<std::string>(nb::str(object.type().attr("__name__")));
  const std::string text = fmt::format("{} was expected, not {} ({})", expected, type,
                                       nb::cast<std::string>(nb::repr(object)));
  nb::object error = nb::borrow(PyExc_TypeError)(text);
  error.attr("came") = object;  // by which cutwork/_errors.py finds the parameter
  PyErr_SetObject(PyExc_TypeError, error.ptr());
  throw nb::python_error();
}

const Scalar* scalarOf(nb::handle object) {
  if (nb::isinstance<Scalar>(object)) return nb::inst_ptr<Scalar>(object);
  nb::object held = nb::getattr(object, "_v", nb::none());
  return nb::isinstance<Scalar>(held) ? nb::inst_ptr<Scalar>(held) : nullptr;
}

bool isNumber(nb::handle object) {
  return PyLong_Check(object.ptr()) || PyFloat_Check(object.ptr()) || scalarOf(object) != nullptr;
}

void refuseIteration(const char* what, const char* count) {
  throw nb::type_error(fmt::format("{} is not iterated: write `for i in range({}):` and take the "
                                   "elements by [i]",
                                   what, count)
                           .c_str());
}

cute::Arg toArg(nb::handle object) {
  if (PyBool_Check(object.ptr())) return {object.ptr() == Py_True};
  if (PyLong_Check(object.ptr())) {
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    if (overflow == 0) return {static_cast<std::int64_t>(value)};
    if (overflow > 0) {
      auto big = static_cast<std::uint64_t>(PyLong_AsUnsignedLongLong(object.ptr()));
      if (PyErr_Occurred() == nullptr) return {big};
      PyErr_Clear();
    }
    throw nb::value_error("an integer beyond 64 bits");
  }
  if (PyFloat_Check(object.ptr())) return {PyFloat_AS_DOUBLE(object.ptr())};
  if (const Scalar* scalar = scalarOf(object)) {
    bool traced = scalar->leaf && !scalar->numeric.isConstant();
    return traced ? cute::Arg(*scalar->leaf) : cute::Arg(scalar->numeric);
  }
  // Arrays and classes have these too, and raise.
  const auto made = [&](PyObject* (*number)(PyObject*)) {
    nb::object result = nb::steal(number(object.ptr()));
    if (!result) {
      PyErr_Clear();
      raiseTypeError("a number", object);
    }
    return result;
  };
  const bool isClass = PyType_Check(object.ptr());
  if (!isClass && nb::hasattr(object, "__index__")) return toArg(made(PyNumber_Index));
  if (!isClass && nb::hasattr(object, "__float__")) {
    return {nb::cast<double>(made(PyNumber_Float))};
  }
  raiseTypeError("a number", object);
}

nb::object wrap(Scalar scalar) {
  auto index = static_cast<std::size_t>(scalar.numeric.type());
  nb::object type = classes().numbers[index];
  auto* python = reinterpret_cast<PyTypeObject*>(type.ptr());
  nb::object made = nb::steal(PyType_GenericAlloc(python, 0));
  if (!made) throw nb::python_error();
  made.attr("_v") = nb::cast(std::move(scalar));
  return made;
}
nb::object wrap(const cute::Numeric& numeric) { return wrap(Scalar{numeric, std::nullopt}); }
nb::object wrap(cute::Int leaf) {
  if (leaf.isStatic()) return nb::int_(leaf.value());
  if (leaf.isDynamic() && leaf.dynamic().evaluator == &onHost()) {
    bool wide = leaf.width() == cute::Width::I64;
    std::int64_t value = cute::HostEvaluator::valueOf(leaf);
    return wrap(Scalar{
        cute::Numeric::constant(wide ? cute::DType::Int64 : cute::DType::Int32, value), leaf});
  }
  return wrap(Scalar{cute::Arg(leaf).value(), leaf});
}

namespace {

cute::IntTuple leafOf(nb::handle object) {
  const Scalar* scalar = scalarOf(object);
  if (scalar == nullptr) {
    if (PyFloat_Check(object.ptr())) raiseTypeError("an integer, None or a tuple of them", object);
    cute::Arg number = toArg(object);
    return cute::IntTuple(number.value().toInt());
  }
  if (scalar->leaf) return cute::IntTuple(*scalar->leaf);
  // A number class is a run-time number even where it holds a constant.
  if (scalar->numeric.isConstant() && !cute::isTracing()) {
    bool wide = cute::width(scalar->numeric.type()) == 64;
    return cute::IntTuple(
        onHost().make(scalar->numeric.toInt().value(), wide ? cute::Width::I64 : cute::Width::I32));
  }
  return cute::IntTuple(cute::opaque(scalar->numeric));
}

cute::IntTuple basisOf(nb::handle object) {
  std::vector<int> path = nb::cast<std::vector<int>>(object.attr("path"));
  cute::BasisPath basis;
  for (int mode : path) basis.push(mode);
  return cute::IntTuple::basis(leafOf(object.attr("value")).value(), basis);
}

}  // namespace

cute::IntTuple toTuple(nb::handle object) {
  if (object.is_none()) return cute::IntTuple::hole();
  if (nb::isinstance<nb::tuple>(object) || nb::isinstance<nb::list>(object)) {
    std::vector<cute::IntTuple> modes;
    for (nb::handle item : nb::borrow<nb::iterable>(object)) modes.push_back(toTuple(item));
    return cute::IntTuple(std::span<const cute::IntTuple>(modes));
  }
  if (classes().basis && nb::isinstance(object, classes().basis)) return basisOf(object);
  if (isNumber(object) || nb::hasattr(object, "__index__")) return leafOf(object);
  if (PySlice_Check(object.ptr())) {
    raiseTypeError(
        "an integer, None (a whole mode) or a tuple of them (for a part of a tensor, "
        "cute.local_tile, cute.zipped_divide or cute.domain_offset)",
        object);
  }
  raiseTypeError("an integer, None or a tuple of them", object);
}

nb::object fromTuple(cute::IntTupleView tuple) {
  if (tuple.isHole()) return nb::none();
  if (tuple.isBasis()) {
    nb::list path;
    for (int i = 0; i < tuple.basis().depth(); ++i) path.append(tuple.basis()[i]);
    return classes().basis(wrap(tuple.value()), nb::tuple(path));
  }
  if (tuple.isLeaf()) return wrap(tuple.value());
  nb::list modes;
  for (cute::IntTupleView mode : tuple) modes.append(fromTuple(mode));
  return nb::tuple(modes);
}

cute::AnyLayout toAnyLayout(nb::handle object) {
  if (nb::isinstance<cute::Layout>(object)) return nb::cast<const cute::Layout&>(object);
  if (nb::isinstance<cute::ComposedLayout>(object)) {
    return nb::cast<const cute::ComposedLayout&>(object);
  }
  raiseTypeError("a layout", object);
}

const cute::Layout& toLayout(nb::handle object) {
  if (!nb::isinstance<cute::Layout>(object)) raiseTypeError("a layout", object);
  return nb::cast<const cute::Layout&>(object);
}

nb::object fromLayout(const cute::AnyLayout& layout) {
  if (const cute::Layout* plain = layout.plain()) return nb::cast(*plain);
  return nb::cast(*layout.composed());
}

cute::Tiler toTiler(nb::handle object) {
  if (object.is_none()) return cute::Tiler::hole();
  if (nb::isinstance<cute::Layout>(object)) return cute::Tiler(toLayout(object));
  if (nb::isinstance<nb::tuple>(object) || nb::isinstance<nb::list>(object)) {
    std::vector<cute::Tiler> modes;
    for (nb::handle item : nb::borrow<nb::iterable>(object)) modes.push_back(toTiler(item));
    return cute::Tiler::byMode(std::move(modes));
  }
  if (!isNumber(object)) raiseTypeError("a tiler: an integer, a layout or a tuple of them", object);
  return cute::Tiler(leafOf(object).value());  // not in braces: those are tilers by mode
}

cute::DType toDType(nb::handle object) {
  if (nb::isinstance<nb::str>(object)) {
    return cute::parseDType(nb::cast<std::string>(object)).value();
  }
  nb::object code = nb::getattr(object, "_dtype", nb::none());
  if (!nb::isinstance<nb::int_>(code)) {
    raiseTypeError("an element type (cutlass.Float32, ...)", object);
  }
  return static_cast<cute::DType>(nb::cast<int>(code));
}
nb::object fromDType(cute::DType type) { return classes().numbers[static_cast<std::size_t>(type)]; }

std::vector<int> toModes(nb::handle object) {
  if (object.is_none()) return {};
  if (PyLong_Check(object.ptr())) return {nb::cast<int>(object)};
  return nb::cast<std::vector<int>>(object);
}

}  // namespace cutwork::python

// Module.cpp -- cutwork._core: the C++ face of Cutwork, as Python's face uses it.
#include "Caller.h"

namespace cutwork::python {

namespace {

// Cutwork's exceptions as the classes that Python defines; place and message as attributes.
void raise(const Exception& error, nb::handle type) {
  nb::object made = type(error.what());
  const SourcePlace& place = error.error().place();
  made.attr("message") = error.error().message();
  if (place.known()) {  // else the class finds it in the text, or in the frames
    made.attr("file") = place.file;
    made.attr("line") = place.line;
  }
  PyErr_SetObject(type.ptr(), made.ptr());
}

void translate(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const UserError& error) {
    raise(error, classes().userError);
  } catch (const DeviceError& error) {
    raise(error, classes().deviceError);
  } catch (const Exception& error) {
    raise(error, classes().internalError);
  } catch (const std::bad_cast&) {  // of an item in what was given
    PyErr_SetString(PyExc_TypeError, "a value of another type is expected in what was given");
  }
}

}  // namespace

void setPythonError(const std::exception_ptr& thrown) {
  try {
    translate(thrown, nullptr);
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

namespace {

void setClasses(nb::dict given) {
  Classes& all = classes();
  for (auto [key, value] : given) {
    if (PyLong_Check(key.ptr())) {
      all.numbers[nb::cast<std::size_t>(key)] = nb::borrow(value);
      continue;
    }
    auto name = nb::cast<std::string>(key);
    if (name == "basis") all.basis = nb::borrow(value);
    if (name == "user_error") all.userError = nb::borrow(value);
    if (name == "internal_error") all.internalError = nb::borrow(value);
    if (name == "prepared") setPreparedClass(nb::borrow(value));
    if (name == "device_error") all.deviceError = nb::borrow(value);
  }
}

nb::list dtypes() {
  nb::list out;
  for (int i = 0; i < cute::kDTypes; ++i) {
    auto type = static_cast<cute::DType>(i);
    nb::dict row;
    row["code"] = i;
    row["name"] = std::string(cute::name(type));
    row["short"] = std::string(cute::shortName(type));
    row["width"] = cute::width(type);
    row["storage"] = cute::storageBits(type);
    row["float"] = cute::isFloat(type);
    row["integer"] = cute::isInteger(type);
    row["signed"] = cute::isSigned(type);
    out.append(row);
  }
  return out;
}

}  // namespace

}  // namespace cutwork::python

NB_MODULE(_core, m) {
  namespace py = cutwork::python;
  // Objects that Python's module globals hold until the end are no leaks.
  nb::set_leak_warnings(false);
  nb::register_exception_translator(py::translate);
  m.def("set_classes", &py::setClasses);
  m.def("dtypes", &py::dtypes);
  m.attr("version") = CUTWORK_VERSION;
  py::bindNumbers(m);
  py::bindLayouts(m);
  py::bindVectors(m);
  py::bindTensors(m);
  py::bindStaging(m);
  py::bindCopies(m);
  py::bindMmas(m);
  py::bindArch(m);
  py::bindRuntime(m);
  py::bindSimulated(m);
  py::bindCompile(m);
  py::bindCaller(m);
  py::bindTvmFfi(m);
}

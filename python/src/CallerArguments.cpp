// CallerArguments.cpp -- one Python argument into its slots: torch and prepared tensors, numbers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "Caller.h"
#include "Exchange.h"
#include "cutwork/Runtime/HostTable.h"
#include "cutwork/Simulator/HostMemory.h"

namespace cutwork::python {

namespace {

// Attribute names, made once.
PyObject* interned(const char* text) { return PyUnicode_InternFromString(text); }

// The class cutwork.cute.runtime.Tensor, once it is known.
PyObject*& preparedClass() {
  static PyObject* kind = nullptr;
  return kind;
}

bool same(const LeafSpec& leaf, bool known, std::int64_t value, cute::Width width) {
  if (leaf.known != known) return false;
  return known ? leaf.value == value : leaf.width == width && leaf.divisor == 1;
}

int leadingOf(const dlpack::Tensor& tensor) {
  int last = -1;
  for (int i = 0; i < tensor.rank; ++i) {
    if (tensor.strides[i] != 1) continue;
    if (tensor.shape[i] > 1) return i;
    last = i;
  }
  return last;
}

// Whether a tensor that is passed directly would be compiled to `spec`: as implicit_plan of
// cute/runtime.py. Type, rank and place are compared by the encoding.
bool wouldBe(const TensorSpec& spec, const dlpack::Tensor& tensor) {
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(tensor.data) + tensor.byteOffset;
  const std::int64_t natural = std::max(1, tensor.type.bits / 8);
  std::int64_t alignment = 16;
  while (alignment > natural && address % static_cast<std::uint64_t>(alignment) != 0) {
    alignment /= 2;
  }
  if (std::max(alignment, natural) != spec.alignment) return false;
  double elements = 1;
  for (int i = 0; i < tensor.rank; ++i) elements *= static_cast<double>(tensor.shape[i]);
  constexpr auto kMost = static_cast<double>(std::numeric_limits<std::int32_t>::max());
  const cute::Width width = elements > kMost ? cute::Width::I64 : cute::Width::I32;
  const int leading = leadingOf(tensor);
  for (int i = 0; i < tensor.rank; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!same(spec.shape[at], false, 0, width)) return false;
    const bool one = i == leading;
    const bool zero = !one && tensor.strides[i] == 0 && tensor.shape[i] != 1;
    if (!same(spec.stride[at], one || zero, one ? 1 : 0, cute::Width::I64)) return false;
  }
  return true;
}

// Whether torch negates the elements of this tensor when it reads them, as of z.conj().imag: DLPack
// does not say so. Only types that complex numbers are made of can be such views, and only where no
// stride is odd: torch is not asked of others, since that takes 100 ns.
bool isNegated(const dlpack::Tensor& tensor, cute::DType type, PyObject* value) {
  using cute::DType;
  if (type != DType::Float32 && type != DType::Float64 && type != DType::Float16) return false;
  for (int i = 0; tensor.strides != nullptr && i < tensor.rank; ++i) {
    if (tensor.shape[i] > 1 && tensor.strides[i] % 2 != 0) return false;
  }
  static PyObject* const kName = interned("is_neg");
  nb::object answer = nb::steal(PyObject_VectorcallMethod(kName, &value, 1, nullptr));
  if (!answer.is_valid()) PyErr_Clear();
  return answer.ptr() != Py_False;
}

// A tensor in simulated memory stands for one on a GPU: it goes by the address that kernels have.
void standForGpu(dlpack::Tensor& tensor, CallPlace& place) {
  const DevicePointer address =
      simulatedAddress(static_cast<const std::byte*>(tensor.data) + tensor.byteOffset);
  if (address == 0) return;
  tensor.data = reinterpret_cast<void*>(address);
  tensor.byteOffset = 0;
  tensor.device = {dlpack::kCuda, 0};
  place.stream = hostStream();
}

bool encodeTorch(const Parameter& parameter, const TensorSpec& spec, const ExchangeApi& api,
                 PyObject* value, std::uint64_t* slots, CallPlace& place) {
  dlpack::Tensor tensor;
  if (api.dltensorFromPyObject(value, &tensor) != 0) {
    PyErr_Clear();
    return false;
  }
  if (tensor.rank != static_cast<std::int32_t>(spec.shape.size())) return false;
  if (tensor.device.type == dlpack::kCpu) {
    standForGpu(tensor, place);
  } else if (tensor.device.type == dlpack::kCuda) {
    if (place.index < 0) {
      place.index = tensor.device.id;
      if (api.currentWorkStream(dlpack::kCuda, place.index, &place.stream) != 0) {
        PyErr_Clear();
        return false;
      }
    } else if (place.index != tensor.device.id) {
      return false;
    }
  }
  if (!encodeTensorAtOnce(spec, tensor, slots) || isNegated(tensor, spec.type, value)) return false;
  return !parameter.exact || wouldBe(spec, tensor);
}

bool encodePrepared(const Parameter& parameter, const TensorSpec& spec, PyObject* value,
                    std::uint64_t* slots, CallPlace& place) {
  static PyObject* const kArray = interned("_passed_array");
  static PyObject* const kSpec = interned("_known_spec");
  if (parameter.exact) {
    nb::object known = nb::steal(PyObject_GetAttr(value, kSpec));
    if (!known.is_valid() || !nb::isinstance<TensorSpec>(known) ||
        !(*nb::inst_ptr<TensorSpec>(known) == spec)) {
      PyErr_Clear();
      return false;
    }
  }
  nb::object held = nb::steal(PyObject_GetAttr(value, kArray));
  if (!held.is_valid() || !nb::isinstance<Array>(held)) {
    PyErr_Clear();
    return false;
  }
  const auto& array = *nb::inst_ptr<Array>(held);
  if (!array.isOnHost()) {
    if (place.device == nullptr) place.device = &*array.device();
    if (!(*place.device == *array.device())) return false;
  }
  dlpack::Tensor tensor;
  tensor.data = reinterpret_cast<void*>(array.address());
  tensor.device = {array.isOnHost() ? dlpack::kCpu : dlpack::kCuda, 0};
  tensor.rank = array.rank();
  tensor.type = array.type();
  tensor.shape = const_cast<std::int64_t*>(array.shape().data());
  tensor.strides = const_cast<std::int64_t*>(array.strides().data());
  return encodeTensorAtOnce(spec, tensor, slots);
}

bool encodeTensor(const Parameter& parameter, const TensorSpec& spec, PyObject* value,
                  std::uint64_t* slots, CallPlace& place) {
  auto* kind = reinterpret_cast<PyObject*>(Py_TYPE(value));
  if (kind == preparedClass()) {
    if (parameter.exact && parameter.like.ptr() != kind) return false;
    return encodePrepared(parameter, spec, value, slots, place);
  }
  if (parameter.exact && parameter.like.ptr() != kind) return false;
  const ExchangeApi* api = exchangeApi(kind);
  return api != nullptr && encodeTorch(parameter, spec, *api, value, slots, place);
}

bool encodeNumber(const Parameter& parameter, cute::DType type, PyObject* value,
                  std::uint64_t* slots) {
  if (parameter.exact && parameter.like.ptr() != reinterpret_cast<PyObject*>(Py_TYPE(value))) {
    return false;
  }
  if (PyFloat_CheckExact(value)) return encodeNumberAtOnce(type, PyFloat_AsDouble(value), *slots);
  if (PyBool_Check(value)) return encodeNumberAtOnce(type, std::int64_t{value == Py_True}, *slots);
  if (!PyLong_CheckExact(value)) return false;
  int overflow = 0;
  const std::int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) return false;
  if (parameter.exact && !parameter.written) {
    // The value decides its class.
    const bool small = number == static_cast<std::int32_t>(number);
    if (small != (type == cute::DType::Int32)) return false;
  }
  return encodeNumberAtOnce(type, number, *slots);
}

bool encodeStream(PyObject* value, std::uint64_t* slots) {
  static PyObject* const kTorch = interned("cuda_stream");
  if (value == Py_None) {
    *slots = 0;
    return true;
  }
  nb::object held;
  if (!PyLong_CheckExact(value)) {
    held = nb::steal(PyObject_GetAttr(value, kTorch));
    if (!held.is_valid() || !PyLong_CheckExact(held.ptr())) {
      PyErr_Clear();
      return false;
    }
    value = held.ptr();
  }
  *slots = PyLong_AsUnsignedLongLong(value);
  if (PyErr_Occurred() == nullptr) return true;
  PyErr_Clear();
  return false;
}

// Whether both are immutable and equal to the bit.
bool equalConstants(PyObject* a, PyObject* b) {
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyFloat_CheckExact(a)) {
    const double left = PyFloat_AsDouble(a);
    const double right = PyFloat_AsDouble(b);
    return left == right && std::signbit(left) == std::signbit(right);
  }
  if (!PyLong_CheckExact(a) && !PyUnicode_CheckExact(a) && !PyBytes_CheckExact(a)) return false;
  const int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal < 0) PyErr_Clear();
  return equal == 1;
}

// Whether the keys of a dict are those of a tuple, in order.
bool sameKeys(PyObject* dict, PyObject* keys) {
  Py_ssize_t at = 0;
  Py_ssize_t count = 0;
  PyObject* key = nullptr;
  if (PyDict_Check(dict) == 0 || PyDict_Size(dict) != PyTuple_Size(keys)) return false;
  while (PyDict_Next(dict, &at, &key, nullptr) != 0) {
    PyObject* expected = PyTuple_GetItem(keys, count++);
    if (key != expected && !equalConstants(key, expected)) return false;
  }
  return true;
}

}  // namespace

bool Guard::holds() const {
  PyObject* now = nullptr;
  nb::object owned;
  switch (kind) {
    case Keys: return sameKeys(holder.ptr(), expected.ptr());
    case Item: now = PyDict_GetItemWithError(holder.ptr(), key.ptr()); break;
    case Cell:
      owned = nb::steal(PyCell_Get(holder.ptr()));
      now = owned.ptr();
      break;
    case Attribute:
      owned = nb::steal(PyObject_GetAttr(holder.ptr(), key.ptr()));
      now = owned.ptr();
      break;
    case Length: {
      const Py_ssize_t length = PyObject_Size(holder.ptr());
      if (length >= 0) return length == PyLong_AsSsize_t(expected.ptr());
      break;
    }
    case Index:
      owned = nb::steal(PySequence_GetItem(holder.ptr(), PyLong_AsSsize_t(key.ptr())));
      now = owned.ptr();
      break;
    case Mapping:
      owned = nb::steal(PyObject_GetItem(holder.ptr(), key.ptr()));
      now = owned.ptr();
      break;
  }
  if (PyErr_Occurred() != nullptr) PyErr_Clear();
  if (now == expected.ptr()) return true;
  return now != nullptr && expected.is_valid() && equalConstants(now, expected.ptr());
}

bool encode(const Parameter& parameter, const ArgumentSpec& spec, PyObject* value,
            std::uint64_t* slots, CallPlace& place) {
  switch (parameter.kind) {
    case Parameter::Tensor:
      return encodeTensor(parameter, std::get<TensorSpec>(spec), value, slots, place);
    case Parameter::Number:
      return encodeNumber(parameter, std::get<ScalarSpec>(spec).type, value, slots);
    case Parameter::Stream:
      if (parameter.exact && parameter.like.ptr() != reinterpret_cast<PyObject*>(Py_TYPE(value))) {
        return false;
      }
      return encodeStream(value, slots);
    case Parameter::Constant:
      return value == parameter.like.ptr() || equalConstants(value, parameter.like.ptr());
    case Parameter::Pointer: return false;
  }
  return false;
}

void setPreparedClass(nb::object kind) { preparedClass() = kind.release().ptr(); }

}  // namespace cutwork::python

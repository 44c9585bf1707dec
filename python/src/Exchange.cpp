// Exchange.cpp -- finds the DLPack C table of a tensor class, once for each class.
#include "Exchange.h"

#include <string_view>

namespace cutwork::python {

namespace {

constexpr const char* kAttribute = "__dlpack_c_exchange_api__";

bool has(nb::handle kind) {
  nb::object own = nb::steal(PyObject_GetAttrString(kind.ptr(), "__dict__"));
  if (!own.is_valid()) return PyErr_Clear(), false;
  return PyMapping_HasKeyString(own.ptr(), kAttribute) == 1;
}

std::string textOf(nb::handle kind, const char* name) {
  nb::object text = nb::steal(PyObject_GetAttrString(kind.ptr(), name));
  if (!text.is_valid()) return PyErr_Clear(), std::string();
  std::string found;
  return nb::try_cast<std::string>(text, found) ? found : std::string();
}

// torch.nn.Parameter is a tensor with a flag; its class derives from torch.Tensor.
bool isParameter(nb::handle kind) {
  if (textOf(kind, "__module__") != "torch.nn.parameter") return false;
  if (textOf(kind, "__qualname__") != "Parameter") return false;
  nb::object base = nb::steal(PyObject_GetAttrString(kind.ptr(), "__base__"));
  return base.is_valid() && has(base);
}

const ExchangeApi* lookUp(PyObject* kind) {
  if (!has(kind) && !isParameter(kind)) return nullptr;
  nb::object capsule = nb::steal(PyObject_GetAttrString(kind, kAttribute));
  if (!capsule.is_valid() || PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api") == 0) {
    PyErr_Clear();
    return nullptr;
  }
  auto* api = static_cast<ExchangeApi*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  while (api != nullptr && api->version.major != 1) api = api->previous;
  if (api == nullptr || api->dltensorFromPyObject == nullptr || api->currentWorkStream == nullptr) {
    return nullptr;
  }
  return api;
}

}  // namespace

const ExchangeApi* exchangeApi(PyObject* kind) {
  struct Entry {
    PyObject* kind;  // held for ever: its address must not become another class's
    const ExchangeApi* api;
  };
  static std::vector<Entry> known;  // under the interpreter's lock
  for (const Entry& entry : known) {
    if (entry.kind == kind) return entry.api;
  }
  const ExchangeApi* api = lookUp(kind);
  if (api != nullptr) known.push_back({Py_NewRef(kind), api});
  return api;
}

}  // namespace cutwork::python

// Exchange.h -- DLPack's C table of a tensor class, `__dlpack_c_exchange_api__`.
#pragma once

#include "Convert.h"
#include "cutwork/Runtime/DLPack.h"

namespace cutwork::python {

/// The table as DLPack lays it out. Functions give 0, or -1 with a Python exception set.
struct ExchangeApi {
  dlpack::Version version;
  ExchangeApi* previous;
  void* allocate;
  void* managedFromPyObject;
  void* managedToPyObject;
  int (*dltensorFromPyObject)(void* object, dlpack::Tensor* tensor);  ///< may be null
  int (*currentWorkStream)(std::int32_t deviceType, std::int32_t device, void** stream);
};

/// The table of a class that has one of its own, or of torch's Parameter; else null. Other classes
/// that inherit one may stand for something else (cutwork.simulated_torch, FakeTensor).
const ExchangeApi* exchangeApi(PyObject* kind);

}  // namespace cutwork::python

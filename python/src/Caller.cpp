// Caller.cpp -- the class _core.Caller: an object whose call tries its variants, then Python.
//
// The base of CompiledFunction (one variant: what it was compiled for) and JitFunction (one variant
// for each trace that is remembered). A call that no variant takes is `self._slow_call(...)`, which
// says what does not fit, traces, or does whatever else is to be done. Under the interpreter's
// lock, but while the host function runs.
#include "Caller.h"

#include <nanobind/stl/pair.h>
#include <structmember.h>

#include <algorithm>
#include <array>
#include <memory>

#include "Interrupt.h"
#include "cutwork/Runtime/HostTable.h"
#include "cutwork/Support/Log.h"

namespace cutwork::python {

namespace {

constexpr std::size_t kMostArguments = 64;
constexpr std::size_t kMostSlots = 256;
constexpr std::size_t kMostVariants = 32;

struct CallerObject {
  // NOLINTNEXTLINE: the interpreter's head of an object
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  std::vector<std::shared_ptr<Variant>>* variants;
};

CallerObject* callerOf(PyObject* self) { return reinterpret_cast<CallerObject*>(self); }

struct Arguments {
  PyObject* const* values;
  std::size_t positional;
  PyObject* names;  // or null
  [[nodiscard]] std::size_t keywords() const {
    return names == nullptr ? 0 : static_cast<std::size_t>(PyTuple_Size(names));
  }
};

bool sameName(PyObject* a, PyObject* b) { return a == b || PyUnicode_Compare(a, b) == 0; }

// The arguments in the order of the variant's parameters. False: other ones are passed.
bool ordered(const Variant& variant, const Arguments& given,
             std::array<PyObject*, kMostArguments>& values) {
  const std::size_t count = variant.parameters.size();
  const std::size_t keywords = given.keywords();
  if (count > kMostArguments || given.positional + keywords != count) return false;
  if (!variant.anyKeywords && given.positional != variant.positional) return false;
  std::copy_n(given.values, given.positional, values.begin());
  if (keywords == 0) return true;
  std::fill(values.begin() + static_cast<std::ptrdiff_t>(given.positional),
            values.begin() + static_cast<std::ptrdiff_t>(count), nullptr);
  for (std::size_t k = 0; k < keywords; ++k) {
    PyObject* name = PyTuple_GetItem(given.names, static_cast<Py_ssize_t>(k));
    std::size_t at = given.positional;
    while (at < count && !sameName(variant.parameters[at].name.ptr(), name)) ++at;
    if (at == count || values[at] != nullptr) return false;
    values[at] = given.values[given.positional + k];
  }
  return true;
}

bool encodeAll(const Variant& variant, const std::array<PyObject*, kMostArguments>& values,
               std::uint64_t* slots, CallPlace& place) {
  const std::vector<ArgumentSpec>& specs = variant.function.specs();
  static const ArgumentSpec kNone = StreamSpec{};
  for (std::size_t i = 0; i < variant.parameters.size(); ++i) {
    const Parameter& p = variant.parameters[i];
    const bool constant = p.kind == Parameter::Constant;
    if (!encode(p, constant ? kNone : specs[p.spec], values[i], slots + p.slot, place))
      return false;
  }
  return true;
}

// The CUDA device of a number, opened once.
const Device* cudaDevice(int index) {
  static std::vector<std::unique_ptr<Device>> known;
  const auto at = static_cast<std::size_t>(index);
  if (at < known.size() && known[at] != nullptr) return known[at].get();
  Expected<Device> opened = Device::open("cuda:" + std::to_string(index));
  if (!opened.ok()) return nullptr;
  if (at >= known.size()) known.resize(at + 1);
  known[at] = std::make_unique<Device>(*std::move(opened));
  return known[at].get();
}

// Where the call runs; null: not this way.
const Device* deviceOf(const Variant& variant, const CallPlace& place) {
  const Device* device = place.device;
  if (place.index >= 0) {
    const Device* of = cudaDevice(place.index);
    if (of == nullptr || (device != nullptr && !(*device == *of))) return nullptr;
    device = of;
  }
  if (variant.device) {
    if (device != nullptr && !device->sharesMemoryWith(*variant.device)) return nullptr;
    return &*variant.device;
  }
  if (device != nullptr) return device;
  return variant.otherwise ? &*variant.otherwise : nullptr;
}

// Runs a call on the caller's stream where its launches name none.
void runCall(const Variant& variant, const Device& device, const CallPlace& place,
             const std::uint64_t* slots) {
  const bool sets = place.stream != nullptr && !variant.hasStream;
  runInterruptibly(device.properties().simulated, [&] {
    void* before = sets ? setHostStream(place.stream) : nullptr;
    Status status = variant.function.callSlots(device, slots);
    if (sets) setHostStream(before);
    return status;
  });
}

bool guardsHold(const Variant& variant) {
  return std::ranges::all_of(variant.guards, &Guard::holds);
}

// 1: called; 0: not this variant; -1: a Python exception is set.
int tryVariant(const Variant& variant, const Arguments& given) {
  std::array<PyObject*, kMostArguments> values;  // NOLINT: filled by ordered()
  if (!ordered(variant, given, values)) return 0;
  std::array<std::uint64_t, kMostSlots> slots;  // NOLINT: filled by encodeAll()
  if (variant.slots > kMostSlots) return 0;
  CallPlace place;
  if (!encodeAll(variant, values, slots.data(), place)) return 0;
  const auto tied = [&](const auto& tie) { return slots[tie.first] == slots[tie.second]; };
  if (!std::ranges::all_of(variant.ties, tied) || !guardsHold(variant)) return 0;
  for (const std::size_t slot : variant.streams) {
    slots[slot] = reinterpret_cast<std::uint64_t>(place.stream);
  }
  try {
    const Device* device = deviceOf(variant, place);
    if (device == nullptr) return 0;
    runCall(variant, *device, place, slots.data());
    return 1;
  } catch (...) {
    setPythonError(std::current_exception());
    return -1;
  }
}

// What Python gives to shorten tracebacks: exception to traceback.
nb::object& trimmer() {
  static auto* const function = new nb::object;
  return *function;
}

// After a call that failed: the exception without the frames that are Cutwork's.
void trimTraceback() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  PyObject* shorter = PyObject_CallFunctionObjArgs(trimmer().ptr(), value, nullptr);
  if (shorter == nullptr) {
    PyErr_Clear();  // the exception itself matters more
  } else {
    PyException_SetTraceback(value, shorter);  // None: the frames that called follow
    Py_XDECREF(traceback);
    traceback = shorter == Py_None ? nullptr : Py_NewRef(shorter);
  }
  Py_XDECREF(shorter);
  PyErr_Restore(type, value, traceback);
}

PyObject* callSlowly(PyObject* self, const Arguments& given) {
  static PyObject* const kName = PyUnicode_InternFromString("_slow_call");
  const std::size_t count = given.positional + given.keywords();
  std::vector<PyObject*> all(count + 1);
  all[0] = self;
  std::copy_n(given.values, count, all.begin() + 1);
  PyObject* result =
      PyObject_VectorcallMethod(kName, all.data(), given.positional + 1, given.names);
  if (result == nullptr && trimmer().is_valid()) trimTraceback();
  return result;
}

PyObject* callerVectorcall(PyObject* self, PyObject* const* values, std::size_t flags,
                           PyObject* names) {
  const Arguments given{values, static_cast<std::size_t>(PyVectorcall_NARGS(flags)), names};
  auto& variants = *callerOf(self)->variants;
  if (!variants.empty() && !cute::isTracing()) {
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const std::shared_ptr<Variant> variant = variants[i];  // the call may change the list
      const int done = tryVariant(*variant, given);
      if (done < 0) return nullptr;
      if (done > 0) {
        PyObject* result = variant->result.is_valid() ? variant->result.ptr() : Py_None;
        return Py_NewRef(result);
      }
    }
  }
  return callSlowly(self, given);
}

PyObject* callerNew(PyTypeObject* type, PyObject* /*args*/, PyObject* /*keywords*/) {
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject* self = allocate(type, 0);
  if (self == nullptr) return nullptr;
  callerOf(self)->vectorcall = callerVectorcall;
  callerOf(self)->variants = new std::vector<std::shared_ptr<Variant>>;
  return self;
}

int visitVariant(const Variant& variant, visitproc visit, void* arg) {
  for (const Parameter& parameter : variant.parameters) Py_VISIT(parameter.like.ptr());
  for (const Guard& guard : variant.guards) {
    Py_VISIT(guard.holder.ptr());
    Py_VISIT(guard.expected.ptr());
  }
  Py_VISIT(variant.result.ptr());
  return 0;
}

int callerTraverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (callerOf(self)->variants == nullptr) return 0;
  for (const auto& variant : *callerOf(self)->variants) {
    // One that a call holds at this moment has a reference that is not ours to report.
    if (variant.use_count() > 1) continue;
    if (const int stop = visitVariant(*variant, visit, arg); stop != 0) return stop;
  }
  return 0;
}

int callerClear(PyObject* self) {
  if (callerOf(self)->variants == nullptr) return 0;
  std::vector<std::shared_ptr<Variant>> gone;
  gone.swap(*callerOf(self)->variants);
  return 0;
}

void callerDealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  callerClear(self);
  delete std::exchange(callerOf(self)->variants, nullptr);
  PyTypeObject* type = Py_TYPE(self);
  auto release = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  release(self);
  Py_DECREF(type);
}

nb::object makeType() {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(CallerObject, vectorcall), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("Calls compiled functions; the base of what is callable.")},
      {Py_tp_new, reinterpret_cast<void*>(callerNew)},
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_tp_traverse, reinterpret_cast<void*>(callerTraverse)},
      {Py_tp_clear, reinterpret_cast<void*>(callerClear)},
      {Py_tp_dealloc, reinterpret_cast<void*>(callerDealloc)},
      {Py_tp_members, members},
      {0, nullptr}};
  static PyType_Spec spec = {
      "cutwork._core.Caller", sizeof(CallerObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
      slots};
  nb::object type = nb::steal(PyType_FromSpec(&spec));
  if (!type.is_valid()) throw nb::python_error();
  return type;
}

PyObject*& callerType() {
  static PyObject* type = nullptr;
  return type;
}

std::vector<std::shared_ptr<Variant>>& variantsOf(nb::handle caller) {
  if (PyObject_IsInstance(caller.ptr(), callerType()) != 1) raiseTypeError("a Caller", caller);
  return *callerOf(caller.ptr())->variants;
}

Parameter parameterOf(nb::handle given) {
  nb::dict row = nb::cast<nb::dict>(given);
  Parameter parameter;
  const auto kind = nb::cast<std::string>(row["kind"]);
  if (kind == "constant") parameter.kind = Parameter::Constant;
  if (kind == "tensor") parameter.kind = Parameter::Tensor;
  if (kind == "number") parameter.kind = Parameter::Number;
  if (kind == "pointer") parameter.kind = Parameter::Pointer;
  if (kind == "stream") parameter.kind = Parameter::Stream;
  parameter.name = row["name"];
  parameter.spec = nb::cast<std::size_t>(row["spec"]);
  parameter.like = row["like"];
  parameter.exact = nb::cast<bool>(row["exact"]);
  parameter.written = nb::cast<bool>(row["written"]);
  return parameter;
}

Guard guardOf(nb::handle given) {
  nb::tuple row = nb::cast<nb::tuple>(given);
  Guard guard;
  guard.kind = static_cast<Guard::Kind>(nb::cast<int>(row[0]));
  guard.holder = row[1];
  guard.key = row[2];
  if (row.size() > 3) guard.expected = row[3];
  return guard;
}

void setSlots(Variant& variant, const std::vector<std::size_t>& streams) {
  const std::vector<ArgumentSpec>& specs = variant.function.specs();
  std::vector<std::size_t> starts;
  for (const ArgumentSpec& spec : specs) {
    starts.push_back(variant.slots);
    variant.slots += slotsOf(std::span(&spec, 1));
    variant.hasStream |= std::holds_alternative<StreamSpec>(spec);
  }
  for (const std::size_t spec : streams) variant.streams.push_back(starts.at(spec));
  for (Parameter& parameter : variant.parameters) {
    if (parameter.kind != Parameter::Constant) parameter.slot = starts.at(parameter.spec);
  }
}

// caller_add(caller, function, parameters, positional=, any_keywords=, guards=, streams=, result=,
// device=, otherwise=, ties=)
void add(nb::handle caller, const CompiledFunction& function, nb::list parameters,
         std::size_t positional, bool anyKeywords, nb::list guards,
         const std::vector<std::size_t>& streams, nb::object result, nb::handle device,
         nb::handle otherwise, std::vector<std::pair<std::size_t, std::size_t>> ties) {
  auto& variants = variantsOf(caller);
  auto variant = std::make_shared<Variant>(function);
  for (nb::handle row : parameters) variant->parameters.push_back(parameterOf(row));
  for (nb::handle row : guards) variant->guards.push_back(guardOf(row));
  variant->positional = positional;
  variant->anyKeywords = anyKeywords;
  variant->result = std::move(result);
  variant->ties = std::move(ties);
  if (!device.is_none()) variant->device = *nb::inst_ptr<Device>(device);
  if (!otherwise.is_none()) variant->otherwise = *nb::inst_ptr<Device>(otherwise);
  setSlots(*variant, streams);
  // The newest first: it is the likeliest, and the oldest goes.
  variants.insert(variants.begin(), std::move(variant));
  if (variants.size() > kMostVariants) variants.pop_back();
}

}  // namespace

void bindCaller(nb::module_& m) {
  nb::object type = makeType();
  m.attr("Caller") = type;
  callerType() = type.release().ptr();
  m.def("caller_add", &add, nb::arg("caller"), nb::arg("function"), nb::arg("parameters"),
        nb::arg("positional"), nb::arg("any_keywords"), nb::arg("guards"), nb::arg("streams"),
        nb::arg("result").none(), nb::arg("device").none(), nb::arg("otherwise").none(),
        nb::arg("ties"));
  m.def("caller_clear", [](nb::handle caller) { variantsOf(caller).clear(); });
  m.def("caller_size", [](nb::handle caller) { return variantsOf(caller).size(); });
  m.def("guards_hold", [](nb::list guards) {
    return std::ranges::all_of(guards, [](nb::handle row) { return guardOf(row).holds(); });
  });
  m.def("set_trimmer", [](nb::object function) { trimmer() = std::move(function); });
  m.def("log_warning", [](const std::string& text) { CW_LOG(Warn, text); });
  m.def("log_info", [](const std::string& text) { CW_LOG(Info, text); });
  m.def("set_host_stream", [](std::uintptr_t stream) {
    return reinterpret_cast<std::uintptr_t>(setHostStream(reinterpret_cast<void*>(stream)));
  });
}

}  // namespace cutwork::python

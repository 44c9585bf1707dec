// TvmFfi.cpp -- compiled functions as functions of apache-tvm-ffi.
//
// Facts of the convention: tvm/ffi/c_api.h of apache-tvm-ffi (Apache-2.0). Nothing is linked: the
// library is the one that Python has loaded.
#include <dlfcn.h>
#include <nanobind/stl/tuple.h>

#include <bit>
#include <cstring>

#include "Caller.h"
#include "Interrupt.h"
#include "cutwork/Runtime/HostTable.h"

namespace cutwork::python {

namespace {

// A value as it is passed: a tag and 8 bytes.
struct FfiAny {
  std::int32_t tag;
  std::uint32_t small;
  std::uint64_t bits;
};
enum : std::int32_t {
  kNone = 0,
  kInt = 1,
  kBool = 2,
  kFloat = 3,
  kPointer = 4,
  kTensorView = 7,
  kTensor = 70
};
constexpr std::uint64_t kObjectHead = 24;  // before the DLPack tensor of a tensor object

struct FfiText {
  const char* data;
  std::size_t size;
};

using SafeCall = int (*)(void*, const FfiAny*, std::int32_t, FfiAny*);
struct Library {
  int (*create)(void*, SafeCall, void (*)(void*), void**);
  int (*setGlobal)(const FfiText*, void*, int);
  int (*release)(void*);
  void (*setError)(const char*, const char*);
  void* (*stream)(std::int32_t, std::int32_t);
};

Library& library() {
  static Library symbols;
  return symbols;
}

void open(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw nb::value_error(dlerror());
  const auto find = [&](auto& function, const char* name) {
    void* symbol = dlsym(handle, name);
    if (symbol == nullptr) throw nb::value_error((path + " has no " + name).c_str());
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  find(library().create, "TVMFFIFunctionCreate");
  find(library().setGlobal, "TVMFFIFunctionSetGlobal");
  find(library().release, "TVMFFIObjectDecRef");
  find(library().setError, "TVMFFIErrorSetRaisedFromCStr");
  find(library().stream, "TVMFFIEnvGetStream");
}

struct Exported {
  CompiledFunction function;
  std::vector<std::string> names;    // of the arguments that are passed
  std::vector<std::size_t> specs;    // and the number of each among the specs
  std::vector<std::size_t> streams;  // specs that get the environment's stream
  std::vector<std::size_t> slots;    // where each spec begins
  std::size_t count = 0;             // of slots
  bool hasStream = false;
  std::optional<Device> otherwise;
  std::vector<std::tuple<std::size_t, std::size_t, std::string>> ties;  // slots, and what to say
};

const dlpack::Tensor* tensorOf(const FfiAny& value) {
  // NOLINTBEGIN(performance-no-int-to-ptr): what the convention passes
  if (value.tag == kTensorView) return reinterpret_cast<const dlpack::Tensor*>(value.bits);
  if (value.tag == kTensor)
    return reinterpret_cast<const dlpack::Tensor*>(value.bits + kObjectHead);
  return nullptr;
  // NOLINTEND(performance-no-int-to-ptr)
}

// Why a tensor does not fit, by the checks that have the words.
Status explain(const TensorSpec& spec, const dlpack::Tensor& tensor) {
  auto* managed =
      new dlpack::ManagedTensor{tensor, nullptr, [](dlpack::ManagedTensor* m) { delete m; }};
  Expected<Array> array = Array::fromDLPack(managed);
  if (!array.ok()) {
    delete managed;
    return std::move(array).takeError();
  }
  const ArgumentSpec one = spec;
  std::vector<std::uint64_t> slots(slotsOf(std::span(&one, 1)));
  const CallArgument argument(*array);
  return encodeArguments(std::span(&one, 1), std::span(&argument, 1), slots);
}

Status encodeValue(const ArgumentSpec& spec, const FfiAny& value, std::uint64_t* slot,
                   const dlpack::Tensor*& onDevice) {
  if (const auto* expected = std::get_if<TensorSpec>(&spec)) {
    const dlpack::Tensor* tensor = tensorOf(value);
    if (tensor == nullptr) return userError("a tensor was expected");
    if (!encodeTensorAtOnce(*expected, *tensor, slot)) return explain(*expected, *tensor);
    if (tensor->device.type == dlpack::kCuda && onDevice == nullptr) onDevice = tensor;
    return Success{};
  }
  if (const auto* expected = std::get_if<ScalarSpec>(&spec)) {
    const bool real = value.tag == kFloat;
    if (real && encodeNumberAtOnce(expected->type, std::bit_cast<double>(value.bits), *slot))
      return Success{};
    const bool whole = value.tag == kInt || value.tag == kBool;
    if (whole && encodeNumberAtOnce(expected->type, static_cast<std::int64_t>(value.bits), *slot))
      return Success{};
    return userError("a number that fits " + std::string(cute::name(expected->type)) +
                     " was expected");
  }
  if (value.tag != kPointer && value.tag != kInt && value.tag != kNone)
    return userError("an address or a stream was expected");
  *slot = value.tag == kNone ? 0 : value.bits;
  const auto* pointer = std::get_if<PointerSpec>(&spec);
  if (pointer == nullptr || *slot % static_cast<std::uint64_t>(pointer->alignment) == 0)
    return Success{};
  return userError("an address aligned to " + std::to_string(pointer->alignment) +
                   " bytes was expected");
}

Status callEncoded(const Exported& f, const Device& device, const std::uint64_t* slots) {
  const Interruptible interruptible(device.properties().simulated);
  if (PyGILState_Check() == 0) return f.function.callSlots(device, slots);
  nb::gil_scoped_release nogil;  // the function may wait, and what it prints goes to Python
  return f.function.callSlots(device, slots);
}

Status run(const Exported& f, const FfiAny* values, std::int32_t count) {
  if (static_cast<std::size_t>(count) != f.specs.size()) {
    return userError(std::to_string(count) + " arguments were passed; the function takes " +
                     std::to_string(f.specs.size()));
  }
  std::vector<std::uint64_t> slots(f.count);
  const dlpack::Tensor* onDevice = nullptr;
  const std::vector<ArgumentSpec>& specs = f.function.specs();
  for (std::size_t i = 0; i < f.specs.size(); ++i) {
    Status fits =
        encodeValue(specs[f.specs[i]], values[i], slots.data() + f.slots[f.specs[i]], onDevice);
    if (!fits.ok()) return std::move(fits).takeError().within("argument " + f.names[i] + ": ");
  }
  for (const auto& [a, b, text] : f.ties) {
    if (slots[a] == slots[b]) continue;
    return userError(text + ", and they are " +
                     std::to_string(static_cast<std::int64_t>(slots[b])) + " and " +
                     std::to_string(static_cast<std::int64_t>(slots[a])));
  }
  std::optional<Device> device = f.otherwise;
  void* stream = nullptr;
  if (onDevice != nullptr) {
    CW_TRY(device, Device::open("cuda:" + std::to_string(onDevice->device.id)));
    stream = library().stream(dlpack::kCuda, onDevice->device.id);
  }
  if (!device) return userError("no device is known for this call");
  for (const std::size_t spec : f.streams)
    slots[f.slots[spec]] = reinterpret_cast<std::uint64_t>(stream);
  const bool sets = stream != nullptr && !f.hasStream;
  void* before = sets ? setHostStream(stream) : nullptr;
  Status done = callEncoded(f, *device, slots.data());
  if (sets) setHostStream(before);
  return done;
}

int safeCall(void* self, const FfiAny* values, std::int32_t count, FfiAny* result) {
  try {
    *result = {kNone, 0, 0};
    const Status done = run(*static_cast<const Exported*>(self), values, count);
    if (done.ok()) return 0;
    const bool user = done.error().kind() == ErrorKind::User;
    library().setError(user ? "ValueError" : "RuntimeError", done.error().message().c_str());
  } catch (const std::exception& error) {
    library().setError("RuntimeError", error.what());
  }
  return -1;
}

// Makes the function `name` of the library's table.
void makeFunction(const std::string& path, const std::string& name,
                  const CompiledFunction& function, std::vector<std::string> names,
                  std::vector<std::size_t> specs, std::vector<std::size_t> streams,
                  nb::handle otherwise,
                  std::vector<std::tuple<std::size_t, std::size_t, std::string>> ties) {
  open(path);
  auto made = std::make_unique<Exported>(Exported{function,
                                                  std::move(names),
                                                  std::move(specs),
                                                  std::move(streams),
                                                  {},
                                                  0,
                                                  false,
                                                  {},
                                                  std::move(ties)});
  for (const ArgumentSpec& spec : function.specs()) {
    made->slots.push_back(made->count);
    made->count += slotsOf(std::span(&spec, 1));
    made->hasStream |= std::holds_alternative<StreamSpec>(spec);
  }
  if (!otherwise.is_none()) made->otherwise = *nb::inst_ptr<Device>(otherwise);
  void* handle = nullptr;
  const auto destroy = [](void* self) { delete static_cast<Exported*>(self); };
  if (library().create(made.get(), safeCall, destroy, &handle) != 0) {
    throw nb::value_error("TVMFFIFunctionCreate failed");
  }
  static_cast<void>(made.release());  // the library's now
  const FfiText text{name.data(), name.size()};
  const bool set = library().setGlobal(&text, handle, 1) == 0;
  library().release(handle);
  if (!set) throw nb::value_error("TVMFFIFunctionSetGlobal failed");
}

}  // namespace

void bindTvmFfi(nb::module_& m) {
  m.def("make_tvm_function", &makeFunction, nb::arg("library"), nb::arg("name"),
        nb::arg("function"), nb::arg("names"), nb::arg("specs"), nb::arg("streams"),
        nb::arg("otherwise").none(), nb::arg("ties"));
}

}  // namespace cutwork::python

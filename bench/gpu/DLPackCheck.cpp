// DLPackCheck.cpp -- a shared library for dlpack_check.py: arrays of torch in and out of the
// runtime.
#include <array>
#include <string>

#include "Kernels.h"
#include "cutwork/Runtime/Array.h"
#include "cutwork/Runtime/Buffer.h"
#include "cutwork/Runtime/Module.h"
#include "cutwork/Runtime/Stream.h"

using cutwork::Array;
using cutwork::Device;
using cutwork::Expected;
namespace dlpack = cutwork::dlpack;

namespace {

std::string& lastText() {
  static auto* const text = new std::string;
  return *text;
}

Array* keep(Expected<Array> array) {
  if (array.ok()) return new Array(std::move(array).value());
  lastText() = array.error().message();
  return nullptr;
}

}  // namespace

#define CW_EXPORT extern "C" __attribute__((visibility("default")))

CW_EXPORT const char* check_text() { return lastText().c_str(); }
CW_EXPORT Array* check_import(dlpack::ManagedTensor* tensor) {
  return keep(Array::fromDLPack(tensor));
}
CW_EXPORT Array* check_import_versioned(dlpack::ManagedTensorVersioned* tensor) {
  return keep(Array::fromDLPack(tensor));
}
CW_EXPORT const char* check_describe(const Array* array) {
  lastText() = array->text() + " at " + std::to_string(array->address());
  return lastText().c_str();
}
CW_EXPORT dlpack::ManagedTensor* check_export(const Array* array) { return *array->toDLPack(); }
CW_EXPORT void check_release(Array* array) { delete array; }

/// c = a + b on the stream of another library; 0 if it was launched.
CW_EXPORT int check_add(const Array* a, const Array* b, const Array* c, void* stream) {
  try {
    if (!a->device()) return 1;
    const Device device = *a->device();
    const cutwork::Module module =
        device.loadModule(cutwork::Image::fromPtx(cutwork::gpu::kKernels));
    const auto count = static_cast<std::uint32_t>(a->size());
    const cutwork::Stream theirs =
        cutwork::Stream::borrowed(device, static_cast<cutwork::StreamHandle>(stream));
    orThrow((*module.function("vadd"))(
        {.grid = {(count + 255) / 256}, .block = {256}, .stream = theirs}, a->address(),
        b->address(), c->address(), count));
    return 0;
  } catch (const std::exception& exception) {
    lastText() = exception.what();
    return 1;
  }
}

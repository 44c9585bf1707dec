// CudaDriver.cpp -- opening the CUDA driver, and what its error codes say.
#include "CudaDriver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>

#include "cutwork/Support/Knobs.h"
#include "cutwork/Support/Log.h"

namespace cutwork::cuda {

namespace {

constexpr const char* kDefaultName = "libcuda.so.1";

template <class Pointer>
bool find(void* library, const char* name, Pointer& pointer) {
  pointer = reinterpret_cast<Pointer>(dlsym(library, name));
  return pointer != nullptr;
}

Expected<std::unique_ptr<const Driver>> open(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return deviceError(fmt::format("no CUDA driver: {}", reason == nullptr ? path : reason));
  }
  // Never closed: the driver keeps threads and state of its own.
  auto table = std::make_unique<Driver>();
  table->path = path;
#define CW_FIND(name, ...)                                                                \
  if (!find(library, #name, table->name)) {                                               \
    return deviceError(                                                                   \
        fmt::format("the CUDA driver {} has no {}: it is older than 11.0", path, #name)); \
  }
  CW_CUDA_REQUIRED(CW_FIND)
#undef CW_FIND
#define CW_LOOK(name, ...) find(library, #name, table->name);
  CW_CUDA_OPTIONAL(CW_LOOK)
#undef CW_LOOK
  const Result result = table->cuInit(0);
  if (result == kNoDevice) {
    return deviceError(fmt::format("the CUDA driver {} finds no device", path));
  }
  CW_DO(check(*table, result, fmt::format("starting the CUDA driver {}", path)));
  CW_DO(check(*table, table->cuDriverGetVersion(&table->version), "asking the driver's version"));
  CW_LOG(Info, fmt::format("CUDA driver {}, for CUDA {}.{}", path, table->version / 1000,
                           table->version % 1000 / 10));
  return std::unique_ptr<const Driver>(std::move(table));
}

/// Faults of kernels after which every call gives the same error.
bool losesContext(Result result) {
  constexpr std::array kFaults = {700, 710, 714, 715, 716, 717, 718, 719};
  return std::find(kFaults.begin(), kFaults.end(), result) != kFaults.end();
}

struct Opened {
  std::mutex mutex;
  std::map<std::string, Expected<std::unique_ptr<const Driver>>, std::less<>> byPath;
};

}  // namespace

Expected<const Driver*> driver() {
  static Opened* const opened = new Opened;  // outlives the statics that hold devices
  const Expected<Knobs>& knobs = tryKnobs();
  if (!knobs.ok()) return knobs.error();
  const std::string path = knobs->cudaDriver.empty() ? kDefaultName : knobs->cudaDriver;
  const std::lock_guard lock(opened->mutex);
  auto found = opened->byPath.find(path);
  if (found == opened->byPath.end()) found = opened->byPath.emplace(path, open(path)).first;
  if (!found->second.ok()) return found->second.error();
  return (*found->second).get();
}

std::string resultText(const Driver& driver, Result result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.cuGetErrorName(result, &name) != kSuccess || name == nullptr) {
    return fmt::format("CUDA error {}", result);
  }
  if (driver.cuGetErrorString(result, &text) != kSuccess || text == nullptr) text = "";
  return fmt::format("{} ({}): {}", name, result, text);
}

Status check(const Driver& driver, Result result, std::string_view what) {
  if (result == kSuccess) [[likely]]
    return Success{};
  std::string text = fmt::format("{}: {}", what, resultText(driver, result));
  if (losesContext(result)) {
    text += ". A kernel failed, and the device takes no more work from this process: restart it";
  }
  return deviceError(std::move(text));
}

}  // namespace cutwork::cuda

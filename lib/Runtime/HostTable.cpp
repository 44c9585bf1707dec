// HostTable.cpp -- the functions of the C table, over Device, Module and Function.
#include "cutwork/Runtime/HostTable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "cutwork/Runtime/Device.h"
#include "cutwork/Runtime/Module.h"

namespace cutwork {

struct HostDevice {
  Device device;
};
struct HostModule {
  Module module;
};
struct HostFunction {
  /// The first launch's configuration, checked once. Most functions are launched with no other.
  struct Prepared {
    HostLaunch config;
    std::int64_t parameters;
    Launch launch;
  };

  explicit HostFunction(Function f) : function(std::move(f)) {}
  HostFunction(const HostFunction&) = delete;
  HostFunction& operator=(const HostFunction&) = delete;
  ~HostFunction() { delete prepared.load(std::memory_order_acquire); }

  Function function;
  std::atomic<const Prepared*> prepared = nullptr;
};

namespace {

std::string& lastError() {
  thread_local std::string text;
  return text;
}

std::int32_t failed(const Error& error) {
  lastError() = error.message();
  return static_cast<std::int32_t>(error.kind()) + 1;
}

/// Runs `body`, which gives a Status, and turns what comes of it into the table's answer.
template <class Body>
std::int32_t guarded(Body body) noexcept {
  try {
    const Status status = body();
    if (status.ok()) [[likely]]
      return 0;
    return failed(status.error());
  } catch (const Exception& exception) {
    return failed(exception.error());
  } catch (const std::exception& exception) {
    return failed(internalError(exception.what()));
  } catch (...) {
    return failed(internalError("an exception that is no std::exception"));
  }
}

template <class Handle, class Value>
Status give(Handle** to, Expected<Value> value) {
  if (!value.ok()) return std::move(value).takeError();
  *to = std::make_unique<Handle>(std::move(value).value()).release();
  return Success{};
}

StreamHandle streamOf(void* stream) { return static_cast<StreamHandle>(stream); }

void*& threadStream() {
  thread_local void* stream = nullptr;
  return stream;
}
StreamHandle launchStream(void* stream) {
  return streamOf(stream != nullptr ? stream : threadStream());
}
Dim3 dim3(const std::int64_t (&extents)[3]) { return {extents[0], extents[1], extents[2]}; }

LaunchConfig configOf(const HostLaunch& launch) {
  LaunchConfig config;
  config.grid = dim3(launch.grid);
  config.block = dim3(launch.block);
  config.cluster = dim3(launch.cluster);
  config.preferredCluster = dim3(launch.preferredCluster);
  config.sharedMemory = launch.sharedMemory;
  config.stream = launchStream(launch.stream);
  config.cooperative = launch.cooperative != 0;
  config.programmatic = launch.programmatic != 0;
  config.sharedMemoryCarveout = launch.sharedMemoryCarveout;
  return config;
}

// One call prints at a time; what it calls may print too.
struct Printer {
  std::recursive_mutex mutex;
  std::function<void(std::string_view)> print;
};
Printer& printer() {
  static Printer* const printer = new Printer;
  return *printer;
}

const char* tableLastError() { return lastError().c_str(); }

std::int32_t tableFail(std::int32_t kind, const char* text, std::int64_t length) {
  return guarded([&]() -> Status {
    const bool known = kind >= 0 && kind <= static_cast<std::int32_t>(ErrorKind::Device);
    return Error(known ? static_cast<ErrorKind>(kind) : ErrorKind::Internal,
                 std::string(text, static_cast<std::size_t>(length)));
  });
}

void tablePrint(const char* text, std::int64_t length) {
  guarded([&]() -> Status {
    Printer& to = printer();
    const std::string_view view(text, static_cast<std::size_t>(length));
    const std::lock_guard lock(to.mutex);
    // A copy: the callback may put another in its place.
    if (const auto print = to.print) {
      print(view);
    } else {
      std::fwrite(view.data(), 1, view.size(), stdout);
      std::fflush(stdout);
    }
    return Success{};
  });
}

std::int32_t tableDeviceBest(HostDevice** device) {
  return guarded([&] { return give(device, Device::best()); });
}

std::int32_t tableDeviceOpen(const char* name, HostDevice** device) {
  return guarded([&] { return give(device, Device::open(name)); });
}

void tableDeviceRelease(HostDevice* device) { delete device; }

std::int32_t tableModuleLoad(HostDevice* device, const char* ptx, std::int64_t ptxLength,
                             const void* cubin, std::int64_t cubinLength, HostModule** module) {
  return guarded([&]() -> Status {
    if (ptxLength < 0 || cubinLength < 0) return userError("a module of negative length");
    Image image;
    if (ptx != nullptr) image.ptx.assign(ptx, static_cast<std::size_t>(ptxLength));
    if (cubin != nullptr) {
      const auto* bytes = static_cast<const std::byte*>(cubin);
      image.cubin.assign(bytes, bytes + cubinLength);
    }
    return give(module, device->device.loadModule(image));
  });
}

void tableModuleRelease(HostModule* module) { delete module; }

std::int32_t tableFunctionGet(HostModule* module, const char* name, HostFunction** function) {
  return guarded([&] { return give(function, module->module.function(name)); });
}

void tableFunctionRelease(HostFunction* function) { delete function; }

/// All but the stream.
bool sameLaunch(const HostLaunch& a, const HostLaunch& b) {
  constexpr std::size_t kStream = offsetof(HostLaunch, stream);
  constexpr std::size_t kAfter = kStream + sizeof(void*);
  const auto* left = reinterpret_cast<const char*>(&a);
  const auto* right = reinterpret_cast<const char*>(&b);
  return std::memcmp(left, right, kStream) == 0 &&
         std::memcmp(left + kAfter, right + kAfter, sizeof(HostLaunch) - kAfter) == 0;
}

std::int32_t tableLaunch(HostFunction* function, const HostLaunch* config,
                         const void* const* parameters, std::int64_t count) {
  return guarded([&]() -> Status {
    const HostFunction::Prepared* known = function->prepared.load(std::memory_order_acquire);
    if (known != nullptr && known->parameters == count && sameLaunch(known->config, *config))
        [[likely]] {
      return known->launch.run(parameters, launchStream(config->stream));
    }
    // The full check, with the number of parameters; then it is remembered, by the first thread.
    CW_DO(function->function.launch(configOf(*config),
                                    std::span(parameters, static_cast<std::size_t>(count))));
    if (known != nullptr) return Success{};
    Expected<Launch> prepared = function->function.prepare(configOf(*config));
    if (!prepared.ok()) return Success{};  // it cannot be repeated more cheaply
    const auto* fresh = new HostFunction::Prepared{*config, count, *std::move(prepared)};
    if (!function->prepared.compare_exchange_strong(known, fresh)) delete fresh;
    return Success{};
  });
}

std::int32_t tableEncodeTensorMap(HostDevice* device, const TensorMapPlan* plan,
                                  std::uint64_t address, TensorMap* map) {
  return guarded([&]() -> Status {
    CW_TRY(*map, device->device.encodeTensorMap(*plan, address));
    return Success{};
  });
}

std::int32_t tableAllocate(HostDevice* device, std::int64_t bytes, std::uint64_t* address) {
  return guarded([&]() -> Status {
    if (bytes < 0) return userError(fmt::format("allocate: {} bytes", bytes));
    *address = 0;
    if (bytes == 0) return Success{};
    CW_TRY(*address, device->device.implementation().allocate(bytes));
    return Success{};
  });
}

std::int32_t tableRelease(HostDevice* device, std::uint64_t address) {
  return guarded([&]() -> Status {
    if (address == 0) return Success{};
    return device->device.implementation().release(address);
  });
}

std::int32_t tableCopyToDevice(HostDevice* device, std::uint64_t to, const void* from,
                               std::int64_t bytes, void* stream) {
  return guarded(
      [&] { return device->device.copyToDeviceAsync(to, from, bytes, streamOf(stream)); });
}

std::int32_t tableCopyToHost(HostDevice* device, void* to, std::uint64_t from, std::int64_t bytes,
                             void* stream) {
  return guarded([&] { return device->device.copyToHostAsync(to, from, bytes, streamOf(stream)); });
}

std::int32_t tableCopyOnDevice(HostDevice* device, std::uint64_t to, std::uint64_t from,
                               std::int64_t bytes, void* stream) {
  return guarded(
      [&] { return device->device.copyOnDeviceAsync(to, from, bytes, streamOf(stream)); });
}

std::int32_t tableFill(HostDevice* device, std::uint64_t to, std::uint32_t value,
                       std::int32_t width, std::int64_t count, void* stream) {
  return guarded([&] { return device->device.fill(to, value, width, count, streamOf(stream)); });
}

std::int32_t tableSynchronize(HostDevice* device, void* stream) {
  return guarded(
      [&] { return device->device.implementation().synchronizeStream(streamOf(stream)); });
}

/// One conversion, from its % on, with its value.
std::string formatOne(std::string spec, std::int64_t value) {
  const char kind = spec.back();
  spec.pop_back();
  std::erase_if(spec, [](char c) { return c == 'l' || c == 'h' || c == 'z'; });
  std::array<char, 512> text{};
  int length = 0;
  switch (kind) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      spec += std::string("ll") + kind;
      length = std::snprintf(text.data(), text.size(), spec.c_str(), static_cast<long long>(value));
      break;
    case 'c':
      spec += kind;
      length = std::snprintf(text.data(), text.size(), spec.c_str(), static_cast<int>(value));
      break;
    case 'p':
      length = std::snprintf(text.data(), text.size(), "0x%llx", static_cast<long long>(value));
      break;
    default:
      spec += kind;
      length = std::snprintf(text.data(), text.size(), spec.c_str(), std::bit_cast<double>(value));
  }
  return {text.data(), std::min<std::size_t>(text.size() - 1, static_cast<std::size_t>(length))};
}

void tablePrintFormat(const char* format, const std::int64_t* values, std::int64_t count) {
  guarded([&]() -> Status {
    std::string out;
    std::int64_t used = 0;
    for (const char* c = format; *c != '\0'; ++c) {
      if (*c != '%') {
        out += *c;
        continue;
      }
      if (c[1] == '%') {
        out += *++c;
        continue;
      }
      std::string spec = "%";
      while (c[1] != '\0' && std::strchr("diuxXocpfFeEgGaA", c[1]) == nullptr) spec += *++c;
      if (c[1] == '\0' || used == count)
        return userError("a format has more conversions than values");
      spec += *++c;
      out += formatOne(spec, values[used++]);
    }
    tablePrint(out.data(), static_cast<std::int64_t>(out.size()));
    return Success{};
  });
}

constexpr HostTable kTable = {
    .version = HostTable::kVersion,
    .bytes = sizeof(HostTable),
    .last_error = tableLastError,
    .fail = tableFail,
    .print = tablePrint,
    .device_best = tableDeviceBest,
    .device_open = tableDeviceOpen,
    .device_release = tableDeviceRelease,
    .module_load = tableModuleLoad,
    .module_release = tableModuleRelease,
    .function_get = tableFunctionGet,
    .function_release = tableFunctionRelease,
    .launch = tableLaunch,
    .encode_tensor_map = tableEncodeTensorMap,
    .allocate = tableAllocate,
    .release = tableRelease,
    .copy_to_device = tableCopyToDevice,
    .copy_to_host = tableCopyToHost,
    .copy_on_device = tableCopyOnDevice,
    .fill = tableFill,
    .stream_synchronize = tableSynchronize,
    .print_format = tablePrintFormat,
};

}  // namespace

HostDevice* hostHandle(const Device& device) { return new HostDevice{device}; }
HostFunction* hostHandle(const Function& function) { return new HostFunction(function); }

void* hostStream() noexcept { return threadStream(); }
void* setHostStream(void* stream) noexcept { return std::exchange(threadStream(), stream); }

void setHostPrinter(std::function<void(std::string_view)> print) {
  Printer& to = printer();
  const std::lock_guard lock(to.mutex);
  to.print = std::move(print);
}

}  // namespace cutwork

extern "C" __attribute__((visibility("default"))) const cutwork::HostTable* cw_rt_table(
    std::uint32_t version) noexcept {
  return version == cutwork::HostTable::kVersion ? &cutwork::kTable : nullptr;
}

// FakeDriver.cpp -- a CUDA driver without a GPU, for tests: device memory is the host's, launches
// are recorded, any function can be told to fail. Built as a shared library that tests open as the
// driver.
#include "FakeDriver.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <regex>

#include "CudaTypes.h"

namespace cutwork::test {
namespace {

using namespace cutwork::cuda;  // NOLINT(google-build-using-namespace): this is that interface

constexpr Result kInvalidValue = 1;
constexpr Result kInvalidContext = 201;
constexpr Result kInvalidImage = 200;
constexpr Result kInvalidPtx = 218;

FakeCuda& fake() {
  static auto* const state = new FakeCuda;
  return *state;
}

struct FakeDevice {
  const char* name;
  int capability;
  int sharedOptin;
  int clusters;
};
constexpr std::array kDevices = {
    FakeDevice{"Fake H200", 90, 232448, 1}, FakeDevice{"Fake A100", 80, 166912, 0},
    FakeDevice{"Fake B200", 100, 232448, 1}, FakeDevice{"Fake RTX", 120, 101376, 1}};

struct FakeFunction {
  std::string name;
  std::vector<std::size_t> parameterSizes;
  int maxThreads = 1024;
  int staticShared = 0;
  std::array<int, 3> cluster{0, 0, 0};
};
struct FakeModule {
  std::map<std::string, FakeFunction> functions;
  std::map<std::string, std::vector<unsigned char>> variables;
};

std::vector<int>& contexts() {
  thread_local std::vector<int> stack;  // numbers of devices, the current one last
  return stack;
}
Context contextOf(int device) {
  return reinterpret_cast<Context>(static_cast<std::uintptr_t>(device + 1));
}
int deviceOf(Context context) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(context)) - 1;
}

std::recursive_mutex& mutex() {
  static auto* const mutex = new std::recursive_mutex;
  return *mutex;
}

/// Records the call; what it shall fail with, or 0.
Result called(const char* name, bool needsContext = true) {
  const std::lock_guard lock(mutex());
  fake().calls.emplace_back(name);
  if (const auto found = fake().failing.find(name); found != fake().failing.end()) {
    const Result result = found->second;
    fake().failing.erase(found);
    return result;
  }
  return needsContext && contexts().empty() ? kInvalidContext : kSuccess;
}

#define CW_FAKE(name, ...) \
  if (const Result planned = called(#name, ##__VA_ARGS__)) return planned

FakeFunction& functionOf(Function function) { return *reinterpret_cast<FakeFunction*>(function); }

/// Reads kernels and variables from a PTX text; enough for tests.
bool readPtx(const std::string& text, FakeModule& module) {
  if (text.find(".version") == std::string::npos || text.find("bogus") != std::string::npos) {
    return false;
  }
  const std::regex entry(R"(\.entry\s+([\w$]+)\s*\(([^)]*)\)([^{]*)\{)");
  for (std::sregex_iterator at(text.begin(), text.end(), entry), end; at != end; ++at) {
    FakeFunction function;
    function.name = (*at)[1];
    const std::string parameters = (*at)[2];
    const std::regex parameter(
        R"(\.param\s+(?:\.align\s+\d+\s+)?\.[bfsu](\d+)\s+[\w$]+(?:\[(\d+)\])?)");
    for (std::sregex_iterator p(parameters.begin(), parameters.end(), parameter); p != end; ++p) {
      const std::size_t count = (*p)[2].matched ? std::stoul((*p)[2]) : 1;
      function.parameterSizes.push_back(std::stoul((*p)[1]) / 8 * count);
    }
    const std::string directives = (*at)[3];
    std::smatch found;
    if (std::regex_search(directives, found, std::regex(R"(\.maxntid\s+(\d+))"))) {
      function.maxThreads = std::stoi(found[1]);
    }
    if (std::regex_search(directives, found,
                          std::regex(R"(\.reqnctapercluster\s+(\d+),\s*(\d+),\s*(\d+))"))) {
      function.cluster = {std::stoi(found[1]), std::stoi(found[2]), std::stoi(found[3])};
    }
    module.functions[function.name] = function;
  }
  const std::regex variable(R"(\.global\s+\.b8\s+([\w$]+)\[(\d+)\])");
  for (std::sregex_iterator at(text.begin(), text.end(), variable), end; at != end; ++at) {
    module.variables[(*at)[1]].resize(std::stoul((*at)[2]));
  }
  return true;
}

void record(Function function, const LaunchConfiguration& config, void** parameters) {
  const FakeFunction& kernel = functionOf(function);
  FakeLaunch launch{};
  launch.kernel = kernel.name;
  std::copy_n(config.grid, 3, launch.grid);
  std::copy_n(config.block, 3, launch.block);
  launch.shared = config.sharedBytes;
  launch.stream = config.stream;
  for (std::uint32_t i = 0; i < config.attributeCount; ++i) {
    const LaunchAttribute& attribute = config.attributes[i];
    launch.attributes[attribute.id] = {attribute.extents[0], attribute.extents[1],
                                       attribute.extents[2]};
  }
  for (std::size_t i = 0; i < kernel.parameterSizes.size(); ++i) {
    const auto* bytes = static_cast<const unsigned char*>(parameters[i]);
    launch.parameters.emplace_back(bytes, bytes + kernel.parameterSizes[i]);
  }
  launch.device = contexts().back();
  const std::lock_guard lock(mutex());
  fake().launches.push_back(std::move(launch));
}

Result attributeOf(int* value, int attribute, const FakeDevice& device) {
  const std::map<int, int> values = {{kMaxThreadsPerBlock, 1024},
                                     {kMaxBlockX, 1024},
                                     {kMaxBlockY, 1024},
                                     {kMaxBlockZ, 64},
                                     {kMaxGridX, 2147483647},
                                     {kMaxGridY, 65535},
                                     {kMaxGridZ, 65535},
                                     {kSharedMemoryPerBlock, 49152},
                                     {kWarpSize, 32},
                                     {kRegistersPerBlock, 65536},
                                     {kClockRate, 1980000},
                                     {kMultiprocessors, 132},
                                     {kMemoryClockRate, 3201000},
                                     {kMemoryBusWidth, 6144},
                                     {kL2CacheSize, 62914560},
                                     {kThreadsPerMultiprocessor, 2048},
                                     {kCapabilityMajor, device.capability / 10},
                                     {kCapabilityMinor, device.capability % 10},
                                     {kSharedMemoryPerMultiprocessor, 233472},
                                     {kRegistersPerMultiprocessor, 65536},
                                     {kCooperativeLaunch, 1},
                                     {kSharedMemoryPerBlockOptin, device.sharedOptin},
                                     {kBlocksPerMultiprocessor, 32},
                                     {kReservedSharedMemoryPerBlock, 1024},
                                     {kClusterLaunch, device.clusters}};
  const auto found = values.find(attribute);
  if (found == values.end()) return kInvalidValue;
  *value = found->second;
  return kSuccess;
}

}  // namespace
}  // namespace cutwork::test

// NOLINTBEGIN(readability-identifier-naming, readability-non-const-parameter)
#define CW_EXPORT extern "C" __attribute__((visibility("default")))
using namespace cutwork::test;  // NOLINT(google-build-using-namespace)
using namespace cutwork::cuda;  // NOLINT(google-build-using-namespace)

CW_EXPORT FakeCuda* fakeCuda() { return &fake(); }
CW_EXPORT void fakePush(int device) { contexts().push_back(device); }
CW_EXPORT void fakePop(int) { contexts().pop_back(); }
CW_EXPORT int fakeCurrent() { return contexts().empty() ? -1 : contexts().back(); }

CW_EXPORT Result cuInit(unsigned) { return called("cuInit", false); }
CW_EXPORT Result cuDriverGetVersion(int* version) {
  *version = 13000;
  return called("cuDriverGetVersion", false);
}
CW_EXPORT Result cuGetErrorName(Result result, const char** name) {
  static const std::map<int, const char*> names = {
      {1, "CUDA_ERROR_INVALID_VALUE"},     {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {201, "CUDA_ERROR_INVALID_CONTEXT"}, {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {218, "CUDA_ERROR_INVALID_PTX"},     {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
  const auto found = names.find(result);
  if (found == names.end()) return kInvalidValue;
  *name = found->second;
  return kSuccess;
}
CW_EXPORT Result cuGetErrorString(Result, const char** text) {
  *text = "as the fake driver was told";
  return kSuccess;
}
CW_EXPORT Result cuDeviceGetCount(int* count) {
  CW_FAKE(cuDeviceGetCount, false);
  *count = static_cast<int>(kDevices.size());
  return kSuccess;
}
CW_EXPORT Result cuDeviceGet(DeviceNumber* device, int index) {
  CW_FAKE(cuDeviceGet, false);
  *device = index;
  return kSuccess;
}
CW_EXPORT Result cuDeviceGetName(char* name, int bytes, DeviceNumber device) {
  CW_FAKE(cuDeviceGetName, false);
  std::strncpy(name, kDevices[static_cast<std::size_t>(device)].name,
               static_cast<std::size_t>(bytes));
  return kSuccess;
}
CW_EXPORT Result cuDeviceTotalMem_v2(std::size_t* bytes, DeviceNumber) {
  *bytes = std::size_t{141} << 30;
  return called("cuDeviceTotalMem_v2", false);
}
CW_EXPORT Result cuDeviceGetAttribute(int* value, int attribute, DeviceNumber device) {
  return attributeOf(value, attribute, kDevices[static_cast<std::size_t>(device)]);
}
CW_EXPORT Result cuDevicePrimaryCtxRetain(Context* context, DeviceNumber device) {
  CW_FAKE(cuDevicePrimaryCtxRetain, false);
  ++fake().contextsRetained;
  *context = contextOf(device);
  return kSuccess;
}
CW_EXPORT Result cuDevicePrimaryCtxRelease_v2(DeviceNumber) {
  --fake().contextsRetained;
  return called("cuDevicePrimaryCtxRelease_v2", false);
}
CW_EXPORT Result cuCtxGetCurrent(Context* context) {
  *context = contexts().empty() ? nullptr : contextOf(contexts().back());
  return kSuccess;
}
CW_EXPORT Result cuCtxPushCurrent_v2(Context context) {
  CW_FAKE(cuCtxPushCurrent_v2, false);
  contexts().push_back(deviceOf(context));
  return kSuccess;
}
CW_EXPORT Result cuCtxPopCurrent_v2(Context* context) {
  CW_FAKE(cuCtxPopCurrent_v2);
  *context = contextOf(contexts().back());
  contexts().pop_back();
  return kSuccess;
}
CW_EXPORT Result cuCtxSynchronize() { return called("cuCtxSynchronize"); }

CW_EXPORT Result cuMemAlloc_v2(Pointer* address, std::size_t bytes) {
  CW_FAKE(cuMemAlloc_v2);
  if (bytes > (std::size_t{1} << 40)) return kOutOfMemory;
  constexpr std::size_t kAlignment = 256;
  void* memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (memory == nullptr) return kOutOfMemory;
  ++fake().live;
  *address = reinterpret_cast<Pointer>(memory);
  return kSuccess;
}
CW_EXPORT Result cuMemFree_v2(Pointer address) {
  CW_FAKE(cuMemFree_v2);
  --fake().live;
  std::free(reinterpret_cast<void*>(address));
  return kSuccess;
}
CW_EXPORT Result cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  CW_FAKE(cuMemHostAlloc);
  *memory = std::malloc(bytes);
  return kSuccess;
}
CW_EXPORT Result cuMemFreeHost(void* memory) {
  CW_FAKE(cuMemFreeHost);
  std::free(memory);
  return kSuccess;
}
CW_EXPORT Result cuMemHostRegister_v2(void*, std::size_t, unsigned) {
  return called("cuMemHostRegister_v2");
}
CW_EXPORT Result cuMemHostUnregister(void*) { return called("cuMemHostUnregister"); }
CW_EXPORT Result cuMemHostGetDevicePointer_v2(Pointer* address, void* memory, unsigned) {
  CW_FAKE(cuMemHostGetDevicePointer_v2);
  *address = reinterpret_cast<Pointer>(memory);
  return kSuccess;
}
CW_EXPORT Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *free = 1000;
  *total = 2000;
  return called("cuMemGetInfo_v2");
}
CW_EXPORT Result cuMemcpyHtoDAsync_v2(Pointer to, const void* from, std::size_t bytes, Stream) {
  CW_FAKE(cuMemcpyHtoDAsync_v2);
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return kSuccess;
}
CW_EXPORT Result cuMemcpyDtoHAsync_v2(void* to, Pointer from, std::size_t bytes, Stream) {
  CW_FAKE(cuMemcpyDtoHAsync_v2);
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return kSuccess;
}
CW_EXPORT Result cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, std::size_t bytes, Stream) {
  CW_FAKE(cuMemcpyDtoDAsync_v2);
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return kSuccess;
}
CW_EXPORT Result cuMemsetD8Async(Pointer to, unsigned char value, std::size_t count, Stream) {
  CW_FAKE(cuMemsetD8Async);
  std::fill_n(reinterpret_cast<unsigned char*>(to), count, value);
  return kSuccess;
}
CW_EXPORT Result cuMemsetD16Async(Pointer to, unsigned short value, std::size_t count, Stream) {
  CW_FAKE(cuMemsetD16Async);
  std::fill_n(reinterpret_cast<unsigned short*>(to), count, value);
  return kSuccess;
}
CW_EXPORT Result cuMemsetD32Async(Pointer to, unsigned value, std::size_t count, Stream) {
  CW_FAKE(cuMemsetD32Async);
  std::fill_n(reinterpret_cast<unsigned*>(to), count, value);
  return kSuccess;
}

CW_EXPORT Result cuStreamCreateWithPriority(Stream* stream, unsigned, int) {
  CW_FAKE(cuStreamCreateWithPriority);
  ++fake().live;
  *stream = reinterpret_cast<Stream>(new int(0));
  return kSuccess;
}
CW_EXPORT Result cuStreamDestroy_v2(Stream stream) {
  CW_FAKE(cuStreamDestroy_v2);
  --fake().live;
  delete reinterpret_cast<int*>(stream);
  return kSuccess;
}
CW_EXPORT Result cuStreamSynchronize(Stream) { return called("cuStreamSynchronize"); }
CW_EXPORT Result cuStreamQuery(Stream) { return called("cuStreamQuery"); }
CW_EXPORT Result cuStreamWaitEvent(Stream, Event, unsigned) { return called("cuStreamWaitEvent"); }
CW_EXPORT Result cuEventCreate(Event* event, unsigned flags) {
  CW_FAKE(cuEventCreate);
  ++fake().live;
  *event = reinterpret_cast<Event>(new unsigned(flags));
  return kSuccess;
}
CW_EXPORT Result cuEventDestroy_v2(Event event) {
  CW_FAKE(cuEventDestroy_v2);
  --fake().live;
  delete reinterpret_cast<unsigned*>(event);
  return kSuccess;
}
CW_EXPORT Result cuEventRecord(Event, Stream) { return called("cuEventRecord"); }
CW_EXPORT Result cuEventSynchronize(Event) { return called("cuEventSynchronize"); }
CW_EXPORT Result cuEventQuery(Event) { return called("cuEventQuery"); }
CW_EXPORT Result cuEventElapsedTime(float* milliseconds, Event, Event) {
  CW_FAKE(cuEventElapsedTime);
  *milliseconds = 1.5F;
  return kSuccess;
}

CW_EXPORT Result cuModuleLoadDataEx(Module* module, const void* data, unsigned count, int* options,
                                    void** values) {
  CW_FAKE(cuModuleLoadDataEx);
  auto made = std::make_unique<FakeModule>();
  const char* text = static_cast<const char*>(data);
  if (std::memcmp(text,
                  "\x7f"
                  "ELF",
                  4) == 0) {
    // After the header of a fake cubin comes the PTX it stands for.
    constexpr std::size_t kHeader = 64;
    if (!readPtx(text + kHeader, *made)) return kInvalidImage;
  } else if (!readPtx(text, *made)) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == kJitErrorLog) {
        std::strcpy(static_cast<char*>(values[i]), "ptxas line 3; error : bogus\n\n");
      }
    }
    return kInvalidPtx;
  }
  ++fake().live;
  *module = reinterpret_cast<Module>(made.release());
  return kSuccess;
}
CW_EXPORT Result cuModuleUnload(Module module) {
  CW_FAKE(cuModuleUnload);
  --fake().live;
  delete reinterpret_cast<FakeModule*>(module);
  return kSuccess;
}
CW_EXPORT Result cuModuleGetFunction(Function* function, Module module, const char* name) {
  CW_FAKE(cuModuleGetFunction);
  auto& functions = reinterpret_cast<FakeModule*>(module)->functions;
  const auto found = functions.find(name);
  if (found == functions.end()) return kNotFound;
  *function = reinterpret_cast<Function>(&found->second);
  return kSuccess;
}
CW_EXPORT Result cuModuleGetGlobal_v2(Pointer* address, std::size_t* bytes, Module module,
                                      const char* name) {
  CW_FAKE(cuModuleGetGlobal_v2);
  auto& variables = reinterpret_cast<FakeModule*>(module)->variables;
  const auto found = variables.find(name);
  if (found == variables.end()) return kNotFound;
  *address = reinterpret_cast<Pointer>(found->second.data());
  *bytes = found->second.size();
  return kSuccess;
}
CW_EXPORT Result cuFuncGetAttribute(int* value, int attribute, Function function) {
  const FakeFunction& kernel = functionOf(function);
  switch (attribute) {
    case kFunctionMaxThreads: *value = kernel.maxThreads; break;
    case kFunctionSharedBytes: *value = kernel.staticShared; break;
    case kFunctionRegisters: *value = 32; break;
    case kFunctionClusterMustBeSet: *value = 0; break;
    case kFunctionClusterX: *value = kernel.cluster[0]; break;
    case kFunctionClusterY: *value = kernel.cluster[1]; break;
    case kFunctionClusterZ: *value = kernel.cluster[2]; break;
    default: *value = 0; break;
  }
  return kSuccess;
}
CW_EXPORT Result cuFuncSetAttribute(Function function, int attribute, int value) {
  CW_FAKE(cuFuncSetAttribute);
  fake().functionAttributesSet[functionOf(function).name] = {attribute, value};
  return kSuccess;
}
CW_EXPORT Result cuFuncGetParamInfo(Function function, std::size_t index, std::size_t* offset,
                                    std::size_t* size) {
  CW_FAKE(cuFuncGetParamInfo);
  const FakeFunction& kernel = functionOf(function);
  if (index >= kernel.parameterSizes.size()) return kInvalidValue;
  *offset = 0;
  for (std::size_t i = 0; i < index; ++i) *offset += kernel.parameterSizes[i];
  *size = kernel.parameterSizes[index];
  return kSuccess;
}
CW_EXPORT Result cuLaunchKernel(Function function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                unsigned blockX, unsigned blockY, unsigned blockZ, unsigned shared,
                                Stream stream, void** parameters, void**) {
  CW_FAKE(cuLaunchKernel);
  LaunchConfiguration config{
      {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, shared, stream, nullptr, 0};
  record(function, config, parameters);
  return kSuccess;
}
CW_EXPORT Result cuLaunchKernelEx(const LaunchConfiguration* config, Function function,
                                  void** parameters, void**) {
  CW_FAKE(cuLaunchKernelEx);
  record(function, *config, parameters);
  return kSuccess;
}
CW_EXPORT Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function, int threads,
                                                             std::size_t) {
  CW_FAKE(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  *blocks = 2048 / threads;
  return kSuccess;
}
CW_EXPORT Result cuOccupancyMaxActiveClusters(int* clusters, Function,
                                              const LaunchConfiguration* config) {
  CW_FAKE(cuOccupancyMaxActiveClusters);
  *clusters =
      config->attributeCount > 0 ? 132 / static_cast<int>(config->attributes[0].extents[0]) : 132;
  return kSuccess;
}
CW_EXPORT Result cuTensorMapEncodeTiled(void* map, int type, std::uint32_t rank, void* address,
                                        const std::uint64_t* extents, const std::uint64_t* strides,
                                        const std::uint32_t* box, const std::uint32_t*, int, int,
                                        int, int) {
  CW_FAKE(cuTensorMapEncodeTiled);
  std::vector<std::uint64_t> words = {static_cast<std::uint64_t>(type), rank,
                                      reinterpret_cast<std::uint64_t>(address)};
  words.insert(words.end(), extents, extents + rank);
  words.insert(words.end(), strides, strides + rank - 1);
  std::memset(map, 0, 128);
  std::memcpy(map, words.data(), std::min<std::size_t>(128, words.size() * sizeof words[0]));
  static_cast<unsigned char*>(map)[127] = static_cast<unsigned char>(box[0]);
  const std::lock_guard lock(mutex());
  fake().tensorMaps.push_back(std::move(words));
  return kSuccess;
}

CW_EXPORT Result cuLinkCreate_v2(unsigned count, int* options, void** values, LinkState* state) {
  CW_FAKE(cuLinkCreate_v2);
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == kJitInfoLog) std::strcpy(static_cast<char*>(values[i]), "fake log");
  }
  *state = reinterpret_cast<LinkState>(new std::string);
  return kSuccess;
}
CW_EXPORT Result cuLinkAddData_v2(LinkState state, int, void* data, std::size_t bytes, const char*,
                                  unsigned, int*, void**) {
  CW_FAKE(cuLinkAddData_v2);
  reinterpret_cast<std::string*>(state)->assign(static_cast<const char*>(data), bytes);
  return reinterpret_cast<std::string*>(state)->find("bogus") == std::string::npos ? kSuccess
                                                                                   : kInvalidPtx;
}
CW_EXPORT Result cuLinkComplete(LinkState state, void** image, std::size_t* bytes) {
  CW_FAKE(cuLinkComplete);
  auto* text = reinterpret_cast<std::string*>(state);
  *image = text->data();
  *bytes = text->size();
  return kSuccess;
}
CW_EXPORT Result cuLinkDestroy(LinkState state) {
  delete reinterpret_cast<std::string*>(state);
  return called("cuLinkDestroy", false);
}
// NOLINTEND(readability-identifier-naming, readability-non-const-parameter)

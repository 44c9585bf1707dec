// RuntimeCheck.cpp -- the runtime on a real GPU: memory, modules, streams, launches, errors.
//
// Usage: runtime_check [--fault | --rules FILE]. Prints one line a check, then tables; exits 1 if
// one failed.
#include <array>
#include <cstring>
#include <thread>
#include <vector>

#include "Check.h"
#include "CudaDevice.h"
#include "Kernels.h"
#include "cutwork/Runtime/Array.h"
#include "cutwork/Runtime/Buffer.h"
#include "cutwork/Runtime/HostTable.h"
#include "cutwork/Runtime/Module.h"
#include "cutwork/Runtime/Stream.h"

namespace cutwork::gpu {

namespace {

std::uint32_t read(const Device& device, DevicePointer address) {
  std::uint32_t value = 0;
  orThrow(device.copyToHost(&value, address, sizeof value));
  return value;
}

}  // namespace

void checkMemory(Checks& checks, const Device& device) {
  const Buffer buffer = device.allocate(1 << 20);
  std::vector<std::uint32_t> in(1 << 18);
  std::vector<std::uint32_t> out(1 << 18);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(i * 2654435761U);
  checks.ok(buffer.copyFrom(in.data(), buffer.bytes()), "copy to the device");
  const Buffer second = device.allocate(1 << 20);
  checks.ok(device.copyOnDevice(second.address(), buffer.address(), 1 << 20), "copy on the device");
  checks.ok(second.copyTo(out.data(), second.bytes()), "copy back");
  checks.that(in == out, "1 MiB there and back is the same");
  checks.ok(device.fill(buffer.address() + 2, 0xBEEF, 2, 1, nullptr), "fill 2 bytes");
  checks.that(read(device, buffer.address()) >> 16 == 0xBEEF, "the fill is where it should be");
  checks.refused(device.fill(buffer.address() + 2, 0, 4, 1), "no multiple of 4", "misaligned fill");
  checks.refused(device.allocate(std::int64_t{1} << 50), "out of memory", "allocation of 1 PiB");
  checks.that(device.memoryInfo()->totalBytes > (std::int64_t{1} << 36), "memory info");
  const Array host = Array::emptyOnHost(*DataType::parse("float32"), {64, 32});
  const Array there = Array::empty(device, *DataType::parse("float32"), {64, 32});
  checks.ok(there.copyFrom(host), "array to the device");
  dlpack::ManagedTensor* tensor = *there.toDLPack();
  checks.that(tensor->tensor.device.type == dlpack::kCuda, "DLPack says CUDA");
  const Array back = Array::fromDLPack(tensor);
  checks.that(back.address() == there.address() && back.device() == std::optional(device),
              "DLPack round trip");
  DeviceInterface& driver = device.implementation();
  std::vector<std::uint32_t> pageable(1024, 5);
  const Expected<DevicePointer> mapped = driver.mapHost(pageable.data(), 4096);
  checks.that(mapped.ok(), mapped.ok() ? "map memory of the host" : mapped.error().message());
  const Module module = device.loadModule(Image::fromPtx(kKernels));
  if (mapped.ok()) {
    checks.ok((*module.function("increment"))({.grid = {7}}, *mapped),
              "a kernel writes to the host");
    checks.ok(device.synchronize(), "synchronize");
    checks.that(pageable[0] == 12, "and the host sees it");
    checks.ok(driver.unmapHost(pageable.data()), "unmap");
  }
  void* pinned = *driver.allocateHost(4096);
  checks.ok(device.copyToHost(pinned, buffer.address(), 4096), "copy to page-locked memory");
  checks.ok(driver.releaseHost(pinned), "release page-locked memory");
}

void checkModules(Checks& checks, const Device& device) {
  const Module module = device.loadModule(Image::fromPtx(kKernels));
  checks.that(module == *device.loadModule(Image::fromPtx(kKernels)), "one image is one module");
  const Function add = module.function("vadd");
  checks.that(add.properties().parametersKnown && add.properties().parameters.size() == 4 &&
                  add.properties().parameters[3].offset == 24 &&
                  add.properties().parameters[3].size == 4,
              "parameters are known");
  checks.that(add.properties().registers > 0, "registers are known");
  checks.that(module.function("paired")->properties().requiredCluster == Dim3{2, 1, 1},
              "the required cluster is known");
  checks.that(module.global("table")->bytes == 64, "a variable's size");
  checks.refused(module.function("gone"), "no kernel named 'gone'", "missing kernel");
  checks.refused(module.global("gone"), "no variable named 'gone'", "missing variable");
  std::string other = kSetMaxNReg;
  other.replace(other.find("sm_90a"), 6, "sm_100a");
  checks.refused(device.loadModule(Image::fromPtx(other)), "another architecture", "sm_100a PTX");
  std::string bad = kKernels;
  bad.replace(bad.find("add.f32"), 7, "add.bog");
  checks.refused(device.loadModule(Image::fromPtx(bad)), "line", "bad PTX");
  std::string newer = kKernels;
  newer.replace(newer.find("8.0"), 3, "9.9");
  checks.refused(device.loadModule(Image::fromPtx(newer)), "the driver is for CUDA", "PTX 9.9");
  constexpr std::int64_t kCount = 10000;
  std::vector<float> a(kCount, 1.5F);
  std::vector<float> c(kCount, 0.0F);
  const Buffer x = device.allocate(kCount * 4);
  const Buffer y = device.allocate(kCount * 4);
  orThrow(x.copyFrom(a.data(), kCount * 4));
  checks.ok(add({.grid = {(kCount + 255) / 256}, .block = {256}}, x.address(), x.address(),
                y.address(), static_cast<std::uint32_t>(kCount)),
            "vector add");
  orThrow(y.copyTo(c.data(), kCount * 4));
  checks.that(c == std::vector<float>(kCount, 3.0F), "its sums are right");
}

void checkStreams(Checks& checks, const Device& device) {
  const Module module = device.loadModule(Image::fromPtx(kKernels));
  const Function spin = module.function("spin");
  const Function store = module.function("store");
  const Buffer word = device.allocate(256);
  orThrow(device.fill(word.address(), 0, 4, 1));
  const Stream slow = device.createStream();
  const Stream fast = device.createStream();
  const Event start = device.createEvent();
  const Event end = device.createEvent();
  constexpr std::uint64_t kTenMilliseconds = 10'000'000;
  orThrow(start.record(slow));
  orThrow(spin({.stream = slow}, kTenMilliseconds, word.address(), std::uint32_t{1}));
  orThrow(end.record(slow));
  orThrow(fast.waitFor(end));
  orThrow(store({.stream = fast}, word.address(), std::uint32_t{2}));
  checks.that(!*slow.isIdle() && !*end.isDone(), "a stream that works is not idle");
  checks.ok(fast.synchronize(), "wait for the stream that waits");
  checks.that(read(device, word.address()) == 2, "it came after the other");
  const float took = *start.millisecondsTo(end);
  checks.that(took >= 9.5F && took < 20.0F,
              "10 ms between the events: " + std::to_string(took) + " ms");
  checks.that(*slow.isIdle() && *end.isDone(), "and then it is idle");
  // Eight threads, a stream each.
  orThrow(device.fill(word.address(), 0, 4, 1));
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const Stream mine = device.createStream();
      const Launch launch = module.function("increment")->prepare({.stream = mine});
      const DevicePointer address = word.address();
      const std::array<const void*, 1> parameters = {&address};
      for (int n = 0; n < 1000; ++n) orThrow(launch.run(parameters.data()));
      orThrow(mine.synchronize());
    });
  }
  for (std::thread& thread : threads) thread.join();
  checks.that(read(device, word.address()) == 8000, "8 threads launched 1000 kernels each");
}

void checkLaunches(Checks& checks, const Device& device) {
  const Module module = device.loadModule(Image::fromPtx(kKernels));
  const Function store = module.function("store");
  const Buffer words = device.allocate(4096);
  const DevicePointer out = words.address();
  const std::uint32_t one = 1;
  checks.refused(store({.grid = {1, 1, 70000}}, out, one), "grid.z is 70000", "grid");
  checks.refused(store({.block = {2048}}, out, one), "block.x is 2048", "block");
  checks.refused(store({.sharedMemory = 512 << 20}, out, one), "allowed are", "shared memory");
  checks.refused(store({}, out), "1 parameters are passed", "parameters");
  checks.refused(store({}, out, std::uint64_t{1}), "4 bytes", "parameter sizes");
  checks.refused(Device::open("cuda:99"), "cuda:99", "device index");
  const std::int64_t most = device.properties().limits.sharedMemoryPerBlock;
  checks.ok((*module.function("large"))({.sharedMemory = most}, out,
                                        static_cast<std::uint32_t>(most - 4)),
            "all the shared memory there is: " + std::to_string(most));
  checks.ok(device.synchronize(), "synchronize");
  checks.that(read(device, out) == 77, "its last word works");
  const Function clusters = module.function("clusters");
  for (const std::int64_t size : {1, 2, 8, 16}) {
    checks.ok(clusters({.grid = {32}, .cluster = {size}}, out),
              "cluster of " + std::to_string(size));
    std::vector<std::uint32_t> ranks(32);
    orThrow(words.copyTo(ranks.data(), 128));
    bool right = true;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      right = right && ranks[i] == static_cast<std::uint64_t>(size) * 1000 +
                                       i % static_cast<std::uint64_t>(size);
    }
    checks.that(right, "its ranks are right");
  }
  std::printf("       resident clusters of 16: %d; of 8: %d; blocks a multiprocessor: %d\n",
              *clusters.activeClusters({.grid = {16}, .cluster = {16}}),
              *clusters.activeClusters({.grid = {8}, .cluster = {8}}),
              *clusters.activeBlocks({.block = {256}}));
  checks.refused(clusters({.grid = {32}, .cluster = {32}}, out), "allowed are 1 to 16",
                 "cluster 32");
  const Function paired = module.function("paired");
  checks.ok(paired({.grid = {4}}, out), "a kernel with its own cluster");
  checks.that(read(device, out) == 2, "it is of 2");
  checks.refused(paired({.grid = {3}}, out), "the kernel's cluster (2,1,1)", "grid of 3 for it");
  checks.ok(clusters({.grid = {32}, .cooperative = true}, out), "cooperative launch");
  checks.ok(clusters({.grid = {32}, .programmatic = true}, out), "programmatic launch");
  checks.ok(clusters({.grid = {32}, .sharedMemoryCarveout = 50}, out), "carveout");
  checks.refused(clusters({.grid = {1000000}, .block = {1024}, .cooperative = true}, out),
                 "COOPERATIVE_LAUNCH_TOO_LARGE", "cooperative and too large");
  checks.ok(device.synchronize(), "synchronize");
  // The table of host code.
  const HostTable& table = *cw_rt_table(HostTable::kVersion);
  HostFunction* function = hostHandle(store);
  HostLaunch launch = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0, nullptr, 0, 0, -1, 0};
  const std::uint32_t value = 99;
  const std::array<const void*, 2> parameters = {&out, &value};
  checks.that(table.launch(function, &launch, parameters.data(), 2) == 0, "launch by the table");
  checks.that(read(device, out) == 99, "it ran");
  table.function_release(function);
}

void checkContext(Checks& checks, const Device& device) {
  const cuda::Driver& driver = **cuda::driver();
  cuda::Context current = nullptr;
  driver.cuCtxGetCurrent(&current);
  checks.that(current == nullptr, "no context is current in this thread, before and after all");
  cuda::Context primary = nullptr;
  driver.cuDevicePrimaryCtxRetain(&primary, 0);
  driver.cuCtxPushCurrent_v2(primary);
  const Buffer buffer = device.allocate(4096);
  orThrow(device.fill(buffer.address(), 0, 4, 1024));
  orThrow(device.synchronize());
  driver.cuCtxGetCurrent(&current);
  checks.that(current == primary, "the caller's context stays current");
  cuda::Context popped = nullptr;
  driver.cuCtxPopCurrent_v2(&popped);
  driver.cuCtxGetCurrent(&current);
  checks.that(popped == primary && current == nullptr, "and its stack is as it was");
  driver.cuDevicePrimaryCtxRelease_v2(0);
}

void checkFault(Checks& checks, const Device& device) {
  const Module module = device.loadModule(Image::fromPtx(kKernels));
  const Function store = module.function("store");
  const Buffer words = device.allocate(256);
  checks.ok(store({}, words.address() + 2, std::uint32_t{1}), "launch that will fault");
  checks.refused(device.synchronize(), "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned pointer");
  checks.refused(store({}, words.address(), std::uint32_t{1}), "CUDA_ERROR", "a launch after it");
  checks.refused(device.allocate(16), "CUDA_ERROR", "an allocation after it");
}

namespace {

int run(bool fault, const char* rules) {
  Checks checks;
  const Device device = Device::open("cuda:0");
  const DeviceProperties& it = device.properties();
  std::printf(
      "%s, %s, %s; driver for CUDA %d.%d; %lld multiprocessors; shared memory of a block %lld\n",
      it.name.c_str(), it.card.c_str(), it.target.name().c_str(), it.driverVersion / 1000,
      it.driverVersion % 1000 / 10, static_cast<long long>(it.multiprocessors),
      static_cast<long long>(it.limits.sharedMemoryPerBlock));
  if (rules != nullptr) {
    writeTensorMapRules(checks, device, rules);
  } else if (fault) {
    checkFault(checks, device);
  } else {
    checkMemory(checks, device);
    checkModules(checks, device);
    checkStreams(checks, device);
    checkLaunches(checks, device);
    checkTensorMaps(checks, device);
    checkContext(checks, device);
    checkAssemblers(checks, device);
    measureLaunches(checks, device);
  }
  std::printf("%d passed, %d failed\n", checks.passed, checks.failed);
  return checks.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cutwork::gpu

int main(int count, char** arguments) {
  try {
    const auto given = [&](int at, const char* text) {
      return count > at && std::strcmp(arguments[at], text) == 0;
    };
    return cutwork::gpu::run(given(1, "--fault"),
                             given(1, "--rules") && count > 2 ? arguments[2] : nullptr);
  } catch (const std::exception& exception) {
    std::printf("FAILED %s\n", exception.what());
    return 1;
  }
}

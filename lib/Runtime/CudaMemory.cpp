// CudaMemory.cpp -- a CUDA device's memory: allocation, copies, fills; tensor maps.
#include <fmt/format.h>

#include "AddressCast.h"
#include "CudaDevice.h"

namespace cutwork::cuda {

Expected<DevicePointer> CudaDevice::allocate(std::int64_t bytes) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  Pointer address = 0;
  const Result result = driver_.cuMemAlloc_v2(&address, static_cast<std::size_t>(bytes));
  if (result == kOutOfMemory) {
    std::size_t free = 0;
    std::size_t total = 0;
    driver_.cuMemGetInfo_v2(&free, &total);
    return deviceError(fmt::format("{} is out of memory: {} bytes asked, {} of {} free",
                                   properties_.name, bytes, free, total));
  }
  CW_DO(check(result, "allocating memory"));
  return address;
}

Status CudaDevice::release(DevicePointer address) {
  const ContextGuard guard = current();
  return checkRelease(driver_.cuMemFree_v2(address), "releasing memory");
}

Expected<void*> CudaDevice::allocateHost(std::int64_t bytes) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  void* memory = nullptr;
  CW_DO(check(driver_.cuMemHostAlloc(&memory, static_cast<std::size_t>(bytes),
                                     kHostPortable | kHostDeviceMap),
              "allocating page-locked memory"));
  return memory;
}

Status CudaDevice::releaseHost(void* memory) {
  const ContextGuard guard = current();
  return checkRelease(driver_.cuMemFreeHost(memory), "releasing page-locked memory");
}

Expected<DevicePointer> CudaDevice::mapHost(void* memory, std::int64_t bytes) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  CW_DO(check(driver_.cuMemHostRegister_v2(memory, static_cast<std::size_t>(bytes),
                                           kHostPortable | kHostDeviceMap),
              "mapping memory of the host"));
  Pointer address = 0;
  const Status found = check(driver_.cuMemHostGetDevicePointer_v2(&address, memory, 0),
                             "mapping memory of the host");
  if (!found.ok()) {
    driver_.cuMemHostUnregister(memory);
    return found.error();
  }
  return address;
}

Status CudaDevice::unmapHost(void* memory) {
  const ContextGuard guard = current();
  return checkRelease(driver_.cuMemHostUnregister(memory), "unmapping memory of the host");
}

Expected<MemoryInfo> CudaDevice::memoryInfo() {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  std::size_t free = 0;
  std::size_t total = 0;
  CW_DO(check(driver_.cuMemGetInfo_v2(&free, &total), "asking for free memory"));
  return MemoryInfo{static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
}

Status CudaDevice::copyToDevice(DevicePointer to, const void* from, std::int64_t bytes,
                                StreamHandle stream) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  return check(
      driver_.cuMemcpyHtoDAsync_v2(to, from, static_cast<std::size_t>(bytes), nativeStream(stream)),
      "copying to the device");
}

Status CudaDevice::copyToHost(void* to, DevicePointer from, std::int64_t bytes,
                              StreamHandle stream) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  return check(
      driver_.cuMemcpyDtoHAsync_v2(to, from, static_cast<std::size_t>(bytes), nativeStream(stream)),
      "copying to the host");
}

Status CudaDevice::copyOnDevice(DevicePointer to, DevicePointer from, std::int64_t bytes,
                                StreamHandle stream) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  return check(
      driver_.cuMemcpyDtoDAsync_v2(to, from, static_cast<std::size_t>(bytes), nativeStream(stream)),
      "copying on the device");
}

Status CudaDevice::fill(DevicePointer to, std::uint32_t value, int width, std::int64_t count,
                        StreamHandle stream) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  const auto elements = static_cast<std::size_t>(count);
  Stream native = nativeStream(stream);
  constexpr const char* kWhat = "filling memory";
  if (width == 1) {
    return check(driver_.cuMemsetD8Async(to, static_cast<unsigned char>(value), elements, native),
                 kWhat);
  }
  if (width == 2) {
    return check(driver_.cuMemsetD16Async(to, static_cast<unsigned short>(value), elements, native),
                 kWhat);
  }
  return check(driver_.cuMemsetD32Async(to, value, elements, native), kWhat);
}

Expected<TensorMap> CudaDevice::encodeTensorMap(const TensorMapPlan& plan, DevicePointer address) {
  if (driver_.cuTensorMapEncodeTiled == nullptr || properties_.target.capability < 90) {
    return userError(
        fmt::format("{} ({}) has no tensor maps: they need compute capability 9.0 and a "
                    "driver for CUDA 12.0",
                    properties_.name, properties_.target.name()));
  }
  const ContextGuard guard = current();
  CW_DO(guard.status());
  std::uint64_t extents[TensorMapPlan::kMaxRank] = {};
  std::uint64_t strides[TensorMapPlan::kMaxRank] = {};  // of modes 1 on
  for (int mode = 0; mode < plan.rank; ++mode) {
    extents[mode] = static_cast<std::uint64_t>(plan.extents[mode]);
    if (mode > 0) strides[mode - 1] = static_cast<std::uint64_t>(plan.strides[mode]);
  }
  TensorMap map{};
  CW_DO(check(
      driver_.cuTensorMapEncodeTiled(
          &map, static_cast<int>(plan.type), plan.rank, pointerAt(address), extents, strides,
          plan.box, plan.elementStrides, static_cast<int>(plan.interleave),
          static_cast<int>(plan.swizzle), static_cast<int>(plan.l2), static_cast<int>(plan.fill)),
      "encoding a tensor map"));
  return map;
}

}  // namespace cutwork::cuda

// CudaDevice.cpp -- opening a CUDA device, and what it is like.
#include "CudaDevice.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "cutwork/Runtime/Device.h"

namespace cutwork {

Expected<int> cudaDeviceCount() {
  CW_TRY(const cuda::Driver* driver, cuda::driver());
  int count = 0;
  CW_DO(cuda::check(*driver, driver->cuDeviceGetCount(&count), "counting the CUDA devices"));
  return count;
}

namespace cuda {

namespace {

constexpr std::int32_t kDlpackCuda = 2;

class Attributes {
 public:
  Attributes(const Driver& driver, DeviceNumber number) : driver_(driver), number_(number) {}
  /// 0 for an attribute that the driver does not know.
  std::int64_t operator[](int attribute) const {
    int value = 0;
    if (driver_.cuDeviceGetAttribute(&value, attribute, number_) != kSuccess) return 0;
    return value;
  }

 private:
  const Driver& driver_;
  DeviceNumber number_;
};

DeviceLimits limitsOf(const Attributes& attribute, int capability, int driverVersion) {
  DeviceLimits limits;
  limits.threadsPerBlock = attribute[kMaxThreadsPerBlock];
  limits.block = {attribute[kMaxBlockX], attribute[kMaxBlockY], attribute[kMaxBlockZ]};
  limits.grid = {attribute[kMaxGridX], attribute[kMaxGridY], attribute[kMaxGridZ]};
  limits.staticSharedMemory = attribute[kSharedMemoryPerBlock];
  limits.sharedMemoryPerBlock =
      std::max(attribute[kSharedMemoryPerBlockOptin], limits.staticSharedMemory);
  limits.sharedMemoryPerMultiprocessor = attribute[kSharedMemoryPerMultiprocessor];
  limits.reservedSharedMemoryPerBlock = attribute[kReservedSharedMemoryPerBlock];
  limits.registersPerBlock = attribute[kRegistersPerBlock];
  limits.registersPerMultiprocessor = attribute[kRegistersPerMultiprocessor];
  limits.threadsPerMultiprocessor = attribute[kThreadsPerMultiprocessor];
  limits.blocksPerMultiprocessor = attribute[kBlocksPerMultiprocessor];
  limits.cooperativeLaunch = attribute[kCooperativeLaunch] != 0;
  if (attribute[kClusterLaunch] != 0) {
    // Every device with clusters has 8 (CUDA C++ Programming Guide, 5.2.1); 9.0 and 10.x have 16
    // with the opt-in. What a kernel's resources leave of that, activeClusters says.
    limits.portableClusterSize = 8;
    const int generation = capability / 10;
    limits.clusterSize = generation == 9 || generation == 10 ? 16 : 8;
  }
  constexpr int kLargeParametersFrom = 12010;
  constexpr std::int64_t kLargeParameters = 32764;
  if (capability >= 70 && driverVersion >= kLargeParametersFrom) {
    limits.parameterBytes = kLargeParameters;
  }
  return limits;
}

Expected<DeviceProperties> propertiesOf(const Driver& driver, int index, DeviceNumber number) {
  std::array<char, 256> card{};
  CW_DO(check(driver, driver.cuDeviceGetName(card.data(), card.size() - 1, number),
              "asking the device's name"));
  std::size_t memory = 0;
  CW_DO(check(driver, driver.cuDeviceTotalMem_v2(&memory, number), "asking the device's memory"));
  const Attributes attribute(driver, number);
  DeviceProperties properties;
  properties.name = fmt::format("cuda:{}", index);
  properties.card = card.data();
  const int capability =
      static_cast<int>(attribute[kCapabilityMajor] * 10 + attribute[kCapabilityMinor]);
  properties.target = {capability,
                       capability >= 90 ? Target::Suffix::Architecture : Target::Suffix::None};
  properties.limits = limitsOf(attribute, capability, driver.version);
  properties.multiprocessors = attribute[kMultiprocessors];
  properties.warpSize = attribute[kWarpSize];
  properties.memoryBytes = static_cast<std::int64_t>(memory);
  properties.l2Bytes = attribute[kL2CacheSize];
  properties.clockKHz = attribute[kClockRate];
  properties.memoryClockKHz = attribute[kMemoryClockRate];
  properties.memoryBusBits = attribute[kMemoryBusWidth];
  properties.driverVersion = driver.version;
  properties.dlpackType = kDlpackCuda;
  properties.dlpackId = index;
  return properties;
}

Expected<int> parseIndex(std::string_view text, int count) {
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool number = !text.empty() && end == text.data() + text.size() &&
                      text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!number) {
    return userError(fmt::format(
        "no device 'cuda:{}': after the colon comes a number, as in cuda:0", text.substr(0, 64)));
  }
  if (error != std::errc() || index >= count) {
    return userError(fmt::format("no device 'cuda:{}': there {} {} CUDA device{}, cuda:0{}",
                                 text.substr(0, 64), count == 1 ? "is" : "are", count,
                                 count == 1 ? "" : "s",
                                 count == 1 ? "" : fmt::format(" to cuda:{}", count - 1)));
  }
  return index;
}

}  // namespace

CudaDevice::CudaDevice(const Driver& driver, DeviceNumber number, Context context,
                       DeviceProperties properties)
    : driver_(driver), number_(number), context_(context), properties_(std::move(properties)) {}

CudaDevice::~CudaDevice() { driver_.cuDevicePrimaryCtxRelease_v2(number_); }

Status CudaDevice::checkRelease(Result result, std::string_view what) const {
  return result == kDeinitialized ? Status(Success{}) : check(result, what);
}

Expected<std::shared_ptr<DeviceInterface>> openCudaDevice(std::string_view index) {
  CW_TRY(const Driver* driver, cuda::driver());
  CW_TRY(const int count, cudaDeviceCount());
  if (count < 1) return deviceError("there is a CUDA driver, and no CUDA device");
  CW_TRY(const int ordinal, index.empty() ? Expected<int>(0) : parseIndex(index, count));
  DeviceNumber number = 0;
  CW_DO(check(*driver, driver->cuDeviceGet(&number, ordinal), "opening the device"));
  CW_TRY(DeviceProperties properties, propertiesOf(*driver, ordinal, number));
  Context context = nullptr;
  CW_DO(check(*driver, driver->cuDevicePrimaryCtxRetain(&context, number),
              "making the device's context"));
  return std::shared_ptr<DeviceInterface>(
      std::make_shared<CudaDevice>(*driver, number, context, std::move(properties)));
}

}  // namespace cuda
}  // namespace cutwork

// DriverAssembler.cpp -- the CUDA driver's linker, used to assemble one PTX text.
#include "cutwork/Runtime/DriverAssembler.h"

#include <fmt/format.h>

#include <array>

#include "AddressCast.h"
#include "CudaDevice.h"

namespace cutwork {

namespace cuda {

namespace {

/// A link that is destroyed on every path.
struct Link {
  const Driver& driver;
  LinkState state = nullptr;
  explicit Link(const Driver& table) : driver(table) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() {
    if (state != nullptr) driver.cuLinkDestroy(state);
  }
};

}  // namespace

Expected<DriverAssembly> CudaDevice::assemble(const std::string& ptx, int optimizationLevel) {
  const ContextGuard guard = current();
  CW_DO(guard.status());
  constexpr std::size_t kLogBytes = 1 << 16;
  std::vector<char> info(kLogBytes);
  std::vector<char> error(kLogBytes);
  std::array<int, 7> options = {kJitInfoLog,       kJitInfoLogBytes,      kJitErrorLog,
                                kJitErrorLogBytes, kJitOptimizationLevel, kJitLogVerbose,
                                kJitLineInfo};
  std::array<void*, 7> values = {info.data(),
                                 pointerAt(kLogBytes),
                                 error.data(),
                                 pointerAt(kLogBytes),
                                 pointerAt(static_cast<std::uint64_t>(optimizationLevel)),
                                 pointerAt(1),
                                 pointerAt(1)};
  Link link(driver_);
  CW_DO(check(driver_.cuLinkCreate_v2(options.size(), options.data(), values.data(), &link.state),
              "starting the driver's assembler"));
  void* image = nullptr;
  std::size_t bytes = 0;
  // The driver reads the text and its final zero, and changes nothing.
  Result result = driver_.cuLinkAddData_v2(link.state, kJitInputPtx, const_cast<char*>(ptx.c_str()),
                                           ptx.size() + 1, "ptx", 0, nullptr, nullptr);
  if (result == kSuccess) result = driver_.cuLinkComplete(link.state, &image, &bytes);
  info.back() = error.back() = '\0';
  if (result != kSuccess) {
    return userError(
        fmt::format("the driver's assembler: {}\n{}", resultText(driver_, result), error.data()));
  }
  const auto* first = static_cast<const std::byte*>(image);
  return DriverAssembly{{first, first + bytes}, info.data()};
}

}  // namespace cuda

Expected<DriverAssembly> assembleWithDriver(const Device& device, const std::string& ptx,
                                            int optimizationLevel) {
  auto* cuda = dynamic_cast<cuda::CudaDevice*>(&device.implementation());
  if (cuda == nullptr) {
    return userError(fmt::format("{} is no CUDA device: it has no assembler", device.name()));
  }
  return cuda->assemble(ptx, optimizationLevel);
}

}  // namespace cutwork

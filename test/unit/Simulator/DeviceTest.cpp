// DeviceTest.cpp -- the simulated device through the runtime: Device::open("sim:sm_90a").
#include "cutwork/Runtime/Device.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <numeric>
#include <vector>

#include "cutwork/Runtime/Buffer.h"
#include "cutwork/Runtime/Module.h"
#include "cutwork/Simulator/Register.h"

namespace cutwork {
namespace {

TEST(SimulatedRuntime, RunsAKernelThatClangMade) {
  registerSimulatedDevices();
  const Device device = Device::open("sim:sm_90a").value();
  EXPECT_TRUE(device.properties().simulated);
  std::ifstream file(std::string(CUTWORK_SOURCE_DIR) + "/bench/sim/kernels.ptx");
  const std::string ptx((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const Module module = device.loadModule(Image::fromPtx(ptx)).value();
  const auto add = module.function("add").value();
  const int n = 1000;
  const std::int64_t bytes = std::int64_t{n} * 4;
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0F);
  const Buffer a = device.allocate(bytes).value();
  const Buffer b = device.allocate(bytes).value();
  const Buffer c = device.allocate(bytes).value();
  orThrow(device.copyToDevice(a.address(), values.data(), bytes));
  orThrow(device.copyToDevice(b.address(), values.data(), bytes));
  orThrow(add({.grid = {2}, .block = {128}}, a.address(), b.address(), c.address(), n));
  orThrow(device.synchronize());
  std::vector<float> sums(n);
  orThrow(device.copyToHost(sums.data(), c.address(), bytes));
  for (int i = 0; i < n; ++i) EXPECT_EQ(sums[i], 2.0F * static_cast<float>(i));

  const Status fault =
      add({.grid = {2}, .block = {128}}, a.address(), b.address(), c.address(), n + 1);
  ASSERT_FALSE(fault.ok());
  EXPECT_EQ(fault.error().kind(), ErrorKind::Device);
  EXPECT_NE(fault.error().message().find("bounds: a load of 4 bytes"), std::string::npos);
  EXPECT_FALSE(Device::open("sim:sm_1").ok());
}

/// Blocks of 1,024 threads: two a multiprocessor.
TEST(SimulatedRuntime, CooperativeLaunchesFitTheDevice) {
  registerSimulatedDevices();
  const Device device = Device::open("sim:sm_90a").value();
  const Module module =
      device
          .loadModule(Image::fromPtx(".version 8.0\n.target sm_80\n.address_size 64\n"
                                     ".visible .entry k()\n{ ret; }\n"))
          .value();
  const auto k = module.function("k").value();
  LaunchConfig config{.grid = {264}, .block = {1024}};
  config.cooperative = true;
  EXPECT_TRUE(k(config).ok());
  config.grid = {265};
  const Status refused = k(config);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(
      refused.error().message(),
      "launch of 'k': a cooperative launch of 265 blocks; sim:sm_90a holds 264 of them at once");
  config.cooperative = false;
  EXPECT_TRUE(k(config).ok());
}

}  // namespace
}  // namespace cutwork

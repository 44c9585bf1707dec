// DeviceTest.cpp -- opening devices, their names and properties, and the caller's current device.
#include "cutwork/Runtime/Device.h"

#include <future>
#include <thread>

#include "Fake.h"
#include "StubDevice.h"
#include "cutwork/Runtime/Buffer.h"

namespace cutwork {
namespace {

using test::fakeCuda;
using test::refusalOf;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

class DeviceTest : public test::WithFakeCuda {};

TEST_F(DeviceTest, OpensByName) {
  const Device device = Device::open("cuda:0");
  EXPECT_EQ(device.name(), "cuda:0");
  EXPECT_EQ(device.properties().card, "Fake H200");
  EXPECT_EQ(device.target().name(), "sm_90a");
  EXPECT_EQ(device.properties().limits.sharedMemoryPerBlock, 232448);
  EXPECT_EQ(device.properties().limits.clusterSize, 16);
  EXPECT_EQ(device.properties().driverVersion, 13000);
  EXPECT_FALSE(device.properties().simulated);
  EXPECT_EQ(Device::open("cuda:1")->target().name(), "sm_80");
  EXPECT_EQ(Device::open("cuda:1")->properties().limits.clusterSize, 1);
  EXPECT_EQ(Device::open("cuda:2")->target().name(), "sm_100a");
}

TEST_F(DeviceTest, OneNameIsOneDevice) {
  const Device first = Device::open("cuda:0");
  const int retained = fakeCuda().contextsRetained;
  EXPECT_EQ(first, *Device::open("cuda:0"));
  EXPECT_EQ(first, *Device::open("cuda"));
  EXPECT_EQ(first, *Device::open("cuda:00"));
  EXPECT_FALSE(first == *Device::open("cuda:1"));
  EXPECT_EQ(first, *Device::open("cuda:0"));
  EXPECT_LE(fakeCuda().contextsRetained, retained + 1);
}

TEST_F(DeviceTest, BadNamesAreRefusedWithWhatThereIs) {
  EXPECT_THAT(refusalOf(Device::open("cuda:4")),
              AllOf(HasSubstr("cuda:4"), HasSubstr("there are 4"), HasSubstr("cuda:0 to cuda:3")));
  EXPECT_THAT(refusalOf(Device::open("cuda:99999999999999999999")), HasSubstr("cuda:0 to cuda:3"));
  for (const char* bad : {"cuda:", "cuda:-1", "cuda:+1", "cuda: 1", "cuda:1x", "cuda:x"}) {
    const auto opened = Device::open(bad);
    if (std::string(bad) == "cuda:") {
      EXPECT_TRUE(opened.ok());
      continue;
    }
    EXPECT_THAT(refusalOf(opened), HasSubstr("no device")) << bad;
  }
  for (const std::string& bad : {std::string(), std::string("tpu:0"), std::string(1000, 'x')}) {
    const std::string text = refusalOf(Device::open(bad));
    EXPECT_THAT(text, HasSubstr("cuda"));
    EXPECT_LT(text.size(), 300U);
  }
}

TEST_F(DeviceTest, NoDriverIsADeviceErrorWithTheReason) {
  const test::ScopedVariable none("CUTWORK_CUDA_DRIVER", "/nowhere/libcuda.so.1");
  EXPECT_THAT(refusalOf(Device::open("cuda:3"), ErrorKind::Device),
              AllOf(HasSubstr("no CUDA driver"), HasSubstr("/nowhere/libcuda.so.1")));
  EXPECT_FALSE(cudaDeviceCount().ok());
}

TEST_F(DeviceTest, ALibraryThatIsNoDriverIsRefused) {
  const test::ScopedVariable other("CUTWORK_CUDA_DRIVER", "libm.so.6");
  EXPECT_THAT(refusalOf(Device::open("cuda:3"), ErrorKind::Device), HasSubstr("has no cuInit"));
}

TEST_F(DeviceTest, FailuresOfTheDriverWhileOpening) {
  fakeCuda().failing["cuDevicePrimaryCtxRetain"] = 2;
  EXPECT_THAT(refusalOf(Device::open("cuda:3"), ErrorKind::Device),
              AllOf(HasSubstr("making the device's context"), HasSubstr("OUT_OF_MEMORY")));
  EXPECT_TRUE(Device::open("cuda:3").ok()) << "it is tried again";
}

TEST_F(DeviceTest, BestIsWhatTheKnobNames) {
  const test::ScopedVariable named("CUTWORK_DEVICE", "cuda:2");
  EXPECT_EQ(Device::best()->name(), "cuda:2");
}

TEST_F(DeviceTest, BestIsTheFirstCudaDevice) {
  const test::ScopedVariable unset("CUTWORK_DEVICE", std::nullopt);
  EXPECT_EQ(Device::best()->name(), "cuda:0");
}

TEST_F(DeviceTest, AWrongKnobIsNamed) {
  const test::ScopedVariable wrong("CUTWORK_DEVICE", "cuda:77");
  EXPECT_THAT(refusalOf(Device::best()), AllOf(HasSubstr("CUTWORK_DEVICE"), HasSubstr("cuda:77")));
}

TEST_F(DeviceTest, KindsCanBeAdded) {
  registerDeviceKind("stub",
                     [](std::string_view which) -> Expected<std::shared_ptr<DeviceInterface>> {
                       if (which == "no") return userError("no such stub");
                       return std::shared_ptr<DeviceInterface>(
                           std::make_shared<test::StubDevice>("stub:" + std::string(which)));
                     });
  EXPECT_THAT(deviceKinds(), AllOf(Contains("cuda"), Contains("stub")));
  EXPECT_EQ(Device::open("stub:a")->name(), "stub:a");
  EXPECT_EQ(*Device::open("stub:a"), *Device::open("stub:a"));
  EXPECT_EQ(refusalOf(Device::open("stub:no")), "no such stub");
}

/// Everything that a device does must leave the thread's current device as it was.
TEST_F(DeviceTest, TheCallersCurrentDeviceStays) {
  const Device device = Device::open("cuda:0");
  const Device other = Device::open("cuda:1");
  void* driver = dlopen(CUTWORK_FAKE_DRIVER, RTLD_NOW);
  auto* push = reinterpret_cast<void (*)(int)>(dlsym(driver, "fakePush"));
  auto* pop = reinterpret_cast<void (*)(int)>(dlsym(driver, "fakePop"));
  auto* current = reinterpret_cast<int (*)()>(dlsym(driver, "fakeCurrent"));
  const auto work = [&] {
    const Buffer buffer = device.allocate(64);
    EXPECT_TRUE(device.fill(buffer.address(), 1, 4, 16).ok());
    EXPECT_TRUE(device.synchronize().ok());
    fakeCuda().failing["cuMemAlloc_v2"] = 2;
    EXPECT_FALSE(device.allocate(64).ok());
  };
  EXPECT_EQ(current(), -1);
  work();
  EXPECT_EQ(current(), -1) << "none was current, and none is";
  push(1);
  work();
  EXPECT_EQ(current(), 1);
  EXPECT_TRUE(other.synchronize().ok());
  EXPECT_EQ(current(), 1);
  pop(1);
  EXPECT_EQ(current(), -1);
  EXPECT_EQ(fakeCuda().count("cuCtxPushCurrent_v2"), fakeCuda().count("cuCtxPopCurrent_v2"));
}

TEST_F(DeviceTest, AContextThatCannotBeMadeCurrentIsAnError) {
  const Device device = Device::open("cuda:0");
  fakeCuda().failing["cuCtxPushCurrent_v2"] = 201;
  EXPECT_THAT(refusalOf(device.synchronize(), ErrorKind::Device),
              HasSubstr("making the device current"));
}

TEST_F(DeviceTest, ManyThreadsOpenTheSameDevice) {
  std::vector<std::future<Device>> futures;
  futures.reserve(8);
  for (int i = 0; i < 8; ++i) {
    futures.push_back(std::async(std::launch::async, [] { return *Device::open("cuda:1"); }));
  }
  const Device first = Device::open("cuda:1");
  for (auto& future : futures) EXPECT_EQ(future.get(), first);
}

TEST_F(DeviceTest, MemoryCopiesAndFills) {
  const Device device = Device::open("cuda:0");
  const Buffer buffer = device.allocate(16);
  EXPECT_EQ(buffer.address() % 256, 0U);
  const std::array<std::uint32_t, 4> in = {1, 2, 3, 4};
  std::array<std::uint32_t, 4> out{};
  ASSERT_TRUE(buffer.copyFrom(in.data(), 16).ok());
  ASSERT_TRUE(buffer.copyTo(out.data(), 16).ok());
  EXPECT_EQ(in, out);
  EXPECT_EQ(fakeCuda().calls.back(), "cuCtxPopCurrent_v2");
  EXPECT_EQ(fakeCuda().count("cuStreamSynchronize"), 2) << "these copies wait";
  ASSERT_TRUE(device.fill(buffer.address(), 0xAB, 1, 4).ok());
  ASSERT_TRUE(device.fill(buffer.address() + 4, 0xABCD, 2, 2).ok());
  ASSERT_TRUE(device.fill(buffer.address() + 8, 0x01020304, 4, 2).ok());
  ASSERT_TRUE(buffer.copyTo(out.data(), 16).ok());
  EXPECT_EQ(out, (std::array<std::uint32_t, 4>{0xABABABAB, 0xABCDABCD, 0x01020304, 0x01020304}));
  const Buffer second = device.allocate(16);
  ASSERT_TRUE(device.copyOnDevice(second.address(), buffer.address(), 16).ok());
  EXPECT_EQ(device.memoryInfo()->freeBytes, 1000);
}

TEST_F(DeviceTest, BadMemoryRequests) {
  const Device device = Device::open("cuda:0");
  EXPECT_THAT(refusalOf(device.allocate(-1)), HasSubstr("-1 bytes"));
  EXPECT_EQ(device.allocate(0)->address(), 0U);
  EXPECT_THAT(refusalOf(device.allocate(INT64_MAX), ErrorKind::Device),
              AllOf(HasSubstr("out of memory"), HasSubstr("9223372036854775807 bytes asked"),
                    HasSubstr("1000 of 2000 free")));
  const Buffer buffer = device.allocate(16);
  char host[32] = {};
  EXPECT_THAT(refusalOf(buffer.copyFrom(host, 17)), HasSubstr("17 bytes into a buffer of 16"));
  EXPECT_THAT(refusalOf(buffer.copyTo(host, 17)), HasSubstr("17 bytes out of a buffer of 16"));
  EXPECT_THAT(refusalOf(device.copyToDevice(0, host, 4)), HasSubstr("null address"));
  EXPECT_THAT(refusalOf(device.copyToHost(nullptr, buffer.address(), 4)), HasSubstr("null"));
  EXPECT_THAT(refusalOf(device.copyOnDevice(buffer.address(), buffer.address(), -4)),
              HasSubstr("-4 bytes"));
  EXPECT_TRUE(device.copyToDevice(0, nullptr, 0).ok());
  EXPECT_THAT(refusalOf(device.fill(buffer.address() + 2, 0, 4, 1)),
              HasSubstr("no multiple of 4 bytes"));
  EXPECT_THAT(refusalOf(device.fill(buffer.address(), 0, 8, 1)), HasSubstr("width of 8"));
}

TEST_F(DeviceTest, MemoryOutlivesTheHandleOfItsDevice) {
  std::optional<Buffer> buffer;
  {
    const Device device = Device::over(std::make_shared<test::StubDevice>("stub:short"));
    buffer = *device.allocate(64);
  }
  EXPECT_NE(buffer->address(), 0U);
}

TEST_F(DeviceTest, HostMemory) {
  DeviceInterface& device = Device::open("cuda:0")->implementation();
  void* memory = *device.allocateHost(64);
  EXPECT_NE(memory, nullptr);
  EXPECT_TRUE(device.releaseHost(memory).ok());
  int value = 0;
  EXPECT_NE(*device.mapHost(&value, sizeof value), 0U);
  EXPECT_TRUE(device.unmapHost(&value).ok());
  fakeCuda().failing["cuMemHostGetDevicePointer_v2"] = 1;
  EXPECT_FALSE(device.mapHost(&value, sizeof value).ok());
  EXPECT_EQ(fakeCuda().count("cuMemHostUnregister"), 2) << "a mapping that failed is undone";
}

}  // namespace
}  // namespace cutwork

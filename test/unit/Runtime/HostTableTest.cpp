// HostTableTest.cpp -- the C table of compiled host code: its frozen layout, and each of its
// functions.
#include "cutwork/Runtime/HostTable.h"

#include <array>
#include <bit>
#include <thread>

#include "Fake.h"
#include "cutwork/Runtime/Module.h"

namespace cutwork {
namespace {

using test::fakeCuda;
using test::kPtx;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Objects that were compiled ahead of time read the table at these offsets. A field is added at the
// end and nowhere else; a change of another kind needs a new version.
#define CW_AT(field, index) static_assert(offsetof(HostTable, field) == 8 + 8 * (index))
static_assert(HostTable::kVersion == 1);
static_assert(offsetof(HostTable, version) == 0 && offsetof(HostTable, bytes) == 4);
CW_AT(last_error, 0);
CW_AT(fail, 1);
CW_AT(print, 2);
CW_AT(device_best, 3);
CW_AT(device_open, 4);
CW_AT(device_release, 5);
CW_AT(module_load, 6);
CW_AT(module_release, 7);
CW_AT(function_get, 8);
CW_AT(function_release, 9);
CW_AT(launch, 10);
CW_AT(encode_tensor_map, 11);
CW_AT(allocate, 12);
CW_AT(release, 13);
CW_AT(copy_to_device, 14);
CW_AT(copy_to_host, 15);
CW_AT(copy_on_device, 16);
CW_AT(fill, 17);
CW_AT(stream_synchronize, 18);
static_assert(sizeof(HostTable) == 8 + 8 * 20);
static_assert(offsetof(HostLaunch, grid) == 0 && offsetof(HostLaunch, block) == 24 &&
              offsetof(HostLaunch, cluster) == 48 && offsetof(HostLaunch, preferredCluster) == 72 &&
              offsetof(HostLaunch, sharedMemory) == 96 && offsetof(HostLaunch, stream) == 104 &&
              offsetof(HostLaunch, cooperative) == 112 &&
              offsetof(HostLaunch, programmatic) == 116 &&
              offsetof(HostLaunch, sharedMemoryCarveout) == 120 && sizeof(HostLaunch) == 128);

constexpr HostLaunch kOneBlock = {{1, 1, 1}, {32, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0,
                                  nullptr,   0,          0,         -1,        0};

class HostTableTest : public test::WithFakeCuda {
 protected:
  const HostTable& table_ = *cw_rt_table(HostTable::kVersion);
};

TEST_F(HostTableTest, OtherVersionsAreNotThere) {
  EXPECT_EQ(table_.version, 1U);
  EXPECT_EQ(table_.bytes, sizeof(HostTable));
  EXPECT_EQ(cw_rt_table(0), nullptr);
  EXPECT_EQ(cw_rt_table(2), nullptr);
}

TEST_F(HostTableTest, FromTheDeviceToALaunch) {
  const test::ScopedVariable named("CUTWORK_DEVICE", "cuda:0");
  HostDevice* device = nullptr;
  HostModule* module = nullptr;
  HostFunction* function = nullptr;
  ASSERT_EQ(table_.device_best(&device), 0);
  const std::string ptx = kPtx;
  ASSERT_EQ(table_.module_load(device, ptx.data(), static_cast<std::int64_t>(ptx.size()), nullptr,
                               0, &module),
            0);
  ASSERT_EQ(table_.function_get(module, "add", &function), 0);
  std::uint64_t a = 42;
  std::uint32_t n = 7;
  const std::array<const void*, 4> parameters = {&a, &a, &n, &n};
  HostLaunch launch = kOneBlock;
  launch.grid[1] = 9;
  EXPECT_EQ(table_.launch(function, &launch, parameters.data(), 4), 0);
  EXPECT_THAT(fakeCuda().launches.at(0).grid, ElementsAre(1, 9, 1));
  EXPECT_EQ(fakeCuda().launches.at(0).parameters[0][0], 42);
  // A launch that names no stream goes to the thread's; one that does, to its own.
  int here = 0;
  int there = 0;
  EXPECT_EQ(setHostStream(&here), nullptr);
  EXPECT_EQ(table_.launch(function, &launch, parameters.data(), 4), 0);
  launch.stream = &there;
  EXPECT_EQ(table_.launch(function, &launch, parameters.data(), 4), 0);
  launch.stream = nullptr;
  EXPECT_EQ(setHostStream(nullptr), &here);
  EXPECT_EQ(table_.launch(function, &launch, parameters.data(), 4), 0);
  EXPECT_EQ(fakeCuda().launches.at(0).stream, nullptr);
  EXPECT_EQ(fakeCuda().launches.at(1).stream, &here);
  EXPECT_EQ(fakeCuda().launches.at(2).stream, &there);
  EXPECT_EQ(fakeCuda().launches.at(3).stream, nullptr);
  launch.grid[2] = 70000;
  EXPECT_EQ(table_.launch(function, &launch, parameters.data(), 4), 1);
  EXPECT_THAT(table_.last_error(), HasSubstr("grid.z is 70000"));
  EXPECT_EQ(table_.launch(function, &kOneBlock, parameters.data(), 3), 1);
  EXPECT_EQ(table_.function_get(module, "gone", &function), 1);
  EXPECT_THAT(table_.last_error(), HasSubstr("'gone'"));
  table_.function_release(function);
  table_.module_release(module);
  table_.device_release(device);
}

TEST_F(HostTableTest, Memory) {
  HostDevice* device = nullptr;
  ASSERT_EQ(table_.device_open("cuda:0", &device), 0);
  std::uint64_t address = 1;
  ASSERT_EQ(table_.allocate(device, 0, &address), 0);
  EXPECT_EQ(address, 0U);
  ASSERT_EQ(table_.allocate(device, 16, &address), 0);
  std::uint64_t second = 0;
  ASSERT_EQ(table_.allocate(device, 16, &second), 0);
  std::array<std::uint32_t, 4> values{};
  EXPECT_EQ(table_.fill(device, address, 5, 4, 4, nullptr), 0);
  EXPECT_EQ(table_.copy_on_device(device, second, address, 16, nullptr), 0);
  EXPECT_EQ(table_.copy_to_host(device, values.data(), second, 16, nullptr), 0);
  EXPECT_EQ(table_.stream_synchronize(device, nullptr), 0);
  EXPECT_THAT(values, ElementsAre(5, 5, 5, 5));
  EXPECT_EQ(table_.copy_to_device(device, address, values.data(), 16, nullptr), 0);
  EXPECT_EQ(table_.allocate(device, -5, &second), 1);
  fakeCuda().failing["cuMemAlloc_v2"] = 2;
  std::uint64_t third = 0;
  EXPECT_EQ(table_.allocate(device, 16, &third), 3) << "a device's error";
  EXPECT_EQ(table_.release(device, address), 0);
  EXPECT_EQ(table_.release(device, 0), 0);
  table_.device_release(device);
  const Device owner = Device::open("cuda:0");
  HostDevice* again = hostHandle(owner);
  ASSERT_EQ(table_.release(again, second == 0 ? address : second), 0);
  table_.device_release(again);
}

TEST_F(HostTableTest, PrintsFormats) {
  std::string printed;
  setHostPrinter([&](std::string_view text) { printed += text; });
  const std::array<std::int64_t, 4> values = {-3, std::bit_cast<std::int64_t>(0.5), 65, 255};
  table_.print_format("%d %5.2f|%c|%x 100%%\n", values.data(), 4);
  setHostPrinter({});
  EXPECT_EQ(printed, "-3  0.50|A|ff 100%\n");
}

TEST_F(HostTableTest, TensorMaps) {
  HostDevice* device = nullptr;
  ASSERT_EQ(table_.device_open("cuda:0", &device), 0);
  TensorMapPlan plan;
  plan.type = TensorMapType::Float32;
  plan.rank = 1;
  plan.box[0] = 64;
  plan.extents[0] = 1024;
  TensorMap map{};
  EXPECT_EQ(table_.encode_tensor_map(device, &plan, 0x770000, &map), 0);
  EXPECT_EQ(map.bytes[127], 64);
  EXPECT_EQ(table_.encode_tensor_map(device, &plan, 0x770001, &map), 1);
  table_.device_release(device);
}

TEST_F(HostTableTest, FailuresOfTheHostCode) {
  EXPECT_EQ(table_.fail(0, "assert failed: n > 0", 13), 1);
  EXPECT_STREQ(table_.last_error(), "assert failed");
  EXPECT_EQ(table_.fail(2, "x", 1), 3);
  EXPECT_EQ(table_.fail(99, "x", 1), 2);
  std::string other;
  std::thread([&] { other = table_.last_error(); }).join();
  EXPECT_EQ(other, "") << "each thread has its own";
  HostDevice* device = nullptr;
  EXPECT_EQ(table_.device_open("cuda:99", &device), 1);
  EXPECT_EQ(device, nullptr);
}

TEST_F(HostTableTest, PrintingCanBeTakenOver) {
  std::string printed;
  setHostPrinter([&](std::string_view text) { printed += text; });
  table_.print("hello, world", 5);
  setHostPrinter({});
  EXPECT_EQ(printed, "hello");
  ::testing::internal::CaptureStdout();
  table_.print("to stdout", 9);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "to stdout");
}

TEST_F(HostTableTest, ExceptionsDoNotLeave) {
  setHostPrinter([](std::string_view) { throw std::runtime_error("the printer failed"); });
  EXPECT_NO_THROW(table_.print("x", 1));
  setHostPrinter({});
  EXPECT_STREQ(table_.last_error(), "the printer failed");
}

TEST_F(HostTableTest, HandlesOfWhatIsHeld) {
  const Device device = Device::open("cuda:0");
  const Module module = device.loadModule(Image::fromPtx(kPtx));
  HostFunction* function = hostHandle(*module.function("none"));
  EXPECT_EQ(table_.launch(function, &kOneBlock, nullptr, 0), 0);
  table_.function_release(function);
}

}  // namespace
}  // namespace cutwork

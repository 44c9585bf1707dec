// LaunchTest.cpp -- launches: the limits that are checked before, and what reaches the driver.
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "Fake.h"
#include "cutwork/Runtime/Module.h"
#include "cutwork/Runtime/Stream.h"

namespace cutwork {
namespace {

using test::fakeCuda;
using test::kPtx;
using test::refusalOf;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class LaunchTest : public test::WithFakeCuda {
 protected:
  explicit LaunchTest(const char* name = "cuda:0", std::string target = "sm_90a")
      : device_(*Device::open(name)), target_(std::move(target)) {}
  void SetUp() override {
    WithFakeCuda::SetUp();
    std::string text = kPtx;
    text.replace(text.find("sm_90a"), 6, target_);
    module_ = *device_.loadModule(Image::fromPtx(text));
    forget();
  }
  void TearDown() override {
    module_.reset();
    WithFakeCuda::TearDown();
  }
  Function kernel(const char* name) {
    if (!module_) throw std::logic_error("no module is loaded");
    return *module_->function(name);
  }
  std::string refused(const LaunchConfig& config, const char* name = "none") {
    const std::string text = refusalOf(kernel(name)(config));
    EXPECT_TRUE(fakeCuda().launches.empty()) << "checked before the launch";
    return text;
  }

  Device device_;
  std::string target_;
  std::optional<Module> module_;
};

TEST_F(LaunchTest, ParametersArriveAsTheyAre) {
  const std::uint64_t a = 0x1122334455667788;
  ASSERT_TRUE(kernel("add")({.grid = {3, 2, 1}, .block = {64}}, a, ~a, 7, 1.5F).ok());
  ASSERT_THAT(fakeCuda().launches, SizeIs(1));
  const test::FakeLaunch& launch = fakeCuda().launches[0];
  EXPECT_EQ(launch.kernel, "add");
  EXPECT_THAT(launch.grid, ElementsAre(3, 2, 1));
  EXPECT_THAT(launch.block, ElementsAre(64, 1, 1));
  EXPECT_EQ(launch.stream, nullptr);
  EXPECT_TRUE(launch.attributes.empty());
  ASSERT_THAT(launch.parameters, SizeIs(4));
  std::uint64_t first = 0;
  std::memcpy(&first, launch.parameters[0].data(), 8);
  EXPECT_EQ(first, a);
  EXPECT_THAT(launch.parameters[2], ElementsAre(7, 0, 0, 0));
  EXPECT_THAT(launch.parameters[3], ElementsAre(0, 0, 0xC0, 0x3F));
  EXPECT_EQ(fakeCuda().count("cuLaunchKernel"), 1) << "without attributes the plain entry is used";
}

TEST_F(LaunchTest, AttributesReachTheDriver) {
  const Stream stream = device_.createStream();
  ASSERT_TRUE(kernel("none")({.grid = {8, 4, 1},
                              .cluster = {4, 2, 1},
                              .stream = stream,
                              .cooperative = true,
                              .programmatic = true,
                              .sharedMemoryCarveout = 50})
                  .ok());
  const test::FakeLaunch& launch = fakeCuda().launches.at(0);
  EXPECT_EQ(launch.stream, static_cast<const void*>(stream.handle()));
  EXPECT_THAT(launch.attributes.at(4), ElementsAre(4, 2, 1));
  EXPECT_EQ(launch.attributes.at(2)[0], 1U);
  EXPECT_EQ(launch.attributes.at(6)[0], 1U);
  EXPECT_EQ(launch.attributes.at(14)[0], 50U);
  EXPECT_EQ(fakeCuda().functionAttributesSet.size(), 0U) << "8 blocks need no opt-in";
}

TEST_F(LaunchTest, OptInsAreMadeOnce) {
  const Function none = kernel("none");
  ASSERT_TRUE(none({.sharedMemory = 49152}).ok());
  EXPECT_EQ(fakeCuda().count("cuFuncSetAttribute"), 0);
  ASSERT_TRUE(none({.sharedMemory = 49153}).ok());
  EXPECT_EQ(fakeCuda().functionAttributesSet.at("none"), std::pair(8, 232448));
  ASSERT_TRUE(none({.sharedMemory = 232448}).ok());
  EXPECT_EQ(fakeCuda().launches.back().shared, 232448U);
  EXPECT_EQ(fakeCuda().count("cuFuncSetAttribute"), 1);
  ASSERT_TRUE(none({.grid = {16}, .cluster = {16}}).ok());
  EXPECT_EQ(fakeCuda().functionAttributesSet.at("none"), std::pair(14, 1));
  ASSERT_TRUE(none({.grid = {16}, .cluster = {16}}).ok());
  EXPECT_EQ(fakeCuda().count("cuFuncSetAttribute"), 2);
}

TEST_F(LaunchTest, LimitsNameWhatWasAskedAndWhatIsAllowed) {
  EXPECT_EQ(refused({.grid = {1, 1, 70000}}),
            "launch of 'none': grid.z is 70000: allowed are 1 to 65535");
  EXPECT_EQ(refused({.grid = {1, 65536, 1}}),
            "launch of 'none': grid.y is 65536: allowed are 1 to 65535");
  EXPECT_EQ(refused({.grid = {0}}), "launch of 'none': grid.x is 0: allowed are 1 to 2147483647");
  EXPECT_THAT(refused({.grid = {std::int64_t{1} << 32}}), HasSubstr("grid.x is 4294967296"));
  EXPECT_THAT(refused({.grid = {1, -1, 1}}), HasSubstr("grid.y is -1"));
  EXPECT_EQ(refused({.block = {2048}}), "launch of 'none': block.x is 2048: allowed are 1 to 1024");
  EXPECT_EQ(refused({.block = {64, 32, 1}}),
            "launch of 'none': block (64,32,1) has 2048 threads: allowed are 1024");
  EXPECT_THAT(refused({.block = {1, 1, 65}}), HasSubstr("block.z is 65: allowed are 1 to 64"));
  EXPECT_EQ(
      refused({.sharedMemory = 512 << 20}),
      "launch of 'none': 536870912 bytes of dynamic shared memory: allowed are 232448 (232448 "
      "less the 0 that the kernel declares)");
  EXPECT_THAT(refused({.sharedMemory = -1}), HasSubstr("-1 bytes"));
  EXPECT_THAT(refused({.sharedMemory = std::numeric_limits<std::int64_t>::max()}),
              HasSubstr("allowed are 232448"));
  EXPECT_THAT(refused({.block = {512}}, "add"),
              AllOf(HasSubstr("512 threads"), HasSubstr("this kernel allows 256")));
}

TEST_F(LaunchTest, Clusters) {
  EXPECT_EQ(refused({.grid = {6}, .cluster = {4}}),
            "launch of 'none': grid (6,1,1) is no multiple of cluster (4,1,1)");
  EXPECT_EQ(refused({.grid = {32}, .cluster = {32}}),
            "launch of 'none': cluster.x is 32: allowed are 1 to 16");
  EXPECT_EQ(refused({.grid = {8, 8, 1}, .cluster = {8, 4, 1}}),
            "launch of 'none': cluster (8,4,1) has 32 blocks: allowed are 16");
  EXPECT_THAT(refused({.grid = {8}, .cluster = {0}}), HasSubstr("cluster.x is 0"));
  EXPECT_EQ(refused({.grid = {4}, .cluster = {4}}, "pair"),
            "launch of 'pair': cluster (4,1,1): the kernel was compiled for (2,1,1)");
  EXPECT_EQ(refused({.grid = {3}}, "pair"),
            "launch of 'pair': grid (3,1,1) is no multiple of the kernel's cluster (2,1,1)");
  EXPECT_THAT(refused({.grid = {4}, .cluster = {2}, .preferredCluster = {4, 1, 1}}),
              HasSubstr("compute capability 10.0"));
  EXPECT_TRUE(kernel("pair")({.grid = {4}}, std::uint64_t{0}).ok());
}

class LaunchOnBlackwell : public LaunchTest {
 protected:
  LaunchOnBlackwell() : LaunchTest("cuda:2", "sm_100a") {}
};

TEST_F(LaunchOnBlackwell, PreferredClusters) {
  ASSERT_TRUE(kernel("none")({.grid = {8}, .cluster = {2}, .preferredCluster = {4, 1, 1}}).ok());
  EXPECT_THAT(fakeCuda().launches[0].attributes.at(4), ElementsAre(2, 1, 1));
  EXPECT_THAT(fakeCuda().launches[0].attributes.at(11), ElementsAre(4, 1, 1));
  fakeCuda().launches.clear();
  EXPECT_THAT(refused({.grid = {6}, .cluster = {2}, .preferredCluster = {3, 1, 1}}),
              HasSubstr("no multiple of cluster (2,1,1)"));
}

class LaunchOnAmpere : public LaunchTest {
 protected:
  LaunchOnAmpere() : LaunchTest("cuda:1", "sm_80") {}
};

TEST_F(LaunchOnAmpere, WhatItDoesNotHave) {
  EXPECT_EQ(refused({.grid = {2}, .cluster = {2}}),
            "launch of 'none': cluster (2,1,1): cuda:1 (sm_80) has no clusters");
  EXPECT_THAT(refused({.programmatic = true}), HasSubstr("compute capability 9.0"));
}

TEST_F(LaunchTest, ParametersAreCounted) {
  const Function add = kernel("add");
  EXPECT_EQ(refusalOf(add({}, std::uint64_t{0})),
            "launch of 'add': 1 parameters are passed, and the kernel has 4");
  EXPECT_EQ(refusalOf(add({}, std::uint64_t{0}, std::uint64_t{0}, std::int64_t{0}, 1.0F)),
            "launch of 'add': parameter 2 has 4 bytes, and the value passed has 8");
  const std::uint64_t value = 0;
  const std::array<const void*, 4> parameters = {&value, nullptr, &value, &value};
  EXPECT_EQ(refusalOf(add.launch({}, parameters)), "launch of 'add': no value for parameter 1");
  EXPECT_TRUE(fakeCuda().launches.empty());
}

TEST_F(LaunchTest, ATensorMapIsPassedByValue) {
  TensorMap map{};
  map.bytes[127] = 9;
  ASSERT_TRUE(kernel("tma")({}, map).ok());
  EXPECT_EQ(fakeCuda().launches[0].parameters[0].size(), 128U);
  EXPECT_EQ(fakeCuda().launches[0].parameters[0][127], 9);
}

TEST_F(LaunchTest, PreparedLaunchesAreRepeated) {
  const Stream stream = device_.createStream();
  const Launch launch = kernel("add").prepare({.grid = {5}, .block = {32}, .stream = stream});
  std::uint64_t a = 1;
  std::uint32_t n = 2;
  const std::array<const void*, 4> parameters = {&a, &a, &n, &n};
  ASSERT_TRUE(launch.run(parameters.data()).ok());
  n = 3;
  ASSERT_TRUE(launch.run(parameters.data(), nullptr).ok());
  ASSERT_THAT(fakeCuda().launches, SizeIs(2));
  EXPECT_EQ(fakeCuda().launches[0].parameters[2][0], 2);
  EXPECT_EQ(fakeCuda().launches[1].parameters[2][0], 3);
  EXPECT_EQ(fakeCuda().launches[0].stream, static_cast<const void*>(stream.handle()));
  EXPECT_EQ(fakeCuda().launches[1].stream, nullptr);
  EXPECT_THAT(refusalOf(kernel("add").prepare({.block = {512}})), HasSubstr("allows 256"));
  const Launch cluster = kernel("none").prepare({.grid = {4}, .cluster = {2}});
  ASSERT_TRUE(cluster.run(nullptr).ok());
  ASSERT_TRUE(cluster.run(nullptr).ok());
  EXPECT_THAT(fakeCuda().launches[3].attributes.at(4), ElementsAre(2, 1, 1));
}

TEST_F(LaunchTest, APreparedLaunchKeepsTheModule) {
  std::optional<Launch> launch(*kernel("none").prepare({}));
  module_.reset();
  EXPECT_TRUE(launch->run(nullptr).ok());
  launch.reset();
  EXPECT_EQ(fakeCuda().count("cuModuleUnload"), 1);
}

TEST_F(LaunchTest, AFailureOfTheDriverNamesTheLaunch) {
  fakeCuda().failing["cuLaunchKernel"] = 1;
  EXPECT_EQ(refusalOf(kernel("none")({.grid = {7}, .block = {32}}), ErrorKind::Device),
            "launch of 'none' (grid (7,1,1), block (32,1,1), 0 bytes of dynamic shared memory): "
            "CUDA_ERROR_INVALID_VALUE (1): as the fake driver was told");
}

TEST_F(LaunchTest, TheDevicesContextIsCurrentWhileLaunching) {
  const Device other = Device::open("cuda:3");
  std::string text = kPtx;
  text.replace(text.find("sm_90a"), 6, "sm_120a");
  const Module there = other.loadModule(Image::fromPtx(text));
  ASSERT_TRUE((*there.function("none"))({}).ok());
  ASSERT_TRUE(kernel("none")({}).ok());
  EXPECT_EQ(fakeCuda().launches[0].device, 3);
  EXPECT_EQ(fakeCuda().launches[1].device, 0);
}

TEST_F(LaunchTest, Occupancy) {
  EXPECT_EQ(*kernel("none").activeBlocks({.block = {256}}), 8);
  EXPECT_EQ(*kernel("none").activeClusters({.grid = {4}, .cluster = {2}}), 66);
}

}  // namespace
}  // namespace cutwork

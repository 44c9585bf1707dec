// ModuleTest.cpp -- images and their targets; loading, remembering and unloading modules.
#include "cutwork/Runtime/Module.h"

#include <future>

#include "Fake.h"
#include "StubDevice.h"
#include "cutwork/Runtime/DriverAssembler.h"

namespace cutwork {
namespace {

using test::fakeCubin;
using test::fakeCuda;
using test::kPtx;
using test::refusalOf;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ModuleTest : public test::WithFakeCuda {
 protected:
  Device device_ = *Device::open("cuda:0");
};

std::string ptxFor(const std::string& target) {
  std::string text = kPtx;
  return text.replace(text.find("sm_90a"), 6, target);
}

TEST_F(ModuleTest, KernelsAreFoundByName) {
  const Module module = device_.loadModule(Image::fromPtx(kPtx));
  const Function add = module.function("add");
  EXPECT_EQ(add.name(), "add");
  EXPECT_EQ(add.properties().maxThreadsPerBlock, 256);
  ASSERT_TRUE(add.properties().parametersKnown);
  ASSERT_EQ(add.properties().parameters.size(), 4U);
  EXPECT_EQ(add.properties().parameters[2].offset, 16);
  EXPECT_EQ(add.properties().parameters[2].size, 4);
  // Tools that watch the driver report calls that fail: none does.
  EXPECT_EQ(fakeCuda().count("cuFuncGetParamInfo"), 4);
  EXPECT_EQ(module.function("pair")->properties().requiredCluster, (Dim3{2, 1, 1}));
  EXPECT_EQ(add.handle(), module.function("add")->handle());
  EXPECT_EQ(fakeCuda().count("cuModuleGetFunction"), 2) << "one for each kernel";
  EXPECT_EQ(refusalOf(module.function("gone")), "the module has no kernel named 'gone'");
  EXPECT_FALSE(module.function("").ok());
  EXPECT_EQ(module.global("table")->bytes, 64);
  EXPECT_EQ(refusalOf(module.global("gone")), "the module has no variable named 'gone'");
}

TEST(PtxParameterCount, IsThatOfTheKernel) {
  constexpr std::string_view kText =
      "// .entry no(.param .u64 x)\n.visible .entry none\n{ ret; }\n.entry empty()\n{ ret; }\n"
      ".func (.param .b32 r) f(.param .b32 a, .param .b32 b) { ret; }\n.file 1 \".entry s(\"\n"
      ".visible .entry k$1(.param .align 8 .b8 x[16],/* .param .u32 y, ) */\n\t.param .u64 .ptr "
      ".global .align 16 z // .param\n)\n.maxntid 32 { .param .b32 inside; ret; }\n.entry "
      "cut(.param";
  EXPECT_EQ(ptxParameterCount(kText, "no"), std::nullopt);
  EXPECT_EQ(ptxParameterCount(kText, "f"), std::nullopt);
  EXPECT_EQ(ptxParameterCount(kText, "none"), 0U);
  EXPECT_EQ(ptxParameterCount(kText, "empty"), 0U);
  EXPECT_EQ(ptxParameterCount(kText, "k$1"), 2U);
  EXPECT_EQ(ptxParameterCount(kText, "cut"), 1U);
  EXPECT_EQ(ptxParameterCount({}, "k"), std::nullopt);
}

TEST_F(ModuleTest, TheSameImageIsLoadedOnce) {
  {
    const Module first = device_.loadModule(Image::fromPtx(kPtx));
    const Module second = device_.loadModule(Image::fromPtx(kPtx));
    EXPECT_EQ(first, second);
    EXPECT_EQ(fakeCuda().count("cuModuleLoadDataEx"), 1);
    const Module other = device_.loadModule(Image::fromPtx(std::string(kPtx) + "\n"));
    EXPECT_FALSE(first == other);
  }
  EXPECT_EQ(fakeCuda().count("cuModuleUnload"), 2);
  const Module again = device_.loadModule(Image::fromPtx(kPtx));
  EXPECT_EQ(fakeCuda().count("cuModuleLoadDataEx"), 3);
}

TEST_F(ModuleTest, AFunctionKeepsItsModule) {
  std::optional<Function> function;
  {
    const Module module = device_.loadModule(Image::fromPtx(kPtx));
    function = *module.function("none");
  }
  EXPECT_EQ(fakeCuda().count("cuModuleUnload"), 0);
  EXPECT_TRUE((*function)({}).ok());
  function.reset();
  EXPECT_EQ(fakeCuda().count("cuModuleUnload"), 1);
}

TEST_F(ModuleTest, ManyThreadsLoadTheSameImage) {
  std::vector<std::future<Module>> futures;
  futures.reserve(8);
  for (int i = 0; i < 8; ++i) {
    futures.push_back(std::async(std::launch::async, [&] {
      const Module module = device_.loadModule(Image::fromPtx(kPtx));
      EXPECT_TRUE(module.function("add").ok());
      return module;
    }));
  }
  const Module first = futures.front().get();
  for (std::size_t i = 1; i < futures.size(); ++i) EXPECT_EQ(futures[i].get(), first);
}

TEST_F(ModuleTest, ACubinIsPreferred) {
  Image image = Image::fromPtx(kPtx);
  image.cubin = fakeCubin(90);
  const Module module = device_.loadModule(image);
  EXPECT_TRUE(module.function("add").ok());
  EXPECT_EQ(*choosePart(image, device_.properties()), ImagePart::Cubin);
  // A cubin for another device does no harm where the PTX can be used.
  image.cubin = fakeCubin(80);
  EXPECT_EQ(*choosePart(image, device_.properties()), ImagePart::Ptx);
  EXPECT_TRUE(device_.loadModule(image).ok());
}

TEST_F(ModuleTest, WhichTargetsRunWhere) {
  const Device a100 = Device::open("cuda:1");
  const Device b200 = Device::open("cuda:2");
  const Device rtx = Device::open("cuda:3");
  const auto loads = [](const Device& device, const std::string& target) {
    return device.loadModule(Image::fromPtx(ptxFor(target))).ok();
  };
  EXPECT_TRUE(loads(device_, "sm_90a"));
  EXPECT_TRUE(loads(device_, "sm_80"));
  EXPECT_TRUE(loads(device_, "sm_90a, debug"));
  EXPECT_TRUE(loads(device_, "sm_75")) << "not in our table: the driver decides";
  EXPECT_FALSE(loads(device_, "sm_100"));
  EXPECT_FALSE(loads(b200, "sm_90a"));
  EXPECT_TRUE(loads(b200, "sm_90"));
  EXPECT_TRUE(loads(b200, "sm_100f"));
  EXPECT_FALSE(loads(b200, "sm_103f"));
  EXPECT_FALSE(loads(rtx, "sm_100f"));
  EXPECT_THAT(refusalOf(a100.loadModule(Image::fromPtx(kPtx))),
              AllOf(HasSubstr("another architecture"), HasSubstr("sm_90a"), HasSubstr("cuda:1"),
                    HasSubstr("8.0")));
  const auto cubinLoads = [&](int capability, std::optional<Target> target = {}) {
    return device_.loadModule(Image::fromCubin(fakeCubin(capability), target)).ok();
  };
  EXPECT_TRUE(cubinLoads(90));
  EXPECT_TRUE(cubinLoads(90, Target{90, Target::Suffix::Architecture}));
  EXPECT_FALSE(cubinLoads(80));
  EXPECT_FALSE(cubinLoads(100));
  EXPECT_FALSE(cubinLoads(90, Target{100, Target::Suffix::Family}));
  EXPECT_TRUE(a100.loadModule(Image::fromCubin(fakeCubin(80, ptxFor("sm_80"), 7))).ok());
  EXPECT_FALSE(a100.loadModule(Image::fromCubin(fakeCubin(86, ptxFor("sm_80"), 7))).ok());
}

TEST_F(ModuleTest, WhatIsNoModule) {
  EXPECT_THAT(refusalOf(device_.loadModule({})), HasSubstr("empty image"));
  EXPECT_THAT(refusalOf(device_.loadModule(Image::fromPtx("hello"))), HasSubstr("names no target"));
  EXPECT_THAT(refusalOf(device_.loadModule(Image::fromCubin({std::byte{1}, std::byte{2}}))),
              HasSubstr("no cubin"));
  EXPECT_THAT(
      refusalOf(device_.loadModule(Image::fromCubin(std::vector<std::byte>(100, std::byte{0})))),
      HasSubstr("no cubin"));
  // The assembler's own words come along.
  EXPECT_THAT(refusalOf(device_.loadModule(Image::fromPtx(std::string(kPtx) + "bogus"))),
              AllOf(HasSubstr("CUDA_ERROR_INVALID_PTX"), HasSubstr("ptxas line 3; error : bogus")));
}

TEST_F(ModuleTest, TargetOfAPtx) {
  EXPECT_EQ(ptxTargetName("//\n// .target sm_80\n  .target  sm_90a , debug // x\n"),
            std::optional<std::string>("sm_90a"));
  EXPECT_EQ(ptxTargetName(".version 8.0\r\n.target sm_80\r\n"),
            std::optional<std::string>("sm_80"));
  EXPECT_EQ(ptxTargetName("").has_value(), false);
  EXPECT_EQ(ptxTargetName(".target"), std::optional<std::string>(""));
}

TEST_F(ModuleTest, ASimulatedDeviceTakesThePtx) {
  const auto stub = std::make_shared<test::StubDevice>("stub:ptx");
  const Device device = Device::over(stub);
  Image image = Image::fromPtx(kPtx);
  image.cubin = fakeCubin(90);
  const Module module = device.loadModule(image);
  EXPECT_EQ(stub->loaded.ptx, kPtx);
  EXPECT_TRUE(stub->loaded.cubin.empty());
  EXPECT_THAT(refusalOf(device.loadModule(Image::fromCubin(fakeCubin(90)))),
              HasSubstr("stub:ptx reads PTX"));
  EXPECT_FALSE(device.loadModule(Image::fromPtx(ptxFor("sm_100a"))).ok());
}

TEST_F(ModuleTest, TheDriverAssembles) {
  const DriverAssembly made = assembleWithDriver(device_, kPtx);
  EXPECT_EQ(made.cubin.size(), std::string(kPtx).size() + 1);
  EXPECT_EQ(made.log, "fake log");
  EXPECT_THAT(refusalOf(assembleWithDriver(device_, "bogus")), HasSubstr("INVALID_PTX"));
  EXPECT_EQ(fakeCuda().count("cuLinkDestroy"), 2);
  const Device stub = Device::over(std::make_shared<test::StubDevice>("stub:y"));
  EXPECT_THAT(refusalOf(assembleWithDriver(stub, kPtx)), HasSubstr("no CUDA device"));
}

}  // namespace
}  // namespace cutwork

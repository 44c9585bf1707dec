// AssemblerTest.cpp -- PTX to cubin by each tool: order, resources, remarks and errors at the
// user's line.
//
// The tools are those of .venv (scripts/requirements.txt), never a toolkit of the machine: the
// knobs are set in every test. A tool that is missing fails the tests that need it.
#include "cutwork/Codegen/Assembler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "../Support/Environment.h"
#include "cutwork/Support/Log.h"

namespace cutwork {
namespace {

using test::ScopedFile;
using test::ScopedVariable;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr Target kHopper{90, Target::Suffix::Architecture};

/// A file of .venv's packages, whichever Python it has.
std::string fromPackages(const std::string& name) {
  const std::filesystem::path lib = std::filesystem::path(CUTWORK_SOURCE_DIR) / ".venv/lib";
  std::error_code ignored;
  for (const auto& python : std::filesystem::directory_iterator(lib, ignored)) {
    const auto file = python.path() / "site-packages" / name;
    if (std::filesystem::exists(file)) return file;
  }
  return "not-installed-run-scripts-setup/" + name;
}
std::string nvJitLink() { return fromPackages("nvidia/cu13/lib/libnvJitLink.so.13"); }
std::string ptxas() { return fromPackages("nvidia/cu13/bin/ptxas"); }

/// A test with only the tools that it names.
struct Tools {
  Tools(const std::string& library, const std::string& program)
      : nvjitlink("CUTWORK_NVJITLINK", library),
        ptxas("CUTWORK_PTXAS", program),
        environment("VIRTUAL_ENV", std::nullopt) {}
  ScopedVariable nvjitlink;
  ScopedVariable ptxas;
  ScopedVariable environment;
};

const std::string kSmall = R"(.version 8.0
.target sm_90a
.address_size 64
.file 1 "/src/u/scale.py"
.visible .entry scale(.param .u64 out)
{
	.reg .b64 %d<3>;
	.shared .align 16 .b8 buffer[1024];
	.loc	1 12 5
	ld.param.u64 %d1, [out];
	cvta.to.global.u64 %d1, %d1;
	.loc	1 13 7
	bar.sync 0;
	st.global.u64 [%d1], %d1;
	ret;
}
.visible .entry second()
{
	ret;
}
)";

/// setmaxnreg, which needs a register count that is known at entry.
const std::string kSetMaxNReg = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry kern(.param .u64 out) .maxntid 384,1,1 .minnctapersm 1
{
  .reg .b64 %d<3>; .reg .b32 %r<3>; .reg .pred %p<3>;
  ld.param.u64 %d2,[out];
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 128;
  @%p1 bra A;
  setmaxnreg.inc.sync.aligned.u32 240;
  st.global.u32 [%d2], %r1;
  ret;
A:
  setmaxnreg.dec.sync.aligned.u32 24;
  st.global.u32 [%d2+4], %r1;
  ret;
}
)";

/// A result of wgmma that is used before it is waited for.
const std::string kEarlyUse = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry kern(.param .u64 out, .param .u64 desc)
{
  .reg .f32 %f<9>; .reg .b64 %d<8>; .reg .pred %p<3>;
  .loc 1 10 3
  ld.param.u64 %d1,[desc];
  ld.param.u64 %d2,[out];
  mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f00000000;
  mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f00000000;
  wgmma.fence.sync.aligned;
  setp.ne.b32 %p1, 1, 0;
  .loc 1 13 5
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %d1, %d1, %p1, 1, 1, 0, 0;
  .loc 1 14 5
  add.f32 %f0, %f0, 0f3f800000;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %d1, %d1, %p1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  st.global.f32 [%d2], %f0;
  ret;
}
.file 1 "/src/u/gemm.py"
)";

/// More values than registers are allowed.
std::string spilling() {
  std::string text =
      ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry spill(.param .u64 out) "
      ".maxnreg 32\n{\n .reg .f32 %f<200>; .reg .b64 %d<3>;\n ld.param.u64 %d1,[out];\n";
  constexpr int kValues = 150;
  for (int i = 0; i < kValues; ++i) {
    text += " ld.volatile.global.f32 %f" + std::to_string(i) + ",[%d1+" + std::to_string(4 * i) +
            "];\n";
  }
  for (int i = 0; i < kValues; ++i) {
    text += " st.volatile.global.f32 [%d1+" + std::to_string(4 * (kValues - 1 - i)) + "],%f" +
            std::to_string(i) + ";\n";
  }
  return text + " ret;\n}\n";
}

std::string refusalOf(const Expected<Assembled>& result) {
  if (result.ok()) return "(no error)";
  EXPECT_EQ(result.error().kind(), ErrorKind::User);
  return result.error().message();
}

bool isElf(const std::vector<std::byte>& bytes) {
  return bytes.size() > 64 && bytes[0] == std::byte{0x7f} && bytes[1] == std::byte{'E'};
}

class EachTool : public ::testing::TestWithParam<const char*> {
 protected:
  EachTool()
      : tools_(GetParam() == std::string("nvJitLink") ? nvJitLink() : "none",
               GetParam() == std::string("ptxas") ? ptxas() : "none") {}
  Tools tools_;
};
INSTANTIATE_TEST_SUITE_P(Assembler, EachTool, ::testing::Values("nvJitLink", "ptxas"),
                         [](const auto& parameter) { return std::string(parameter.param); });

TEST_P(EachTool, GivesACubinAndTheResourcesOfEachKernel) {
  const Assembled made = assemble(kSmall, kHopper);
  EXPECT_TRUE(isElf(made.cubin));
  EXPECT_THAT(made.assembler, StartsWith(std::string(GetParam()) + " 13.0 ("));
  ASSERT_THAT(made.entries, SizeIs(2));
  const EntryResources& scale = made.entries[0].name == "scale" ? made.entries[0] : made.entries[1];
  EXPECT_GT(scale.registers, 0);
  EXPECT_EQ(scale.barriers, 1);
  EXPECT_EQ(scale.sharedMemory, 1024);
  EXPECT_EQ(scale.spillStores, 0);
  EXPECT_THAT(made.remarks, SizeIs(0));
}

TEST_P(EachTool, CountsSpills) {
  const Assembled made = assemble(spilling(), kHopper, {.ptxasOptions = {"-warn-spills"}});
  ASSERT_THAT(made.entries, SizeIs(1));
  EXPECT_EQ(made.entries[0].registers, 32);
  EXPECT_GT(made.entries[0].stack, 100);
  EXPECT_GT(made.entries[0].spillStores, 100);
  EXPECT_GT(made.entries[0].spillLoads, 100);
  ASSERT_THAT(made.remarks, SizeIs(1));
  EXPECT_EQ(made.remarks[0].function, "spill");
  EXPECT_THAT(made.remarks[0].text, HasSubstr("Registers are spilled"));
}

TEST_P(EachTool, RemarksAreAtTheUsersLine) {
  const Assembled made = assemble(kEarlyUse, kHopper);
  const AssemblerRemark* found = nullptr;
  for (const AssemblerRemark& remark : made.remarks) {
    if (remark.code == "C7517") found = &remark;
  }
  ASSERT_NE(found, nullptr) << made.log;
  EXPECT_EQ(found->function, "kern");
  EXPECT_GT(found->ptxLine, 0);
  EXPECT_EQ(found->place.file, "/src/u/gemm.py");
  EXPECT_GE(found->place.line, 13U);
  EXPECT_LE(found->place.line, 14U);
}

TEST_P(EachTool, ErrorsHaveThePtxLineAndTheUsersLine) {
  std::string bad = kSmall;
  bad.replace(bad.find("st.global.u64"), 13, "st.bogus.u64 ");
  const Expected<Assembled> result = assemble(bad, kHopper);
  EXPECT_THAT(refusalOf(result),
              AllOf(StartsWith(std::string(GetParam()) + " 13.0"), HasSubstr("refuses the PTX"),
                    HasSubstr(".bogus"), HasSubstr("PTX line 14, /src/u/scale.py:13:7:"),
                    HasSubstr("st.bogus.u64")));
  EXPECT_EQ(result.error().place().text(), "/src/u/scale.py:13:7");
}

TEST_P(EachTool, LevelsAndLimits) {
  for (int level = 0; level <= 3; ++level) {
    EXPECT_TRUE(assemble(kSmall, kHopper, {.optimizationLevel = level}).ok()) << level;
  }
  EXPECT_THAT(refusalOf(assemble(kSmall, kHopper, {.optimizationLevel = 4})), HasSubstr("0 to 3"));
  EXPECT_TRUE(assemble(kSmall, kHopper, {.lineInfo = false, .maxRegisters = 32}).ok());
}

TEST_P(EachTool, ThreadsDoNotMix) {
  std::vector<std::future<Assembled>> futures;
  futures.reserve(4);
  for (int i = 0; i < 4; ++i) {
    futures.push_back(std::async(
        std::launch::async, [i] { return *assemble(i % 2 == 0 ? kSmall : kEarlyUse, kHopper); }));
  }
  for (int i = 0; i < 4; ++i) {
    const Assembled made = futures[static_cast<std::size_t>(i)].get();
    EXPECT_EQ(made.entries.size(), i % 2 == 0 ? 2U : 1U);
  }
}

TEST(AssemblerTools, AreThoseThatWouldBeUsed) {
  const Tools tools(nvJitLink(), ptxas());
  const std::vector<AssemblerTool> found = assemblerTools();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].kind, "nvJitLink");
  EXPECT_EQ(found[0].version, "13.0");
  EXPECT_EQ(found[0].path, nvJitLink());
  EXPECT_EQ(found[0].reason, "");
  EXPECT_EQ(found[1].kind, "ptxas");
  EXPECT_EQ(found[1].version, "13.0");
  EXPECT_EQ(found[1].path, ptxas());
  EXPECT_EQ(found[1].reason, "");
}

TEST(AssemblerTools, SayWhyTheyCannotBeUsed) {
  const Tools tools("/nowhere/lib.so", "/nowhere/ptxas");
  const std::vector<AssemblerTool> found = assemblerTools();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found[0].reason, HasSubstr("/nowhere/lib.so"));
  EXPECT_THAT(found[1].reason, HasSubstr("/nowhere/ptxas"));
  EXPECT_EQ(found[0].path + found[1].path + found[0].version + found[1].version, "");
  const Tools none("none", "none");
  EXPECT_EQ(assemblerTools()[0].reason, "CUTWORK_NVJITLINK=none");
  EXPECT_EQ(assemblerTools()[1].reason, "CUTWORK_PTXAS=none");
}

TEST(Assembler, NvJitLinkComesFirst) {
  const Tools tools(nvJitLink(), ptxas());
  EXPECT_THAT(assemble(kSmall, kHopper)->assembler, StartsWith("nvJitLink"));
}

TEST(Assembler, TheLogSaysWhich) {
  const ScopedFile log("assembler-log");
  {
    const ScopedVariable level("CUTWORK_LOG", "info:" + log.path());
    const Tools tools(nvJitLink(), ptxas());
    EXPECT_TRUE(assemble(kSmall, kHopper).ok());
  }
  EXPECT_THAT(test::readFile(log.path()),
              AllOf(HasSubstr("cutwork: info: assemble "), HasSubstr(" ms by nvJitLink 13.0 (")));
}

TEST(Assembler, SetMaxNRegGoesToPtxasAndIsHonoured) {
  const Tools tools(nvJitLink(), ptxas());
  const Assembled made = assemble(kSetMaxNReg, kHopper);
  EXPECT_THAT(made.assembler, StartsWith("ptxas"));
  EXPECT_EQ(made.entries.at(0).registers, 168) << "65536 registers over 384 threads";
  EXPECT_THAT(made.remarks, SizeIs(0));
}

TEST(Assembler, NvJitLinkIgnoresSetMaxNRegAndSaysSo) {
  const Tools tools(nvJitLink(), "none");
  const Assembled made = assemble(kSetMaxNReg, kHopper);
  ASSERT_THAT(made.remarks, SizeIs(1));
  EXPECT_EQ(made.remarks[0].code, "C7504");
  EXPECT_THAT(made.remarks[0].text, HasSubstr("'setmaxnreg' ignored"));
}

TEST(Assembler, SetMaxNRegIsLeftToTheDriverWithoutPtxas) {
  const Tools tools(nvJitLink(), "none");
  AssembleOptions options;
  options.driver = [&](const std::string&) -> Expected<DriverCubin> { return DriverCubin{}; };
  const Assembled made = assemble(kSetMaxNReg, kHopper, options);
  EXPECT_EQ(made.assembler, "the CUDA driver, when it is loaded");
  EXPECT_TRUE(made.cubin.empty());
}

TEST(Assembler, TheDriverComesLast) {
  AssembleOptions options;
  int asked = 0;
  options.driver = [&](const std::string&) -> Expected<DriverCubin> {
    ++asked;
    return DriverCubin{std::vector<std::byte>(100), ""};
  };
  {
    const Tools tools(nvJitLink(), ptxas());
    EXPECT_THAT(assemble(kSmall, kHopper, options)->assembler, StartsWith("nvJitLink"));
    EXPECT_EQ(asked, 0);
  }
  const Tools tools("none", "/nowhere/ptxas");
  EXPECT_EQ(assemble(kSmall, kHopper, options)->assembler, "the CUDA driver");
  options.driver = [](const std::string&) -> Expected<DriverCubin> {
    return userError("ptxas application ptx input, line 14; error   : Wrong");
  };
  EXPECT_THAT(refusalOf(assemble(kSmall, kHopper, options)),
              AllOf(HasSubstr("the CUDA driver refuses the PTX"), HasSubstr("scale.py:13")));
  options.driver = [](const std::string&) -> Expected<DriverCubin> {
    return deviceError("no CUDA driver: none");
  };
  EXPECT_THAT(refusalOf(assemble(kSmall, kHopper, options)), HasSubstr("no CUDA driver: none"));
}

TEST(Assembler, WithoutAnyToolTheErrorSaysWhatWasTried) {
  const Tools tools("/nowhere/libnvJitLink.so", "/nowhere/ptxas");
  EXPECT_THAT(
      refusalOf(assemble(kSmall, kHopper)),
      AllOf(HasSubstr("no assembler"), HasSubstr("sm_90a"), HasSubstr("/nowhere/libnvJitLink.so"),
            HasSubstr("/nowhere/ptxas: No such file"), HasSubstr("there is no CUDA device"),
            HasSubstr("nvidia-nvjitlink"), HasSubstr("CUTWORK_PTXAS")));
  const Tools none("none", "none");
  EXPECT_THAT(refusalOf(assemble(kSmall, kHopper)), HasSubstr("CUTWORK_NVJITLINK=none"));
}

TEST(Assembler, ToolsThatAreNone) {
  const Tools other("libm.so.6", "/bin/false");
  EXPECT_THAT(refusalOf(assemble(kSmall, kHopper)),
              AllOf(HasSubstr("libm.so.6: this library is no nvJitLink"),
                    HasSubstr("/bin/false: exit status 1")));
  const Tools silent("none", "/bin/true");
  EXPECT_THAT(refusalOf(assemble(kSmall, kHopper)), HasSubstr("/bin/true: wrote no cubin"));
}

TEST(Assembler, AToolThatIsTooOldIsPassedOver) {
  std::string newer = kSmall;
  newer.replace(newer.find("8.0"), 3, "9.9");
  const Tools tools(nvJitLink(), ptxas());
  AssembleOptions options;
  options.driver = [](const std::string&) -> Expected<DriverCubin> {
    return DriverCubin{std::vector<std::byte>(100), ""};
  };
  EXPECT_EQ(assemble(newer, kHopper, options)->assembler, "the CUDA driver");
  options.driver = {};
  EXPECT_THAT(refusalOf(assemble(newer, kHopper)),
              AllOf(HasSubstr("no assembler"), HasSubstr("Unsupported .version 9.9")));
}

TEST(Assembler, ToolsAreFoundInPackages) {
  const ScopedVariable library("CUTWORK_NVJITLINK", std::nullopt);
  const ScopedVariable program("CUTWORK_PTXAS", std::nullopt);
  {
    const ScopedVariable active("VIRTUAL_ENV", std::string(CUTWORK_SOURCE_DIR) + "/.venv");
    EXPECT_THAT(assemble(kSmall, kHopper)->assembler,
                AllOf(StartsWith("nvJitLink"), HasSubstr(nvJitLink())));
    EXPECT_THAT(assemble(kSetMaxNReg, kHopper)->assembler,
                AllOf(StartsWith("ptxas"), HasSubstr(ptxas())));
  }
  const ScopedVariable none("VIRTUAL_ENV", std::nullopt);
  const std::filesystem::path packages =
      std::filesystem::path(nvJitLink()).parent_path().parent_path().parent_path().parent_path();
  EXPECT_THAT(assemble(kSmall, kHopper, {.packageFolders = {packages}})->assembler,
              HasSubstr(nvJitLink()));
}

TEST(Assembler, WhatIsNoPtx) {
  const Tools tools(nvJitLink(), ptxas());
  EXPECT_THAT(refusalOf(assemble("", kHopper)), HasSubstr("no PTX"));
  EXPECT_THAT(refusalOf(assemble("hello", kHopper)), HasSubstr("no PTX"));
  EXPECT_THAT(refusalOf(assemble(".version", kHopper)), HasSubstr("refuses the PTX"));
  EXPECT_THAT(refusalOf(assemble(std::string(".version 8.0\0.target", 20), kHopper)),
              HasSubstr("refuses the PTX"));
  EXPECT_THAT(refusalOf(assemble(kSmall, Target{100, Target::Suffix::Architecture})),
              HasSubstr("refuses"));
}

TEST(PlaceOfPtxLine, IsTheLastLocOfTheFunction) {
  EXPECT_EQ(placeOfPtxLine(kSmall, 14).text(), "/src/u/scale.py:13:7");
  EXPECT_EQ(placeOfPtxLine(kSmall, 11).text(), "/src/u/scale.py:12:5");
  EXPECT_FALSE(placeOfPtxLine(kSmall, 8).known());
  EXPECT_FALSE(placeOfPtxLine(kSmall, 19).known()) << "the second function has none";
  EXPECT_FALSE(placeOfPtxLine(kSmall, 0).known());
  EXPECT_FALSE(placeOfPtxLine("", 5).known());
  EXPECT_FALSE(placeOfPtxLine(".loc 1 2 3\n.loc\n.loc x", 3).known());
}

}  // namespace
}  // namespace cutwork

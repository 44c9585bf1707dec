// Fake.h -- for tests of the runtime: the fake CUDA driver, and what is passed to it.
#pragma once

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "../Support/Environment.h"
#include "cutwork/Runtime/Device.h"
#include "fake/FakeDriver.h"

namespace cutwork::test {

/// The fake driver's state, shared by the whole program.
inline FakeCuda& fakeCuda() {
  static FakeCuda* const state = [] {
    void* library = dlopen(CUTWORK_FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL);
    auto getter =
        library == nullptr ? nullptr : reinterpret_cast<FakeCudaGetter>(dlsym(library, "fakeCuda"));
    if (getter == nullptr) throw std::runtime_error(dlerror());
    return getter();
  }();
  return *state;
}

/// A test with the fake driver in place of NVIDIA's, and nothing recorded yet.
class WithFakeCuda : public ::testing::Test {
 protected:
  WithFakeCuda() : driver_("CUTWORK_CUDA_DRIVER", CUTWORK_FAKE_DRIVER) {}
  void SetUp() override {
    forget();
    liveBefore_ = fakeCuda().live;
  }
  void TearDown() override {
    EXPECT_EQ(fakeCuda().live, liveBefore_) << "something was not given back";
  }
  static void forget() {
    fakeCuda().calls.clear();
    fakeCuda().failing.clear();
    fakeCuda().launches.clear();
    fakeCuda().tensorMaps.clear();
    fakeCuda().functionAttributesSet.clear();
  }

 private:
  ScopedVariable driver_;
  int liveBefore_ = 0;
};

inline constexpr const char* kPtx = R"(
.version 8.0
.target sm_90a
.address_size 64
.global .b8 table[64];
.visible .entry none() { ret; }
.visible .entry add(.param .u64 a, .param .u64 b, .param .u32 n, .param .f32 x) .maxntid 256, 1, 1
{ ret; }
.visible .entry tma(.param .align 64 .b8 map[128]) { ret; }
.visible .entry pair(.param .u64 a) .reqnctapercluster 2, 1, 1 { ret; }
)";

/// What stands for a cubin: an ELF header for a capability, then a PTX text.
inline std::vector<std::byte> fakeCubin(int capability, const std::string& ptx = kPtx,
                                        int abi = 8) {
  std::vector<std::byte> bytes(64 + ptx.size() + 1);
  std::memcpy(bytes.data(),
              "\x7f"
              "ELF",
              4);
  bytes[8] = static_cast<std::byte>(abi);
  bytes[18] = std::byte{190};
  bytes[static_cast<std::size_t>(abi >= 8 ? 49 : 48)] = static_cast<std::byte>(capability);
  std::memcpy(bytes.data() + 64, ptx.c_str(), ptx.size() + 1);
  return bytes;
}

/// The message of what must be an error of that kind.
template <class T>
std::string refusalOf(const Expected<T>& result, ErrorKind kind = ErrorKind::User) {
  if (result.ok()) return "(no error)";
  EXPECT_EQ(result.error().kind(), kind) << result.error().message();
  return result.error().message();
}

}  // namespace cutwork::test

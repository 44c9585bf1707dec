// LaunchOverhead.cpp -- what a launch costs the caller above a bare cuLaunchKernel, in the same
// run.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "Check.h"
#include "CudaDriver.h"
#include "Kernels.h"
#include "cutwork/Codegen/Assembler.h"
#include "cutwork/Runtime/DriverAssembler.h"
#include "cutwork/Runtime/HostTable.h"
#include "cutwork/Runtime/Module.h"
#include "cutwork/Runtime/Stream.h"

namespace cutwork::gpu {

namespace {

using Clock = std::chrono::steady_clock;

/// The kernel's handle in the driver, from a module of our own.
cuda::Function bareFunction(const cuda::Driver& driver, const std::string& name) {
  cuda::Module module = nullptr;
  cuda::Function function = nullptr;
  const std::string ptx = emptyKernels();
  driver.cuModuleLoadDataEx(&module, ptx.c_str(), 0, nullptr, nullptr);
  driver.cuModuleGetFunction(&function, module, name.c_str());
  return function;
}

struct Times {
  double least = 0;
  double median = 0;
};

/// Each way in turn, many rounds: a batch is timed, and waited for outside the time.
std::vector<Times> measure(const Stream& stream, const std::vector<std::function<void()>>& ways) {
  constexpr int kRounds = 400;
  constexpr int kBatch = 100;  // far fewer than the driver queues before it blocks
  std::vector<std::vector<double>> times(ways.size());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t which = 0; which < ways.size(); ++which) {
      // Another way begins each round, so that none is always after the same one.
      const std::size_t way = (which + static_cast<std::size_t>(round)) % ways.size();
      const auto start = Clock::now();
      for (int i = 0; i < kBatch; ++i) ways[way]();
      const std::chrono::duration<double, std::nano> took = Clock::now() - start;
      orThrow(stream.synchronize());
      times[way].push_back(took.count() / kBatch);
    }
  }
  std::vector<Times> result;
  for (auto& list : times) {
    std::sort(list.begin(), list.end());
    result.push_back({list.front(), list[list.size() / 2]});
  }
  return result;
}

}  // namespace

void measureLaunches(Checks& checks, const Device& device) {
  constexpr double kAllowed = 300;  // ns
  const cuda::Driver& driver = **cuda::driver();
  cuda::Context primary = nullptr;
  driver.cuDevicePrimaryCtxRetain(&primary, 0);
  const Module module = device.loadModule(Image::fromPtx(emptyKernels()));
  const Stream stream = device.createStream();
  auto* native = reinterpret_cast<cuda::Stream>(stream.handle());
  const HostTable& table = *cw_rt_table(HostTable::kVersion);
  std::array<std::uint64_t, 19> values{};
  std::array<const void*, 19> parameters{};
  for (std::size_t i = 0; i < values.size(); ++i) parameters[i] = &values[i];
  std::printf("\nlaunch of an empty kernel, ns: median (least) of 400 batches of 100\n");
  std::printf("%-10s %5s %16s %16s %16s %16s %16s\n", "current", "args", "cuLaunchKernel",
              "prepared", "checked", "host table", "bare again");
  for (const bool current : {true, false}) {
    for (const std::size_t count : {0U, 9U, 19U}) {
      const std::string name = "empty" + std::to_string(count);
      driver.cuCtxPushCurrent_v2(primary);
      cuda::Function bare = bareFunction(driver, name);
      const Function function = module.function(name);
      const LaunchConfig config{.stream = stream};
      const Launch prepared = function.prepare(config);
      HostFunction* host = hostHandle(function);
      const HostLaunch hostLaunch = {{1, 1, 1},       {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0,
                                     stream.handle(), 0,         0,         -1,        0};
      const std::span<const void* const> passed(parameters.data(), count);
      auto** const raw = const_cast<void**>(parameters.data());
      const auto bareLaunch = [&] {
        driver.cuLaunchKernel(bare, 1, 1, 1, 1, 1, 1, 0, native, raw, nullptr);
      };
      // Without a current context the bare call cannot be made: it is measured with one, and ours
      // without, which is what a caller that has none pays.
      const auto without = [&](auto body) {
        return [&driver, primary, current, body] {
          if (current) return body();
          cuda::Context popped = nullptr;
          driver.cuCtxPopCurrent_v2(&popped);
          body();
          driver.cuCtxPushCurrent_v2(primary);
        };
      };
      std::vector<std::function<void()>> ways;
      ways.emplace_back(without([&] {
        if (!current) driver.cuCtxPushCurrent_v2(primary);
        bareLaunch();
        cuda::Context popped = nullptr;
        if (!current) driver.cuCtxPopCurrent_v2(&popped);
      }));
      ways.emplace_back(without([&] { orThrow(prepared.run(parameters.data())); }));
      ways.emplace_back(without([&] { orThrow(function.launch(config, passed)); }));
      ways.emplace_back(without([&] {
        table.launch(host, &hostLaunch, parameters.data(), static_cast<std::int64_t>(count));
      }));
      ways.push_back(ways.front());
      measure(stream, ways);  // once for nothing: to warm up
      const std::vector<Times> times = measure(stream, ways);
      std::printf("%-10s %5zu", current ? "ours" : "none", count);
      for (const Times& time : times) std::printf(" %8.0f (%5.0f)", time.median, time.least);
      std::printf("\n");
      const double bareMedian = std::min(times[0].median, times[4].median);
      checks.that(
          times[1].median - bareMedian <= kAllowed,
          "prepared launch: " + std::to_string(static_cast<int>(times[1].median - bareMedian)) +
              " ns above the bare one");
      checks.that(
          times[2].median - bareMedian <= kAllowed,
          "checked launch: " + std::to_string(static_cast<int>(times[2].median - bareMedian)) +
              " ns above the bare one");
      table.function_release(host);
      cuda::Context popped = nullptr;
      driver.cuCtxPopCurrent_v2(&popped);
    }
  }
  driver.cuDevicePrimaryCtxRelease_v2(0);
}

void checkAssemblers(Checks& checks, const Device& device) {
  AssembleOptions options;
  options.driver = [&](const std::string& ptx) -> Expected<DriverCubin> {
    CW_TRY(DriverAssembly made, assembleWithDriver(device, ptx));
    return DriverCubin{std::move(made.cubin), std::move(made.log)};
  };
  const auto run = [&](const std::string& ptx, const std::string& kernel, const std::string& what) {
    const auto start = Clock::now();
    const Expected<Assembled> made = assemble(ptx, device.target(), options);
    const std::chrono::duration<double, std::milli> took = Clock::now() - start;
    if (!made.ok()) return checks.that(false, what + ": " + made.error().message());
    const Expected<Module> module =
        device.loadModule(Image::fromCubin(made->cubin, device.target()));
    if (!module.ok()) return checks.that(false, what + ": " + module.error().message());
    const Function function = module->function(kernel);
    std::string remarks;
    for (const AssemblerRemark& remark : made->remarks) remarks += " " + remark.code;
    checks.that(function.properties().registers > 0,
                what + " by " + made->assembler + " in " + std::to_string(took.count()) + " ms; " +
                    kernel + " has " + std::to_string(function.properties().registers) +
                    " registers" + (remarks.empty() ? "" : "; remarks" + remarks));
  };
  run(kKernels, "vadd", "cubin");
  run(kSetMaxNReg, "roles", "setmaxnreg");
  const auto viaDriver = assembleWithDriver(device, kSetMaxNReg);
  if (viaDriver.ok()) {
    const Module module = device.loadModule(Image::fromCubin(viaDriver->cubin, device.target()));
    std::printf("       the driver's linker: %lld registers with setmaxnreg; its log:\n%s\n",
                static_cast<long long>(module.function("roles")->properties().registers),
                viaDriver->log.c_str());
  }
  checks.that(viaDriver.ok(), "the driver's linker assembles");
  const Module jit = device.loadModule(Image::fromPtx(kSetMaxNReg));
  const Function roles = jit.function("roles");
  std::printf("       the driver's module loader: %lld registers with setmaxnreg\n",
              static_cast<long long>(roles.properties().registers));
  checks.refused(roles({.block = {1024}}, std::uint64_t{0}), "this kernel allows 384",
                 "a block over .maxntid");
}

}  // namespace cutwork::gpu

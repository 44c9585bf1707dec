// TorchPeers.cpp -- compiled kernels behind a C interface, for torch_peers.py to time beside torch.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cutwork/Cute.h"

namespace {

using namespace cutwork;

constexpr int kThreads = 128;
constexpr int kVector = 8;  // fp16 in 128 bits

// A thread's vectors of a block's tile, kThreads vectors apart: (8, count).
cute::Tensor mine(const cute::Tensor& t, int count) {
  auto [tid, ty, tz] = cute::arch::thread_idx();
  auto [bid, by, bz] = cute::arch::block_idx();
  cute::Tensor tile = cute::local_tile(t, cute::Tiler{kThreads * kVector * count}, {bid});
  cute::Layout tv =
      cute::make_layout({kThreads, {kVector, count}}, {kVector, {1, kThreads * kVector}});
  return cute::composition(tile, tv)(tid, cute::_);
}

cute::IntTuple gridOf(const cute::Tensor& t, int count) {
  return {cute::ceilDiv(cute::size(t), cute::Int(kThreads * kVector * count))};
}

CompiledFunction buildUnary(const std::string& name, int count, const Array& like) {
  bool relu = name == "relu";
  auto host = jit(name, [=](cute::Tensor x, cute::Tensor y, cute::Stream stream) {
    auto kernel = [=](cute::Tensor a, cute::Tensor b) {
      cute::TensorSSA v = mine(a, count).load();
      relu ? mine(b, count).store(cute::where(v > 0, v, 0)) : mine(b, count).store(v);
    };
    launch(kernel, {.grid = gridOf(x, count), .block = {kThreads}, .stream = stream}, x, y);
  });
  return compile(host, like, like, StreamHandle{});
}

CompiledFunction buildAdd(int count, const Array& like) {
  auto host = jit("add", [=](cute::Tensor x, cute::Tensor y, cute::Tensor z, cute::Stream stream) {
    auto kernel = [=](cute::Tensor a, cute::Tensor b, cute::Tensor c) {
      mine(c, count).store(mine(a, count).load() + mine(b, count).load());
    };
    launch(kernel, {.grid = gridOf(x, count), .block = {kThreads}, .stream = stream}, x, y, z);
  });
  return compile(host, like, like, like, StreamHandle{});
}

void softmaxRow(const cute::Tensor& x, const cute::Tensor& y, int threads, int columns) {
  auto [tid, ty, tz] = cute::arch::thread_idx();
  auto [row, by, bz] = cute::arch::block_idx();
  cute::Layout tv = cute::make_layout({threads, {kVector, columns / threads / kVector}},
                                      {kVector, {1, threads * kVector}});
  auto part = [&](const cute::Tensor& t) {
    return cute::composition(t(row, cute::_), tv)(tid, cute::_);
  };
  cute::TensorSSA v = part(x).load().to(cute::DType::Float32);
  cute::SmemAllocator smem;
  int warps = threads / 32;
  cute::Tensor partial = smem.allocate_tensor(cute::DType::Float32, cute::make_layout({2, 32}));
  cute::Int32 lane = cute::arch::lane_idx();
  cute::Int32 warp = tid / 32;
  auto blockReduce = [&](cute::Numeric mine, int slot, bool largest) {
    auto inWarp = [&](const cute::Numeric& value, int lanes) {
      return largest ? cute::arch::warp_reduction_max(value, lanes)
                     : cute::arch::warp_reduction_sum(value, lanes);
    };
    cute::Numeric ofWarp = inWarp(mine, 32);
    cute::if_(lane == 0, [&] { partial(slot, warp) = ofWarp; });
    cute::arch::sync_threads();
    return inWarp(cute::Float32(partial(slot, lane % warps)), warps);
  };
  cute::Float32 largest = blockReduce(v.reduce(cute::ReductionOp::MAX, -INFINITY), 0, true);
  constexpr float kLog2E = 1.4426950408889634F;
  cute::TensorSSA e = cute::exp2((v - largest) * kLog2E, /*fastmath=*/true);
  cute::Float32 sum = blockReduce(e.reduce(cute::ReductionOp::ADD, 0.0F), 1, false);
  part(y).store((e * cute::rcp(sum, true)).to(x.element_type()));
}

CompiledFunction buildSoftmax(int threads, const Array& like) {
  auto columns = static_cast<int>(like.shape()[1]);
  auto host = jit("softmax", [=](cute::Tensor x, cute::Tensor y, cute::Stream stream) {
    auto kernel = [=](cute::Tensor a, cute::Tensor b) { softmaxRow(a, b, threads, columns); };
    launch(kernel, {.grid = {cute::size(x, 0)}, .block = {threads}, .stream = stream}, x, y);
  });
  return compile(host, from_dlpack(like, 16), from_dlpack(like, 16), StreamHandle{});
}

// An array over memory that the caller owns.
Array borrowed(std::uint64_t address, std::vector<std::int64_t> shape) {
  struct Owned {
    dlpack::ManagedTensor managed;
    std::vector<std::int64_t> shape;
  };
  auto* owned = new Owned{{}, std::move(shape)};
  dlpack::Tensor& tensor = owned->managed.tensor;
  tensor.data = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
  tensor.device = {dlpack::kCuda, 0};
  tensor.rank = static_cast<std::int32_t>(owned->shape.size());
  tensor.type = dataType(cute::DType::Float16);
  tensor.shape = owned->shape.data();
  owned->managed.context = owned;
  owned->managed.deleter = [](dlpack::ManagedTensor* self) {
    delete static_cast<Owned*>(self->context);
  };
  return Array::fromDLPack(&owned->managed);
}

struct Prepared {
  CompiledFunction function;
  std::vector<Array> arrays;
};

template <class F>
void* guarded(F&& f) {
  try {
    return f();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return nullptr;
  }
}

}  // namespace

#define CW_EXPORT extern "C" __attribute__((visibility("default")))

/// copy, relu, add or softmax over fp16 arrays of `rank` extents; `parameter` is vectors of a
/// thread, or threads of a row. Null after an error, which is printed.
CW_EXPORT void* cw_prepare(const char* name, const std::uint64_t* addresses, int count,
                           const std::int64_t* extents, int rank, int parameter) {
  return guarded([&]() -> void* {
    std::vector<Array> arrays;
    for (int i = 0; i < count; ++i) {
      arrays.push_back(borrowed(addresses[i], std::vector<std::int64_t>(extents, extents + rank)));
    }
    std::string what = name;
    CompiledFunction built = what == "softmax" ? buildSoftmax(parameter, arrays[0])
                             : what == "add"   ? buildAdd(parameter, arrays[0])
                                               : buildUnary(what, parameter, arrays[0]);
    return new Prepared{std::move(built), std::move(arrays)};
  });
}

/// Launches into a CUstream. 0, or 1 after an error.
CW_EXPORT int cw_run(void* prepared, void* stream) {
  auto* p = static_cast<Prepared*>(prepared);
  auto* handle = static_cast<StreamHandle>(stream);
  return guarded([&]() -> void* {
           p->arrays.size() == 2 ? p->function(p->arrays[0], p->arrays[1], handle)
                                 : p->function(p->arrays[0], p->arrays[1], p->arrays[2], handle);
           return p;
         }) == nullptr
             ? 1
             : 0;
}

/// Registers, spills and the widths of the kernel's accesses in SASS, as text.
CW_EXPORT void cw_describe(void* prepared) {
  guarded([&]() -> void* {
    auto* p = static_cast<Prepared*>(prepared);
    for (const EntryResources& entry : p->function.resources().value()) {
      std::printf("%s: %lld registers, %lld bytes spilled, %lld bytes of shared memory\n",
                  entry.name.c_str(), static_cast<long long>(entry.registers),
                  static_cast<long long>(entry.spillStores),
                  static_cast<long long>(entry.sharedMemory));
    }
    for (const std::string& remark : p->function.remarks()) std::printf("%s\n", remark.c_str());
    return p;
  });
}

namespace {

using Clock = std::chrono::steady_clock;

// Nanoseconds of each call, the median of many batches in turn; the queue is emptied outside the
// time.
template <std::size_t N>
std::array<double, N> nanoseconds(const Stream& stream,
                                  const std::array<std::function<void()>, N>& calls) {
  constexpr std::size_t kRounds = 400;
  constexpr int kBatch = 100;
  std::array<std::vector<double>, N> times;
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t k = 0; k < N; ++k) {
      const std::size_t which = (k + round) % N;
      const auto start = Clock::now();
      for (int i = 0; i < kBatch; ++i) calls[which]();
      const std::chrono::duration<double, std::nano> took = Clock::now() - start;
      orThrow(stream.synchronize());
      times[which].push_back(took.count() / kBatch);
    }
  }
  std::array<double, N> medians{};
  for (std::size_t k = 0; k < N; ++k) {
    std::ranges::sort(times[k]);
    medians[k] = times[k][kRounds / 2];
  }
  return medians;
}

template <std::size_t... I>
void measureLaunch(const Device& device, std::index_sequence<I...>) {
  Stream stream = device.createStream();
  auto host = jit("empty", [](cute::Stream s, decltype((void)I, cute::Int64(0))... values) {
    launch([](const auto&...) {}, {.grid = {1}, .block = {32}, .stream = s}, values...);
  });
  CompiledFunction f = compile(host, stream, std::int64_t{I}...);
  // The bare call: the same PTX, loaded and launched by the driver's own functions.
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  using CuLaunch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                           unsigned, void*, void**, void**);
  auto bare = reinterpret_cast<CuLaunch>(dlsym(driver, "cuLaunchKernel"));
  auto load = reinterpret_cast<int (*)(void**, const void*)>(dlsym(driver, "cuModuleLoadData"));
  auto get =
      reinterpret_cast<int (*)(void**, void*, const char*)>(dlsym(driver, "cuModuleGetFunction"));
  void* module = nullptr;
  void* kernel = nullptr;
  if (load(&module, f.ptx().c_str()) != 0 ||
      get(&kernel, module, f.kernels().front().c_str()) != 0) {
    userError("the driver does not load the kernel").raise();
  }
  std::array<std::int64_t, sizeof...(I) + 1> values{static_cast<std::int64_t>(I)...};
  std::array<void*, sizeof...(I) + 1> parameters{};
  for (std::size_t i = 0; i < values.size(); ++i) parameters[i] = &values[i];
  auto callBare = [&] {
    const int result = bare(kernel, 1, 1, 1, 32, 1, 1, 0, reinterpret_cast<void*>(stream.handle()),
                            parameters.data(), nullptr);
    if (result != 0) userError("cuLaunchKernel: " + std::to_string(result)).raise();
  };
  auto callOurs = [&] { f(stream, values[I]...); };
  const std::array<std::function<void()>, 2> calls{callBare, callOurs};
  nanoseconds(stream, calls);  // once for nothing: to warm up
  const auto [direct, ours] = nanoseconds(stream, calls);
  std::printf("| %zu | %.0f | %.0f | %.0f |\n", sizeof...(I), direct, ours, ours - direct);
}

}  // namespace

/// A table: what a call of a compiled function costs above cuLaunchKernel. A context is current.
CW_EXPORT void cw_launch_overhead() {
  guarded([&]() -> void* {
    Device device = Device::open("cuda:0");
    std::printf(
        "| arguments | cuLaunchKernel ns | compiled function ns | more |\n|---|---|---|---|\n");
    measureLaunch(device, std::make_index_sequence<0>());
    measureLaunch(device, std::make_index_sequence<9>());
    measureLaunch(device, std::make_index_sequence<19>());
    return nullptr;
  });
}

/// Writes beyond an array, for compute-sanitizer to report at this line.
CW_EXPORT void cw_planted_fault(std::uint64_t address) {
  guarded([&]() -> void* {
    Array array = borrowed(address, {64});
    auto host = jit("planted", [](cute::Tensor x) {
      auto kernel = [](cute::Tensor t) {
        cute::Int32 tid = cute::arch::thread_idx().x;
        t(tid) = 1;
        cute::if_(tid == 5, [&] { t(tid + (1 << 24)) = 2; });  // planted: out of bounds
      };
      launch(kernel, {.grid = {1}, .block = {32}}, x);
    });
    compile(host, array)(array);
    orThrow(Device::open("cuda:0").value().synchronize());
    return nullptr;
  });
}

// saxpy.cpp -- y = a x + y on the best device there is, from a project outside Cutwork.
#include <cutwork/Cute.h>

#include <cstdio>
#include <vector>

using namespace cutwork;

namespace {

constexpr int kThreads = 256;

void saxpy(cute::Float32 a, cute::Tensor x, cute::Tensor y) {
  auto [tid, ty, tz] = cute::arch::thread_idx();
  auto [bid, by, bz] = cute::arch::block_idx();
  cute::Int32 i = bid * kThreads + tid;
  cute::return_if(i >= cute::size(x));
  y(i) = a * x(i) + y(i);
}

// The largest error.
double run(std::int64_t count, float a) {
  auto host = jit("saxpy", [](cute::Float32 a, cute::Tensor x, cute::Tensor y) {
    cute::Int blocks = cute::ceilDiv(cute::size(x), kThreads);
    launch(saxpy, {.grid = {blocks}, .block = {kThreads}}, a, x, y);
  });
  std::vector<float> hx(static_cast<std::size_t>(count));
  std::vector<float> hy(hx.size());
  for (std::size_t i = 0; i < hx.size(); ++i) {
    hx[i] = static_cast<float>(i % 97);
    hy[i] = static_cast<float>(i % 89);
  }
  Device device = Device::best();
  const DataType type = dataType(cute::DType::Float32);
  Array x = Array::empty(device, type, {count});
  Array y = Array::empty(device, type, {count});
  const std::int64_t bytes = count * 4;
  orThrow(device.copyToDevice(x.address(), hx.data(), bytes));
  orThrow(device.copyToDevice(y.address(), hy.data(), bytes));

  auto f = compile(host, a, x, y);
  f(a, x, y);

  std::vector<float> result(hx.size());
  orThrow(device.synchronize());
  orThrow(device.copyToHost(result.data(), y.address(), bytes));
  double worst = 0;
  for (std::size_t i = 0; i < hx.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(result[i]) - (a * hx[i] + hy[i])));
  }
  std::printf("saxpy of %lld elements on %s: largest error %g\n", static_cast<long long>(count),
              device.name().c_str(), worst);
  return worst;
}

}  // namespace

int main() {
  try {
    return run(100'003, 2) == 0 ? 0 : 1;
  } catch (const Exception& error) {  // what Cutwork throws: the program's, the device's, ours
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

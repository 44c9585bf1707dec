// spikes.cpp -- the spikes of test/ir/spikes on a GPU: a wgmma tile and a TMA tile, results
// checked.
//
//     spikes wgmma.ptx tma.ptx [DEVICE]
//
// The PTX is what cutwork-opt --emit-ptx=sm_90a makes of test/ir/spikes/wgmma.py and tma.mlir.
// Prints a row a spike; exit status 1 if a result is wrong.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "cutwork/Runtime/Buffer.h"
#include "cutwork/Runtime/Device.h"
#include "cutwork/Runtime/Module.h"
#include "cutwork/Support/TensorMapPlan.h"

namespace {

using namespace cutwork;

std::string readText(const char* path) {
  std::ifstream file(path);
  if (!file) userError(std::string("cannot read ") + path).raise();
  return {std::istreambuf_iterator<char>(file), {}};
}

// Small integers are exact in f16 and their products and sums in f32: the result has one right
// answer.
std::vector<_Float16> smallIntegers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> digit(-4, 4);
  std::vector<_Float16> values(count);
  for (_Float16& value : values) value = static_cast<_Float16>(digit(random));
  return values;
}

template <class T>
Buffer upload(const Device& device, const std::vector<T>& values) {
  auto bytes = static_cast<std::int64_t>(values.size() * sizeof(T));
  Buffer buffer = device.allocate(bytes).value();
  orThrow(buffer.copyFrom(values.data(), bytes));
  return buffer;
}

template <class T>
std::vector<T> download(const Buffer& buffer) {
  std::vector<T> values(static_cast<std::size_t>(buffer.bytes()) / sizeof(T));
  orThrow(buffer.copyTo(values.data(), buffer.bytes()));
  return values;
}

int report(const char* spike, std::size_t wrong, std::size_t count) {
  std::printf("%-34s %8zu of %zu elements wrong: %s\n", spike, wrong, count,
              wrong == 0 ? "passed" : "FAILED");
  return wrong == 0 ? 0 : 1;
}

// C[64][256] = A[64][64] * B[256][64]^T.
int runWgmma(const Device& device, const char* path) {
  constexpr int kM = 64;
  constexpr int kN = 256;
  constexpr int kK = 64;
  auto a = smallIntegers(kM * kK, 1);
  auto b = smallIntegers(kN * kK, 2);
  Buffer bufferA = upload(device, a);
  Buffer bufferB = upload(device, b);
  Buffer bufferC = upload(device, std::vector<float>(kM * kN, NAN));
  Module module = device.loadModule(Image::fromPtx(readText(path))).value();
  Function kernel = module.function("wgmma").value();
  orThrow(kernel({.grid = {1}, .block = {128}}, bufferA.address(), bufferB.address(),
                 bufferC.address()));
  orThrow(device.synchronize());
  std::vector<float> c = download<float>(bufferC);
  std::size_t wrong = 0;
  for (int m = 0; m < kM; ++m) {
    for (int n = 0; n < kN; ++n) {
      float expected = 0;
      for (int k = 0; k < kK; ++k) {
        expected += static_cast<float>(a[static_cast<std::size_t>(m * kK + k)]) *
                    static_cast<float>(b[static_cast<std::size_t>(n * kK + k)]);
      }
      wrong += c[static_cast<std::size_t>(m * kN + n)] == expected ? 0 : 1;
    }
  }
  return report("wgmma m64n256k16, 4 k-steps", wrong, c.size());
}

// Every 64x64 tile of a 256x192 f16 matrix copied through shared memory with the 128-byte swizzle.
int runTma(const Device& device, const char* path) {
  constexpr int kRows = 256;
  constexpr int kColumns = 192;
  auto in = smallIntegers(kRows * kColumns, 3);
  Buffer from = upload(device, in);
  Buffer to = upload(device, std::vector<_Float16>(kRows * kColumns, static_cast<_Float16>(99)));
  TensorMapPlan plan;
  plan.type = TensorMapType::Float16;
  plan.rank = 2;
  plan.swizzle = TensorMapSwizzle::Bytes128;
  plan.box[0] = plan.box[1] = 64;
  plan.extents[0] = kColumns;
  plan.extents[1] = kRows;
  plan.strides[1] = kColumns * 2;
  TensorMap source = device.encodeTensorMap(plan, from.address()).value();
  TensorMap target = device.encodeTensorMap(plan, to.address()).value();
  Module module = device.loadModule(Image::fromPtx(readText(path))).value();
  Function kernel = module.function("tma_copy").value();
  orThrow(kernel({.grid = {kColumns / 64, kRows / 64}, .block = {128}}, source, target));
  orThrow(device.synchronize());
  std::vector<_Float16> out = download<_Float16>(to);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < in.size(); ++i) wrong += out[i] == in[i] ? 0 : 1;
  return report("TMA tile load and store", wrong, out.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: spikes wgmma.ptx tma.ptx [DEVICE]\n");
    return 2;
  }
  try {
    Device device = Device::open(argc > 3 ? argv[3] : "cuda").value();
    std::printf("%s\n", device.name().c_str());
    return runWgmma(device, argv[1]) + runTma(device, argv[2]) == 0 ? 0 : 1;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "spikes: %s\n", fault.what());
    return 70;
  }
}

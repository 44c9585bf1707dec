// Harness.h -- arrays on the simulated device, and kernels run on them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "cutwork/Cute.h"
#include "cutwork/Runtime/HostTable.h"
#include "cutwork/Simulator/Register.h"

namespace cutwork::test {

template <class T>
inline DataType typeOf() {
  if constexpr (std::is_same_v<T, float>) return dataType(cute::DType::Float32);
  if constexpr (std::is_same_v<T, double>) return dataType(cute::DType::Float64);
  if constexpr (std::is_same_v<T, _Float16>) return dataType(cute::DType::Float16);
  if constexpr (std::is_same_v<T, std::int8_t>) return dataType(cute::DType::Int8);
  if constexpr (std::is_same_v<T, std::uint8_t>) return dataType(cute::DType::Uint8);
  if constexpr (std::is_same_v<T, std::int32_t>) return dataType(cute::DType::Int32);
  if constexpr (std::is_same_v<T, std::uint32_t>) return dataType(cute::DType::Uint32);
  if constexpr (std::is_same_v<T, std::int64_t>) return dataType(cute::DType::Int64);
  if constexpr (std::is_same_v<T, std::uint64_t>) return dataType(cute::DType::Uint64);
}

inline Device simulated(std::string_view name = "sim:sm_90a") {
  registerSimulatedDevices();
  return Device::open(name);
}

/// An array on the device with these values, compact, last mode contiguous.
template <class T>
Array arrayOf(const std::vector<T>& values, std::vector<std::int64_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
  Device device = simulated();
  Array array = Array::empty(device, typeOf<T>(), shape);
  orThrow(device.copyToDevice(array.address(), values.data(),
                              static_cast<std::int64_t>(values.size() * sizeof(T))));
  return array;
}

template <class T>
std::vector<T> valuesOf(const Array& array) {
  Device device = *array.device();
  orThrow(device.synchronize());
  std::vector<T> values(static_cast<std::size_t>(array.size()));
  orThrow(device.copyToHost(values.data(), array.address(),
                            static_cast<std::int64_t>(values.size() * sizeof(T))));
  return values;
}

template <class T>
std::vector<T> iota(std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(i);
  return values;
}

/// `body(out)` as a kernel of one block; the array afterwards.
template <class T, class Body>
std::vector<T> run(std::vector<T> initial, Body body, int threads = 1) {
  Array out = arrayOf(initial);
  auto host =
      jit("test", [&](cute::Tensor o) { launch(body, {.grid = {1}, .block = {threads}}, o); });
  auto f = compile(host, out);
  // Operations have the user's places, not those of the language's own sources.
  for (std::size_t at = f.ptx().find(".file"); at != std::string::npos;
       at = f.ptx().find(".file", at + 1)) {
    std::string line = f.ptx().substr(at, f.ptx().find('\n', at) - at);
    EXPECT_THAT(line, ::testing::Not(::testing::ContainsRegex("include/cutwork|lib/[A-Z]")));
  }
  f(out);
  return valuesOf<T>(out);
}

/// The message of the user's error that this throws; "" if it throws none.
template <class F>
std::string refusalOf(F&& f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

/// The refusal of a kernel of one thread over an Int32 array of 64 elements.
template <class Body>
std::string refusalOfKernel(Body body) {
  return refusalOf([&] { run<std::int32_t>(std::vector<std::int32_t>(64), body); });
}

}  // namespace cutwork::test

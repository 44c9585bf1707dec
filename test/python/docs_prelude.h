// docs_prelude.h -- what the examples of docs/language.md and README.md may use.
#pragma once

#include <array>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "cutwork/Cute.h"
#include "cutwork/Runtime/HostTable.h"
#include "cutwork/Simulator/Register.h"

/// An array on the simulated device with these values; one mode, or `shape`.
template <class T>
cutwork::Array array(const std::vector<T>& values, std::vector<std::int64_t> shape = {}) {
  using namespace cutwork;
  registerSimulatedDevices();
  Device device = Device::open("sim:sm_90a");
  if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
  DataType type = dataType(std::is_same_v<T, float>      ? cute::DType::Float32
                           : std::is_same_v<T, _Float16> ? cute::DType::Float16
                                                         : cute::DType::Int32);
  Array made = Array::empty(device, type, shape);
  orThrow(device.copyToDevice(made.address(), values.data(),
                              static_cast<std::int64_t>(values.size() * sizeof(T))));
  return made;
}

/// The values of an array.
template <class T>
std::vector<T> values(const cutwork::Array& x) {
  std::vector<T> result(static_cast<std::size_t>(x.size()));
  orThrow(x.device()->synchronize());
  orThrow(x.device()->copyToHost(result.data(), x.address(),
                                 static_cast<std::int64_t>(result.size() * sizeof(T))));
  return result;
}

/// Prints the values of an array in one line.
template <class T = std::int32_t>
void show(const cutwork::Array& x) {
  std::string space;
  using Printed = std::conditional_t<std::is_same_v<T, _Float16>, float, T>;
  for (T value : values<T>(x)) {
    std::cout << std::exchange(space, " ") << static_cast<Printed>(value);
  }
  std::cout << '\n';
}

/// Runs a kernel in one block over an Int32 array of `count` zeros, and prints the array.
template <class Kernel>
void run(int count, Kernel kernel, int threads = 1) {
  using namespace cutwork;
  Array out = array(std::vector<std::int32_t>(static_cast<std::size_t>(count)));
  auto host =
      jit("example", [&](cute::Tensor t) { launch(kernel, {.grid = {1}, .block = {threads}}, t); });
  compile(host, out)(out);
  show(out);
}

/// Prints what a program is refused with, without its place.
template <class F>
void refused(F program) {
  try {
    program();
    std::cout << "not refused\n";
  } catch (const cutwork::UserError& error) {
    std::cout << error.error().message() << '\n';
  }
}

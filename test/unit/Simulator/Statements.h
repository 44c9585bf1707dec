// Statements.h -- runs single statements, each in a kernel of its own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "Types.h"
#include "cutwork/Simulator/Simulator.h"

namespace cutwork::sim {

/// A register of codesOf() for values of a type: `%r2`.
inline std::string registerOf(Ty type, const char* number) {
  const unsigned bits = bitsOf(type);
  const char* const name = bits == 1    ? "%p"
                           : bits <= 16 ? "%h"
                           : bits <= 32 ? "%r"
                           : bits <= 64 ? "%d"
                                        : "%q";
  return std::string(name) + number;
}

/// Of each statement the code of the fault, 0 for none, or -1 if the PTX is wrong. Registers are
/// %h, %r, %d, %q, %f, %g, %p, and vectors %v (.v2 .b32), %w (.v4 .b32), %y (.v2 .b64).
inline std::vector<int> codesOf(const std::vector<std::string>& statements, bool checked = true,
                                const std::string& target = "sm_100a") {
  constexpr std::size_t kInModule = 128;
  const std::string registers =
      "{\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.reg .b128 %q<4>;\n"
      ".reg .f32 %f<9>;\n.reg .f64 %g<9>;\n.reg .pred %p<9>;\n.reg .v2 .b32 %v<4>;\n"
      ".reg .v4 .b32 %w<4>;\n.reg .v2 .b64 %y<4>;\nmov.u32 %r2, 0xc5f01234;\n"
      "mov.u32 %r3, %r2;\nmov.u32 %r4, 0;\nmov.b64 %d2, {%r2, %r3};\nmov.b128 %q2, {%d2, %d2};\n"
      "cvt.u16.u32 %h2, %r2;\nsetp.eq.u32 %p2, %r2, 0;\n";
  std::vector<int> codes;
  auto device = SimulatedDevice::create(target, Checks(checked)).value();
  for (std::size_t first = 0; first < statements.size(); first += kInModule) {
    const std::size_t end = std::min(first + kInModule, statements.size());
    std::string text = ".version 8.8\n.target " + target + "\n.address_size 64\n";
    for (std::size_t i = first; i < end; ++i) {
      text += ".visible .entry k" + std::to_string(i) + "()\n" + registers + statements[i] +
              "\nret;\n}\n";
    }
    auto module = device->loadModule(text, "kernel.ptx");
    EXPECT_TRUE(module.ok()) << module.error().text();
    for (std::size_t i = first; i < end; ++i) {
      const auto result = device->launch(*module, "k" + std::to_string(i), LaunchConfig{}, {});
      codes.push_back(!result.ok()    ? -1
                      : result->fault ? static_cast<int>(result->fault->code)
                                      : 0);
    }
    device->unloadModule(*module);
  }
  return codes;
}

}  // namespace cutwork::sim

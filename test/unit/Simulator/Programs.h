// Programs.h -- runs a kernel k of pointers, launched as the text's second line says.
//
// `// launch: grid=2 block=32 cluster=2 args=in:128,un:128,freed:64,null` (in: zeros, un: not
// written, freed: zeros that were freed before).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cutwork/Simulator/Simulator.h"

namespace cutwork::sim {

struct Outcome {
  std::optional<FaultReport> fault;  ///< the first
  std::vector<FaultReport> faults;
  std::uint64_t unlisted = 0;
  std::string problem;                             ///< it did not run
  std::vector<std::vector<std::uint8_t>> buffers;  ///< what is in them afterwards
  Counters counters;
};

inline std::string lineAfter(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return {};
  const std::size_t from = at + mark.size();
  return text.substr(from, text.find('\n', from) - from);
}

/// The arguments of the launch line: addresses, and sizes of what can be read afterwards.
struct Arguments {
  std::vector<std::uint64_t> pointers;
  std::vector<std::size_t> sizes;

  Arguments(SimulatedDevice& device, const std::string& list) {
    std::istringstream words(list);
    for (std::string one; std::getline(words, one, ',');) {
      const std::string kind = one.substr(0, one.find(':'));
      if (kind == "null") {
        pointers.push_back(0);
        sizes.push_back(0);
        continue;
      }
      const std::vector<std::uint8_t> zeros(std::stoul(one.substr(one.find(':') + 1)));
      const std::string name = "buffer " + std::to_string(pointers.size());
      const std::uint64_t address = device.allocate(zeros.size(), name).value();
      if (kind == "in" || kind == "freed") {
        EXPECT_TRUE(device.write(address, zeros.data(), zeros.size()).ok());
      }
      if (kind == "freed") EXPECT_TRUE(device.free(address).ok());
      pointers.push_back(address);
      sizes.push_back(kind == "freed" ? 0 : zeros.size());
    }
  }
};

/// `config` has what the launch line does not say.
inline Outcome runProgram(const std::string& ptx, Checks checks, LaunchConfig config = {},
                          const char* target = "sm_90") {
  auto device = SimulatedDevice::create(target, checks).value();
  auto module = device->loadModule(ptx, "kernel.ptx");
  Outcome outcome;
  if (!module.ok()) {
    outcome.problem = module.error().text();
    return outcome;
  }
  std::string list;
  std::istringstream words(lineAfter(ptx, "// launch: "));
  for (std::string word; words >> word;) {
    const std::string key = word.substr(0, word.find('='));
    const std::string value = word.substr(word.find('=') + 1);
    if (key == "args") {
      list = value;
    } else {
      auto& to = key == "grid" ? config.grid : key == "block" ? config.block : config.cluster;
      to[0] = static_cast<std::uint32_t>(std::stoul(value));
    }
  }
  const Arguments arguments(*device, list);
  const auto* bytes = reinterpret_cast<const std::byte*>(arguments.pointers.data());
  const auto result = device->launch(*module, "k", config, {bytes, arguments.pointers.size() * 8});
  if (!result.ok()) {
    outcome.problem = result.error().text();
    return outcome;
  }
  outcome.fault = result->fault;
  outcome.faults = result->faults;
  outcome.unlisted = result->unlisted;
  outcome.counters = result->counters;
  for (std::size_t i = 0; i < arguments.sizes.size(); ++i) {
    auto& buffer = outcome.buffers.emplace_back(arguments.sizes[i]);
    if (buffer.empty()) continue;
    EXPECT_TRUE(device->read(arguments.pointers[i], buffer.data(), buffer.size()).ok());
  }
  return outcome;
}

/// The report of the first fault, or nothing.
inline std::string textOf(const Outcome& outcome) {
  return outcome.fault ? outcome.fault->text : "";
}

/// A module whose kernel k has these parameters p0, p1, ... and statements. %r<32>, %rd<16>,
/// %f<16>, %h<8> and %p<8> are declared; %rd0 ... are the parameters, %r0 is %tid.x.
inline std::string programOf(const std::string& launch, unsigned parameters,
                             const std::string& statements, const std::string& globals = "") {
  std::string text = "// \n// launch: " + launch +
                     "\n.version 8.8\n.target sm_90\n.address_size 64\n" + globals +
                     "\n.visible .entry k(";
  for (unsigned i = 0; i < parameters; ++i) {
    text += std::string(i == 0 ? "" : ", ") + ".param .u64 p" + std::to_string(i);
  }
  text +=
      ")\n{\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<16>;\n.reg .b16 %h<8>;\n"
      ".reg .pred %p<8>;\nmov.u32 %r0, %tid.x;\n";
  for (unsigned i = 0; i < parameters; ++i) {
    text += "ld.param.u64 %rd" + std::to_string(i) + ", [p" + std::to_string(i) + "];\n";
  }
  return text + statements + "\nret;\n}\n";
}

/// What thread 0 leaves in %r9, with `head` before the kernel.
inline std::string resultOf(const std::string& statements, const std::string& head = {}) {
  const Outcome outcome = runProgram(
      programOf("block=1 args=in:8", 1, statements + "\nst.global.u32 [%rd0], %r9;\nret;", head),
      true);
  if (!outcome.problem.empty()) return outcome.problem;
  if (outcome.fault) return outcome.fault->text;
  std::uint32_t value = 0;
  std::memcpy(&value, outcome.buffers.at(0).data(), sizeof value);
  return std::to_string(value);
}

/// The line of the PTX whose text has `part`; 0: none.
inline std::uint32_t lineOf(const std::string& ptx, const std::string& part) {
  const std::size_t at = ptx.find(part);
  if (at == std::string::npos) return 0;
  std::uint32_t line = 1;
  for (std::size_t i = 0; i < at; ++i) line += ptx[i] == '\n' ? 1 : 0;
  return line;
}

}  // namespace cutwork::sim

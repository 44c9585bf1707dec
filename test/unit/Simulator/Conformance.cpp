// Conformance.cpp -- test/data/ptx_*.jsonl.gz: small kernels with the bytes that an H200 wrote.
//
// Every case is run, unchecked, checked and in the orders of three seeds, and compared by its match
// rule (docs/simulator.md).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "Arithmetic/Half.h"
#include "Lines.h"
#include "cutwork/Simulator/Simulator.h"

namespace cutwork::sim {
namespace {

using nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

Bytes decodeBase64(const std::string& text) {
  static const std::string kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Bytes out;
  std::uint32_t bits = 0;
  unsigned have = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string::npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    have += 6;
    if (have >= 8) {
      have -= 8;
      out.push_back(static_cast<std::uint8_t>(bits >> have));
    }
  }
  return out;
}

/// An element of a floating-point type as a number, and as a place in the order of such numbers.
struct Element {
  double value = 0;
  std::int64_t place = 0;
};

Element elementAt(const std::uint8_t* bytes, const std::string& type) {
  Element element;
  std::uint64_t bits = 0;
  unsigned width = 0;
  if (type == "f64") {
    std::memcpy(&bits, bytes, width = 8);
    element.value = std::bit_cast<double>(bits);
  } else if (type == "f32") {
    std::memcpy(&bits, bytes, width = 4);
    element.value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  } else {
    std::memcpy(&bits, bytes, width = 2);
    const auto half = static_cast<std::uint16_t>(bits);
    element.value = type == "bf16" ? bf16ToF32(half) : halfToF32(half);
  }
  const std::uint64_t sign = std::uint64_t{1} << (8 * width - 1);
  element.place = (bits & sign) != 0 ? -static_cast<std::int64_t>(bits & ~sign)
                                     : static_cast<std::int64_t>(bits);
  return element;
}

unsigned widthOf(const std::string& type) {
  return type == "f64" ? 8 : type == "f32" ? 4 : type == "f16" || type == "bf16" ? 2 : 1;
}

bool matches(const Bytes& got, const Bytes& expected, const std::string& type, const json& rule,
             std::string& why) {
  if (got == expected) return true;
  const unsigned width = rule == "bits" ? 1 : widthOf(type);
  for (std::size_t i = 0; i + width <= expected.size(); i += width) {
    if (std::memcmp(&got[i], &expected[i], width) == 0) continue;
    bool good = false;
    if (rule != "bits" && widthOf(type) > 1) {
      const Element g = elementAt(&got[i], type);
      const Element e = elementAt(&expected[i], type);
      if (std::isnan(g.value) || std::isnan(e.value)) {
        good = std::isnan(g.value) && std::isnan(e.value);
      } else if (rule.is_object()) {
        const bool zeros = g.value == 0 && e.value == 0;
        const bool finite = std::isfinite(g.value) && std::isfinite(e.value);
        const double apart = std::fabs(g.value - e.value);
        if (rule.contains("ulp") && !zeros) {
          good = good || std::llabs(g.place - e.place) <= rule["ulp"].get<std::int64_t>();
        }
        if (rule.contains("rel") && finite && e.value != 0) {
          good = good || apart <= rule["rel"].get<double>() * std::fabs(e.value);
        }
        if (rule.contains("abs") && finite) good = good || apart <= rule["abs"].get<double>();
      }
    }
    if (good) continue;
    char text[160];
    std::string g;
    std::string e;
    for (unsigned k = width; k-- > 0;) {
      char hex[4];
      std::snprintf(hex, sizeof hex, "%02x", got[i + k]);
      g += hex;
      std::snprintf(hex, sizeof hex, "%02x", expected[i + k]);
      e += hex;
    }
    std::snprintf(text, sizeof text, "byte %zu (%s): got %s, the H200 gave %s", i, type.c_str(),
                  g.c_str(), e.c_str());
    why = text;
    return false;
  }
  return true;
}

void appendParameter(Bytes& parameters, const void* value, std::size_t bytes, std::size_t offset) {
  if (parameters.size() < offset + bytes) parameters.resize(offset + bytes);
  std::memcpy(&parameters[offset], value, bytes);
}

/// Runs one case; empty if all is as recorded.
std::string runCase(const json& item, bool checked, std::uint64_t seed = 0) {
  const auto target = item["target"].get<std::string>();
  auto device = SimulatedDevice::create(
      target.find("90a") != std::string::npos ? "sm_90a" : "sm_90", checked);
  if (!device) return device.error().text();
  auto module =
      (*device)->loadModule(item["ptx"].get<std::string>(), item["name"].get<std::string>());
  if (!module.ok()) return module.error().text();
  const auto kernel = item["kernel"].get<std::string>();
  const auto infos = (*device)->parameters(*module, kernel);
  if (!infos) return infos.error().text();

  struct Output {
    std::uint64_t address;
    Bytes expected;
    std::string type;
    json match;
  };
  std::vector<Output> outputs;
  Bytes parameters;
  const json& args = item["args"];
  for (std::size_t i = 0; i < args.size(); ++i) {
    const json& arg = args[i];
    const std::size_t offset = infos.value()[i].offset;
    if (arg.contains("in") || arg.contains("out")) {
      Bytes start = arg.contains("in") ? decodeBase64(arg["in"].get<std::string>()) : Bytes();
      Bytes expected = arg.contains("out") ? decodeBase64(arg["out"].get<std::string>()) : start;
      if (!arg.contains("in")) start.assign(expected.size(), 0xa5);
      const std::uint64_t address =
          (*device)->allocate(start.size(), "argument " + std::to_string(i)).value();
      EXPECT_TRUE((*device)->write(address, start.data(), start.size()).ok());
      appendParameter(parameters, &address, 8, offset);
      outputs.push_back({address, expected, arg.value("type", "b8"),
                         arg.contains("match") ? arg["match"] : json("bits")});
    } else if (arg.contains("i32")) {
      const auto value = static_cast<std::uint32_t>(arg["i32"].get<std::int64_t>());
      appendParameter(parameters, &value, 4, offset);
    } else if (arg.contains("i64")) {
      const auto value = arg["i64"].get<std::int64_t>();
      appendParameter(parameters, &value, 8, offset);
    } else if (arg.contains("f32")) {
      const auto value = static_cast<float>(arg["f32"].get<double>());
      appendParameter(parameters, &value, 4, offset);
    } else if (arg.contains("f64")) {
      const auto value = arg["f64"].get<double>();
      appendParameter(parameters, &value, 8, offset);
    } else {
      const Bytes value = decodeBase64(arg["bytes"].get<std::string>());
      appendParameter(parameters, value.data(), value.size(), offset);
    }
  }
  LaunchConfig config;
  const auto three = [](const json& from, std::array<std::uint32_t, 3>& to) {
    for (unsigned i = 0; i < 3; ++i) to[i] = from[i].get<std::uint32_t>();
  };
  three(item["grid"], config.grid);
  three(item["block"], config.block);
  if (item.contains("cluster")) three(item["cluster"], config.cluster);
  config.dynamicShared = item["dynamic_smem"].get<std::uint32_t>();
  config.maxInstructions = 20'000'000;
  config.seed = seed;
  const auto result =
      (*device)->launch(*module, kernel, config,
                        {reinterpret_cast<const std::byte*>(parameters.data()), parameters.size()});
  if (!result) return result.error().text();
  if (result->fault) return result->fault->text;
  for (const Output& output : outputs) {
    Bytes got(output.expected.size());
    EXPECT_TRUE((*device)->read(output.address, got.data(), got.size()).ok());
    std::string why;
    if (!matches(got, output.expected, output.type, output.match, why)) return why;
  }
  return {};
}

void runAll(const std::string& file, std::size_t least) {
  const std::vector<std::string> lines =
      readLines(std::string(CUTWORK_SOURCE_DIR) + "/test/data/" + file);
  ASSERT_GE(lines.size(), least);
  struct Tally {
    unsigned passed = 0;
    unsigned failed = 0;
  };
  std::map<std::string, Tally> tallies;
  const char* only = std::getenv("CUTWORK_TEST_CASE");
  for (const std::string& line : lines) {
    const json item = json::parse(line);
    const auto family = item["family"].get<std::string>();
    const auto name = item["name"].get<std::string>();
    if (only != nullptr && name.find(only) != 0) continue;
    std::string problem = runCase(item, false);
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      if (!problem.empty()) break;
      problem = runCase(item, true, seed);
      if (!problem.empty() && seed != 0) problem += " (with seed " + std::to_string(seed) + ")";
    }
    (problem.empty() ? tallies[family].passed : tallies[family].failed) += 1;
    if (!problem.empty()) {
      ADD_FAILURE() << name << " " << item["kind"] << ": " << problem;
    }
  }
  if (only != nullptr) return;
  for (const auto& [family, tally] : tallies) {
    std::cout << "  " << family << ": " << tally.passed << " passed, " << tally.failed
              << " failed\n";
  }
}

TEST(Conformance, H200Base) { runAll("ptx_base.jsonl.gz", 1593); }
TEST(Conformance, H200Matrix) { runAll("ptx_matrix.jsonl.gz", 80); }
TEST(Conformance, H200Async) { runAll("ptx_async.jsonl.gz", 171); }
TEST(Conformance, H200More) { runAll("ptx_more.jsonl.gz", 462); }

}  // namespace
}  // namespace cutwork::sim

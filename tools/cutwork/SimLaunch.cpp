// SimLaunch.cpp -- reading launch.json. Whatever it does not know is an error.
#include "SimLaunch.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

namespace cutwork::tool {
namespace {

using nlohmann::json;

Status onlyKeys(const json& object, std::initializer_list<std::string_view> keys,
                const std::string& where) {
  for (const auto& [key, value] : object.items()) {
    bool known = false;
    for (const std::string_view one : keys) known = known || one == key;
    if (!known) return userError(fmt::format("{}: the key \"{}\" is not known", where, key));
  }
  return Success{};
}

Expected<std::uint64_t> natural(const json& value, std::uint64_t limit, const std::string& where) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > limit) {
    return userError(
        fmt::format("{}: expected a number from 0 to {}, not {}", where, limit, value.dump()));
  }
  return value.get<std::uint64_t>();
}

Expected<std::array<std::uint32_t, 3>> extents(const json& value, const std::string& where) {
  if (!value.is_array() || value.empty() || value.size() > 3) {
    return userError(fmt::format("{}: expected one to three numbers, not {}", where, value.dump()));
  }
  std::array<std::uint32_t, 3> result{1, 1, 1};
  for (std::size_t i = 0; i < value.size(); ++i) {
    CW_TRY(const std::uint64_t extent, natural(value[i], 0x7fffffff, where));
    result[i] = static_cast<std::uint32_t>(extent);
  }
  return result;
}

Expected<std::vector<std::uint8_t>> fromBase64(const std::string& text, const std::string& where) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> out;
  std::uint32_t bits = 0;
  unsigned have = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (c == '=') {
      ++padding;
      continue;
    }
    if (digit == std::string_view::npos || padding != 0) {
      return userError(fmt::format("{}: not base64", where));
    }
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    have += 6;
    if (have >= 8) {
      have -= 8;
      out.push_back(static_cast<std::uint8_t>(bits >> have));
    }
  }
  if (text.size() % 4 != 0 || padding > 2) return userError(fmt::format("{}: not base64", where));
  return out;
}

template <class T>
std::vector<std::uint8_t> bytesOf(T value) {
  std::vector<std::uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

Expected<std::vector<std::uint8_t>> signedScalar(const json& value, std::int64_t least,
                                                 std::int64_t most, bool wide,
                                                 const std::string& where) {
  const bool tooLarge =
      value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
  const bool fits = value.is_number_integer() && !tooLarge && value.get<std::int64_t>() >= least &&
                    value.get<std::int64_t>() <= most;
  if (!fits) {
    return userError(fmt::format("{}: expected an integer from {} to {}, not {}", where, least,
                                 most, value.dump()));
  }
  const auto number = value.get<std::int64_t>();
  return wide ? bytesOf(number) : bytesOf(static_cast<std::int32_t>(number));
}

/// JSON has no infinities and NaNs: they are the strings "inf", "-inf", "nan".
Expected<double> realScalar(const json& value, const std::string& where) {
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  return userError(fmt::format("{}: expected a number, not {}", where, value.dump()));
}

Status readOutput(const json& item, const std::filesystem::path& folder, SimArgument& argument,
                  const std::string& where) {
  if (!item.contains("output")) return Success{};
  if (!item["output"].is_string()) return userError(fmt::format("{}: output names a file", where));
  argument.output = folder / item["output"].get<std::string>();
  return Success{};
}

Expected<SimArgument> readArgument(const json& item, const std::filesystem::path& folder,
                                   const std::string& where) {
  if (!item.is_object() || item.empty()) {
    return userError(
        fmt::format("{}: expected an object such as {{\"i32\": 5}}, not {}", where, item.dump()));
  }
  SimArgument argument;
  const auto single = [&](std::string_view key) { return onlyKeys(item, {key}, where); };
  if (item.contains("buffer")) {
    CW_DO(onlyKeys(item, {"buffer", "output"}, where));
    if (!item["buffer"].is_string())
      return userError(fmt::format("{}: buffer names a file", where));
    argument.name = item["buffer"].get<std::string>();
    CW_TRY(argument.array, readNpy(folder / argument.name));
    argument.isBuffer = true;
    CW_DO(readOutput(item, folder, argument, where));
  } else if (item.contains("uninitialised")) {
    CW_DO(onlyKeys(item, {"uninitialised", "output"}, where));
    CW_TRY(const std::uint64_t bytes,
           natural(item["uninitialised"], std::uint64_t{1} << 36, where));
    argument.isBuffer = true;
    argument.isWritten = false;
    argument.name = "uninitialised";
    argument.array.header = npyHeader(bytes);
    argument.array.data.resize(bytes);
    CW_DO(readOutput(item, folder, argument, where));
    if (argument.output) argument.name = argument.output->filename().string();
  } else if (item.contains("i32")) {
    CW_DO(single("i32"));
    CW_TRY(argument.value, signedScalar(item["i32"], std::numeric_limits<std::int32_t>::min(),
                                        std::numeric_limits<std::int32_t>::max(), false, where));
  } else if (item.contains("i64")) {
    CW_DO(single("i64"));
    CW_TRY(argument.value, signedScalar(item["i64"], std::numeric_limits<std::int64_t>::min(),
                                        std::numeric_limits<std::int64_t>::max(), true, where));
  } else if (item.contains("b64")) {
    CW_DO(single("b64"));
    CW_TRY(const std::uint64_t value,
           natural(item["b64"], std::numeric_limits<std::uint64_t>::max(), where));
    argument.value = bytesOf(value);
  } else if (item.contains("f32")) {
    CW_DO(single("f32"));
    CW_TRY(const double value, realScalar(item["f32"], where));
    if (std::isfinite(value) && !std::isfinite(static_cast<float>(value))) {
      return userError(
          fmt::format("{}: {} is no f32; \"inf\" is infinity", where, item["f32"].dump()));
    }
    argument.value = bytesOf(static_cast<float>(value));
  } else if (item.contains("f64")) {
    CW_DO(single("f64"));
    CW_TRY(const double value, realScalar(item["f64"], where));
    argument.value = bytesOf(value);
  } else if (item.contains("bytes")) {
    CW_DO(single("bytes"));
    if (!item["bytes"].is_string())
      return userError(fmt::format("{}: bytes are base64 text", where));
    CW_TRY(argument.value, fromBase64(item["bytes"].get<std::string>(), where));
  } else if (item.contains("null")) {
    CW_DO(single("null"));
    if (item["null"] != true) return userError(fmt::format("{}: null is true", where));
    argument.value = bytesOf(std::uint64_t{0});
  } else {
    return userError(
        fmt::format("{}: expected buffer, uninitialised, i32, i64, b64, f32, f64, bytes or "
                    "null, not {}",
                    where, item.dump()));
  }
  return argument;
}

}  // namespace

Expected<SimLaunch> readLaunch(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    return userError(fmt::format("cannot read {}", path.string()));
  }
  const json root = json::parse(file, nullptr, false);
  const std::string name = path.string();
  if (root.is_discarded()) return userError(fmt::format("{} is not JSON", name));
  if (!root.is_object()) return userError(fmt::format("{}: expected an object", name));
  CW_DO(onlyKeys(root, {"kernel", "grid", "block", "cluster", "dynamic_smem", "args"}, name));
  SimLaunch launch;
  if (!root.contains("kernel") || !root["kernel"].is_string()) {
    return userError(fmt::format("{}: \"kernel\" names the kernel", name));
  }
  launch.kernel = root["kernel"].get<std::string>();
  if (root.contains("grid")) {
    CW_TRY(launch.grid, extents(root["grid"], name + ": grid"));
  }
  if (root.contains("block")) {
    CW_TRY(launch.block, extents(root["block"], name + ": block"));
  }
  if (root.contains("cluster")) {
    CW_TRY(launch.cluster, extents(root["cluster"], name + ": cluster"));
  }
  if (root.contains("dynamic_smem")) {
    CW_TRY(const std::uint64_t bytes,
           natural(root["dynamic_smem"], std::numeric_limits<std::uint32_t>::max(),
                   name + ": dynamic_smem"));
    launch.dynamicShared = static_cast<std::uint32_t>(bytes);
  }
  if (root.contains("args")) {
    if (!root["args"].is_array()) return userError(fmt::format("{}: args is a list", name));
    std::size_t i = 0;
    for (const json& item : root["args"]) {
      CW_TRY(SimArgument argument,
             readArgument(item, path.parent_path(), fmt::format("{}: argument {}", name, i++)));
      launch.arguments.push_back(std::move(argument));
    }
  }
  return launch;
}

}  // namespace cutwork::tool

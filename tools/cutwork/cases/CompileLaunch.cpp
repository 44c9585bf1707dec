// CompileLaunch.cpp -- from a recorded launch to launch.json with its files.
#include "CompileLaunch.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "../Output.h"
#include "../SimNpy.h"
#include "cutwork/Simulator/Recorded.h"
#include "cutwork/Simulator/Register.h"
#include "cutwork/Simulator/Runs.h"

namespace cutwork::tool {

namespace {

using Json = nlohmann::ordered_json;

std::string base64(const std::vector<std::byte>& bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (i + j < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i + j]) : 0);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * j) & 63];
    }
  }
  return text;
}

template <class T>
T read(const std::vector<std::byte>& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// The inputs as files of bytes; outputs are memory that nobody has written.
Expected<Json> bufferOf(const HostArray& array, const std::filesystem::path& folder) {
  const auto bytes = static_cast<std::uint64_t>(array.bytes());
  if (array.isOutput()) {
    return Json{{"uninitialised", bytes}, {"output", array.name() + ".out.npy"}};
  }
  Npy file{npyHeader(bytes), std::vector<std::uint8_t>(bytes)};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an array of the host
  if (bytes > 0)
    std::memcpy(file.data.data(), reinterpret_cast<const void*>(array.data().address()), bytes);
  CW_DO(writeNpy(folder / (array.name() + ".npy"), file));
  return Json{{"buffer", array.name() + ".npy"}};
}

/// What the host function launches: it is begun, and stopped at its first instruction.
Expected<RecordedLaunch> launchOf(const CompiledFunction& function, const Device& device,
                                  const std::vector<Array>& arrays) {
  const std::vector<CallArgument> arguments(arrays.begin(), arrays.end());
  limitSimulatedRuns(1, nullptr);
  const Status ran = function.callOn(device, arguments);
  limitSimulatedRuns(0, nullptr);
  if (auto launch = lastSimulatedLaunch(device)) return *std::move(launch);
  if (!ran.ok()) return ran.error();
  return userError(fmt::format("'{}' launches no kernel", function.name()));
}

}  // namespace

Status writeLaunch(const std::string& file, const CaseArrays& arrays,
                   const CompiledFunction& function) {
  registerSimulatedDevices();
  CW_TRY(const Device device, Device::open("sim:" + function.target().name()));
  std::vector<Array> placed;
  for (const HostArray& array : arrays.all()) {
    CW_TRY(Array copy, Array::empty(device, array.data().type(), array.shape()));
    CW_DO(copy.copyFrom(array.data()));
    placed.push_back(std::move(copy));
  }
  CW_TRY(const RecordedLaunch launch, launchOf(function, device, placed));
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  Json values = Json::array();
  for (const std::vector<std::byte>& bytes : launch.parameters) {
    if (bytes.size() == 4) {
      values.push_back({{"i32", read<std::int32_t>(bytes)}});
      continue;
    }
    if (bytes.size() != 8) {
      values.push_back({{"bytes", base64(bytes)}});
      continue;
    }
    values.push_back({{"b64", read<std::uint64_t>(bytes)}});
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (placed[i].address() != read<std::uint64_t>(bytes)) continue;
      CW_TRY(values.back(), bufferOf(arrays.all()[i], folder));
    }
  }
  const Json all{{"kernel", launch.kernel},
                 {"grid", launch.grid},
                 {"block", launch.block},
                 {"cluster", launch.cluster},
                 {"dynamic_smem", launch.dynamicShared},
                 {"args", values}};
  return writeFile(file, all.dump(2) + "\n");
}

}  // namespace cutwork::tool

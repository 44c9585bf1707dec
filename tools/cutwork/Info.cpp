// Info.cpp -- `cutwork info`: what this machine has for running and assembling kernels.
#include "Info.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cutwork/Codegen/Assembler.h"
#include "cutwork/Runtime/Device.h"
#include "cutwork/Simulator/Register.h"
#include "cutwork/Simulator/Simulator.h"
#include "cutwork/Support/Knobs.h"

namespace cutwork::tool {
namespace {

using nlohmann::ordered_json;

constexpr const char* kInfoHelp = R"(
Says what there is and what is missing, with how to get it. Nothing of it is needed for layouts and
simulated devices, so the exit code is 0 whatever is missing.

Example:
  cutwork info --json
)";

/// Something that is not there, what cannot be done without it, and how to get it.
struct Missing {
  std::string what;
  std::string without;
  std::string get;
};

struct Information {
  std::vector<DeviceProperties> cuda;
  std::string noCuda;  ///< why there are no CUDA devices
  std::string best;    ///< the device that is used where none is named
  std::string noBest;  ///< why there is none
  std::vector<AssemblerTool> tools;
  std::string assembler;  ///< nvJitLink, ptxas, driver, or empty
  std::string llvm;       ///< the version, or empty
  std::vector<KnobSetting> settings;
  std::vector<Missing> missing;
};

std::string versionText(int driverVersion) {
  return fmt::format("{}.{}", driverVersion / 1000, driverVersion % 1000 / 10);
}

void findDevices(Information& info) {
  registerSimulatedDevices();
  const auto count = cudaDeviceCount();
  if (!count.ok()) info.noCuda = count.error().message();
  for (int i = 0; count.ok() && i < count.value(); ++i) {
    const auto device = Device::open(fmt::format("cuda:{}", i));
    if (device.ok()) {
      info.cuda.push_back(device->properties());
    } else {
      info.noCuda = device.error().message();
    }
  }
  if (info.cuda.empty() && info.noCuda.empty()) info.noCuda = "the CUDA driver has no device";
  const auto best = Device::best();
  if (best.ok()) {
    info.best = best->name();
  } else {
    info.noBest = best.error().message();
  }
}

void findMissing(Information& info) {
  if (info.cuda.empty()) {
    info.missing.push_back({"a CUDA device", "kernels run on simulated devices only",
                            "install NVIDIA's driver, or name its library in CUTWORK_CUDA_DRIVER"});
  }
  const bool anyTool = !info.assembler.empty() && info.assembler != "driver";
  if (!anyTool) {
    info.missing.push_back({"an assembler (nvJitLink or ptxas)",
                            info.assembler.empty()
                                ? "no cubin can be made: simulated devices read PTX"
                                : "the CUDA driver assembles, on a machine with a GPU only",
                            "pip install nvidia-nvjitlink nvidia-cuda-nvcc into the environment of "
                            "VIRTUAL_ENV, or set "
                            "CUTWORK_NVJITLINK or CUTWORK_PTXAS"});
  } else if (!info.tools[1].reason.empty()) {
    info.missing.push_back({"ptxas", "setmaxnreg is ignored: nvJitLink does not honour it",
                            "pip install nvidia-cuda-nvcc into the environment of VIRTUAL_ENV, or "
                            "set CUTWORK_PTXAS"});
  }
  if (info.llvm.empty()) {
    info.missing.push_back({"the compiler", "kernels cannot be compiled, PTX can be run",
                            "configure with -DCUTWORK_COMPILER=ON (needs LLVM and MLIR 22)"});
  }
}

Information gather() {
  Information info;
  findDevices(info);
  info.tools = assemblerTools();
  for (const AssemblerTool& tool : info.tools) {
    if (tool.reason.empty() && info.assembler.empty()) info.assembler = tool.kind;
  }
  if (info.assembler.empty() && !info.cuda.empty()) info.assembler = "driver";
#ifdef CUTWORK_LLVM_VERSION
  info.llvm = CUTWORK_LLVM_VERSION;
#endif
  info.settings = knobs().settings;
  findMissing(info);
  return info;
}

/// JSON's null for an empty text.
ordered_json orNull(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json cudaJson(const Information& info) {
  ordered_json list = ordered_json::array();
  for (const DeviceProperties& device : info.cuda) {
    list.push_back({{"name", device.name},
                    {"card", device.card},
                    {"compute_capability", fmt::format("{}.{}", device.target.capability / 10,
                                                       device.target.capability % 10)},
                    {"target", device.target.name()},
                    {"memory_bytes", device.memoryBytes},
                    {"multiprocessors", device.multiprocessors},
                    {"driver", versionText(device.driverVersion)}});
  }
  return list;
}

std::string infoJson(const Information& info) {
  ordered_json tools = ordered_json::array();
  for (const AssemblerTool& tool : info.tools) {
    tools.push_back({{"kind", tool.kind},
                     {"version", orNull(tool.version)},
                     {"path", orNull(tool.path)},
                     {"reason", orNull(tool.reason)}});
  }
  ordered_json knobs = ordered_json::object();
  for (const KnobSetting& one : info.settings) knobs[std::string(one.name)] = one.text;
  ordered_json missing = ordered_json::array();
  for (const Missing& one : info.missing) {
    missing.push_back({{"what", one.what}, {"without", one.without}, {"get", one.get}});
  }
  ordered_json simulated = ordered_json::array();
  for (const std::string_view target : sim::SimulatedDevice::targets()) {
    simulated.push_back(fmt::format("sim:{}", target));
  }
  const ordered_json out{{"version", CUTWORK_VERSION},
                         {"cuda_devices", cudaJson(info)},
                         {"no_cuda_devices", orNull(info.noCuda)},
                         {"simulated_devices", simulated},
                         {"default_device", orNull(info.best)},
                         {"no_default_device", orNull(info.noBest)},
                         {"assembler", orNull(info.assembler)},
                         {"assembler_tools", tools},
                         {"llvm", orNull(info.llvm)},
                         {"knobs", knobs},
                         {"missing", missing}};
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string infoText(const Information& info) {
  std::string out = fmt::format("cutwork {}\n\nCUDA devices\n", CUTWORK_VERSION);
  for (const DeviceProperties& device : info.cuda) {
    out +=
        fmt::format("  {}: {}, {:.0f} GiB, compute capability {}.{} ({}), driver {}\n", device.name,
                    device.card, static_cast<double>(device.memoryBytes) / (std::int64_t{1} << 30),
                    device.target.capability / 10, device.target.capability % 10,
                    device.target.name(), versionText(device.driverVersion));
  }
  if (!info.noCuda.empty()) out += fmt::format("  none: {}\n", info.noCuda);
  out += "\nsimulated devices\n  sim:TARGET for";
  std::string_view before = " ";
  for (const std::string_view target : sim::SimulatedDevice::targets()) {
    out += fmt::format("{}{}", before, target);
    before = ", ";
  }
  out += fmt::format("\n\nused where no device is named\n  {}\n",
                     info.best.empty() ? "none: " + info.noBest : info.best);
  out += "\nassemblers, in the order in which they are tried\n";
  for (const AssemblerTool& tool : info.tools) {
    const std::string found =
        fmt::format("{}{}{}", tool.version, tool.version.empty() ? "" : ", ", tool.path);
    out +=
        fmt::format("  {}: {}{}\n", tool.kind, tool.reason.empty() ? found : "none: " + tool.reason,
                    tool.kind == info.assembler ? " (used)" : "");
  }
  out +=
      fmt::format("  driver: {}{}\n", info.cuda.empty() ? "none: there is no CUDA device" : "there",
                  info.assembler == "driver" ? " (used)" : "");
  out += fmt::format("\ncompiler\n  {}\n",
                     info.llvm.empty() ? "none: built without it" : "LLVM " + info.llvm);
  out += "\nenvironment variables that are set\n";
  for (const KnobSetting& one : info.settings) out += fmt::format("  {}={}\n", one.name, one.text);
  if (info.settings.empty()) out += "  none\n";
  out += "\nmissing\n";
  for (const Missing& one : info.missing) {
    out += fmt::format("  {}: {}\n    {}\n", one.what, one.without, one.get);
  }
  if (info.missing.empty()) out += "  nothing\n";
  return out;
}

}  // namespace

void addInfoCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* info =
      app.add_subcommand("info", "Say which devices and assemblers there are, and what is missing");
  info->add_flag("--json", invocation.json, "Print it as JSON");
  info->footer(kInfoHelp);
  info->callback([&invocation] {
    invocation.run = [&invocation] {
      const Information found = gather();
      return finish(invocation.json ? infoJson(found) : infoText(found));
    };
  });
}

}  // namespace cutwork::tool

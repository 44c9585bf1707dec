// AssemblerSearch.cpp -- where nvJitLink, ptxas and nvdisasm may be.
#include <algorithm>
#include <filesystem>

#include "AssemblerParts.h"
#include "cutwork/Support/Knobs.h"

namespace cutwork::assembler {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDoNotUse = "none";

/// Package folders: the caller's, then those of the Python environment that is active.
std::vector<fs::path> packageFolders(const AssembleOptions& options, const Knobs& knobs) {
  std::vector<fs::path> folders(options.packageFolders.begin(), options.packageFolders.end());
  if (knobs.virtualEnv.empty()) return folders;
  std::error_code ignored;
  std::vector<fs::path> pythons;
  for (const auto& entry : fs::directory_iterator(fs::path(knobs.virtualEnv) / "lib", ignored)) {
    pythons.push_back(entry.path() / "site-packages");
  }
  std::sort(pythons.begin(), pythons.end());
  folders.insert(folders.end(), pythons.begin(), pythons.end());
  return folders;
}

std::vector<std::string> namesIn(const std::vector<fs::path>& folders,
                                 std::initializer_list<const char*> places) {
  std::vector<std::string> names;
  for (const fs::path& folder : folders) {
    for (const char* place : places) {
      std::error_code ignored;
      if (fs::is_regular_file(folder / place, ignored)) names.push_back(folder / place);
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> nvJitLinkNames(const AssembleOptions& options) {
  const Expected<Knobs>& knobs = tryKnobs();
  if (!knobs.ok() || knobs->nvjitlink == kDoNotUse) return {};
  if (!knobs->nvjitlink.empty()) return {knobs->nvjitlink};
  std::vector<std::string> names =
      namesIn(packageFolders(options, *knobs),
              {"nvidia/cu13/lib/libnvJitLink.so.13", "nvidia/nvjitlink/lib/libnvJitLink.so.12"});
  names.insert(names.end(), {"libnvJitLink.so.13", "libnvJitLink.so.12"});
  return names;
}

std::vector<std::string> ptxasNames(const AssembleOptions& options) {
  const Expected<Knobs>& knobs = tryKnobs();
  if (!knobs.ok() || knobs->ptxas == kDoNotUse) return {};
  if (!knobs->ptxas.empty()) return {knobs->ptxas};
  std::vector<std::string> names =
      namesIn(packageFolders(options, *knobs),
              {"nvidia/cu13/bin/ptxas", "nvidia/cuda_nvcc/bin/ptxas",
               "triton/backends/nvidia/bin/ptxas-blackwell", "triton/backends/nvidia/bin/ptxas"});
  names.emplace_back("ptxas");
  return names;
}

std::vector<std::string> nvdisasmNames() {
  const Expected<Knobs>& knobs = tryKnobs();
  if (!knobs.ok()) return {};
  std::vector<std::string> names = namesIn(
      packageFolders({}, *knobs), {"nvidia/cu13/bin/nvdisasm", "nvidia/cuda_nvdisasm/bin/nvdisasm",
                                   "triton/backends/nvidia/bin/nvdisasm"});
  names.emplace_back("nvdisasm");
  return names;
}

}  // namespace cutwork::assembler

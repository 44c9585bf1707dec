// Disassembler.cpp -- a cubin as text, by the nvdisasm program.
#include "cutwork/Codegen/Disassembler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <fstream>

#include "AssemblerParts.h"
#include "AssemblerProcess.h"

namespace cutwork {

namespace {

using namespace assembler;  // NOLINT(google-build-using-namespace): its parts

Error notFound(const std::vector<std::string>& tried) {
  return userError(
      fmt::format("nvdisasm is not found; it comes with CUDA, and with the Python packages triton "
                  "and nvidia-cuda-nvdisasm, where VIRTUAL_ENV names their environment (tried: {})",
                  fmt::join(tried, ", ")));
}

}  // namespace

Expected<std::string> disassemble(std::span<const std::byte> cubin,
                                  const std::vector<std::string>& options) {
  const ScopedFolder folder;
  if (folder.path().empty()) {
    return userError(fmt::format("nvdisasm: no temporary folder: {}", std::strerror(errno)));
  }
  const std::string input = folder.path() / "input.cubin";
  std::ofstream(input, std::ios::binary)
      .write(reinterpret_cast<const char*>(cubin.data()),
             static_cast<std::streamsize>(cubin.size()));
  const std::vector<std::string> names = nvdisasmNames();
  for (const std::string& name : names) {
    std::vector<std::string> command{name, "-c", "-g"};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back(input);
    const Exit exit = spawn(command, folder.path() / "sass", folder.path() / "errors");
    if (exit.error != 0) continue;
    std::string text = contents(folder.path() / "sass");
    if (exit.status == 0) return text;  // without its warnings
    return userError(fmt::format("{}: exit status {}: {}{}", name, exit.status,
                                 contents(folder.path() / "errors"), text));
  }
  return notFound(names);
}

}  // namespace cutwork

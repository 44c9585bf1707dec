// Linked.h -- a module on a device: its variables have addresses, its functions numbers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "Memory/Global.h"
#include "Program.h"
#include "Reader/Ast.h"

namespace cutwork::sim {

struct LinkedModule {
  Module module;
  std::unordered_map<std::string_view, std::uint64_t>
      addresses;  ///< of .global and .const variables
  /// Of those that functions declare in their bodies: one for all calls.
  std::unordered_map<const Declaration*, std::uint64_t> inBodies;
  std::unordered_map<std::string_view, const Declaration*> variables;
  std::unordered_map<std::string_view, std::uint32_t> functions;          ///< those with a body win
  std::map<std::string, std::unique_ptr<Program>, std::less<>> programs;  ///< decoded kernels
};

/// Gives variables memory and writes their initial values. Error (User): an initial value that
/// names nothing; two variables of one name.
Expected<std::unique_ptr<LinkedModule>> linkModule(Module module, GlobalMemory& memory);

/// The address that stands for a function.
inline std::uint64_t codeAddress(std::uint32_t function) {
  return kCodeWindow + std::uint64_t{function} * 16;
}

/// Why a kernel cannot be decoded: the PTX is wrong, or an instruction is not known here.
struct DecodeProblem {
  bool unknownInstruction = false;
  std::string message;
  SourcePlace ptx;
  SourcePlace user;
  std::string instruction;
};

/// Decodes a kernel and the functions that it can reach. On failure null, and `problem` says why.
std::unique_ptr<Program> decodeKernel(const LinkedModule& linked, std::uint32_t function,
                                      const Checks& checks, DecodeProblem& problem);

}  // namespace cutwork::sim

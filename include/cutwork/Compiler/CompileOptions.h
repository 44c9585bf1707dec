// cutwork/Compiler/CompileOptions.h -- what a compilation is asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cutwork/Support/Target.h"

#pragma GCC visibility push(default)

namespace cutwork {

struct CompileOptions {
  // NOLINTNEXTLINE(readability-redundant-member-init): without it options that name none warn
  std::optional<Target> target = {};  ///< else CUTE_DSL_ARCH, the arguments' device, Device::best
  int optimisation = 3;               ///< LLVM's and the assembler's, 0 to 3
  int maxRegisters = 0;               ///< of a thread; 0: no limit
  bool store = true;  ///< take it from the kernel store (docs/cache.md), or put it there
  // NOLINTBEGIN(readability-redundant-member-init): as above
  std::vector<std::string> ptxasOptions = {};   ///< further ones of the assembler (Assembler.h)
  std::vector<std::string> argumentNames = {};  ///< what messages call the arguments, not numbers
  // NOLINTEND(readability-redundant-member-init)
};

}  // namespace cutwork

#pragma GCC visibility pop

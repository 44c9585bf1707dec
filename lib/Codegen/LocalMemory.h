// LocalMemory.h -- stack slots that stayed in memory, where registers were meant.
#pragma once

#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace cutwork::codegen {

/// After optimisation: a remark, `file:line: text`, for each slot that is indexed at run time.
std::vector<std::string> localMemoryRemarks(llvm::Module& module);

}  // namespace cutwork::codegen

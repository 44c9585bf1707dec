// LoadGaps.h -- loads that read what the program names, and nothing between or behind it.
#pragma once

namespace llvm {
class Module;
}

namespace cutwork::codegen {

/// LLVM's load vectoriser makes one access of four out of three neighbours where the first is
/// aligned for it, and so may read behind the end of an array: harmless on a GPU, but a report of
/// compute-sanitizer and of the simulated device. Where neighbours leave a gap in such a window,
/// their alignment is lowered, so that nothing is filled in. Runs after LLVM's optimiser.
void keepLoadsWithin(llvm::Module& module);

}  // namespace cutwork::codegen

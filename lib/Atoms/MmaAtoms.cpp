// MmaAtoms.cpp -- the table of matrix instructions.
#include "cutwork/Atoms/MmaAtoms.h"

#include <algorithm>

#include "cutwork/Layout/Text.h"

namespace cutwork::cute {

namespace {

constexpr std::array kMmas = {
    MmaInstruction{MmaKind::Universal,
                   "MmaUniversalOp",
                   {1, 1, 1},
                   "1:0",
                   "(1,1):(0,0)",
                   "(1,1):(0,0)",
                   "(1,1):(0,0)",
                   80,
                   "fma.rn.$type"},
};

}  // namespace

std::span<const MmaInstruction> mmaInstructions() { return kMmas; }

MmaLayouts mmaLayouts(MmaKind kind) {
  const auto* row = std::ranges::find(kMmas, kind, &MmaInstruction::kind);
  // The texts are ours: one that does not read is caught by the table's test.
  auto read = [](std::string_view text) { return parseLayout(text).value(); };
  return {row->mnk, read(row->threads), read(row->a), read(row->b), read(row->c)};
}

}  // namespace cutwork::cute

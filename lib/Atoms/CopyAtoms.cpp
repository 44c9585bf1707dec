// CopyAtoms.cpp -- the table of copy instructions.
#include "cutwork/Atoms/CopyAtoms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

namespace cutwork::cute {

namespace {

constexpr std::array kCopies = {
    CopyInstruction{CopyKind::Universal, "CopyUniversalOp", 8, 80, "ld.$space.b8"},
    CopyInstruction{CopyKind::Universal, "CopyUniversalOp", 16, 80, "ld.$space.b16"},
    CopyInstruction{CopyKind::Universal, "CopyUniversalOp", 32, 80, "ld.$space.b32"},
    CopyInstruction{CopyKind::Universal, "CopyUniversalOp", 64, 80, "ld.$space.b64"},
    CopyInstruction{CopyKind::Universal, "CopyUniversalOp", 128, 80, "ld.$space.v4.b32"},
    CopyInstruction{CopyKind::Universal, "CopyUniversalOp", 256, 100, "ld.$space.v8.b32"},
    CopyInstruction{CopyKind::AsyncAlways, "CopyG2SOp", 32, 80, "cp.async.ca.shared.global"},
    CopyInstruction{CopyKind::AsyncAlways, "CopyG2SOp", 64, 80, "cp.async.ca.shared.global"},
    CopyInstruction{CopyKind::AsyncAlways, "CopyG2SOp", 128, 80, "cp.async.ca.shared.global"},
    CopyInstruction{CopyKind::AsyncGlobal, "CopyG2SOp", 128, 80, "cp.async.cg.shared.global"},
};

std::vector<int> widths(CopyKind kind, const Target& target) {
  std::vector<int> found;
  for (const CopyInstruction& row : kCopies) {
    if (row.kind == kind && row.leastCapability <= target.capability) found.push_back(row.bits);
  }
  return found;
}

}  // namespace

std::span<const CopyInstruction> copyInstructions() { return kCopies; }

Status checkCopy(CopyKind kind, int bits, const Target& target) {
  std::vector<int> possible = widths(kind, target);
  if (std::ranges::find(possible, bits) != possible.end()) return Success{};
  constexpr std::string_view kWhat[] = {"copy", "cp.async copy", "cp.async copy past L1"};
  return userError(fmt::format("no {} of {} bits at once on {}; there {} {}",
                               kWhat[static_cast<std::size_t>(kind)], bits, target.name(),
                               possible.size() == 1 ? "is" : "are", fmt::join(possible, ", ")));
}

int widestCopy(CopyKind kind, const Target& target) { return widths(kind, target).back(); }

}  // namespace cutwork::cute

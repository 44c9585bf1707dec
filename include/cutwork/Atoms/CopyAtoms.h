// cutwork/Atoms/CopyAtoms.h -- the copy instructions: what they move, between which spaces, where
// they exist.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cutwork/Support/Status.h"
#include "cutwork/Support/Target.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

enum class CopyKind {
  Universal,    ///< ld and st of one thread
  AsyncAlways,  ///< cp.async.ca: global to shared memory, cached at all levels
  AsyncGlobal,  ///< cp.async.cg: the same, past L1
};

/// One row of the table.
struct CopyInstruction {
  CopyKind kind;
  std::string_view name;  ///< as programs write it: `CopyUniversalOp`
  int bits;               ///< that one execution by one thread moves
  int leastCapability;    ///< 80 for sm_80
  std::string_view ptx;   ///< its PTX form, $space and the register in place
};
/// Source: PTX ISA, sections "ld" and "st" (vectors of up to 128 bits; 256 from sm_100), "cp.async"
/// (4, 8 or 16 bytes; 16 past L1).
std::span<const CopyInstruction> copyInstructions();

/// Whether a copy of `bits` at once exists on the target. Error (User): it does not, with what
/// does.
Status checkCopy(CopyKind kind, int bits, const Target& target);
/// The widest that the target has.
int widestCopy(CopyKind kind, const Target& target);

}  // namespace cutwork::cute

#pragma GCC visibility pop

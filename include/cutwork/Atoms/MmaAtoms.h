// cutwork/Atoms/MmaAtoms.h -- the matrix instructions: shapes, who holds which element, PTX form.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "cutwork/Layout/Layout.h"

#pragma GCC visibility push(default)

namespace cutwork::cute {

enum class MmaKind {
  Universal,  ///< one multiply-add of one thread
};

/// One row of the table. The layouts are texts of (thread, value) -> index in the operand's tile,
/// colexicographic: A is (M,K), B is (N,K), C is (M,N).
struct MmaInstruction {
  MmaKind kind;
  std::string_view name;  ///< as programs write it: `MmaUniversalOp`
  std::array<std::int64_t, 3> mnk;
  std::string_view threads;  ///< of the instruction, to the thread's number
  std::string_view a;
  std::string_view b;
  std::string_view c;
  int leastCapability;   ///< 80 for sm_80
  std::string_view ptx;  ///< its PTX form, $type in place
};
/// Source: PTX ISA, section "Floating Point Instructions: fma".
std::span<const MmaInstruction> mmaInstructions();

/// A row of the table with its layouts read.
struct MmaLayouts {
  std::array<std::int64_t, 3> mnk;
  Layout threads;
  Layout a;
  Layout b;
  Layout c;
};
MmaLayouts mmaLayouts(MmaKind kind);

}  // namespace cutwork::cute

#pragma GCC visibility pop

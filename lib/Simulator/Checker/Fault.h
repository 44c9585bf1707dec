// Fault.h -- what a run reports: the kind of fault, where, and by whom.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "cutwork/Support/ExitCode.h"
#include "cutwork/Support/SourcePlace.h"

namespace cutwork::sim {

struct Record;

/// The other of two accesses.
struct OtherAccess {
  bool known = false;
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> thread{};
  SourcePlace ptx;
  SourcePlace user;
  std::string instruction;
  std::string value;  ///< `wrote 7 (u32)`, of a race
};

struct Fault {
  ExitCode code = ExitCode::Done;
  std::string message;  ///< what happened, with address and allocation
  std::string kernel;
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> thread{};
  bool hasThread = false;
  std::uint64_t address = 0;
  bool hasAddress = false;
  SourcePlace ptx;                   ///< the line of the PTX
  SourcePlace user;                  ///< the user's line, from .loc
  std::string instruction;           ///< as the PTX has it
  std::string value;                 ///< `read 7 (u32)`, of a race
  OtherAccess other;                 ///< of a race
  std::string details;               ///< further lines: the state of barriers, waiting warps
  std::uint64_t count = 1;           ///< how often at this place
  const Record* repeated = nullptr;  ///< of no words: its place has a report, or is not listed

  [[nodiscard]] bool any() const { return code != ExitCode::Done; }
  /// `bounds: ...` and one line for each of kernel, place, instruction.
  [[nodiscard]] std::string text() const;
};

}  // namespace cutwork::sim

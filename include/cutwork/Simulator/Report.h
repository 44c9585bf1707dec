// cutwork/Simulator/Report.h -- what a report of the simulated device says.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "cutwork/Support/ExitCode.h"
#include "cutwork/Support/SourcePlace.h"

#pragma GCC visibility push(default)

namespace cutwork::sim {

/// The other of two accesses that a report names.
struct FaultOther {
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> thread{};
  SourcePlace ptx;
  SourcePlace user;
  std::string value;  ///< `wrote 7 (u32)`, where the instruction has one
};

/// What a kernel did wrong, or the device could not do.
struct FaultReport {
  ExitCode code = ExitCode::Done;
  std::string message;  ///< one sentence, with address and allocation
  std::string kernel;
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> thread{};
  std::uint64_t address = 0;
  SourcePlace ptx;                  ///< the line of the PTX
  SourcePlace user;                 ///< the user's line, from .loc
  std::optional<FaultOther> other;  ///< of a race
  std::string value;                ///< of a race: `read 7 (u32)`
  std::uint64_t count = 1;          ///< how often it was at this place; the rest is of the first
  std::string text;                 ///< all of it, as a program prints it
};

}  // namespace cutwork::sim

#pragma GCC visibility pop

// cutwork/Simulator/Profile.h -- what each instruction of a launch did: lanes, traffic, conflicts.
//
//     config.profile = true;
//     auto run = device->launch(*module, "add", config, parameters);
//     for (const LineProfile& line : run->profile->lines()) ...
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cutwork/Support/SourcePlace.h"

#pragma GCC visibility push(default)

namespace cutwork::sim {

/// What an instruction is, by its mnemonic and type.
enum class InstructionClass {
  Integer,
  Logic,  ///< and, shifts, bit fields, permutations
  Half,   ///< arithmetic of f16 and bf16
  Single,
  Double,
  Special,  ///< approximations, roots, divisions
  Convert,
  Compare,
  Move,
  Global,  ///< loads and stores; generic ones too
  Shared,
  Local,
  Constant,  ///< ld.const, ld.param
  Atomic,
  Async,   ///< cp.async
  Matrix,  ///< ldmatrix, stmatrix, movmatrix
  Warp,    ///< shuffles, votes
  Barrier,
  Control,
  Other,
};
inline constexpr unsigned kInstructionClasses = 20;
std::string_view name(InstructionClass kind);

/// How an instruction's results compare with a GPU's (docs/simulator.md, Fidelity).
enum class Fidelity {
  Exact,         ///< the GPU's bits
  Approximated,  ///< within the ISA's bound
  NoEffect,      ///< accepted: hints, waits, fences
  Invented,      ///< clocks, numbers of multiprocessors and warps, bits of an mbarrier
  Order,  ///< each step is exact, in the simulator's order: atomic sums of floats, activemask
};
inline constexpr unsigned kFidelities = 5;
std::string_view name(Fidelity fidelity);

/// Counts of an instruction, or of several. A request is an instruction of a warp.
struct ProfileCounts {
  std::uint64_t issued = 0;     ///< warps that executed it
  std::uint64_t lanes = 0;      ///< lanes that did
  std::uint64_t divergent = 0;  ///< times that a warp's lanes went different ways

  std::uint64_t globalRequests = 0;
  std::uint64_t globalBytes = 0;   ///< asked for by all lanes
  std::uint64_t globalUnique = 0;  ///< bytes, once for each request
  std::uint64_t sectors = 0;       ///< of 32 bytes, that the requests touch

  std::uint64_t sharedRequests = 0;
  std::uint64_t sharedBytes = 0;
  std::uint64_t wavefronts = 0;  ///< passes over the 32 banks
  std::uint64_t conflicts = 0;   ///< wavefronts beyond one for each 128 bytes

  std::uint64_t localBytes = 0;
  std::uint64_t atomicLanes = 0;
  std::uint64_t collisions = 0;  ///< lanes whose atomic meets another's of the same request

  void add(const ProfileCounts& more);
  /// Bytes used of the sectors' bytes, 0 to 1; 1 without traffic.
  [[nodiscard]] double coalescing() const;
  /// Executing lanes of 32, 0 to 1; 1 if nothing was issued.
  [[nodiscard]] double occupancyOfLanes() const;
};

struct InstructionProfile {
  SourcePlace ptx;
  SourcePlace user;  ///< from .loc; unknown without
  std::string text;
  InstructionClass kind = InstructionClass::Other;
  Fidelity fidelity = Fidelity::Exact;
  ProfileCounts counts;
};

/// The instructions of one line, the user's where .loc names one and the PTX's otherwise.
struct LineProfile {
  SourcePlace place;
  ProfileCounts counts;
};

struct Profile {
  std::string kernel;
  std::vector<InstructionProfile> instructions;  ///< in the order of the PTX; those never run too

  /// The counts of another launch of the same kernel.
  void add(const Profile& same);
  [[nodiscard]] ProfileCounts total() const;
  [[nodiscard]] std::array<ProfileCounts, kInstructionClasses> byClass() const;
  /// By file and line.
  [[nodiscard]] std::vector<LineProfile> lines() const;
};

}  // namespace cutwork::sim

#pragma GCC visibility pop

// cutwork/Support/Target.h -- GPU targets (sm_90a): names, PTX versions, which code runs where.
//
// A target is a compute capability, 90 for 9.0, and a suffix. Code for `sm_90` runs on 9.0 and
// later: as PTX on every later one, as a cubin within the major number. Code for `sm_90a` uses
// instructions of that one architecture and runs on 9.0 alone; `sm_100f` uses those of a family and
// runs on its members from that one on. Source: PTX ISA, section 11.1.2 (.target); CUDA C++
// Programming Guide, section 5.1 on family- and architecture-specific features.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cutwork/Support/Error.h"

#pragma GCC visibility push(default)

namespace cutwork {

struct Target {
  enum class Suffix { None, Architecture, Family };

  int capability = 0;  ///< 10 * major + minor: 90, 103
  Suffix suffix = Suffix::None;

  /// `sm_90a`. Refuses a name that is not in the table, with the names that are.
  static Expected<Target> parse(std::string_view name);
  [[nodiscard]] std::string name() const;
  [[nodiscard]] int major() const { return capability / 10; }
  /// The lowest PTX version that has this target, 78 for 7.8.
  [[nodiscard]] int leastPtx() const;

  /// Whether a device of compute capability `device` runs PTX made for this target.
  [[nodiscard]] bool ptxRunsOn(int device) const;
  /// Whether it runs a cubin made for it.
  [[nodiscard]] bool cubinRunsOn(int device) const;

  friend bool operator==(const Target&, const Target&) = default;
};

/// The targets that Cutwork knows, in ascending order.
std::span<const std::string_view> knownTargets();

}  // namespace cutwork

#pragma GCC visibility pop

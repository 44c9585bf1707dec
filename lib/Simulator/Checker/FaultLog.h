// FaultLog.h -- the faults of a launch that went on: one report for each place, and how often.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "Fault.h"

namespace cutwork::sim {

/// What is reported once: a kind of fault at an instruction, with another one for a race.
struct FaultPlace {
  ExitCode code = ExitCode::Done;
  std::uint32_t at = 0;  ///< Record::source
  std::uint32_t other = 0;
  auto operator<=>(const FaultPlace&) const = default;
};

class FaultLog {
 public:
  static constexpr std::size_t kMost = 100;  ///< places that are listed

  [[nodiscard]] bool empty() const { return faults_.empty(); }
  /// Whether a report of the place is there, or cannot be taken any more.
  [[nodiscard]] bool hasHeardOf(const FaultPlace& place) const {
    return faults_.size() >= kMost || places_.contains(place);
  }
  /// Takes a report, or counts one more of a place that has one.
  void add(const FaultPlace& place, Fault fault);
  /// The reports, in the order in which they came.
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }
  /// How many faults were at places that are not listed.
  [[nodiscard]] std::uint64_t unlisted() const { return unlisted_; }

 private:
  std::map<FaultPlace, std::size_t> places_;
  std::vector<Fault> faults_;
  std::uint64_t unlisted_ = 0;
};

}  // namespace cutwork::sim

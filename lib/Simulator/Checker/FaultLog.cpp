// FaultLog.cpp -- what is the same place is one report.
#include "FaultLog.h"

#include <utility>

namespace cutwork::sim {

void FaultLog::add(const FaultPlace& place, Fault fault) {
  const auto found = places_.find(place);
  if (found != places_.end()) {
    faults_[found->second].count += fault.count;
  } else if (faults_.size() >= kMost) {
    unlisted_ += fault.count;
  } else {
    places_.emplace(place, faults_.size());
    faults_.push_back(std::move(fault));
  }
}

}  // namespace cutwork::sim

// Profile.cpp -- sums of a launch's profile.
#include "cutwork/Simulator/Profile.h"

#include <algorithm>
#include <map>

namespace cutwork::sim {

void ProfileCounts::add(const ProfileCounts& more) {
  issued += more.issued;
  lanes += more.lanes;
  divergent += more.divergent;
  globalRequests += more.globalRequests;
  globalBytes += more.globalBytes;
  globalUnique += more.globalUnique;
  sectors += more.sectors;
  sharedRequests += more.sharedRequests;
  sharedBytes += more.sharedBytes;
  wavefronts += more.wavefronts;
  conflicts += more.conflicts;
  localBytes += more.localBytes;
  atomicLanes += more.atomicLanes;
  collisions += more.collisions;
}

double ProfileCounts::coalescing() const {
  return sectors == 0 ? 1 : static_cast<double>(globalUnique) / static_cast<double>(sectors * 32);
}

double ProfileCounts::occupancyOfLanes() const {
  return issued == 0 ? 1 : static_cast<double>(lanes) / static_cast<double>(issued * 32);
}

void Profile::add(const Profile& same) {
  for (std::size_t i = 0; i < std::min(instructions.size(), same.instructions.size()); ++i) {
    instructions[i].counts.add(same.instructions[i].counts);
  }
}

ProfileCounts Profile::total() const {
  ProfileCounts sum;
  for (const InstructionProfile& one : instructions) sum.add(one.counts);
  return sum;
}

std::array<ProfileCounts, kInstructionClasses> Profile::byClass() const {
  std::array<ProfileCounts, kInstructionClasses> sums;
  for (const InstructionProfile& one : instructions) {
    sums[static_cast<std::size_t>(one.kind)].add(one.counts);
  }
  return sums;
}

std::vector<LineProfile> Profile::lines() const {
  std::map<std::pair<std::string, int>, LineProfile> sums;
  for (const InstructionProfile& one : instructions) {
    const SourcePlace& place = one.user.known() ? one.user : one.ptx;
    LineProfile& line = sums[{place.file, static_cast<int>(place.line)}];
    line.place = place;
    line.place.column = 0;
    line.counts.add(one.counts);
  }
  std::vector<LineProfile> result;
  result.reserve(sums.size());
  for (const auto& [at, line] : sums) result.push_back(line);
  return result;
}

}  // namespace cutwork::sim

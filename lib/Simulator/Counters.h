// Counters.h -- what a launch counted.
#pragma once

#include "cutwork/Simulator/Simulator.h"

namespace cutwork::sim {

inline void add(Counters& sum, const Counters& more) {
  sum.warpInstructions += more.warpInstructions;
  sum.laneInstructions += more.laneInstructions;
  sum.globalLoads += more.globalLoads;
  sum.globalStores += more.globalStores;
  sum.globalBytesLoaded += more.globalBytesLoaded;
  sum.globalBytesStored += more.globalBytesStored;
  sum.sharedLoads += more.sharedLoads;
  sum.sharedStores += more.sharedStores;
  sum.atomics += more.atomics;
  sum.barriers += more.barriers;
  sum.divergentBranches += more.divergentBranches;
  sum.blocks += more.blocks;
}

}  // namespace cutwork::sim

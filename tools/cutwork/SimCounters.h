// SimCounters.h -- the counters of the simulated device as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "cutwork/Simulator/Simulator.h"

namespace cutwork::tool {

inline nlohmann::ordered_json countersJson(const sim::Counters& c) {
  return {{"blocks", c.blocks},
          {"warp_instructions", c.warpInstructions},
          {"lane_instructions", c.laneInstructions},
          {"global_loads", c.globalLoads},
          {"global_stores", c.globalStores},
          {"global_bytes_loaded", c.globalBytesLoaded},
          {"global_bytes_stored", c.globalBytesStored},
          {"shared_loads", c.sharedLoads},
          {"shared_stores", c.sharedStores},
          {"atomics", c.atomics},
          {"barriers", c.barriers},
          {"divergent_branches", c.divergentBranches}};
}

}  // namespace cutwork::tool

// SimProfile.h -- the profile of a simulated launch as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "cutwork/Simulator/Profile.h"

namespace cutwork::tool {

nlohmann::ordered_json profileJson(const sim::Profile& profile);

}  // namespace cutwork::tool

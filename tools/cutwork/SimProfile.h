// SimProfile.h -- the profile of a simulated launch as JSON and as a page of HTML.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cutwork/Simulator/Profile.h"

namespace cutwork::tool {

/// What sim::profileText has as a page that needs nothing else.
std::string profileHtml(const sim::Profile& profile, const std::string& ptx);
nlohmann::ordered_json profileJson(const sim::Profile& profile);

}  // namespace cutwork::tool

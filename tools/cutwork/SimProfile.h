// SimProfile.h -- the profile of a simulated launch as a table, as JSON, and as a page of HTML.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cutwork/Simulator/Profile.h"

namespace cutwork::tool {

/// Totals, classes, and a listing: the user's source lines where it can be read (`ptx` is the text
/// of the module, for lines without .loc).
std::string profileText(const sim::Profile& profile, const std::string& ptx);
/// The same as a page that needs nothing else.
std::string profileHtml(const sim::Profile& profile, const std::string& ptx);
nlohmann::ordered_json profileJson(const sim::Profile& profile);

}  // namespace cutwork::tool

// SimProfile.cpp -- a profile as JSON.
#include "SimProfile.h"

#include "cutwork/Simulator/ProfileText.h"

namespace cutwork::tool {
namespace {

nlohmann::ordered_json countsJson(const sim::ProfileCounts& counts) {
  nlohmann::ordered_json out;
  for (const auto& [name, value] : sim::namedCounts(counts)) out[std::string(name)] = value;
  return out;
}

}  // namespace

nlohmann::ordered_json profileJson(const sim::Profile& profile) {
  nlohmann::ordered_json out{{"total", countsJson(profile.total())}};
  const auto sums = profile.byClass();
  for (unsigned i = 0; i < sim::kInstructionClasses; ++i) {
    if (sums[i].issued == 0) continue;
    out["classes"][std::string(name(static_cast<sim::InstructionClass>(i)))] = sums[i].issued;
  }
  for (const sim::InstructionProfile& one : profile.instructions) {
    nlohmann::ordered_json row{{"ptx_line", one.ptx.line},
                               {"text", one.text},
                               {"class", name(one.kind)},
                               {"fidelity", name(one.fidelity)}};
    if (one.user.known()) row["file"] = one.user.file, row["line"] = one.user.line;
    row.update(countsJson(one.counts));
    out["instructions"].push_back(std::move(row));
  }
  return out;
}

}  // namespace cutwork::tool

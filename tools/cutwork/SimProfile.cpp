// SimProfile.cpp -- a profile as JSON and as a page of HTML.
#include "SimProfile.h"

#include <fmt/format.h>

#include <algorithm>

#include "Output.h"
#include "cutwork/Simulator/ProfileText.h"

namespace cutwork::tool {
namespace {

constexpr const char* kStyle = R"(<style>
body{font:14px sans-serif;margin:2em}td,th{padding:0 .8em;text-align:right;white-space:nowrap}
td.name,td.code{text-align:left}td.code{font-family:monospace;white-space:pre}
tr.hot{background:#fde9d9}th{border-bottom:1px solid #888}h2{font-size:1.1em;margin-top:2em}
</style>)";

std::string listingHtml(const sim::Listing& listing) {
  std::uint64_t most = 1;
  for (const sim::ListedLine& line : listing.lines) {
    if (line.counts) most = std::max(most, line.counts->issued);
  }
  std::string out = fmt::format("<h2>{}</h2><table><tr>", escaped(listing.file));
  for (const char* column : sim::kProfileColumns) out += fmt::format("<th>{}</th>", column);
  out += "<th>line</th><th></th></tr>\n";
  for (const sim::ListedLine& line : listing.lines) {
    if (line.gap) out += "<tr><td>...</td></tr>\n";
    const bool hot = line.counts && line.counts->issued * 2 > most;
    out += hot ? "<tr class=hot>" : "<tr>";
    const sim::ProfileCells row =
        line.counts ? sim::profileCells(*line.counts) : sim::ProfileCells{};
    for (const std::string& cell : row) out += fmt::format("<td>{}</td>", cell);
    out += fmt::format("<td>{}</td><td class=code>{}</td></tr>\n", line.number, escaped(line.text));
  }
  return out + "</table>\n";
}

nlohmann::ordered_json countsJson(const sim::ProfileCounts& counts) {
  nlohmann::ordered_json out;
  for (const auto& [name, value] : sim::namedCounts(counts)) out[std::string(name)] = value;
  return out;
}

}  // namespace

std::string profileHtml(const sim::Profile& profile, const std::string& ptx) {
  std::string out =
      fmt::format("<!doctype html><meta charset=utf-8><title>{0}</title>{1}<h1>{0}</h1>\n<table>",
                  escaped(profile.kernel), kStyle);
  for (const auto& [what, value] : sim::totalRows(profile.total())) {
    out += fmt::format("<tr><td class=name>{}</td><td class=name>{}</td></tr>\n", what, value);
  }
  out += fmt::format(
      "</table><h2>Instructions by class</h2><pre>{}</pre><h2>Fidelity</h2><pre>{}</pre>\n",
      sim::classesText(profile), sim::fidelityText(profile));
  for (const sim::Listing& one : sim::listings(profile, ptx)) out += listingHtml(one);
  return out;
}

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

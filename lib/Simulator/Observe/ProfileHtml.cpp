// ProfileHtml.cpp -- a profile's totals and listings as a page of HTML.
#include <fmt/format.h>

#include <algorithm>

#include "cutwork/Simulator/ProfileText.h"
#include "cutwork/Support/Escape.h"

namespace cutwork::sim {
namespace {

constexpr const char* kStyle = R"(<style>
body{font:14px sans-serif;margin:2em}td,th{padding:0 .8em;text-align:right;white-space:nowrap}
td.name,td.code{text-align:left}td.code{font-family:monospace;white-space:pre}
tr.hot{background:#fde9d9}th{border-bottom:1px solid #888}
h2{font-size:1.3em;margin-top:2em}h3{font-size:1.1em}h4{font-size:1em;margin-top:2em}
</style>)";

std::string listingHtml(const Listing& listing) {
  std::uint64_t most = 1;
  for (const ListedLine& line : listing.lines) {
    if (line.counts) most = std::max(most, line.counts->issued);
  }
  std::string out = fmt::format("<h4>{}{}</h4><table><tr>", escaped(listing.file),
                                listing.readable ? "" : " (cannot be read: numbers of lines only)");
  const ProfileColumns columns(listing);
  for (const std::string_view name : columns.names()) out += fmt::format("<th>{}</th>", name);
  out += "<th>line</th><th></th></tr>\n";
  for (const ListedLine& line : listing.lines) {
    if (line.gap) out += "<tr><td>...</td></tr>\n";
    const bool hot = line.counts && line.counts->issued * 2 > most;
    out += hot ? "<tr class=hot>" : "<tr>";
    for (const std::string& cell : columns.cells(line)) out += fmt::format("<td>{}</td>", cell);
    out += fmt::format("<td>{}</td><td class=code>{}</td></tr>\n", line.number, escaped(line.text));
  }
  return out + "</table>\n";
}

}  // namespace

std::string profileHtml(const Profile& profile, const std::string& ptx) {
  std::string out = fmt::format("<h3>kernel {}</h3>\n<table>", escaped(profile.kernel));
  for (const auto& [what, value] : totalRows(profile.total())) {
    out += fmt::format("<tr><td class=name>{}</td><td class=name>{}</td></tr>\n", what, value);
  }
  out += fmt::format(
      "</table><h4>Instructions by class</h4><pre>{}</pre><h4>Fidelity</h4><pre>{}</pre>\n",
      classesText(profile), fidelityText(profile));
  for (const Listing& one : listings(profile, ptx)) out += listingHtml(one);
  return out;
}

std::string profilePage(std::string_view title, const std::vector<PageSection>& sections) {
  std::string out =
      fmt::format("<!doctype html><meta charset=utf-8><title>{0}</title>{1}<h1>{0}</h1>\n",
                  escaped(title), kStyle);
  for (const auto& [heading, body] : sections) {
    if (!heading.empty()) out += fmt::format("<h2>{}</h2>\n", escaped(heading));
    out += body;
  }
  return out;
}

}  // namespace cutwork::sim

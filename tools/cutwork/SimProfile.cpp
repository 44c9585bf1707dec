// SimProfile.cpp -- a profile's totals and listings, for people and for programs.
#include "SimProfile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "Output.h"
#include "SimListing.h"

namespace cutwork::tool {
namespace {

using sim::ProfileCounts;

/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

std::string percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

struct Total {
  std::string name;
  std::string value;
};

std::vector<Total> totals(const ProfileCounts& sum) {
  std::vector<Total> rows{
      {"instructions of warps", grouped(sum.issued)},
      {"lanes that executed", percent(sum.occupancyOfLanes())},
      {"divergences", grouped(sum.divergent)},
  };
  if (sum.globalRequests != 0) {
    rows.push_back(
        {"global memory", fmt::format("{} requests for {} bytes; {} sectors of 32, {} of them used",
                                      grouped(sum.globalRequests), grouped(sum.globalBytes),
                                      grouped(sum.sectors), percent(sum.coalescing()))});
  }
  if (sum.sharedRequests != 0) {
    rows.push_back(
        {"shared memory", fmt::format("{} requests for {} bytes; {} wavefronts, {} by conflicts",
                                      grouped(sum.sharedRequests), grouped(sum.sharedBytes),
                                      grouped(sum.wavefronts), grouped(sum.conflicts))});
  }
  if (sum.localBytes != 0) rows.push_back({"local memory", grouped(sum.localBytes) + " bytes"});
  if (sum.atomicLanes != 0) {
    rows.push_back({"atomics", fmt::format("{} lanes, {} at an address of another in the request",
                                           grouped(sum.atomicLanes), grouped(sum.collisions))});
  }
  return rows;
}

constexpr std::array kColumns = {"issued", "lanes", "diverge", "sectors", "used", "conflicts"};
using Cells = std::array<std::string, kColumns.size()>;

/// Empty where there is nothing of the kind.
Cells cells(const ProfileCounts& c) {
  return {grouped(c.issued),
          c.issued == 0 ? "" : percent(c.occupancyOfLanes()),
          c.divergent == 0 ? "" : grouped(c.divergent),
          c.sectors == 0 ? "" : grouped(c.sectors),
          c.sectors == 0 ? "" : percent(c.coalescing()),
          c.sharedRequests == 0 ? "" : grouped(c.conflicts)};
}

std::string classesText(const sim::Profile& profile) {
  const auto sums = profile.byClass();
  const std::uint64_t all = std::max<std::uint64_t>(profile.total().issued, 1);
  std::string out;
  for (unsigned i = 0; i < sim::kInstructionClasses; ++i) {
    if (sums[i].issued == 0) continue;
    out += fmt::format("  {:<10}{:>14}{:>7}\n", name(static_cast<sim::InstructionClass>(i)),
                       grouped(sums[i].issued),
                       percent(static_cast<double>(sums[i].issued) / static_cast<double>(all)));
  }
  return out;
}

/// What of the kernel is not as on a GPU, with the lines of the PTX.
std::string fidelityText(const sim::Profile& profile) {
  std::array<std::string, sim::kFidelities> lines;
  std::array<unsigned, sim::kFidelities> counts{};
  constexpr unsigned kShown = 8;
  for (const sim::InstructionProfile& one : profile.instructions) {
    const auto i = static_cast<std::size_t>(one.fidelity);
    if (++counts[i] <= kShown) lines[i] += fmt::format(" {}", one.ptx.line);
  }
  constexpr std::array<const char*, sim::kFidelities> kMeanings = {
      "the GPU's bits", "within the ISA's bound", "hints, fences, waits", "clocks, SM numbers"};
  std::string out;
  for (unsigned i = 0; i < sim::kFidelities; ++i) {
    if (counts[i] == 0) continue;
    const std::string where = fmt::format(", line{}{}", lines[i], counts[i] > kShown ? " ..." : "");
    out += fmt::format("  {:<14}{:>6}  {}{}\n", name(static_cast<sim::Fidelity>(i)), counts[i],
                       kMeanings[i], i == 0 ? "" : where);
  }
  return out;
}

std::string listingText(const Listing& listing) {
  std::string out = fmt::format("\n{}{}\n", listing.file,
                                listing.readable ? "" : " (cannot be read: numbers of lines only)");
  for (const char* column : kColumns) out += fmt::format("{:>12}", column);
  out += "   line\n";
  for (const ListedLine& line : listing.lines) {
    if (line.gap) out += fmt::format("{:>{}}\n", "...", 12 * kColumns.size() + 7);
    const Cells row = line.counts ? cells(*line.counts) : Cells{};
    for (const std::string& cell : row) out += fmt::format("{:>12}", cell);
    out += fmt::format("{:>7}  {}\n", line.number, line.text);
  }
  return out;
}

constexpr const char* kStyle = R"(<style>
body{font:14px sans-serif;margin:2em}td,th{padding:0 .8em;text-align:right;white-space:nowrap}
td.name,td.code{text-align:left}td.code{font-family:monospace;white-space:pre}
tr.hot{background:#fde9d9}th{border-bottom:1px solid #888}h2{font-size:1.1em;margin-top:2em}
</style>)";

std::string listingHtml(const Listing& listing) {
  std::uint64_t most = 1;
  for (const ListedLine& line : listing.lines) {
    if (line.counts) most = std::max(most, line.counts->issued);
  }
  std::string out = fmt::format("<h2>{}</h2><table><tr>", escaped(listing.file));
  for (const char* column : kColumns) out += fmt::format("<th>{}</th>", column);
  out += "<th>line</th><th></th></tr>\n";
  for (const ListedLine& line : listing.lines) {
    if (line.gap) out += "<tr><td>...</td></tr>\n";
    const bool hot = line.counts && line.counts->issued * 2 > most;
    out += hot ? "<tr class=hot>" : "<tr>";
    const Cells row = line.counts ? cells(*line.counts) : Cells{};
    for (const std::string& cell : row) out += fmt::format("<td>{}</td>", cell);
    out += fmt::format("<td>{}</td><td class=code>{}</td></tr>\n", line.number, escaped(line.text));
  }
  return out + "</table>\n";
}

nlohmann::ordered_json countsJson(const ProfileCounts& c) {
  return {{"issued", c.issued},
          {"lanes", c.lanes},
          {"divergent", c.divergent},
          {"global_requests", c.globalRequests},
          {"global_bytes", c.globalBytes},
          {"global_unique_bytes", c.globalUnique},
          {"sectors", c.sectors},
          {"shared_requests", c.sharedRequests},
          {"shared_bytes", c.sharedBytes},
          {"wavefronts", c.wavefronts},
          {"bank_conflicts", c.conflicts},
          {"local_bytes", c.localBytes},
          {"atomic_lanes", c.atomicLanes},
          {"atomic_collisions", c.collisions}};
}

}  // namespace

std::string profileText(const sim::Profile& profile, const std::string& ptx) {
  std::string out = fmt::format("kernel {}\n", profile.kernel);
  for (const Total& row : totals(profile.total())) {
    out += fmt::format("  {:<24}{}\n", row.name, row.value);
  }
  out += "\ninstructions by class\n" + classesText(profile);
  out += "\nfidelity of the PTX's instructions\n" + fidelityText(profile);
  for (const Listing& one : listings(profile, ptx)) out += listingText(one);
  return out;
}

std::string profileHtml(const sim::Profile& profile, const std::string& ptx) {
  std::string out =
      fmt::format("<!doctype html><meta charset=utf-8><title>{0}</title>{1}<h1>{0}</h1>\n<table>",
                  escaped(profile.kernel), kStyle);
  for (const Total& row : totals(profile.total())) {
    out +=
        fmt::format("<tr><td class=name>{}</td><td class=name>{}</td></tr>\n", row.name, row.value);
  }
  out += fmt::format(
      "</table><h2>Instructions by class</h2><pre>{}</pre><h2>Fidelity</h2><pre>{}</pre>\n",
      classesText(profile), fidelityText(profile));
  for (const Listing& one : listings(profile, ptx)) out += listingHtml(one);
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

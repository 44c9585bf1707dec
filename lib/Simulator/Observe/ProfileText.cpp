// ProfileText.cpp -- a profile's totals and listings as text.
#include "cutwork/Simulator/ProfileText.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cutwork::sim {
namespace {

/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

std::string percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

std::string listingText(const Listing& listing) {
  std::string out = fmt::format("\n{}{}\n", listing.file,
                                listing.readable ? "" : " (cannot be read: numbers of lines only)");
  const ProfileColumns columns(listing);
  const std::vector<std::string_view> names = columns.names();
  for (const std::string_view name : names) out += fmt::format("{:>12}", name);
  out += "   line\n";
  for (const ListedLine& line : listing.lines) {
    if (line.gap) out += fmt::format("{:>{}}\n", "...", 12 * names.size() + 7);
    for (const std::string& cell : columns.cells(line)) out += fmt::format("{:>12}", cell);
    out += fmt::format("{:>7}  {}\n", line.number, line.text);
  }
  return out;
}

}  // namespace

std::vector<std::pair<std::string_view, std::uint64_t>> namedCounts(const ProfileCounts& c) {
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

std::vector<std::pair<std::string, std::string>> totalRows(const ProfileCounts& sum) {
  std::vector<std::pair<std::string, std::string>> rows{
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
  if (sum.localBytes != 0) rows.emplace_back("local memory", grouped(sum.localBytes) + " bytes");
  if (sum.atomicLanes != 0) {
    rows.push_back({"atomics", fmt::format("{} lanes, {} at an address of another in the request",
                                           grouped(sum.atomicLanes), grouped(sum.collisions))});
  }
  return rows;
}

ProfileColumns::ProfileColumns(const Listing& listing) {
  for (const ListedLine& line : listing.lines) {
    if (!line.counts) continue;
    hasLocal_ = hasLocal_ || line.counts->localBytes != 0;
    hasAtomics_ = hasAtomics_ || line.counts->atomicLanes != 0;
  }
}

std::vector<std::string_view> ProfileColumns::names() const {
  std::vector<std::string_view> names{"issued", "lanes", "diverge", "sectors", "used", "conflicts"};
  if (hasLocal_) names.emplace_back("local");
  if (hasAtomics_) names.insert(names.end(), {"atomics", "collide"});
  return names;
}

std::vector<std::string> ProfileColumns::cells(const ListedLine& line) const {
  if (!line.counts) return std::vector<std::string>(names().size());
  const ProfileCounts& c = *line.counts;
  std::vector<std::string> cells{grouped(c.issued),
                                 c.issued == 0 ? "" : percent(c.occupancyOfLanes()),
                                 c.divergent == 0 ? "" : grouped(c.divergent),
                                 c.sectors == 0 ? "" : grouped(c.sectors),
                                 c.sectors == 0 ? "" : percent(c.coalescing()),
                                 c.sharedRequests == 0 ? "" : grouped(c.conflicts)};
  if (hasLocal_) cells.push_back(c.localBytes == 0 ? "" : grouped(c.localBytes));
  if (hasAtomics_) {
    cells.push_back(c.atomicLanes == 0 ? "" : grouped(c.atomicLanes));
    cells.push_back(c.atomicLanes == 0 ? "" : grouped(c.collisions));
  }
  return cells;
}

std::string classesText(const Profile& profile) {
  const auto sums = profile.byClass();
  const std::uint64_t all = std::max<std::uint64_t>(profile.total().issued, 1);
  std::string out;
  for (unsigned i = 0; i < kInstructionClasses; ++i) {
    if (sums[i].issued == 0) continue;
    out += fmt::format("  {:<10}{:>14}{:>7}\n", name(static_cast<InstructionClass>(i)),
                       grouped(sums[i].issued),
                       percent(static_cast<double>(sums[i].issued) / static_cast<double>(all)));
  }
  return out;
}

std::string fidelityText(const Profile& profile) {
  std::array<std::string, kFidelities> lines;
  std::array<unsigned, kFidelities> counts{};
  constexpr unsigned kShown = 8;
  for (const InstructionProfile& one : profile.instructions) {
    const auto i = static_cast<std::size_t>(one.fidelity);
    if (++counts[i] <= kShown) lines[i] += fmt::format(" {}", one.ptx.line);
  }
  constexpr std::array<const char*, kFidelities> kMeanings = {
      "the GPU's bits", "within the ISA's bound", "hints, fences, waits",
      "clocks, numbers of SMs and warps, bits of mbarriers", "exact, in an order of its own"};
  std::string out;
  for (unsigned i = 0; i < kFidelities; ++i) {
    if (counts[i] == 0) continue;
    const std::string where = fmt::format(", line{}{}", lines[i], counts[i] > kShown ? " ..." : "");
    out += fmt::format("  {:<14}{:>6}  {}{}\n", name(static_cast<Fidelity>(i)), counts[i],
                       kMeanings[i], i == 0 ? "" : where);
  }
  return out;
}

std::string profileText(const Profile& profile, const std::string& ptx) {
  std::string out = fmt::format("kernel {}\n", profile.kernel);
  for (const auto& [what, value] : totalRows(profile.total())) {
    out += fmt::format("  {:<24}{}\n", what, value);
  }
  out += "\ninstructions by class\n" + classesText(profile);
  out += "\nfidelity of the PTX's instructions\n" + fidelityText(profile);
  for (const Listing& one : listings(profile, ptx)) out += listingText(one);
  return out;
}

}  // namespace cutwork::sim

// Target.cpp -- the table of GPU targets.
#include "cutwork/Support/Target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace cutwork {

namespace {

struct Row {
  std::string_view name;
  Target target;
  int leastPtx;
};

using enum Target::Suffix;

constexpr std::array kRows{
    Row{"sm_80", {80, None}, 70},
    Row{"sm_86", {86, None}, 71},
    Row{"sm_89", {89, None}, 78},
    Row{"sm_90", {90, None}, 78},
    Row{"sm_90a", {90, Architecture}, 80},
    Row{"sm_100", {100, None}, 86},
    Row{"sm_100a", {100, Architecture}, 86},
    Row{"sm_100f", {100, Family}, 88},
    Row{"sm_103", {103, None}, 88},
    Row{"sm_103a", {103, Architecture}, 88},
    Row{"sm_103f", {103, Family}, 88},
    Row{"sm_120", {120, None}, 87},
    Row{"sm_120a", {120, Architecture}, 87},
    Row{"sm_120f", {120, Family}, 88},
    Row{"sm_121", {121, None}, 88},
    Row{"sm_121a", {121, Architecture}, 88},
    Row{"sm_121f", {121, Family}, 88},
};

constexpr std::array<std::string_view, kRows.size()> names() {
  std::array<std::string_view, kRows.size()> all;
  std::transform(kRows.begin(), kRows.end(), all.begin(), [](const Row& row) { return row.name; });
  return all;
}
constexpr auto kNames = names();

const Row* rowOf(const Target& target) {
  const auto* row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.target == target; });
  return row == kRows.end() ? nullptr : row;
}

}  // namespace

Expected<Target> Target::parse(std::string_view name) {
  const auto* row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.name == name; });
  if (row == kRows.end()) {
    return userError(fmt::format("unknown target '{}': expected one of {}", name.substr(0, 32),
                                 fmt::join(kNames, ", ")));
  }
  return row->target;
}

std::string Target::name() const {
  const char* ending = suffix == None ? "" : suffix == Architecture ? "a" : "f";
  return fmt::format("sm_{}{}", capability, ending);
}

int Target::leastPtx() const {
  const Row* row = rowOf(*this);
  return row == nullptr ? 0 : row->leastPtx;
}

bool Target::ptxRunsOn(int device) const {
  if (suffix == None) return device >= capability;
  if (suffix == Architecture) return device == capability;
  return device / 10 == major() && device >= capability;
}

bool Target::cubinRunsOn(int device) const { return ptxRunsOn(device) && device / 10 == major(); }

std::span<const std::string_view> knownTargets() { return kNames; }

}  // namespace cutwork

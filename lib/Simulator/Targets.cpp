// Targets.cpp -- the simulated devices by target.
#include "Targets.h"

#include <charconv>

#include "cutwork/Support/Target.h"

namespace cutwork::sim {

std::span<const std::string_view> deviceTargets() { return knownTargets(); }

bool runsOn(std::string_view module, std::string_view device) {
  const auto have = Target::parse(device);
  if (!have) return false;
  if (const auto wanted = Target::parse(module)) return wanted->ptxRunsOn(have->capability);
  // sm_70 and other old ones, which have no features of their own that were dropped.
  if (!module.starts_with("sm_")) return false;
  int number = 0;
  const auto [end, error] =
      std::from_chars(module.data() + 3, module.data() + module.size(), number);
  return error == std::errc() && end == module.data() + module.size() && number < have->capability;
}

unsigned maxSharedBytes(std::string_view device) {
  const auto target = Target::parse(device);
  switch (target ? target->capability : 0) {
    case 80: return 163 * 1024;
    case 86:
    case 89:
    case 120:
    case 121: return 99 * 1024;
    default: return 227 * 1024;
  }
}

}  // namespace cutwork::sim

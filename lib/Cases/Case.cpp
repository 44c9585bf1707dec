// Case.cpp -- the registered cases, and the exact values of a run.
#include "cutwork/Cases/Case.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace cutwork {

namespace {

std::deque<Case>& registered() {
  static std::deque<Case> cases;
  return cases;
}

std::string_view missingPart(const Case& c) {
  if (c.name.empty()) return "name";
  if (c.shape.empty()) return "shape";
  if (!c.get_inputs) return "get_inputs";
  if (!c.kernel_fn) return "kernel_fn";
  if (!c.reference_fn) return "reference_fn";
  return {};
}

}  // namespace

CaseResults::CaseResults(const CaseArrays& arrays) {
  for (const HostArray& array : arrays.all()) {
    if (!array.isOutput()) continue;
    values_.emplace_back(array.name(), std::vector<double>(static_cast<std::size_t>(array.size())));
  }
}

const std::vector<double>& CaseResults::operator[](std::string_view name) const {
  for (const auto& [output, values] : values_) {
    if (output == name) return values;
  }
  internalError(fmt::format("the case has no output '{}'", name)).raise();
}

std::vector<double>& CaseResults::operator[](std::string_view name) {
  return const_cast<std::vector<double>&>(std::as_const(*this)[name]);
}

RegisterCase::RegisterCase(Case what) { registered().push_back(std::move(what)); }

Expected<std::vector<const Case*>> allCases() {
  std::vector<const Case*> cases;
  for (const Case& one : registered()) {
    if (const std::string_view part = missingPart(one); !part.empty()) {
      return internalError(fmt::format("the case '{}' has no {}", one.name, part));
    }
    cases.push_back(&one);
  }
  std::ranges::sort(cases, {}, [](const Case* c) -> const std::string& { return c->name; });
  const auto twice = std::ranges::adjacent_find(
      cases, [](const Case* a, const Case* b) { return a->name == b->name; });
  if (twice != cases.end()) {
    return internalError(fmt::format("there are two cases '{}'", (*twice)->name));
  }
  return cases;
}

Expected<const Case*> findCase(std::string_view name) {
  CW_TRY(const std::vector<const Case*> cases, allCases());
  std::string names;
  for (const Case* one : cases) {
    if (one->name == name) return one;
    names += (names.empty() ? "" : ", ") + one->name;
  }
  return userError(
      fmt::format("there is no case '{}'; there are: {}", name, names.empty() ? "none" : names));
}

}  // namespace cutwork

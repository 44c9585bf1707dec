// Names.cpp -- scopes of a function's names.
#include "Names.h"

#include <algorithm>

namespace cutwork::sim {

Names::Names() {
  scopes_.emplace_back();
  stack_.push_back(0);
}

void Names::open() {
  if (nextScope_ == scopes_.size()) {
    scopes_.emplace_back();
    scopes_.back().parent = stack_.back();
  }
  stack_.push_back(nextScope_++);
}

void Names::close() {
  if (stack_.size() > 1) stack_.pop_back();
}

void Names::rewind() {
  stack_.assign(1, 0);
  nextScope_ = 1;
}

RegisterName* Names::make(Ty type, std::uint32_t count) {
  RegisterName one;
  one.type = type;
  groups_.emplace_back(count, one);
  return groups_.back().data();
}

void Names::declareRegisters(const Declaration& d) {
  Scope& scope = scopes_[stack_.back()];
  const std::uint32_t count = std::max(d.range, 1U);
  RegisterName* first = make(d.type, count * d.vector);
  if (d.range != 0) {
    scope.ranges[d.name] = {first, count, d.vector};
    return;
  }
  Meaning meaning;
  meaning.kind = d.vector > 1 ? Meaning::Kind::Vector : Meaning::Kind::Register;
  meaning.registers = first;
  meaning.vector = d.vector;
  scope.names[d.name] = meaning;
}

void Names::declare(std::string_view name, Meaning meaning) {
  scopes_[stack_.back()].names[name] = meaning;
}

bool Names::declares(const Declaration& declaration) const {
  const Scope& scope = scopes_[stack_.back()];
  return declaration.range != 0 ? scope.ranges.contains(declaration.name)
                                : scope.names.contains(declaration.name);
}

Meaning Names::find(std::string_view name) {
  for (std::size_t level = stack_.size(); level-- > 0;) {
    Scope& scope = scopes_[stack_[level]];
    if (const auto found = scope.names.find(name); found != scope.names.end()) return found->second;
    if (scope.ranges.empty()) continue;
    // %r12 is the 12th of %r<n>, or the 2nd of %r1<n>.
    std::uint64_t index = 0;
    std::uint64_t power = 1;
    for (std::size_t end = name.size(); end > 1 && power <= 1'000'000; --end) {
      const char digit = name[end - 1];
      if (digit < '0' || digit > '9') break;
      index += power * static_cast<std::uint64_t>(digit - '0');
      power *= 10;
      const bool leadingZero = digit == '0' && end != name.size();
      const auto found = scope.ranges.find(name.substr(0, end - 1));
      if (leadingZero || found == scope.ranges.end() || index >= found->second.count) continue;
      Meaning meaning;
      const Range& range = found->second;
      meaning.kind = range.vector > 1 ? Meaning::Kind::Vector : Meaning::Kind::Register;
      meaning.registers = range.first + index * range.vector;
      meaning.vector = range.vector;
      scope.names[name] = meaning;
      return meaning;
    }
  }
  return {};
}

}  // namespace cutwork::sim

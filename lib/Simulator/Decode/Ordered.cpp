// Ordered.cpp -- whether clusters of a kernel could notice in which order they run.
//
// By plain accesses they cannot, unless they race. What remains are atomics and strong accesses of
// memory that others see, clocks, what is printed, the heap, and clusters that others took over.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "Decoder.h"
#include "Reader/Parser.h"

namespace cutwork::sim {
namespace {

constexpr std::array<std::string_view, 7> kStrong = {"volatile", "relaxed", "acquire", "release",
                                                     "acq_rel",  "sc",      "mmio"};
constexpr std::array<std::string_view, 4> kClocks = {"%clock", "%globaltimer", "%smid", "%pm"};

bool isShared(const Statement& s) {
  return std::any_of(s.words.begin(), s.words.end(),
                     [](std::string_view word) { return word.starts_with("shared"); });
}

bool isStrong(const Statement& s) {
  return std::any_of(s.words.begin(), s.words.end(), [](std::string_view word) {
    return std::find(kStrong.begin(), kStrong.end(), word) != kStrong.end();
  });
}

bool isOrdered(const Statement& s) {
  if (s.kind != Statement::Kind::Instruction) return false;
  if (s.name == "atom" || s.name == "red") return !isShared(s);
  if (s.name == "ld" || s.name == "st") return isStrong(s) && !isShared(s);
  bool ordered = s.name == "clusterlaunchcontrol";
  visitNames(s.operands, [&](std::string_view name) {
    const bool ofDriver = name == "vprintf" || name == "malloc" || name == "free";
    ordered = ordered || (s.name == "call" && ofDriver) ||
              std::any_of(kClocks.begin(), kClocks.end(),
                          [&](std::string_view clock) { return name.starts_with(clock); });
  });
  return ordered;
}

}  // namespace

void Decoder::findOrdered() {
  for (const std::uint32_t f : reachable_) {
    const Function& function = module_.functions[f];
    for (const Statement& statement : function.body) {
      if (!isOrdered(statement)) continue;
      program_->ordered =
          fmt::format("line {}: {}", statement.line, printStatement(function, statement));
      return;
    }
  }
}

}  // namespace cutwork::sim

// DecodeHints.cpp -- fences, and what has no effect here: hints to caches, events, policies.
#include <fmt/format.h>

#include <array>
#include <initializer_list>

#include "Decoder.h"

namespace cutwork::sim {
namespace {

bool takeAll(Words& words, std::initializer_list<std::string_view> wanted) {
  for (const std::string_view word : wanted) {
    if (!words.take(word)) return false;
  }
  return true;
}

bool takeOne(Words& words, std::initializer_list<std::string_view> wanted) {
  return !words.oneOf({wanted.begin(), wanted.size()}).empty();
}

/// fence.proxy.proxykind, and those from one proxy to another; `range`: [addr], size follow.
bool isProxyFence(Words& words, bool& range) {
  if (words.take("alias")) return words.empty();
  if (words.take("tensormap::generic")) {
    range = words.take("acquire");
    return (range || words.take("release")) && takeOne(words, {"cta", "cluster", "gpu", "sys"}) &&
           words.empty();
  }
  if (words.take("async::generic")) {
    const bool fits = words.take("acquire")
                          ? words.take("sync_restrict::shared::cluster")
                          : takeAll(words, {"release", "sync_restrict::shared::cta"});
    return fits && words.take("cluster") && words.empty();
  }
  if (!words.take("async")) return false;
  takeOne(words, {"global", "shared::cta", "shared::cluster"});
  return words.empty();
}

bool isFence(Words& words) {
  if (words.take("mbarrier_init")) return takeAll(words, {"release", "cluster"}) && words.empty();
  if (words.take("sync_restrict::shared::cluster")) {
    return takeAll(words, {"acquire", "cluster"}) && words.empty();
  }
  if (words.take("sync_restrict::shared::cta")) {
    return takeAll(words, {"release", "cluster"}) && words.empty();
  }
  takeOne(words, {"sc", "acq_rel", "acquire", "release"});
  return takeOne(words, {"cta", "cluster", "gpu", "sys"}) && words.empty();
}

bool isPrefetch(Words& words) {
  if (words.take("tensormap")) {
    takeOne(words, {"const", "param"});
    return words.empty();
  }
  const bool global = words.take("global");
  const bool priority = global && takeOne(words, {"L2::evict_last", "L2::evict_normal"});
  if (!global) words.take("local");
  return (priority || takeOne(words, {"L1", "L2"})) && words.empty();
}

/// createpolicy: the least and the greatest number of operands; none if it is no such form.
std::array<std::size_t, 2> policyOperands(Words& words) {
  if (words.take("cvt")) {
    return takeAll(words, {"L2", "b64"}) && words.empty() ? std::array<std::size_t, 2>{2, 2}
                                                          : std::array<std::size_t, 2>{};
  }
  const bool range = words.take("range");
  if (!range && !words.take("fractional")) return {};
  if (range) words.take("global");
  if (!takeOne(words,
               {"L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"})) {
    return {};
  }
  takeOne(words, {"L2::evict_first", "L2::evict_unchanged"});
  if (!words.take("b64") || !words.empty()) return {};
  return range ? std::array<std::size_t, 2>{4, 4} : std::array<std::size_t, 2>{1, 2};
}

}  // namespace

/// Whether an operand is a constant from `least` to `most`; a problem if not.
bool Decoder::constantOperand(std::size_t at, std::uint64_t least, std::uint64_t most) {
  const Operand& operand = statement_->operands[at];
  const bool fits = operand.kind == Operand::Kind::Value && !operand.value.isFloat &&
                    operand.value.integer >= least && operand.value.integer <= most;
  return fits ||
         wrong(fmt::format("{} is expected here",
                           least == most ? fmt::format("{}", least)
                                         : fmt::format("a constant from {} to {}", least, most)));
}

bool Decoder::withoutEffect() {
  const Statement& s = *statement_;
  Words words(s);
  std::size_t operands = 0;
  Handler handler = nothing;
  std::optional<std::array<std::uint64_t, 2>> last;  // what the last operand may be
  if (s.name == "fence" || s.name == "membar") {
    bool range = false;
    if (words.take("proxy")) {
      const bool known =
          s.name == "fence" ? isProxyFence(words, range) : words.take("alias") && words.empty();
      if (!known) return unknown({});
    } else {
      const bool known = s.name == "fence" ? isFence(words)
                                           : takeOne(words, {"cta", "gl", "sys"}) && words.empty();
      if (!known) return unknown({});
      handler = fenceRecord;
    }
    operands = range ? 2 : 0;
    if (range) last = {128, 128};
  } else if (s.name == "prefetch") {
    if (!isPrefetch(words)) return unknown({});
    operands = 1;
  } else if (s.name == "prefetchu") {
    if (!words.take("L1") || !words.empty()) return unknown({});
    operands = 1;
  } else if (s.name == "applypriority" || s.name == "discard") {
    words.take("global");
    const bool discards = s.name == "discard";
    if (!words.take(discards ? "L2" : "L2::evict_normal") || !words.empty()) return unknown({});
    operands = 2;
    last = {128, 128};
  } else if (s.name == "griddepcontrol") {
    if (!takeOne(words, {"launch_dependents", "wait"}) || !words.empty()) return unknown({});
  } else if (s.name == "pmevent") {
    const bool mask = words.take("mask");
    if (!words.empty()) return unknown({});
    operands = 1;
    last = {0, mask ? 0xffffU : 15U};
  } else if (s.name == "nanosleep") {
    if (!words.take("u32") || !words.empty()) return unknown({});
    operands = 1;
    if (s.operands.size() == 1) source(s.operands[0], Ty::U32);
    if (failed_) return false;
  } else {
    return false;
  }
  if (s.operands.size() != operands) {
    return wrong(
        fmt::format("this {} has {} operands, not {}", s.name, operands, s.operands.size()));
  }
  const bool addresses =
      s.name.starts_with("prefetch") || s.name == "applypriority" || s.name == "discard";
  if (addresses && s.operands[0].kind != Operand::Kind::Address) {
    return wrong("an address is expected: [...]");
  }
  if (last && !constantOperand(operands - 1, (*last)[0], (*last)[1])) return false;
  emit(handler);
  return true;
}

/// A policy is opaque; any value will do.
bool Decoder::policy() {
  const Statement& s = *statement_;
  Words words(s);
  const auto [least, most] = policyOperands(words);
  if (most == 0) return unknown({});
  if (s.operands.size() < least || s.operands.size() > most) {
    return wrong(fmt::format("this createpolicy has {} operands", most));
  }
  if (s.operands.size() == 2 && s.words[0] == "fractional") {
    const Operand& part = s.operands[1];
    const bool isConstant = part.kind == Operand::Kind::Value && part.value.isFloat;
    const bool isFraction = part.value.real > 0 && part.value.real <= 1;  // not of NaN
    if (isConstant && !isFraction) {
      return wrong(fmt::format("a fraction is above 0 and at most 1, not {}", part.value.real));
    }
  }
  const std::uint32_t d = destination(s.operands[0], Ty::B64);
  if (failed_) return false;
  Pick pick;
  pick.op = Op::Mov;
  pick.type = Ty::B64;
  const std::uint32_t sources[] = {constantRow(0, 8)};
  return emitMap(handlers_.logic(pick), d, sources, 0, checkedMove);
}

}  // namespace cutwork::sim

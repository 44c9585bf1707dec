// Walk.cpp -- the walk of one mode through another layout's modes, the heart of composition.
#include "Walk.h"

#include <algorithm>

#include "Refusal.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::cute {

namespace {

// The mode of `layout` that `path` names.
Expected<LayoutView> modeAt(LayoutView layout, BasisPath path) {
  LayoutView mode = layout;
  for (int i = 0; i < path.depth(); ++i) {
    if (mode.isLeaf() || path[i] >= mode.rank()) {
      return refuse("the basis stride {} names no mode of {}", IntTuple::basis(1, path).text(),
                    layout.text());
    }
    mode = mode[path[i]];
  }
  return mode;
}

bool isPrefix(BasisPath shorter, BasisPath longer) {
  for (int i = 0; i < shorter.depth(); ++i) {
    if (i >= longer.depth() || shorter[i] != longer[i]) return false;
  }
  return true;
}

std::string stepText(const FlatMode& mode) { return mode.extent.text() + ":" + mode.stride.text(); }

Evaluator* evaluatorOf(std::initializer_list<Int> operands) {
  for (Int operand : operands) {
    if (operand.isDynamic()) return operand.dynamic().evaluator;
  }
  return nullptr;
}

// What is left of a mode on its way through the modes of A.
struct Rest {
  Int extent;
  Int step;
};

// Where an extent of 1 ends up: its step as the modes of A divide it. No coordinate uses the
// stride, but it says where the next one would lie.
Expected<Int> stepOfOne(const FlatMode& mode, const FlatModes& modes) {
  Int step = mode.stride;
  for (std::size_t i = 0; i + 1 < modes.size(); ++i) {
    Int extent = modes[i].extent;
    bool within = extent.isStatic() && step.isStatic() && step.value() < extent.value();
    if (divides(extent, step) == Truth::No && !within) {
      return refuse("the stride of {} is not divisible by the extent {}", stepText(mode),
                    extent.text());
    }
    step = ceilDiv(step, extent);
  }
  return step;
}

// One mode of A where everything is static: how much of `rest` it holds.
Expected<Int> staticPiece(Rest rest, Int extent, const FlatMode& whole, Rounding rounding) {
  std::int64_t n = rest.extent.value();
  std::int64_t e = rest.step.value();
  std::int64_t s = extent.value();
  if (e < 0) return refuse("the negative stride of {} runs through several modes", stepText(whole));
  if (e > s) {
    return refuse("the step {} of {} is not divisible by the extent {}", e, stepText(whole), s);
  }
  if (s % e != 0 && rounding == Rounding::Exact) {
    return refuse("the extent {} is not divisible by the step {} of {}", s, e, stepText(whole));
  }
  std::int64_t held = (s + e - 1) / e;
  if (n % held != 0) {
    return refuse(
        "the extent {} of {} is not divisible by {}, which is what the extent {} holds of it", n,
        stepText(whole), held, s);
  }
  return Int(held);
}

// The same with dynamic leaves: min(ceil(s/e), n), under an assumption.
Expected<Int> dynamicPiece(Rest rest, Int extent, const FlatMode& whole, Rounding rounding) {
  Int step = rest.step.isStatic() ? rest.step : max(rest.step, 1);
  Int held = ceilDiv(extent, step);
  Int piece =
      lessEqualPositive(rest.extent, held) == Truth::Yes ? rest.extent : min(held, rest.extent);
  if (!wantsAssumptions({extent, rest.extent, rest.step})) return piece;
  Int moves = both(isLess(0, rest.step), isEqual(floorMod(rest.step, extent), 0));
  Int divided = rounding == Rounding::Up
                    ? Int(1)
                    : either(isEqual(floorMod(extent, step), 0), isLess(rest.extent, held + 1));
  Int regular = both(divided, isEqual(floorMod(rest.extent, piece), 0));
  Int forward = rest.step.isStatic() ? Int(1) : isLess(-1, rest.step);
  CW_DO(assume(
      both(forward, either(moves, regular)),
      fmt::format("{} runs evenly through a mode of extent {}", stepText(whole), extent.text())));
  return piece;
}

}  // namespace

bool wantsAssumptions(std::initializer_list<Int> operands) {
  Evaluator* evaluator = evaluatorOf(operands);
  return evaluator != nullptr && evaluator->wantsAssumptions();
}

Status assume(Int condition, std::string_view rule) {
  CW_TRY(condition, checked(condition));
  if (condition.is(0)) return refuse("it does not hold that {}", rule);
  if (condition.isStatic()) return Success{};
  if (condition.dynamic().evaluator->assume(condition, rule)) return Success{};
  return refuse("it is not known whether {}", rule);
}

Expected<Walker::Target*> Walker::target(BasisPath path) {
  if (path.depth() == 0) {
    if (!targets_.empty()) return refuse("integer and basis strides are mixed");
    if (!wholeUsed_) {
      whole_.modes = targetModes(a_);
      for (std::size_t i = 0; i < whole_.modes.size(); ++i)
        whole_.used.push(0), whole_.users.push(0);
      wholeUsed_ = true;
    }
    return &whole_;
  }
  if (wholeUsed_) return refuse("integer and basis strides are mixed");
  for (Target& t : targets_) {
    if (t.path == path) return &t;
    if (isPrefix(t.path, path) || isPrefix(path, t.path)) {
      return refuse("the basis strides {} and {} name overlapping modes",
                    IntTuple::basis(1, t.path).text(), IntTuple::basis(1, path).text());
    }
  }
  CW_TRY(LayoutView mode, modeAt(a_, path));
  Target& made = targets_.emplace_back();
  made.path = path;
  made.modes = targetModes(mode);
  for (std::size_t i = 0; i < made.modes.size(); ++i) made.used.push(0), made.users.push(0);
  return &made;
}

// The coalesced modes. The last mode continues without end, so that its extent says nothing; an
// extent of 1 there is made 2, to keep it.
FlatModes Walker::targetModes(LayoutView a) {
  FlatModes modes = flatModes(a);
  if (modes.empty()) modes.push({2, 0, {}});
  if (modes.back().extent.is(1)) modes.back().extent = 2;
  return modes.size() == 1 ? modes : coalescedModes(modes);
}

Expected<FlatModes> Walker::pieces(Target& target, const FlatMode& mode, Rounding rounding) {
  FlatModes out;
  Rest rest{mode.extent, mode.stride};
  std::size_t last = target.modes.size() - 1;
  if (rest.extent.is(1)) {
    CW_TRY(rest.step, stepOfOne(mode, target.modes));
  }
  for (std::size_t i = 0; i < last && !rest.extent.is(1); ++i) {
    const FlatMode& in = target.modes[i];
    if (divides(in.extent, rest.step) == Truth::Yes) {
      rest.step = floorDiv(rest.step, in.extent);
      continue;
    }
    Int reached = (rest.extent - 1) * rest.step;
    bool forward = !rest.step.isStatic() || rest.step.value() > 0;
    Int piece = rest.extent;
    if (!forward || lessEqualPositive(reached + 1, in.extent) != Truth::Yes) {
      bool known = rest.extent.isStatic() && rest.step.isStatic() && in.extent.isStatic();
      CW_TRY(piece, known ? staticPiece(rest, in.extent, mode, rounding)
                          : dynamicPiece(rest, in.extent, mode, rounding));
    }
    out.push({piece, rest.step * in.stride, in.basis});
    if (rounding == Rounding::Up && divides(rest.step, in.extent) == Truth::No &&
        lessEqualPositive(reached + 1, in.extent) != Truth::Yes) {
      roundedUp_ = true;
    }
    if (rounding == Rounding::Exact) {
      target.used[i] = target.used[i] + (piece - 1) * rest.step;
      ++target.users[i];
    }
    rest = {floorDiv(rest.extent, piece), ceilDiv(rest.step, in.extent)};
  }
  const FlatMode& in = target.modes[last];
  if (!rest.extent.is(1) || out.empty()) out.push({rest.extent, rest.step * in.stride, in.basis});
  return out;
}

// Where leaves of A are dynamic, its modes may continue one another at run time, which would let a
// walk pass that is refused here.
Error Walker::orUnknown(Error refusal, const Target& target) {
  bool known = std::all_of(target.modes.begin(), target.modes.end(), [](const FlatMode& mode) {
    return mode.extent.isStatic() && mode.stride.isStatic();
  });
  if (known || refusal.message().find("not known") != std::string::npos) return refusal;
  return refuse("{}; it is not known whether the modes it walks through continue one another",
                refusal.message());
}

Status Walker::walk(LayoutBuilder& out, const FlatMode& mode, Rounding rounding) {
  if (mode.stride.is(0)) {
    out.leaf(mode.extent, 0);
    return Success{};
  }
  CW_TRY(Target * into, target(mode.basis));
  auto found = pieces(*into, mode, rounding);
  if (!found) return orUnknown(std::move(found).takeError(), *into);
  FlatModes& parts = *found;
  appendAsOne(out, parts);
  return Success{};
}

Status Walker::checkCarries(const Target& target) {
  for (std::size_t i = 0; i + 1 < target.modes.size(); ++i) {
    if (target.users[i] < 2) continue;  // one walk alone stays within the extent
    Int extent = target.modes[i].extent;
    Int used = target.used[i];
    if (lessEqualPositive(used + 1, extent) == Truth::Yes) continue;
    if (used.isStatic() && extent.isStatic()) {
      Error carry =
          refuse("the modes together reach {} in a mode of extent {}, so that adding them carries",
                 used.text(), extent.text());
      return orUnknown(std::move(carry), target);
    }
    CW_DO(assume(isLess(used, extent),
                 fmt::format("the modes together stay within a mode of extent {}", extent.text())));
  }
  return Success{};
}

Status Walker::finish() {
  if (wholeUsed_) return checkCarries(whole_);
  for (const Target& t : targets_) {
    CW_DO(checkCarries(t));
  }
  return Success{};
}

}  // namespace cutwork::cute

// Walk.h -- the walk of one mode through another layout's modes, the heart of composition.
#pragma once

#include <vector>

#include "FlatModes.h"
#include "cutwork/Layout/Evaluator.h"
#include "cutwork/Support/Status.h"

namespace cutwork::cute {

/// What to do with an extent that the step does not divide: for a composition that is refused; the
/// tiles of a divide run beyond it.
enum class Rounding : std::uint8_t { Exact, Up };

/// Composes the modes of one layout B with A, keeping account of how much of each mode of A they
/// use together.
class Walker {
 public:
  explicit Walker(LayoutView a) : a_(a) {}
  /// Appends A o (extent:stride) to `out` as one entry.
  Status walk(LayoutBuilder& out, const FlatMode& mode, Rounding rounding = Rounding::Exact);
  /// Whether the pieces of all modes walked so far fit into A's modes without a carry.
  Status finish();
  /// Whether an extent had to be rounded up (Rounding::Up).
  [[nodiscard]] bool roundedUp() const { return roundedUp_; }

 private:
  // A, or a mode of it that a basis stride names.
  struct Target {
    BasisPath path;
    FlatModes modes;
    SmallArray<Int, 16> used;   // the largest coordinate reached in each of `modes`
    SmallArray<int, 16> users;  // how many modes of B reach into it
  };
  static FlatModes targetModes(LayoutView a);
  Expected<Target*> target(BasisPath path);
  Expected<FlatModes> pieces(Target& target, const FlatMode& mode, Rounding rounding);
  static Error orUnknown(Error refusal, const Target& target);
  static Status checkCarries(const Target& target);

  LayoutView a_;
  Target whole_;                 // where B has integer strides
  std::vector<Target> targets_;  // where it has basis strides
  bool wholeUsed_ = false;
  bool roundedUp_ = false;
};

/// Tells the evaluator behind `condition` that `rule` is assumed; a condition known to fail is the
/// refusal `rule`.
Status assume(Int condition, std::string_view rule);
/// Whether anybody listens to assumptions about these integers.
bool wantsAssumptions(std::initializer_list<Int> operands);

}  // namespace cutwork::cute

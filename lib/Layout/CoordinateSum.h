// CoordinateSum.h -- sums of integers and scaled basis elements: the values of a layout.
#pragma once

#include <vector>

#include "cutwork/Layout/IntTuple.h"

namespace cutwork::cute {

/// Adds up terms value@path. Without paths the sum is an integer. With paths it is the least
/// coordinate tuple that has all of them, 0 where there is no term; a plain 0 may take part.
class CoordinateSum {
 public:
  void add(BasisPath path, Int value) {
    if (path.depth() == 0) {
      plain_ = plain_ + value;
    } else {
      terms_.push_back({path, value});
    }
  }
  /// The sum, with `extra` added at each of its leaves. Refuses a nonzero integer beside basis
  /// elements, and a mode that is both an integer and a tuple.
  Expected<IntTuple> finish(Int extra = 0) const;

 private:
  struct Term {
    BasisPath path;
    Int value;
  };
  static Expected<IntTuple> build(const std::vector<Term>& terms, Int extra);
  Int plain_ = 0;
  std::vector<Term> terms_;
};

}  // namespace cutwork::cute

// CoordinateSum.cpp -- the least coordinate tuple that has all terms of a sum.
#include "CoordinateSum.h"

#include "Refusal.h"

namespace cutwork::cute {

Expected<IntTuple> CoordinateSum::finish(Int extra) const {
  if (terms_.empty()) return checked(IntTuple(plain_ + extra));
  if (!plain_.is(0)) {
    return refuse("an integer ({}) and coordinates can not be added", plain_.text());
  }
  return build(terms_, extra);
}

Expected<IntTuple> CoordinateSum::build(const std::vector<Term>& terms, Int extra) {
  int modes = 0;
  for (const Term& term : terms) modes = std::max(modes, term.path[0] + 1);
  IntTupleBuilder out;
  out.open();
  for (int mode = 0; mode < modes; ++mode) {
    Int plain = extra;
    bool isInteger = false;
    std::vector<Term> inner;
    for (const Term& term : terms) {
      if (term.path[0] != mode) continue;
      if (term.path.depth() > 1) {
        inner.push_back({term.path.inner(), term.value});
      } else if (!term.value.is(0)) {
        isInteger = true;
        plain = plain + term.value;
      }
    }
    if (inner.empty()) {
      out.leaf(plain);
    } else if (isInteger) {
      return refuse("mode {} of the values is both an integer and a tuple", mode);
    } else {
      CW_TRY(IntTuple sum, build(inner, extra));
      out.append(sum);
    }
  }
  out.close();
  return out.finish();
}

}  // namespace cutwork::cute

// PropertyForm.cpp -- the same function in another form: coalesce, filter, flatten.
#include "Property.h"
#include "cutwork/Layout/Coalesce.h"
#include "cutwork/Layout/TupleAlgebra.h"

namespace cutwork::test {
namespace {

using oracle::Function;
using oracle::Tree;

std::string sameFunction(const Function& got, const Function& want) {
  std::string wrong = unequal("the size", got.size(), want.size());
  return wrong.empty() ? oracle::difference(got, want) : wrong;
}

// Whether two neighbours could be merged, or an extent of 1 is left.
std::string notShortest(const Function& f) {
  if (f.shape().depth() > 1) return "the depth is more than 1";
  const auto& leaves = f.leaves();
  if (f.shape().isTuple() && leaves.size() < 2) return "a tuple of less than two modes";
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].extent == 1 && leaves.size() > 1) return "a mode of extent 1 is left";
    if (i == 0) continue;
    const auto& a = leaves[i - 1];
    if (a.extent * a.stride == leaves[i].stride && (a.path == leaves[i].path || a.stride == 0)) {
      if (a.stride != 0 || a.path == leaves[i].path)
        return "two modes that continue each other are left";
    }
  }
  return "";
}

std::string coalesced(const Function& got, const Function& want, Form form) {
  std::string wrong = sameFunction(got, want);
  if (wrong.empty() && got.shape().depth() > 1) wrong = "the depth is more than 1";
  if (wrong.empty() && form == Form::Static) wrong = notShortest(got);
  return wrong;
}

std::string coalescedBy(const Function& got, const Function& want, const Tree& profile, Form form) {
  if (!profile.isTuple()) return coalesced(got, want, form);
  if (!got.shape().isTuple() || got.rank() != want.rank()) return "the rank is not kept";
  for (std::size_t i = 0; i < got.rank(); ++i) {
    std::string wrong;
    if (i < profile.rank()) {
      wrong = coalescedBy(got.mode(i), want.mode(i), profile.modes[i], form);
    } else if (!(got.mode(i).shape() == want.mode(i).shape() &&
                 got.mode(i).stride() == want.mode(i).stride())) {
      wrong = "it is changed, though the profile does not reach it";
    }
    if (!wrong.empty()) return "mode " + std::to_string(i) + ": " + wrong;
  }
  return "";
}

// A profile that is no deeper and no longer than the shape.
cute::IntTuple profileOf(Generator& g, cute::IntTupleView shape) {
  if (shape.isLeaf() || g.chance(30)) return 1;
  std::vector<cute::IntTuple> modes;
  for (cute::IntTupleView mode : shape) {
    if (!modes.empty() && g.chance(15)) break;
    modes.push_back(profileOf(g, mode));
  }
  return cute::IntTuple(std::span<const cute::IntTuple>(modes));
}

// Layouts with much to merge.
cute::Layout mergeable(Generator& g) { return g.chance(60) ? g.compact() : g.anyPlain(); }

std::string filtered(const Items& in, const Items& out, Form form) {
  Function got = functionAt(out, 0).outer();
  std::string wrong = sameFunction(got, oracle::withoutZeros(functionAt(in, 0)));
  if (!wrong.empty()) return wrong;
  if (form == Form::Static) wrong = got.shape().rank() == 0 ? "" : notShortest(got);
  for (const auto& leaf : got.leaves()) {
    if (leaf.stride == 0 && got.size() > 1 && form == Form::Static) return "a stride of 0 is left";
  }
  return wrong;
}

cute::Layout withZeros(Generator& g) {
  cute::Layout l = g.anyPlain();
  cute::IntTuple stride = g.mapped(l.stride().view(), [&](cute::IntTupleView s) {
    return g.chance(30) ? cute::IntTuple(0) : cute::IntTuple(s);
  });
  return cute::Layout::make(l.shape(), stride);
}

std::string zerosFiltered(const Function& got, const Function& in, const std::vector<bool>& gone) {
  if (!(got.stride() == in.stride())) return "the strides are not kept";
  if (!oracle::congruent(got.shape(), in.shape())) return "the profile is not kept";
  for (std::size_t i = 0; i < in.leaves().size(); ++i) {
    std::int64_t want = gone[i] ? 1 : in.leaves()[i].extent;
    std::string wrong = unequal("extent " + std::to_string(i), got.leaves()[i].extent, want);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

void markZeros(const Tree& profile, const Tree& shape, std::vector<bool>& gone) {
  if (!profile.isTuple()) {
    gone.insert(gone.end(), oracle::leaves(shape).size(), profile.value == 0);
    return;
  }
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i < profile.rank()) {
      markZeros(profile.modes[i], shape.modes[i], gone);
    } else {
      gone.insert(gone.end(), oracle::leaves(shape.modes[i]).size(), false);
    }
  }
}

std::string flattened(const Items& in, const Items& out, Form /*form*/) {
  Function got = functionAt(out, 0);
  Function want = functionAt(in, 0);
  if (got.shape().depth() > 1) return "the depth is more than 1";
  std::string wrong = unequal("the number of modes", got.leaves().size(), want.leaves().size());
  return wrong.empty() ? sameFunction(got, want) : wrong;
}

const bool kAdded = addProperties({
    {.name = "coalesce",
     .operands = [](Generator& g) { return Items{g.anyLayout(mergeable(g))}; },
     .apply = [](const Items& in) { return asItems(coalesce(layoutAt(in, 0))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           std::string wrong = sameFunction(functionAt(out, 0), functionAt(in, 0));
           return wrong.empty()
                      ? coalesced(functionAt(out, 0).outer(), functionAt(in, 0).outer(), form)
                      : wrong;
         },
     .accepted = 100,
     .answered = 100},
    {.name = "coalesce_by_profile",
     .operands =
         [](Generator& g) {
           cute::Layout l = mergeable(g);
           cute::IntTuple profile = profileOf(g, l.shape());
           return Items{g.anyLayout(l), profile};
         },
     .apply = [](const Items& in) { return asItems(coalesce(layoutAt(in, 0), tupleAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           std::string wrong = otherInner(layoutAt(out, 0), layoutAt(in, 0));
           if (!wrong.empty()) return wrong;
           return coalescedBy(functionAt(out, 0).outer(), functionAt(in, 0).outer(), treeAt(in, 1),
                              form);
         },
     .fixed = 2,
     .accepted = 95,
     .answered = 100},
    {.name = "filter",
     .operands = [](Generator& g) { return Items{g.anyLayout(withZeros(g))}; },
     .apply = [](const Items& in) { return asItems(filter(layoutAt(in, 0))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           std::string inner = otherInner(layoutAt(out, 0), layoutAt(in, 0));
           if (!inner.empty()) return inner;
           if (form == Form::Static) return filtered({cute::AnyLayout(plainAt(in, 0))}, out, form);
           // A dynamic stride may be 0: the values are the same, some more than once.
           std::set<oracle::Value> got;
           std::set<oracle::Value> want;
           if (functionAt(in, 0).size() > 2000) return std::string();
           for (const auto& v : oracle::values(functionAt(out, 0))) got.insert(v);
           for (const auto& v : oracle::values(functionAt(in, 0))) want.insert(v);
           return std::string(got == want ? "" : "the values are others");
         },
     .accepted = 100,
     .answered = 100,
     .likeStatic = false},
    {.name = "filter_zeros",
     .operands = [](Generator& g) { return Items{g.anyLayout(withZeros(g))}; },
     .apply = [](const Items& in) { return asItems(filter_zeros(layoutAt(in, 0))); },
     .wrong =
         [](const Items& in, const Items& out, Form form) {
           if (form == Form::Dynamic)
             return unequal("the stride", functionAt(out, 0).stride(), functionAt(in, 0).stride());
           std::string inner = otherInner(layoutAt(out, 0), layoutAt(in, 0));
           if (!inner.empty()) return inner;
           std::vector<bool> gone;
           for (const auto& leaf : functionAt(in, 0).leaves()) gone.push_back(leaf.stride == 0);
           return zerosFiltered(functionAt(out, 0), functionAt(in, 0), gone);
         },
     .accepted = 100,
     .answered = 100,
     .likeStatic = false},
    {.name = "filter_zeros_by_profile",
     .operands =
         [](Generator& g) {
           cute::Layout l = g.anyPlain();
           cute::IntTuple profile =
               g.mapped(profileOf(g, l.shape()).view(),
                        [&](cute::IntTupleView) { return cute::IntTuple(g.below(2)); });
           return Items{cute::AnyLayout(l), profile};
         },
     .apply = [](const Items& in) { return asItems(filter_zeros(plainAt(in, 0), tupleAt(in, 1))); },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           std::vector<bool> gone;
           markZeros(treeAt(in, 1), functionAt(in, 0).shape(), gone);
           return zerosFiltered(functionAt(out, 0), functionAt(in, 0), gone);
         },
     .fixed = 2,
     .accepted = 60,
     .answered = 100},
    {.name = "flatten",
     .operands = [](Generator& g) { return Items{g.anyLayout(g.anyPlain())}; },
     .apply = [](const Items& in) { return asItems(flatten(layoutAt(in, 0))); },
     .wrong = flattened,
     .accepted = 100,
     .answered = 100},
    {.name = "flatten_tuple",
     .operands = [](Generator& g) { return Items{g.coordinate(g.shape(), 20)}; },
     .apply =
         [](const Items& in) {
           return asItems(Expected<cute::IntTuple>(flatten(tupleAt(in, 0).view())));
         },
     .wrong =
         [](const Items& in, const Items& out, Form /*form*/) {
           Tree want = treeAt(in, 0);
           if (want.isTuple()) want = Tree::tuple(oracle::leaves(want));
           return unequal("it", treeAt(out, 0), want);
         },
     .accepted = 100,
     .answered = 100},
});

}  // namespace
}  // namespace cutwork::test

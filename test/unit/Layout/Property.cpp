// Property.cpp -- runs the properties: static, dynamic with three evaluators, and mutants.
#include "Property.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <numeric>

#include "cutwork/Layout/Text.h"

namespace cutwork::test {

using cute::AnyLayout;
using cute::ComposedLayout;
using cute::HostEvaluator;
using cute::Int;
using cute::IntTuple;
using cute::IntTupleView;
using cute::Layout;
using cute::RecordingEvaluator;
using cute::Tiler;
using cute::Width;
using Policy = RecordingEvaluator::Policy;

std::string text(const Items& items) {
  std::string out;
  for (const Item& item : items) {
    out += (out.empty() ? "" : "   ") + std::visit([](const auto& i) { return i.text(); }, item);
  }
  return out;
}

Expected<Items> asItems(Expected<IntTuple> result) {
  if (!result) return std::move(result).takeError();
  return Items{*result};
}
Expected<Items> asItems(Expected<Layout> result) {
  if (!result) return std::move(result).takeError();
  return Items{AnyLayout(*result)};
}
Expected<Items> asItems(Expected<AnyLayout> result) {
  if (!result) return std::move(result).takeError();
  return Items{*result};
}
Expected<Items> asItems(Expected<Int> result) {
  if (!result) return std::move(result).takeError();
  return Items{IntTuple(*result)};
}
Expected<Items> asItems(cute::Truth truth) {
  if (truth == cute::Truth::Unknown) return userError("it is not known");
  return Items{IntTuple(truth == cute::Truth::Yes ? 1 : 0)};
}

namespace {

std::int64_t fromEnvironment(const char* name, std::int64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != 0 ? std::strtoll(value, nullptr, 0) : otherwise;
}

std::vector<Property>& registry() {
  static std::vector<Property> properties;
  return properties;
}

// One numbered case of a property.
struct Trial {
  std::uint64_t seed;
  Generator generator;
  Items operands;
};

Trial trial(const Property& property, std::int64_t number) {
  std::uint64_t seed = propertySeed() + static_cast<std::uint64_t>(number);
  std::uint64_t mixed = seed * 0x9e3779b97f4a7c15U;
  for (char c : property.name) mixed = (mixed ^ static_cast<std::uint64_t>(c)) * 1099511628211U;
  Trial out{seed, Generator(mixed), {}};
  out.operands = property.operands(out.generator);
  return out;
}

std::string report(const Trial& t, const std::string& wrong, const std::string& more) {
  return "CUTWORK_SEED=" + std::to_string(t.seed) + "\n  operands: " + text(t.operands) + "\n  " +
         more + "\n  " + wrong;
}

// Failures of one test; the first few are printed.
class Failures {
 public:
  void add(const Trial& t, const std::string& wrong, const std::string& more) {
    if (++count_ <= 3) ADD_FAILURE() << report(t, wrong, more);
  }
  [[nodiscard]] bool tooMany() const { return count_ > 20; }
  ~Failures() {
    if (count_ > 3) ADD_FAILURE() << count_ << " cases failed";
  }

 private:
  int count_ = 0;
};

std::string wrongOrThrown(const Property& p, const Items& in, const Items& out, Form form) {
  try {
    return p.wrong(in, out, form);
  } catch (const std::exception& e) {
    return std::string("the check threw: ") + e.what();
  }
}

template <class T>
std::string unreadable(const T& item) {
  cute::DynamicFactory none;
  std::string written = item.text();
  if constexpr (std::is_same_v<T, IntTuple>) {
    auto read = cute::parseTuple(written);
    return read && *read == item ? "" : "does not read back: " + written;
  } else if constexpr (std::is_same_v<T, AnyLayout>) {
    auto read = cute::parseAnyLayout(written);
    return read && *read == item ? "" : "does not read back: " + written;
  } else {
    auto read = cute::parseTiler(written);
    return read && read->text() == written ? "" : "does not read back: " + written;
  }
}

std::string unreadable(const Items& items) {
  std::string wrong;
  for (const Item& item : items)
    wrong += std::visit([](const auto& i) { return unreadable(i); }, item);
  return wrong;
}

}  // namespace

bool addProperties(std::vector<Property> properties) {
  for (Property& p : properties) registry().push_back(std::move(p));
  return true;
}

std::int64_t propertyCases() { return fromEnvironment("CUTWORK_PROPERTY_CASES", 2000); }
std::uint64_t propertySeed() {
  return static_cast<std::uint64_t>(fromEnvironment("CUTWORK_SEED", 1));
}

namespace {

// ---- dynamic operands ----

using MakeDynamic = std::function<Int(std::int64_t value, Width width, std::int64_t divisor)>;

// Replaces a share of the leaves by dynamic integers of the same values.
class Replacer {
 public:
  Replacer(Generator& generator, MakeDynamic make)
      : generator_(generator), make_(std::move(make)), percent_(generator.pick({15, 40, 100})) {}
  [[nodiscard]] int count() const { return count_; }

  Item operator()(const Item& item) {
    return std::visit([&](const auto& i) -> Item { return replaced(i); }, item);
  }

 private:
  Int leaf(Int value) {
    if (!generator_.chance(percent_)) return value;
    ++count_;
    std::int64_t v = value.value();
    bool wide = value.width() == Width::I64 || generator_.chance(30);
    std::int64_t divisor = v == 0 ? generator_.between(1, 8) : 1;
    if (v != 0 && generator_.chance(60)) divisor = generator_.divisorOf(v < 0 ? -v : v);
    return make_(v, wide ? Width::I64 : Width::I32, divisor);
  }
  IntTuple replaced(const IntTuple& t) {
    return generator_.mapped(t.view(), [&](IntTupleView l) {
      return l.isHole() ? IntTuple(l) : IntTuple::basis(leaf(l.value()), l.basis());
    });
  }
  Layout replaced(const Layout& l) {
    IntTuple shape = replaced(l.shape());
    return Layout::make(std::move(shape), replaced(l.stride()));
  }
  AnyLayout replaced(const AnyLayout& l) {
    Layout outer = replaced(l.outer());
    if (l.plain() != nullptr) return AnyLayout(std::move(outer));
    // The integer 0 stands for the origin of coordinates; it stays.
    IntTuple offset =
        basisStrides(outer) ? l.composed()->offset() : replaced(l.composed()->offset());
    return *ComposedLayout::make(l.composed()->inner(), std::move(offset), std::move(outer));
  }
  Tiler replaced(const Tiler& t) {
    if (t.isHole()) return t;
    if (t.isLayout()) return Tiler(replaced(t.layout()));
    std::vector<Tiler> modes;
    for (const Tiler& mode : t.modes()) modes.push_back(replaced(mode));
    return Tiler::byMode(std::move(modes));
  }

  Generator& generator_;
  MakeDynamic make_;
  int percent_;
  int count_ = 0;
};

// Every dynamic leaf of the items.
template <class F>
void forEachDynamic(const Items& items, F&& f) {
  auto inTuple = [&](IntTupleView t) {
    for (const cute::Node& node : t.nodes()) {
      if (node.kind == cute::NodeKind::Integer && node.integer.isDynamic()) f(node.integer);
    }
  };
  for (const Item& item : items) {
    if (const auto* t = std::get_if<IntTuple>(&item)) inTuple(t->view());
    if (const auto* l = std::get_if<AnyLayout>(&item))
      inTuple(l->outer().shape()), inTuple(l->outer().stride());
  }
}

Expected<Items> substituted(const Items& items, const RecordingEvaluator& evaluator,
                            const std::vector<std::int64_t>& inputs) {
  Items out;
  for (const Item& item : items) {
    if (const auto* t = std::get_if<IntTuple>(&item)) {
      CW_TRY(IntTuple made, evaluator.substitute(t->view(), inputs));
      out.emplace_back(std::move(made));
    } else {
      CW_TRY(AnyLayout made, evaluator.substitute(std::get<AnyLayout>(item), inputs));
      out.emplace_back(std::move(made));
    }
  }
  return out;
}

IntTuple onHost(Generator& generator, IntTupleView t) {
  return generator.mapped(t, [&](IntTupleView l) {
    return l.isHole() ? IntTuple(l) : IntTuple::basis(HostEvaluator::valueOf(l.value()), l.basis());
  });
}

Expected<Items> onHost(Generator& generator, const Items& items) {
  Items out;
  for (const Item& item : items) {
    if (const auto* t = std::get_if<IntTuple>(&item)) {
      out.emplace_back(onHost(generator, t->view()));
      continue;
    }
    const auto& l = std::get<AnyLayout>(item);
    CW_TRY(Layout outer, Layout::make(onHost(generator, l.outer().shape()),
                                      onHost(generator, l.outer().stride())));
    if (l.plain() != nullptr) {
      out.emplace_back(AnyLayout(std::move(outer)));
      continue;
    }
    CW_TRY(ComposedLayout made,
           ComposedLayout::make(l.composed()->inner(), onHost(generator, l.composed()->offset()),
                                std::move(outer)));
    out.emplace_back(AnyLayout(std::move(made)));
  }
  return out;
}

// Where the dynamic result is another function than the static one.
std::string unlikeStatic(const Items& dynamic, const Items& constant) {
  for (std::size_t i = 0; i < dynamic.size() && i < constant.size(); ++i) {
    if (std::holds_alternative<IntTuple>(dynamic[i])) {
      if (!(tupleAt(dynamic, i) == tupleAt(constant, i)))
        return "it is " + text(dynamic) + ", statically " + text(constant);
      continue;
    }
    oracle::Function got = functionAt(dynamic, i);
    oracle::Function want = functionAt(constant, i);
    std::string wrong = unequal("the size", got.size(), want.size());
    if (wrong.empty()) wrong = oracle::difference(got, want);
    if (!wrong.empty()) return "unlike the static " + text(constant) + ": " + wrong;
  }
  return "";
}

struct Counts {
  int answered = 0;
  int refused = 0;
  int assumed = 0;  // answered, but an assumption does not hold
  int overflowed = 0;
  int unnamed = 0;  // refusals that do not say what is unknown
  std::string lastUnnamed;
};

// Such refusals are bugs of wording; so many percent of the refusals are let pass.
constexpr int kUnnamedPercent = 10;

// Arithmetic that has no answer for these values: an i32 that overflows, on the host a division by
// zero.
bool isOverflow(const std::string& message) {
  return message.find("does not fit in 64 bits") != std::string::npos;
}
bool hasNoAnswer(const std::string& message) {
  return isOverflow(message) || message.find("division by zero") != std::string::npos;
}

// Refusals of dynamic operands whose values are accepted say what is not known.
bool namesUnknownFact(const std::string& message) {
  return message.find("known") != std::string::npos || message.find("static") != std::string::npos;
}

void countRefusal(Counts& counts, bool accepted, const std::string& message) {
  if (!accepted) return;
  ++counts.refused;
  if (namesUnknownFact(message) || hasNoAnswer(message)) return;
  ++counts.unnamed;
  counts.lastUnnamed = message;
}

Items replacedOperands(const Property& p, const Trial& t, Replacer& replacer) {
  Items dynamic;
  for (std::size_t i = 0; i < t.operands.size(); ++i) {
    dynamic.push_back((p.fixed >> i & 1) != 0 ? t.operands[i] : replacer(t.operands[i]));
  }
  return dynamic;
}

// Widths and divisors that the result claims.
std::string falseClaims(const Items& result, const RecordingEvaluator& evaluator,
                        const std::vector<std::int64_t>& inputs) {
  std::string wrong;
  forEachDynamic(result, [&](Int leaf) {
    auto value = evaluator.evaluate(leaf, inputs);
    if (value && *value % leaf.divisor() != 0) {
      wrong = evaluator.expression(leaf) + " = " + std::to_string(*value) +
              " is said to be divisible by " + std::to_string(leaf.divisor());
    }
  });
  return wrong;
}

// One dynamic case with a RecordingEvaluator. Returns what is wrong.
std::string recorded(const Property& p, Trial& t, Policy policy, Counts& counts,
                     std::string& shown) {
  RecordingEvaluator evaluator(policy);
  std::vector<std::int64_t> inputs;
  Replacer replacer(t.generator, [&](std::int64_t value, Width width, std::int64_t divisor) {
    inputs.push_back(value);
    return evaluator.input(width, divisor);
  });
  Items operands = replacedOperands(p, t, replacer);
  if (replacer.count() == 0) return "";
  shown = "dynamic: " + text(operands);
  auto constant = p.apply(t.operands);
  auto result = p.apply(operands);
  if (!result) {
    countRefusal(counts, constant.ok(), result.error().message());
    return "";
  }
  shown += "\n  result: " + text(*result);
  auto assumptions = evaluator.checkAssumptions(inputs);
  if (!assumptions.ok()) {
    counts.assumed += constant ? 1 : 0;
    return policy == Policy::Refuse ? "something was assumed" : "";
  }
  counts.answered += constant ? 1 : 0;
  auto values = substituted(*result, evaluator, inputs);
  if (!values) {
    ++counts.overflowed;
    return isOverflow(values.error().message()) ? "" : values.error().message();
  }
  shown += "\n  = " + text(*values);
  std::string wrong = falseClaims(*result, evaluator, inputs);
  if (wrong.empty()) wrong = wrongOrThrown(p, t.operands, *values, Form::Dynamic);
  if (wrong.empty() && constant && p.likeStatic) wrong = unlikeStatic(*values, *constant);
  return wrong;
}

std::string hosted(const Property& p, Trial& t, Counts& counts, std::string& shown) {
  HostEvaluator evaluator;
  Replacer replacer(t.generator, [&](std::int64_t value, Width width, std::int64_t divisor) {
    return evaluator.make(value, width, divisor);
  });
  Items operands = replacedOperands(p, t, replacer);
  if (replacer.count() == 0) return "";
  shown = "dynamic: " + text(operands);
  auto constant = p.apply(t.operands);
  auto result = p.apply(operands);
  if (!result) {
    countRefusal(counts, constant.ok(), result.error().message());
    return "";
  }
  if (!evaluator.brokenAssumptions().empty()) {
    counts.assumed += constant ? 1 : 0;
    return "";
  }
  counts.answered += constant ? 1 : 0;
  auto values = onHost(t.generator, *result);
  if (!values) return values.error().message();
  shown += "\n  = " + text(*values);
  std::string wrong = wrongOrThrown(p, t.operands, *values, Form::Dynamic);
  if (wrong.empty() && constant && p.likeStatic) wrong = unlikeStatic(*values, *constant);
  return wrong;
}

template <class Run>
void runDynamic(const Property& p, const char* how, Run&& run) {
  if (p.fixed == ~0U) return;
  Failures failures;
  Counts counts;
  std::int64_t cases = std::max<std::int64_t>(propertyCases() / 5, 1);
  for (std::int64_t i = 0; i < cases && !failures.tooMany(); ++i) {
    Trial t = trial(p, i);
    std::string shown;
    std::string wrong;
    try {
      wrong = run(t, counts, shown);
    } catch (const std::exception& e) {
      wrong = std::string("threw: ") + e.what();
    }
    if (!wrong.empty()) failures.add(t, wrong, shown);
  }
  int all = counts.answered + counts.refused + counts.assumed;
  std::cout << p.name << ' ' << how << ": " << counts.answered << " answered, " << counts.refused
            << " refused, " << counts.assumed << " assumed what does not hold, "
            << counts.overflowed << " overflowed, " << counts.unnamed << " refusals unnamed "
            << counts.lastUnnamed << '\n';
  EXPECT_LE(counts.unnamed * 100, kUnnamedPercent * counts.refused + 100)
      << counts.unnamed
      << " refusals do not say what is not known, for example: " << counts.lastUnnamed;
  if (all > 0 && std::string_view(how) == "Assume") {
    EXPECT_GE(counts.answered * 100 / all, p.answered) << "percent answered";
  }
}

// ---- mutants ----

IntTuple mutated(Generator& g, const IntTuple& t) {
  std::vector<oracle::Tree> leaves = oracle::leaves(oracle::read(t));
  if (leaves.empty()) return IntTuple{1};
  std::int64_t chosen = g.below(static_cast<std::int64_t>(leaves.size()));
  std::int64_t at = 0;
  return g.mapped(t.view(), [&](IntTupleView l) {
    if (at++ != chosen) return IntTuple(l);
    return l.isHole() ? IntTuple(1)
                      : IntTuple::basis(l.value() + (g.chance(70) ? 1 : -1), l.basis());
  });
}

// Another stride where more than one coordinate uses it, or another extent.
AnyLayout mutated(Generator& g, const AnyLayout& l) {
  oracle::Function f = oracle::Function::of(l).outer();
  if (l.composed() != nullptr && l.composed()->offset().isInt() && g.chance(30)) {
    return *ComposedLayout::make(l.composed()->inner(), l.composed()->offset().value() + 1,
                                 l.outer());
  }
  if (f.leaves().empty()) return Layout::leaf(2, IntTuple(1));
  std::int64_t chosen = g.below(static_cast<std::int64_t>(f.leaves().size()));
  const auto& leaf = f.leaves()[static_cast<std::size_t>(chosen)];
  bool extent = leaf.extent == 1 || g.chance(40);
  std::int64_t at = 0;
  auto change = [&](IntTupleView t) {
    return g.mapped(t, [&](IntTupleView x) {
      return at++ == chosen ? IntTuple::basis(x.value() + 1, x.basis()) : IntTuple(x);
    });
  };
  Layout outer = extent ? Layout::make(change(l.outer().shape()), l.outer().stride())
                        : Layout::make(l.outer().shape(), change(l.outer().stride()));
  return l.withOuter(std::move(outer));
}

Items mutated(Generator& g, Items items) {
  Item& item = items[static_cast<std::size_t>(g.below(static_cast<std::int64_t>(items.size())))];
  const auto* tuple = std::get_if<IntTuple>(&item);
  item = tuple != nullptr ? Item(mutated(g, *tuple)) : Item(mutated(g, std::get<AnyLayout>(item)));
  return items;
}

// ---- the tests ----

class Properties : public testing::TestWithParam<Property> {};

TEST_P(Properties, Static) {
  const Property& p = GetParam();
  Failures failures;
  std::int64_t accepted = 0;
  std::int64_t trials = propertyCases() * 100 / p.accepted;
  std::int64_t tried = 0;
  for (; tried < trials && accepted < propertyCases() && !failures.tooMany(); ++tried) {
    Trial t = trial(p, tried);
    auto result = p.apply(t.operands);
    if (!result) continue;
    ++accepted;
    std::string wrong = wrongOrThrown(p, t.operands, *result, Form::Static);
    if (wrong.empty()) wrong = unreadable(t.operands) + unreadable(*result);
    if (!wrong.empty()) failures.add(t, wrong, "result: " + text(*result));
  }
  if (failures.tooMany()) return;
  std::cout << p.name << ": " << accepted << " accepted of " << tried << '\n';
  EXPECT_GE(accepted, propertyCases())
      << "of " << trials << " cases only " << accepted << " were accepted";
}

TEST_P(Properties, Assume) {
  const Property& p = GetParam();
  runDynamic(p, "Assume", [&](Trial& t, Counts& c, std::string& s) {
    return recorded(p, t, Policy::Assume, c, s);
  });
}

TEST_P(Properties, Refuse) {
  const Property& p = GetParam();
  runDynamic(p, "Refuse", [&](Trial& t, Counts& c, std::string& s) {
    return recorded(p, t, Policy::Refuse, c, s);
  });
}

TEST_P(Properties, Host) {
  const Property& p = GetParam();
  runDynamic(p, "Host", [&](Trial& t, Counts& c, std::string& s) { return hosted(p, t, c, s); });
}

TEST_P(Properties, Mutants) {
  const Property& p = GetParam();
  int made = 0;
  int caught = 0;
  std::string missed;
  std::int64_t cases = std::max<std::int64_t>(propertyCases() / 5, 100);
  for (std::int64_t i = 0; i < cases; ++i) {
    Trial t = trial(p, i);
    auto result = p.apply(t.operands);
    if (!result) continue;
    Items mutant = mutated(t.generator, *result);
    ++made;
    if (!wrongOrThrown(p, t.operands, mutant, Form::Static).empty()) {
      ++caught;
    } else {
      missed = text(t.operands) + " -> " + text(mutant) + " instead of " + text(*result);
    }
  }
  std::cout << p.name << ": " << caught << " caught of " << made << " mutants; missed: " << missed
            << '\n';
  EXPECT_GE(caught * 100, p.caught * made) << "missed: " << missed;
}

INSTANTIATE_TEST_SUITE_P(All, Properties, testing::ValuesIn(registry()),
                         [](const testing::TestParamInfo<Property>& info) {
                           return info.param.name;
                         });

}  // namespace
}  // namespace cutwork::test

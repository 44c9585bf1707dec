// Property.h -- property tests: random operands, an operation, its definition as a check.
//
// A Property is run in five ways, one GoogleTest case each:
//
//     Static   whatever is accepted meets the definition, and enough is accepted
//     Assume   a random part of the leaves is input of a RecordingEvaluator that assumes. Where its
//              assumptions hold, the result meets the definition and is the static one's function
//     Refuse   the same with one that refuses what is not proved; refusals name what is unknown
//     Host     the same with a HostEvaluator
//     Mutants  the check finds most errors that are put into right results: it can fail
//
// CUTWORK_PROPERTY_CASES is the number of accepted cases (default 2000; a fifth of it for each of
// the others), CUTWORK_SEED the seed of the first case. A failure prints the seed to begin with it.
#pragma once

#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "Generate.h"
#include "Oracle.h"
#include "cutwork/Layout/Recording.h"
#include "cutwork/Support/Error.h"

namespace cutwork::test {

/// An operand or a result.
using Item = std::variant<cute::IntTuple, cute::AnyLayout, cute::Tiler>;
using Items = std::vector<Item>;

inline const cute::IntTuple& tupleAt(const Items& items, std::size_t i) {
  return std::get<cute::IntTuple>(items[i]);
}
inline const cute::AnyLayout& layoutAt(const Items& items, std::size_t i) {
  return std::get<cute::AnyLayout>(items[i]);
}
inline const cute::Layout& plainAt(const Items& items, std::size_t i) {
  return layoutAt(items, i).outer();
}
inline const cute::Tiler& tilerAt(const Items& items, std::size_t i) {
  return std::get<cute::Tiler>(items[i]);
}
inline oracle::Function functionAt(const Items& items, std::size_t i) {
  return oracle::Function::of(layoutAt(items, i));
}
inline oracle::Tree treeAt(const Items& items, std::size_t i) {
  return oracle::read(tupleAt(items, i));
}
std::string text(const Items& items);

/// Whether a result comes from static operands: forms may differ by extents of 1 if not.
enum class Form : std::uint8_t { Static, Dynamic };

struct Property {
  std::string name;
  std::function<Items(Generator&)> operands;
  std::function<Expected<Items>(const Items&)> apply;
  /// What is wrong with the result of static operands; "" if it meets the definition.
  std::function<std::string(const Items& in, const Items& out, Form form)> wrong;
  unsigned fixed = 0;      ///< bit i: operand i is static by its nature
  int accepted = 60;       ///< at least this percentage of cases is accepted
  int answered = 20;       ///< of the dynamic ones, those that Assume answers
  int caught = 60;         ///< of the mutants, those that the check finds
  bool likeStatic = true;  ///< the dynamic result is the same function as the static one
};

inline void PrintTo(const Property& property, std::ostream* out) { *out << property.name; }

/// Adds properties to those that are run; the value is for a variable of namespace scope.
bool addProperties(std::vector<Property> properties);

/// The environment's numbers.
std::int64_t propertyCases();
std::uint64_t propertySeed();

/// Results as items.
Expected<Items> asItems(Expected<cute::IntTuple> result);
Expected<Items> asItems(Expected<cute::Layout> result);
Expected<Items> asItems(Expected<cute::AnyLayout> result);
Expected<Items> asItems(Expected<cute::Int> result);
Expected<Items> asItems(cute::Truth truth);

/// Whether a result keeps the inner function and the offset of a composed operand.
std::string otherInner(const cute::AnyLayout& got, const cute::AnyLayout& want);
/// Whether `got` composes `a` with the tiler: mode by mode, A(B(c)) everywhere.
std::string notComposed(const oracle::Function& got, const oracle::Function& a,
                        const cute::Tiler& tiler);
/// Whether `c` fills the gaps of `layout` up to `cotarget`, as Complement.h defines it.
std::string notComplement(const oracle::Function& layout, const oracle::Function& c,
                          std::int64_t cotarget, Form form);
/// Whether the modes are the same, in the same places.
std::string otherModes(const oracle::Function& got, const oracle::Function& want);

/// Text of two things that ought to be equal, "" if they are.
template <class T>
std::string unequal(std::string_view what, const T& got, const T& want) {
  if (got == want) return "";
  auto shown = [](const T& v) {
    if constexpr (std::is_arithmetic_v<T>) {
      return std::to_string(v);
    } else {
      return v.text();
    }
  };
  return std::string(what) + " is " + shown(got) + ", not " + shown(want);
}

}  // namespace cutwork::test
